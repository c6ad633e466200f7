-- service.lua: the tunnels of one source, inside Redis: a function library (reference/tunnel.md 6).
--
-- service.c puts the library's first line and PREFIX, which names this version, before it.
--
-- KEYS[1] of every function is ROOT .. 'src'; what else belongs to the source has the same ROOT, and
-- thus the same slot:
--   src         hash: partitions
--   p:N         stream: partition N; field d of an entry is a line
--   tunnels     set of names
--   pr:ID       the last batch of a producer
--   t:NAME      the tunnel, packed: kind, stage, tick, made; dirty: it is to be balanced; calm: no
--               channel is free, or about to be
--   t:NAME:cl   hash of clients, packed: deadline, timeout, close, max, tag, host, since, beat; spared:
--               its deadline was shifted since its last heartbeat; own channels, and perhaps some that
--               were taken away since then
--   t:NAME:ch   hash of channels, packed: k kind, n number, st status, v version, o owner, tok token,
--               seq, cnt records behind the token, stop token of the last to be read (nil: none),
--               till the time (ms) before which they came, last their number with all before, at (ms) of its status, f failures, nb not before,
--               why, hold, lost, given the version at which its owner got it; of a base channel also path, from, to, size,
--               mark (its identity)
--   t:NAME:ev   stream of events: who, what, channel, from, to, version, why
--   t:NAME:dlq  stream of dead letters
--
-- Times are milliseconds.  Every answer is a list that begins with a word: OK, or what is wrong.

local EVENTS_KEPT = 10000
local PRODUCER_KEPT = 3600 * 1000
local DELAY_FIRST, DELAY_LONGEST = 100, 60000
local FINISHED = 'finished'
local PAGE = 1000

-- Who may lead a channel from which status to which (reference/tunnel.md 1.2).
local MOVES = {
    WAIT = {OPEN = true, TERMINATED = true},
    OPEN = {CLOSING = true, CLOSE = true, TERMINATED = true, WAIT = true},
    CLOSING = {CLOSE = true, TERMINATED = true, WAIT = true},
    CLOSE = {OPEN = true, TERMINATED = true, WAIT = true},
    TERMINATED = {WAIT = true}, -- by seek only
}

local function clock()
    local t = redis.call('TIME')
    return t[1] * 1000 + math.floor(t[2] / 1000)
end

local function text(n)
    return string.format('%.0f', n)
end

local function root_of(keys)
    return keys[1]:sub(1, -4)
end

-- ---- a tunnel, loaded as far as it is needed ----

local function load(keys, name)
    local root = root_of(keys)
    local raw = redis.call('GET', root .. 't:' .. name)
    if not raw then
        return nil
    end
    return {root = root, name = name, key = root .. 't:' .. name, meta = cmsgpack.unpack(raw)}
end

