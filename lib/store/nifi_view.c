#include "store/nifi_view.h"

static const struct span consumed = SPAN_LIT("consumed");

static int64_t sum_of(const struct store_entry *entry)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < entry->counter_count; i++) {
        sum += (uint64_t)entry->counters[i].value;
    }
    return (int64_t)sum;
}

void nifi_view_show(struct store_entry *entry, int64_t total, bool spent)
{
    if (!spent) {
        return;
    }
    int64_t given = (int64_t)((uint64_t)total - (uint64_t)sum_of(entry));
    for (size_t i = 0; i < entry->counter_count; i++) {
        struct store_counter *c = &entry->counters[i];
        if (span_equal(c->name, consumed)) {
            c->value = (int64_t)((uint64_t)c->value + (uint64_t)given);
            return;
        }
    }
    store_entry_counter(entry, consumed, given);
}

bool nifi_view_is_mark(const struct store_counter *c)
{
    return c->value <= 0 && span_equal(c->name, consumed);
}

int64_t nifi_view_total(const struct store_entry *entry, bool *spent)
{
    *spent = false;
    for (size_t i = 0; i < entry->counter_count; i++) {
        *spent = *spent || nifi_view_is_mark(&entry->counters[i]);
    }
    return sum_of(entry);
}
