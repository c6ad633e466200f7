/* tunnelctl: make tunnels, look at them, steer them. */
#include "tunnelctl_options.h"

#include "cli/object_option.h"

#include "base/clock.h"
#include "base/mem.h"
#include "tunnel/admin.h"
#include "tunnel/rows.h"
#include "tunnel/where.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { WORD_MAX = 32 }; /* the name of an option between blanks */

static const struct cli_program program = {
    .name = "tunnelctl",
    .summary = "Make tunnels, look at them, steer them",
    .usage = "create|describe|clients|events|seek|delete NAME | list |\n"
             "       schedule NAME CHANNEL open|suspend|terminate | trim STREAM",
    .example = "  tunnelctl create bills --type=stream --stream=orders --partitions=8\n"
               "  tunnelctl describe bills",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_FORMAT_TABLE(struct options),
               CLI_REDIS_TABLE(struct options)},
    .texts = true,
    .max_operands = 4,
};

/* What the commands work with. */
struct setup {
    const struct options *o;
    struct service service;
    struct writer out;
    char who[96];
    char **arguments; /* behind the command */
    int count;
};

/* ---- output ---- */

static void put_rows(struct setup *s, const struct reply *rows, const char *const *columns)
{
    if (cli_format_is_table(&s->o->format)) {
        rows_put_table(&s->out, rows, columns);
        return;
    }
    for (size_t i = 0; i < rows->count; i++) {
        rows_put_json(&s->out, &rows->items[i]);
    }
}

/* The rows at place I of an answer. */
static const struct reply *rows_at(const struct reply *r, size_t i)
{
    return r->count > i && r->items[i].kind == REPLY_LIST ? &r->items[i] : NULL;
}

static int show_clients(void *context, const struct reply *r, struct err *e)
{
    static const char *const columns[] = {"client",    "tag",    "host",    "channels",
                                          "timeoutMs", "leftMs", "expired", NULL};
    const struct reply *rows = rows_at(r, 1);
    return rows ? put_rows(context, rows, columns), 0 : reply_strange(e);
}

static int show_events(void *context, const struct reply *r, struct err *e)
{
    static const char *const columns[] = {"id", "who",     "what", "channel", "from",
                                          "to", "version", "why",  NULL};
    const struct reply *rows = rows_at(r, 1);
    return rows ? put_rows(context, rows, columns), 0 : reply_strange(e);
}

static int show_trimmed(void *context, const struct reply *r, struct err *e)
{
    static const char *const columns[] = {"freed", "lost", NULL};
    const struct reply *rows = rows_at(r, 1);
    return rows ? put_rows(context, rows, columns), 0 : reply_strange(e);
}

static int show_tunnel(void *context, const struct reply *r, struct err *e)
{
    static const char *const whole[] = {"tunnel",    "type",    "stage", "channels",
                                        "ownerless", "clients", "lag",   "lagMs",
                                        "expired",   "lost",    NULL};
    static const char *const columns[] = {"channel",     "status", "owner",    "tag",
                                          "statusAgeMs", "lag",    "lagBytes", "lagMs",
                                          "failures",    "lost",   "why",      NULL};
    struct setup *s = context;
    const struct reply *rows = rows_at(r, 2);
    if (!rows || !rows_at(r, 1)) {
        return reply_strange(e);
    }
    struct reply one = {.kind = REPLY_LIST, .items = &r->items[1], .count = 1};
    put_rows(s, &one, whole);
    if (cli_format_is_table(&s->o->format)) {
        writer_put_byte(&s->out, '\n');
    }
    put_rows(s, rows, columns);
    return 0;
}

/* ---- commands ---- */

static int read_from(const struct setup *s, const char *otherwise, char out[WHERE_MAX],
                     struct err *e)
{
    static const char *const words[] = {"latest", "earliest", NULL};
    int rc = where_read(s->o->from ? s->o->from : otherwise, words, out, e);
    return rc < 0 ? err_prefix(e, "--from"), -1 : 0;
}

