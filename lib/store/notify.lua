-- notify.lua: apply notices of one batch to the entries they are for.
--
-- KEYS: memory of the caller's last batch; then for each entry: it, its set of known once-keys.
-- ARGV: number of the batch, time to live in ms (0: for ever), channel, who we are, ms for which the
-- caller may repeat the batch, announcement of all entries; then for each entry: number of its notices,
-- and for each of these: '+' or '0' (clear), counter, delta, stated target or '', once-key, number of
-- attributes, their names and values.
-- Returns a letter for each notice: c counted, r repeated, o overflow.

local memory = KEYS[1]
local number, ttl, me = ARGV[1], tonumber(ARGV[2]), ARGV[4]

-- The caller may not have heard the answer to this very batch.
local last = redis.call('GET', memory)
if last and last:match('^%d+') == number then
    return last:sub(#number + 2)
end

local now = string.format('%.0f', clock())
local verdicts = {}

local function lengthen(key, is_new)
    if ttl == 0 then
        redis.call('PERSIST', key)
    elseif is_new then
        redis.call('PEXPIRE', key, ARGV[2])
    else
        extend(key, ttl, ttl)
    end
end

-- Returns whether it fit, and whether anything was changed.
local function count(entry, verb, counter, delta)
    if verb == '0' then
        local value = redis.call('HGET', entry, 'c:' .. counter) or '0'
        if value ~= '0' and not add(entry, 's', negated(value)) then
            return false, false
        end
        redis.call('HSET', entry, 'c:' .. counter, '0')
        redis.call('HINCRBY', entry, 's', '0')
        return true, true
    end
    if delta == '0' then
        return true, false
    end
    local fits = add_signals(entry, counter, delta)
    return fits, fits
end

-- Apply the notice at I, whose once-key is not known. Returns whether it fit, and changed anything.
local function apply(entry, i, attributes)
    local fits, changed = count(entry, ARGV[i], ARGV[i + 1], ARGV[i + 2])
    if not fits then
        return false, false
    end
    for a = i + 6, i + 4 + 2 * attributes, 2 do
        redis.call('HSET', entry, 'a:' .. ARGV[a], ARGV[a + 1])
        changed = true
    end
    if ARGV[i + 3] ~= '' then
        redis.call('HSET', entry, 'n', ARGV[i + 3])
        changed = true
    end
    return true, changed
end

-- Apply NOTICES notices, the first of which is at I. Returns where the last one ends.
local function notify(entry, known, is_new, i, notices)
    local touched, first_key = false, nil
    for _ = 1, notices do
        local once, attributes = ARGV[i + 4], tonumber(ARGV[i + 5])
        local verdict = 'c'
        if once ~= '' and redis.call('SISMEMBER', known, once) == 1 then
            verdict = 'r'
        else
            local fits, changed = apply(entry, i, attributes)
            touched = touched or changed
            if not fits then
                verdict = 'o'
            elseif once ~= '' then
                if first_key == nil then
                    first_key = redis.call('EXISTS', known) == 0
                end
                redis.call('SADD', known, once)
            end
        end
        i = i + 6 + 2 * attributes
        verdicts[#verdicts + 1] = verdict
    end
    if touched then
        if is_new then
            redis.call('HSET', entry, 'at', now, 'by', me, 'b', now)
        else
            redis.call('HSET', entry, 'at', now, 'by', me)
        end
        lengthen(entry, is_new)
    end
    if first_key ~= nil then
        lengthen(known, first_key)
    end
    return i
end

-- What may be refused comes before anything is changed: a key that is no entry, a channel that we may
-- not use.  Who hears of the changes looks when they are there.
local is_new = {}
for k = 2, #KEYS, 2 do
    is_new[k] = redis.call('HLEN', KEYS[k]) == 0
end
redis.call('PUBLISH', ARGV[3], ARGV[6])

local at = 7
for k = 2, #KEYS, 2 do
    at = notify(KEYS[k], KEYS[k + 1], is_new[k], at + 1, tonumber(ARGV[at]))
end
local answer = table.concat(verdicts)
redis.call('SET', memory, number .. ' ' .. answer, 'PX', ARGV[5])
return answer
