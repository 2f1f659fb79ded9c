-- finish: a job leaves the worker's list as done, and its result is published.
-- KEYS  see prelude: attempts, counters, results, the worker's list; the batch.
-- ARGV  1 worker id   2 owned, 1 or 0   3 raw job   4 job id   5 batch or ''
--       6 result: JSON object without attempt and finished_at
--       7 cap of results   8 TTL of a batch in s
-- Answers {'finished', attempt}   published
--         {'stale'}               the job is no longer this worker's: nothing is published
local worker, owned, raw, id, batch = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
check_before_settling()
if not is_held(worker, raw, owned) then return {'stale'} end
local failed, crashed = attempts_of(id)
local attempt = failed + crashed + 1
publish(ARGV[7], id, 'done', batch, attempt, ARGV[6])
take_out(worker, raw, owned)
redis.call('HDEL', ATTEMPTS, id)
count('finished', 1)
count_in_batch(batch, ARGV[8], nil)
return {'finished', attempt}
