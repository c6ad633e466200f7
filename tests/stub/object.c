/* object: the room object for tests: read, list, head, put one place; make a bucket. */
#include "cli/object_option.h"
#include "io/unpack.h"
#include "object/bucket.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct options {
    bool follow;
    bool etag;
    bool create;
    bool abort;
    bool unpack;
    bool verbose;
    const char *type;
};

static const struct cli_option option_table[] = {
    {.name = "follow", .offset = offsetof(struct options, follow), .help = "list: follow links"},
    {.name = "etag", .offset = offsetof(struct options, etag), .help = "list: MD5 of files"},
    {.name = "create", .offset = offsetof(struct options, create), .help = "put: replace nothing"},
    {.name = "abort", .offset = offsetof(struct options, abort), .help = "put: abort at the end"},
    {.name = "unpack", .offset = offsetof(struct options, unpack), .help = "read: gzip, zstd"},
    {.letter = 'v',
     .name = "verbose",
     .offset = offsetof(struct options, verbose),
     .help = "say what is tried again"},
    {.name = "type",
     .argument = "TYPE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, type),
     .help = "put: the content type"},
};

static const struct cli_program program = {
    .name = "object",
    .summary = "Read, list, head or put a place, for tests",
    .usage = "read|list|head|put|make PLACE",
    .example = "  $ object list s3://bucket/",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0}},
    .max_operands = 2,
};

/* All that R has to OUT. 0, or -1 with E filled. */
static int copy(struct reader *r, struct writer *out, struct err *e)
{
    int got = 1;
    while (got > 0) {
        struct span bytes = reader_bytes(r);
        writer_put_span(out, bytes);
        writer_commit(out);
        reader_take(r, bytes.len);
        got = out->number ? writer_flush(out, e) : reader_fill(r, e);
    }
    return got;
}

static int do_read(struct object_client *c, const struct options *o, const char *place,
                   struct writer *out, struct err *e)
{
    struct reader r;
    if (object_read(c, place, &r, out, e) < 0) {
        return -1;
    }
    int rc = o->unpack ? reader_unpack(&r, e) : 0;
    if (rc == 0) {
        rc = copy(&r, out, e);
    }
    reader_release(&r);
    return rc;
}

/* Control characters, spaces and percent signs of S as %XX. */
static void put_shown(struct writer *out, struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        char text[4];
        unsigned char c = (unsigned char)s.at[i];
        bool plain = c > ' ' && c != '%' && c != 127;
        int n = snprintf(text, sizeof text, plain ? "%c" : "%%%02X", c);
        writer_put(out, text, (size_t)n);
    }
}

static int do_list(struct object_client *c, const struct options *o, const char *place,
                   struct writer *out, struct err *e)
{
    struct object_list_options options = {.tied = out, .follow = o->follow, .etag = o->etag};
    struct object_list *l;
    struct object_entry entry;
    if (object_list_open(c, place, &options, &l, e) < 0) {
        return -1;
    }
    int rc;
    while ((rc = object_list_next(l, &entry, e)) > 0) {
        const struct span more[] = {entry.etag, entry.last_modified, entry.storage_class,
                                    entry.type};
        put_shown(out, entry.key);
        writer_put_byte(out, ' ');
        writer_put_u64(out, entry.size);
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            writer_put_byte(out, ' ');
            writer_put_span(out, more[i].len > 0 ? more[i] : SPAN_LIT("-"));
        }
        writer_put_byte(out, '\n');
        writer_commit(out);
    }
    object_list_close(l);
    return rc;
}

static int do_head(struct object_client *c, const char *place, struct writer *out, struct err *e)
{
    struct object_facts f;
    char line[OBJECT_ETAG_MAX + 64];
    int rc = object_head(c, place, &f, e);
    if (rc > 0) {
        char size[24] = "-";
        if (f.sized) {
            snprintf(size, sizeof size, "%llu", (unsigned long long)f.size);
        }
        int n = snprintf(line, sizeof line, "%s %s\n", size, f.etag[0] ? f.etag : "-");
        writer_put(out, line, (size_t)n);
    } else if (rc == 0) {
        writer_put(out, "absent\n", 7);
    }
    writer_commit(out);
    return rc < 0 ? -1 : 0;
}

static int do_put(struct object_client *c, const struct options *o, const char *place,
                  struct writer *out, struct err *e)
{
    struct object_put_options options = {.create = o->create, .content_type = o->type};
    struct object_put p;
    struct reader in;
    if (object_put_open(c, place, &options, &p, e) < 0) {
        return -1;
    }
    reader_init(&in, STDIN_FILENO, "standard input", NULL);
    int rc = copy(&in, p.out, e);
    reader_release(&in);
    if (rc < 0 || o->abort) {
        object_put_abort(&p, e);
        return rc;
    }
    rc = object_put_commit(&p, e);
    if (rc == 1) {
        writer_put(out, "taken\n", 6);
        writer_commit(out);
    }
    return rc < 0 ? -1 : 0;
}

/* Make the bucket that PLACE names. */
static int do_make(struct object_client *c, const char *place, struct err *e)
{
    struct url u;
    struct bucket_call call = {0};
    struct http_transfer *t;
    struct buf answer = {0};
    int rc = url_parse(&u, place, e);
    if (rc == 0) {
        rc = bucket_call_init(&call, c, &u, "make", "PUT", e);
    }
    if (rc == 0) {
        rc = request_fetch(&call.request, &answer, &t, e);
    }
    if (rc == 0) {
        http_end(t);
    }
    bucket_call_release(&call);
    buf_release(&answer);
    url_release(&u);
    return rc;
}

static int run(struct object_client *c, const struct options *o, const char *what,
               const char *place, struct writer *out, struct err *e)
{
    if (strcmp(what, "read") == 0) {
        return do_read(c, o, place, out, e);
    }
    if (strcmp(what, "list") == 0) {
        return do_list(c, o, place, out, e);
    }
    if (strcmp(what, "make") == 0) {
        return do_make(c, place, e);
    }
    return strcmp(what, "head") == 0 ? do_head(c, place, out, e) : do_put(c, o, place, out, e);
}

int main(int argc, char **argv)
{
    struct options o = {0};
    struct cli_operands operands;
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    struct err e = {0};
    struct writer out;
    struct cli_object objects = {0};
    writer_init(&out, STDOUT_FILENO, "standard output");
    int rc = cli_object_open(&objects, &program, o.verbose, &e);
    if (rc == 0) {
        rc = run(objects.client, &o, operands.at[0], operands.at[1], &out, &e);
    }
    if (rc == 0) {
        rc = writer_flush(&out, &e);
    } else {
        (void)writer_flush(&out, NULL);
    }
    cli_object_close(&objects);
    writer_release(&out);
    return rc < 0 ? cli_fail(&program, &e) : 0;
}
