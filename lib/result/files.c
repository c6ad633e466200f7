#include "result/files.h"

#include "base/mem.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

#define HURRY_BYTES (UINT64_C(8) << 20)

int files_demand_new(struct files *f, struct err *e)
{
    f->fresh = true;
    int there = dest_holds(&f->dest, CATALOG_MANIFEST, e);
    if (there <= 0) {
        return there;
    }
    return err_set(e, ERR_IO, "the results of the run %s are there already: %s/%s", f->place.run,
                   f->place.url, CATALOG_MANIFEST);
}

int files_open(struct files *f, const struct files_rules *rules, struct dest_place *place,
               struct object_client *client, struct err *e)
{
    *f = (struct files){.rules = *rules, .place = *place};
    *place = (struct dest_place){0};
    f->catalog.style = rules->form.records == FORM_AWS ? CATALOG_AWS : CATALOG_CLOUDFLOW;
    f->catalog.bucket = mem_text(f->place.bucket);
    f->catalog.folder = mem_text(f->place.folder);
    f->catalog.run = mem_text(f->place.run);
    return dest_open(&f->dest, &f->place, client, e);
}

void files_keep(struct files *f, const struct catalog *before)
{
    for (int k = 0; k < CATALOG_KINDS; k++) {
        const struct catalog_list *list = &before->lists[k];
        for (size_t i = 0; i < list->count; i++) {
            catalog_add(&f->catalog, (enum catalog_kind)k, list->files[i].name,
                        list->files[i].size);
        }
        f->kept[k] = list->count;
    }
    f->catalog.redrives = before->redrives;
}

void files_replace(struct files *f, enum catalog_kind kind)
{
    catalog_move(&f->old, &f->catalog, kind);
    f->kept[kind] = 0;
}

static int open_part(struct files *f, enum catalog_kind kind, struct err *e)
{
    struct files_part *part = &f->parts[kind];
    char *name = catalog_next_name(&f->catalog, kind, f->rules.form.lines);
    if (dest_create(&f->dest, name, false, &part->file, e) < 0) {
        free(name);
        return -1;
    }
    part->name = name;
    part->records = 0;
    part->hurried = 0;
    return 0;
}

/* The file of KIND, if one is open, is whole. */
static int close_part(struct files *f, enum catalog_kind kind, struct err *e)
{
    struct files_part *part = &f->parts[kind];
    if (!part->name) {
        return 0;
    }
    if (!f->rules.form.lines) {
        writer_put_byte(part->file.out, ']');
        writer_commit(part->file.out);
    }
    uint64_t size = writer_total(part->file.out);
    int rc = dest_commit(&part->file, e);
    if (rc == 0) {
        catalog_add(&f->catalog, kind, part->name, size);
    }
    free(part->name);
    part->name = NULL;
    return rc;
}

/* Is there room for one more record, which takes LEN bytes, in PART? */
static bool fits(const struct files *f, const struct files_part *part, size_t len)
{
    uint64_t around = f->rules.form.lines ? 1 : 2; /* LF, or the comma and the last bracket */
    uint64_t size = writer_total(part->file.out) + len + around;
    return (f->rules.max_items == 0 || part->records < f->rules.max_items) &&
           (f->rules.max_bytes == 0 || size <= f->rules.max_bytes || part->records == 0);
}

/* The flow that the first record is of is that of the run. */
static void note_flow(struct catalog *c, const struct record *r)
{
    struct buf flow = {0};
    text_decode(&flow, r->flow);
    c->flow = mem_text(buf_text(&flow));
    buf_release(&flow);
}

