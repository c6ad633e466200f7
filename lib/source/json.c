/* A JSON document: its elements, or those that a path leads to. */
#include "source/carve.h"
#include "source/split.h"

static int split_json(struct split *s, struct reader *r, struct err *e)
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
        reader_take(r, chunk.len);
        got = rc == 0 ? reader_fill(r, e) : 0;
    }
    if (rc == 0) {
        rc = got < 0 ? -1 : carve_finish(&c, e);
    }
    carve_close(&c);
    return rc < 0 ? -1 : 0;
}

const struct format format_json = {.name = "json",
                                   .endings = ".json",
                                   .options = OPTION_PATH | OPTION_REQUIRE_ARRAY,
                                   .split_text = split_json};
