-- pause: nobody claims from now on. A script, since a plain SET is refused when Redis is full.
-- KEYS  see prelude: paused.
-- ARGV  1 why, not empty
-- Answers {'paused'}
expect('string', PAUSED)
redis.call('SET', PAUSED, ARGV[1])
return {'paused'}
