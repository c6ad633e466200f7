-- notify.lua: apply the notices of one batch to one entry.
--
-- KEYS: entry, set of known once-keys, memory of the caller's last batch.
-- ARGV: number of the batch, time to live in ms (0: for ever), channel, signal id, who we are; then for
-- each notice: '+' or '0' (clear), counter, delta, stated target or '', once-key, number of attributes,
-- their names and values.
-- Returns a letter for each notice: c counted, r repeated, o overflow.

local entry, known, memory = KEYS[1], KEYS[2], KEYS[3]
local number, ttl = ARGV[1], tonumber(ARGV[2])

-- The caller may not have heard the answer to this very batch.
local last = redis.call('GET', memory)
if last and last:match('^%d+') == number then
    return last:sub(#number + 2)
end

local function lengthen(key, is_new)
    if ttl == 0 then
        redis.call('PERSIST', key)
    elseif is_new then
        redis.call('PEXPIRE', key, ARGV[2])
    else
        extend(key, ttl, ttl)
    end
end

-- Has the entry been changed, or made?
local touched = false

local function count(verb, counter, delta)
    if verb == '0' then
        local value = redis.call('HGET', entry, 'c:' .. counter) or '0'
        if value ~= '0' and not add(entry, 's', negated(value)) then
            return false
        end
        redis.call('HSET', entry, 'c:' .. counter, '0')
        redis.call('HINCRBY', entry, 's', '0')
        touched = true
        return true
    end
    if delta == '0' then
        return true
    end
    local fits = add_signals(entry, counter, delta)
    touched = touched or fits
    return fits
end

local is_new = redis.call('EXISTS', entry) == 0
local first_key
local verdicts = {}
local i = 6
while i <= #ARGV do
    local verb, counter, delta, target, once = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
    local attributes = tonumber(ARGV[i + 5])
    local verdict = 'c'
    i = i + 6
    if once ~= '' and redis.call('SISMEMBER', known, once) == 1 then
        verdict = 'r'
    elseif not count(verb, counter, delta) then
        verdict = 'o'
    else
        for a = i, i + 2 * attributes - 1, 2 do
            redis.call('HSET', entry, 'a:' .. ARGV[a], ARGV[a + 1])
            touched = true
        end
        if target ~= '' then
            redis.call('HSET', entry, 'n', target)
            touched = true
        end
        if once ~= '' then
            if first_key == nil then
                first_key = redis.call('EXISTS', known) == 0
            end
            redis.call('SADD', known, once)
        end
    end
    i = i + 2 * attributes
    verdicts[#verdicts + 1] = verdict
end

if touched then
    local now = string.format('%.0f', clock())
    if is_new then
        redis.call('HSET', entry, 'at', now, 'by', ARGV[5], 'b', now)
    else
        redis.call('HSET', entry, 'at', now, 'by', ARGV[5])
    end
    lengthen(entry, is_new)
end
if first_key ~= nil then
    lengthen(known, first_key)
end
local answer = table.concat(verdicts)
redis.call('SET', memory, number .. ' ' .. answer, 'PX', 60000)
redis.call('PUBLISH', ARGV[3], ARGV[4])
return answer
