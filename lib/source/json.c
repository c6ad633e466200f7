/* A JSON document: its elements, or those that a path leads to. */
#include "source/carve.h"
#include "source/split.h"

/* Does what R has next begin with an end mark? 1 or 0, or -1 with E filled. */
static int is_mark(struct reader *r, struct err *e)
{
    int got = 1;
    int is;
    while ((is = lines_begins_mark(reader_bytes(r), got == 0)) == LINES_NONE) {
        got = reader_fill(r, e);
        if (got < 0) {
            return -1;
        }
    }
    return is;
}

/* R has an end mark next, which stands for so many DOCUMENTS. 0, or -1 with E filled. */
static int take_mark(struct split *s, struct reader *r, uint64_t documents, struct err *e)
{
    struct lines_in in;
    struct span item;
    struct lines_rules rules = s->rules.lines;
    rules.end_mark = false;
    lines_open(&in, r, &rules);
    in.started = true; /* no byte order mark can come here */
    in.items = documents;
    int got = lines_next(&in, &item, e);
    s->emit.upstream += in.mark.rejected;
    lines_close(&in);
    return got;
}

/* The document has ended, and something stands behind it, of which E tells: is it an end mark? */
static int look_behind(struct split *s, const struct carve *c, struct reader *r, struct err *e)
{
    struct err other = {0};
    reader_take(r, (size_t)(carve_offset(c) - r->offset));
    int is = is_mark(r, &other);
    if (is == 0) {
        return -1;
    }
    *e = other;
    return is < 0 ? -1 : take_mark(s, r, 1, e);
}

static int split_document(struct split *s, struct reader *r, struct err *e)
{
    struct carve c;
    bool members = s->rules.single && outfile_is_open(&s->original.file);
    carve_open(&c, &s->emit, s->rules.path, members ? &s->original : NULL, r->name, r->offset);
    c.array_only = s->rules.require_array;
    int rc = 0;
    int got = 1;
    while (rc == 0 && got > 0) {
        struct span chunk = reader_bytes(r);
        rc = carve_feed(&c, chunk, e);
        if (rc < 0 && c.ended) {
            rc = look_behind(s, &c, r, e);
            break;
        }
        reader_take(r, chunk.len);
        got = rc == 0 ? reader_fill(r, e) : 0;
    }
    if (rc == 0) {
        rc = got < 0 ? -1 : carve_finish(&c, e);
    }
    carve_close(&c);
    return rc < 0 ? -1 : 0;
}

/* What a filter has written has an end mark behind the document, or is one where it had none. */
static int split_json(struct split *s, struct reader *r, struct err *e)
{
    int is = is_mark(r, e);
    return is < 0 ? -1 : is > 0 ? take_mark(s, r, 0, e) : split_document(s, r, e);
}

const struct format format_json = {.name = "json",
                                   .endings = ".json",
                                   .options = OPTION_PATH | OPTION_REQUIRE_ARRAY,
                                   .split_text = split_json};
