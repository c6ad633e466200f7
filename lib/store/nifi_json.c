#include "store/nifi_json.h"

#include "base/units.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

static bool read_number(struct span value, int64_t *out)
{
    struct err ignored;
    return units_integer(value, INT64_MIN, INT64_MAX, out, &ignored) == 0;
}

/* Take each member of OBJECT in, as a counter or an attribute. */
static bool read_members(struct span object, bool counters, struct store_entry *out)
{
    struct walk members = walk_into(object);
    struct buf name = {0}, text = {0};
    bool fine = walk_kind(object) == SCAN_OBJECT;
    while (fine && walk_next(&members)) {
        int64_t number;
        buf_reset(&name);
        buf_reset(&text);
        text_decode(&name, members.key);
        if (counters && read_number(members.value, &number)) {
            store_entry_counter(out, buf_span(&name), number);
        } else if (!counters && walk_kind(members.value) == SCAN_STRING) {
            text_decode(&text, members.value);
            store_entry_attribute(out, buf_span(&name), buf_span(&text));
        } else {
            fine = false;
        }
    }
    buf_release(&name);
    buf_release(&text);
    return fine;
}

static bool read_json(struct span text, struct store_entry *out)
{
    struct span part;
    return walk_kind(text) == SCAN_OBJECT &&
           (!walk_member(text, SPAN_LIT("counts"), &part) || read_members(part, true, out)) &&
           (!walk_member(text, SPAN_LIT("attributes"), &part) || read_members(part, false, out)) &&
           (!walk_member(text, SPAN_LIT("releasableCount"), &part) ||
            read_number(part, &out->tickets));
}

/* Where TEXT has the mark that separates attributes, or its end. */
static size_t find_separator(struct span text, struct span mark)
{
    const char *at = memmem(text.at, text.len, mark.at, mark.len);
    return at ? (size_t)(at - text.at) : text.len;
}

static bool read_ancient(struct span text, struct store_entry *out)
{
    const struct span mark = SPAN_LIT("<|--|>");
    while (text.len > 0) {
        size_t len = find_separator(text, mark);
        const char *equals = memchr(text.at, '=', len);
        if (!equals) {
            return false;
        }
        size_t name = (size_t)(equals - text.at);
        store_entry_attribute(out, span_of(text.at, name), span_of(equals + 1, len - name - 1));
        size_t skip = len + (len < text.len ? mark.len : 0);
        text = span_of(text.at + skip, text.len - skip);
    }
    store_entry_counter(out, SPAN_LIT("default"), 1);
    out->ancient = true;
    return true;
}

int nifi_json_read(struct span text, struct store_entry *out, struct err *e)
{
    struct scan scan;
    scan_init(&scan, SCAN_DEPTH_DEFAULT);
    bool json = scan_check(&scan, text.at, text.len) == 0;
    scan_release(&scan);
    if (text.len == 0 || !(json ? read_json(text, out) : read_ancient(text, out))) {
        return err_set(e, ERR_DATA, "the entry is in no form that is known");
    }
    return 0;
}

void nifi_json_write(const struct store_entry *entry, struct buf *out)
{
    buf_add_text(out, "{\"counts\":{");
    for (size_t i = 0; i < entry->counter_count; i++) {
        buf_add_text(out, i ? "," : "");
        text_encode_lossy(out, entry->counters[i].name);
        buf_add_byte(out, ':');
        buf_add_i64(out, entry->counters[i].value);
    }
    buf_add_text(out, "},\"attributes\":{");
    for (size_t i = 0; i < entry->attribute_count; i++) {
        buf_add_text(out, i ? "," : "");
        text_encode_lossy(out, entry->attributes[i].name);
        buf_add_byte(out, ':');
        text_encode_lossy(out, entry->attributes[i].value);
    }
    buf_add_text(out, "},\"releasableCount\":");
    buf_add_i64(out, entry->tickets);
    buf_add_byte(out, '}');
}
