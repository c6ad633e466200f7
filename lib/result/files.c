#include "result/files.h"

#include "base/buf.h"
#include "base/mem.h"
#include "io/folder.h"
#include "json/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST "manifest.json"

struct kind {
    const char *key;  /* in the manifest */
    const char *name; /* of the file */
    bool always;      /* its key is there also when there is no such file */
};

static const struct kind kinds[FILES_KINDS] = {
    [FILES_FAILED] = {"FAILED", "FAILED_0.json", true},
    [FILES_PENDING] = {"PENDING", "PENDING_0.json", false},
    [FILES_SUCCEED] = {"SUCCEED", "SUCCEED_0.json", true},
};

const char *files_bad_name(struct span name)
{
    size_t bad;
    if (name.len == 0) {
        return "it is empty";
    }
    if (span_equal(name, SPAN_LIT(".")) || span_equal(name, SPAN_LIT(".."))) {
        return "it leads elsewhere";
    }
    if (memchr(name.at, '/', name.len)) {
        return "it has a '/'";
    }
    if (memchr(name.at, '\0', name.len)) {
        return "it has a NUL byte";
    }
    return text_is_utf8(name, &bad) ? NULL : "it is not UTF-8";
}

int files_check_dest(const char *dest, struct err *e)
{
    size_t bad;
    size_t scheme = strspn(dest, "abcdefghijklmnopqrstuvwxyz0123456789+.-");
    if (!*dest) {
        return err_set(e, ERR_USAGE, "the folder for the results has an empty name");
    }
    if (scheme > 0 && strncmp(dest + scheme, "://", 3) == 0) {
        return err_set(e, ERR_USAGE, "cannot write to %s: only to a folder", dest);
    }
    if (!text_is_utf8(span_text(dest), &bad)) {
        return err_set(e, ERR_USAGE, "the name of the folder for the results is not UTF-8");
    }
    return 0;
}

/* FOLDER/NAME; the caller frees it. */
static char *join(const char *folder, const char *name)
{
    struct buf b = {0};
    buf_printf(&b, "%s/%s", folder, name);
    buf_add_byte(&b, '\0');
    return b.at;
}

/* DEST without slashes at its end, unless it is nothing else; the caller frees it. */
static char *trim_dest(const char *dest)
{
    size_t len = strlen(dest);
    while (len > 1 && dest[len - 1] == '/') {
        len--;
    }
    return mem_copy(dest, len);
}

