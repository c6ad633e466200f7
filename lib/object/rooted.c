/*
 * Buckets that are folders (settings.root): s3://BUCKET/KEY and oss://BUCKET/KEY are the file
 * ROOT/BUCKET/KEY.  For trying things out without a service, and for tests.
 */
#include "object/backend.h"

#include "base/buf.h"
#include "base/mem.h"
#include "object/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Does a part of KEY lead out of its folder? */
static bool leads_away(const char *key)
{
    for (const char *at = key; *at;) {
        size_t len = strcspn(at, "/");
        if ((len == 1 || len == 2) && strncmp(at, "..", len) == 0) {
            return true;
        }
        at += len + (at[len] == '/');
    }
    return false;
}

/* The file that U is, as a place of its own.  0, or -1 with E filled; to be released either way. */
static int file_of(const struct object_client *c, const struct url *u, const char *key,
                   struct url *file, struct err *e)
{
    struct buf path = {0};
    *file = (struct url){0};
    if (leads_away(key) || leads_away(u->bucket)) {
        return err_set(e, ERR_USAGE, "%s has a part '.' or '..', which no folder can stand for",
                       u->shown);
    }
    buf_printf(&path, "%s/%s/%s", c->settings.root, u->bucket, key);
    int rc = url_parse(file, buf_text(&path), e);
    buf_release(&path);
    return rc;
}

static int read_rooted(struct object_client *c, struct url *u, struct reader *r,
                       struct writer *tied, struct err *e)
{
    struct url file;
    int rc = file_of(c, u, u->key, &file, e);
    if (rc == 0) {
        file.given = u->given;
        rc = backend_path.read(c, &file, r, tied, e);
    }
    url_release(&file);
    return rc;
}

/* In the place of an ETag: a file that is written anew has another one, even with the same bytes.
 */
static void put_identity(char out[OBJECT_ETAG_MAX], const struct stat *st)
{
    snprintf(out, OBJECT_ETAG_MAX, "\"%llx-%llx-%llx.%lx\"", (unsigned long long)st->st_size,
             (unsigned long long)st->st_ino, (unsigned long long)st->st_mtim.tv_sec,
             (unsigned long)st->st_mtim.tv_nsec);
}

static int look_at_file(int fd, const struct url *u, const char *etag, struct err *e)
{
    struct stat st;
    char identity[OBJECT_ETAG_MAX];
    if (fstat(fd, &st) < 0) {
        return err_system(e, errno, "cannot look at %s", u->shown);
    }
    put_identity(identity, &st);
    return strcmp(identity, etag) == 0
               ? 0
               : err_set(e, ERR_DATA, "source changed: %s is not the object that it was", u->shown);
}

static int read_rooted_from(struct object_client *c, struct url *u, uint64_t from, const char *etag,
                            struct reader *r, struct err *e)
{
    if (read_rooted(c, u, r, NULL, e) < 0) {
        return -1;
    }
    int rc = look_at_file(r->fd, u, etag, e);
    if (rc == 0 && lseek(r->fd, (off_t)from, SEEK_SET) < 0) {
        rc = err_system(e, errno, "cannot read %s", u->shown);
    }
    if (rc < 0) {
        reader_release(r);
        *r = (struct reader){.fd = -1};
        return -1;
    }
    r->offset = from;
    return 0;
}

static int head_rooted(struct object_client *c, struct url *u, struct object_facts *facts,
                       struct err *e)
{
    struct url file;
    struct stat st;
    int rc = file_of(c, u, u->key, &file, e);
    if (rc == 0) {
        rc = backend_path.head(c, &file, facts, e);
    }
    if (rc > 0 && facts->sized && stat(file.place, &st) == 0) {
        facts->size = (uint64_t)st.st_size;
        put_identity(facts->etag, &st);
    }
    url_release(&file);
    return rc;
}

static int put_rooted(struct object_client *c, struct url *u,
                      const struct object_put_options *options, struct object_put *p, struct err *e)
{
    struct url file;
    int rc = file_of(c, u, u->key, &file, e);
    if (rc == 0) {
        rc = backend_path.put(c, &file, options, p, e);
    }
    url_release(&file);
    return rc;
}

/* ---- listing ---- */

/* The files of a folder whose keys begin as is asked. */
struct rooted_list {
    struct object_list list; /* first */
    struct object_list *files;
    size_t skip; /* bytes of a path before the key */
    char *prefix;
};

static int next_rooted(struct object_list *list, struct object_entry *entry, struct err *e)
{
    struct rooted_list *l = (struct rooted_list *)list;
    int got = 0;
    while (l->files && (got = object_list_next(l->files, entry, e)) > 0) {
        entry->key = span_of(entry->key.at + l->skip, entry->key.len - l->skip);
        if (span_starts(entry->key, span_text(l->prefix))) {
            break;
        }
    }
    return got;
}

static void close_rooted(struct object_list *list)
{
    struct rooted_list *l = (struct rooted_list *)list;
    object_list_close(l->files);
    free(l->prefix);
    free(l);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Begin in the folder that the prefix leads to; one that is not there has nothing. */
static int list_rooted(struct object_client *c, struct url *u,
                       const struct object_list_options *options, struct object_list **out,
                       struct err *e)
{
    struct url bucket;
    struct url folder = {0};
    struct rooted_list *l = mem_new(1, sizeof *l);
    const char *slash = strrchr(u->key, '/');
    char *above = mem_copy(u->key, slash ? (size_t)(slash - u->key) : 0);
    l->list = (struct object_list){next_rooted, close_rooted};
    l->prefix = mem_text(u->key);
    int rc = file_of(c, u, "", &bucket, e);
    rc = rc < 0 ? rc : file_of(c, u, above, &folder, e);
    if (rc == 0) {
        size_t len = strlen(folder.place);
        folder.place[len - (len > 1 && folder.place[len - 1] == '/')] = '\0';
        l->skip = strlen(tree_name(bucket.place));
        if (is_folder(folder.place) || !is_folder(bucket.place)) {
            rc = backend_path.list(c, &folder, options, &l->files, e);
        }
    }
    url_release(&bucket);
    url_release(&folder);
    free(above);
    if (rc < 0) {
        close_rooted(&l->list);
        return rc;
    }
    *out = &l->list;
    return 0;
}

const struct object_backend backend_rooted = {.name = "a bucket in a folder",
                                              .read = read_rooted,
                                              .read_from = read_rooted_from,
                                              .head = head_rooted,
                                              .list = list_rooted,
                                              .put = put_rooted};
