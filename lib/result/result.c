#include "result/result.h"

#include "base/uuid.h"
#include "result/expect.h"
#include "result/record.h"
#include "result/tally.h"
#include "json/text.h"

/* One run of result_run. */
struct collector {
    struct lines_in *in;
    const struct result_options *o;
    struct writer *out;
    struct tally tally;
    struct output output;
    struct files files; /* dest is NULL until the name of the run is known */
};

int result_check(const struct result_options *o, struct err *e)
{
    if (o->dest && files_check_dest(o->dest, e) < 0) {
        return -1;
    }
    const char *why = o->run_name ? files_bad_name(span_text(o->run_name)) : NULL;
    return why ? err_set(e, ERR_USAGE, "'%s' cannot be the name of a run: %s", o->run_name, why)
               : 0;
}

/* Open the folder of the run that R, a record or NULL, belongs to. */
static int open_files(struct collector *c, const struct record *r, struct err *e)
{
    char id[UUID_TEXT_MAX];
    const struct result_options *o = c->o;
    if (o->run_name || !r || r->run.len == 0) {
        const char *run = o->run_name ? o->run_name : uuid_make(id);
        return files_open(&c->files, o->dest, run, o->form, e);
    }
    struct buf run = {0};
    text_decode(&run,
                span_of(r->run.at - 1, r->run.len + 2)); /* with what is where its quotes were */
    const char *why = files_bad_name(buf_span(&run));
    int rc = why ? err_set(e, ERR_DATA, "the run '%s' cannot name a folder, use --run-name: %s",
                           buf_text(&run), why)
                 : files_open(&c->files, o->dest, buf_text(&run), o->form, e);
    buf_release(&run);
    return rc;
}

/* An execution came again: it is refused, but the run goes on. */
static int refuse_again(struct collector *c, const struct record *r, struct err *e)
{
    struct lines_in *in = c->in;
    err_set(e, ERR_DATA, "the execution %.*s (Index %llu) came before, it is counted once",
            (int)(r->name.len > 200 ? 200 : r->name.len), r->name.at, (unsigned long long)r->index);
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

static int take_line(struct collector *c, struct span line, struct err *e)
{
    struct record r;
    struct tally_place place;
    int fresh = record_read(&r, line, e);
    if (fresh == 0) {
        fresh = tally_add(&c->tally, &r, &place, e);
    }
    if (fresh < 0) {
        return lines_refuse(c->in, e);
    }
    if (fresh == 0) {
        return refuse_again(c, &r, e);
    }
    if (!c->o->dest) {
        return output_put(&c->output, &place, r.output, e);
    }
    if (!c->files.dest && open_files(c, &r, e) < 0) {
        return -1;
    }
    return files_put(&c->files, &r, line, e);
}

static int check_expected(const struct collector *c, struct err *e)
{
    uint64_t expected;
    if (!c->o->expect) {
        return 0;
    }
    if (expect_read(c->o->expect, &c->in->rules, &expected, e) < 0) {
        return -1;
    }
    if (expected == c->tally.items) {
        return 0;
    }
    return err_set(e, ERR_DATA, "%llu items were expected, %llu came, in %llu records",
                   (unsigned long long)expected, (unsigned long long)c->tally.items,
                   (unsigned long long)tally_total(&c->tally));
}

/* A run in which something never ran was stopped: no tolerance makes it whole. */
static void judge(const struct collector *c, struct err *verdict)
{
    uint64_t failed = tally_failed(&c->tally);
    uint64_t pending = c->tally.records[RECORD_PENDING];
    uint64_t total = tally_total(&c->tally);
    if (tolerance_exceeded(&c->o->tolerance, failed, total)) {
        err_set(verdict, ERR_FAILED, "%llu of %llu executions failed, more than is tolerated",
                (unsigned long long)failed, (unsigned long long)total);
    } else if (pending > 0) {
        err_set(verdict, ERR_FAILED, "%llu of %llu executions never ran",
                (unsigned long long)pending, (unsigned long long)total);
    }
}

static int finish(struct collector *c, struct result_summary *s, struct err *e)
{
    if (check_expected(c, e) < 0) {
        return -1;
    }
    if (!c->o->dest) {
        if (output_finish(&c->output, e) < 0) {
            return -1;
        }
        s->lines = output_lines(&c->output);
    } else {
        if ((!c->files.dest && open_files(c, NULL, e) < 0) || files_commit(&c->files, e) < 0) {
            return -1;
        }
        files_put_details(&c->files, c->out);
        s->lines = 1;
    }
    judge(c, &s->verdict);
    return 0;
}

static int collect(struct collector *c, struct result_summary *s, struct err *e)
{
    struct span line;
    int got;
    if (c->o->dest && c->o->run_name && open_files(c, NULL, e) < 0) {
        return -1;
    }
    while ((got = lines_next(c->in, &line, e)) > 0) {
        if (take_line(c, line, e) < 0) {
            return -1;
        }
    }
    return got < 0 ? -1 : finish(c, s, e);
}

int result_run(struct lines_in *in, const struct result_options *o, struct writer *out,
               struct result_summary *s, struct err *e)
{
    struct collector c = {.in = in, .o = o, .out = out};
    *s = (struct result_summary){0};
    output_init(&c.output, out, o->wrap, o->temp);
    int rc = collect(&c, s, e);
    if (rc < 0) {
        output_break(&c.output);
    }
    files_release(&c.files);
    output_release(&c.output);
    tally_release(&c.tally);
    return rc;
}
