#include "signal/ids.h"

#include "base/mem.h"
#include "base/uuid.h"

#include <stdlib.h>

enum { IDS_FIRST_SIZE = 64 };

static uint64_t hash_of(const struct ids *t, struct span id)
{
    uint64_t h = t->seed;
    for (size_t i = 0; i < id.len; i++) {
        h = (h ^ (unsigned char)id.at[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    return h ^ (h >> 32);
}

static struct id_node **bucket(const struct ids *t, uint64_t hash)
{
    return &t->buckets[hash & (t->size - 1)];
}

struct id_node *ids_find(const struct ids *t, struct span id)
{
    if (t->count == 0) {
        return NULL;
    }
    uint64_t hash = hash_of(t, id);
    struct id_node *n = *bucket(t, hash);
    while (n && (n->hash != hash || !span_equal(n->id, id))) {
        n = n->next;
    }
    return n;
}

static void link_in(struct ids *t, struct id_node *n)
{
    struct id_node **b = bucket(t, n->hash);
    n->next = *b;
    *b = n;
}

static void grow(struct ids *t)
{
    struct ids old = *t;
    if (old.size == 0) {
        uuid_random(&t->seed, sizeof t->seed);
    }
    t->size = old.size ? old.size * 2 : IDS_FIRST_SIZE;
    t->buckets = mem_new(t->size, sizeof *t->buckets);
    for (size_t i = 0; i < old.size; i++) {
        for (struct id_node *n = old.buckets[i], *next; n; n = next) {
            next = n->next;
            link_in(t, n);
        }
    }
    free(old.buckets);
}

void ids_add(struct ids *t, struct id_node *node, struct span id)
{
    if (t->count >= t->size) {
        grow(t);
    }
    node->id = span_of(mem_copy(id.at, id.len), id.len);
    node->hash = hash_of(t, id);
    link_in(t, node);
    t->count++;
}

void ids_remove(struct ids *t, struct id_node *node)
{
    struct id_node **at = bucket(t, node->hash);
    while (*at != node) {
        at = &(*at)->next;
    }
    *at = node->next;
    t->count--;
    free((char *)node->id.at);
    node->id = (struct span){0};
}

struct id_node *ids_any(const struct ids *t)
{
    for (size_t i = 0; t->count > 0 && i < t->size; i++) {
        if (t->buckets[i]) {
            return t->buckets[i];
        }
    }
    return NULL;
}

void ids_release(struct ids *t)
{
    free(t->buckets);
    *t = (struct ids){0};
}
