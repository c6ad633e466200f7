/* notify: signal once, or for each line of a stream. */
#include "cli/expression.h"
#include "cli/side.h"
#include "cli/store_option.h"
#include "cli/stream.h"

#include "base/clock.h"
#include "base/mem.h"
#include "signal/notify.h"
#include "json/text.h"

#include <stdlib.h>

#define TTL_DEFAULT     (CLOCK_SECOND * 3600 * 24)
#define PATIENCE_ONCE   (10 * CLOCK_SECOND) /* how long a store that is down is tried */
#define PATIENCE_STREAM (30 * CLOCK_SECOND) /* a restart of a server fits in */

enum { BUFFER_DEFAULT = 100 }; /* more lines in one call gain nothing: reference/limits.md 4 */

struct options {
    struct cli_stream stream;
    struct cli_store store;
    const char *signal;
    const char *counter;
    const char *delta;
    bool clear;
    int64_t buffer;
    bool buffer_given;
    const char *attributes;
    struct cli_list set;
    const char *once;
    const char *of;
    bool no_signal;
    int64_t ttl;
    const char *failure;
};

static const struct cli_option option_table[] = {
    {.letter = 's',
     .name = "signal",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, signal),
     .help = "signal this id for each line of standard input"},
    {.letter = 'c',
     .name = "counter",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, counter),
     .help = "count on this counter (default: default)"},
    {.letter = 'd',
     .name = "delta",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, delta),
     .help = "add this whole number (default 1)"},
    {.name = "clear",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, clear),
     .help = "set the counter to 0 instead"},
    {.letter = 'B',
     .name = "buffer",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, buffer),
     .given_offset = offsetof(struct options, buffer_given),
     .min = 1,
     .max = 100000,
     .help = "at most N lines in one call of the store (100)"},
    {.letter = 'a',
     .name = "attributes",
     .argument = "REGEX",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, attributes),
     .help = "keep the line's attributes of such names"},
    {.name = "set",
     .argument = "NAME=VALUE",
     .type = CLI_LIST,
     .offset = offsetof(struct options, set),
     .help = "keep this attribute; may be given several times"},
    {.name = "once",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, once),
     .help = "count each of these keys only once per signal"},
    {.name = "of",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, of),
     .help = "state the target that `wait -n stated` waits for"},
    {.name = "no-signal",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, no_signal),
     .help = "only state the target or the attributes"},
    {.name = "ttl",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, ttl),
     .env = "FANLINE_TTL",
     .never = true,
     .help = "signals live so long (default 24h; 0: for ever)"},
    {.name = "failure",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, failure),
     .help = "put lines that cannot signal into FILE"},
};

static const struct cli_program program = {
    .name = "notify",
    .summary = "Signal that something is done, once or for each line",
    .usage = "[SIGNAL]",
    .example = "  notify --set manifest=results/m.json job-17.done\n"
               "  maprun ... | notify -s job-17 -c '${Status}' -d '${ItemCount}' >records",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_STORE_TABLE(struct options),
               CLI_STREAM_TABLE(struct options)},
    .max_operands = 1,
};

/* What the options amount to; owned. */
struct plan {
    struct attr_template *id, *counter, *delta, *once, *of;
    struct regex *cached;
    struct store_attribute *set;
};

/* ---- options ---- */

static int check_form(const struct options *o, int operands, struct err *e)
{
    if (!o->signal && operands == 0) {
        return err_set(e, ERR_USAGE, "no signal is named");
    }
    if (o->signal && operands > 0) {
        return err_set(e, ERR_USAGE, "a SIGNAL and --signal exclude each other");
    }
    const char *idle = o->buffer_given     ? "buffer"
                       : o->attributes     ? "attributes"
                       : o->failure        ? "failure"
                       : o->stream.rejects ? "rejects"
                                           : NULL;
    if (!o->signal && idle) {
        return err_set(e, ERR_USAGE, "--%s has no effect without --signal", idle);
    }
    return 0;
}

static int check_effect(const struct options *o, struct err *e)
{
    if (o->clear && o->delta) {
        return err_set(e, ERR_USAGE, "--clear and --delta exclude each other");
    }
    if (o->no_signal && (o->clear || o->delta || o->counter)) {
        return err_set(e, ERR_USAGE, "--no-signal leaves counters alone: no --%s",
                       o->clear   ? "clear"
                       : o->delta ? "delta"
                                  : "counter");
    }
    if (o->no_signal && !o->of && !o->attributes && o->set.count == 0) {
        return err_set(e, ERR_USAGE, "--no-signal needs something else to tell: --of or --set");
    }
    return 0;
}

/* The attributes of --set. */
static int read_set(const struct options *o, struct plan *p, struct err *e)
{
    p->set = mem_new(o->set.count, sizeof *p->set);
    for (size_t i = 0; i < o->set.count; i++) {
        const char *text = o->set.items[i];
        const char *equals = strchr(text, '=');
        size_t bad;
        if (!equals || equals == text) {
            return err_set(e, ERR_USAGE, "--set: '%s' is not NAME=VALUE", text);
        }
        if (!text_is_utf8(span_text(text), &bad)) {
            return err_set(e, ERR_USAGE, "--set: '%s' is not UTF-8 at byte %zu", text, bad);
        }
        p->set[i].name = span_of(text, (size_t)(equals - text));
        p->set[i].value = span_text(equals + 1);
    }
    return 0;
}

