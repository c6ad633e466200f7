#include "result/fingerprint.h"

#include "base/mem.h"
#include "digest/digest.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_FIRST = 256 };

int fingerprint_of(struct span text, struct fingerprint *f, struct err *e)
{
    unsigned char bytes[DIGEST_BYTES_MAX];
    size_t len;
    if (digest_bytes(digest_find(SPAN_LIT("SHA-256")), text, bytes, &len, e) < 0) {
        return -1;
    }
    memcpy(f, bytes, sizeof *f);
    f->a |= 1; /* all zero is kept for free places */
    return 0;
}

/* The place of F, or the free one where it belongs. */
static struct fingerprint *find(const struct fingerprint_set *s, const struct fingerprint *f)
{
    size_t at = (size_t)f->b & (s->cap - 1);
    while (s->slots[at].a != 0 && !fingerprint_equal(&s->slots[at], f)) {
        at = (at + 1) & (s->cap - 1);
    }
    return &s->slots[at];
}

static void grow(struct fingerprint_set *s)
{
    struct fingerprint_set old = *s;
    s->cap = old.cap ? old.cap * 2 : TABLE_FIRST;
    s->slots = mem_new(s->cap, sizeof *s->slots);
    for (size_t i = 0; i < old.cap; i++) {
        if (old.slots[i].a != 0) {
            *find(s, &old.slots[i]) = old.slots[i];
        }
    }
    free(old.slots);
}

bool fingerprint_add(struct fingerprint_set *s, const struct fingerprint *f)
{
    if (s->count * 4 >= s->cap * 3) {
        grow(s);
    }
    struct fingerprint *slot = find(s, f);
    bool fresh = slot->a == 0;
    *slot = *f;
    s->count += fresh;
    return fresh;
}

void fingerprint_release(struct fingerprint_set *s)
{
    free(s->slots);
    *s = (struct fingerprint_set){0};
}
