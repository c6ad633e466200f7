#include "signal/line.h"

#include "expr/attr.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdio.h>

/* The edit of the member KEY, a JSON string; NULL if there is none. */
static const struct edit *edit_of(struct span key, const struct edit *edits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (walk_key_is(key, edits[i].name)) {
            return &edits[i];
        }
    }
    return NULL;
}

static void add_comma(struct buf *out, bool *any)
{
    if (*any) {
        buf_add_byte(out, ',');
    }
    *any = true;
}

/* Does anything happen to a member that ITEM has? */
static bool touches(struct span item, const struct edit *edits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct span ignored;
        if (edits[i].kind != EDIT_ADD && walk_member(item, edits[i].name, &ignored)) {
            return true;
        }
    }
    return false;
}

/* Copy the members of ITEM as EDITS have it. */
static void add_members(struct buf *out, struct span item, const struct edit *edits, size_t count,
                        bool *any)
{
    struct walk members = walk_into(item);
    while (walk_next(&members)) {
        const struct edit *e = edit_of(members.key, edits, count);
        if (e && e->kind == EDIT_DROP) {
            continue;
        }
        add_comma(out, any);
        buf_add_span(out, members.key);
        buf_add_byte(out, ':');
        if (e && e->kind == EDIT_SET) {
            text_encode_lossy(out, e->value);
        } else {
            buf_add_span(out, members.value);
        }
    }
}

/* Add those members that ITEM does not have. */
static void add_new(struct buf *out, struct span item, const struct edit *edits, size_t count,
                    bool *any)
{
    for (size_t i = 0; i < count; i++) {
        struct span ignored;
        if (edits[i].kind == EDIT_DROP || walk_member(item, edits[i].name, &ignored)) {
            continue;
        }
        add_comma(out, any);
        text_encode_lossy(out, edits[i].name);
        buf_add_byte(out, ':');
        text_encode_lossy(out, edits[i].value);
    }
}

void line_edit(struct buf *out, struct span item, const struct edit *edits, size_t count)
{
    if (count == 0 || walk_kind(item) != SCAN_OBJECT) {
        buf_add_span(out, item);
        return;
    }
    bool any = item.len > 2;
    if (touches(item, edits, count)) {
        any = false;
        buf_add_byte(out, '{');
        add_members(out, item, edits, count, &any);
    } else {
        buf_add(out, item.at, item.len - 1);
    }
    add_new(out, item, edits, count, &any);
    buf_add_byte(out, '}');
}

void line_unmark(struct buf *out, struct span item)
{
    static const struct edit ours[] = {{.kind = EDIT_DROP, .name = LINE_START},
                                       {.kind = EDIT_DROP, .name = LINE_PENALTY}};
    line_edit(out, item, ours, 2);
}

bool line_attribute(struct span item, struct span name, struct buf *out)
{
    struct span value;
    return walk_member(item, name, &value) && attr_value(value, out);
}

void line_put(struct writer *w, struct span line)
{
    if (w) {
        writer_put_span(w, line);
        writer_put_byte(w, '\n');
        writer_commit(w);
    }
}

struct span line_stamp(int64_t millis, char out[LINE_STAMP_MAX])
{
    int n = snprintf(out, LINE_STAMP_MAX, "%lld", (long long)millis);
    return span_of(out, (size_t)n);
}
