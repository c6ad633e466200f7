-- settle.lua: end a lease.
--
-- KEYS: entry.  ARGV: 'confirm' or 'back', name of the lease, channel, signal id.
-- Returns 1, or 0 if there is no such lease.

local entry, lease = KEYS[1], 'l:' .. ARGV[2]
local text = redis.call('HGET', entry, lease)
if not text then
    return 0
end
if ARGV[1] == 'back' then
    give_back(entry, lease, text)
    redis.call('PUBLISH', ARGV[3], ARGV[4])
    return 1
end

redis.call('HDEL', entry, lease)

-- Is there nothing left to take? Then the entry goes, attributes and all.
local hash = redis.call('HGETALL', entry)
local spent, total, all_zero = false, '0', true
for i = 1, #hash, 2 do
    local kind = hash[i]:sub(1, 2)
    if kind == 't:' or kind == 'l:' then
        return 1
    elseif kind == 'c:' and hash[i + 1] ~= '0' then
        all_zero = false
    elseif kind == 's' then
        total = hash[i + 1]
    elseif kind == 'u' then
        spent = true
    end
end
if all_zero or (spent and total == '0') then
    redis.call('DEL', entry)
end
return 1
