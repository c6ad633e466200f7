#include "result/tally.h"

#include "base/mem.h"
#include "result/seen.h"

#include <stdlib.h>

struct tally_run {
    char *name;
    size_t len;
    bool by_arrival; /* of records without an index: numbered as they come */
    uint64_t arrived;
    struct seen seen;
};

static bool is_run_of(const struct tally_run *run, const struct record *r)
{
    return run->by_arrival == !r->has_index && span_equal(span_of(run->name, run->len), r->run);
}

/* The number of the run of R, a new one if it is the first. Returns 0, or -1 with E filled. */
static int find_run(struct tally *t, const struct record *r, size_t *which, struct err *e)
{
    *which = t->last;
    if (t->run_count > 0 && is_run_of(&t->runs[t->last], r)) {
        return 0;
    }
    for (*which = 0; *which < t->run_count; ++*which) {
        if (is_run_of(&t->runs[*which], r)) {
            return 0;
        }
    }
    if (t->run_count == TALLY_RUNS_MAX) {
        return err_set(e, ERR_DATA, "records of more than %d runs", TALLY_RUNS_MAX);
    }
    t->runs = mem_grow(t->runs, &t->run_cap, t->run_count, sizeof *t->runs);
    t->runs[t->run_count++] = (struct tally_run){
        .name = mem_copy(r->run.at, r->run.len),
        .len = r->run.len,
        .by_arrival = !r->has_index,
    };
    return 0;
}

int tally_add(struct tally *t, const struct record *r, struct tally_place *place, struct err *e)
{
    uint64_t items;
    if (__builtin_add_overflow(t->items, r->item_count, &items)) {
        return err_set(e, ERR_DATA, "the sum of all ItemCount does not fit 64 bits");
    }
    if (find_run(t, r, &place->run, e) < 0) {
        return -1;
    }
    t->last = place->run;
    struct tally_run *run = &t->runs[place->run];
    place->index = run->by_arrival ? run->arrived++ : r->index;
    if (!run->by_arrival && !seen_add(&run->seen, r->index)) {
        return 0;
    }
    t->items = items;
    t->records[r->kind]++;
    return 1;
}

uint64_t tally_failed(const struct tally *t)
{
    return t->records[RECORD_FAILED] + t->records[RECORD_TIMED_OUT] + t->records[RECORD_ABORTED];
}

uint64_t tally_total(const struct tally *t)
{
    return tally_failed(t) + t->records[RECORD_SUCCEEDED] + t->records[RECORD_PENDING];
}

void tally_release(struct tally *t)
{
    for (size_t i = 0; i < t->run_count; i++) {
        free(t->runs[i].name);
        seen_release(&t->runs[i].seen);
    }
    free(t->runs);
    *t = (struct tally){0};
}
