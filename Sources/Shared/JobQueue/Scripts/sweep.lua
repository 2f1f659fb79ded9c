-- sweep: lists of workers that have no lease get one, as if the worker had just renewed it. One that lives
-- goes on; the jobs of one that does not are reclaimed when the lease is over, like those of any other.
-- Only somebody who deletes keys makes such lists; without this, their jobs would stay in them for ever.
-- KEYS  see prelude: workers, counters; lists of workers without a lease.
-- ARGV  1 lease in ms   2… workers whose lists were seen; those that ever held counted jobs are known anyway
-- Answers {worker id, …}   those that now have a lease
local lease = tonumber(ARGV[1])
expect('zset', WORKERS)
expect('hash', COUNTERS)
local lost, seen = {}, {}
local function look(worker)
    local list = list_of(worker)
    if seen[worker] or redis.call('ZSCORE', WORKERS, worker) then return end
    expect('list', list)
    seen[worker] = true
    if redis.call('EXISTS', list) == 1 then lost[#lost + 1] = worker end
end
for index = 2, #ARGV do look(ARGV[index]) end
for _, worker in ipairs(workers_that_held()) do look(worker) end
local lease_end = now_ms() + lease
for _, worker in ipairs(lost) do redis.call('ZADD', WORKERS, lease_end, worker) end
return lost
