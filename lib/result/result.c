#include "result/result.h"

#include "io/outfile.h"
#include "result/collector.h"
#include "result/expect.h"
#include "result/facts.h"
#include "result/record.h"
#include "result/report.h"
#include "result/summary.h"

#include <string.h>

/* Without files there is nothing that these could be about. */
static int check_output(const struct result_options *o, struct err *e)
{
    const char *of_files = o->run_name              ? "run-name"
                           : o->append              ? "append-run"
                           : o->has_type            ? "type"
                           : o->files.max_bytes > 0 ? "max-file-bytes"
                           : o->files.max_items > 0 ? "max-file-items"
                                                    : NULL;
    if (of_files) {
        return err_set(e, ERR_USAGE, "--%s has no effect without --output", of_files);
    }
    bool aws = o->files.form.records == FORM_AWS; /* which has a form for failures, too */
    if (o->has_records && !aws && o->files.form.transform != FORM_NONE) {
        return err_set(e, ERR_USAGE,
                       "--records has no effect without --output or --transform=none");
    }
    return 0;
}

int result_check(const struct result_options *o, struct err *e)
{
    if (o->files.form.records == FORM_AWS && (o->append || o->redrive)) {
        return err_set(e, ERR_USAGE, "--%s has no place for --records=aws, which is only written",
                       o->append ? "append-run" : "redrive");
    }
    if (o->append && o->redrive) {
        return err_set(e, ERR_USAGE, "--append-run and --redrive exclude each other");
    }
    if (o->redrive && o->run_name && !o->dest) {
        return err_set(e, ERR_USAGE, "--run-name has no effect without --output");
    }
    if (!o->dest && !o->redrive && check_output(o, e) < 0) {
        return -1;
    }
    if (o->append && o->files.form.transform != FORM_NONE) {
        return err_set(e, ERR_USAGE, "--append-run needs whole records: not with --transform");
    }
    if (o->dest && dest_check(o->dest, e) < 0) {
        return -1;
    }
    const char *why = o->run_name ? dest_bad_run(span_text(o->run_name)) : NULL;
    return why ? err_set(e, ERR_USAGE, "'%s' cannot be the name of a run: %s", o->run_name, why)
               : 0;
}

/* An execution came again: it is refused, but the run goes on. */
static int refuse_again(struct collector *c, const struct record *r, struct err *e)
{
    struct lines_in *in = c->in;
    int len = (int)(r->name.len > 200 ? 200 : r->name.len);
    if (r->has_index) {
        err_set(e, ERR_DATA, "the execution %.*s (Index %llu) came before, it is counted once", len,
                r->name.at, (unsigned long long)r->index);
    } else {
        err_set(e, ERR_DATA, "the execution %.*s came before, it is counted once", len, r->name.at);
    }
    if (lines_refuse(in, e) == 0) {
        return 0;
    }
    if (in->rules.rejects) {
        return -1; /* the rejects file cannot be written */
    }
    if (in->rules.report) {
        in->rules.report(in->rules.context, e);
    }
    *e = (struct err){0};
    return 0;
}

/* R is an execution that has not come before. */
static int take_record(struct collector *c, const struct record *r, struct span line,
                       const struct roster_place *place, struct err *e)
{
    if (c->o->redrive) {
        int taken = again_take(c, r, line, e);
        return taken == 0 ? lines_refuse(c->in, e) : taken < 0 ? -1 : 0;
    }
    if (collector_count(c, r, e) < 0) {
        return lines_refuse(c->in, e);
    }
    return collector_deliver(c, r, line, place, e);
}

static int take_line(struct collector *c, struct span line, struct err *e)
{
    struct record r;
    struct roster_place place;
    if (record_read(&r, line, lines_seams(c->in), e) < 0) {
        return lines_refuse(c->in, e);
    }
    if (c->run.len == 0 && collector_open(c, &r, e) < 0) {
        return -1;
    }
    int fresh = roster_add(&c->roster, &r, &place, e);
    if (fresh < 0) {
        return lines_refuse(c->in, e);
    }
    return fresh ? take_record(c, &r, line, &place, e) : refuse_again(c, &r, e);
}

static int check_expected(const struct collector *c, struct err *e)
{
    uint64_t expected;
    uint64_t items = counts_total(c->counts.items);
    if (!c->o->expect) {
        return 0;
    }
    if (expect_read(c->o->expect, &c->in->rules, &expected, e) < 0) {
        return -1;
    }
    if (expected == items) {
        return 0;
    }
    return err_set(e, ERR_DATA, "%llu items were expected, %llu came, in %llu records",
                   (unsigned long long)expected, (unsigned long long)items,
                   (unsigned long long)counts_total(c->counts.executions));
}

static bool exceeds(const struct collector *c)
{
    const uint64_t *n = c->o->by_items ? c->counts.items : c->counts.executions;
    return tolerance_exceeded(&c->o->tolerance, counts_failed(n), counts_total(n));
}

