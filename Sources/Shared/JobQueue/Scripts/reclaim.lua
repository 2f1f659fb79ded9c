-- reclaim: jobs of workers whose lease is over go back to the queue's right end, or to the dead stream
-- when workers keep dying under them.
-- KEYS  see prelude: all but the last; lists and info of the expired workers; batches.
-- ARGV  1 most workers a call   2 most jobs a call   3 most crashes of a job   4 ms that an expired worker
--       stays known   5 cap of results   6 TTL of a batch in s   7 cap of dead   8 TTL of the info in s
-- Answers {jobs back in the queue, jobs buried, workers forgotten, 1 if there may be more at once,
--          {id, source or '', attempts, …} of the buried ones}
local most_workers, most_jobs, most_crashes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local limits = {results = ARGV[5], batch_ttl = ARGV[6], dead = ARGV[7]}
expect('list', QUEUE)
expect('zset', WORKERS)
expect('hash', ATTEMPTS, COUNTERS)
expect('stream', DEAD, RESULTS)
need('LMOVE', QUEUE, QUEUE, 'LEFT', 'RIGHT')
need('LPOP', QUEUE)
need('XADD', RESULTS, '*', 'field', 'value')
need('XADD', DEAD, '*', 'field', 'value')
need('XDEL', DEAD, '1-1')
need('HINCRBY', COUNTERS, 'field', 1)
need('HSET', ATTEMPTS, 'field', 'value')
local now = now_ms()
local workers, job_count, is_cut = {}, 0, false

-- Notes what to move of one expired worker; false when the call may not take more.
local function note(worker, lease_end)
    local list = list_of(worker)
    expect('list', list)
    local length = redis.call('LLEN', list)
    local is_forgettable = lease_end + tonumber(ARGV[4]) < now
    if length == 0 and not is_forgettable then return true end
    if #workers == most_workers or job_count == most_jobs then return false end
    local moved = math.min(length, most_jobs - job_count)
    if moved < length then is_cut = true end
    local jobs = {}
    -- From the left, so that the oldest, pushed back last, ends up rightmost and is served first.
    for _, raw in ipairs(moved > 0 and redis.call('LRANGE', list, 0, moved - 1) or {}) do
        jobs[#jobs + 1] = {raw = raw, fields = fields_of(raw)}
    end
    job_count = job_count + moved
    workers[#workers + 1] = {id = worker, list = list, jobs = jobs, leaves = moved == length and is_forgettable}
    return true
end

-- First read all there is to move, and check every key; only then write. Thousands of workers may have died
-- that held nothing and are not forgotten yet: those with jobs are looked for behind them.
local page = 200
for offset = 0, 4800, page do
    local expired = redis.call('ZRANGE', WORKERS, '-inf', '(' .. now, 'BYSCORE', 'LIMIT', offset, page, 'WITHSCORES')
    for index = 1, #expired, 2 do
        if not note(expired[index], tonumber(expired[index + 1])) then
            is_cut = true
            break
        end
    end
    if is_cut or #expired < 2 * page then break end
end

local requeued, buried, forgotten = 0, {}, 0

-- What `worker_crashed` says of a job, as its result.
local function crash_report(job, id, worker, crashed)
    local problem = '{"code":"worker_crashed","detail":{"crashes":' .. crashed
        .. '},"message":"' .. crashed .. ' workers died while they held this job","retryable":false}'
    local result = '{"error":' .. problem .. ',"id":' .. cjson.encode(id)
    local batch, source = name_in(job.fields, 'batch'), job.fields.source
    if batch then result = result .. ',"batch":' .. cjson.encode(batch) end
    if type(source) ~= 'string' or not is_utf8(source) then source = '' end
    if source ~= '' then result = result .. ',"source":' .. cjson.encode(source) end
    return problem, result .. ',"status":"failed","worker":' .. cjson.encode(worker) .. '}', source
end

-- Moves the leftmost job of a dead worker's list, which is `job`. Equal jobs share their attempts: one worker's
-- death counts once for all that it held of them, which `counted` remembers.
local function take_back(job, worker, counted)
    local id = job_id(job.raw, job.fields)
    local failed, crashed = attempts_of(id)
    if not counted[id] then crashed = crashed + 1 end
    if crashed < most_crashes then
        counted[id] = true
        redis.call('LMOVE', worker.list, QUEUE, 'LEFT', 'RIGHT')
        set_attempts(id, failed, crashed)
        count('reclaimed', 1)
        requeued = requeued + 1
        return
    end
    local problem, result, source = crash_report(job, id, worker.id, crashed)
    settle_as_dead({
        id = id, raw = job.raw, batch = name_in(job.fields, 'batch') or '', result = result,
        code = 'worker_crashed', error = problem, attempts = failed + crashed,
    }, limits)
    count('worker_crashed', 1)
    redis.call('LPOP', worker.list)
    -- Its attempts are gone, so that the next of its equals starts anew.
    counted[id] = nil
    for _, fact in ipairs({id, source, failed + crashed}) do buried[#buried + 1] = fact end
end

for _, worker in ipairs(workers) do
    local info = info_of(worker.id)
    remember_held(worker.id, count_newcomers(worker.id, worker.list))
    local counted = {}
    for _, job in ipairs(worker.jobs) do
        take_back(job, worker, counted)
        remember_held(worker.id, redis.call('LLEN', worker.list))
    end
    if #worker.jobs > 0 and holds_facts(info) then
        add(info, 'reclaimed', #worker.jobs)
        redis.call('EXPIRE', info, ARGV[8])
    end
    if worker.leaves then
        redis.call('ZREM', WORKERS, worker.id)
        redis.call('DEL', info)
        forgotten = forgotten + 1
    end
end
return {requeued, #buried / 3, forgotten, is_cut and 1 or 0, buried}
