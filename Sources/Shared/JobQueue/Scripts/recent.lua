-- recent: what the latest results say, how long the oldest waiting job has been the oldest, and what is
-- being tried again or left for a newer worker.
-- KEYS  see prelude: queue, attempts, counters, delayed, results; `watch`, which expires.
-- ARGV  1 window in ms   2 most results looked at   3 TTL of the note in s   4 most jobs looked at that are
--       being tried again   5 most delayed jobs looked at
-- Answers {ms that the results cover, 1 if there were more in the window, finished,
--          {code, failed, the worker of the newest or '', …},
--          ms that the oldest job has waited at least, or -1 when nothing is known,
--          unsettled jobs that have failed, as far as was looked,
--          delayed jobs of a newer version, as far as was looked, {version, …}}
local window, most, most_jobs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
expect('list', QUEUE)
expect('hash', COUNTERS, ATTEMPTS, WATCH)
expect('zset', DELAYED)
expect('stream', RESULTS)
local now = now_ms()

local entries = redis.call('XREVRANGE', RESULTS, '+', now - window, 'COUNT', most)
local finished, failed, codes, workers = 0, {}, {}, {}
for _, entry in ipairs(entries) do
    local fields = fields_of_entry(entry)
    if fields.status == 'failed' then
        -- As bury writes it; inside of a JSON string these quotes would be escaped.
        local code = string.match(fields.result or '', '"error":{"code":"([%w_]+)"') or 'unknown'
        if not failed[code] then
            codes[#codes + 1] = code
            workers[code] = string.match(fields.result or '', '"worker":"([^"\\]+)"') or ''
        end
        failed[code] = (failed[code] or 0) + 1
    else
        finished = finished + 1
    end
end
local is_cut = #entries == most
local covered = window
if is_cut then covered = math.max(1, now - tonumber(string.match(entries[#entries][1], '^%d+'))) end
local failures = {}
for _, code in ipairs(codes) do
    failures[#failures + 1] = code
    failures[#failures + 1] = failed[code]
    failures[#failures + 1] = workers[code]
end

local waited = oldest_waited(now, ARGV[3])

-- Attempts of a job are forgotten when it is settled: whoever has failed ones here is still being tried.
local trying = 0
local cursor = '0'
repeat
    local page = redis.call('HSCAN', ATTEMPTS, cursor, 'COUNT', 500)
    cursor, most_jobs = page[1], most_jobs - #page[2] / 2
    for index = 2, #page[2], 2 do
        if not string.find(page[2][index], '^0 ') then trying = trying + 1 end
    end
until cursor == '0' or most_jobs <= 0

-- On the left side wait those that a worker did not understand.
local newer, versions, is_known = 0, {}, {}
for _, member in ipairs(redis.call('ZRANGE', DELAYED, 0, tonumber(ARGV[5]) - 1)) do
    if string.sub(member, 1, 1) == 'L' then
        newer = newer + 1
        local version = fields_of(string.match(member, ':(.*)$')).v
        if type(version) == 'number' and not is_known[version] and #versions < 10 then
            is_known[version] = true
            versions[#versions + 1] = version
        end
    end
end
return {covered, is_cut and 1 or 0, finished, failures, waited, trying, newer, versions}
