/*
 * ledger.h: numbers by key, many of them in little memory.
 *
 * Keys are halves of digests, so they need no hashing of their own.
 *
 * Floor: engines.  Pure.
 */
#ifndef FANLINE_RUN_LEDGER_H
#define FANLINE_RUN_LEDGER_H

#include <stddef.h>
#include <stdint.h>

struct ledger_key {
    uint64_t a, b;
};

struct ledger_entry {
    struct ledger_key key; /* both 0: free */
    uint64_t value;
};

struct ledger {
    struct ledger_entry *entries;
    size_t cap; /* a power of two, or 0 */
    size_t count;
};

/* The value of KEY, 0 where it is new; it may be set until the next call. */
uint64_t *ledger_at(struct ledger *l, struct ledger_key key);

/* The same, but NULL where KEY is not there. */
const uint64_t *ledger_find(const struct ledger *l, struct ledger_key key);

void ledger_release(struct ledger *l);

#endif
