#include "json/unique.h"

#include "base/mem.h"
#include "base/uuid.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 64, SLOTS_KEPT = 4096, NAME_SHOWN = 80 };

struct unique_name {
    uint64_t object; /* 0: the slot is free */
    uint64_t hash;
    struct span raw; /* with its quotes */
    size_t from;     /* in `decoded`, if it has escapes */
    size_t len;
};

static bool has_escape(struct span raw)
{
    return memchr(raw.at, '\\', raw.len) != NULL;
}

static struct span name_of(const struct unique *u, const struct unique_name *n)
{
    return has_escape(n->raw) ? span_of(u->decoded.at + n->from, n->len)
                              : span_of(n->raw.at + 1, n->raw.len - 2);
}

static uint64_t hash_of(const struct unique *u, uint64_t object, struct span name)
{
    uint64_t h = u->seed ^ object;
    for (size_t i = 0; i < name.len; i++) {
        h = (h ^ (unsigned char)name.at[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    return h ^ (h >> 32);
}

/* The slot of N: that of the same name, or a free one. */
static struct unique_name *slot_for(const struct unique *u, const struct unique_name *n)
{
    for (size_t i = n->hash;; i++) {
        struct unique_name *s = &u->slots[i & (u->size - 1)];
        if (s->object == 0 || (s->object == n->object && s->hash == n->hash &&
                               span_equal(name_of(u, s), name_of(u, n)))) {
            return s;
        }
    }
}

static void grow(struct unique *u)
{
    struct unique old = *u;
    u->size = old.size ? old.size * 2 : SLOTS_FIRST;
    u->slots = mem_new(u->size, sizeof *u->slots);
    for (size_t i = 0; i < old.size; i++) {
        if (old.slots[i].object != 0) {
            *slot_for(u, &old.slots[i]) = old.slots[i];
        }
    }
    free(old.slots);
}

/* Note the name RAW of the innermost open object. False: it has that name already. */
static bool note(struct unique *u, struct span raw)
{
    struct unique_name n = {.object = u->open[u->depth - 1], .raw = raw, .from = u->decoded.len};
    if (u->count * 2 >= u->size) {
        grow(u);
    }
    if (has_escape(raw)) {
        text_decode(&u->decoded, raw);
        n.len = u->decoded.len - n.from;
    }
    n.hash = hash_of(u, n.object, name_of(u, &n));
    struct unique_name *s = slot_for(u, &n);
    bool fresh = s->object == 0;
    if (fresh) {
        *s = n;
        u->count++;
    }
    return fresh;
}

/* Ready for another text; what a large one needed is not kept. */
static void begin(struct unique *u)
{
    if (u->size > SLOTS_KEPT) {
        free(u->slots);
        u->slots = NULL;
        u->size = 0;
    }
    if (u->size > 0 && u->count > 0) {
        memset(u->slots, 0, u->size * sizeof *u->slots);
    }
    if (u->seed == 0) {
        uuid_random(&u->seed, sizeof u->seed);
    }
    u->count = u->depth = 0;
    u->objects = 0;
    buf_reset(&u->decoded);
}

static void push(struct unique *u, uint64_t object)
{
    u->open = mem_grow(u->open, &u->cap, u->depth, sizeof *u->open);
    u->open[u->depth++] = object;
}

static bool in_object(const struct unique *u)
{
    return u->depth > 0 && u->open[u->depth - 1] != 0;
}

/* The string that begins at AT, with its quotes. */
static struct span string_at(const char *at)
{
    const char *end = at + 1;
    while (*end != '"') {
        end += *end == '\\' ? 2 : 1;
    }
    return span_of(at, (size_t)(end + 1 - at));
}

static int refuse(struct span raw, struct err *e)
{
    bool cut = raw.len > NAME_SHOWN;
    return err_set(e, ERR_DATA, "the name %.*s%s comes twice in one object (--strict)",
                   cut ? NAME_SHOWN : (int)raw.len, raw.at, cut ? "..." : "");
}

int unique_check(struct unique *u, struct span text, size_t *at, struct err *e)
{
    bool key = false; /* is the next string the name of a member? */
    begin(u);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '"') {
            struct span string = string_at(text.at + i);
            if (key && !note(u, string)) {
                *at = i;
                return refuse(string, e);
            }
            i += string.len - 1;
        } else if (c == '{' || c == '[') {
            push(u, c == '{' ? ++u->objects : 0);
            key = c == '{';
        } else if (c == '}' || c == ']') {
            u->depth--;
        } else if (c == ',' || c == ':') {
            key = c == ',' && in_object(u);
        }
    }
    return 0;
}

void unique_release(struct unique *u)
{
    free(u->slots);
    free(u->open);
    buf_release(&u->decoded);
    *u = (struct unique){0};
}
