-- recent: what the latest results say, and how long the oldest waiting job has been the oldest.
-- A bare LPUSH carries no time. So each look notes which job is at the right end and how many were ever
-- taken: if the next look finds the same, the job has waited at least since then.
-- KEYS  see prelude: queue, counters, results; `watch`, which expires.
-- ARGV  1 window in ms   2 most results looked at   3 TTL of the note in s
-- Answers {ms that the results cover, 1 if there were more in the window, finished, {code, failed, …},
--          ms that the oldest job has waited at least, or -1 when nothing is known}
local window, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local watch = PREFIX .. 'watch'
expect('list', QUEUE)
expect('hash', COUNTERS, watch)
expect('stream', RESULTS)
local now = now_ms()

local entries = redis.call('XREVRANGE', RESULTS, '+', now - window, 'COUNT', most)
local finished, failed, codes = 0, {}, {}
for _, entry in ipairs(entries) do
    local fields = fields_of_entry(entry)
    if fields.status == 'failed' then
        -- As bury writes it; inside of a JSON string these quotes would be escaped.
        local code = string.match(fields.result or '', '"error":{"code":"([%w_]+)"') or 'unknown'
        if not failed[code] then codes[#codes + 1] = code end
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
end

local waited = -1
local oldest = redis.call('LINDEX', QUEUE, -1)
if oldest then
    local mark = (redis.call('HGET', COUNTERS, 'taken') or '0') .. ' ' .. redis.sha1hex(oldest)
    local note = redis.call('HMGET', watch, 'mark', 'since')
    -- Who may only read learns from the notes of others and writes none.
    if note[1] == mark then
        waited = math.max(0, now - (tonumber(note[2]) or now))
    else
        redis.pcall('HSET', watch, 'mark', mark, 'since', now)
    end
    redis.pcall('EXPIRE', watch, ARGV[3])
end
return {covered, is_cut and 1 or 0, finished, failures, waited}
