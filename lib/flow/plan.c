#include "flow/plan.h"

#include "base/mem.h"
#include "base/units.h"
#include "run/control.h"
#include "run/dry.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- words ---- */

struct plan_stage *plan_stage(const struct plan_making *k, enum plan_part part, const char *name)
{
    struct plan_stage *s = &k->plan->stages[k->plan->count++];
    *s = (struct plan_stage){.part = part};
    plan_word(s, name, SPAN_LIT(""));
    return s;
}

void plan_word(struct plan_stage *s, const char *head, struct span text)
{
    struct buf word = {0};
    buf_add_text(&word, head);
    buf_add_span(&word, text);
    s->words = mem_grow(s->words, &s->cap, s->count + 1, sizeof *s->words);
    s->words[s->count++] = mem_copy(word.at, word.len);
    s->words[s->count] = NULL;
    buf_release(&word);
}

void plan_release(struct plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        for (size_t w = 0; w < p->stages[i].count; w++) {
            free(p->stages[i].words[w]);
        }
        free(p->stages[i].words);
    }
    *p = (struct plan){0};
}

void plan_print(const struct plan *p, struct buf *out)
{
    for (size_t i = 0; i < p->count; i++) {
        buf_add_text(out, i > 0 ? " |\n  " : "");
        for (size_t w = 0; w < p->stages[i].count; w++) {
            buf_add_text(out, w > 0 ? " " : "");
            dry_quote(out, span_text(p->stages[i].words[w]));
        }
    }
    buf_add_byte(out, '\n');
}

/* ---- settings ---- */

int plan_text(const struct plan_making *k, setting t, const char *what, struct buf *out)
{
    struct buf json = {0};
    int rc = data_value(k->frame, t, &json, k->err);
    buf_reset(out);
    if (rc == 0 && json.len > 0) {
        enum scan_kind kind = walk_kind(buf_span(&json));
        if (kind == SCAN_STRING) {
            text_decode(out, buf_span(&json));
        } else if (kind == SCAN_NUMBER) {
            buf_add_span(out, buf_span(&json));
        } else {
            rc = err_set(k->err, ERR_DATA, "%s is neither a number nor a text", what);
        }
    } else if (rc < 0) {
        err_prefix(k->err, "%s", what);
    }
    if (rc == 0 && out->len > 0 && memchr(out->at, 0, out->len)) {
        rc = err_set(k->err, ERR_DATA, "%s has a NUL", what);
    }
    buf_release(&json);
    return rc;
}

int plan_number(const struct plan_making *k, struct plan_stage *s, const char *head, setting t,
                const char *what, int64_t most)
{
    int64_t n;
    struct buf text = {0};
    int rc = data_integer(k->frame, t, what, most, &n, k->err);
    if (rc == 0 && n > 0) {
        buf_add_i64(&text, n);
        plan_word(s, head, buf_span(&text));
    }
    buf_release(&text);
    return rc;
}

/* ---- stages ---- */

static void name_context(const struct plan_making *k, struct plan_stage *s)
{
    if (k->names->context) {
        plan_word(s, "--context=", span_text(k->names->context));
    }
}

static void name_input(const struct plan_making *k, struct plan_stage *s)
{
    plan_word(s, "-i", SPAN_LIT(""));
    plan_word(s, k->names->input, SPAN_LIT(""));
}

static void plan_constructor(const struct plan_making *k)
{
    const struct map *m = k->map;
    if (!m->construct) {
        return;
    }
    struct plan_stage *s = plan_stage(k, PLAN_CONSTRUCT, "itemconstruct");
    if (k->cloudflow) {
        plan_word(s, "--sort-keys", SPAN_LIT("")); /* as the stored results have it: 1.4 */
    }
    if (template_uses(m->construct, PATH_INPUT)) {
        name_input(k, s);
    }
    if (template_uses(m->construct, PATH_CONTEXT)) {
        name_context(k, s);
    }
    plan_word(s, "-t", SPAN_LIT(""));
    plan_word(s, "", m->constructor);
}

