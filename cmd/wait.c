/* wait: wait for a signal, or hold lines until their signals release them. */
#include "wait_options.h"

#include "cli/expression.h"
#include "cli/side.h"

#include "base/clock.h"
#include "base/mem.h"
#include "proc/signals.h"
#include "signal/count.h"
#include "signal/nifi_wait.h"
#include "signal/wait.h"

#include <stdlib.h>
#include <unistd.h>

#define EXPIRE_DEFAULT (CLOCK_SECOND * 60 * 10) /* NiFi's, reference/wait-notify.md 1.1 */
#define MEMORY_DEFAULT (UINT64_C(256) << 20)

static const struct cli_program program = {
    .name = "wait",
    .summary = "Wait for a signal, or hold lines until theirs come",
    .usage = "[SIGNAL]",
    .example = "  fanline wait -x 1h --print job-17.done | jq -r .manifest\n"
               "  fanline wait -s job-17 -n '${fragment.count}' <orig.json >released",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_NIFI_TABLE(struct options),
               CLI_STORE_TABLE(struct options),
               CLI_STREAM_TABLE(struct options)},
    .texts = true,
    .max_operands = 1,
};

/* What the options amount to; owned. */
struct plan {
    struct attr_template *id, *counter, *target, *releasable;
    struct fail_on *fail_on;
    size_t fail_on_count;
    bool mind_broken;
    struct spool spool;
};

/* ---- options ---- */

/* An option whose value is a number from 0 on. */
struct number {
    const struct attr_template *t;
    const char *option, *text;
    int64_t max;
    const char *word; /* that may stand for a number; NULL: none */
};

/*
 * A number that is the same for every line is checked before there is one.  NiFi does that only
 * where there is no expression (reference/wait-notify.md 1.1).
 */
static int check_number(const struct number *n, bool nifi, struct err *e)
{
    struct buf text = {0};
    int64_t ignored;
    int rc = 0;
    bool fixed = n->t && attr_is_constant(n->t) && !(nifi && strstr(n->text, "${"));
    if (fixed && attr_eval(n->t, SPAN_LIT("null"), &text, NULL, e) == 0 &&
        !(n->word && span_equal(buf_span(&text), span_text(n->word)))) {
        rc = count_read(buf_span(&text), n->option, 0, n->max, &ignored, e);
        e->code = rc < 0 ? ERR_USAGE : ERR_NONE;
    }
    buf_release(&text);
    return rc;
}

static int compile(const struct options *o, struct plan *p, struct err *e)
{
    const struct attr_rules rules = {.nifi = o->nifi.on};
    const struct {
        struct attr_template **out;
        const char *option, *text;
    } list[] = {
        {&p->id, "--signal", o->signal},
        {&p->counter, "--counter", o->counter},
        {&p->target, "--count", o->count},
        {&p->releasable, "--releasable", o->releasable},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (cli_expression_with(list[i].out, list[i].option, list[i].text, &rules, e) < 0) {
            return -1;
        }
    }
    const struct number target = {p->target, "--count", o->count,
                                  o->nifi.on ? INT32_MAX : STORE_COUNT_MAX,
                                  o->nifi.on ? NULL : "stated"};
    const struct number releasable = {p->releasable, "--releasable", o->releasable,
                                      STORE_RELEASABLE_MAX, NULL};
    return check_number(&target, o->nifi.on, e) < 0 ? -1 : check_number(&releasable, o->nifi.on, e);
}

static int make_plan(const struct options *o, struct plan *p, struct err *e)
{
    if (compile(o, p, e) < 0) {
        return -1;
    }
    p->fail_on = mem_new(o->fail_on.count + 1, sizeof *p->fail_on);
    p->mind_broken = true; /* how notify tells of a stream that was cut short */
    for (size_t i = 0; i < o->fail_on.count; i++) {
        struct fail_on *f = &p->fail_on[p->fail_on_count++];
        if (fail_on_parse(f, o->fail_on.items[i], e) < 0) {
            err_prefix(e, "--fail-on");
            return -1;
        }
        p->mind_broken = p->mind_broken && !span_equal(f->counter, SPAN_LIT("broken"));
    }
    if (o->stream.end_mark && p->mind_broken) { /* then also who waits for a counter */
        p->fail_on[p->fail_on_count++] = (struct fail_on){SPAN_LIT("broken"), 1};
    }
    return o->spool ? spool_open(&p->spool, o->spool, e) : 0;
}

