-- retry: a job leaves the worker's list to wait for another attempt, or is buried after the last one.
-- KEYS  see prelude: attempts, counters, delayed, dead, results, the worker's list; its info; the batch.
-- ARGV  1 worker id   2 owned, 1 or 0   3 raw job   4 job id   5 batch or ''
--       6 result: JSON object without attempt and finished_at, published only if buried
--       7 cap of results   8 TTL of a batch in s   9 cap of dead   10 error code   11 error: JSON object
--       12 most failed attempts   13… delay in ms after the first, second, … failed attempt
-- Answers {'retried', attempt, delay in ms}   waits; becomes due by Redis' clock
--         {'buried', attempt}                 that was the last attempt
--         {'stale'}                           the job is no longer this worker's: nothing is done
local worker, owned, raw, id, batch = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
check_before_settling()
expect('zset', DELAYED)
if not take_out(worker, raw, owned) then return {'stale'} end
local failed, crashed = attempts_of(id)
local attempt = failed + crashed + 1
failed = failed + 1
if failed >= tonumber(ARGV[12]) then
    settle_as_dead({
        id = id, raw = raw, batch = batch, result = ARGV[6], code = ARGV[10], error = ARGV[11],
        attempts = attempt,
    }, {results = ARGV[7], batch_ttl = ARGV[8], dead = ARGV[9]})
    return {'buried', attempt}
end
local pause = tonumber(ARGV[12 + failed])
set_attempts(id, failed, crashed)
delay(raw, 'R', now_ms() + pause)
count('retried', 1)
-- For operators: why jobs are being tried again. Never alone, since then nothing would end it.
local info = info_of(worker)
if redis.call('EXISTS', info) == 1 then
    redis.pcall('HSET', info, 'last_retry_code', ARGV[10], 'last_retry_ms', now_ms())
end
return {'retried', attempt, pause}
