/* notify: signal once, or for each line of a stream. */
#include "notify_options.h"

#include "cli/expression.h"
#include "cli/side.h"

#include "base/clock.h"
#include "base/mem.h"
#include "signal/nifi_notify.h"
#include "signal/notify.h"

#include <stdlib.h>

#define TTL_DEFAULT     (CLOCK_SECOND * 3600 * 24)
#define PATIENCE_ONCE   (10 * CLOCK_SECOND) /* how long a store that is down is tried */
#define PATIENCE_STREAM (30 * CLOCK_SECOND) /* a restart of a server fits in */

enum {
    BUFFER_DEFAULT = 100, /* more lines in one call gain nothing: reference/limits.md 4 */
    BUFFER_NIFI = 1       /* NiFi's, reference/wait-notify.md 1.2 */
};

static const struct cli_program program = {
    .name = "notify",
    .summary = "Signal that something is done, once or for each line",
    .usage = "[SIGNAL]",
    .example = "  notify --set manifest=results/m.json job-17.done\n"
               "  maprun ... | notify -s job-17 -c '${Status}' -d '${ItemCount}' >records",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_NIFI_TABLE(struct options),
               CLI_STORE_TABLE(struct options),
               CLI_STREAM_TABLE(struct options)},
    .texts = true,
    .max_operands = 1,
};

/* What the options amount to; owned. */
struct plan {
    struct attr_template *id, *counter, *delta, *once, *of;
    struct regex *cached;
    struct store_attribute *set;
};

/* ---- options ---- */

/* The attributes of --set. */
static int read_set(const struct options *o, struct plan *p, struct err *e)
{
    p->set = mem_new(o->set.count, sizeof *p->set);
    for (size_t i = 0; i < o->set.count; i++) {
        const char *text = o->set.items[i];
        const char *equals = strchr(text, '=');
        if (!equals || equals == text) {
            return err_set(e, ERR_USAGE, "--set: '%s' is not NAME=VALUE", text);
        }
        p->set[i].name = span_of(text, (size_t)(equals - text));
        p->set[i].value = span_text(equals + 1);
    }
    return 0;
}

