-- replace.lua: put other counters, attributes and tickets into an entry that nobody has changed.
--
-- KEYS: entry.  ARGV: ms to live (0: for ever, -1: as it is, -2: it is removed), who we are, channel, signal id, number of
-- fields the entry must have (0: there must be none); their names and values; then total, 1 if it was
-- taken from alone, tickets; then names of fields to be set and their values.
-- Returns 1, or 0 if the entry is not what it must be.

local entry, ttl = KEYS[1], tonumber(ARGV[1])
local fields = tonumber(ARGV[5])
local hash = redis.call('HGETALL', entry)
if #hash ~= 2 * fields then
    return 0
end
local expected = {}
for i = 6, 5 + 2 * fields, 2 do
    expected[ARGV[i]] = ARGV[i + 1]
end
for i = 1, #hash, 2 do
    if expected[hash[i]] ~= hash[i + 1] then
        return 0
    end
end

if ttl == -2 then
    redis.call('DEL', entry)
    return 1
end
for i = 1, #hash, 2 do
    local kind = hash[i]:sub(1, 2)
    if kind == 'c:' or kind == 'a:' or kind == 't:' or kind == 'u' or kind == 't' then
        redis.call('HDEL', entry, hash[i])
    end
end
local now = string.format('%.0f', clock())
local at = 6 + 2 * fields
redis.call('HSET', entry, 's', ARGV[at], 'at', now, 'by', ARGV[2])
if fields == 0 then
    redis.call('HSET', entry, 'b', now)
end
if ARGV[at + 1] == '1' then
    redis.call('HSET', entry, 'u', '1')
end
if ARGV[at + 2] ~= '0' then
    redis.call('HSET', entry, 't', ARGV[at + 2])
end
for i = at + 3, #ARGV, 2 do
    redis.call('HSET', entry, ARGV[i], ARGV[i + 1])
end
if ttl == 0 then
    redis.call('PERSIST', entry)
elseif ttl > 0 and fields == 0 then
    redis.call('PEXPIRE', entry, ARGV[1])
elseif ttl > 0 then
    extend(entry, ttl, ttl)
end
redis.call('PUBLISH', ARGV[3], announced(ARGV[4]))
return 1
