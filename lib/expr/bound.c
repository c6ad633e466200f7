#include "expr/bound.h"

#include "base/clock.h"
#include "base/uuid.h"
#include "io/reader.h"
#include "json/scan.h"
#include "json/text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int open_file(const char *path, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fd : err_system(e, errno, "cannot open %s", path);
}

/* Add all bytes of the file PATH to OUT, without a byte order mark. */
static int read_file(const char *path, struct buf *out, struct err *e)
{
    int fd = open_file(path, e);
    if (fd < 0) {
        return -1;
    }
    struct reader r;
    reader_init(&r, fd, path, NULL);
    int got = reader_skip_bom(&r, e) < 0 ? -1 : 1;
    while (got > 0) {
        struct span all = reader_bytes(&r);
        buf_add_span(out, all);
        reader_take(&r, all.len);
        got = reader_fill(&r, e);
    }
    reader_release(&r);
    close(fd);
    return got;
}

static int read_input(struct bound *b, const char *path, uint64_t max_depth, struct err *e)
{
    int fd = open_file(path, e);
    if (fd < 0) {
        return -1;
    }
    struct reader r;
    reader_init(&r, fd, path, NULL);
    int rc = document_read(&b->input, template_input(b->template), &r, max_depth, e);
    reader_release(&r);
    close(fd);
    return rc;
}

int bound_read_text(const char *text, struct buf *out, struct err *e)
{
    if (text[0] == '@') {
        return read_file(text + 1, out, e);
    }
    buf_add_text(out, text);
    return 0;
}

static int compile(struct bound *b, const char *text, bool sort_keys, struct err *e)
{
    struct buf whole = {0};
    int rc = bound_read_text(text, &whole, e);
    if (rc == 0) {
        rc = template_compile(&b->template, buf_span(&whole), sort_keys, e);
    }
    buf_release(&whole);
    return rc;
}

/* Read and bind the document of $Input, if the template asks for it. */
static int bind_input(struct bound *b, const char *input, uint64_t max_depth, struct err *e)
{
    if (!template_uses(b->template, PATH_INPUT)) {
        return input ? err_set(e, ERR_USAGE, "--input has no effect: nothing uses $Input") : 0;
    }
    if (!input) {
        return err_set(e, ERR_USAGE, "$Input is used: name its document by --input");
    }
    if (read_input(b, input, max_depth, e) < 0) {
        return -1;
    }
    if (template_bind(b->template, &b->input, e) < 0) {
        err_prefix(e, "%s", input);
        return -1;
    }
    return 0;
}

int bound_load(struct bound *b, const char *text, const char *input, bool sort_keys,
               uint64_t max_depth, struct err *e)
{
    *b = (struct bound){0};
    return compile(b, text, sort_keys, e) < 0 ? -1 : bind_input(b, input, max_depth, e);
}

int bound_load_expression(struct bound *b, const char *text, const char *input, uint64_t max_depth,
                          struct err *e)
{
    *b = (struct bound){0};
    return template_compile_expression(&b->template, span_text(text), e) < 0
               ? -1
               : bind_input(b, input, max_depth, e);
}

int bound_check_context(const struct bound *b, const char *path, struct err *e)
{
    return path && !template_uses(b->template, PATH_CONTEXT)
               ? err_set(e, ERR_USAGE, "--context has no effect: nothing uses $Context")
               : 0;
}

void bound_release(struct bound *b)
{
    template_free(b->template);
    document_release(&b->input);
    *b = (struct bound){0};
}

static bool is_json(const char *text)
{
    struct scan s;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    bool valid = scan_check(&s, text, strlen(text)) == 0;
    scan_release(&s);
    return valid;
}

int bound_add_entry(struct buf *template, const char *entry, struct err *e)
{
    const char *equals = strchr(entry, '=');
    if (!equals || equals == entry) {
        return err_set(e, ERR_USAGE, "entry '%s': NAME=VALUE expected", entry);
    }
    struct span name = span_of(entry, (size_t)(equals - entry));
    bool expression = name.len > 2 && memcmp(equals - 2, ".$", 2) == 0;
    text_encode(template, name);
    buf_add_byte(template, ':');
    if (expression || !is_json(equals + 1)) {
        text_encode(template, span_text(equals + 1));
    } else {
        buf_add_text(template, equals + 1);
    }
    return 0;
}

/* Add the JSON document in the file PATH, checked and compact, to OUT. */
static int read_json(const char *path, uint64_t max_depth, struct buf *out, struct err *e)
{
    /* a selection of the whole document is the document, compact and checked */
    struct select all = {0};
    struct path root = {0};
    struct document d = {0};
    select_add(&all, &root);
    int fd = open_file(path, e);
    int rc = fd;
    if (fd >= 0) {
        struct reader r;
        reader_init(&r, fd, path, NULL);
        rc = document_read(&d, &all, &r, max_depth, e);
        reader_release(&r);
        close(fd);
    }
    if (rc == 0) {
        buf_add_span(out, d.values[0]);
        document_release(&d);
    }
    select_release(&all);
    return rc;
}

int bound_context(const char *path, uint64_t max_depth, struct buf *out, struct err *e)
{
    char name[UUID_TEXT_MAX];
    char stamp[CLOCK_STAMP_MAX];
    if (path) {
        return read_json(path, max_depth, out, e);
    }
    buf_add_text(out, "{\"Execution\":{\"Name\":\"");
    buf_add_text(out, uuid_make(name));
    buf_add_text(out, "\",\"StartTime\":\"");
    buf_add_text(out, clock_stamp(clock_real(), stamp));
    buf_add_text(out, "\"}}");
    return 0;
}