static int read_until(const struct setup *s, char out[WHERE_MAX], struct err *e)
{
    static const char *const words[] = {"latest", NULL};
    out[0] = '\0';
    int rc = s->o->until ? where_read(s->o->until, words, out, e) : 0;
    return rc < 0 ? err_prefix(e, "--until"), -1 : 0;
}

static int check_plan(const struct options *o, struct err *e)
{
    enum kind kind = o->kind_given ? (enum kind)(o->kind + 1) : KIND_NONE;
    if (kind == KIND_NONE) {
        return err_set(e, ERR_USAGE, "what kind of tunnel? --type=base, stream or base-and-stream");
    }
    if ((kind != KIND_STREAM) != (o->base.count > 0)) {
        return err_set(e, ERR_USAGE,
                       kind == KIND_STREAM ? "a stream tunnel has no --base"
                                           : "a base is needed: --base=FILE");
    }
    if ((kind != KIND_BASE) != (o->stream != NULL)) {
        return err_set(e, ERR_USAGE,
                       kind == KIND_BASE ? "a base tunnel has no --stream"
                                         : "a stream is needed: --stream=STREAM");
    }
    if (kind == KIND_BASE && (o->partitions_given || o->from || o->until)) {
        return err_set(e, ERR_USAGE, "--%s has no effect on a base tunnel",
                       o->from    ? "from"
                       : o->until ? "until"
                                  : "partitions");
    }
    if (o->range_given && (kind == KIND_STREAM || o->range == 0)) {
        return err_set(e, ERR_USAGE, "--base-range: there is nothing to cut");
    }
    return 0;
}

static int run_create(struct setup *s, struct err *e)
{
    char from[WHERE_MAX], until[WHERE_MAX];
    const struct options *o = s->o;
    struct cli_object objects = {0};
    if (check_plan(o, e) < 0 || read_from(s, "latest", from, e) < 0 ||
        read_until(s, until, e) < 0 || cli_object_open(&objects, &program, false, e) < 0) {
        return -1;
    }
    struct tunnel_plan plan = {.name = s->arguments[0],
                               .kind = kind_names[o->kind + 1],
                               .stream = o->stream,
                               .partitions = o->partitions,
                               .from = from,
                               .until = until,
                               .bases = o->base.items,
                               .base_count = o->base.count,
                               .objects = objects.client,
                               .range = o->range};
    int rc = tunnel_create(&s->service, &plan, s->who, e);
    cli_object_close(&objects);
    return rc;
}

/* What there is of the tunnels in a list; answers do not outlive the next call, so these are
 * copies. */
struct gathered {
    struct setup *setup;
    struct span name, source;
    struct rows rows;
};

static int gather(void *context, const struct reply *r, struct err *e)
{
    struct gathered *g = context;
    const struct reply *whole = rows_at(r, 1);
    if (!whole || whole->count < 2) {
        return reply_strange(e);
    }
    rows_begin(&g->rows);
    rows_add(&g->rows, whole->items, 2);
    const struct reply source[] = {{.kind = REPLY_TEXT, .text = SPAN_LIT("source")},
                                   {.kind = REPLY_TEXT, .text = g->source}};
    rows_add(&g->rows, source, 2);
    rows_add(&g->rows, whole->items + 2, whole->count - 2);
    return 0;
}

/* A name that is left over from a tunnel that was not made, or deleted, half way is no tunnel. */
static int list_one(void *context, struct span name, struct span source, struct err *e)
{
    struct gathered *g = context;
    struct err why = {0};
    g->name = name;
    g->source = source;
    char *text = mem_copy(name.at, name.len);
    const char *const arguments[] = {text};
    int rc =
        tunnel_ask_source(&g->setup->service, "describe", source, arguments, 1, gather, g, &why);
    free(text);
    if (rc < 0 && why.code != ERR_USAGE) {
        *e = why;
        return -1;
    }
    return 0;
}