static void release_plan(struct plan *p)
{
    attr_free(p->id);
    attr_free(p->counter);
    attr_free(p->target);
    attr_free(p->releasable);
    free(p->fail_on);
    spool_close(&p->spool);
}

/* A pass is for those who come again: it does not wait for a store that is away. */
static enum wait_outage outage_of(const struct options *o)
{
    if (!o->outage_given && o->mode == MODE_PASS) {
        return WAIT_EXIT;
    }
    return (enum wait_outage)o->outage;
}

static struct wait_rules rules_of(const struct options *o, struct plan *p)
{
    return (struct wait_rules){
        .id = p->id,
        .counter = p->counter,
        .target = p->target,
        .releasable = p->releasable,
        .expire = o->expire,
        .buffer = (size_t)o->buffer,
        .replace = o->copy == 1,
        .counters = o->counters,
        .once = o->release_once,
        .pass = o->mode == MODE_PASS,
        .penalty = o->penalty,
        .outage = outage_of(o),
        .lease = o->lease,
        .fail_on = p->fail_on,
        .fail_on_count = p->fail_on_count,
        .mind_broken = p->mind_broken,
        .folder = o->folder,
        .memory = o->memory,
        .spool = o->spool ? &p->spool : NULL,
    };
}

static struct nifi_wait_rules nifi_rules_of(const struct options *o, const struct plan *p)
{
    return (struct nifi_wait_rules){
        .id = p->id,
        .counter = p->counter,
        .target = p->target,
        .releasable = p->releasable,
        .buffer = o->buffer ? (size_t)o->buffer : 1,
        .expire = o->expire,
        .penalty = o->penalty,
        .replace = o->copy == 1,
        .pass = o->mode == MODE_PASS,
        .triggers = (uint64_t)o->nifi.triggers,
    };
}

/* ---- running ---- */

static int64_t look(void *context, uint64_t released)
{
    struct progress *p = context;
    p->items = released;
    progress_look(p);
    return p->next;
}

/* One of the two engines. */
struct engine {
    struct wait *wait;
    struct nifi_wait *nifi; /* NULL: the other */
};

/* Run it; TERM, INT and HUP end it. *STOPPED is the signal that did. */
static int run(const struct engine *n, struct lines_in *in, struct progress *p, int *stopped,
               struct err *e)
{
    static const int list[] = {SIGTERM, SIGINT, SIGHUP};
    struct signals signals = {.fd = -1};
    if (signals_open(&signals, list, sizeof list / sizeof *list, e) < 0) {
        return -1;
    }
    struct wait_watch watch = {signals.fd, p->signals.fd, look, p};
    int rc = n->nifi ? nifi_wait_run(n->nifi, in, &watch, e) : wait_run(n->wait, in, &watch, e);
    *stopped = rc == 1 ? signals_next(&signals) : 0;
    signals_close(&signals);
    return rc;
}

/* What became of the lines. */
struct tally {
    uint64_t released, expired, failed, failed_on, duplicates, waiting;
    const char *last; /* why the last one expired */
};

static struct tally tally_of(const struct engine *n)
{
    if (n->nifi) {
        return (struct tally){.released = n->nifi->released,
                              .expired = n->nifi->expired_lines,
                              .failed = n->nifi->failed_lines,
                              .waiting = n->nifi->waiting_lines};
    }
    const struct wait *w = n->wait;
    return (struct tally){w->released,   w->expired,    w->failed,   w->failed_on,
                          w->duplicates, w->held.count, w->last.text};
}

/* ---- one signal ---- */

static void report(void *context, const struct err *e)
{
    progress_clear(context);
    cli_complain(&program, e);
}

/* The exit status of a run that ended with RC; E is filled where it is not 0. */
static int conclude(int rc, const struct engine *n, struct err *e)
{
    struct tally t = tally_of(n);
    if (rc == 0 && t.released == 0) {
        if (n->wait) {
            *e = n->wait->last;
        } else if (t.expired > 0) {
            err_set(e, ERR_EXPIRED, "the signal did not release us in time");
        } else {
            err_set(e, ERR_USAGE, "this cannot be waited for");
        }
        rc = -1;
    }
    return rc < 0 && e->code != ERR_FAILED ? cli_fail(&program, e) : cli_status(e->code);
}

