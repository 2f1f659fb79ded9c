-- renew: a worker extends its lease, says how it is, and hears what there is to do.
-- KEYS  see prelude: workers, delayed, paused; the worker's info hash.
-- ARGV  1 worker id   2 lease in ms   3 TTL of the info in s   4… field, value, … of the info
-- Answers {paused 0 or 1, workers whose lease is over, ms until the next delayed job is due or -1,
--          jobs that others took from this worker since the last renewal}
local worker, lease, info = ARGV[1], tonumber(ARGV[2]), info_of(ARGV[1])
expect('zset', WORKERS, DELAYED)
expect('hash', info)
local now = now_ms()
redis.call('ZADD', WORKERS, now + lease, worker)
local lost = tonumber(redis.call('HGET', info, 'reclaimed')) or 0
local fields = {'reclaimed', 0}
for index = 4, #ARGV do fields[#fields + 1] = ARGV[index] end
redis.call('HSET', info, unpack(fields))
redis.call('EXPIRE', info, ARGV[3])
local next_due = redis.call('ZRANGE', DELAYED, 0, 0, 'WITHSCORES')[2]
return {
    redis.call('EXISTS', PAUSED),
    redis.call('ZCOUNT', WORKERS, '-inf', '(' .. now),
    next_due and math.max(0, tonumber(next_due) - now) or -1,
    lost,
}
