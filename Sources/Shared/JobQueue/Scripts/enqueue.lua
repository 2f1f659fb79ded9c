-- enqueue: a chunk of jobs joins the queue's left end, all or none, and once however often it is sent.
-- KEYS  see prelude: queue; the batch.
-- ARGV  1 batch   2 name of the chunk, unique in the batch   3 longest queue allowed, or ''
--       4 TTL of a batch in s   5 chunk that has to be pushed before this one, or ''   6… raw jobs, at most 500
-- Answers {'enqueued', length of the queue}
--         {'already', length}   this chunk was pushed before: its answer got lost
--         {'full', length}      the queue would be longer than allowed: nothing is pushed
--         {'behind', length}    the chunk before it is not there, so nothing of this one is pushed: a Redis at its
--                               limit may refuse one command and take the next
local batch, chunk, longest = batch_key(ARGV[1]), 'chunk:' .. ARGV[2], tonumber(ARGV[3])
expect('list', QUEUE)
expect('hash', batch)
local length = redis.call('LLEN', QUEUE)
local before, jobs = 'chunk:' .. ARGV[5], #ARGV - 5
if redis.call('HEXISTS', batch, chunk) == 1 then return {'already', length} end
if ARGV[5] ~= '' and redis.call('HEXISTS', batch, before) == 0 then return {'behind', length} end
if longest and length + jobs > longest then return {'full', length} end
redis.call('HSET', batch, chunk, jobs)
add(batch, 'total', jobs)
redis.call('EXPIRE', batch, ARGV[4])
return {'enqueued', redis.call('LPUSH', QUEUE, unpack(ARGV, 6))}
