-- audit: one consistent reading of everything that can be counted; moves nothing.
-- KEYS  see prelude: all but the last; lists of all workers.
-- Answers {waiting, delayed, dead, results, paused 0 or 1, now in ms, {counter, value, …},
--          {worker id, lease end in ms, jobs in its list, …}}
expect('list', QUEUE)
expect('zset', WORKERS, DELAYED)
expect('hash', COUNTERS, ATTEMPTS)
expect('stream', DEAD, RESULTS)
expect('string', PAUSED)
local workers = {}
local known = redis.call('ZRANGE', WORKERS, 0, -1, 'WITHSCORES')
for index = 1, #known, 2 do
    local list = list_of(known[index])
    expect('list', list)
    workers[#workers + 1] = known[index]
    workers[#workers + 1] = known[index + 1]
    workers[#workers + 1] = redis.call('LLEN', list)
end
return {
    redis.call('LLEN', QUEUE), redis.call('ZCARD', DELAYED), redis.call('XLEN', DEAD),
    redis.call('XLEN', RESULTS), redis.call('EXISTS', PAUSED), now_ms(),
    redis.call('HGETALL', COUNTERS), workers,
}
