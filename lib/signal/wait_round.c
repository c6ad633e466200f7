#include "signal/wait_round.h"

#include "base/clock.h"
#include "signal/wait_tell.h"

#define PAUSE_WOKEN   (30 * CLOCK_SECOND)
#define PAUSE_UNWOKEN CLOCK_SECOND

enum {
    QUEUES_MIN = 1000, /* looked at in one go, or all */
    PARTS = 10         /* of a large crowd */
};

int64_t wait_round_pause(struct store *store)
{
    bool woken = store_wake(store).fd >= 0 && !store_is_foreign(store); /* NiFi wakes nobody */
    return woken ? PAUSE_WOKEN : PAUSE_UNWOKEN;
}

static size_t queues_of(const struct wait *w)
{
    size_t part = w->held.ids.count / PARTS;
    return part > QUEUES_MIN ? part : QUEUES_MIN;
}

void wait_round(struct wait *w)
{
    int64_t now = clock_now();
    if (now < wait_round_at(w)) {
        return;
    }
    w->round_at = now;
    waiters_round(&w->held, queues_of(w));
    if (!outage_is_on(&w->outage)) {
        wait_tell(w);
    }
}

int64_t wait_round_at(const struct wait *w)
{
    bool news = w->held.untold > 0 || w->held.told_of.len > 0;
    return clock_after(w->round_at, news ? PAUSE_UNWOKEN : wait_round_pause(w->store));
}

int64_t wait_round_time(const struct wait *w)
{
    int64_t goes = (int64_t)(w->held.ids.count / queues_of(w)) + 1;
    return goes * wait_round_pause(w->store);
}