static int wait_for(struct store *store, const struct options *o, struct plan *p,
                    const char *signal, struct err *e)
{
    struct wait w = {0};
    struct nifi_wait nifi = {0};
    struct engine engine = {.wait = o->nifi.on ? NULL : &w, .nifi = o->nifi.on ? &nifi : NULL};
    struct writer out;
    struct progress progress;
    int stopped = 0, rc = 0;
    if (id_is_blank(span_text(signal))) {
        err_set(e, ERR_USAGE, "the id of the signal is blank");
        return cli_fail(&program, e);
    }
    writer_init(&out, STDOUT_FILENO, "standard output");
    progress_open(&progress, program.name, (enum progress_when)o->stream.progress, NULL);
    if (o->nifi.on) {
        struct nifi_wait_rules rules = nifi_rules_of(o, p);
        rules.literal = span_text(signal);
        rules.out = o->print ? &out : NULL;
        rules.report = o->stream.quiet ? NULL : report;
        rules.context = &progress;
        nifi_wait_init(&nifi, store, &rules);
        nifi_wait_add(&nifi, SPAN_LIT("{}"));
    } else {
        struct wait_rules rules = rules_of(o, p);
        rules.out = o->print ? &out : NULL;
        rules.impatient = true;
        rules.report = o->stream.quiet ? NULL : report;
        rules.context = &progress;
        wait_init(&w, store, &rules);
        rc = wait_hold(&w, span_text(signal), SPAN_LIT("{}"), e);
    }
    if (rc < 0) {
        e->code = ERR_USAGE;
    } else {
        rc = run(&engine, NULL, &progress, &stopped, e);
    }
    progress_close(&progress);
    int status = stopped ? 0 : conclude(rc, &engine, e);
    wait_release(&w);
    nifi_wait_release(&nifi);
    writer_release(&out);
    if (stopped) {
        signals_die(stopped);
    }
    return status;
}

/* ---- lines ---- */

/* Where lines go that are not released. */
enum { EXPIRED, WAITING, FAILURE, DUPLICATE, LEFT, SIDES };

struct streams {
    struct cli_stream_io io;
    struct cli_side sides[SIDES];
    struct lines_in in;
};

