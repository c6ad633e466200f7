#include "tunnel/admin.h"

#include "base/mem.h"
#include "tunnel/base.h"

#include <stdio.h>
#include <stdlib.h>

#define REGISTRY "fanline:tunnels"

/* ---- calls ---- */

int tunnel_ask_source(struct service *s, const char *function, struct span source,
                      const char *const *arguments, size_t count,
                      int (*hear)(void *context, const struct reply *r, struct err *e),
                      void *context, struct err *e)
{
    struct buf root = {0};
    struct command c = {0};
    service_root(&root, source);
    service_start(s, &c, function, buf_span(&root));
    for (size_t i = 0; i < count; i++) {
        command_add_text(&c, arguments[i]);
    }
    int rc = service_call(s, &c, hear, context, e);
    command_release(&c);
    buf_release(&root);
    return rc;
}

int tunnel_ask(struct service *s, const char *function, const char *name,
               const char *const *arguments, size_t count,
               int (*hear)(void *context, const struct reply *r, struct err *e), void *context,
               struct err *e)
{
    struct buf source = {0};
    int rc = service_find(s, span_text(name), &source, e);
    if (rc == 0) {
        const char **all = mem_new(count + 1, sizeof *all);
        all[0] = name;
        for (size_t i = 0; i < count; i++) {
            all[i + 1] = arguments[i];
        }
        rc = tunnel_ask_source(s, function, buf_span(&source), all, count + 1, hear, context, e);
        free(all);
    }
    buf_release(&source);
    return rc;
}

/* ---- the registry of names ---- */

static int hear_number(void *context, const struct reply *r, struct err *e)
{
    return reply_integer(r, context, e);
}

static int registry(struct service *s, const char *verb, const char *name, struct span source,
                    int64_t *changed, struct err *e)
{
    struct command c = {0};
    command_start(&c, verb);
    command_key(&c, SPAN_LIT(REGISTRY));
    command_add_text(&c, name);
    if (source.len > 0) {
        command_add(&c, source);
    }
    int rc = service_ask(s, &c, hear_number, changed, e);
    command_release(&c);
    return rc;
}

/* Take NAME for a tunnel of SOURCE. It may be left over from an attempt that did not come through.
 */
static int take_name(struct service *s, const char *name, struct span source, struct err *e)
{
    int64_t fresh = 0;
    struct buf held = {0};
    int rc = registry(s, "HSETNX", name, source, &fresh, e);
    if (rc == 0 && fresh == 0) {
        rc = service_find(s, span_text(name), &held, e);
        if (rc == 0 && !span_equal(buf_span(&held), source)) {
            rc = err_set(e, ERR_USAGE, "there is a tunnel of that name already");
        }
    }
    buf_release(&held);
    return rc;
}

struct listing {
    int (*hear)(void *context, struct span name, struct span source, struct err *e);
    void *context;
};

static int hear_names(void *context, const struct reply *r, struct err *e)
{
    const struct listing *l = context;
    for (size_t i = 0; i + 1 < r->count; i += 2) {
        if (l->hear(l->context, r->items[i].text, r->items[i + 1].text, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Names and sources as they came, for calls meanwhile would void the answer. */
struct copies {
    struct buf text;
    size_t *ends;
    size_t count, cap;
};

static int keep_name(void *context, struct span name, struct span source, struct err *e)
{
    struct copies *c = context;
    (void)e;
    const struct span both[] = {name, source};
    for (int i = 0; i < 2; i++) {
        buf_add_span(&c->text, both[i]);
        c->ends = mem_grow(c->ends, &c->cap, c->count, sizeof *c->ends);
        c->ends[c->count++] = c->text.len;
    }
    return 0;
}

static struct span copy_at(const struct copies *c, size_t i)
{
    size_t from = i ? c->ends[i - 1] : 0;
    return span_of(c->text.at + from, c->ends[i] - from);
}

int tunnel_each(struct service *s,
                int (*hear)(void *context, struct span name, struct span source, struct err *e),
                void *context, struct err *e)
{
    struct copies copies = {0};
    struct listing l = {keep_name, &copies};
    struct command c = {0};
    command_start(&c, "HGETALL");
    command_key(&c, SPAN_LIT(REGISTRY));
    int rc = service_ask(s, &c, hear_names, &l, e);
    for (size_t i = 0; i < copies.count && rc == 0; i += 2) {
        rc = hear(context, copy_at(&copies, i), copy_at(&copies, i + 1), e);
    }
    command_release(&c);
    buf_release(&copies.text);
    free(copies.ends);
    return rc;
}

/* ---- create ---- */

struct making {
    struct service *service;
    const struct tunnel_plan *plan;
    struct command command;
};

/* What is told of each partition, behind their number. */
static int add_positions(void *context, const struct reply *r, struct err *e)
{
    struct command *c = context;
    (void)e;
    command_add_number(c, (int64_t)(r->count - 1) / 5);
    for (size_t i = 1; i < r->count; i++) {
        if (r->items[i].kind == REPLY_NUMBER) {
            command_add_number(c, r->items[i].number);
        } else {
            command_add(c, r->items[i].text);
        }
    }
    return 0;
}

static int add_stream(struct making *m, struct span source, struct err *e)
{
    const struct tunnel_plan *p = m->plan;
    char partitions[24];
    if (!p->stream) {
        command_add_text(&m->command, "0");
        return 0;
    }
    snprintf(partitions, sizeof partitions, "%lld", (long long)p->partitions);
    const char *const arguments[] = {partitions, p->from, p->until};
    int rc = tunnel_ask_source(m->service, "positions", source, arguments, 3, add_positions,
                               &m->command, e);
    if (rc < 0) {
        err_prefix(e, "stream %s", p->stream);
    }
    return rc;
}

static void add_base(void *context, const struct base_part *part)
{
    struct command *c = context;
    command_add_text(c, part->path);
    command_add_number(c, part->from);
    command_add_number(c, part->to);
    command_add_text(c, part->mark);
}

static int add_bases(struct making *m, struct err *e)
{
    const struct tunnel_plan *p = m->plan;
    for (size_t i = 0; i < p->base_count; i++) {
        if (base_cut(p->bases[i], p->range, p->objects, add_base, &m->command, e) < 0) {
            return -1;
        }
    }
    return 0;
}

int tunnel_create(struct service *s, const struct tunnel_plan *plan, const char *who, struct err *e)
{
    struct making m = {.service = s, .plan = plan};
    struct span source = span_text(plan->stream ? plan->stream : plan->name);
    struct buf root = {0};
    service_root(&root, source);
    service_start(s, &m.command, "create", buf_span(&root));
    command_add_text(&m.command, plan->name);
    command_add_text(&m.command, plan->kind);
    command_add_text(&m.command, who);
    int rc = add_stream(&m, source, e);
    if (rc == 0) {
        rc = add_bases(&m, e);
    }
    if (rc == 0) {
        rc = take_name(s, plan->name, source, e);
    }
    if (rc == 0) {
        rc = service_call(s, &m.command, NULL, NULL, e);
    }
    command_release(&m.command);
    buf_release(&root);
    return rc;
}

int tunnel_delete(struct service *s, const char *name, struct err *e)
{
    int64_t gone = 0;
    int rc = tunnel_ask(s, "delete", name, NULL, 0, NULL, NULL, e);
    return rc < 0 ? rc : registry(s, "HDEL", name, span_of("", 0), &gone, e);
}
