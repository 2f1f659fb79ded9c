-- retry_dead: an operator gives dead jobs another life: each leaves the dead stream and joins the queue's
-- left end, behind what waits, with its attempts counted anew. Its batch waits for it again.
-- KEYS  see prelude: queue, counters, dead; batches.
-- ARGV  1 TTL of a batch in s   2… ids of entries of the dead stream, in the order of the queue, at most 100
-- Answers {retried, gone, unusable}   gone: another operator was faster, or the cap cut them off;
--                                     unusable: entries without a job, which stay
expect('list', QUEUE)
expect('hash', COUNTERS)
expect('stream', DEAD)
need('LPUSH', QUEUE, 'value')
need('XDEL', DEAD, '1-1')
need('HINCRBY', COUNTERS, 'field', 1)
local jobs, gone, unusable = {}, 0, 0
for index = 2, #ARGV do
    local fields = dead_entry(ARGV[index])
    if not fields then
        gone = gone + 1
    elseif not fields.job then
        unusable = unusable + 1
    else
        local batch = name_in(fields_of(fields.job), 'batch') or ''
        jobs[#jobs + 1] = {entry = ARGV[index], raw = fields.job, code = fields.code or '', batch = batch}
    end
end

-- The failure is no longer the last word on this job. Where the batch has forgotten it, being younger than
-- the failure, the job is one more.
local function reopen_in_batch(batch, code)
    local key = batch_of(batch)
    if not key or redis.call('EXISTS', key) == 0 then return end
    if (tonumber(redis.call('HGET', key, 'failed')) or 0) > 0 then
        add(key, 'failed', -1)
        local of_code = 'error:' .. code
        if (tonumber(redis.call('HGET', key, of_code)) or 0) > 0 then add(key, of_code, -1) end
    elseif redis.call('HEXISTS', key, 'total') == 1 then
        add(key, 'total', 1)
    end
    redis.call('EXPIRE', key, ARGV[1])
end

local retried = 0
for _, job in ipairs(jobs) do
    -- An entry that was named twice is there once.
    if dead_entry(job.entry) then
        redis.call('LPUSH', QUEUE, job.raw)
        redis.call('XDEL', DEAD, job.entry)
        reopen_in_batch(job.batch, job.code)
        retried = retried + 1
    else
        gone = gone + 1
    end
end
count('dead_retried', retried)
return {retried, gone, unusable}