/* A run in which something never ran was stopped: no tolerance makes it whole. */
static void judge(const struct collector *c, struct err *verdict)
{
    const uint64_t *n = c->o->by_items ? c->counts.items : c->counts.executions;
    if (exceeds(c)) {
        err_set(verdict, ERR_FAILED, "%llu of %llu %s failed, more than is tolerated",
                (unsigned long long)counts_failed(n), (unsigned long long)counts_total(n),
                c->o->by_items ? "items" : "executions");
    } else if (n[RECORD_PENDING] > 0) {
        err_set(verdict, ERR_FAILED, "%llu of %llu %s never ran",
                (unsigned long long)n[RECORD_PENDING], (unsigned long long)counts_total(n),
                c->o->by_items ? "items" : "executions");
    }
}

/* Make the results whole. */
static int commit(struct collector *c, struct result_outcome *r, struct err *e)
{
    if (!files_is_open(&c->files)) {
        if (output_finish(&c->output, e) < 0) {
            return -1;
        }
        r->lines = output_lines(&c->output);
        return 0;
    }
    if (files_commit(&c->files, e) < 0) {
        return -1;
    }
    files_put_details(&c->files, c->out);
    r->lines = 1;
    return 0;
}

static int put_summary(struct collector *c, const struct facts *facts, struct result_outcome *r,
                       struct err *e)
{
    struct outfile file;
    if (strcmp(c->o->summary, "-") != 0) {
        if (outfile_open(&file, c->o->summary, e) < 0) {
            return -1;
        }
        summary_put_json(&file.out, facts);
        return outfile_commit(&file, e);
    }
    if (c->o->summary_table) {
        summary_put_table(c->out, facts);
    } else {
        summary_put_json(c->out, facts);
        r->lines++;
    }
    return 0;
}

static int tell(struct collector *c, struct result_outcome *r, struct err *e)
{
    struct facts facts = {
        .run = buf_text(&c->run),
        .counts = &c->counts,
        .stats = &c->stats,
        .files = files_is_open(&c->files) ? &c->files : NULL,
        .verdict = &r->verdict,
        .exceeded = exceeds(c),
        .rejected = c->in->rejected,
    };
    failures_sort(&c->stats.failures);
    if (c->o->summary && put_summary(c, &facts, r, e) < 0) {
        return -1;
    }
    return c->o->report ? report_write(c->o->report, &facts, e) : 0;
}

static int finish(struct collector *c, struct result_outcome *r, struct err *e)
{
    if (c->o->redrive && again_merge(c, e) < 0) {
        return -1;
    }
    if (check_expected(c, e) < 0) {
        return -1;
    }
    if (c->run.len == 0 && collector_open(c, NULL, e) < 0) {
        return -1;
    }
    if (commit(c, r, e) < 0) {
        return -1;
    }
    judge(c, &r->verdict);
    return c->tells ? tell(c, r, e) : 0;
}

/* What can be opened before any record comes. */
static int open_early(struct collector *c, struct err *e)
{
    if (c->o->redrive) {
        return again_open(c, e);
    }
    return c->o->run_name ? collector_open(c, NULL, e) : 0;
}

static int collect(struct collector *c, struct result_outcome *r, struct err *e)
{
    struct span line;
    int got;
    if (open_early(c, e) < 0) {
        return -1;
    }
    while ((got = lines_step(c->in, &line, e)) > 0) {
        uint64_t lines = c->in->items + c->in->rejected;
        if ((got != LINES_NONE && take_line(c, line, e) < 0) ||
            (c->o->passed && c->o->passed(c->o->watcher, lines, e) < 0)) {
            return -1;
        }
    }
    return got < 0 ? -1 : finish(c, r, e);
}

/* E, if it is set, ended the run; it is told what could not be cleared away. */
static void release(struct collector *c, struct err *e)
{
    files_release(&c->files, e);
    output_release(&c->output);
    roster_release(&c->roster);
    stats_release(&c->stats);
    stored_close(&c->before);
    redrive_release(&c->redrive);
    buf_release(&c->run);
    buf_release(&c->scratch);
}

int result_run(struct lines_in *in, const struct result_options *o, struct writer *out,
               struct result_outcome *r, struct err *e)
{
    struct collector c = {.in = in, .o = o, .out = out, .form = o->files.form};
    *r = (struct result_outcome){0};
    c.tells = o->summary || o->report;
    c.form.lines = o->wrap == OUTPUT_LINES;
    c.form.outputs_only = true;
    output_init(&c.output, out, o->wrap, o->temp);
    int rc = collect(&c, r, e);
    if (rc < 0) {
        output_break(&c.output);
    }
    release(&c, rc < 0 ? e : NULL);
    return rc;
}