static int open_sides(struct cli_side *sides, const struct options *o, struct err *e)
{
    const char *const names[SIDES] = {
        [EXPIRED] = o->expired,     [WAITING] = o->waiting, [FAILURE] = o->failure,
        [DUPLICATE] = o->duplicate, [LEFT] = o->nifi.left, /* else with those that wait */
    };
    for (int i = 0; i < SIDES; i++) {
        if (cli_side_open(&sides[i], &program, names[i], e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int open_streams(struct streams *s, const struct options *o, struct err *e)
{
    *s = (struct streams){0};
    if (open_sides(s->sides, o, e) < 0 || cli_stream_open(&s->io, &program, &o->stream, e) < 0) {
        for (int i = 0; i < SIDES; i++) {
            cli_side_abort(&s->sides[i]);
        }
        return -1;
    }
    lines_open(&s->in, &s->io.reader, &s->io.rules);
    return 0;
}

/* Does a file get what is put there only when it is closed? */
static bool is_late(const struct cli_side *sides)
{
    for (int i = 0; i < SIDES; i++) {
        if (sides[i].named && !sides[i].file.in_place) {
            return true;
        }
    }
    return false;
}

/* Close the sides. Returns 0, or -1 with E filled by the first failure. */
static int close_sides(struct cli_side *sides, struct err *e)
{
    int rc = 0;
    for (int i = 0; i < SIDES; i++) {
        struct err late = {0};
        if (cli_side_close(&sides[i], &late) < 0 && rc == 0) {
            *e = late;
            rc = -1;
        }
    }
    return rc;
}

/* The exit status that the lines' fates amount to; E is filled where it is not 0. */
static int judge(const struct engine *n, const struct streams *s, struct err *e)
{
    struct tally t = tally_of(n);
    if (t.failed_on > 0) {
        return 4; /* was reported */
    }
    if (t.failed > 0 && !s->sides[FAILURE].named) {
        err_set(e, ERR_DATA, "%llu lines could not wait", (unsigned long long)t.failed);
        return 1;
    }
    if (t.duplicates > 0 && !s->sides[DUPLICATE].named) {
        err_set(e, ERR_DATA, "%llu lines were duplicates; the last: %s",
                (unsigned long long)t.duplicates, t.last);
        return 1;
    }
    if (t.expired > 0 && !s->sides[EXPIRED].named) {
        err_set(e, ERR_EXPIRED, "%llu lines expired%s%s", (unsigned long long)t.expired,
                t.last ? "; the last: " : "", t.last ? t.last : "");
        return cli_status(ERR_EXPIRED);
    }
    if (t.waiting > 0 && !s->sides[WAITING].named) {
        err_set(e, ERR_EXPIRED, "%llu lines are still to wait", (unsigned long long)t.waiting);
        return cli_status(ERR_EXPIRED);
    }
    return 0;
}

/*
 * Lines that are still held are not lost.  But whoever reads no output needs none on the terminal.
 */
static int put_held(const struct engine *n, const struct options *o, struct streams *s, int rc,
                    struct err *e)
{
    struct writer *waiting = s->sides[WAITING].out;
    struct err late = {0};
    int done = 0;
    if (e->code == ERR_PIPE && !s->sides[WAITING].named && !o->spool) {
        return rc;
    }
    if (n->nifi) {
        nifi_wait_put_left(n->nifi, waiting, s->sides[LEFT].named ? s->sides[LEFT].out : waiting);
    } else {
        done = wait_put_held(n->wait, waiting, &late);
    }
    if (done < 0 && rc >= 0) {
        *e = late;
        return -1;
    }
    return rc;
}

static void tell_penalty(void *context, struct span id, int64_t until)
{
    (void)context;
    cli_warn(&program, "signal '%.*s' is set aside until %lld", id_shown(id), id.at,
             (long long)until);
}

/* Run the engine over standard input, and see to what is left. */
static int run_lines(const struct engine *n, const struct options *o, struct streams *s,
                     struct err *e)
{
    struct err late = {0};
    int stopped = 0;
    int rc = run(n, &s->in, &s->io.progress, &stopped, e);
    if (n->nifi && o->stream.verbose) {
        nifi_wait_penalties(n->nifi, tell_penalty, NULL);
    }
    rc = put_held(n, o, s, rc, e);
    rc = rc == 0 ? judge(n, s, e) : rc;
    bool kept = close_sides(s->sides, &late) == 0 && (!o->spool || wait_kept(n->wait, &late) == 0);
    if (!kept && rc >= 0) {
        *e = late;
        rc = -1;
    }
    s->io.rules.end_mark = s->io.rules.end_mark && !stopped;
    int status = cli_stream_close(&s->io, rc, e, tally_of(n).released, &s->in);
    lines_close(&s->in);
    if (stopped) {
        signals_die(stopped);
    }
    return status;
}

static int hold_lines(struct store *store, const struct options *o, struct plan *p, struct err *e)
{
    struct streams s;
    struct wait w;
    if (open_streams(&s, o, e) < 0) {
        return cli_fail(&program, e);
    }
    struct wait_rules rules = rules_of(o, p);
    rules.out = &s.io.out;
    rules.expired = s.sides[EXPIRED].out;
    rules.failure = s.sides[FAILURE].out;
    rules.duplicate = s.sides[DUPLICATE].out;
    rules.late = is_late(s.sides);
    rules.report = s.io.rules.report;
    rules.context = s.io.rules.context;
    wait_init(&w, store, &rules);
    int status = run_lines(&(struct engine){.wait = &w}, o, &s, e);
    wait_release(&w);
    return status;
}

static int hold_lines_nifi(struct store *store, const struct options *o, struct plan *p,
                           struct err *e)
{
    struct streams s;
    struct nifi_wait w;
    if (open_streams(&s, o, e) < 0) {
        return cli_fail(&program, e);
    }
    struct nifi_wait_rules rules = nifi_rules_of(o, p);
    rules.out = &s.io.out;
    rules.expired = s.sides[EXPIRED].out;
    rules.failure = s.sides[FAILURE].out;
    rules.waiting = s.sides[WAITING].out;
    rules.report = s.io.rules.report;
    rules.context = s.io.rules.context;
    nifi_wait_init(&w, store, &rules);
    int status = run_lines(&(struct engine){.nifi = &w}, o, &s, e);
    nifi_wait_release(&w);
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {.stream = CLI_STREAM_DEFAULTS,
                        .expire = EXPIRE_DEFAULT,
                        .memory = MEMORY_DEFAULT,
                        .folder = "/tmp",
                        .lease = WAIT_LEASE_DEFAULT};
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
    } else if (!o.signal) {
        status = wait_for(store, &o, &p, operands.at[0], &e);
    } else {
        status = o.nifi.on ? hold_lines_nifi(store, &o, &p, &e) : hold_lines(store, &o, &p, &e);
    }
    store_close(store);
    release_plan(&p);
    cli_list_release(&o.fail_on);
    return status;
}
