#include "redis/nodes.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

#define AGAIN_PAUSE                                                                                \
    (20 * CLOCK_MILLI) /* before a call that was answered TRYAGAIN is made again                   \
                        */

enum {
    ROUNDS_MAX = 16,     /* of redirections, before it counts as a failure */
    NOWHERE = UINT16_MAX /* no node is named */
};

struct server *server_new(struct address *a)
{
    struct server *s = mem_new(1, sizeof *s);
    s->address = *a;
    s->stop = -1;
    *a = (struct address){0};
    return s;
}

void server_free(struct server *s)
{
    if (s) {
        nodes_release(s);
        address_release(&s->address);
        free(s);
    }
}

const char *server_shown(const struct server *s)
{
    return s->address.shown;
}

void server_stop_at(struct server *s, int stop)
{
    nodes_release(s); /* their links know the old one */
    s->stop = stop;
}

void server_concerns(struct server *s, void (*tell)(void *context, const char *text), void *context)
{
    s->tell = tell;
    s->tell_context = context;
}

/* ---- calls ---- */

/* A call that is still to be made. */
struct due {
    size_t call;
    uint16_t asked; /* the node that ASK names, else NOWHERE */
    bool in_full;   /* with the text of the script */
};

/* The calls of one server_run. */
struct run {
    struct server *server;
    const struct calls *calls;
    struct due *due, *next; /* of this round, and of the one after it */
    size_t due_count, next_count;
    bool wait; /* before the next round */
    struct command command;
    struct err *e;
    bool failed; /* E is filled: the first failure */
};

static void again(struct run *run, const struct due *d, uint16_t asked, bool in_full)
{
    run->next[run->next_count++] = (struct due){d->call, asked, in_full};
}

static void fail(struct run *run, const struct err *why)
{
    if (!run->failed && run->e) {
        *run->e = *why;
    }
    run->failed = true;
}

/* Has the script been sent in full over the link of N? If not, it is now. */
static bool knows(struct node *n, const struct script *script)
{
    for (size_t i = 0; i < n->known; i++) {
        if (n->knows[i] == script) {
            return true;
        }
    }
    n->knows = mem_grow(n->knows, &n->known_cap, n->known, sizeof *n->knows);
    n->knows[n->known++] = script;
    return false;
}

static void compose(struct run *run, size_t call, bool in_full)
{
    const struct script *script = run->calls->script;
    struct command *c = &run->command;
    if (script && in_full) {
        command_start(c, "EVAL");
        command_add(c, buf_span(&script->text));
    } else if (script) {
        command_start(c, "EVALSHA");
        command_add_text(c, script->hash);
    }
    run->calls->ask(run->calls->context, call, c);
}

/* Put call D into the link of its node. */
static int post(struct run *run, size_t index, struct err *e)
{
    const struct script *script = run->calls->script;
    const struct due *d = &run->due[index];
    struct server *s = run->server;
    bool in_full = d->in_full || (script && !script->hash[0]);
    compose(run, d->call, in_full);
    size_t n = d->asked != NOWHERE ? d->asked : nodes_of_slot(s, run->command.slot);
    if (nodes_connect(s, n, e) < 0) {
        return -1;
    }
    struct node *node = &s->nodes[n];
    if (script && !in_full && !knows(node, script)) {
        compose(run, d->call, true); /* the first one teaches it to the server */
    }
    struct command asking = {0};
    if (d->asked != NOWHERE) {
        command_start(&asking, "ASKING");
        link_put(node->link, &asking);
        command_release(&asking);
    }
    link_put(node->link, &run->command);
    node->queue = mem_grow(node->queue, &node->queue_cap, node->queued, sizeof *node->queue);
    node->queue[node->queued++] = index;
    return 0;
}

/* The node that "MOVED 3999 127.0.0.1:6381" or "ASK …" names; FROM said so. NOWHERE: nonsense. */
static uint16_t redirection(struct server *s, const struct reply *r, size_t from, int *slot)
{
    const char *text = r->text.at;
    const char *number = strchr(text, ' ');
    const char *where = number ? strchr(number + 1, ' ') : NULL;
    const char *colon = where ? strrchr(where, ':') : NULL;
    int64_t port, which;
    if (!colon || units_integer(span_text(colon + 1), 1, 65535, &port, NULL) < 0 ||
        units_integer(span_of(number + 1, (size_t)(where - number - 1)), 0, SLOTS - 1, &which,
                      NULL) < 0) {
        return NOWHERE;
    }
    struct span host = span_of(where + 1, (size_t)(colon - where - 1));
    if (host.len == 0) { /* the same host */
        host = span_text(s->nodes[from].at.host);
    }
    struct peer at = peer_of(host, (int)port);
    size_t n = nodes_find(s, &at);
    peer_release(&at);
    *slot = (int)which;
    return n < NODES_MAX ? (uint16_t)n : NOWHERE;
}

static void refuse(struct run *run, const struct link *l, const struct reply *r)
{
    struct err why = {0};
    link_refused(l, r, &why);
    fail(run, &why);
}