static int make_plan(const struct options *o, struct plan *p, struct err *e)
{
    if (cli_expression(&p->id, "--signal", o->signal, e) < 0 ||
        cli_expression(&p->counter, "--counter", o->counter ? o->counter : "default", e) < 0 ||
        cli_expression(&p->delta, "--delta", o->delta, e) < 0 ||
        cli_expression(&p->once, "--once", o->once, e) < 0 ||
        cli_expression(&p->of, "--of", o->of, e) < 0 || read_set(o, p, e) < 0) {
        return -1;
    }
    if (!o->attributes || !*o->attributes) {
        return 0; /* empty: no attributes, as NiFi has it */
    }
    if (regex_compile(&p->cached, span_text(o->attributes), REGEX_WHOLE, e) < 0) {
        err_prefix(e, "--attributes");
        return -1;
    }
    return 0;
}

static void release_plan(struct plan *p)
{
    attr_free(p->id);
    attr_free(p->counter);
    attr_free(p->delta);
    attr_free(p->once);
    attr_free(p->of);
    if (p->cached) {
        regex_free(p->cached);
    }
    free(p->set);
}

static struct notify_rules rules_of(const struct options *o, const struct plan *p)
{
    return (struct notify_rules){
        .id = p->id,
        .counter = p->counter,
        .delta = p->delta,
        .once = p->once,
        .target = p->of,
        .clear = o->clear,
        .no_signal = o->no_signal,
        .cached = p->cached,
        .set = p->set,
        .set_count = o->set.count,
        .ttl = o->ttl < 0 ? 0 : o->ttl,
        .buffer = (size_t)o->buffer,
    };
}

/* ---- the two forms ---- */

static void count(void *context, uint64_t lines)
{
    struct cli_stream_io *io = context;
    progress_count(&io->progress, lines);
}

/* What is wrong with the only signal is the error of the program. */
static void keep(void *context, const struct err *e)
{
    *(struct err *)context = *e;
}

static int signal_once(struct store *store, struct notify_rules rules, const char *signal,
                       struct err *e)
{
    struct notify n;
    struct err why = {0};
    rules.literal = span_text(signal);
    rules.buffer = 2; /* so that adding does not send yet */
    rules.patience = PATIENCE_ONCE;
    rules.report = keep;
    rules.context = &why;
    notify_init(&n, store, &rules);
    int rc = notify_add(&n, SPAN_LIT("null"), SPAN_LIT("null"), e);
    if (rc == 0 && n.failed > 0) {
        rc = err_set(e, ERR_USAGE, "%s", why.text);
    }
    if (rc == 0) {
        rc = notify_send(&n, e);
    }
    if (rc == 0 && n.failed > 0) {
        *e = why;
        rc = -1;
    }
    notify_release(&n);
    return rc < 0 ? cli_fail(&program, e) : 0;
}

/* Lines that failed and had nowhere to go make the exit status 1. */
static int judge(const struct notify *n, const struct cli_side *failure, struct err *e)
{
    if (n->failed == 0 || failure->named) {
        return 0;
    }
    err_set(e, ERR_DATA, "%llu lines could not signal", (unsigned long long)n->failed);
    return 1;
}

static int signal_lines(const struct options *o, struct store *store, struct notify_rules rules,
                        struct err *e)
{
    struct cli_stream_io io;
    struct cli_side failure;
    struct lines_in in;
    struct notify n;
    if (cli_side_open(&failure, o->failure, e) < 0) {
        return cli_fail(&program, e);
    }
    if (cli_stream_open(&io, &program, &o->stream, e) < 0) {
        cli_side_abort(&failure);
        return cli_fail(&program, e);
    }
    rules.patience = PATIENCE_STREAM;
    rules.remember_ids = io.rules.end_mark;
    rules.out = &io.out;
    rules.failure = failure.out;
    rules.report = io.rules.report;
    rules.passed = count;
    rules.context = &io;
    lines_open(&in, &io.reader, &io.rules);
    notify_init(&n, store, &rules);
    int rc = notify_run(&n, &in, e);
    rc = rc < 0 ? rc : judge(&n, &failure, e);
    struct err late = {0};
    if (cli_side_close(&failure, &late) < 0 && rc >= 0) {
        *e = late;
        rc = -1;
    }
    int status = cli_stream_close(&io, rc, e, n.passed, &in);
    notify_release(&n);
    lines_close(&in);
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {
        .stream = CLI_STREAM_DEFAULTS, .buffer = BUFFER_DEFAULT, .ttl = TTL_DEFAULT};
    struct cli_operands operands;
    struct plan p = {0};
    struct store *store = NULL;
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    if (check_form(&o, operands.count, &e) < 0 || check_effect(&o, &e) < 0 ||
        make_plan(&o, &p, &e) < 0 ||
        cli_store_open(&store, &program, &o.store, &o.stream, &e) < 0) {
        status = cli_fail(&program, &e);
    } else {
        struct notify_rules rules = rules_of(&o, &p);
        status = o.signal ? signal_lines(&o, store, rules, &e)
                          : signal_once(store, rules, operands.at[0], &e);
    }
    store_close(store);
    release_plan(&p);
    cli_list_release(&o.set);
    return status;
}
