/* wait: wait for a signal, or hold lines until their signals release them. */
#include "cli/expression.h"
#include "cli/side.h"
#include "cli/store_option.h"
#include "cli/stream.h"

#include "base/clock.h"
#include "base/mem.h"
#include "proc/signals.h"
#include "signal/count.h"
#include "signal/wait.h"

#include <stdlib.h>
#include <unistd.h>

#define EXPIRE_DEFAULT (CLOCK_SECOND * 60 * 10) /* NiFi's, reference/wait-notify.md 1.1 */

struct options {
    struct cli_stream stream;
    struct cli_store store;
    const char *signal;
    const char *count;
    const char *counter;
    int64_t buffer;
    const char *releasable;
    int64_t expire;
    int copy;
    bool copy_given;
    bool print;
    const char *expired;
    const char *waiting;
    const char *failure;
    struct cli_list fail_on;
};

static const char *const copy_names[] = {"keep", "replace", NULL};

static const struct cli_option option_table[] = {
    {.letter = 's',
     .name = "signal",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, signal),
     .help = "hold each line of standard input for this id"},
    {.letter = 'n',
     .name = "count",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, count),
     .help = "wait for so many signals (default 1), or stated"},
    {.letter = 'c',
     .name = "counter",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, counter),
     .help = "look at this counter (default: the total)"},
    {.letter = 'B',
     .name = "buffer",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, buffer),
     .min = 1,
     .max = STORE_WAITERS_MAX,
     .help = "ask for at most N lines of an id at once (all)"},
    {.letter = 'r',
     .name = "releasable",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, releasable),
     .help = "release so many lines each time (1); 0: a gate"},
    {.letter = 'x',
     .name = "expire",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, expire),
     .env = "FANLINE_EXPIRE",
     .never = true,
     .help = "wait at most so long (default 10 min), or never"},
    {.name = "copy",
     .argument = "MODE",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, copy),
     .given_offset = offsetof(struct options, copy_given),
     .choices = copy_names,
     .help = "members the line has: keep (default) or replace"},
    {.name = "print",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, print),
     .help = "write the signal's attributes as one JSON line"},
    {.name = "expired",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, expired),
     .help = "put lines that expire into FILE"},
    {.name = "waiting",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, waiting),
     .help = "put lines still held at the end into FILE"},
    {.name = "failure",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, failure),
     .help = "put lines that cannot wait into FILE"},
    {.name = "fail-on",
     .argument = "COUNTER>=N",
     .type = CLI_LIST,
     .offset = offsetof(struct options, fail_on),
     .help = "give up as soon as this is true (exit 4)"},
};

static const struct cli_program program = {
    .name = "wait",
    .summary = "Wait for a signal, or hold lines until theirs come",
    .usage = "[SIGNAL]",
    .example = "  fanline wait -x 1h --print job-17.done | jq -r .manifest\n"
               "  fanline wait -s job-17 -n '${fragment.count}' <orig.json >released",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_STORE_TABLE(struct options),
               CLI_STREAM_TABLE(struct options)},
    .max_operands = 1,
};

/* What the options amount to; owned. */
struct plan {
    struct attr_template *id, *counter, *target, *releasable;
    struct fail_on *fail_on;
    size_t fail_on_count;
};

/* Where lines go that are not released. */
struct sides {
    struct cli_side expired, waiting, failure;
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
    if (o->signal && o->print) {
        return err_set(e, ERR_USAGE, "--print has no effect with --signal: lines get attributes");
    }
    const char *idle = o->buffer           ? "buffer"
                       : o->copy_given     ? "copy"
                       : o->expired        ? "expired"
                       : o->waiting        ? "waiting"
                       : o->failure        ? "failure"
                       : o->stream.rejects ? "rejects"
                                           : NULL;
    if (!o->signal && idle) {
        return err_set(e, ERR_USAGE, "--%s has no effect without --signal", idle);
    }
    return 0;
}

/* A number that is the same for every line is checked before there is one. */
static int check_number(const struct attr_template *t, const char *option, int64_t max,
                        struct err *e)
{
    struct buf text = {0};
    int64_t ignored;
    int rc = 0;
    if (t && attr_is_constant(t) && attr_eval(t, SPAN_LIT("null"), &text, NULL, e) == 0 &&
        !(max == STORE_COUNT_MAX && span_equal(buf_span(&text), SPAN_LIT("stated")))) {
        rc = count_read(buf_span(&text), option, 0, max, &ignored, e);
        e->code = rc < 0 ? ERR_USAGE : ERR_NONE;
    }
    buf_release(&text);
    return rc;
}