static int plan_batches(const struct plan_making *k)
{
    const struct map *m = k->map;
    if (!m->batcher) {
        return 0;
    }
    struct plan_stage *s = plan_stage(k, PLAN_BATCH, "batcher");
    if (plan_number(k, s, "-n", m->batch_items, "MaxItemsPerBatch", INT64_MAX) < 0 ||
        plan_number(k, s, "-b", m->batch_bytes, "MaxInputBytesPerBatch", INT64_MAX) < 0) {
        return -1;
    }
    if (s->count == 1) {
        return err_set(k->err, ERR_DATA, "a batch needs a limit above 0");
    }
    if (m->batch) {
        plan_word(s, "--batch-input=", m->batch_input);
        if (template_uses(m->batch, PATH_INPUT)) {
            name_input(k, s);
        }
        if (template_uses(m->batch, PATH_CONTEXT)) {
            name_context(k, s);
        }
    }
    return 0;
}

static int plan_tolerance(const struct plan_making *k, struct plan_stage *s)
{
    const struct map *m = k->map;
    struct buf text = {0};
    int64_t unused;
    if (!k->cloudflow) {
        plan_word(s, "--tolerate-by=items", SPAN_LIT("")); /* 2.7 */
    }
    if (plan_number(k, s, "--tolerated-failure-count=", m->tolerated_count, "ToleratedFailureCount",
                    INT64_MAX) < 0) {
        return -1;
    }
    int rc = plan_text(k, m->tolerated_percentage, "ToleratedFailurePercentage", &text);
    if (rc == 0 && text.len > 0) {
        rc = units_percent(buf_span(&text), &unused, k->err);
        if (rc < 0) {
            err_prefix(k->err, "ToleratedFailurePercentage");
        } else {
            plan_word(s, "--tolerated-failure-percentage=", buf_span(&text));
        }
    }
    buf_release(&text);
    return rc;
}

/*
 * MaxConcurrency.  A processor that waits for nothing gains nothing from more places than there are
 * processors, but from more items at a time, if so many may be under way.
 */
static int plan_concurrency(const struct plan_making *k, struct plan_stage *s)
{
    bool quick = k->frame->state->scopes->quick;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t before = s->count;
    if (plan_number(k, s, "-j", k->map->concurrency, "MaxConcurrency", CONCURRENCY_MAX) < 0) {
        return -1;
    }
    int64_t places = 0;
    bool few = s->count > before &&
               units_integer(span_text(s->words[before] + strlen("-j")), 1, CONCURRENCY_MAX,
                             &places, NULL) == 0 &&
               places < processors;
    if (quick && s->count > before && !few) {
        free(s->words[--s->count]);
        s->words[s->count] = NULL;
    }
    if (quick && !few) {
        plan_word(s, "--window=64", SPAN_LIT("")); /* it answers sooner than the next could come */
    }
    return 0;
}

static size_t count_maps(const struct machine *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        count += m->all[i]->type == STATE_MAP;
    }
    return count;
}

static void plan_processor(const struct plan_making *k, struct plan_stage *s)
{
    const struct engine *e = k->frame->engine;
    const struct engine_rules *r = e->rules;
    struct buf path = {0};
    plan_word(s, "--worker=answers", SPAN_LIT(""));
    plan_word(s, "--", SPAN_LIT(""));
    if (k->names->folder) {
        buf_add_text(&path, k->names->folder);
        buf_add_byte(&path, '/');
    }
    buf_add_text(&path, "mapflow");
    plan_word(s, "", buf_span(&path));
    plan_word(s, "processor", SPAN_LIT(""));
    plan_word(s, "--answers", SPAN_LIT(""));
    if (count_maps(e->machine) > 1) {
        buf_reset(&path);
        machine_path(e->machine, k->frame->state, &path);
        plan_word(s, "--state=", buf_span(&path));
    }
    if (r->actions_file) {
        plan_word(s, "--actions=", span_text(r->actions_file));
    }
    if (r->trace_file) {
        plan_word(s, "--trace=", span_text(r->trace_file));
    }
    plan_word(s, r->definition, SPAN_LIT(""));
    buf_release(&path);
}

