#include "source/original.h"

#include "json/lines.h"

void original_begin(struct original *o)
{
    writer_put_byte(&o->file.out, '{');
    o->open = true;
}

void original_member(struct original *o)
{
    if (o->members) {
        writer_put_byte(&o->file.out, ',');
    }
    o->members = true;
}

int original_finish(struct original *o, struct span identifier, uint64_t count, bool mark,
                    struct err *e)
{
    struct writer *w = &o->file.out;
    if (!o->open) {
        original_begin(o);
    }
    original_member(o);
    writer_put_span(w, SPAN_LIT("\"fragment.identifier\":"));
    writer_put_span(w, identifier);
    writer_put_span(w, SPAN_LIT(",\"fragment.count\":"));
    writer_put_u64(w, count);
    writer_put_span(w, SPAN_LIT("}\n"));
    writer_commit(w);
    if (mark) {
        lines_put_mark(w, &(struct lines_mark){.items = 1});
    }
    return outfile_commit(&o->file, e);
}