static int make_plan(const struct options *o, struct plan *p, struct err *e)
{
    if (cli_expression(&p->id, "--signal", o->signal, e) < 0 ||
        cli_expression(&p->counter, "--counter", o->counter, e) < 0 ||
        cli_expression(&p->target, "--count", o->count, e) < 0 ||
        cli_expression(&p->releasable, "--releasable", o->releasable, e) < 0 ||
        check_number(p->target, "--count", STORE_COUNT_MAX, e) < 0 ||
        check_number(p->releasable, "--releasable", STORE_RELEASABLE_MAX, e) < 0) {
        return -1;
    }
    p->fail_on = mem_new(o->fail_on.count + 1, sizeof *p->fail_on);
    for (size_t i = 0; i < o->fail_on.count; i++) {
        if (fail_on_parse(&p->fail_on[p->fail_on_count++], o->fail_on.items[i], e) < 0) {
            err_prefix(e, "--fail-on");
            return -1;
        }
    }
    if (o->stream.end_mark) { /* how notify tells of a stream that was cut short */
        p->fail_on[p->fail_on_count++] = (struct fail_on){SPAN_LIT("broken"), 1};
    }
    return 0;
}

static void release_plan(struct plan *p)
{
    attr_free(p->id);
    attr_free(p->counter);
    attr_free(p->target);
    attr_free(p->releasable);
    free(p->fail_on);
}

static struct wait_rules rules_of(const struct options *o, const struct plan *p)
{
    return (struct wait_rules){
        .id = p->id,
        .counter = p->counter,
        .target = p->target,
        .releasable = p->releasable,
        .expire = o->expire,
        .buffer = (size_t)o->buffer,
        .replace = o->copy == 1,
        .lease = WAIT_LEASE_DEFAULT,
        .fail_on = p->fail_on,
        .fail_on_count = p->fail_on_count,
    };
}

static int64_t look(void *context, uint64_t released)
{
    struct progress *p = context;
    p->items = released;
    progress_look(p);
    return p->next;
}

/* Run W; TERM, INT and HUP end it. *STOPPED is the signal that did. */
static int run(struct wait *w, struct lines_in *in, struct progress *p, int *stopped, struct err *e)
{
    static const int list[] = {SIGTERM, SIGINT, SIGHUP};
    struct signals signals = {.fd = -1};
    if (signals_open(&signals, list, sizeof list / sizeof *list, e) < 0) {
        return -1;
    }
    struct wait_watch watch = {signals.fd, p->signals.fd, look, p};
    int rc = wait_run(w, in, &watch, e);
    *stopped = rc == 1 ? signals_next(&signals) : 0;
    signals_close(&signals);
    return rc;
}

/* The exit status that the lines' fates amount to; E is filled where it is not 0. */
static int judge(const struct wait *w, const struct sides *s, struct err *e)
{
    if (w->failed_on > 0) {
        return 4; /* was reported */
    }
    if (w->failed > 0 && !s->failure.named) {
        err_set(e, ERR_DATA, "%llu lines could not wait", (unsigned long long)w->failed);
        return 1;
    }
    if (w->expired > 0 && !s->expired.named) {
        err_set(e, ERR_EXPIRED, "%llu lines expired; the last: %s", (unsigned long long)w->expired,
                w->last.text);
        return cli_status(ERR_EXPIRED);
    }
    return 0;
}

/* ---- one signal ---- */

static void report(void *context, const struct err *e)
{
    progress_clear(context);
    cli_complain(&program, e);
}

