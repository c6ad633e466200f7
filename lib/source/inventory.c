/*
 * An inventory: the objects that a bucket had on a day, as records in parts that a manifest names
 * (reference/distributed-map.md 5.4).
 */
#include "digest/digest.h"
#include "io/unpack.h"
#include "source/manifest.h"
#include "source/split.h"
#include "source/whereabouts.h"

#include <stdlib.h>

/* A part on its way in: what it must be in the end. */
struct part {
    const struct manifest_part *stated;
    struct digest_run md5;
    uint64_t bytes;
    void (*tap)(void *tapper, struct span bytes); /* of who looks on */
    void *tapper;
};

/* Bytes of the part, as they are stored. */
static void take(void *tapper, struct span bytes)
{
    struct part *p = tapper;
    p->bytes += bytes.len;
    digest_add(&p->md5, bytes);
    if (p->tap) {
        p->tap(p->tapper, bytes);
    }
}

/* The part has been read to its end: is it what the manifest says? 0, or -1 with E filled. */
static int check(struct part *p, const char *name, struct err *e)
{
    unsigned char bytes[DIGEST_BYTES_MAX];
    struct buf md5 = {0};
    int rc = 0;
    digest_put_hex(&md5, bytes, digest_end(&p->md5, bytes));
    if (p->stated->sized && p->bytes != p->stated->size) {
        rc = err_set(e, ERR_DATA, "%s has %llu bytes, but by its manifest it has %llu", name,
                     (unsigned long long)p->bytes, (unsigned long long)p->stated->size);
    } else if (p->stated->md5[0] && strcmp(buf_text(&md5), p->stated->md5) != 0) {
        rc = err_set(e, ERR_DATA, "%s has the MD5 %s, but by its manifest %s", name, buf_text(&md5),
                     p->stated->md5);
    }
    buf_release(&md5);
    return rc;
}

static int split_records(struct split *s, struct reader *r, struct columns *columns, struct err *e)
{
    if (reader_unpack(r, e) < 0 || reader_skip_bom(r, e) < 0) {
        return -1;
    }
    return rows_split(s, r, ',', columns, false, e);
}

/* Split the part at PLACE, one of OF. 0, or -1 with E filled. */
static int split_part(struct split *s, const struct manifest_part *stated, size_t of,
                      const char *place, struct columns *columns, struct err *e)
{
    struct reader r;
    struct part p = {.stated = stated};
    if (object_read(s->rules.client, place, &r, s->emit.out, e) < 0) {
        return -1;
    }
    split_follow(s, &r, of);
    p.tap = r.tap;
    p.tapper = r.tapper;
    r.tap = take;
    r.tapper = &p;
    int rc = digest_begin(&p.md5, digest_find(SPAN_LIT("MD5")), e);
    rc = rc == 0 ? split_records(s, &r, columns, e) : rc;
    if (rc == 0 && !emit_full(&s->emit)) {
        rc = check(&p, place, e);
    }
    split_follow(s, NULL, of);
    digest_release(&p.md5);
    reader_release(&r);
    return rc;
}

static int split_parts(struct split *s, const char *place, const struct manifest *m,
                       struct columns *columns, struct err *e)
{
    for (size_t i = 0; i < m->parts_count && !emit_full(&s->emit); i++) {
        char *part = whereabouts(s->rules.client, place, m->bucket, m->parts[i].key, e);
        int rc = part ? split_part(s, &m->parts[i], m->parts_count, part, columns, e) : -1;
        free(part);
        if (rc < 0) {
            return -1;
        }
    }
    return 0;
}

/* The columns that the manifest names; keys are URL-encoded. 0, or -1 with E filled. */
static int set_columns(const struct split *s, const char *place, const struct manifest *m,
                       struct columns *columns, struct err *e)
{
    static const struct header_rules rules = {0};
    if (columns_set(columns, m->columns, m->columns_count, &rules, &s->rules.rows.types, e) < 0) {
        err_prefix(e, "%s: fileSchema", place);
        return -1;
    }
    for (size_t i = 0; i < m->columns_count && !s->rules.raw_keys; i++) {
        bool text = columns->types[i].kind == TYPE_TEXT;
        if (text && span_equal(m->columns[i], SPAN_LIT("Key"))) {
            columns_type(columns, i, (struct type){.kind = TYPE_KEY});
        }
    }
    return 0;
}

static int read_manifest(struct split *s, const char *place, struct manifest *m, struct err *e)
{
    struct reader r;
    int rc = split_open_text(s, place, &r, e);
    if (rc == 0 && (reader_unpack(&r, e) < 0 || reader_skip_bom(&r, e) < 0 ||
                    manifest_read(m, &r, s->rules.lines.max_depth, e) < 0)) {
        rc = -1;
    }
    reader_release(&r);
    return rc;
}

static int split_inventory(struct split *s, const char *place, struct err *e)
{
    struct manifest m = {0};
    struct columns columns = {0};
    int rc = read_manifest(s, place, &m, e);
    if (rc == 0) {
        rc = set_columns(s, place, &m, &columns, e);
    }
    if (rc == 0) {
        rc = split_parts(s, place, &m, &columns, e);
    }
    columns_release(&columns);
    manifest_release(&m);
    return rc;
}

const struct format format_inventory = {
    .name = "inventory", .options = OPTION_RAW_KEYS | OPTION_TYPES, .split_place = split_inventory};
