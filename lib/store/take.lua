-- take.lua: grant what an entry can release, and lease it.
--
-- KEYS: entry.  ARGV: counter ('': the total), target ('': the stated one), releasable, wanted,
-- name of the lease, its ms, ms that the entry is to live.
-- Returns texts: found, granted, leased, count, total, stated target or '', number of counters,
-- names and values of counters, then of attributes; counts as they were before.  The arithmetic is
-- that of release.c.

local entry, counter, target = KEYS[1], ARGV[1], ARGV[2]
local releasable, wanted = tonumber(ARGV[3]), tonumber(ARGV[4])
local lease = 'l:' .. ARGV[5]
local KEEP_MARGIN = 60 * 60 * 1000

-- The passes that COUNT holds, at most MOST_PASSES.
local function passes_in(count, most_passes)
    if not reaches(count, target) then
        return 0
    end
    local n = math.min(most_passes, math.floor(tonumber(count) / tonumber(target)) + 1)
    while below(count, product(target, n)) do
        n = n - 1
    end
    return n
end

-- Take what the waiters need, lease it, and return how many may go.
local function consume(count, now)
    local field = 't:' .. target .. ':' .. counter
    local tickets = tonumber(redis.call('HGET', entry, field) or '0')
    local passes = 0
    if tickets < wanted then
        passes = passes_in(count, math.ceil((wanted - tickets) / releasable))
    end
    local all = tickets + passes * releasable
    local granted = math.min(all, wanted)
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
    set_tickets(entry, field, all - granted)
    redis.call('HSET', entry, lease,
               string.format('%.0f %.0f %.0f %s ', now + tonumber(ARGV[6]), granted, releasable,
                             target) .. counter)
    return granted
end

local hash = redis.call('HGETALL', entry)
if #hash == 0 then
    local free = wanted > 0 and target == '0' and releasable > 0
    return {'0', free and ARGV[4] or '0', '0', '0', '0', '', '0'}
end

local now = clock()
local expired = false
if wanted > 0 then
    for i = 1, #hash, 2 do
        if hash[i]:sub(1, 2) == 'l:' and tonumber(hash[i + 1]:match('^%d+')) <= now then
            give_back(entry, hash[i], hash[i + 1])
            expired = true
        end
    end
    extend(entry, tonumber(ARGV[7]), tonumber(ARGV[7]) + KEEP_MARGIN)
end
if expired then
    hash = redis.call('HGETALL', entry)
end

local total, stated, mine = '0', '', nil
local count = '0'
local counters, attributes = {}, {}
for i = 1, #hash, 2 do
    local kind, name, value = hash[i]:sub(1, 2), hash[i]:sub(3), hash[i + 1]
    if kind == 'c:' then
        counters[#counters + 1] = name
        counters[#counters + 1] = value
        if name == counter then
            count = value
        end
    elseif kind == 'a:' then
        attributes[#attributes + 1] = name
        attributes[#attributes + 1] = value
    elseif kind == 's' then
        total = value
    elseif kind == 'n' then
        stated = value
    elseif hash[i] == lease then
        mine = value
    end
end
if counter == '' then
    count = total
end
if target == '' then
    target = stated
end

local granted, leased = 0, '0'
if wanted > 0 and mine then -- asked before, and the answer was lost
    granted, leased = tonumber(mine:match('^%d+ (%d+)')), '1'
elseif wanted > 0 and target ~= '' then
    if releasable == 0 then
        granted = reaches(count, target) and wanted or 0
    elseif target == '0' then
        granted = wanted
    else
        granted = consume(count, now)
        leased = granted > 0 and '1' or '0'
    end
end

local reply = {'1', string.format('%.0f', granted), leased, count, total, stated,
               string.format('%d', #counters / 2)}
for _, list in ipairs({counters, attributes}) do
    for i = 1, #list do
        reply[#reply + 1] = list[i]
    end
end
return reply
