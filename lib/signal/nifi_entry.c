#include "signal/nifi_entry.h"

#include "base/clock.h"
#include "signal/count.h"

#include <stdlib.h>

#define PAUSE (10 * CLOCK_MILLI) /* longer by this after each attempt */

enum { ATTEMPTS = 5 };

static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static struct store_counter *find(const struct store_entry *entry, struct span counter)
{
    for (size_t i = 0; i < entry->counter_count; i++) {
        if (span_equal(entry->counters[i].name, counter)) {
            return &entry->counters[i];
        }
    }
    return NULL;
}

int64_t nifi_count(const struct store_entry *entry, struct span counter)
{
    const struct store_counter *c = find(entry, counter);
    return c ? c->value : 0;
}

int64_t nifi_total(const struct store_entry *entry)
{
    int64_t sum = 0;
    for (size_t i = 0; i < entry->counter_count; i++) {
        sum = wrap_add(sum, entry->counters[i].value);
    }
    return sum;
}

static void set_count(struct store_entry *entry, struct span counter, int64_t value)
{
    struct store_counter *c = find(entry, counter);
    if (c) {
        c->value = value;
    } else {
        store_entry_counter(entry, counter, value);
    }
}

static void set_attribute(struct store_entry *entry, const struct store_attribute *a)
{
    for (size_t i = 0; i < entry->attribute_count; i++) {
        struct store_attribute *there = &entry->attributes[i];
        if (span_equal(there->name, a->name)) {
            free((char *)there->name.at);
            *there = entry->attributes[--entry->attribute_count];
            break;
        }
    }
    store_entry_attribute(entry, a->name, a->value);
}

/* ---- release ---- */

/* Turn all whole multiples of the target into tickets. */
static int convert(struct store_entry *entry, const struct nifi_demand *d, struct err *e)
{
    const struct span consumed = SPAN_LIT("consumed");
    bool named = d->counter.len > 0;
    int64_t count = named ? nifi_count(entry, d->counter) : nifi_total(entry);
    if (d->target == 0) {
        return err_set(e, ERR_DATA, "division by zero: the target is 0");
    }
    bool flips = d->target == -1; /* the one quotient that may overflow: Java wraps it */
    int64_t passes = flips ? (int64_t)(0 - (uint64_t)count) : count / d->target;
    int64_t rest = flips ? 0 : count % d->target;
    entry->tickets =
        wrap_add(entry->tickets, (int64_t)((uint64_t)passes * (uint64_t)d->releasable));
    if (named) {
        set_count(entry, d->counter, rest);
    } else {
        int64_t used = wrap_add(count, (int64_t)(0 - (uint64_t)rest));
        set_count(entry, consumed,
                  wrap_add(nifi_count(entry, consumed), (int64_t)(0 - (uint64_t)used)));
    }
    return 0;
}

int nifi_release(struct store_entry *entry, const struct nifi_demand *demand, int64_t candidates,
                 int64_t *released, struct err *e)
{
    if (demand->releasable <= 0) {
        bool named = !id_is_blank(demand->counter); /* here a blank name is none */
        int64_t count = named ? nifi_count(entry, demand->counter) : nifi_total(entry);
        *released = count >= demand->target ? candidates : 0;
        return 0;
    }
    if (entry->tickets < candidates && convert(entry, demand, e) < 0) {
        return -1;
    }
    *released = entry->tickets < candidates ? entry->tickets : candidates;
    if (*released < 0) {
        return err_set(e, ERR_DATA, "a list of %lld lines: a negative number of tickets",
                       (long long)*released);
    }
    entry->tickets -= *released;
    return 0;
}

bool nifi_is_complete(const struct store_entry *entry)
{
    return nifi_total(entry) == 0 && entry->tickets == 0;
}

/* ---- the store ---- */

static enum nifi_end lost(struct span id, struct err *e)
{
    err_set(e, ERR_LATER, "signal '%.*s' was changed by somebody else meanwhile", id_shown(id),
            id.at);
    return NIFI_LOST;
}

enum nifi_end nifi_complete(struct store *s, struct span id, const struct store_entry *entry,
                            struct err *e)
{
    struct store_entry now = {0};
    int got = store_fetch(s, id, &now, e);
    bool same = got == 1 && span_equal(buf_span(&now.revision), buf_span(&entry->revision));
    store_entry_release(&now);
    if (got < 0) {
        return NIFI_FAILED;
    }
    if (!same) {
        return lost(id, e);
    }
    /* What comes in between here is lost, as it is with NiFi (D80). */
    return store_remove(s, id, e) < 0 ? NIFI_FAILED : NIFI_DONE;
}

enum nifi_end nifi_write(struct store *s, struct span id, const struct store_entry *entry,
                         int64_t ttl, struct err *e)
{
    int done = store_replace(s, id, entry, buf_span(&entry->revision), ttl, e);
    return done < 0 ? NIFI_FAILED : done ? NIFI_DONE : lost(id, e);
}

static enum nifi_end attempt(struct store *s, const struct nifi_notice *n, struct err *e)
{
    struct store_entry entry = {0};
    enum nifi_end end = NIFI_FAILED;
    if (store_fetch(s, n->id, &entry, e) >= 0) {
        for (size_t i = 0; i < n->attribute_count; i++) {
            set_attribute(&entry, &n->attributes[i]);
        }
        for (size_t i = 0; i < n->delta_count; i++) {
            struct span counter = n->deltas[i].name;
            int64_t delta = n->deltas[i].value;
            set_count(&entry, counter, delta ? wrap_add(nifi_count(&entry, counter), delta) : 0);
        }
        store_entry_sort(&entry);
        end = nifi_write(s, n->id, &entry, n->ttl, e);
    }
    store_entry_release(&entry);
    return end;
}

enum nifi_end nifi_notify_entry(struct store *s, const struct nifi_notice *n, struct err *e)
{
    enum nifi_end end = NIFI_LOST;
    for (int i = 1; end == NIFI_LOST && i <= ATTEMPTS; i++) {
        end = attempt(s, n, e);
        if (end == NIFI_LOST) { /* also after the last one, as NiFi does */
            clock_sleep(clock_after(clock_now(), PAUSE * i));
        }
    }
    return end;
}
