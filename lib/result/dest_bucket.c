/* Results in a bucket: s3://BUCKET/PREFIX, oss://BUCKET/PREFIX. */
#include "result/dest.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* An object on its way. */
struct upload {
    struct object_put put;
    const char *url; /* of the run's folder, for messages */
};

/* Behind "s3://". */
static const char *behind_scheme(const char *url)
{
    return strstr(url, "://") + 3;
}

static int check(const char *url, struct err *e)
{
    if (strncmp(url, "http", 4) == 0) {
        return err_set(e, ERR_USAGE, "cannot write to %s: only to a folder, s3:// or oss://", url);
    }
    const char *bucket = behind_scheme(url);
    return *bucket && *bucket != '/' ? 0 : err_set(e, ERR_USAGE, "%s names no bucket", url);
}

/* The prefix gets a slash where it has none (reference/distributed-map.md 1.6). */
static void place(struct dest_place *p, const char *url, const char *run)
{
    size_t len = strlen(url);
    len -= url[len - 1] == '/';
    char *folder = mem_copy(url, len);
    p->url = dest_join(folder, run);
    const char *bucket = behind_scheme(p->url);
    const char *slash = strchr(bucket, '/');
    p->bucket = mem_copy(bucket, (size_t)(slash - bucket));
    p->folder = mem_text(slash + 1);
    free(folder);
}

static int open_bucket(struct dest *d, struct err *e)
{
    (void)d;
    (void)e;
    return 0;
}

static int holds(const struct dest *d, const char *name, struct err *e)
{
    struct object_facts facts;
    char *url = dest_join(d->url, name);
    int rc = object_head(d->client, url, &facts, e);
    free(url);
    return rc;
}

static int create(struct dest *d, const char *name, bool fresh, struct dest_file *f, struct err *e)
{
    struct upload *u = mem_new(1, sizeof *u);
    size_t len = strlen(name);
    bool lines = len > 6 && strcmp(name + len - 6, ".jsonl") == 0;
    struct object_put_options options = {
        .create = fresh, .content_type = lines ? "application/jsonl" : "application/json"};
    char *url = dest_join(d->url, name);
    int rc = object_put_open(d->client, url, &options, &u->put, e);
    free(url);
    if (rc < 0) {
        free(u);
        return rc;
    }
    u->url = d->url;
    f->state = u;
    f->out = u->put.out;
    return 0;
}

static void hurry(struct dest_file *f)
{
    (void)f; /* parts go up as they are full */
}

static int commit(struct dest_file *f, struct err *e)
{
    struct upload *u = f->state;
    int rc = object_put_commit(&u->put, e);
    if (rc > 0) {
        rc = err_set(e, ERR_IO, "another process has written the results to %s meanwhile", u->url);
    }
    free(u);
    return rc;
}

static void forget(struct dest_file *f, struct err *e)
{
    struct upload *u = f->state;
    object_put_abort(&u->put, e);
    free(u);
}

/* Nothing is taken away, for which not every key has the right: the manifest tells what counts. */
static int list(struct dest *d, int (*take)(void *context, const char *name, struct err *e),
                void *context, struct err *e)
{
    (void)d;
    (void)take;
    (void)context;
    (void)e;
    return 0;
}

static int take_away(struct dest *d, const char *name, struct err *e)
{
    (void)d;
    (void)name;
    (void)e;
    return 0;
}

static bool same(const struct dest *d, const char *url)
{
    return strcmp(d->url, url) == 0;
}

static void close_bucket(struct dest *d)
{
    (void)d;
}

const struct dest_kind dest_bucket = {
    .check = check,
    .place = place,
    .open = open_bucket,
    .holds = holds,
    .create = create,
    .hurry = hurry,
    .commit = commit,
    .forget = forget,
    .list = list,
    .remove = take_away,
    .same = same,
    .close = close_bucket,
};
