#include "signal/java_order.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

/* String.hashCode: over UTF-16 units. Bytes that are not UTF-8 count as they are. */
static uint32_t hash_of(struct span key)
{
    uint32_t h = 0;
    for (size_t i = 0; i < key.len;) {
        unsigned char first = (unsigned char)key.at[i];
        size_t len = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        uint32_t c = len == 1 ? first : first & (0xFFu >> (len + 1));
        for (size_t k = 1; k < len && i + k < key.len; k++) {
            c = c << 6 | ((unsigned char)key.at[i + k] & 0x3F);
        }
        if (c > 0xFFFF) {
            h = h * 31 + (0xD800 + ((c - 0x10000) >> 10));
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        h = h * 31 + c;
        i += len;
    }
    return h;
}

/* Places of a table that holds COUNT keys: it doubles when more than three quarters are taken. */
static uint32_t places_for(size_t count)
{
    uint32_t places = 16;
    while (count > places / 4 * 3) {
        places *= 2;
    }
    return places;
}

struct placed {
    uint32_t place;
    size_t index;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a;
    const struct placed *y = b;
    if (x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

void java_order(const struct span *keys, size_t count, size_t *order)
{
    struct placed *list = mem_new(count, sizeof *list);
    uint32_t places = places_for(count);
    for (size_t i = 0; i < count; i++) {
        uint32_t h = hash_of(keys[i]);
        list[i] = (struct placed){(h ^ h >> 16) & (places - 1), i};
    }
    qsort(list, count, sizeof *list, by_place);
    for (size_t i = 0; i < count; i++) {
        order[i] = list[i].index;
    }
    free(list);
}
