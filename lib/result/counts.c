#include "result/counts.h"

int counts_add(struct counts *c, const struct record *r, struct err *e)
{
    uint64_t sum;
    if (__builtin_add_overflow(counts_total(c->items), r->item_count, &sum)) {
        return err_set(e, ERR_DATA, "the sum of all ItemCount does not fit 64 bits");
    }
    uint64_t failed = r->kind == RECORD_SUCCEEDED ? r->failed_items : 0;
    c->executions[r->kind]++;
    c->items[r->kind] += r->item_count - failed;
    c->items[RECORD_FAILED] += failed;
    return 0;
}

uint64_t counts_failed(const uint64_t n[RECORD_STATUSES])
{
    return n[RECORD_FAILED] + n[RECORD_TIMED_OUT] + n[RECORD_ABORTED];
}

uint64_t counts_ended(const uint64_t n[RECORD_STATUSES])
{
    return n[RECORD_SUCCEEDED] + counts_failed(n);
}

uint64_t counts_total(const uint64_t n[RECORD_STATUSES])
{
    return counts_ended(n) + n[RECORD_PENDING];
}
