-- claim: up to `limit` jobs move from the queue's right end into the worker's list, oldest first.
-- KEYS  see prelude: queue, workers, attempts, counters, paused, the worker's list.
-- ARGV  1 worker id   2 limit, 1…100   3 lease in ms, for a worker that has none yet
-- Answers {'jobs', raw, crashes, raw, crashes, …}  now in the worker's list; `crashes` counts the
--                        workers that died under the job. A job with crashes comes alone.
--         {'too_long'}   the oldest is too long for a job, and to be sent; it is now in the worker's list, for
--                        `held` to bury it
--         {'empty'}      nothing waits
--         {'paused'}     the queue is paused
--         {'lapsed'}     the worker's lease is over; others may be taking its jobs: renew first
local worker, limit, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
expect('list', QUEUE, OWN)
expect('zset', WORKERS)
expect('hash', COUNTERS, ATTEMPTS)
if redis.call('EXISTS', PAUSED) == 1 then return {'paused'} end
if redis.call('EXISTS', QUEUE) == 0 then return {'empty'} end

local now = now_ms()
local lease_end = tonumber(redis.call('ZSCORE', WORKERS, worker) or '')
if not lease_end then
    -- A list without a lease would never be found by the reaper.
    redis.call('ZADD', WORKERS, now + lease, worker)
elseif lease_end < now then
    return {'lapsed'}
end

local present = count_newcomers(worker, OWN)
local some_have_attempts = redis.call('EXISTS', ATTEMPTS) == 1
local answer = {'jobs'}
local taken = 0
while taken < limit do
    local raw = redis.call('LINDEX', QUEUE, -1)
    if not raw then break end
    if #raw > JOB_BYTES then
        if taken > 0 then break end
        redis.call('LMOVE', QUEUE, OWN, 'RIGHT', 'LEFT')
        taken = 1
        answer = {'too_long'}
        break
    end
    local crashed = 0
    if some_have_attempts then
        local _
        _, crashed = attempts_of(job_id(raw, fields_of(raw)))
    end
    if crashed > 0 and taken > 0 then break end
    redis.call('LMOVE', QUEUE, OWN, 'RIGHT', 'LEFT')
    taken = taken + 1
    answer[#answer + 1] = raw
    answer[#answer + 1] = crashed
    if crashed > 0 then break end
end
count('taken', taken)
remember_held(worker, present + taken)
return answer
