#include "result/dest.h"

#include "base/buf.h"
#include "base/mem.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

/* Which kind a URL is of; what has no scheme is a folder. */
static const struct dest_kind *kind_of(const char *url)
{
    return object_is_url(url) ? &dest_bucket : &dest_folder;
}

int dest_check(const char *url, struct err *e)
{
    size_t bad;
    if (!text_is_utf8(span_text(url), &bad)) {
        return err_set(e, ERR_USAGE, "the name of the folder for the results is not UTF-8");
    }
    return kind_of(url)->check(url, e);
}

const char *dest_bad_run(struct span name)
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

char *dest_join(const char *folder, const char *name)
{
    struct buf b = {0};
    buf_printf(&b, "%s/%s", folder, name);
    buf_add_byte(&b, '\0');
    return b.at;
}

void dest_place(struct dest_place *p, const char *url, const char *run)
{
    *p = (struct dest_place){.run = mem_text(run)};
    kind_of(url)->place(p, url, run);
}

char *dest_folder_of(const char *place)
{
    const char *slash = strrchr(place, '/');
    if (!slash) {
        return mem_text(".");
    }
    return slash == place ? mem_text("/") : mem_copy(place, (size_t)(slash - place));
}

void dest_place_release(struct dest_place *p)
{
    free(p->url);
    free(p->bucket);
    free(p->folder);
    free(p->run);
    *p = (struct dest_place){0};
}

int dest_open(struct dest *d, const struct dest_place *p, struct object_client *client,
              struct err *e)
{
    *d = (struct dest){.kind = kind_of(p->url), .url = p->url, .client = client};
    return d->kind->open(d, e);
}

int dest_holds(const struct dest *d, const char *name, struct err *e)
{
    return d->kind->holds(d, name, e);
}

int dest_create(struct dest *d, const char *name, bool fresh, struct dest_file *f, struct err *e)
{
    *f = (struct dest_file){.kind = d->kind};
    int rc = d->kind->create(d, name, fresh, f, e);
    if (rc < 0) {
        *f = (struct dest_file){0};
    }
    return rc;
}

void dest_hurry(struct dest_file *f)
{
    f->kind->hurry(f);
}

int dest_commit(struct dest_file *f, struct err *e)
{
    int rc = f->kind->commit(f, e);
    *f = (struct dest_file){0};
    return rc;
}

void dest_abort(struct dest_file *f, struct err *e)
{
    if (f->kind) {
        f->kind->forget(f, e);
        *f = (struct dest_file){0};
    }
}

int dest_list(struct dest *d, int (*take)(void *context, const char *name, struct err *e),
              void *context, struct err *e)
{
    return d->kind->list(d, take, context, e);
}

int dest_remove(struct dest *d, const char *name, struct err *e)
{
    return d->kind->remove(d, name, e);
}

bool dest_is(const struct dest *d, const char *url)
{
    return kind_of(url) == d->kind && d->kind->same(d, url);
}

void dest_close(struct dest *d)
{
    if (d->kind) {
        d->kind->close(d);
        *d = (struct dest){0};
    }
}
