-- take.lua: grant what an entry can release, and lease it.
--
-- KEYS: entry.  ARGV: counter ('': the total), target ('': the stated one), releasable, wanted,
-- name of the lease, its ms, ms that the entry is to live, 1 if it may be released only once.
-- Returns texts: found, granted, leased, done (released once before), count, total, stated target or
-- '', ms until the first of the other leases ends (0: there is none), number of counters, names and values of counters, then of attributes; counts as they were
-- before.  The arithmetic is that of release.c.

local entry, counter, target = KEYS[1], ARGV[1], ARGV[2]
local releasable, wanted = tonumber(ARGV[3]), tonumber(ARGV[4])
local lease = 'l:' .. ARGV[5]
local once = ARGV[8]
local KEEP_MARGIN = 60 * 60 * 1000

local hash = redis.call('HGETALL', entry)
if #hash == 0 then
    local free = wanted > 0 and target == '0' and releasable > 0
    return {'0', free and ARGV[4] or '0', '0', '0', '0', '0', '', '0', '0'}
end

-- What is in the entry now.
local now = clock()
local total, stated, spent, done, loose = '0', '', false, false, 0
local count, mine, once_leased, frees
local counters, attributes, negatives

local function read()
    count, mine, once_leased, frees = '0', nil, false, math.huge
    counters, attributes, negatives = {}, {}, {}
    for i = 1, #hash, 2 do
        local field, value = hash[i], hash[i + 1]
        local kind, name = field:sub(1, 2), field:sub(3)
        if kind == 'c:' then
            counters[#counters + 1] = name
            counters[#counters + 1] = value
            if value:sub(1, 1) == '-' then
                negatives[#negatives + 1] = value
            end
            if name == counter then
                count = value
            end
        elseif kind == 'a:' then
            attributes[#attributes + 1] = name
            attributes[#attributes + 1] = value
        elseif field == lease then
            mine = parse_lease(value)
        elseif kind == 'l:' then
            local other = parse_lease(value)
            once_leased = once_leased or other.once == '1'
            frees = math.min(frees, other.ends - now)
        elseif field == 's' then
            total = value
        elseif field == 'n' then
            stated = value
        elseif field == 'u' then
            spent = true
        elseif field == 'd' then
            done = true
        elseif field == 't' then
            loose = math.max(0, tonumber(value))
        end
    end
    if counter == '' then
        count = total
    end
    if target == '' then
        target = stated
    end
end

-- Give back what leases hold whose time has run out.
local function reclaim()
    local any = false
    for i = 1, #hash, 2 do
        if hash[i]:sub(1, 2) == 'l:' then
            local l = parse_lease(hash[i + 1])
            if l.ends <= now then
                end_lease(entry, hash[i], l, 0)
                any = true
            end
        end
    end
    if any then
        hash = redis.call('HGETALL', entry)
    end
end

-- COUNT, but no more than waiters for the total have left of all signals.
local function available()
    if counter == '' or not spent then
        return count
    end
    redis.call('HSET', entry, 'x', total)
    local fits = true
    for _, n in ipairs(negatives) do
        fits = fits and add(entry, 'x', negated(n))
    end
    local left = redis.call('HGET', entry, 'x')
    redis.call('HDEL', entry, 'x')
    if fits and reaches(count, '0') and not reaches(left, count) then
        return left
    end
    return count
end

-- The passes that COUNT holds, at most MOST_PASSES.
local function passes_in(signals, most_passes)
    if not reaches(signals, target) then
        return 0
    end
    local n = math.min(most_passes, math.floor(tonumber(signals) / tonumber(target)) + 1)
    while below(signals, product(target, n)) do
        n = n - 1
    end
    return n
end

-- Take what the waiters need, lease it, and return how many may go.
local function consume()
    local field = 't:' .. target .. ':' .. counter
    local tickets = tonumber(redis.call('HGET', entry, field) or '0')
    local passes = 0
    if loose + tickets < wanted then
        passes = passes_in(available(), math.ceil((wanted - loose - tickets) / releasable))
    end
    local granted = math.min(loose + tickets + passes * releasable, wanted)
    if granted == 0 then
        return 0
    end
    if passes > 0 then
        if not add_signals(entry, counter, '-' .. product(target, passes)) then
            return 0
        end
        if counter == '' then
            redis.call('HSET', entry, 'u', '1')
        end
    end
    local used = math.min(loose, granted)
    if used > 0 and redis.call('HINCRBY', entry, 't', string.format('-%.0f', used)) == 0 then
        redis.call('HDEL', entry, 't')
    end
    set_tickets(entry, field, tickets + passes * releasable - (granted - used))
    redis.call('HSET', entry, lease,
               lease_text({ends = now + tonumber(ARGV[6]), granted = granted, loose = used,
                           once = once, releasable = releasable, target = target,
                           counter = counter}))
    return granted
end

if wanted > 0 then
    reclaim()
    extend(entry, tonumber(ARGV[7]), tonumber(ARGV[7]) + KEEP_MARGIN)
end
read()

local granted, leased = 0, '0'
if wanted > 0 and mine then -- asked before, and the answer was lost
    granted, leased = mine.granted, '1'
    mine.ends = math.max(mine.ends, now + tonumber(ARGV[6]))
    redis.call('HSET', entry, lease, lease_text(mine))
elseif wanted > 0 and target ~= '' and not (once == '1' and (done or once_leased)) then
    if releasable == 0 then
        granted = reaches(count, target) and wanted or 0
    elseif target == '0' then
        granted = wanted
    else
        granted = consume()
        leased = granted > 0 and '1' or '0'
    end
end

local reply = {'1', string.format('%.0f', granted), leased, done and '1' or '0', count, total, stated,
               frees == math.huge and '0' or string.format('%.0f', math.max(1, frees)),
               string.format('%d', #counters / 2)}
for _, list in ipairs({counters, attributes}) do
    for i = 1, #list do
        reply[#reply + 1] = list[i]
    end
end
return reply
