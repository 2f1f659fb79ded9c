-- discard_dead: an operator gives dead jobs up for good. Their published failures stay as they are.
-- KEYS  see prelude: counters, dead.
-- ARGV  1… ids of entries of the dead stream, at most 100
-- Answers {discarded, gone}   gone: another operator was faster, or the cap cut them off
expect('hash', COUNTERS)
expect('stream', DEAD)
local discarded = redis.call('XDEL', DEAD, unpack(ARGV))
count('dead_discarded', discarded)
return {discarded, #ARGV - discarded}
