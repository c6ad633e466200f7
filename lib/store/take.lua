-- take.lua: grant what entries can release, and lease it.
--
-- KEYS: entries.  ARGV, for each of them: counter ('': the total), target ('': the stated one),
-- releasable, wanted, name of the lease, its ms, ms that the entry is to live, 1 if it may be released
-- only once.
-- Returns for each of them a list of texts: found, granted, leased, done (released once before), count,
-- total, stated target or '', ms until the first of the other leases ends (0: there is none), number of
-- counters, names and values of counters, then of attributes; counts as they were before.  The
-- arithmetic is that of release.c.

local WORDS = 8 -- of ARGV for an entry
local KEEP_MARGIN = 60 * 60 * 1000
local now = clock()

-- What is asked of entry K.
local function ask_at(k)
    local at = (k - 1) * WORDS
    return {counter = ARGV[at + 1], target = ARGV[at + 2], releasable = tonumber(ARGV[at + 3]),
            wanted = tonumber(ARGV[at + 4]), lease = 'l:' .. ARGV[at + 5],
            lease_ms = tonumber(ARGV[at + 6]), keep_ms = tonumber(ARGV[at + 7]), once = ARGV[at + 8]}
end

-- What is in the entry HASH, for what ASK needs of it.
local function read(hash, ask)
    local it = {count = '0', total = '0', stated = '', loose = 0, frees = math.huge, tickets = {},
                counters = {}, attributes = {}, negatives = {}}
    local counters, attributes = it.counters, it.attributes
    for i = 1, #hash, 2 do
        local field, value = hash[i], hash[i + 1]
        local kind = kind_of(field)
        if kind == KIND_COUNTER then
            local name = field:sub(3)
            counters[#counters + 1] = name
            counters[#counters + 1] = value
            if value:sub(1, 1) == '-' then
                it.negatives[#it.negatives + 1] = value
            end
            if name == ask.counter then
                it.count = value
            end
        elseif kind == KIND_ATTRIBUTE then
            attributes[#attributes + 1] = field:sub(3)
            attributes[#attributes + 1] = value
        elseif field == ask.lease then
            it.mine = parse_lease(value)
        elseif kind == KIND_LEASE then
            local other = parse_lease(value)
            it.once_leased = it.once_leased or other.once == '1'
            it.frees = math.min(it.frees, other.ends - now)
        elseif kind == KIND_TICKETS then
            it.tickets[field] = tonumber(value)
        elseif field == 's' then
            it.total = value
        elseif field == 'n' then
            it.stated = value
        elseif field == 'u' then
            it.spent = true
        elseif field == 'd' then
            it.done = true
        elseif field == 't' then
            it.loose = math.max(0, tonumber(value))
        end
    end
    if ask.counter == '' then
        it.count = it.total
    end
    if ask.target == '' then
        ask.target = it.stated
    end
    return it
end

-- Give back what leases of ENTRY, which is HASH, hold whose time has run out. Returns what it is then.
local function reclaim(entry, hash)
    local any = false
    for i = 1, #hash, 2 do
        if kind_of(hash[i]) == KIND_LEASE then
            local l = parse_lease(hash[i + 1])
            if l.ends <= now then
                end_lease(entry, hash[i], l, 0)
                any = true
            end
        end
    end
    return any and redis.call('HGETALL', entry) or hash
end

-- The count, but no more than waiters for the total have left of all signals.
local function available(entry, ask, it)
    if ask.counter == '' or not it.spent then
        return it.count
    end
    redis.call('HSET', entry, 'x', it.total)
    local fits = true
    for _, n in ipairs(it.negatives) do
        fits = fits and add(entry, 'x', negated(n))
    end
    local left = redis.call('HGET', entry, 'x')
    redis.call('HDEL', entry, 'x')
    if fits and reaches(it.count, '0') and not reaches(left, it.count) then
        return left
    end
    return it.count
end

-- The passes of TARGET that SIGNALS hold, at most MOST.
local function passes_in(signals, target, most)
    if not reaches(signals, target) then
        return 0
    end
    local n = math.min(most, math.floor(tonumber(signals) / tonumber(target)) + 1)
    while below(signals, product(target, n)) do
        n = n - 1
    end
    return n
end

-- Take what the waiters need, lease it, and return how many may go.
local function consume(entry, ask, it)
    local counter, target, releasable, wanted = ask.counter, ask.target, ask.releasable, ask.wanted
    local field = 't:' .. target .. ':' .. counter
    local loose, tickets, passes = it.loose, it.tickets[field] or 0, 0
    if loose + tickets < wanted then
        passes = passes_in(available(entry, ask, it), target,
                           math.ceil((wanted - loose - tickets) / releasable))
    end
    local granted = math.min(loose + tickets + passes * releasable, wanted)
    if granted == 0 then
        return 0
    end
    if passes > 0 then
        if not add_signals(entry, counter, '-' .. product(target, passes)) then
            return 0
        end
        it.spent = it.spent or counter == ''
    end
    local used = math.min(loose, granted)
    if used > 0 and redis.call('HINCRBY', entry, 't', string.format('-%.0f', used)) == 0 then
        redis.call('HDEL', entry, 't')
    end
    local left = tickets + passes * releasable - (granted - used)
    if left ~= tickets then
        set_tickets(entry, field, left)
    end
    local lease = lease_text({ends = now + ask.lease_ms, granted = granted, loose = used,
                              once = ask.once, releasable = releasable, target = target,
                              counter = counter})
    if it.spent then
        redis.call('HSET', entry, ask.lease, lease, 'u', '1')
    else
        redis.call('HSET', entry, ask.lease, lease)
    end
    return granted
end

-- How many of the waiters may go, and '1' if that is leased.
local function decide(entry, ask, it)
    if ask.wanted == 0 then
        return 0, '0'
    end
    if it.mine then -- asked before, and the answer was lost
        it.mine.ends = math.max(it.mine.ends, now + ask.lease_ms)
        redis.call('HSET', entry, ask.lease, lease_text(it.mine))
        return it.mine.granted, '1'
    end
    if ask.target == '' or ask.once == '1' and (it.done or it.once_leased) then
        return 0, '0'
    end
    if ask.releasable == 0 then
        return reaches(it.count, ask.target) and ask.wanted or 0, '0'
    end
    if ask.target == '0' then
        return ask.wanted, '0'
    end
    local granted = consume(entry, ask, it)
    return granted, granted > 0 and '1' or '0'
end

-- The answer to ASK, for ENTRY, which is HASH.
local function take(entry, hash, ask)
    if #hash == 0 then
        local free = ask.target == '0' and ask.releasable > 0 and ask.wanted or 0
        return {'0', string.format('%d', free), '0', '0', '0', '0', '', '0', '0'}
    end
    if ask.wanted > 0 then
        hash = reclaim(entry, hash)
        extend(entry, ask.keep_ms, ask.keep_ms + KEEP_MARGIN)
    end
    local it = read(hash, ask)
    local granted, leased = decide(entry, ask, it)
    local reply = {'1', string.format('%d', granted), leased, it.done and '1' or '0', it.count,
                   it.total, it.stated,
                   it.frees == math.huge and '0' or string.format('%d', math.max(1, it.frees)),
                   string.format('%d', #it.counters / 2)}
    for _, list in ipairs({it.counters, it.attributes}) do
        for i = 1, #list do
            reply[#reply + 1] = list[i]
        end
    end
    return reply
end

-- A key that is no entry is refused before anything is changed.
local hashes, taken, replies = {}, {}, {}
for k, entry in ipairs(KEYS) do
    hashes[k] = redis.call('HGETALL', entry)
end
for k, entry in ipairs(KEYS) do
    local hash = taken[entry] and redis.call('HGETALL', entry) or hashes[k]
    taken[entry] = true
    replies[k] = take(entry, hash, ask_at(k))
end
return replies
