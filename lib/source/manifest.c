#include "source/manifest.h"

#include "base/mem.h"
#include "source/whole.h"
#include "json/walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    m->bucket = bare_bucket(whole_text(object, "destinationBucket"));
    if (strchr(m->bucket, '/')) {
        return err_set(e, ERR_DATA, "%s: the destinationBucket is no bucket's name", r->name);
    }
    return 0;
}

/* Take the names of the columns: "Bucket, Key, Size". 0, or -1 with E filled. */
static int read_schema(struct manifest *m, const struct reader *r, struct span object,
                       struct err *e)
{
    m->schema = whole_text(object, "fileSchema");
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
    char *format = whole_text(object, "fileFormat");
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

static int read_part(struct manifest *m, const struct reader *r, struct span object, struct err *e)
{
    struct manifest_part part = {.key = whole_text(object, "key")};
    if (!part.key || !*part.key) {
        free(part.key);
        return err_set(e, ERR_DATA, "%s: file %zu of the manifest has no key", r->name,
                       m->parts_count + 1);
    }
    char *md5 = whole_text(object, "MD5checksum");
    if (md5) {
        take_md5(part.md5, md5);
    }
    free(md5);
    part.sized = whole_number(object, "size", &part.size);
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
    int rc = whole_read(&b, r, max_depth, e);
    struct span text = buf_span(&b);
    if (rc == 0 && (read_parts(m, r, text, e) < 0 || read_format(r, text, e) < 0 ||
                    read_schema(m, r, text, e) < 0 || read_bucket(m, r, text, e) < 0)) {
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
