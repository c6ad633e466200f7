#include "result/roster.h"

#include "base/mem.h"
#include "result/seen.h"

#include <stdlib.h>

struct roster_run {
    char *name;
    size_t len;
    bool by_arrival; /* of records without an index: numbered as they come */
    uint64_t arrived;
    struct seen seen;
};

static bool is_run_of(const struct roster_run *run, const struct record *r)
{
    return run->by_arrival == !r->has_index && span_equal(span_of(run->name, run->len), r->run);
}

/* The number of the run of R, a new one if it is the first. Returns 0, or -1 with E filled. */
static int find_run(struct roster *t, const struct record *r, size_t *which, struct err *e)
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
    if (t->run_count == ROSTER_RUNS_MAX) {
        return err_set(e, ERR_DATA, "records of more than %d runs", ROSTER_RUNS_MAX);
    }
    t->runs = mem_grow(t->runs, &t->run_cap, t->run_count, sizeof *t->runs);
    t->runs[t->run_count++] = (struct roster_run){
        .name = mem_copy(r->run.at, r->run.len),
        .len = r->run.len,
        .by_arrival = !r->has_index,
    };
    return 0;
}

/* Is the name of R new, as far as it must be remembered?  1, 0, or -1 with E filled. */
static int is_new_name(struct roster *t, const struct record *r, struct err *e)
{
    struct fingerprint f;
    if (r->run.len > 0 || r->name.len <= 2) {
        return 1; /* the index tells, or there is no name */
    }
    if (fingerprint_of(record_inner(r->name), &f, e) < 0) {
        return -1;
    }
    return fingerprint_add(&t->names, &f);
}

int roster_add(struct roster *t, const struct record *r, struct roster_place *place, struct err *e)
{
    if (find_run(t, r, &place->run, e) < 0) {
        return -1;
    }
    t->last = place->run;
    struct roster_run *run = &t->runs[place->run];
    if (!run->by_arrival && !seen_add(&run->seen, r->index)) {
        return 0;
    }
    int fresh = is_new_name(t, r, e);
    if (fresh > 0) {
        place->index = run->by_arrival ? run->arrived++ : r->index;
    }
    return fresh;
}

void roster_release(struct roster *t)
{
    for (size_t i = 0; i < t->run_count; i++) {
        free(t->runs[i].name);
        seen_release(&t->runs[i].seen);
    }
    free(t->runs);
    fingerprint_release(&t->names);
    *t = (struct roster){0};
}
