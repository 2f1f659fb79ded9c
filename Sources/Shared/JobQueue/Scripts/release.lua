-- release: a job goes back without an attempt being counted: to be served next, or last after a delay.
-- KEYS  see prelude: queue, counters, delayed, the worker's list.
-- ARGV  1 worker id   2 owned, 1 or 0   3 raw job   4 delay in ms; '' sends it to the right end at once,
--       a delay to the left end when due
-- Answers {'released'}
--         {'stale'}      the job is no longer this worker's: nothing is done
local worker, owned, raw, pause = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
expect('list', QUEUE, OWN)
expect('hash', COUNTERS)
expect('zset', DELAYED)
need('LREM', OWN, 1, 'value')
need('HINCRBY', COUNTERS, 'field', 1)
if not is_held(worker, raw, owned) then return {'stale'} end
if pause then
    delay(raw, 'L', now_ms() + pause)
else
    redis.call('RPUSH', QUEUE, raw)
end
take_out(worker, raw, owned)
count('released', 1)
return {'released'}