static int make_plan(const struct options *o, struct plan *p, struct err *e)
{
    const struct attr_rules rules = {.nifi = o->nifi.on};
    const struct {
        struct attr_template **out;
        const char *option, *text;
    } list[] = {
        {&p->id, "--signal", o->signal},
        {&p->counter, "--counter", o->counter ? o->counter : "default"},
        {&p->delta, "--delta", o->delta},
        {&p->once, "--once", o->once},
        {&p->of, "--of", o->of},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (cli_expression_with(list[i].out, list[i].option, list[i].text, &rules, e) < 0) {
            return -1;
        }
    }
    if (read_set(o, p, e) < 0) {
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

static struct nifi_notify_rules nifi_rules_of(const struct options *o, const struct plan *p,
                                              const struct store *store)
{
    /* An entry that NiFi made has no time to live; it gets one only if that was asked for. */
    int64_t ttl = store_is_foreign(store) && !o->ttl_given ? STORE_TTL_KEEP : o->ttl;
    return (struct nifi_notify_rules){
        .id = p->id,
        .counter = p->counter,
        .delta = p->delta,
        .cached = p->cached,
        .set = p->set,
        .set_count = o->set.count,
        .ttl = o->ttl_given && o->ttl < 0 ? 0 : ttl,
        .buffer = (size_t)(o->buffer_given ? o->buffer : BUFFER_NIFI),
        .triggers = (uint64_t)o->nifi.triggers,
    };
}

/* ---- the two forms ---- */

static void count(void *context, uint64_t lines)
{
    struct cli_stream_io *io = context;
    progress_count(&io->progress, lines);
}

/* The only signal. */
struct single {
    struct err why; /* what is wrong with it, which is the error of the program */
    bool quiet;
};

static void note(void *context, const struct err *e)
{
    struct single *s = context;
    if (e->code != ERR_LATER) {
        s->why = *e;
    } else if (!s->quiet) {
        cli_complain(&program, e); /* of a store that does not answer */
    }
}

static int signal_once(struct store *store, struct notify_rules rules, const char *signal,
                       bool quiet, struct err *e)
{
    struct notify n;
    struct single single = {.quiet = quiet};
    rules.literal = span_text(signal);
    rules.buffer = 2; /* so that adding does not send yet */
    rules.patience = PATIENCE_ONCE;
    rules.report = note;
    rules.context = &single;
    notify_init(&n, store, &rules);
    int rc = notify_add(&n, SPAN_LIT("null"), SPAN_LIT("null"), e);
    if (rc == 0 && n.failed > 0) {
        rc = err_set(e, ERR_USAGE, "%s", single.why.text);
    }
    if (rc == 0) {
        rc = notify_send(&n, e);
    }
    if (rc == 0 && n.failed > 0) {
        *e = single.why;
        rc = -1;
    }
    notify_release(&n);
    return rc < 0 ? cli_fail(&program, e) : 0;
}

static int signal_once_nifi(struct store *store, struct nifi_notify_rules rules, const char *signal,
                            bool quiet, struct err *e)
{
    struct nifi_notify n;
    struct single single = {.quiet = quiet};
    rules.literal = span_text(signal);
    rules.buffer = 1;
    rules.patience = PATIENCE_ONCE;
    rules.report = note;
    rules.context = &single;
    nifi_notify_init(&n, store, &rules);
    nifi_notify_add(&n, SPAN_LIT("null"));
    int rc = nifi_notify_send(&n, e);
    if (rc == 0 && n.failed_lines > 0) {
        rc = err_set(e, ERR_USAGE, "%s", single.why.text);
    }
    nifi_notify_release(&n);
    return rc < 0 ? cli_fail(&program, e) : 0;
}

/* Lines that failed and had nowhere to go make the exit status 1. */
static int judge(uint64_t failed, const struct cli_side *failure, struct err *e)
{
    if (failed == 0 || failure->named) {
        return 0;
    }
    err_set(e, ERR_DATA, "%llu lines could not signal", (unsigned long long)failed);
    return 1;
}

/* What the lines of standard input pass through. */
struct streams {
    struct cli_stream_io io;
    struct cli_side failure, left;
    struct lines_in in;
};

static int open_streams(struct streams *s, const struct options *o, struct err *e)
{
    s->failure = s->left = (struct cli_side){0};
    if (cli_side_open(&s->failure, &program, o->failure, e) < 0 ||
        cli_side_open(&s->left, &program, o->nifi.left, e) < 0 ||
        cli_stream_open(&s->io, &program, &o->stream, e) < 0) {
        cli_side_abort(&s->failure);
        cli_side_abort(&s->left);
        return -1;
    }
    lines_open(&s->in, &s->io.reader, &s->io.rules);
    return 0;
}

/* The end of all of them: the exit status. */
static int close_streams(struct streams *s, int rc, uint64_t passed, struct err *e)
{
    struct cli_side *const list[] = {&s->failure, &s->left};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct err late = {0};
        if (cli_side_close(list[i], &late) < 0 && rc >= 0) {
            *e = late;
            rc = -1;
        }
    }
    int status = cli_stream_close(&s->io, rc, e, passed, &s->in);
    lines_close(&s->in);
    return status;
}

/* How long a store that is away is tried. */
static int64_t patience_of(const struct options *o)
{
    if (!o->outage_given) {
        return PATIENCE_STREAM;
    }
    return o->outage == OUTAGE_RETRY ? -1 : 0;
}

static int signal_lines(const struct options *o, struct store *store, struct notify_rules rules,
                        struct err *e)
{
    struct streams s;
    struct notify n;
    if (open_streams(&s, o, e) < 0) {
        return cli_fail(&program, e);
    }
    rules.patience = patience_of(o);
    rules.fail_in_outage = o->outage == OUTAGE_FAILURE;
    rules.remember_ids = s.io.rules.end_mark;
    rules.out = &s.io.out;
    rules.failure = s.failure.out;
    rules.report = s.io.rules.report;
    rules.passed = count;
    rules.context = &s.io;
    notify_init(&n, store, &rules);
    int rc = notify_run(&n, &s.in, e);
    rc = rc < 0 ? rc : judge(n.failed, &s.failure, e);
    int status = close_streams(&s, rc, n.passed, e);
    notify_release(&n);
    return status;
}

static int signal_lines_nifi(const struct options *o, struct store *store,
                             struct nifi_notify_rules rules, struct err *e)
{
    struct streams s;
    struct nifi_notify n;
    if (open_streams(&s, o, e) < 0) {
        return cli_fail(&program, e);
    }
    rules.patience = PATIENCE_STREAM;
    rules.out = &s.io.out;
    rules.failure = s.failure.out;
    rules.left = s.left.out;
    rules.report = s.io.rules.report;
    rules.passed = count;
    rules.context = &s.io;
    nifi_notify_init(&n, store, &rules);
    int rc = nifi_notify_run(&n, &s.in, e);
    rc = rc < 0 ? rc : judge(n.failed_lines, &s.failure, e);
    int status = close_streams(&s, rc, n.passed_lines, e);
    nifi_notify_release(&n);
    return status;
}

static int run(const struct options *o, const struct plan *p, struct store *store,
               const char *signal, struct err *e)
{
    if (o->nifi.on) {
        struct nifi_notify_rules rules = nifi_rules_of(o, p, store);
        return o->signal ? signal_lines_nifi(o, store, rules, e)
                         : signal_once_nifi(store, rules, signal, o->stream.quiet, e);
    }
    struct notify_rules rules = rules_of(o, p);
    return o->signal ? signal_lines(o, store, rules, e)
                     : signal_once(store, rules, signal, o->stream.quiet, e);
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
    if (check_options(&o, operands.count, &e) < 0 || make_plan(&o, &p, &e) < 0 ||
        cli_store_open(&store, &program, &o.store, &o.stream, &e) < 0) {
        status = cli_fail(&program, &e);
    } else {
        status = run(&o, &p, store, o.signal ? NULL : operands.at[0], &e);
    }
    store_close(store);
    release_plan(&p);
    cli_list_release(&o.set);
    return status;
}
