-- audit: one consistent reading of everything that can be counted; moves nothing.
-- KEYS  see prelude: all but the last; lists of all workers; batches.
-- ARGV  names of batches, at most 1,000
-- Answers {waiting, delayed, dead, results, paused 0 or 1, now in ms, {counter, value, …},
--          {worker id, lease end in ms or '' without a lease, jobs in its list, …},
--          {batch, total or '', finished or '', failed or '', …}}
expect('list', QUEUE)
expect('zset', WORKERS, DELAYED)
expect('hash', COUNTERS, ATTEMPTS)
expect('stream', DEAD, RESULTS)
expect('string', PAUSED)
local workers, batches, known = {}, {}, {}
local function look(worker, lease_end)
    local list = list_of(worker)
    expect('list', list)
    known[worker] = true
    workers[#workers + 1] = worker
    workers[#workers + 1] = lease_end
    workers[#workers + 1] = redis.call('LLEN', list)
end
local leases = redis.call('ZRANGE', WORKERS, 0, -1, 'WITHSCORES')
for index = 1, #leases, 2 do look(leases[index], leases[index + 1]) end
-- Jobs were counted in these lists, so they count also when somebody has deleted the leases.
for _, worker in ipairs(workers_that_held()) do
    if not known[worker] then look(worker, '') end
end
for _, batch in ipairs(ARGV) do
    local key = batch_key(batch)
    expect('hash', key)
    local found = redis.call('HMGET', key, 'total', 'finished', 'failed')
    batches[#batches + 1] = batch
    for index = 1, 3 do batches[#batches + 1] = found[index] or '' end
end
return {
    redis.call('LLEN', QUEUE), redis.call('ZCARD', DELAYED), redis.call('XLEN', DEAD),
    redis.call('XLEN', RESULTS), redis.call('EXISTS', PAUSED), now_ms(),
    redis.call('HGETALL', COUNTERS), workers, batches,
}
