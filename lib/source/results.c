/*
 * The results of a run: the Input of each execution of some statuses, to run it again
 * (fanline-records(5), "Result files"; reference/distributed-map.md 1.6, 2.8).
 */
#include "source/results.h"

#include "base/mem.h"
#include "io/unpack.h"
#include "source/split.h"
#include "source/whole.h"
#include "json/elements.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>

/* Lists of a manifest, by the names of both services, and what stands in their files. */
static const struct {
    const char *name;
    unsigned statuses;
} lists[] = {
    {"FAILED", RESULTS_FAILED | RESULTS_TIMED_OUT | RESULTS_ABORTED},
    {"PENDING", RESULTS_PENDING},
    {"SUCCEED", RESULTS_SUCCEEDED},
    {"SUCCEEDED", RESULTS_SUCCEEDED},
};

struct results {
    struct split *split;
    unsigned statuses; /* that are wanted */
    const char *manifest;
    struct scan scan; /* for inputs that are strings with JSON in them */
    struct buf input;
};

/* ---- records ---- */

/*
 * The Input of RECORD in *INPUT.  Where the record is of seven members, that is JSON in a string;
 * the member Index tells.  0, or -1 with E filled.
 */
static int find_input(struct results *t, struct span record, struct span *input, struct err *e)
{
    struct span other;
    if (!walk_member(record, SPAN_LIT("Input"), input)) {
        return err_set(e, ERR_DATA, "it is no record: it has no Input");
    }
    bool full =
        walk_member(record, SPAN_LIT("Index"), &other) ||
        (walk_member(record, SPAN_LIT("Output"), &other) && walk_kind(other) != SCAN_STRING);
    if (full || walk_kind(*input) != SCAN_STRING) {
        return 0;
    }
    buf_reset(&t->input);
    text_decode(&t->input, *input);
    *input = buf_span(&t->input);
    if (scan_check(&t->scan, input->at, input->len) < 0) {
        return err_set(e, ERR_DATA, "its Input is a string that holds no JSON: %s", t->scan.fault);
    }
    return 0;
}

static int find_status(struct span record, unsigned *status, struct err *e)
{
    struct span value = {0};
    if (walk_kind(record) == SCAN_OBJECT && walk_member(record, SPAN_LIT("Status"), &value) &&
        walk_kind(value) == SCAN_STRING) {
        *status = results_status(span_of(value.at + 1, value.len - 2));
        if (*status) {
            return 0;
        }
    }
    return err_set(e, ERR_DATA, "it is no record: it has no Status");
}

/* Have the Input of RECORD leave, if it is wanted. 0, or -1 with E filled: it is refused. */
static int emit_record(struct results *t, struct span record, struct err *e)
{
    unsigned status;
    struct span input;
    size_t len;
    struct emit *m = &t->split->emit;
    if (find_status(record, &status, e) < 0) {
        return -1;
    }
    if (!(status & t->statuses)) {
        return 0;
    }
    if (find_input(t, record, &input, e) < 0) {
        return -1;
    }
    emit_begin(m);
    scan_compact(&t->scan, input.at, input.len, writer_room(m->out, input.len), &len);
    writer_advance(m->out, len);
    return emit_end(m, walk_kind(input), e);
}

/* Refuse RECORD, number NUMBER of the file NAME, for the reason in E. 0 to go on, -1. */
static int refuse(struct results *t, const char *name, uint64_t number, struct span record,
                  struct err *e)
{
    struct writer *rejects = t->split->rules.lines.rejects;
    writer_rollback(t->split->emit.out);
    err_prefix(e, "%s: record %llu", name, (unsigned long long)number);
    if (emit_refuse(&t->split->emit, e) < 0) {
        return -1;
    }
    writer_put_span(rejects, record);
    writer_put_byte(rejects, '\n');
    writer_commit(rejects);
    return 0;
}

/* ---- files ---- */

static int read_array(struct results *t, struct reader *r, struct err *e)
{
    struct elements elements;
    struct span record;
    int got = 1;
    const struct lines_rules *rules = &t->split->rules.lines;
    elements_open(&elements, r, rules->max_depth, rules->max_item_bytes);
    while (got > 0 && !emit_full(&t->split->emit)) {
        got = elements_next(&elements, &record, e);
        if (got > 0 && emit_record(t, record, e) < 0 &&
            refuse(t, r->name, elements.count, record, e) < 0) {
            got = -1;
        }
    }
    elements_close(&elements);
    return got < 0 ? -1 : 0;
}