static int wait_for(struct store *store, struct wait_rules rules, const struct options *o,
                    const char *signal, struct err *e)
{
    struct wait w;
    struct writer out;
    struct progress progress;
    int stopped = 0;
    if (id_is_blank(span_text(signal))) {
        err_set(e, ERR_USAGE, "the id of the signal is blank");
        return cli_fail(&program, e);
    }
    writer_init(&out, STDOUT_FILENO, "standard output");
    rules.out = o->print ? &out : NULL;
    rules.impatient = true;
    rules.report = o->stream.quiet ? NULL : report;
    rules.context = &progress;
    progress_open(&progress, program.name, (enum progress_when)o->stream.progress, NULL);
    wait_init(&w, store, &rules);
    int rc = wait_hold(&w, span_text(signal), SPAN_LIT("{}"), e);
    if (rc < 0) {
        e->code = ERR_USAGE;
    } else {
        rc = run(&w, NULL, &progress, &stopped, e);
    }
    progress_close(&progress);
    if (rc == 0 && w.released == 0) {
        *e = w.last;
        rc = -1;
    }
    int status = rc < 0 && e->code != ERR_FAILED ? cli_fail(&program, e) : cli_status(e->code);
    wait_release(&w);
    writer_release(&out);
    if (stopped) {
        signals_die(stopped);
    }
    return status;
}

/* ---- lines ---- */

static int open_sides(struct sides *s, const struct options *o, struct err *e)
{
    *s = (struct sides){0};
    if (cli_side_open(&s->expired, o->expired, e) < 0 ||
        cli_side_open(&s->waiting, o->waiting, e) < 0 ||
        cli_side_open(&s->failure, o->failure, e) < 0) {
        return -1;
    }
    if (cli_side_same(&s->expired, &s->waiting) || cli_side_same(&s->expired, &s->failure) ||
        cli_side_same(&s->waiting, &s->failure)) {
        return err_set(e, ERR_USAGE, "two of --expired, --waiting and --failure name one file");
    }
    return 0;
}

static void abort_sides(struct sides *s)
{
    cli_side_abort(&s->expired);
    cli_side_abort(&s->waiting);
    cli_side_abort(&s->failure);
}

/* Close all of them; the first failure stays in E, unless there is one already. */
static int close_sides(struct sides *s, int rc, struct err *e)
{
    struct cli_side *const list[] = {&s->expired, &s->waiting, &s->failure};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct err late = {0};
        if (cli_side_close(list[i], &late) < 0 && rc >= 0) {
            *e = late;
            rc = -1;
        }
    }
    return rc;
}

/* Lines that are still held are not lost; but whoever reads no output needs none on the terminal.
 */
static void put_held(struct wait *w, struct sides *s, const struct err *e)
{
    if (e->code != ERR_PIPE || s->waiting.named) {
        wait_put_held(w, s->waiting.out);
    }
}

static int hold_lines(struct store *store, struct wait_rules rules, const struct options *o,
                      struct err *e)
{
    struct cli_stream_io io;
    struct sides sides;
    struct lines_in in;
    struct wait w;
    int stopped = 0;
    if (open_sides(&sides, o, e) < 0 || cli_stream_open(&io, &program, &o->stream, e) < 0) {
        abort_sides(&sides);
        return cli_fail(&program, e);
    }
    rules.out = &io.out;
    rules.expired = sides.expired.out;
    rules.failure = sides.failure.out;
    rules.report = io.rules.report;
    rules.context = io.rules.context;
    lines_open(&in, &io.reader, &io.rules);
    wait_init(&w, store, &rules);
    int rc = run(&w, &in, &io.progress, &stopped, e);
    put_held(&w, &sides, e);
    rc = rc == 0 ? judge(&w, &sides, e) : rc;
    rc = close_sides(&sides, rc, e);
    io.rules.end_mark = io.rules.end_mark && !stopped;
    int status = cli_stream_close(&io, rc, e, w.released, &in);
    wait_release(&w);
    lines_close(&in);
    if (stopped) {
        signals_die(stopped);
    }
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {.stream = CLI_STREAM_DEFAULTS, .expire = EXPIRE_DEFAULT};
    struct cli_operands operands;
    struct plan p = {0};
    struct store *store = NULL;
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    if (check_form(&o, operands.count, &e) < 0 || make_plan(&o, &p, &e) < 0 ||
        cli_store_open(&store, &program, &o.store, &o.stream, &e) < 0) {
        status = cli_fail(&program, &e);
    } else {
        struct wait_rules rules = rules_of(&o, &p);
        status = o.signal ? hold_lines(store, rules, &o, &e)
                          : wait_for(store, rules, &o, operands.at[0], &e);
    }
    store_close(store);
    release_plan(&p);
    cli_list_release(&o.fail_on);
    return status;
}
