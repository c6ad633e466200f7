/* JSON lines: each is an item. */
#include "json/lines.h"

#include "source/split.h"
#include "json/walk.h"

/* Put the item at hand into the output. 0, also if it was refused and put aside; -1. */
static int emit_line(struct split *s, struct lines_in *in, struct span item, struct err *e)
{
    emit_begin(&s->emit);
    writer_put_span(s->emit.out, item);
    if (emit_end(&s->emit, walk_kind(item), e) == 0) {
        return 0;
    }
    writer_rollback(s->emit.out);
    return lines_refuse(in, e);
}

static int split_jsonl(struct split *s, struct reader *r, struct err *e)
{
    struct lines_in in;
    struct span item;
    struct lines_rules rules = s->rules.lines;
    rules.end_mark = false; /* a data set need not have one */
    lines_open(&in, r, &rules);
    in.started = true; /* a byte order mark has been skipped already */
    int got = 1;
    while (got > 0 && !emit_full(&s->emit)) {
        got = lines_next(&in, &item, e);
        if (got > 0 && emit_line(s, &in, item, e) < 0) {
            got = -1;
        }
    }
    s->emit.rejected += in.rejected;
    s->emit.upstream += in.mark.rejected;
    lines_close(&in);
    return got < 0 ? -1 : 0;
}

const struct format format_jsonl = {
    .name = "jsonl", .endings = ".jsonl .ndjson", .split_text = split_jsonl};