static int read_lines(struct results *t, struct reader *r, struct err *e)
{
    struct lines_in in;
    struct span record;
    int got = 1;
    struct lines_rules rules = t->split->rules.lines;
    rules.end_mark = false;
    lines_open(&in, r, &rules);
    while (got > 0 && !emit_full(&t->split->emit)) {
        got = lines_next(&in, &record, e);
        if (got > 0 && emit_record(t, record, e) < 0 &&
            refuse(t, r->name, in.line, record, e) < 0) {
            got = -1;
        }
    }
    t->split->emit.rejected += in.rejected;
    lines_close(&in);
    return got < 0 ? -1 : 0;
}

static bool holds_lines(const char *name)
{
    size_t len = strlen(name);
    return len > 6 && strcmp(name + len - 6, ".jsonl") == 0;
}

static int read_file(struct results *t, const char *place, struct err *e)
{
    struct reader r;
    struct split *s = t->split;
    int rc = object_read(s->rules.client, place, &r, s->emit.out, e);
    if (rc < 0) {
        return -1;
    }
    split_follow(s, &r, 0);
    if (reader_unpack(&r, e) < 0 || reader_skip_bom(&r, e) < 0) {
        rc = -1;
    } else {
        rc = holds_lines(place) ? read_lines(t, &r, e) : read_array(t, &r, e);
    }
    split_follow(s, NULL, 0);
    reader_release(&r);
    return rc;
}

/* ---- the manifest ---- */

/* The file NAME, without its folders, is beside the manifest. To be freed. */
static char *beside(const char *manifest, const char *name)
{
    struct buf b = {0};
    const char *end = strrchr(manifest, '/');
    const char *base = strrchr(name, '/');
    buf_add(&b, manifest, end ? (size_t)(end - manifest) + 1 : 0);
    buf_add_text(&b, base ? base + 1 : name);
    char *path = mem_text(buf_text(&b));
    buf_release(&b);
    return path;
}

/* Read the file that the manifest's entry FILE names. 0, or -1 with E filled. */
static int read_entry(struct results *t, struct span file, struct err *e)
{
    char *name = whole_text(file, "ObjectName");
    name = name ? name : whole_text(file, "Key");
    if (!name) {
        return err_set(e, ERR_DATA, "%s: a result file has no ObjectName", t->manifest);
    }
    char *place = beside(t->manifest, name);
    int rc = read_file(t, place, e);
    free(place);
    free(name);
    return rc;
}

static int read_list(struct results *t, struct span files, struct err *e)
{
    int rc = 0;
    struct walk w = walk_into(files);
    while (rc == 0 && !emit_full(&t->split->emit) && walk_next(&w)) {
        rc = read_entry(t, w.value, e);
    }
    return rc;
}

/* Read the files of all wanted lists of the manifest TEXT. 0, or -1 with E filled. */
static int read_lists(struct results *t, struct span text, struct err *e)
{
    struct span all;
    struct span files;
    if (!walk_member(text, SPAN_LIT("ResultFiles"), &all) || walk_kind(all) != SCAN_OBJECT) {
        return err_set(e, ERR_DATA, "%s is no manifest of results: it has no ResultFiles",
                       t->manifest);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if ((lists[i].statuses & t->statuses) &&
            walk_member(all, span_text(lists[i].name), &files) && read_list(t, files, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int split_results(struct split *s, const char *place, struct err *e)
{
    struct results t = {.split = s, .manifest = place, .statuses = s->rules.statuses};
    struct reader r;
    struct buf text = {0};
    t.statuses = t.statuses ? t.statuses : RESULTS_UNDONE;
    scan_init(&t.scan, s->rules.lines.max_depth);
    int rc = split_open_text(s, place, &r, e);
    if (rc == 0 && whole_read(&text, &r, s->rules.lines.max_depth, e) < 0) {
        rc = -1;
    }
    reader_release(&r);
    if (rc == 0) {
        rc = read_lists(&t, buf_span(&text), e);
    }
    scan_release(&t.scan);
    buf_release(&t.input);
    buf_release(&text);
    return rc;
}

const struct format format_results = {
    .name = "results", .options = OPTION_STATUS, .split_place = split_results};