local function load_all(key)
    local flat, all, order = redis.call('HGETALL', key), {}, {}
    for i = 1, #flat, 2 do
        all[flat[i]] = cmsgpack.unpack(flat[i + 1])
        all[flat[i]].id = flat[i]
        order[#order + 1] = flat[i]
    end
    return all, order
end

local function rank(c)
    return (c.k == 'base' and 0 or 1e9) + c.n
end

local function load_channels(t)
    t.ch, t.order = load_all(t.key .. ':ch')
    table.sort(t.order, function(a, b) return rank(t.ch[a]) < rank(t.ch[b]) end)
end

local function load_clients(t)
    t.cl = load_all(t.key .. ':cl')
end

local function store(t, where, record)
    local id = record.id
    record.id, record.changed = nil, nil
    redis.call('HSET', t.key .. where, id, cmsgpack.pack(record))
    record.id = id
end

local function save(t)
    for _, where in ipairs({'ch', 'cl'}) do
        for _, record in pairs(t[where] or {}) do
            if record.changed then
                store(t, ':' .. where, record)
            end
        end
    end
    redis.call('SET', t.key, cmsgpack.pack(t.meta))
end

local function event(t, who, what, c, from, to, why)
    redis.call('XADD', t.key .. ':ev', 'MAXLEN', '~', EVENTS_KEPT, '*', 'who', who, 'what', what,
               'channel', c and c.id or '', 'from', from or '', 'to', to or '', 'version',
               c and text(c.v) or '', 'why', why or '')
end

-- Versions rise even where the end of the append-only file was lost: they are the time.
local function next_version(t, c)
    return math.max(c.v + 1, t.now)
end

local function move(t, c, to, version, who, why)
    local from = c.st
    if not MOVES[from][to] then
        error('tunnel: no way from ' .. from .. ' to ' .. to)
    end
    c.st, c.v, c.at, c.changed = to, version, t.now, true
    if to == 'WAIT' or to == 'CLOSE' or to == 'TERMINATED' then
        c.o = nil
    end
    event(t, who, 'channel', c, from, to, why)
    t.meta.dirty = true
end

-- ---- streams ----

local function facts(key)
    local flat, f = redis.call('XINFO', 'STREAM', key), {}
    for i = 1, #flat, 2 do
        f[flat[i]] = flat[i + 1]
    end
    return f['entries-added'], f['length'], f['last-generated-id']
end

local function partition(root, n)
    return root .. 'p:' .. text(n)
end

-- Make the source's streams, once. Returns their number, or nil and what is wrong.
local function make_source(keys, wanted)
    local have = tonumber(redis.call('HGET', keys[1], 'partitions') or '0')
    if have > 0 then
        if wanted > 0 and wanted ~= have then
            return nil, 'it has ' .. have .. ' partitions'
        end
        return have
    end
    if wanted == 0 then
        return nil, 'there is no such stream'
    end
    for n = 0, wanted - 1 do
        local key = partition(root_of(keys), n)
        redis.call('XGROUP', 'CREATE', key, 'making', '$', 'MKSTREAM')
        redis.call('XGROUP', 'DESTROY', key, 'making')
    end
    redis.call('HSET', keys[1], 'partitions', text(wanted))
    return wanted
end

-- Is FROM a time of which nobody can say yet how many records will lie before it?
local function is_to_come(from)
    return (tonumber(from) or 0) > clock()
end

local TO_COME = {'REFUSED', 'the time to begin at is still to come'}

-- Where reading begins: a token, and how many records lie before it.
local function position(key, from)
    local added, length, last = facts(key)
    if from == 'latest' then
        return last, added
    end
    if from == 'earliest' then
        return '0-0', added - length
    end
    local before, at = 0, '-'
    local stop = text(tonumber(from) - 1) .. '-18446744073709551615'
    while true do
        local page = redis.call('XRANGE', key, at, stop, 'COUNT', PAGE)
        before = before + #page
        if #page < PAGE then
            return stop, added - length + before
        end
        at = '(' .. page[#page][1]
    end
end

-- How many of the ADDED records of a partition C is to read, with all before: in a stream that ends.
local function goal(t, c, added)
    local last = c.last
    if not last and c.till and clock() >= c.till then
        last = select(2, position(partition(t.root, c.n), c.till))
    end
    return math.min(added, last or added)
end

-- Records that were trimmed away before C has read them.
local function lost_by(t, c)
    if c.k ~= 'stream' or c.tok == FINISHED then
        return 0
    end
    local added, length = facts(partition(t.root, c.n))
    return math.max(0, goal(t, c, added - length) - c.cnt)
end

-- What goal found out once the time is over: it is the same for ever.
local function keep_goals(t)
    for _, c in pairs(t.ch) do
        if c.till and not c.last and t.now > c.till then
            c.last, c.changed = select(2, position(partition(t.root, c.n), c.till)), true
        end
    end
end

-- ---- time, membership ----

-- Redis was away, not its clients: all deadlines are shifted by the gap (reference/tunnel.md 6.2).
local function shift(t, gap)
    for _, client in pairs(t.cl) do
        client.deadline, client.spared, client.changed = client.deadline + gap, true, true
    end
    for _, c in pairs(t.ch) do
        if c.st == 'CLOSING' then
            c.at, c.changed = c.at + gap, true
        end
    end
    event(t, 'service', 'shift', nil, nil, nil, text(gap) .. ' ms')
end

local function take_from(t, client, why)
    for _, id in ipairs(t.order) do
        local c = t.ch[id]
        if c.o == client.id then
            move(t, c, 'WAIT', next_version(t, c), client.id, why)
        end
    end
    t.cl[client.id] = nil
    redis.call('HDEL', t.key .. ':cl', client.id)
    event(t, client.id, why)
    t.meta.dirty = true
end

-- How long nobody may have called before it counts as an absence of Redis: half of what those would
-- bear who were heard since the last one.  Others may be dead, and prove nothing by their silence.
local function grace_of(t)
    local grace = math.huge
    for _, client in pairs(t.cl) do
        grace = client.spared and grace or math.min(grace, client.timeout / 2)
    end
    return grace
end

local function tick(t)
    t.now = math.max(clock(), t.meta.tick)
    local gap = t.now - t.meta.tick
    if gap > grace_of(t) then
        shift(t, gap)
    end
    t.meta.tick = t.now
    for _, client in pairs(t.cl) do
        if client.deadline < t.now then
            take_from(t, client, 'expired')
        end
    end
    for _, id in ipairs(t.order) do
        local c = t.ch[id]
        local owner = c.o and t.cl[c.o]
        if c.st == 'CLOSING' and owner and t.now - c.at > owner.close then
            move(t, c, 'WAIT', next_version(t, c), c.o, 'forced')
        end
    end
    keep_goals(t)
end

-- ---- balance ----

local function stage_of(t)
    local base, all = 0, 0
    for _, c in pairs(t.ch) do
        if c.st ~= 'TERMINATED' then
            all = all + 1
            base = base + (c.k == 'base' and 1 or 0)
        end
    end
    return all == 0 and 'done' or base > 0 and 'base' or 'stream'
end

local function enter_stage(t)
    local stage = stage_of(t)
    if stage ~= t.meta.stage then
        event(t, 'service', 'stage', nil, t.meta.stage, stage,
              t.meta.stage == 'base' and 'last base channel TERMINATED' or '')
        t.meta.stage, t.meta.dirty = stage, true
    end
end

local function is_free(t, c)
    return (c.st == 'WAIT' or c.st == 'CLOSE') and not c.hold and c.lost == 0 and c.nb <= t.now and
               (c.k == 'base' or t.meta.stage == 'stream')
end

-- The client with the least load that may have more; CALLER among equals. nil: none.
local function least(t, load, caller)
    local best
    for id, client in pairs(t.cl) do
        if load[id] < client.max and
            (not best or load[id] < load[best] or
                (load[id] == load[best] and (id == caller or (best ~= caller and id < best)))) then
            best = id
        end
    end
    return best
end

local function most(load)
    local best
    for id, n in pairs(load) do
        if not best or n > load[best] or (n == load[best] and id < best) then
            best = id
        end
    end
    return best
end

-- Mark what the most loaded have to give up: no more than evens things out.
local function even_out(t, load, caller)
    while true do
        local rich, poor = most(load), least(t, load, caller)
        if not poor or load[rich] - load[poor] <= 1 then
            return
        end
        local given
        for i = #t.order, 1, -1 do
            local c = t.ch[t.order[i]]
            if c.st == 'OPEN' and c.o == rich then
                given = c
                break
            end
        end
        if not given then
            return
        end
        move(t, given, 'CLOSING', next_version(t, given), 'service', 'balance')
        load[rich], load[poor] = load[rich] - 1, load[poor] + 1
    end
end

-- A channel that is to be given away is looked at first: is what it has to read still there?
local function give(t, c, caller)
    c.lost = lost_by(t, c)
    if c.lost > 0 then
        c.changed = true
        event(t, 'service', 'expired', c, c.st, c.st, text(c.lost) .. ' records were trimmed unread')
        return
    end
    c.o = caller
    move(t, c, 'OPEN', next_version(t, c), caller, 'given')
    c.given = c.v
end

local function balance(t, caller)
    local load, free, pool = {}, {}, 0
    for id in pairs(t.cl) do
        load[id] = 0
    end
    for _, id in ipairs(t.order) do
        local c = t.ch[id]
        if c.st == 'OPEN' and load[c.o] then
            load[c.o] = load[c.o] + 1
        elseif c.st == 'CLOSING' and not c.hold then
            pool = pool + 1
        elseif is_free(t, c) then
            free[#free + 1] = c
            pool = pool + 1
        end
    end
    local share = -(load[caller] or 0)
    for _ = 1, pool do -- in thought: to those who have least
        local poor = least(t, load, caller)
        if not poor then
            break
        end
        load[poor] = load[poor] + 1
    end
    even_out(t, load, caller)
    share = share + (load[caller] or 0)
    for i = 1, math.min(share, #free) do
        give(t, free[i], caller)
    end
end

-- ---- protocol: what clients call ----

-- name, client, timeout, close limit, most channels, tag, host; then the ids under which it was known
-- before, and has stopped: what they hold is free
local function connect(keys, a)
    local t = load(keys, a[1])
    if not t then
        return {'MISSING'}
    end
    load_channels(t)
    load_clients(t)
    tick(t)
    if t.cl[a[2]] then
        return {'TAKEN'}
    end
    for i = 8, #a do
        if t.cl[a[i]] then
            take_from(t, t.cl[a[i]], 'replaced')
        end
    end
    t.cl[a[2]] = {id = a[2], deadline = t.now + tonumber(a[3]), timeout = tonumber(a[3]),
                  close = tonumber(a[4]), max = tonumber(a[5]), tag = a[6], host = a[7],
                  since = t.now, beat = 0, changed = true}
    event(t, a[2], 'connect', nil, nil, nil, a[6])
    t.meta.dirty = true
    enter_stage(t)
    save(t)
    return {'OK', t.meta.stage}
end

-- A client's own words on a channel; old ones, repeated ones and those of strangers are nothing.
local function report(t, client, id, version, status, why)
    local c = t.ch[id]
    if not c or c.o ~= client or version ~= c.v + 1 then
        return
    end
    if status == 'TERMINATED' and c.tok == FINISHED then
        move(t, c, 'TERMINATED', version, client, why)
    elseif status == 'CLOSE' then
        move(t, c, 'CLOSE', version, client, why)
        if why ~= '' then
            c.f, c.why = c.f + 1, why
            c.nb = t.now + math.min(DELAY_LONGEST, DELAY_FIRST * 2 ^ math.min(c.f - 1, 20))
        end
    end
end

local function row_of_held(c)
    return {c.id, c.v, c.st, c.k, c.n, c.tok, c.seq, c.cnt, c.path or '', c.from or 0, c.to or 0,
            c.mark or '', c.stop or '', c.last or -1}
end

-- What the client has, and whether all is calm: nothing free or on its way to somebody.
local function held(t, me)
    local out, own, calm = {}, {}, true
    for _, id in ipairs(t.order) do
        local c = t.ch[id]
        if c.o == me.id then
            out[#out + 1] = row_of_held(c)
            own[#own + 1] = id
        end
        calm = calm and (c.st == 'OPEN' or c.st == 'TERMINATED' or
                   (c.st ~= 'CLOSING' and (c.hold or c.lost > 0)))
    end
    me.own, t.meta.calm = own, calm
    return out
end

local function any_free(t)
    for _, c in pairs(t.ch) do
        if is_free(t, c) then
            return true
        end
    end
    return false
end

-- The records of the channels IDS, still packed; as many at a time as unpack can take.
local function own_records(t, ids)
    local out = {}
    for from = 1, #ids, PAGE do
        local page = redis.call('HMGET', t.key .. ':ch', unpack(ids, from, math.min(from + PAGE - 1, #ids)))
        for i = 1, #page do
            out[#out + 1] = page[i]
        end
    end
    return out
end

-- A heartbeat that changes nothing needs a look at the caller's own channels only.  nil: it may.
local function beat_calmly(t, me)
    local now = math.max(clock(), t.meta.tick)
    if not me or not me.own or t.meta.dirty or not t.meta.calm or now - t.meta.tick > grace_of(t) then
        return nil
    end
    for _, client in pairs(t.cl) do
        if client.deadline < now then
            return nil
        end
    end
    local out = {}
    for i, raw in ipairs(own_records(t, me.own)) do
        local c = cmsgpack.unpack(raw)
        c.id = me.own[i]
        if c.till and not c.last and now > c.till then
            return nil
        end
        if c.o == me.id then
            out[#out + 1] = row_of_held(c)
        end
    end
    t.now, t.meta.tick = now, now
    return out
end

-- name, client, number of the beat; then of each report: channel, version, status, why.  LEAVING, of no
-- channel: the client is about to go, and is given nothing any more
local function beat(keys, a)
    local t = load(keys, a[1])
    if not t then
        return {'MISSING'}
    end
    load_clients(t)
    local number = tonumber(a[3])
    local out = #a == 3 and beat_calmly(t, t.cl[a[2]])
    if not out then
        load_channels(t)
        tick(t)
    end
    local me = t.cl[a[2]]
    if me then
        me.deadline, me.spared, me.changed = t.now + me.timeout, nil, true
        for i = 4, number > me.beat and #a or 0, 4 do
            if a[i + 2] == 'LEAVING' then
                me.max = 0
            end
            report(t, me.id, a[i], tonumber(a[i + 1]), a[i + 2], a[i + 3])
        end
        me.beat = math.max(me.beat, number)
    end
    if me and not out then
        enter_stage(t)
        if t.meta.dirty or any_free(t) then
            t.meta.dirty = nil
            balance(t, me.id)
        end
        out = held(t, me)
    end
    save(t)
    return me and {'OK', t.meta.stage, out} or {'GONE'}
end

-- Put what comes with a checkpoint into its streams.
local function put_outputs(t, c, a, at)
    local sink, outputs = a[at], tonumber(a[at + 1])
    for i = at + 2, at + 1 + outputs do
        redis.call('XADD', sink, '*', 'd', a[i])
    end
    at = at + 2 + outputs
    for i = at + 1, at + 3 * tonumber(a[at]), 3 do
        redis.call('XADD', t.key .. ':dlq', '*', 'd', a[i], 'channel', c.id, 'token', a[i + 1],
                   'error', a[i + 2])
    end
end

-- name, client, channel, version, sequence, token, records; stream of outputs or '', their number,
-- the outputs; number of dead letters, their records, tokens and errors
local function checkpoint(keys, a)
    local t = {root = root_of(keys), name = a[1], key = root_of(keys) .. 't:' .. a[1]}
    if redis.call('HEXISTS', t.key .. ':cl', a[2]) == 0 then
        return {'GONE', a[3]}
    end
    local raw = redis.call('HGET', t.key .. ':ch', a[3])
    local c = raw and cmsgpack.unpack(raw)
    local version = tonumber(a[4])
    if not c or c.o ~= a[2] or version < c.given or version > c.v then
        return {'FENCED', a[3]} -- since it was given, it may have been asked back, and not yet heard
    end
    c.id = a[3]
    local number = tonumber(a[5])
    if number == c.seq and c.tok == a[6] then
        return {'OK', a[3], c.seq} -- made before, and the answer was lost
    end
    if number ~= c.seq + 1 then
        return {'FENCED', a[3]}
    end
    put_outputs(t, c, a, 8)
    c.seq, c.tok, c.cnt = number, a[6], c.cnt + tonumber(a[7])
    if tonumber(a[7]) > 0 then
        c.f, c.nb, c.why = 0, 0, ''
    end
    store(t, ':ch', c)
    return {'OK', a[3], c.seq}
end

-- name, client
local function leave(keys, a)
    local t = load(keys, a[1])
    if not t then
        return {'MISSING'}
    end
    load_channels(t)
    load_clients(t)
    tick(t)
    if t.cl[a[2]] then
        take_from(t, t.cl[a[2]], 'leave')
    end
    save(t)
    return {'OK'}
end

-- ---- what producers call ----

-- most partitions wanted (0: as it is)
local function source(keys, a)
    local n, why = make_source(keys, tonumber(a[1]))
    return n and {'OK', n} or {'MISSING', why}
end

-- producer, number of its batch; then partition and line, over and over
local function append(keys, a)
    local root = root_of(keys)
    local memory = root .. 'pr:' .. a[1]
    if tonumber(redis.call('GET', memory) or '0') >= tonumber(a[2]) then
        return {'OK'} -- the answer was lost
    end
    local call, streams = redis.call, {}
    for i = 3, #a, 2 do
        local stream = streams[a[i]]
        if not stream then
            stream = root .. 'p:' .. a[i]
            streams[a[i]] = stream
        end
        call('XADD', stream, '*', 'd', a[i + 1])
    end
    redis.call('SET', memory, a[2], 'PX', PRODUCER_KEPT)
    return {'OK'}
end

-- ---- what operators call ----

-- partitions wanted, where to begin, where to end ('': nowhere): for each partition its token and the
-- records before it, and what create wants to know of its end
local function positions(keys, a)
    if is_to_come(a[2]) then
        return TO_COME
    end
    local n, why = make_source(keys, tonumber(a[1]))
    if not n then
        return {'MISSING', why}
    end
    local out = {'OK'}
    for i = 0, n - 1 do
        local token, count = position(partition(root_of(keys), i), a[2])
        out[#out + 1] = token
        out[#out + 1] = count
        local stop, last = '', ''
        if a[3] ~= '' then
            stop, last = position(partition(root_of(keys), i), a[3])
        end
        out[#out + 1] = stop
        out[#out + 1] = a[3] == 'latest' and '' or a[3]
        out[#out + 1] = a[3] == 'latest' and last or ''
    end
    return out
end

local function new_channel(t, kind, n, token)
    return {id = kind .. '-' .. text(n), k = kind, n = n, st = 'WAIT', v = 0, tok = token, seq = 0,
            cnt = 0, at = t.now, f = 0, nb = 0, why = '', lost = 0, changed = true}
end

-- name, kind, who; number of stream channels, of each token, count, and of its end token, time and
-- count, or ''; then of each base channel: path, from, to, mark
local function create(keys, a)
    local root, name = root_of(keys), a[1]
    if redis.call('EXISTS', root .. 't:' .. name) == 1 then
        return {'EXISTS'}
    end
    local now = clock()
    local t = {root = root, name = name, key = root .. 't:' .. name, now = now, ch = {}, cl = {},
               meta = {kind = a[2], stage = 'init', tick = now, made = now}}
    local at = 5
    for n = 0, tonumber(a[4]) - 1 do
        local c = new_channel(t, 'stream', n, a[at])
        c.cnt = tonumber(a[at + 1])
        c.stop = a[at + 2] ~= '' and a[at + 2] or nil
        c.till, c.last = tonumber(a[at + 3]), tonumber(a[at + 4])
        t.ch[c.id] = c
        at = at + 5
    end
    for i = at, #a, 4 do
        local c = new_channel(t, 'base', (i - at) / 4, a[i + 1])
        c.path, c.from, c.to, c.mark = a[i], tonumber(a[i + 1]), tonumber(a[i + 2]), a[i + 3]
        t.ch[c.id] = c
    end
    for _, c in pairs(t.ch) do
        event(t, a[3], 'channel', c, '', 'WAIT', 'created')
    end
    redis.call('SADD', root .. 'tunnels', name)
    save(t)
    return {'OK'}
end

-- name
local function delete(keys, a)
    local root = root_of(keys)
    local key = root .. 't:' .. a[1]
    redis.call('SREM', root .. 'tunnels', a[1])
    return {redis.call('DEL', key, key .. ':ch', key .. ':cl', key .. ':ev', key .. ':dlq') > 0 and
                'OK' or 'MISSING'}
end

-- Backlog in records (base: bytes) and the age of the first that is unread, in ms.
local function lag(t, c)
    if c.st == 'TERMINATED' or c.tok == FINISHED then
        return 0, 0
    end
    if c.k == 'base' then
        return c.to >= 0 and math.max(0, c.to - tonumber(c.tok)), 0
    end
    local key = partition(t.root, c.n)
    local added = facts(key)
    local backlog = math.max(0, goal(t, c, added) - c.cnt)
    local first = backlog > 0 and redis.call('XRANGE', key, '(' .. c.tok, '+', 'COUNT', 1)[1]
    return backlog, first and math.max(0, clock() - tonumber(first[1]:match('^%d+'))) or 0
end

local function row_of(t, c, now)
    local backlog, age = lag(t, c)
    local owner = c.o and t.cl[c.o]
    local lost = c.lost > 0 and c.lost or lost_by(t, c)
    return {'channel', c.id, 'status', c.st, 'version', c.v, 'owner', c.o or false, 'tag',
            owner and owner.tag or false, 'ownerExpired', owner and owner.deadline < now and 1 or 0,
            'statusAgeMs', math.max(0, now - c.at), 'token', c.tok, 'count', c.cnt,
            c.k == 'base' and 'lagBytes' or 'lag', backlog, 'lagMs', age, 'failures', c.f,
            'notBeforeMs', math.max(0, c.nb - now), 'why', c.why, 'suspended', c.hold and 1 or 0,
            'lost', lost, 'path', c.path or false, 'until', c.stop or false}, backlog, age, lost
end

local function loaded(keys, name)
    local t = load(keys, name)
    if t then
        load_channels(t)
        load_clients(t)
        t.now = math.max(clock(), t.meta.tick)
    end
    return t
end

-- name: a row of the tunnel, then one of each channel
local function describe(keys, a)
    local t = loaded(keys, a[1])
    if not t then
        return {'MISSING'}
    end
    local rows, records, age, lost, alive, idle = {}, 0, 0, 0, 0, 0
    local now = clock()
    for _, id in ipairs(t.order) do
        local c = t.ch[id]
        local row, backlog, late, gone = row_of(t, c, now)
        rows[#rows + 1] = row
        records = records + (c.k == 'stream' and backlog or 0)
        age = math.max(age, late)
        lost = lost + gone
        idle = idle + ((c.st ~= 'TERMINATED' and not c.o) and 1 or 0)
    end
    for _, client in pairs(t.cl) do
        alive = alive + (client.deadline >= now and 1 or 0)
    end
    local whole = {'tunnel', t.name, 'type', t.meta.kind, 'stage',
                   t.meta.stage == 'init' and 'init' or stage_of(t), 'channels', #t.order,
                   'ownerless', idle, 'clients', alive, 'lag', records, 'lagMs', age, 'expired',
                   lost > 0 and 1 or 0, 'lost', lost, 'createdMs', t.meta.made}
    return {'OK', whole, rows}
end

-- name: a row of each client
local function clients(keys, a)
    local t = loaded(keys, a[1])
    if not t then
        return {'MISSING'}
    end
    local rows, now = {}, clock()
    for _, client in pairs(t.cl) do
        local n = 0
        for _, c in pairs(t.ch) do
            n = n + (c.o == client.id and 1 or 0)
        end
        rows[#rows + 1] = {'client', client.id, 'tag', client.tag, 'host', client.host, 'channels',
                           n, 'sinceMs', client.since, 'timeoutMs', client.timeout, 'leftMs',
                           client.deadline - now, 'expired', client.deadline < now and 1 or 0}
    end
    table.sort(rows, function(x, y) return x[10] < y[10] end)
    return {'OK', rows}
end

-- name, events before this id ('+': all), how many: rows, the newest first
local function events(keys, a)
    local rows = {}
    local key = root_of(keys) .. 't:' .. a[1] .. ':ev'
    for _, entry in ipairs(redis.call('XREVRANGE', key, a[2], '-', 'COUNT', a[3])) do
        local row, f = {'id', entry[1]}, entry[2]
        for i = 1, #f do
            row[#row + 1] = f[i]
        end
        rows[#rows + 1] = row
    end
    return {'OK', rows}
end

-- name, channel or '*', what, who
local function schedule(keys, a)
    local t = loaded(keys, a[1])
    if not t or (a[2] ~= '*' and not t.ch[a[2]]) then
        return {'MISSING'}
    end
    for _, id in ipairs(t.order) do
        local c = t.ch[id]
        if (a[2] == '*' or a[2] == id) and c.st ~= 'TERMINATED' then
            c.hold, c.changed = a[3] == 'suspend' or nil, true
            if a[3] == 'open' then
                c.nb = 0
            end
            event(t, a[4], 'schedule', c, c.st, c.st, a[3])
            if a[3] == 'suspend' and c.st == 'OPEN' then
                move(t, c, 'CLOSING', next_version(t, c), a[4], 'suspend')
            elseif a[3] == 'terminate' then
                move(t, c, 'TERMINATED', next_version(t, c), a[4], 'terminate')
            end
        end
    end
    t.meta.dirty = true
    enter_stage(t)
    save(t)
    return {'OK'}
end

local function has_stream(t)
    for _, c in pairs(t.ch) do
        if c.k == 'stream' then
            return true
        end
    end
    return false
end

-- name, channel or '*' (all stream channels), where to, who
local function seek(keys, a)
    local t = loaded(keys, a[1])
    if not t or (a[2] ~= '*' and not t.ch[a[2]]) then
        return {'MISSING'}
    end
    if is_to_come(a[3]) then
        return TO_COME
    end
    if a[2] == '*' and not has_stream(t) then
        return {'REFUSED', 'it has no stream channels'}
    end
    for _, id in ipairs(t.order) do
        local c = t.ch[id]
        if (a[2] == '*' and c.k == 'stream') or a[2] == id then
            local before = c.tok
            if c.k == 'stream' then
                c.tok, c.cnt = position(partition(t.root, c.n), a[3])
            elseif a[3] == 'earliest' then
                c.tok, c.cnt = text(c.from), 0
            else
                return {'REFUSED', 'a base channel can be sought back to earliest only'}
            end
            c.lost, c.nb, c.seq, c.changed = 0, 0, c.seq + 1, true
            event(t, a[4], 'seek', c, before, c.tok, a[3])
            if c.st ~= 'WAIT' then
                move(t, c, 'WAIT', next_version(t, c), a[4], 'seek')
            end
        end
    end
    t.meta.dirty = true
    save(t)
    return {'OK'}
end

local function before(a, b)
    local am, as = a:match('^(%d+)-(%d+)$')
    local bm, bs = b:match('^(%d+)-(%d+)$')
    if am ~= bm then
        return tonumber(am) < tonumber(bm)
    end
    return #as < #bs or (#as == #bs and as < bs)
end

-- Which entry is the first that some tunnel still needs, of each partition.
local function needed(keys)
    local least_of, root = {}, root_of(keys)
    for _, name in ipairs(redis.call('SMEMBERS', root .. 'tunnels')) do
        local t = loaded(keys, name)
        for _, c in pairs(t and t.ch or {}) do
            if c.k == 'stream' and c.st ~= 'TERMINATED' and c.tok ~= FINISHED and c.lost == 0 and
                (not least_of[c.n] or before(c.tok, least_of[c.n])) then
                least_of[c.n] = c.tok
            end
        end
    end
    return least_of
end

-- Mark the channels that a trim has left behind.
local function mark_lost(keys)
    local total = 0
    for _, name in ipairs(redis.call('SMEMBERS', root_of(keys) .. 'tunnels')) do
        local t = loaded(keys, name)
        for _, id in ipairs(t and t.order or {}) do
            local c = t.ch[id]
            local n = c.st ~= 'TERMINATED' and lost_by(t, c) or 0
            if n > 0 and n ~= c.lost then
                c.lost, c.changed = n, true
                event(t, 'service', 'expired', c, c.st, c.st, text(n) .. ' records were trimmed unread')
                if c.st ~= 'WAIT' then
                    move(t, c, 'WAIT', next_version(t, c), 'service', 'expired')
                end
                total = total + n
            end
        end
        if t then
            save(t)
        end
    end
    return total
end

-- oldest entry to keep, as ms since 1970 (0: any age); most entries of a partition (0: any number).
-- Without either only what all tunnels have read goes.
local function trim(keys, a)
    local partitions = tonumber(redis.call('HGET', keys[1], 'partitions') or '0')
    local freed, least_of = 0, needed(keys)
    for n = 0, partitions - 1 do
        local key = partition(root_of(keys), n)
        if least_of[n] then
            freed = freed + redis.call('XTRIM', key, 'MINID', '~', least_of[n])
        end
        if a[1] ~= '0' then
            freed = freed + redis.call('XTRIM', key, 'MINID', '=', a[1])
        end
        if a[2] ~= '0' then
            freed = freed + redis.call('XTRIM', key, 'MAXLEN', '=', a[2])
        end
    end
    return {'OK', {{'freed', freed, 'lost', mark_lost(keys)}}}
end

-- What lets Redis run empty, or keeps clients alive, goes on where it is full; what fills it does not.
local function register(name, run, flag)
    redis.register_function{function_name = PREFIX .. name, callback = run, flags = {flag}}
end

register('connect', connect, 'allow-oom')
register('beat', beat, 'allow-oom')
register('checkpoint', checkpoint, 'allow-oom')
register('deliver', checkpoint)
register('leave', leave, 'allow-oom')
register('source', source, 'allow-oom')
register('append', append)
register('positions', positions)
register('create', create)
register('delete', delete, 'allow-oom')
register('describe', describe, 'no-writes')
register('clients', clients, 'no-writes')
register('events', events, 'no-writes')
register('schedule', schedule, 'allow-oom')
register('seek', seek, 'allow-oom')
register('trim', trim, 'allow-oom')
