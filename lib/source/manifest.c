#include "source/manifest.h"

#include "base/buf.h"
#include "base/mem.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MANIFEST_MAX ((size_t)256 << 20) /* bytes: it is held in memory */

/* ---- the document ---- */

static int read_all(struct reader *r, struct buf *b, struct err *e)
{
    int got;
    do {
        struct span bytes = reader_bytes(r);
        buf_add_span(b, bytes);
        reader_take(r, bytes.len);
        if (b->len > MANIFEST_MAX) {
            return err_set(e, ERR_DATA, "%s is too long for a manifest", r->name);
        }
    } while ((got = reader_fill(r, e)) > 0);
    return got;
}

/* TEXT must be a JSON object. 0, or -1 with E filled. */
static int check(const struct reader *r, struct span text, uint64_t max_depth, struct err *e)
{
    struct scan s;
    int rc = 0;
    scan_init(&s, max_depth);
    if (scan_check(&s, text.at, text.len) < 0) {
        struct err_pos pos = {.line = s.line, .column = s.offset - s.line_at + 1, .byte = s.offset};
        err_pos_source(&pos, r->name);
        rc = err_set(e, ERR_DATA, "%s", s.fault);
        err_at(e, &pos);
    } else if (walk_kind(text) != SCAN_OBJECT) {
        rc = err_set(e, ERR_DATA, "%s is no manifest of an inventory: it is no object", r->name);
    }
    scan_release(&s);
    return rc;
}

/* ---- members ---- */

/* The text of the member NAME of OBJECT, to be freed; NULL: it is not there, or no string. */
static char *member_text(struct span object, const char *name)
{
    struct span value;
    struct buf b = {0};
    if (!walk_member(object, span_text(name), &value) || walk_kind(value) != SCAN_STRING) {
        return NULL;
    }
    text_decode(&b, value);
    char *text = mem_copy(b.at ? b.at : "", b.len);
    buf_release(&b);
    return text;
}

/* A bucket's name, which may be given as arn:aws:s3:::NAME. Takes and gives what is to be freed. */
static char *bare_bucket(char *text)
{
    char *colon = text && strncmp(text, "arn:", 4) == 0 ? strrchr(text, ':') : NULL;
    if (colon) {
        memmove(text, colon + 1, strlen(colon));
    }
    return text ? text : mem_text("");
}

static int read_bucket(struct manifest *m, const struct reader *r, struct span object,
                       struct err *e)
{
    m->bucket = bare_bucket(member_text(object, "destinationBucket"));
    if (strchr(m->bucket, '/')) {
        return err_set(e, ERR_DATA, "%s: the destinationBucket is no bucket's name", r->name);
    }
    return 0;
}

/* Take the names of the columns: "Bucket, Key, Size". 0, or -1 with E filled. */
static int read_schema(struct manifest *m, const struct reader *r, struct span object,
                       struct err *e)
{
    m->schema = member_text(object, "fileSchema");
    if (!m->schema || !*m->schema) {
        return err_set(e, ERR_DATA,
                       "%s is no manifest of an inventory: it has no fileSchema, which names the"
                       " columns",
                       r->name);
    }
    for (const char *at = m->schema; at; at = strchr(at, ',')) {
        at += *at == ',';
        at += strspn(at, " ");
        size_t len = strcspn(at, ",");
        while (len > 0 && at[len - 1] == ' ') {
            len--;
        }
        m->columns = mem_grow(m->columns, &m->columns_cap, m->columns_count, sizeof *m->columns);
        m->columns[m->columns_count++] = span_of(at, len);
    }
    return 0;
}

static int read_format(const struct reader *r, struct span object, struct err *e)
{
    char *format = member_text(object, "fileFormat");
    int rc = 0;
    if (format && strcasecmp(format, "CSV") != 0) {
        rc = err_set(e, ERR_DATA, "%s: the inventory is %s; only CSV can be read", r->name, format);
    }
    free(format);
    return rc;
}

/* ---- parts ---- */

/* The digest TEXT in lower case at OUT, if it is one; a masked or foreign one is as none. */
static void take_md5(char *out, const char *text)
{
    size_t len = strspn(text, "0123456789abcdefABCDEF");
    if (len != MANIFEST_MD5_DIGITS || text[len]) {
        return;
    }
    for (size_t i = 0; i <= len; i++) {
        out[i] = (char)tolower((unsigned char)text[i]);
    }
}

/* The whole number that is the member NAME of OBJECT. */
static bool member_number(struct span object, const char *name, uint64_t *number)
{
    struct span value;
    uint64_t n = 0;
    if (!walk_member(object, span_text(name), &value) || value.len > 19) {
        return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9') {
            return false;
        }
        n = n * 10 + (uint64_t)(value.at[i] - '0');
    }
    *number = n;
    return true;
}

static int read_part(struct manifest *m, const struct reader *r, struct span object, struct err *e)
{
    struct manifest_part part = {.key = member_text(object, "key")};
    if (!part.key || !*part.key) {
        free(part.key);
        return err_set(e, ERR_DATA, "%s: file %zu of the manifest has no key", r->name,
                       m->parts_count + 1);
    }
    char *md5 = member_text(object, "MD5checksum");
    if (md5) {
        take_md5(part.md5, md5);
    }
    free(md5);
    part.sized = member_number(object, "size", &part.size);
    m->parts = mem_grow(m->parts, &m->parts_cap, m->parts_count, sizeof *m->parts);
    m->parts[m->parts_count++] = part;
    return 0;
}

static int read_parts(struct manifest *m, const struct reader *r, struct span object, struct err *e)
{
    struct span files;
    if (!walk_member(object, SPAN_LIT("files"), &files) || walk_kind(files) != SCAN_ARRAY) {
        return err_set(e, ERR_DATA,
                       "%s is no manifest of an inventory: it has no files (the results of a run"
                       " are read with -f results)",
                       r->name);
    }
    for (struct walk w = walk_into(files); walk_next(&w);) {
        if (read_part(m, r, w.value, e) < 0) {
            return -1;
        }
    }
    return 0;
}

int manifest_read(struct manifest *m, struct reader *r, uint64_t max_depth, struct err *e)
{
    struct buf b = {0};
    *m = (struct manifest){0};
    int rc = read_all(r, &b, e);
    struct span text = buf_span(&b);
    if (rc == 0 && (check(r, text, max_depth, e) < 0 || read_parts(m, r, text, e) < 0 ||
                    read_format(r, text, e) < 0 || read_schema(m, r, text, e) < 0 ||
                    read_bucket(m, r, text, e) < 0)) {
        rc = -1;
    }
    buf_release(&b);
    return rc;
}

void manifest_release(struct manifest *m)
{
    for (size_t i = 0; i < m->parts_count; i++) {
        free(m->parts[i].key);
    }
    free(m->parts);
    free(m->columns);
    free(m->schema);
    free(m->bucket);
    *m = (struct manifest){0};
}
