#include "source/whereabouts.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- on disk ---- */

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Does KEY stay below where it is looked for? */
static bool is_tame(const char *key)
{
    while (*key) {
        size_t len = strcspn(key, "/");
        bool dots = (len == 1 && key[0] == '.') || (len == 2 && key[0] == '.' && key[1] == '.');
        if (len == 0 || dots) {
            return false;
        }
        key += len;
        if (*key == '/' && !*++key) {
            return false;
        }
    }
    return true;
}

static size_t count_folders(const char *key)
{
    size_t count = 0;
    for (; *key; key++) {
        count += *key == '/';
    }
    return count;
}

/* FOLDER, "" or with a slash at its end, becomes the one above. */
static void go_up(struct buf *folder)
{
    size_t len = folder->len;
    while (len > 0 && folder->at[len - 1] == '/') {
        len--;
    }
    size_t from = len;
    while (from > 0 && folder->at[from - 1] != '/') {
        from--;
    }
    struct span last = span_of(folder->at + from, len - from);
    if (last.len == 0 || span_equal(last, SPAN_LIT(".")) || span_equal(last, SPAN_LIT(".."))) {
        buf_add_text(folder, "../");
    } else {
        folder->len = from;
    }
}

/* Look for NAME in FOLDER, of LEN bytes, and the LEVELS above it; the path is in B if it is found.
 */
static bool look_upwards(struct buf *b, const char *folder, size_t len, size_t levels,
                         const char *name)
{
    struct buf up = {0};
    bool found = false;
    buf_add(&up, folder, len);
    for (size_t i = 0; i <= levels && !found; i++) {
        buf_reset(b);
        buf_add_span(b, buf_span(&up));
        buf_add_text(b, name);
        found = is_file(buf_text(b));
        go_up(&up);
    }
    buf_release(&up);
    return found;
}

static char *find_file(const char *manifest, const char *key, struct err *e)
{
    struct buf b = {0};
    const char *slash = strrchr(manifest, '/');
    size_t len = slash ? (size_t)(slash - manifest) + 1 : 0;
    size_t levels = count_folders(key);
    bool found = false;
    if (!is_tame(key)) {
        err_set(e, ERR_DATA, "%s: cannot look for the file '%s' on disk", manifest, key);
        return NULL;
    }
    for (const char *name = key; name && !found; name = strchr(name, '/')) {
        name += *name == '/';
        found = look_upwards(&b, manifest, len, levels, name);
    }
    char *path = found ? mem_text(buf_text(&b)) : NULL;
    buf_release(&b);
    if (!path) {
        err_set(e, ERR_IO,
                "%s: the file '%s' that it names is neither in its folder nor in one above",
                manifest, key);
    }
    return path;
}

/* ---- in buckets ---- */

/* SCHEME://BUCKET/KEY; SCHEME, of LEN bytes, has its slashes. To be freed. */
static char *join(const char *scheme, size_t len, struct span bucket, const char *key)
{
    struct buf b = {0};
    buf_add(&b, scheme, len);
    buf_add_span(&b, bucket);
    buf_add_byte(&b, '/');
    buf_add_text(&b, key);
    char *url = mem_text(buf_text(&b));
    buf_release(&b);
    return url;
}

static char *find_object(struct object_client *client, const char *manifest, const char *bucket,
                         const char *key, struct err *e)
{
    struct object_facts facts;
    size_t scheme = (size_t)(strstr(manifest, "://") - manifest) + 3;
    struct span own = span_of(manifest + scheme, strcspn(manifest + scheme, "/"));
    struct span stated = *bucket ? span_text(bucket) : own;
    char *url = join(manifest, scheme, stated, key);
    if (span_equal(stated, own)) {
        return url;
    }
    int there = object_head(client, url, &facts, e);
    if (there == 0) {
        free(url);
        url = join(manifest, scheme, own, key);
    } else if (there < 0) {
        free(url);
        url = NULL;
    }
    return url;
}

char *whereabouts(struct object_client *client, const char *manifest, const char *bucket,
                  const char *key, struct err *e)
{
    if (!object_is_url(manifest)) {
        return find_file(manifest, key, e);
    }
    if (strncmp(manifest, "http", 4) == 0) {
        err_set(e, ERR_USAGE, "%s: a manifest is read from a file or a bucket, where its files are",
                manifest);
        return NULL;
    }
    return find_object(client, manifest, bucket, key, e);
}
