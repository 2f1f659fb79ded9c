-- renew: a worker extends its lease, says how it is, and hears what there is to do.
-- KEYS  see prelude: workers, attempts, delayed, paused; the worker's info hash; lists of late workers.
-- ARGV  1 worker id   2 lease in ms   3 TTL of the info in s
--       4 TTL in s of the note about the oldest job, '' to count nothing   5… field, value, … of the info
-- Answers {paused 0 or 1, workers whose lease is over, ms until the next delayed job is due or -1,
--          jobs that others took from this worker since the last renewal,
--          1 if a waiting job may be a suspect before the next renewal, else 0,
--          {jobs that wait, run, are delayed, are dead, live workers, jobs buried as worker_crashed,
--           ms that the oldest waiting job has waited at least or -1}, empty when not asked for or not allowed}
local worker, lease, info = ARGV[1], tonumber(ARGV[2]), info_of(ARGV[1])
expect('zset', WORKERS, DELAYED)
expect('hash', ATTEMPTS)
-- Its own, and with a TTL: what somebody else has put there is no reason to lose the lease.
if not holds_facts(info) then redis.call('DEL', info) end
local now = now_ms()
-- Redis' clock was set back, or somebody wrote a lease: longer than two, it would hold a dead worker's jobs.
for _, ahead in ipairs(redis.call('ZRANGE', WORKERS, now + 2 * lease, '+inf', 'BYSCORE', 'LIMIT', 0, 100)) do
    redis.call('ZADD', WORKERS, now + lease, ahead)
end
redis.call('ZADD', WORKERS, now + lease, worker)
local lost = tonumber(redis.call('HGET', info, 'reclaimed')) or 0
local fields = {'reclaimed', 0}
for index = 5, #ARGV do fields[#fields + 1] = ARGV[index] end
redis.call('HSET', info, unpack(fields))
redis.call('EXPIRE', info, ARGV[3])

-- A job becomes a suspect when it is reclaimed. Live workers have more than 0.6 of their lease left, since
-- they renew at 0.75: one that has less and holds jobs is seen here by all the others in time.
local function may_have_suspects()
    if redis.call('HLEN', ATTEMPTS) > 100 then return 1 end
    for _, value in ipairs(redis.call('HVALS', ATTEMPTS)) do
        if not string.find(value, ' 0$') then return 1 end
    end
    local late = redis.call('ZRANGE', WORKERS, '-inf', now + lease * 0.6, 'BYSCORE', 'LIMIT', 0, 200)
    for _, worker in ipairs(late) do
        if redis.call('LLEN', list_of(worker)) > 0 then return 1 end
    end
    return #late < 200 and 0 or 1
end

-- What operators are shown costs no worker its lease: where something else is under a key, or the access list
-- forbids to look, nothing is told.
local function figures()
    local running = 0
    local leases = redis.call('ZRANGE', WORKERS, 0, -1)
    for _, worker in ipairs(leases) do running = running + redis.call('LLEN', list_of(worker)) end
    return {
        redis.call('LLEN', QUEUE), running, redis.call('ZCARD', DELAYED), redis.call('XLEN', DEAD),
        redis.call('ZCOUNT', WORKERS, now, '+inf'),
        tonumber(redis.call('HGET', COUNTERS, 'worker_crashed')) or 0, oldest_waited(now, ARGV[4]),
    }
end
local told, counted = false, {}
if ARGV[4] ~= '' then told, counted = pcall(figures) end

local next_due = redis.call('ZRANGE', DELAYED, 0, 0, 'WITHSCORES')[2]
return {
    redis.call('EXISTS', PAUSED),
    redis.call('ZCOUNT', WORKERS, '-inf', '(' .. now),
    until_due(next_due, now),
    lost,
    may_have_suspects(),
    told and counted or {},
}