/* Nobody else may write here, and nothing complete may be here. */
static int take_folder(struct files *f, struct err *e)
{
    struct stat st;
    f->folder = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->folder < 0) {
        return err_system(e, errno, "cannot use the folder %s", f->path);
    }
    if (flock(f->folder, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        return err_set(e, ERR_LATER, "another process is writing to %s", f->path);
    }
    if (fstatat(f->folder, MANIFEST, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        return err_set(e, ERR_IO, "the results of the run %s are there already: %s/%s", f->run,
                       f->path, MANIFEST);
    }
    return 0;
}

int files_open(struct files *f, const char *dest, const char *run, enum files_form form,
               struct err *e)
{
    struct stat st;
    *f = (struct files){.form = form, .dest = trim_dest(dest), .run = mem_text(run), .folder = -1};
    f->path = join(f->dest, run);
    bool absent = lstat(f->path, &st) < 0;
    if (folder_make(f->path, e) < 0 || take_folder(f, e) < 0) {
        return -1;
    }
    f->is_ours = absent;
    return 0;
}

static enum files_kind kind_of(const struct record *r)
{
    return r->kind == RECORD_SUCCEEDED ? FILES_SUCCEED
           : r->kind == RECORD_PENDING ? FILES_PENDING
                                       : FILES_FAILED;
}

/* The seven members of the service, in its order. */
static void put_cloudflow(struct writer *w, const struct record *r)
{
    writer_put_span(w, SPAN_LIT("{\"ExecutionName\":"));
    writer_put_span(w, r->name);
    writer_put_span(w, SPAN_LIT(",\"FlowName\":"));
    writer_put_span(w, r->flow);
    writer_put_span(w, SPAN_LIT(",\"Input\":"));
    text_put(w, r->input);
    writer_put_span(w, SPAN_LIT(",\"Output\":"));
    text_put(w, r->output);
    writer_put_span(w, SPAN_LIT(",\"Status\":"));
    writer_put_span(w, r->status);
    writer_put_span(w, SPAN_LIT(",\"StartedTime\":"));
    writer_put_span(w, r->started);
    writer_put_span(w, SPAN_LIT(",\"StoppedTime\":"));
    writer_put_span(w, r->stopped);
    writer_put_byte(w, '}');
}

static int open_kind(struct files *f, enum files_kind k, struct err *e)
{
    char *path = join(f->path, kinds[k].name);
    int rc = outfile_open(&f->file[k], path, e);
    free(path);
    return rc;
}

int files_put(struct files *f, const struct record *r, struct span line, struct err *e)
{
    enum files_kind k = kind_of(r);
    struct writer *w = &f->file[k].out;
    bool first = !outfile_is_open(&f->file[k]);
    if (first && open_kind(f, k, e) < 0) {
        return -1;
    }
    writer_put_byte(w, first ? '[' : ',');
    if (f->form == FILES_FULL) {
        writer_put_span(w, line);
    } else {
        put_cloudflow(w, r);
    }
    writer_commit(w);
    return w->number ? writer_flush(w, e) : 0; /* not at the end: the input may be long */
}

/* Write the end of the file of kind K, or make sure that none is left of an earlier attempt. */
static int commit_kind(struct files *f, enum files_kind k, struct err *e)
{
    struct writer *w = &f->file[k].out;
    if (!outfile_is_open(&f->file[k])) {
        return unlinkat(f->folder, kinds[k].name, 0) < 0 && errno != ENOENT
                   ? err_system(e, errno, "cannot remove the old %s/%s", f->path, kinds[k].name)
                   : 0;
    }
    writer_put_byte(w, ']');
    writer_commit(w);
    f->size[k] = writer_total(w);
    return outfile_commit(&f->file[k], e);
}

/* "RUN/NAME" as a JSON string. */
static void put_object_name(const struct files *f, const char *name, struct writer *w)
{
    char *object = join(f->run, name);
    text_put(w, span_text(object));
    free(object);
}

static void put_list(const struct files *f, enum files_kind k, struct writer *w)
{
    text_put(w, span_text(kinds[k].key));
    writer_put_span(w, SPAN_LIT(":["));
    if (f->size[k] > 0) {
        writer_put_span(w, SPAN_LIT("{\"ObjectName\":"));
        put_object_name(f, kinds[k].name, w);
        writer_put_span(w, SPAN_LIT(",\"Size\":"));
        writer_put_u64(w, f->size[k]);
        writer_put_byte(w, '}');
    }
    writer_put_byte(w, ']');
}

static void put_manifest(const struct files *f, struct writer *w)
{
    writer_put_span(w, SPAN_LIT("{\"DestinationBucket\":"));
    text_put(w, span_text(f->dest));
    writer_put_span(w, SPAN_LIT(",\"MapRunName\":"));
    text_put(w, span_text(f->run));
    writer_put_span(w, SPAN_LIT(",\"ResultFiles\":{"));
    for (int k = 0; k < FILES_KINDS; k++) {
        if (kinds[k].always || f->size[k] > 0) {
            if (k > 0) {
                writer_put_byte(w, ',');
            }
            put_list(f, (enum files_kind)k, w);
        }
    }
    writer_put_span(w, SPAN_LIT("}}"));
    writer_commit(w);
}

int files_commit(struct files *f, struct err *e)
{
    for (int k = 0; k < FILES_KINDS; k++) {
        if (commit_kind(f, (enum files_kind)k, e) < 0) {
            return -1;
        }
    }
    struct outfile manifest;
    char *path = join(f->path, MANIFEST);
    int rc = outfile_open(&manifest, path, e);
    free(path);
    if (rc < 0) {
        return -1;
    }
    put_manifest(f, &manifest.out);
    if (outfile_commit(&manifest, e) < 0) {
        return -1;
    }
    f->is_ours = false;
    return 0;
}

void files_put_details(const struct files *f, struct writer *w)
{
    writer_put_span(w, SPAN_LIT("{\"MapRunName\":"));
    text_put(w, span_text(f->run));
    writer_put_span(w, SPAN_LIT(",\"ResultWriterDetails\":{\"Bucket\":"));
    text_put(w, span_text(f->dest));
    writer_put_span(w, SPAN_LIT(",\"Key\":"));
    put_object_name(f, MANIFEST, w);
    writer_put_span(w, SPAN_LIT("}}\n"));
    writer_commit(w);
}

void files_release(struct files *f)
{
    if (!f->dest) {
        return;
    }
    for (int k = 0; k < FILES_KINDS; k++) {
        outfile_abort(&f->file[k]);
    }
    if (f->is_ours) {
        (void)rmdir(f->path); /* stays if it holds anything */
    }
    if (f->folder >= 0) {
        close(f->folder);
    }
    free(f->dest);
    free(f->run);
    free(f->path);
    *f = (struct files){0};
}
