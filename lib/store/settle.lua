-- settle.lua: end leases, or lengthen them.
--
-- KEYS: entries.  ARGV: channel; then for each of them: 'renew' or 'end', name of the lease, signal
-- id, ms (renew) or how many of its waiters give back what they got.
-- Returns a text with a 1 for each of them, or a 0 where there is no such lease.

local WORDS = 4 -- of ARGV for an entry
local now = clock()

-- Is there nothing left to take from ENTRY, but for what LEASE holds?
local function is_used_up(entry, lease)
    local hash = redis.call('HGETALL', entry)
    local spent, total, all_zero = false, '0', true
    for i = 1, #hash, 2 do
        local field = hash[i]
        local kind = kind_of(field)
        if field == 't' or field == 'd' or kind == KIND_TICKETS or
            kind == KIND_LEASE and field ~= lease then
            return false
        elseif kind == KIND_COUNTER and hash[i + 1] ~= '0' then
            all_zero = false
        elseif field == 's' then
            total = hash[i + 1]
        elseif field == 'u' then
            spent = true
        end
    end
    return all_zero or spent and total == '0'
end

-- End the lease L of ENTRY: the last BACK of its waiters have not gone.  An entry that is used up goes,
-- attributes and all.
local function finish(entry, lease, l, id, back)
    local gone = math.max(0, l.granted - back)
    local once = gone > 0 and l.once == '1'
    local all_gone = gone == l.granted and not once
    if not all_gone then
        end_lease(entry, lease, l, gone)
    end
    if gone > 0 and not once and is_used_up(entry, lease) then
        redis.call('DEL', entry)
    elseif all_gone then
        redis.call('HDEL', entry, lease)
    end
    if once then -- whoever comes later learns of it
        redis.call('HSET', entry, 'd', string.format('%.0f', now))
    end
    if once or gone < l.granted then
        redis.call('PUBLISH', ARGV[1], announced(id))
    end
end

-- What ARGV has from AT on is done to LEASE of ENTRY, which is TEXT.  Returns '1', or '0' if there is no
-- such lease.
local function settle(entry, lease, text, at)
    if not text then
        return '0'
    end
    local l, number = parse_lease(text), tonumber(ARGV[at + 3])
    if ARGV[at] == 'renew' then
        l.ends = math.max(l.ends, now + number)
        redis.call('HSET', entry, lease, lease_text(l))
        extend(entry, number, 2 * number)
    else
        finish(entry, lease, l, ARGV[at + 2], number)
    end
    return '1'
end

-- A key that is no entry is refused before anything is changed.
local texts, settled, known = {}, {}, {}
for k, entry in ipairs(KEYS) do
    texts[k] = redis.call('HGET', entry, 'l:' .. ARGV[3 + (k - 1) * WORDS])
end
for k, entry in ipairs(KEYS) do
    local at = 2 + (k - 1) * WORDS
    local lease = 'l:' .. ARGV[at + 1]
    if settled[entry] then
        texts[k] = redis.call('HGET', entry, lease)
    end
    settled[entry] = true
    known[k] = settle(entry, lease, texts[k], at)
end
return table.concat(known)
