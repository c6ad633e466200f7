#include "store/release.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct release release_reckon(int64_t count, int64_t target, int64_t releasable, int64_t tickets,
                              int64_t wanted)
{
    struct release r = {0};
    if (tickets < wanted && count >= target) {
        int64_t missing = wanted - tickets;
        int64_t needed = missing / releasable + (missing % releasable != 0);
        r.passes = least(count / target, needed);
    }
    int64_t all = tickets + r.passes * releasable;
    r.granted = least(all, wanted);
    r.tickets = all - r.granted;
    return r;
}
