#include "result/stored.h"

#include "base/buf.h"
#include "base/mem.h"
#include "result/dest.h"
#include "json/elements.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>

#define MANIFEST_MAX (UINT64_C(1) << 30) /* bytes */

/* One file being read. */
struct file {
    struct stored *stored;
    const struct lines_rules *rules;
    stored_take *take;
    void *context;
    struct scan scan;
    struct buf input; /* out of their strings */
    struct buf output;
    struct buf line;
};

static int read_all(struct reader *r, struct buf *b, struct err *e)
{
    int got;
    while ((got = reader_fill(r, e)) > 0) {
        struct span bytes = reader_bytes(r);
        buf_add_span(b, bytes);
        reader_take(r, bytes.len);
        if (b->len > MANIFEST_MAX) {
            return err_set(e, ERR_DATA, "it is too long");
        }
    }
    return got;
}

int stored_open(struct stored *s, const char *place, struct object_client *client, struct err *e)
{
    struct reader reader;
    struct buf text = {0};
    *s = (struct stored){.url = dest_folder_of(place), .client = client};
    int rc = object_read(client, place, &reader, NULL, e);
    if (rc == 0) {
        rc = read_all(&reader, &text, e);
        if (rc == 0 && catalog_read(&s->catalog, buf_span(&text), e) < 0) {
            err_prefix(e, "%s is no manifest", place);
            rc = -1;
        }
        reader_release(&reader);
    }
    buf_release(&text);
    return rc;
}

/* ---- records of seven members ---- */

/* Input and Output are JSON text in strings there, and no Index tells the other form. */
static bool is_cloudflow(const struct record *r)
{
    return !r->states_index && walk_kind(r->input) == SCAN_STRING &&
           walk_kind(r->output) == SCAN_STRING;
}

/* Put the JSON text in STRING into B, compact. Returns 0, or -1 with E filled. */
static int unwrap(struct file *f, struct span string, const char *name, struct buf *b,
                  struct err *e)
{
    buf_reset(&f->line);
    text_decode(&f->line, string);
    char *out = buf_room(b, f->line.len);
    if (scan_compact(&f->scan, f->line.at, f->line.len, out, &b->len) < 0) {
        return err_set(e, ERR_DATA, "its %s is a string that holds no JSON: %s", name,
                       f->scan.fault);
    }
    return 0;
}

/* How many items INPUT is: those of a batch, an object of Items and nothing but BatchInput, else 1.
 */
static uint64_t count_items(struct span input)
{
    struct span items = {0};
    struct walk w = walk_into(walk_kind(input) == SCAN_OBJECT ? input : SPAN_LIT("{}"));
    while (walk_next(&w)) {
        if (walk_key_is(w.key, SPAN_LIT("Items")) && walk_kind(w.value) == SCAN_ARRAY) {
            items = w.value;
        } else if (!walk_key_is(w.key, SPAN_LIT("BatchInput"))) {
            return 1;
        }
    }
    if (items.len == 0) {
        return 1;
    }
    uint64_t count = 0;
    for (w = walk_into(items); walk_next(&w); count++) {
    }
    return count;
}

static void add_number(struct buf *b, struct span head, uint64_t n)
{
    buf_add_span(b, head);
    buf_add_u64(b, n);
}

/* The line of R as the runner would have written it, as far as is known. */
static struct span full_line(struct file *f, const struct record *r)
{
    struct buf *b = &f->line;
    buf_reset(b);
    buf_add_span(b, SPAN_LIT("{\"ExecutionName\":"));
    buf_add_span(b, r->name);
    buf_add_span(b, SPAN_LIT(",\"FlowName\":"));
    buf_add_span(b, r->flow);
    if (r->has_index) {
        add_number(b, SPAN_LIT(",\"Index\":"), r->index);
    }
    buf_add_span(b, SPAN_LIT(",\"Input\":"));
    buf_add_span(b, buf_span(&f->input));
    buf_add_span(b, SPAN_LIT(",\"Output\":"));
    buf_add_span(b, buf_span(&f->output));
    buf_add_span(b, SPAN_LIT(",\"Status\":"));
    buf_add_span(b, r->status);
    buf_add_span(b, SPAN_LIT(",\"StartedTime\":"));
    buf_add_span(b, r->started);
    buf_add_span(b, SPAN_LIT(",\"StoppedTime\":"));
    buf_add_span(b, r->stopped);
    add_number(b, SPAN_LIT(",\"ItemCount\":"), count_items(buf_span(&f->input)));
    buf_add_byte(b, '}');
    return buf_span(b);
}

