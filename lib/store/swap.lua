-- swap.lua: put another text in the place of one that nobody has changed.
--
-- KEYS: a string.  ARGV: 1 if there must be one, else 0; what it must be; what it becomes; ms to live
-- (0: for ever, -1: as it is, -2: it is removed), channel, signal id.
-- Returns 1, or 0 if it is not what it must be.

local now = redis.call('GET', KEYS[1])
if (now ~= false) ~= (ARGV[1] == '1') or (now and now ~= ARGV[2]) then
    return 0
end
if ARGV[4] == '-2' then
    redis.call('DEL', KEYS[1])
elseif ARGV[4] == '-1' then
    redis.call('SET', KEYS[1], ARGV[3], 'KEEPTTL')
elseif ARGV[4] == '0' then
    redis.call('SET', KEYS[1], ARGV[3])
else
    redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
end
redis.call('PUBLISH', ARGV[5], announced(ARGV[6]))
return 1
