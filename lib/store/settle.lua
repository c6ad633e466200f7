-- settle.lua: end a lease, or lengthen it.
--
-- KEYS: entry.  ARGV: 'renew' or 'end', name of the lease, channel, signal id, ms (renew) or how many
-- of its waiters give back what they got.
-- Returns 1, or 0 if there is no such lease.

local entry, lease = KEYS[1], 'l:' .. ARGV[2]
local text = redis.call('HGET', entry, lease)
if not text then
    return 0
end
local l = parse_lease(text)
if ARGV[1] == 'renew' then
    l.ends = math.max(l.ends, clock() + tonumber(ARGV[5]))
    redis.call('HSET', entry, lease, lease_text(l))
    extend(entry, tonumber(ARGV[5]), 2 * tonumber(ARGV[5]))
    return 1
end

local gone = math.max(0, l.granted - tonumber(ARGV[5]))
end_lease(entry, lease, l, gone)
if gone < l.granted then
    redis.call('PUBLISH', ARGV[3], announced(ARGV[4]))
end
if gone == 0 then
    return 1
end
if l.once == '1' then -- whoever comes later learns of it
    redis.call('HSET', entry, 'd', string.format('%.0f', clock()))
    redis.call('PUBLISH', ARGV[3], announced(ARGV[4]))
    return 1
end

-- Is there nothing left to take? Then the entry goes, attributes and all.
local hash = redis.call('HGETALL', entry)
local spent, total, all_zero = false, '0', true
for i = 1, #hash, 2 do
    local field = hash[i]
    local kind = field:sub(1, 2)
    if kind == 't:' or kind == 'l:' or field == 't' or field == 'd' then
        return 1
    elseif kind == 'c:' and hash[i + 1] ~= '0' then
        all_zero = false
    elseif field == 's' then
        total = hash[i + 1]
    elseif field == 'u' then
        spent = true
    end
end
if all_zero or (spent and total == '0') then
    redis.call('DEL', entry)
end
return 1