static int list_once(struct setup *s, struct err *e)
{
    static const char *const columns[] = {"tunnel",   "source",    "type",    "stage",
                                          "channels", "ownerless", "clients", "lag",
                                          "lagMs",    "expired",   NULL};
    struct gathered g = {.setup = s};
    int rc = tunnel_each(&s->service, list_one, &g, e);
    if (rc == 0) {
        put_rows(s, rows_all(&g.rows), columns);
    }
    rows_release(&g.rows);
    return rc;
}

/* Show something, once or again and again. */
static int show(struct setup *s, int (*once)(struct setup *s, struct err *e), struct err *e)
{
    for (;;) {
        if (s->o->watch_given && cli_format_is_table(&s->o->format)) {
            writer_put_span(&s->out, SPAN_LIT("\033[H\033[2J"));
        }
        if (once(s, e) < 0 || writer_flush(&s->out, e) < 0) {
            return -1;
        }
        if (!s->o->watch_given) {
            return 0;
        }
        int64_t pause = s->o->watch > CLOCK_MILLI ? s->o->watch : CLOCK_MILLI;
        clock_sleep(clock_after(clock_now(), pause));
    }
}

static int run_list(struct setup *s, struct err *e)
{
    return show(s, list_once, e);
}

static int describe_once(struct setup *s, struct err *e)
{
    return tunnel_ask(&s->service, "describe", s->arguments[0], NULL, 0, show_tunnel, s, e);
}

static int clients_once(struct setup *s, struct err *e)
{
    return tunnel_ask(&s->service, "clients", s->arguments[0], NULL, 0, show_clients, s, e);
}

static int events_once(struct setup *s, struct err *e)
{
    char limit[24];
    snprintf(limit, sizeof limit, "%lld", (long long)s->o->limit);
    const char *const arguments[] = {"+", limit};
    return tunnel_ask(&s->service, "events", s->arguments[0], arguments, 2, show_events, s, e);
}

static int run_describe(struct setup *s, struct err *e)
{
    return show(s, describe_once, e);
}

static int run_clients(struct setup *s, struct err *e)
{
    return show(s, clients_once, e);
}

static int run_events(struct setup *s, struct err *e)
{
    return show(s, events_once, e);
}

static int run_seek(struct setup *s, struct err *e)
{
    char from[WHERE_MAX];
    if (!s->o->from) {
        return err_set(e, ERR_USAGE, "where to? --from=latest, earliest or a time");
    }
    if (read_from(s, "", from, e) < 0) {
        return -1;
    }
    const char *const arguments[] = {s->count > 1 ? s->arguments[1] : "*", from, s->who};
    return tunnel_ask(&s->service, "seek", s->arguments[0], arguments, 3, NULL, NULL, e);
}

static int run_schedule(struct setup *s, struct err *e)
{
    const char *what = s->arguments[2];
    if (strcmp(what, "open") != 0 && strcmp(what, "suspend") != 0 &&
        strcmp(what, "terminate") != 0) {
        return err_set(e, ERR_USAGE, "'%s' is not open, suspend or terminate", what);
    }
    const char *const arguments[] = {s->arguments[1], what, s->who};
    return tunnel_ask(&s->service, "schedule", s->arguments[0], arguments, 3, NULL, NULL, e);
}

static int run_trim(struct setup *s, struct err *e)
{
    char oldest[24], length[24];
    int64_t since = (clock_real() - s->o->max_age) / CLOCK_MILLI;
    snprintf(oldest, sizeof oldest, "%lld", s->o->age_given && since > 0 ? (long long)since : 0LL);
    snprintf(length, sizeof length, "%lld", (long long)s->o->max_length);
    const char *const arguments[] = {oldest, length};
    return tunnel_ask_source(&s->service, "trim", span_text(s->arguments[0]), arguments, 2,
                             show_trimmed, s, e);
}

