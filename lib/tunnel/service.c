#include "tunnel/service.h"

#include <string.h>

#include "tunnel/service.lua.h"

#define ROOT     "fanline:tunnel:"
#define REGISTRY "fanline:tunnels"

enum { HASH_SHOWN = 12 }; /* digits of the hash in names: enough to tell versions apart */

int service_open(struct service *s, const char *url, struct err *e)
{
    *s = (struct service){0};
    if (!address_is(span_text(url))) {
        return err_set(e, ERR_USAGE, "tunnels need a Redis: --store=redis://HOST and its like");
    }
    struct address a = {0};
    if (address_parse(&a, url, e) < 0) {
        address_release(&a);
        return -1;
    }
    const char *const parts[] = {lua_service, NULL};
    script_init(&s->library, parts);
    s->is_cluster = a.kind == ADDRESS_CLUSTER;
    s->server = server_new(&a);
    return 0;
}

void service_close(struct service *s)
{
    server_free(s->server);
    script_release(&s->library);
    *s = (struct service){0};
}

void service_root(struct buf *out, struct span source)
{
    const char *open = memchr(source.at, '{', source.len);
    const char *close = open ? memchr(open, '}', (size_t)(source.at + source.len - open)) : NULL;
    bool tagged = close && close > open + 1;
    buf_reset(out);
    buf_add_text(out, tagged ? ROOT : ROOT "{");
    buf_add_span(out, source);
    buf_add_text(out, tagged ? ":" : "}:");
}

static void add_prefix(const struct service *s, struct buf *out)
{
    buf_printf(out, "fanline_%.*s_", HASH_SHOWN, s->library.hash);
}

void service_start(const struct service *s, struct command *c, const char *function,
                   struct span root)
{
    struct buf name = {0};
    command_start(c, "FCALL");
    add_prefix(s, &name);
    buf_add_text(&name, function);
    command_add(c, buf_span(&name));
    command_add_text(c, "1");
    buf_reset(&name);
    buf_add_span(&name, root);
    buf_add_text(&name, "src");
    command_key(c, buf_span(&name));
    buf_release(&name);
}

bool service_is_unknown(const struct err *e)
{
    return strstr(e->text, "Function not found") != NULL;
}

static int load_into(void *context, struct link *l, struct err *e)
{
    return link_demand(l, context, e) ? 0 : -1;
}

int service_load(struct service *s, struct err *e)
{
    struct buf text = {0};
    struct command c = {0};
    buf_add_text(&text, "#!lua name=");
    add_prefix(s, &text);
    buf_add_text(&text, "tunnel\nlocal PREFIX = '");
    add_prefix(s, &text);
    buf_add_text(&text, "'\n");
    buf_add_span(&text, buf_span(&s->library.text));
    command_start(&c, "FUNCTION");
    command_add_text(&c, "LOAD");
    command_add_text(&c, "REPLACE");
    command_add(&c, buf_span(&text));
    int rc = server_each(s->server, load_into, &c, e);
    command_release(&c);
    buf_release(&text);
    return rc;
}

struct span service_word(const struct reply *r)
{
    bool fits = r->kind == REPLY_LIST && r->count > 0 && r->items[0].kind == REPLY_TEXT;
    return fits ? r->items[0].text : span_of("", 0);
}

struct sending {
    const struct command *command;
    int (*answer)(void *context, const struct reply *r, struct err *e);
    void *context;
    bool is_function;
};

static void ask(void *context, size_t i, struct command *c)
{
    const struct sending *s = context;
    (void)i;
    buf_reset(&c->body);
    buf_add_span(&c->body, buf_span(&s->command->body));
    c->count = s->command->count;
    c->slot = s->command->slot;
}

/* What an answer that is not OK means to people. */
static int refuse(const struct reply *r, struct err *e)
{
    struct span word = service_word(r);
    bool says = r->count > 1 && r->items[1].kind == REPLY_TEXT;
    if (says) {
        return err_set(e, ERR_USAGE, "%s", r->items[1].text.at);
    }
    if (span_equal(word, SPAN_LIT("EXISTS"))) {
        return err_set(e, ERR_USAGE, "there is a tunnel of that name already");
    }
    if (span_equal(word, SPAN_LIT("MISSING"))) {
        return err_set(e, ERR_USAGE, "there is no such tunnel or channel");
    }
    return reply_strange(e);
}

static int hear(void *context, size_t i, const struct reply *r, struct err *e)
{
    const struct sending *s = context;
    (void)i;
    if (s->is_function && !span_equal(service_word(r), SPAN_LIT("OK"))) {
        return refuse(r, e);
    }
    return s->answer ? s->answer(s->context, r, e) : 0;
}

static int post(struct service *s, struct sending *sending, struct err *e)
{
    struct calls calls = {.count = 1, .ask = ask, .answer = hear, .context = sending};
    return server_run(s->server, &calls, e);
}

int service_call(struct service *s, const struct command *c,
                 int (*answer)(void *context, const struct reply *r, struct err *e), void *context,
                 struct err *e)
{
    struct sending sending = {c, answer, context, true};
    struct err first = {0};
    int rc = post(s, &sending, &first);
    if (rc < 0 && service_is_unknown(&first)) {
        return service_load(s, e) < 0 ? -1 : post(s, &sending, e);
    }
    if (rc < 0 && e) {
        *e = first;
    }
    return rc;
}

int service_ask(struct service *s, const struct command *c,
                int (*answer)(void *context, const struct reply *r, struct err *e), void *context,
                struct err *e)
{
    struct sending sending = {c, answer, context, false};
    return post(s, &sending, e);
}

struct finding {
    struct span name;
    struct buf *source;
};

static int keep_source(void *context, const struct reply *r, struct err *e)
{
    const struct finding *f = context;
    if (r->kind != REPLY_TEXT) {
        return err_set(e, ERR_USAGE, "there is no tunnel '%.*s'", (int)f->name.len, f->name.at);
    }
    buf_reset(f->source);
    buf_add_span(f->source, r->text);
    return 0;
}

int service_find(struct service *s, struct span name, struct buf *source, struct err *e)
{
    struct command c = {0};
    struct finding finding = {name, source};
    command_start(&c, "HGET");
    command_key(&c, SPAN_LIT(REGISTRY));
    command_add(&c, name);
    int rc = service_ask(s, &c, keep_source, &finding, e);
    command_release(&c);
    return rc;
}
