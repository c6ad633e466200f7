/* Places of the file system. */
#include "object/backend.h"

#include "base/mem.h"
#include "digest/digest.h"
#include "io/folder.h"
#include "io/outfile.h"
#include "object/stamp.h"
#include "object/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading and asking ---- */

static int read_path(struct object_client *c, struct url *u, struct reader *r, struct writer *tied,
                     struct err *e)
{
    struct stat st;
    (void)c;
    int fd = open(u->place, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return err_system(e, errno, "cannot open %s", u->place);
    }
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return err_set(e, ERR_IO, "cannot read %s: it is a folder", u->place);
    }
    reader_init(r, fd, u->given, tied);
    r->owned = true;
    return 0;
}

static int head_path(struct object_client *c, struct url *u, struct object_facts *facts,
                     struct err *e)
{
    struct stat st;
    (void)c;
    *facts = (struct object_facts){0};
    if (stat(u->place, &st) < 0) {
        bool absent = errno == ENOENT || errno == ENOTDIR;
        return absent ? 0 : err_system(e, errno, "cannot look at %s", u->place);
    }
    facts->sized = S_ISREG(st.st_mode);
    facts->size = facts->sized ? (uint64_t)st.st_size : 0;
    return !S_ISDIR(st.st_mode);
}

/* ---- listing ---- */

struct path_list {
    struct object_list list; /* first */
    struct tree tree;
    char *file; /* listed as itself alone; NULL: the tree, or it has been handed out */
    bool etag;
    struct buf modified;
    struct buf hash;
};

/* The quoted MD5 of the file NAME in the folder FD. */
static int hash_file(struct path_list *l, int fd, const char *name, struct err *e)
{
    int file = openat(fd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        return err_system(e, errno, "cannot open %s", buf_text(&l->tree.path));
    }
    struct reader r;
    struct digest_run run = {0};
    reader_init(&r, file, buf_text(&l->tree.path), NULL);
    r.owned = true;
    int got = digest_begin(&run, digest_find(SPAN_LIT("MD5")), e) < 0 ? -1 : 1;
    while (got > 0 && (got = reader_fill(&r, e)) > 0) {
        struct span bytes = reader_bytes(&r);
        digest_add(&run, bytes);
        reader_take(&r, bytes.len);
    }
    if (got == 0) {
        unsigned char md5[DIGEST_BYTES_MAX];
        buf_reset(&l->hash);
        buf_add_byte(&l->hash, '"');
        digest_put_hex(&l->hash, md5, digest_end(&run, md5));
        buf_add_byte(&l->hash, '"');
    }
    digest_release(&run);
    reader_release(&r);
    return got;
}

static int fill_entry(struct path_list *l, const struct stat *st, int fd, const char *name,
                      struct object_entry *entry, struct err *e)
{
    if (l->etag && hash_file(l, fd, name, e) < 0) {
        return -1;
    }
    buf_reset(&l->modified);
    stamp_put(st->st_mtim, &l->modified);
    *entry = (struct object_entry){.key = buf_span(&l->tree.path),
                                   .size = (uint64_t)st->st_size,
                                   .etag = buf_span(&l->hash),
                                   .last_modified = buf_span(&l->modified)};
    return 1;
}

static int next_file(struct object_list *list, struct object_entry *entry, struct err *e)
{
    struct path_list *l = (struct path_list *)list;
    struct stat st;
    int fd = AT_FDCWD;
    const char *name = l->file;
    if (!name) {
        int rc = tree_next(&l->tree, &st, &fd, &name, e);
        return rc > 0 ? fill_entry(l, &st, fd, name, entry, e) : rc;
    }
    if (stat(name, &st) < 0) {
        return err_system(e, errno, "cannot list %s", name);
    }
    buf_add_text(&l->tree.path, name);
    int rc = fill_entry(l, &st, fd, name, entry, e);
    free(l->file);
    l->file = NULL;
    return rc;
}

static void close_list(struct object_list *list)
{
    struct path_list *l = (struct path_list *)list;
    tree_release(&l->tree);
    free(l->file);
    buf_release(&l->modified);
    buf_release(&l->hash);
    free(l);
}

static int list_path(struct object_client *c, struct url *u,
                     const struct object_list_options *options, struct object_list **out,
                     struct err *e)
{
    struct stat st;
    (void)c;
    if (stat(u->place, &st) < 0) {
        return err_system(e, errno, "cannot list %s", u->place);
    }
    struct path_list *l = mem_new(1, sizeof *l);
    l->list = (struct object_list){next_file, close_list};
    l->etag = options->etag;
    if (S_ISREG(st.st_mode)) {
        l->file = mem_text(u->place);
    } else if (tree_open(&l->tree, u->place, options->follow, e) < 0) {
        close_list(&l->list);
        return -1;
    }
    *out = &l->list;
    return 0;
}

/* ---- writing ---- */

struct path_put {
    struct outfile file;
    bool create;
};

static int commit_file(void *state, struct err *e)
{
    struct path_put *p = state;
    p->file.fresh = p->create;
    int rc = outfile_commit(&p->file, e);
    free(p);
    return rc;
}

static void abort_file(void *state, struct err *e)
{
    struct path_put *p = state;
    (void)e;
    outfile_abort(&p->file);
    free(p);
}

/* Make the folders above PATH. */
static int make_folders(const char *path, struct err *e)
{
    char *copy = mem_text(path);
    int rc = folder_make(dirname(copy), e);
    free(copy);
    return rc;
}

static int put_path(struct object_client *c, struct url *u,
                    const struct object_put_options *options, struct object_put *out, struct err *e)
{
    static const struct object_put_kind kind = {commit_file, abort_file};
    (void)c;
    struct path_put *p = mem_new(1, sizeof *p);
    p->create = options->create;
    if (make_folders(u->place, e) < 0 || outfile_open(&p->file, u->place, e) < 0) {
        free(p);
        return -1;
    }
    *out = (struct object_put){.out = &p->file.out, .kind = &kind, .state = p};
    return 0;
}

const struct object_backend backend_path = {
    .name = "a path", .read = read_path, .head = head_path, .list = list_path, .put = put_path};
