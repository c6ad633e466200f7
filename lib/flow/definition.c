#include "flow/definition.h"

#include "expr/document.h"
#include "flow/check.h"
#include "io/reader.h"
#include "io/tempfile.h"
#include "io/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int compile(struct definition *d, const char *file, struct faults *f, struct err *e)
{
    struct err fault = {0};
    if (machine_compile(&d->machine, &d->tree, file, &fault) == 0) {
        return 0;
    }
    struct place_at at = {fault.pos.line, fault.pos.column};
    (void)e;
    faults_add(f, at, SPAN_LIT(""), "%s", fault.text);
    return -1;
}

int definition_load(struct definition *d, const char *file, struct faults *f, struct err *e)
{
    if (flow_tree_load(&d->text, file, e) < 0 ||
        flow_tree_read(&d->tree, buf_span(&d->text), f) < 0) {
        return -1;
    }
    check_definition(d->tree.root, f);
    faults_sort(f);
    return f->count > 0 ? -1 : compile(d, file, f, e);
}

/* Names in /dev and /proc may mean a descriptor that others do not have. */
static bool can_be_opened_again(const char *file)
{
    struct stat s;
    struct span name = span_text(file);
    return strcmp(file, "-") != 0 && !span_starts(name, SPAN_LIT("/dev/")) &&
           !span_starts(name, SPAN_LIT("/proc/")) && stat(file, &s) == 0 && S_ISREG(s.st_mode);
}

const char *definition_share(struct definition *d, const char *file, const char *folder,
                             struct err *e)
{
    if (can_be_opened_again(file)) {
        return file;
    }
    int fd = tempfile_open(folder, e);
    if (fd < 0) {
        return NULL;
    }
    struct writer out;
    d->fd = fd;
    writer_init(&out, fd, "a temporary file");
    writer_put_span(&out, buf_span(&d->text));
    writer_commit(&out);
    int rc = writer_flush(&out, e);
    writer_release(&out);
    buf_printf(&d->shared, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return rc < 0 ? NULL : buf_text(&d->shared);
}

void definition_release(struct definition *d)
{
    if (d->fd > 0) {
        close(d->fd);
    }
    buf_release(&d->shared);
    machine_free(d->machine);
    flow_tree_release(&d->tree);
    buf_release(&d->text);
    *d = (struct definition){0};
}

/* All of R, which is one document. */
static int read_whole(struct reader *r, uint64_t max_depth, struct buf *out, struct err *e)
{
    struct select whole = {0};
    struct path root = {.root = PATH_INPUT};
    struct document d = {0};
    size_t slot = select_add(&whole, &root);
    int rc = document_read(&d, &whole, r, max_depth, e);
    if (rc == 0) {
        buf_add_span(out, d.values[slot]);
    }
    document_release(&d);
    select_release(&whole);
    return rc;
}

int definition_input(const char *file, uint64_t max_depth, struct buf *out, struct err *e)
{
    bool standard = strcmp(file, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return err_system(e, errno, "cannot open %s", file);
    }
    struct reader r;
    reader_init(&r, fd, standard ? "standard input" : file, NULL);
    r.owned = !standard;
    int rc = reader_skip_bom(&r, e) < 0 ? -1 : read_whole(&r, max_depth, out, e);
    reader_release(&r);
    return rc;
}