/* ---- files ---- */

static int take_line(struct file *f, struct span line, bool lines, struct err *e)
{
    struct record r;
    struct stored *s = f->stored;
    if (record_read(&r, line, SEAMS_NONE, e) < 0) {
        return -1;
    }
    bool cloudflow = is_cloudflow(&r);
    if (!s->any) {
        s->any = true;
        s->form = (struct form){.records = cloudflow ? FORM_CLOUDFLOW : FORM_FULL, .lines = lines};
    }
    if (cloudflow) {
        buf_reset(&f->input);
        buf_reset(&f->output);
        if (unwrap(f, r.input, "Input", &f->input, e) < 0 ||
            unwrap(f, r.output, "Output", &f->output, e) < 0) {
            return -1;
        }
        line = full_line(f, &r);
        if (record_read(&r, line, SEAMS_NONE, e) < 0) {
            return -1;
        }
    }
    return f->take(f->context, &r, line, e);
}

static int each_line(struct file *f, struct reader *reader, struct err *e)
{
    struct lines_in in;
    struct span line;
    int got;
    struct lines_rules own = {.max_depth = f->rules->max_depth,
                              .max_item_bytes = f->rules->max_item_bytes};
    lines_open(&in, reader, &own);
    while ((got = lines_next(&in, &line, e)) > 0) {
        if (take_line(f, line, true, e) < 0) {
            if (e->code == ERR_DATA) {
                lines_position(&in, 1, e);
            }
            got = -1;
            break;
        }
    }
    lines_close(&in);
    return got;
}

static int each_element(struct file *f, struct reader *reader, struct err *e)
{
    struct elements elements;
    struct span line;
    int got;
    elements_open(&elements, reader, f->rules->max_depth, f->rules->max_item_bytes);
    while ((got = elements_next(&elements, &line, e)) > 0) {
        if (take_line(f, line, false, e) < 0) {
            if (e->code == ERR_DATA) {
                err_prefix(e, "%s: record %llu", reader->name, (unsigned long long)elements.count);
            }
            got = -1;
            break;
        }
    }
    elements_close(&elements);
    return got;
}

/* A file that is not as long as the manifest says was changed, or cut short. */
static int check_size(const struct reader *r, uint64_t size, struct err *e)
{
    return r->offset == size
               ? 0
               : err_set(e, ERR_DATA, "%s has %llu bytes, the manifest says %llu", r->name,
                         (unsigned long long)r->offset, (unsigned long long)size);
}

static int each_record(struct file *f, const struct catalog_file *file, struct err *e)
{
    struct reader reader;
    char *path = dest_join(f->stored->url, file->name);
    size_t len = strlen(file->name);
    int rc = object_read(f->stored->client, path, &reader, NULL, e);
    if (rc == 0) {
        bool lines = len > 6 && strcmp(file->name + len - 6, ".jsonl") == 0;
        rc = lines ? each_line(f, &reader, e) : each_element(f, &reader, e);
        if (rc == 0) {
            rc = check_size(&reader, file->size, e);
        }
        reader_release(&reader);
    }
    free(path);
    return rc;
}

int stored_each(struct stored *s, enum catalog_kind kind, const struct lines_rules *rules,
                stored_take *take, void *context, struct err *e)
{
    int rc = 0;
    struct file f = {.stored = s, .rules = rules, .take = take, .context = context};
    const struct catalog_list *list = &s->catalog.lists[kind];
    scan_init(&f.scan, rules->max_depth);
    for (size_t i = 0; i < list->count && rc == 0; i++) {
        rc = each_record(&f, &list->files[i], e);
    }
    scan_release(&f.scan);
    buf_release(&f.input);
    buf_release(&f.output);
    buf_release(&f.line);
    return rc;
}

int stored_all(struct stored *s, const struct lines_rules *rules, stored_take *take, void *context,
               struct err *e)
{
    for (int k = 0; k < CATALOG_KINDS; k++) {
        if (stored_each(s, (enum catalog_kind)k, rules, take, context, e) < 0) {
            return -1;
        }
    }
    return 0;
}

void stored_close(struct stored *s)
{
    free(s->url);
    catalog_release(&s->catalog);
    *s = (struct stored){0};
}