static int run_delete(struct setup *s, struct err *e)
{
    return tunnel_delete(&s->service, s->arguments[0], e);
}

/* ---- which command ---- */

struct command_form {
    const char *name;
    int min, max; /* of its arguments */
    int (*run)(struct setup *s, struct err *e);
    const char *options; /* that have an effect, each with a blank around it */
};

static const struct command_form commands[] = {
    {"create", 1, 1, run_create, " type stream partitions base base-range from until "},
    {"list", 0, 0, run_list, " watch format "},
    {"describe", 1, 1, run_describe, " watch format "},
    {"clients", 1, 1, run_clients, " watch format "},
    {"events", 1, 1, run_events, " limit watch format "},
    {"seek", 1, 2, run_seek, " from "},
    {"schedule", 3, 3, run_schedule, " "},
    {"trim", 1, 1, run_trim, " max-age max-length format "},
    {"delete", 1, 1, run_delete, " "},
};

static const struct command_form *find_command(const struct cli_operands *operands, struct err *e)
{
    if (operands->count == 0) {
        err_set(e, ERR_USAGE, "a command is needed: create, list, describe, ... (see --help)");
        return NULL;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command_form *c = &commands[i];
        if (strcmp(c->name, operands->at[0]) == 0) {
            int n = operands->count - 1;
            if (n < c->min || n > c->max) {
                err_set(e, ERR_USAGE, "%s takes %d%s argument%s", c->name, c->min,
                        c->max > c->min ? " or 2" : "", c->max == 1 ? "" : "s");
                return NULL;
            }
            return c;
        }
    }
    struct near n = near_to_part(span_text(operands->at[0]));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        near_offer(&n, span_text(commands[i].name));
    }
    cli_unknown(e, "command", &n);
    return NULL;
}

static int check_options(const struct command_form *c, const struct options *o, struct err *e)
{
    const struct {
        const char *name;
        bool given;
    } all[] = {{"type", o->kind_given},
               {"stream", o->stream != NULL},
               {"partitions", o->partitions_given},
               {"base", o->base.count > 0},
               {"base-range", o->range_given},
               {"from", o->from != NULL},
               {"until", o->until != NULL},
               {"max-age", o->age_given},
               {"max-length", o->length_given},
               {"limit", o->limit_given},
               {"watch", o->watch_given},
               {"format", o->format.given}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char word[WORD_MAX];
        snprintf(word, sizeof word, " %s ", all[i].name);
        if (all[i].given && !strstr(c->options, word)) {
            return err_set(e, ERR_USAGE, "--%s has no effect on %s", all[i].name, c->name);
        }
    }
    return 0;
}

static int run(const struct command_form *c, struct setup *s, struct err *e)
{
    struct buf url = {0};
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    snprintf(s->who, sizeof s->who, "tunnelctl@%s", host);
    writer_init(&s->out, STDOUT_FILENO, "standard output");
    int rc = cli_store_url(&url, &s->o->store, e);
    if (rc == 0) {
        rc = service_open(&s->service, buf_text(&url), e);
    }
    if (rc == 0) {
        rc = c->run(s, e);
    }
    if (rc == 0) {
        rc = writer_flush(&s->out, e);
    }
    if (url.at) {
        explicit_bzero(url.at, url.cap);
    }
    buf_release(&url);
    service_close(&s->service);
    writer_release(&s->out);
    return rc;
}

int main(int argc, char **argv)
{
    struct options o = {.range = RANGE_DEFAULT, .limit = 100};
    struct cli_operands operands;
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    struct setup s = {.o = &o};
    const struct command_form *c = find_command(&operands, &e);
    status = 0;
    if (c) {
        s.arguments = operands.at + 1;
        s.count = operands.count - 1;
    }
    if (!c || check_options(c, &o, &e) < 0 || run(c, &s, &e) < 0) {
        status = cli_fail(&program, &e);
    }
    cli_list_release(&o.base);
    return status;
}
