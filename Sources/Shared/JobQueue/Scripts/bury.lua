-- bury: a job leaves the worker's list for the dead stream, and its failure is published.
-- KEYS  see prelude: attempts, counters, dead, results, the worker's list; the batch.
-- ARGV  1 worker id   2 owned, 1 or 0   3 raw job   4 job id   5 batch or ''
--       6 result: JSON object without attempt and finished_at
--       7 cap of results   8 TTL of a batch in s   9 cap of dead   10 error code   11 error: JSON object
-- Answers {'buried', attempt}   published
--         {'stale'}             the job is no longer this worker's: nothing is published
local worker, owned, raw, id, batch = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
check_before_settling()
if not is_held(worker, raw, owned) then return {'stale'} end
local failed, crashed = attempts_of(id)
local attempt = failed + crashed + 1
settle_as_dead({
    id = id, raw = raw, batch = batch, result = ARGV[6], code = ARGV[10], error = ARGV[11], attempts = attempt,
}, {results = ARGV[7], batch_ttl = ARGV[8], dead = ARGV[9]})
take_out(worker, raw, owned)
return {'buried', attempt}
