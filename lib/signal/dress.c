#include "signal/dress.h"

#include "base/buf.h"
#include "json/text.h"
#include "json/walk.h"

static void put_text(struct writer *w, struct buf *scratch, struct span text)
{
    buf_reset(scratch);
    text_encode_lossy(scratch, text);
    writer_put_span(w, buf_span(scratch));
}

/* The attribute that has the name KEY, a JSON string. */
static const struct store_attribute *named(struct span key, const struct store_attribute *list,
                                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (walk_key_is(key, list[i].name)) {
            return &list[i];
        }
    }
    return NULL;
}

/* Copy the members of ITEM, with the attributes in the place of those of the same name. */
static bool put_members(struct writer *w, struct buf *scratch, struct span item,
                        const struct store_attribute *attributes, size_t count)
{
    struct walk members = walk_into(item);
    bool any = false;
    while (walk_next(&members)) {
        const struct store_attribute *a = named(members.key, attributes, count);
        if (any) {
            writer_put_byte(w, ',');
        }
        any = true;
        writer_put_span(w, members.key);
        writer_put_byte(w, ':');
        if (a) {
            put_text(w, scratch, a->value);
        } else {
            writer_put_span(w, members.value);
        }
    }
    return any;
}

/* Add the attributes that ITEM has no member for. ANY: something stands before them. */
static void put_new(struct writer *w, struct buf *scratch, struct span item,
                    const struct store_attribute *attributes, size_t count, bool any)
{
    for (size_t i = 0; i < count; i++) {
        struct span ignored;
        if (walk_member(item, attributes[i].name, &ignored)) {
            continue;
        }
        if (any) {
            writer_put_byte(w, ',');
        }
        any = true;
        put_text(w, scratch, attributes[i].name);
        writer_put_byte(w, ':');
        put_text(w, scratch, attributes[i].value);
    }
}

void dress_line(struct writer *w, struct span item, const struct store_attribute *attributes,
                size_t count, bool replace)
{
    if (count == 0 || walk_kind(item) != SCAN_OBJECT) {
        writer_put_span(w, item);
        return;
    }
    struct buf scratch = {0};
    bool any = item.len > 2;
    if (replace) {
        writer_put_byte(w, '{');
        any = put_members(w, &scratch, item, attributes, count);
    } else {
        writer_put(w, item.at, item.len - 1);
    }
    put_new(w, &scratch, item, attributes, count, any);
    writer_put_byte(w, '}');
    buf_release(&scratch);
}
