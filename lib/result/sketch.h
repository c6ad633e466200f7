/*
 * sketch.h: how durations are spread, in bounded memory.
 *
 * The first SKETCH_EXACT durations are kept, and all answers are exact.  With more, durations are
 * counted in buckets that are 1/128 of a power of two wide: a quantile is then the mean of the
 * durations in its bucket, at most 0.8 % away from the exact one, and exact where all in the bucket
 * are the same.  Memory: 64 KiB, later 175 KiB.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_SKETCH_H
#define FANLINE_RESULT_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SKETCH_EXACT 4096

struct sketch_value;
struct sketch_bucket;

struct sketch {
    uint64_t count;
    int64_t min;
    int64_t max;
    struct sketch_value *values;   /* while they are kept */
    struct sketch_bucket *buckets; /* from then on */
};

/* A duration in nanoseconds, from 0 on. FAILED ones are counted in, and apart as well. */
void sketch_add(struct sketch *s, int64_t duration, bool failed);

/* Are the answers exact? */
bool sketch_is_exact(const struct sketch *s);

/*
 * The duration that PER_MILLE thousandths of all do not exceed: that of rank count*PER_MILLE/1000,
 * rounded up.  0 where there is none.
 */
int64_t sketch_quantile(const struct sketch *s, unsigned per_mille);

/*
 * Count the durations between EDGES, which rise: bar i has those from edges[i] on and below
 * edges[i + 1], the last bar its upper edge too.  ALL and FAILED have COUNT places.
 */
void sketch_bars(const struct sketch *s, const int64_t *edges, size_t count, uint64_t *all,
                 uint64_t *failed);

void sketch_release(struct sketch *s);

#endif