int files_put(struct files *f, const struct record *r, struct span line, struct err *e)
{
    if (!f->catalog.flow) {
        note_flow(&f->catalog, r);
    }
    enum catalog_kind kind = catalog_kind_of(r->kind);
    struct files_part *part = &f->parts[kind];
    struct span piece = form_of(&f->rules.form, r, line, &f->scratch);
    if (piece.len == 0) {
        return 0; /* the elements of an empty array */
    }
    if (part->name && !fits(f, part, piece.len) && close_part(f, kind, e) < 0) {
        return -1;
    }
    if (!part->name && open_part(f, kind, e) < 0) {
        return -1;
    }
    struct writer *w = part->file.out;
    if (f->rules.form.lines) {
        writer_put_span(w, piece);
        writer_put_byte(w, '\n');
    } else {
        writer_put_byte(w, part->records == 0 ? '[' : ',');
        writer_put_span(w, piece);
    }
    writer_commit(w);
    part->records++;
    if (w->written - part->hurried >= HURRY_BYTES) {
        part->hurried = w->written;
        dest_hurry(&part->file);
    }
    return w->number ? writer_flush(w, e) : 0; /* not at the end: the input may be long */
}

/* What an attempt that was killed has left behind goes away: it would look like results. */
struct sweep {
    struct dest *dest;
    const char **names; /* of files to keep */
    size_t count;
    const char **old; /* likewise */
    size_t old_count;
};

static int sweep_one(void *context, const char *name, struct err *e)
{
    struct sweep *s = context;
    if (!catalog_names_result(name) || catalog_is_among(s->names, s->count, name) ||
        catalog_is_among(s->old, s->old_count, name)) {
        return 0;
    }
    return dest_remove(s->dest, name, e);
}

static int sweep(struct files *f, struct err *e)
{
    struct sweep s = {.dest = &f->dest};
    s.names = catalog_names(&f->catalog, &s.count);
    s.old = catalog_names(&f->old, &s.old_count);
    int rc = dest_list(&f->dest, sweep_one, &s, e);
    free(s.names);
    free(s.old);
    return rc;
}

static int write_manifest(struct files *f, struct err *e)
{
    struct dest_file file;
    if (dest_create(&f->dest, CATALOG_MANIFEST, f->fresh, &file, e) < 0) {
        return -1;
    }
    catalog_put(&f->catalog, file.out);
    return dest_commit(&file, e);
}

static int remove_old(struct files *f, struct err *e)
{
    size_t count;
    const char **names = catalog_names(&f->old, &count);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = dest_remove(&f->dest, names[i], e);
    }
    free(names);
    return rc;
}

int files_commit(struct files *f, struct err *e)
{
    for (int k = 0; k < CATALOG_KINDS; k++) {
        if (close_part(f, (enum catalog_kind)k, e) < 0) {
            return -1;
        }
    }
    if (sweep(f, e) < 0 || write_manifest(f, e) < 0) {
        return -1;
    }
    f->dest.keep = true;
    return remove_old(f, e);
}

void files_put_details(const struct files *f, struct writer *w)
{
    writer_put_byte(w, '{');
    catalog_put_run(&f->catalog, w);
    writer_put_span(w, SPAN_LIT(",\"ResultWriterDetails\":{\"Bucket\":"));
    text_put(w, span_text(f->place.bucket));
    writer_put_span(w, SPAN_LIT(",\"Key\":"));
    catalog_put_object_name(&f->catalog, CATALOG_MANIFEST, w);
    writer_put_span(w, SPAN_LIT("}}\n"));
    writer_commit(w);
}

/* The files that were whole already, but will not be in a manifest, go away. */
static void take_back(struct files *f)
{
    for (int k = 0; k < CATALOG_KINDS; k++) {
        const struct catalog_list *list = &f->catalog.lists[k];
        for (size_t i = f->kept[k]; i < list->count; i++) {
            (void)dest_remove(&f->dest, list->files[i].name, NULL);
        }
    }
}

void files_release(struct files *f, struct err *e)
{
    if (files_is_open(f) && !f->dest.keep) {
        take_back(f);
    }
    for (int k = 0; k < CATALOG_KINDS; k++) {
        dest_abort(&f->parts[k].file, e);
        free(f->parts[k].name);
    }
    dest_close(&f->dest);
    dest_place_release(&f->place);
    catalog_release(&f->catalog);
    catalog_release(&f->old);
    buf_release(&f->scratch);
    *f = (struct files){0};
}
