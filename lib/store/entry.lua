-- entry.lua: what the scripts on an entry share; it is put before each of them.
--
-- An entry is one hash.  Fields: s total, n stated target, u set once signals were taken from the
-- total alone, c:NAME counter, a:NAME attribute, t:TARGET:COUNTER tickets left over (COUNTER empty:
-- for the total), t tickets for anybody (NiFi's), l:NAME lease as "ENDS GRANTED LOOSE ONCE RELEASABLE
-- TARGET COUNTER" (LOOSE of the granted came from t; ONCE is 1 where it may be the only release), d
-- when it was released once, b when it was made, at and by when and by whom it was last notified.
--
-- Numbers in Lua are doubles, so counts are kept as decimal texts: HINCRBY adds them exactly, and
-- refuses to leave 64 bits.  What is computed here is small (waiters, tickets, passes: 31 bits) or
-- done digit by digit.

local KIND_COUNTER, KIND_ATTRIBUTE, KIND_TICKETS, KIND_LEASE = 99, 97, 116, 108 -- c a t l

-- Of which kind a field is that has a name behind its letter; nil: it has none.
local function kind_of(field)
    local letter, colon = field:byte(1, 2)
    return colon == 58 and letter or nil
end

local MOST = '9223372036854775807'

-- Now, in milliseconds since 1970.
local function clock()
    local t = redis.call('TIME')
    return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- Is A < B? Texts of numbers without leading zeros, not negative.
local function below(a, b)
    if #a ~= #b then
        return #a < #b
    end
    return a < b
end

local function negated(n)
    return n:sub(1, 1) == '-' and n:sub(2) or '-' .. n
end

-- Is A >= B? Texts of numbers; B is not negative.
local function reaches(a, b)
    return a:sub(1, 1) ~= '-' and not below(a, b)
end

-- A * N as text: A is the text of a number, N a whole number below 2^33, neither negative.
local function product(a, n)
    local out, carry = '', 0
    for i = #a, 1, -6 do
        local sum = tonumber(a:sub(math.max(1, i - 5), i)) * n + carry
        local low = sum % 1000000
        out = string.format('%06d', low) .. out
        carry = (sum - low) / 1000000
    end
    out = (string.format('%.0f', carry) .. out):gsub('^0+', '')
    return out == '' and '0' or out
end

-- HINCRBY that says whether it fit: the text of N is added, -2^63 is refused as well.
local function add(key, field, n)
    local r = redis.pcall('HINCRBY', key, field, n)
    if type(r) == 'table' then
        if r.err:find('overflow', 1, true) then
            return false
        end
        error(r.err, 0)
    end
    if r < -9223372036854775000 and redis.call('HGET', key, field) == '-9223372036854775808' then
        redis.call('HINCRBY', key, field, negated(n))
        return false
    end
    return true
end

-- Add the text of N to the total and, if it has a name, to a counter: both or none.
local function add_signals(key, counter, n)
    if not add(key, 's', n) then
        return false
    end
    if counter ~= '' and not add(key, 'c:' .. counter, n) then
        redis.call('HINCRBY', key, 's', negated(n))
        return false
    end
    return true
end

local function set_tickets(key, field, n)
    if n > 0 then
        redis.call('HSET', key, field, string.format('%.0f', n))
    else
        redis.call('HDEL', key, field)
    end
end

-- The parts of a lease.
local function parse_lease(text)
    local ends, granted, loose, once, releasable, target, counter =
        text:match('^(%d+) (%d+) (%d+) ([01]) (%d+) (%d+) (.*)$')
    return {ends = tonumber(ends), granted = tonumber(granted), loose = tonumber(loose), once = once,
            releasable = tonumber(releasable), target = target, counter = counter}
end

local function lease_text(l)
    return string.format('%d %d %d %s %d %s ', l.ends, l.granted, l.loose, l.once,
                         l.releasable, l.target) .. l.counter
end

-- End a lease of whose waiters GONE have gone.  What the others got is put back: their tickets, and
-- as many whole passes as these then make become signals again, as if nothing had been taken.
local function end_lease(key, lease, l, gone)
    local back = l.granted - gone
    local loose = math.min(math.max(0, l.loose - gone), back)
    if loose > 0 then
        redis.call('HINCRBY', key, 't', string.format('%.0f', loose))
    end
    if back > loose then
        local field = 't:' .. l.target .. ':' .. l.counter
        local tickets = tonumber(redis.call('HGET', key, field) or '0') + back - loose
        local passes = math.floor(tickets / l.releasable)
        if passes > 0 and add_signals(key, l.counter, product(l.target, passes)) then
            tickets = tickets - passes * l.releasable
        end
        set_tickets(key, field, tickets)
    end
    redis.call('HDEL', key, lease)
end

-- Let KEY live for NEEDED ms more, if it does not, by giving it UNTIL ms.
local function extend(key, needed, until_ms)
    local left = redis.call('PTTL', key)
    if left >= 0 and left < needed then
        redis.call('PEXPIRE', key, string.format('%.0f', until_ms))
    end
end

-- ID in an announcement of what has changed (announce.h).
local function announced(id)
    return #id .. ':' .. id .. '\n'
end
