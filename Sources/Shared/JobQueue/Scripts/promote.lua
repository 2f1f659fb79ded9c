-- promote: delayed jobs that are due go back to the queue, retried ones to be served next.
-- KEYS  see prelude: queue, counters, delayed.
-- ARGV  1 most jobs a call
-- Answers {jobs promoted, ms until the next is due or -1}
expect('list', QUEUE)
expect('zset', DELAYED)
expect('hash', COUNTERS)
need('ZREM', DELAYED, 'value')
need('HINCRBY', COUNTERS, 'field', 1)
local now = now_ms()
local due = redis.call('ZRANGE', DELAYED, '-inf', now, 'BYSCORE', 'LIMIT', 0, tonumber(ARGV[1]))
for index = #due, 1, -1 do
    -- Backwards, so that of several that go to the right end the longest due is served first.
    local member = due[index]
    local raw = string.sub(member, string.find(member, ':', 1, true) + 1)
    redis.call(string.sub(member, 1, 1) == 'L' and 'LPUSH' or 'RPUSH', QUEUE, raw)
    redis.call('ZREM', DELAYED, member)
end
-- With `delayed_so_far`, what proves that no delayed job is missing.
count('promoted', #due)
local next_due = redis.call('ZRANGE', DELAYED, 0, 0, 'WITHSCORES')[2]
return {#due, until_due(next_due, now)}
