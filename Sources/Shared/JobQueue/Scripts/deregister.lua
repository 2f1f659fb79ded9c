-- deregister: a worker that holds no job leaves at once, instead of being found expired later.
-- KEYS  see prelude: workers, counters, the worker's list; its info hash.
-- ARGV  1 worker id
-- Answers {'left'}
--         {'holding', jobs}   jobs are in the list: the lease must run on until they are settled
local worker = ARGV[1]
expect('list', OWN)
expect('zset', WORKERS)
expect('hash', COUNTERS)
local present = count_newcomers(worker, OWN)
remember_held(worker, present)
if present > 0 then return {'holding', present} end
redis.call('ZREM', WORKERS, worker)
redis.call('DEL', info_of(worker))
return {'left'}