static int plan_run(const struct plan_making *k)
{
    struct plan_stage *s = plan_stage(k, PLAN_RUN, "maprun");
    if (plan_concurrency(k, s) < 0 || plan_tolerance(k, s) < 0) {
        return -1;
    }
    if (k->map->out_bucket) {
        plan_word(s, "-k", SPAN_LIT("")); /* as the documentation shows files of results */
    }
    plan_word(s, "--items=", k->map->batcher ? SPAN_LIT("batch") : SPAN_LIT("one"));
    if (k->names->run) {
        plan_word(s, "--run-name=", span_text(k->names->run));
    }
    plan_word(s, "--flow-name=", k->map->label.len > 0 ? k->map->label : k->frame->state->name);
    if (k->map->standard && k->names->journal) {
        plan_word(s, "--mode=standard", SPAN_LIT(""));
        plan_word(s, "--journal=", span_text(k->names->journal));
    }
    plan_processor(k, s);
    return 0;
}

/* Where the results go, if the writer says so: BUCKET/PREFIX. */
static int plan_destination(const struct plan_making *k, struct plan_stage *s)
{
    struct buf bucket = {0};
    struct buf prefix = {0};
    int rc = plan_text(k, k->map->out_bucket, "Bucket", &bucket);
    if (rc == 0) {
        rc = plan_text(k, k->map->out_prefix, "Prefix", &prefix);
    }
    if (rc == 0 && bucket.len > 0) {
        buf_add_byte(&bucket, '/');
        buf_add_span(&bucket, buf_span(&prefix));
        plan_word(s, "-o", SPAN_LIT(""));
        plan_word(s, k->cloudflow ? "oss://" : "s3://", buf_span(&bucket));
        if (k->names->run) {
            plan_word(s, "--run-name=", span_text(k->names->run));
        }
    }
    buf_release(&bucket);
    buf_release(&prefix);
    return rc;
}

/* The form that the States Language gives to results (2.8). */
static void plan_form(const struct plan_making *k, struct plan_stage *s, bool exports)
{
    static const char *const names[][2] = {{"NONE", "--transform=none"},
                                           {"COMPACT", "--transform=compact"},
                                           {"FLATTEN", "--transform=flatten"}};
    const struct node *config = node_get(k->map->writer, "WriterConfig");
    if (!exports) {
        plan_word(s, "--wrap=array", SPAN_LIT(""));
    } else if (node_is(node_get(config, "OutputType"), "JSONL")) {
        plan_word(s, "--type=jsonl", SPAN_LIT(""));
    }
    plan_word(s, "--records=aws", SPAN_LIT(""));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (node_is(node_get(config, "Transformation"), names[i][0])) {
            plan_word(s, names[i][1], SPAN_LIT(""));
        }
    }
}

static int plan_write(const struct plan_making *k)
{
    struct plan_stage *s = plan_stage(k, PLAN_WRITE, "resultwrite");
    if (plan_destination(k, s) < 0 || plan_tolerance(k, s) < 0) {
        return -1;
    }
    if (!k->cloudflow) {
        plan_form(k, s, k->map->out_bucket != NULL);
    }
    return 0;
}

bool plan_wants_context(const struct map *m)
{
    struct template *const all[] = {m->construct, m->items, m->batch};
    bool wants = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        wants = wants || (all[i] && template_uses(all[i], PATH_CONTEXT));
    }
    return wants;
}

int plan_make(struct plan *p, struct frame *f, const struct plan_names *names, struct err *e)
{
    struct plan_making k = {.plan = p,
                            .frame = f,
                            .map = &f->state->map,
                            .names = names,
                            .cloudflow = f->engine->machine->dialect == DIALECT_CLOUDFLOW,
                            .err = e};
    *p = (struct plan){0};
    if (plan_source(&k) < 0) {
        return -1;
    }
    plan_constructor(&k);
    return plan_batches(&k) < 0 || plan_run(&k) < 0 ? -1 : plan_write(&k);
}
