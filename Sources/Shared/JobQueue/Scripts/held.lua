-- held: what lies in the worker's list. What is too long for a job is buried on the way: its bytes go from the
-- list to the dead stream without leaving Redis, since no worker has room for them.
-- KEYS  see prelude: attempts, counters, dead, results, the worker's list.
-- ARGV  1 worker id   2 cap of results   3 TTL of a batch in s   4 cap of dead
-- Answers {{raw, raw, …}                       the jobs in the list, oldest first
--          {id, bytes, attempt, id, bytes, …}}  what was buried now
local worker = ARGV[1]
local limits = {results = ARGV[2], batch_ttl = ARGV[3], dead = ARGV[4]}
expect('list', OWN)
expect('hash', COUNTERS)

-- Seldom is any too long. Without one nothing is settled here, and what settling needs may be broken.
local jobs, any_too_long = {}, false
for place = redis.call('LLEN', OWN) - 1, 0, -1 do
    local raw = redis.call('LINDEX', OWN, place)
    if #raw <= JOB_BYTES then jobs[#jobs + 1] = raw else any_too_long = true end
end
if any_too_long then check_before_settling() end
remember_held(worker, count_newcomers(worker, OWN))
if not any_too_long then return {jobs, {}} end

-- What `invalid_job` says of so many bytes, as its result: as Job.swift words it.
local function length_report(id, bytes)
    local problem = '{"code":"invalid_job","detail":{},"message":"expected at most ' .. JOB_BYTES .. ' bytes, found '
        .. bytes .. '","retryable":false}'
    return problem, '{"error":' .. problem .. ',"id":' .. cjson.encode(id) .. ',"status":"failed","worker":'
        .. cjson.encode(worker) .. '}'
end

local buried = {}
for place = redis.call('LLEN', OWN) - 1, 0, -1 do
    local raw = redis.call('LINDEX', OWN, place)
    if #raw > JOB_BYTES then
        local id = job_id(raw, {})
        local failed, crashed = attempts_of(id)
        local attempt = failed + crashed + 1
        local problem, result = length_report(id, #raw)
        settle_as_dead({
            id = id, raw = raw, batch = '', result = result, code = 'invalid_job', error = problem,
            attempts = attempt,
        }, limits)
        take_out(worker, raw, '1')
        for _, fact in ipairs({id, #raw, attempt}) do buried[#buried + 1] = fact end
    end
end
return {jobs, buried}
