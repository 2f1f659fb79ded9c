-- What every script shares: the keys, the checks before the first write, and the moves' common steps.
--
-- KEYS, the same in every script, all in one cluster slot:
--    1 list    waiting jobs             2 zset    worker id -> lease end in ms
--    3 hash    attempts by job id       4 hash    counters
--    5 zset    delayed jobs -> due ms   6 stream  dead
--    7 stream  results                  8 string  paused
--    9 list    the calling worker's jobs (only in a worker's scripts)
-- Keys of other workers and of batches are derived from the second, so they share its slot.
local QUEUE, WORKERS, ATTEMPTS, COUNTERS = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local DELAYED, DEAD, RESULTS, PAUSED, OWN = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
-- What is larger is no job, and is neither parsed nor hashed as a whole.
local JOB_BYTES = 65536
local PREFIX = string.sub(WORKERS, 1, -#'workers' - 1)

local WATCH = PREFIX .. 'watch'

local function list_of(worker) return PREFIX .. 'worker:' .. worker end
local function info_of(worker) return PREFIX .. 'worker:' .. worker .. ':info' end
local function batch_key(batch) return PREFIX .. 'batch:' .. batch end

-- The hash that counts a batch; nil for a job without one, and where somebody keeps something else under the
-- name that a producer chose: no count is worth a job.
local function batch_of(batch)
    if batch == '' then return nil end
    local kind = redis.call('TYPE', batch_key(batch)).ok
    return (kind == 'hash' or kind == 'none') and batch_key(batch) or nil
end

-- Fails the whole script, before it has written anything, when a key holds another type.
local function expect(kind, ...)
    for _, key in ipairs({...}) do
        local found = redis.call('TYPE', key).ok
        if found ~= kind and found ~= 'none' then
            error({err = 'WRONGTYPE ' .. key .. ' holds a ' .. found .. ', the queue needs a ' .. kind})
        end
    end
end

-- Redis rolls nothing back: a script that is refused its third command has done two. So a move asks for every
-- command before it writes, and it writes where a job goes to before it removes it from where it was.
-- (Redis 6 cannot be asked.)
local function need(command, ...)
    if redis.acl_check_cmd and not redis.acl_check_cmd(command, ...) then
        error({err = 'NOPERM this Redis user may not ' .. command .. ' ' .. ({...})[1] .. ', which the move needs'})
    end
end

local function now_ms()
    local time = redis.call('TIME')
    return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Adds to a number in a hash; a field that somebody filled with prose starts anew.
local function add(key, field, amount)
    if amount == 0 then return end
    local reply = redis.pcall('HINCRBY', key, field, amount)
    if type(reply) == 'table' and reply.err then redis.call('HSET', key, field, amount) end
end

local function count(field, amount) add(COUNTERS, field, amount) end

-- True for a worker's info, or the place of one; what else is under the name tells nobody anything.
local function holds_facts(info)
    local kind = redis.call('TYPE', info).ok
    return kind == 'hash' or kind == 'none'
end

-- A blocking move runs no script, so jobs may lie in a worker's list that nobody has counted as taken.
-- `held:<worker>` is how many were there when a script last looked: whatever is more is new.
local function count_newcomers(worker, list)
    local held = tonumber(redis.call('HGET', COUNTERS, 'held:' .. worker)) or 0
    local present = redis.call('LLEN', list)
    if present > held then count('taken', present - held) end
    return present
end

local function remember_held(worker, present)
    if present == 0 then
        redis.call('HDEL', COUNTERS, 'held:' .. worker)
    else
        redis.call('HSET', COUNTERS, 'held:' .. worker, present)
    end
end

-- The workers that a script has last seen holding jobs.
local function workers_that_held()
    local workers = {}
    for _, field in ipairs(redis.call('HKEYS', COUNTERS)) do
        local worker = string.match(field, '^held:(.+)$')
        if worker then workers[#workers + 1] = worker end
    end
    return workers
end

-- The fence: true if the job is in the worker's list, and so is still its own. Without ownership (plain BRPOP)
-- there is no list.
local function is_held(worker, raw, owned)
    if owned == '0' then return true end
    remember_held(worker, count_newcomers(worker, OWN))
    return redis.call('LPOS', OWN, raw) ~= false
end

-- Takes one copy of the job out of the worker's list, now that it is where it goes to. One that was popped is
-- counted as taken here.
local function take_out(worker, raw, owned)
    if owned == '0' then return count('taken', 1) end
    redis.call('LREM', OWN, 1, raw)
    remember_held(worker, redis.call('LLEN', OWN))
end

-- 'failed crashed' of a job that is not settled; 0, 0 for most.
local function attempts_of(id)
    local value = redis.call('HGET', ATTEMPTS, id)
    if not value then return 0, 0 end
    local failed, crashed = string.match(value, '^(%d+) (%d+)$')
    return tonumber(failed) or 0, tonumber(crashed) or 0
end

local function set_attempts(id, failed, crashed)
    redis.call('HSET', ATTEMPTS, id, failed .. ' ' .. crashed)
end

-- 2026-11-30T03:47:46.123Z
local function iso8601(ms)
    local days = math.floor(ms / 86400000)
    local rest = ms - days * 86400000
    -- Days since 0000-03-01, in eras of 400 years: Howard Hinnant's civil_from_days.
    local z = days + 719468
    local era = math.floor(z / 146097)
    local doe = z - era * 146097
    local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
    local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
    local mp = math.floor((5 * doy + 2) / 153)
    local day = doy - math.floor((153 * mp + 2) / 5) + 1
    local month = mp < 10 and mp + 3 or mp - 9
    local year = yoe + era * 400 + (month <= 2 and 1 or 0)
    return string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', year, month, day,
        math.floor(rest / 3600000), math.floor(rest / 60000) % 60, math.floor(rest / 1000) % 60, rest % 1000)
end

-- The results entry: the worker's JSON object with the two facts that only Redis knows put in front.
local function publish(cap, id, status, batch, attempt, object)
    local facts = '{"attempt":' .. attempt .. ',"finished_at":"' .. iso8601(now_ms()) .. '"'
    local separator = string.sub(object, 2, 2) == '}' and '' or ','
    redis.call('XADD', RESULTS, 'MAXLEN', '~', cap, '*', 'id', id, 'status', status, 'batch', batch,
        'result', facts .. separator .. string.sub(object, 2))
end

-- Counts a settled job in its batch; `code` is nil for a finished one.
local function count_in_batch(batch, ttl_seconds, code)
    local key = batch_of(batch)
    if not key then return end
    add(key, code and 'failed' or 'finished', 1)
    if code then add(key, 'error:' .. code, 1) end
    redis.call('EXPIRE', key, ttl_seconds)
end

-- Settles a job as failed: dead stream, results stream, counters. The caller then takes it out of its list.
local function settle_as_dead(job, limits)
    local entry = redis.call('XADD', DEAD, 'MAXLEN', '~', limits.dead, '*', 'id', job.id, 'code', job.code,
        'job', job.raw, 'error', job.error, 'attempts', job.attempts)
    local ok, problem = pcall(publish, limits.results, job.id, 'failed', job.batch, job.attempts, job.result)
    if not ok then
        redis.call('XDEL', DEAD, entry)
        error(problem)
    end
    redis.call('HDEL', ATTEMPTS, job.id)
    count('buried', 1)
    count_in_batch(job.batch, limits.batch_ttl, job.code)
end

local function check_before_settling()
    expect('list', OWN)
    expect('hash', ATTEMPTS, COUNTERS)
    expect('stream', DEAD, RESULTS)
    need('XADD', RESULTS, '*', 'field', 'value')
    need('XADD', DEAD, '*', 'field', 'value')
    need('XDEL', DEAD, '1-1')
    need('HINCRBY', COUNTERS, 'field', 1)
    need('HSET', ATTEMPTS, 'field', 'value')
    need('HDEL', ATTEMPTS, 'field')
    need('LREM', OWN, 1, 'value')
end

-- Milliseconds until a score of the delayed set, within what a reader can hold; -1 without one.
local function until_due(score, now)
    return score and math.min(math.max(0, tonumber(score) - now), 1e12) or -1
end

-- Puts a job into the delayed set. Members are unique, since the same bytes may be two jobs:
-- `<side><number>:<raw>`, where the side, R or L, is the end of the queue it goes to when due.
local function delay(raw, side, due_ms)
    local number = redis.pcall('HINCRBY', COUNTERS, 'delayed_so_far', 1)
    if type(number) == 'table' then
        -- Prose that somebody wrote there. The time is larger than any number before it.
        number = now_ms()
        redis.call('HSET', COUNTERS, 'delayed_so_far', number)
    end
    redis.call('ZADD', DELAYED, due_ms, side .. number .. ':' .. raw)
end

-- The fields of one entry of a stream as a table.
local function fields_of_entry(entry)
    local fields = {}
    for index = 1, #entry[2], 2 do fields[entry[2][index]] = entry[2][index + 1] end
    return fields
end

-- A dead job by its entry's id; nil when there is none.
local function dead_entry(id)
    local entry = redis.call('XRANGE', DEAD, id, id)[1]
    return entry and fields_of_entry(entry)
end

local function is_utf8(text)
    if not string.find(text, '[\128-\255]') then return true end
    local at, length = 1, #text
    while at <= length do
        local first = string.byte(text, at)
        local second, more, low, high = string.byte(text, at + 1) or 0, 0, 128, 191
        if first < 128 then more = 0
        elseif first >= 194 and first <= 223 then more = 1
        elseif first >= 224 and first <= 239 then
            more = 2
            if first == 224 then low = 160 elseif first == 237 then high = 159 end
        elseif first >= 240 and first <= 244 then
            more = 3
            if first == 240 then low = 144 elseif first == 244 then high = 143 end
        else return false end
        if more > 0 and (second < low or second > high) then return false end
        for offset = 2, more do
            local byte = string.byte(text, at + offset) or 0
            if byte < 128 or byte > 191 then return false end
        end
        at = at + more + 1
    end
    return true
end

-- A string of 1 to 128 bytes of UTF-8, else nil: the rule for an id and for a batch.
local function name_in(fields, field)
    local value = fields[field]
    if type(value) == 'string' and #value >= 1 and #value <= 128 and is_utf8(value) then return value end
    return nil
end

-- The producer's fields as a table; empty for bytes that are no JSON object of at most 64 KiB.
local function fields_of(raw)
    if #raw > JOB_BYTES then return {} end
    local ok, value = pcall(cjson.decode, raw)
    if ok and type(value) == 'table' then return value end
    return {}
end

-- The id a job is counted under. The same rule stands in Swift (Job.swift); a test compares them.
local function job_id(raw, fields)
    return name_in(fields, 'id') or ('j' .. string.sub(redis.sha1hex(string.sub(raw, 1, JOB_BYTES)), 1, 16))
end

-- How long the oldest waiting job has been the oldest, in ms at least; -1 when nothing is known or none waits.
-- A bare LPUSH carries no time. So each look notes which job is at the right end and how many were ever
-- taken: if the next look finds the same, the job has waited at least since then.
local function oldest_waited(now, ttl_seconds)
    local oldest = redis.call('LINDEX', QUEUE, -1)
    if not oldest then return -1 end
    local waited = -1
    local mark = (redis.call('HGET', COUNTERS, 'taken') or '0') .. ' ' .. redis.sha1hex(oldest)
    local note = redis.call('HMGET', WATCH, 'mark', 'since')
    -- Who may only read learns from the notes of others and writes none.
    if note[1] == mark then
        waited = math.max(0, now - (tonumber(note[2]) or now))
    else
        redis.pcall('HSET', WATCH, 'mark', mark, 'since', now)
    end
    redis.pcall('EXPIRE', WATCH, ttl_seconds)
    return waited
end