/* Node N answered call D with the error R. */
static void take_error(struct run *run, size_t n, const struct due *d, const struct reply *r)
{
    struct server *s = run->server;
    struct link *l = s->nodes[n].link;
    bool moved = reply_is_error(r, "MOVED ");
    if (reply_is_error(r, "NOSCRIPT") && run->calls->script && !d->in_full) {
        again(run, d, d->asked, true);
    } else if (s->slots && (moved || reply_is_error(r, "ASK "))) {
        int slot = 0;
        uint16_t to = redirection(s, r, n, &slot);
        if (to == NOWHERE) {
            refuse(run, l, r);
            return;
        }
        if (moved) {
            nodes_move(s, slot, to);
        }
        again(run, d, moved ? NOWHERE : to, d->in_full);
    } else if (s->slots && reply_is_error(r, "TRYAGAIN")) {
        run->wait = true;
        again(run, d, d->asked, d->in_full);
    } else {
        refuse(run, l, r);
    }
}

/* Take the replies that node N owes. -1: its link broke. */
static int collect(struct run *run, size_t n, struct err *e)
{
    struct server *s = run->server;
    while (s->nodes[n].taken < s->nodes[n].queued) {
        const struct due *d = &run->due[s->nodes[n].queue[s->nodes[n].taken]];
        const struct reply *r = link_reply(s->nodes[n].link, e);
        if (r && d->asked != NOWHERE) { /* that was to ASKING */
            r = link_reply(s->nodes[n].link, e);
        }
        if (!r) {
            return -1;
        }
        s->nodes[n].taken++;
        struct err why = {0};
        if (r->kind == REPLY_ERROR) {
            take_error(run, n, d, r);
        } else if (run->calls->answer(run->calls->context, d->call, r, &why) < 0) {
            fail(run, &why);
        }
    }
    return 0;
}

/* One round: send what is due, take the answers. */
static void go_round(struct run *run)
{
    struct server *s = run->server;
    struct err why = {0};
    run->next_count = 0;
    run->wait = false;
    for (size_t i = 0; i < run->due_count; i++) {
        if (post(run, i, &why) < 0) {
            fail(run, &why);
            break; /* what was sent is still to be answered */
        }
    }
    size_t count = s->count; /* nodes that redirections add have no queue */
    for (size_t n = 0; n < count; n++) {
        if (collect(run, n, &why) < 0) {
            fail(run, &why);
            nodes_lost(s, n);
        }
        s->nodes[n].queued = s->nodes[n].taken = 0;
    }
    struct due *done = run->due;
    run->due = run->next;
    run->due_count = run->next_count;
    run->next = done;
}

static void run_rounds(struct run *run)
{
    for (int round = 0; run->due_count > 0 && !run->failed; round++) {
        if (round == ROUNDS_MAX) {
            struct err why = {0};
            err_set(&why, ERR_LATER, "store %s: the cluster is being rearranged",
                    run->server->address.shown);
            fail(run, &why);
            return;
        }
        go_round(run);
        if (run->wait && !run->failed) {
            clock_sleep(clock_after(clock_now(), AGAIN_PAUSE));
        }
    }
}

/* A failure that may pass: the next attempt begins with new links, perhaps to other servers. */
static void start_afresh(struct server *s)
{
    for (size_t n = 0; n < s->count; n++) {
        nodes_lost(s, n);
    }
}

int server_run(struct server *s, const struct calls *calls, struct err *e)
{
    struct err why = {0};
    struct run run = {.server = s, .calls = calls, .due_count = calls->count, .e = &why};
    if (nodes_map(s, e) < 0) {
        return -1;
    }
    run.due = mem_new(calls->count, sizeof *run.due);
    run.next = mem_new(calls->count, sizeof *run.next);
    for (size_t i = 0; i < calls->count; i++) {
        run.due[i] = (struct due){.call = i, .asked = NOWHERE};
    }
    run_rounds(&run);
    command_release(&run.command);
    free(run.due);
    free(run.next);
    if (run.failed && why.code == ERR_LATER) {
        start_afresh(s);
    }
    if (run.failed && e) {
        *e = why;
    }
    return run.failed ? -1 : 0;
}

/* ---- links ---- */

int server_connect(struct server *s, struct span key, struct link **out, struct err *e)
{
    if (nodes_map(s, e) < 0) {
        return -1;
    }
    struct link_plan plan =
        nodes_plan(s, nodes_of_slot(s, key.len ? slot_of(key) : COMMAND_NO_SLOT));
    if (link_open(out, &plan, e) < 0) {
        s->mapped = false;
        return -1;
    }
    return 0;
}

int server_each(struct server *s, int (*visit)(void *context, struct link *l, struct err *e),
                void *context, struct err *e)
{
    int rc = nodes_map(s, e);
    for (size_t n = 0; n < s->count && rc == 0; n++) {
        if (s->slots && !s->nodes[n].master) {
            continue;
        }
        rc = nodes_connect(s, n, e);
        rc = rc < 0 ? rc : visit(context, s->nodes[n].link, e);
    }
    return rc;
}
