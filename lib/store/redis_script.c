#include "store/redis_store.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/entry.lua.h"
#include "store/notify.lua.h"
#include "store/settle.lua.h"
#include "store/take.lua.h"

#define KEY_PREFIX "fanline:"

static const char *const scripts[SCRIPTS] = {
    [SCRIPT_NOTIFY] = lua_notify,
    [SCRIPT_TAKE] = lua_take,
    [SCRIPT_SETTLE] = lua_settle,
};

/* The text of a script goes to the server behind what all of them share. */
static void add_script(struct redis_command *c, enum redis_script which)
{
    struct buf text = {0};
    buf_add_text(&text, lua_entry);
    buf_add_text(&text, scripts[which]);
    command_add(c, buf_span(&text));
    buf_release(&text);
}

static int load_scripts(struct redis_store *s, struct err *e)
{
    struct redis_command c = {0};
    for (int i = 0; i < SCRIPTS; i++) {
        command_start(&c, "SCRIPT");
        command_add_text(&c, "LOAD");
        add_script(&c, (enum redis_script)i);
        link_put(&s->link, &c);
    }
    command_release(&c);
    int rc = 0;
    for (int i = 0; i < SCRIPTS && rc == 0; i++) {
        redisReply *r = link_reply(&s->link, e);
        if (!r) {
            return -1;
        }
        if (r->type == REDIS_REPLY_STRING && r->len < SCRIPT_HASH_MAX) {
            memcpy(s->hashes[i], r->str, r->len + 1);
        } else {
            rc = r->type == REDIS_REPLY_ERROR ? link_refused(&s->link, r, e) : redis_strange(e);
        }
        freeReplyObject(r);
    }
    if (rc < 0) {
        link_close(&s->link);
    }
    return rc;
}

static int connected(struct redis_store *s, struct err *e)
{
    if (s->link.context) {
        return 0;
    }
    return link_open(&s->link, &s->url, e) < 0 ? -1 : load_scripts(s, e);
}

static bool is_missing_script(const redisReply *r)
{
    return r->type == REDIS_REPLY_ERROR && strncmp(r->str, "NOSCRIPT", 8) == 0;
}

/* Take the reply to call I; the first failure stays in E. */
static int take_reply(struct redis_store *s, const struct redis_calls *calls, size_t i,
                      const redisReply *r, struct err *e)
{
    return r->type == REDIS_REPLY_ERROR ? link_refused(&s->link, r, e)
                                        : calls->answer(calls->context, i, r, e);
}

/* The server has forgotten the script: make call I with its text. */
static int call_in_full(struct redis_store *s, const struct redis_calls *calls, size_t i,
                        struct err *e)
{
    struct redis_command c = {0};
    command_start(&c, "EVAL");
    add_script(&c, calls->script);
    calls->ask(calls->context, i, &c);
    link_put(&s->link, &c);
    command_release(&c);
    redisReply *r = link_reply(&s->link, e);
    if (!r) {
        return -1;
    }
    int rc = take_reply(s, calls, i, r, e);
    freeReplyObject(r);
    return rc;
}

static void send_calls(struct redis_store *s, const struct redis_calls *calls)
{
    struct redis_command c = {0};
    for (size_t i = 0; i < calls->count; i++) {
        command_start(&c, "EVALSHA");
        command_add_text(&c, s->hashes[calls->script]);
        calls->ask(calls->context, i, &c);
        link_put(&s->link, &c);
    }
    command_release(&c);
}

int redis_run(struct redis_store *s, const struct redis_calls *calls, struct err *e)
{
    if (connected(s, e) < 0) {
        return -1;
    }
    bool *missed = mem_new(calls->count, sizeof *missed);
    int rc = 0;
    send_calls(s, calls);
    for (size_t i = 0; i < calls->count && s->link.context; i++) {
        struct err late;
        redisReply *r = link_reply(&s->link, rc == 0 ? e : &late);
        if (!r) {
            rc = -1;
            break;
        }
        missed[i] = is_missing_script(r);
        if (!missed[i] && take_reply(s, calls, i, r, rc == 0 ? e : &late) < 0) {
            rc = -1;
        }
        freeReplyObject(r);
    }
    for (size_t i = 0; i < calls->count && rc == 0; i++) {
        rc = missed[i] ? call_in_full(s, calls, i, e) : 0;
    }
    free(missed);
    if (rc < 0 && e && e->code == ERR_LATER) {
        link_close(&s->link); /* a replica, say: the next attempt may find the right server */
    }
    return rc;
}

void redis_add_key(struct redis_command *c, struct span id, const char *tail)
{
    struct buf key = {0};
    buf_add_text(&key, KEY_PREFIX "{");
    for (size_t i = 0; i < id.len; i++) {
        unsigned char b = (unsigned char)id.at[i];
        if (b < 0x20 || b == 0x7f || b == '{' || b == '}' || b == '%') {
            buf_printf(&key, "%%%02X", b);
        } else {
            buf_add_byte(&key, (char)b);
        }
    }
    buf_add_byte(&key, '}');
    buf_add_text(&key, tail);
    command_add(c, buf_span(&key));
    buf_release(&key);
}

int redis_strange(struct err *e)
{
    return err_set(e, ERR_IO, "the store gave an answer that is none of ours");
}
