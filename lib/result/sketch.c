#include "result/sketch.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    PART_SHIFT = 7,
    PARTS = 1 << PART_SHIFT,            /* buckets to a power of two */
    BUCKETS = (64 - PART_SHIFT) * PARTS /* for all 63 bits */
};

struct sketch_value {
    int64_t duration;
    bool failed;
};

struct sketch_bucket {
    uint64_t count;
    uint64_t failed;
    double sum;
};

static size_t bucket_of(int64_t duration)
{
    uint64_t v = (uint64_t)duration;
    if (v < PARTS) {
        return (size_t)v;
    }
    int shift = 63 - __builtin_clzll(v) - PART_SHIFT;
    return (size_t)(shift + 1) * PARTS + (size_t)((v >> shift) - PARTS);
}

static int64_t mean_of(const struct sketch_bucket *b)
{
    return (int64_t)(b->sum / (double)b->count + 0.5);
}

static void put(struct sketch *s, int64_t duration, bool failed)
{
    struct sketch_bucket *b = &s->buckets[bucket_of(duration)];
    b->count++;
    b->failed += failed;
    b->sum += (double)duration;
}

/* There are too many to keep them all. */
static void begin_buckets(struct sketch *s)
{
    s->buckets = mem_new(BUCKETS, sizeof *s->buckets);
    for (size_t i = 0; i < s->count; i++) {
        put(s, s->values[i].duration, s->values[i].failed);
    }
    free(s->values);
    s->values = NULL;
}

void sketch_add(struct sketch *s, int64_t duration, bool failed)
{
    if (s->count == 0 || duration < s->min) {
        s->min = duration;
    }
    if (s->count == 0 || duration > s->max) {
        s->max = duration;
    }
    if (s->count == 0) {
        s->values = mem_new(SKETCH_EXACT, sizeof *s->values);
    } else if (s->count == SKETCH_EXACT) {
        begin_buckets(s);
    }
    if (s->buckets) {
        put(s, duration, failed);
    } else {
        s->values[s->count] = (struct sketch_value){duration, failed};
    }
    s->count++;
}

bool sketch_is_exact(const struct sketch *s)
{
    return s->buckets == NULL;
}

static int compare(const void *a, const void *b)
{
    const struct sketch_value *x = a;
    const struct sketch_value *y = b;
    return (x->duration > y->duration) - (x->duration < y->duration);
}

int64_t sketch_quantile(const struct sketch *s, unsigned per_mille)
{
    if (s->count == 0) {
        return 0;
    }
    /* count*per_mille/1000 rounded up, without the product */
    uint64_t rank = s->count / 1000 * per_mille + (s->count % 1000 * per_mille + 999) / 1000;
    rank = rank > 0 ? rank : 1;
    if (s->values) {
        qsort(s->values, (size_t)s->count, sizeof *s->values, compare);
        return s->values[rank - 1].duration;
    }
    size_t i = 0;
    for (uint64_t passed = s->buckets[0].count; passed < rank; passed += s->buckets[i].count) {
        i++;
    }
    return mean_of(&s->buckets[i]);
}

static size_t bar_of(int64_t duration, const int64_t *edges, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && duration >= edges[i + 1]) {
        i++;
    }
    return i;
}

void sketch_bars(const struct sketch *s, const int64_t *edges, size_t count, uint64_t *all,
                 uint64_t *failed)
{
    memset(all, 0, count * sizeof *all);
    memset(failed, 0, count * sizeof *failed);
    for (size_t i = 0; s->values && i < s->count; i++) {
        size_t bar = bar_of(s->values[i].duration, edges, count);
        all[bar]++;
        failed[bar] += s->values[i].failed;
    }
    for (size_t i = 0; s->buckets && i < BUCKETS; i++) {
        const struct sketch_bucket *b = &s->buckets[i];
        if (b->count > 0) {
            size_t bar = bar_of(mean_of(b), edges, count);
            all[bar] += b->count;
            failed[bar] += b->failed;
        }
    }
}

void sketch_release(struct sketch *s)
{
    free(s->values);
    free(s->buckets);
    *s = (struct sketch){0};
}
