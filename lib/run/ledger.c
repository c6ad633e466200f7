#include "run/ledger.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_free(const struct ledger_entry *e)
{
    return e->key.a == 0 && e->key.b == 0;
}

/* The entry of KEY, or the free one where it would be. */
static struct ledger_entry *look_up(const struct ledger *l, struct ledger_key key)
{
    size_t i = (size_t)key.a & (l->cap - 1);
    while (!is_free(&l->entries[i]) &&
           (l->entries[i].key.a != key.a || l->entries[i].key.b != key.b)) {
        i = (i + 1) & (l->cap - 1);
    }
    return &l->entries[i];
}

static void grow(struct ledger *l)
{
    struct ledger old = *l;
    l->cap = old.cap ? old.cap * 2 : 64;
    l->entries = mem_new(l->cap, sizeof *l->entries);
    for (size_t i = 0; i < old.cap; i++) {
        if (!is_free(&old.entries[i])) {
            *look_up(l, old.entries[i].key) = old.entries[i];
        }
    }
    free(old.entries);
}

uint64_t *ledger_at(struct ledger *l, struct ledger_key key)
{
    if (key.a == 0 && key.b == 0) {
        key.b = 1;
    }
    if (l->count * 3 >= l->cap * 2) {
        grow(l);
    }
    struct ledger_entry *e = look_up(l, key);
    if (is_free(e)) {
        e->key = key;
        l->count++;
    }
    return &e->value;
}

const uint64_t *ledger_find(const struct ledger *l, struct ledger_key key)
{
    if (key.a == 0 && key.b == 0) {
        key.b = 1;
    }
    const struct ledger_entry *e = l->cap ? look_up(l, key) : NULL;
    return e && !is_free(e) ? &e->value : NULL;
}

void ledger_release(struct ledger *l)
{
    free(l->entries);
    *l = (struct ledger){0};
}
