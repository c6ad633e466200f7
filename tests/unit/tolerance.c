#include "base/tolerance.h"

#include <criterion/criterion.h>

#define PERCENT INT64_C(1000000)

struct row {
    uint64_t failed, total;
    int64_t count, percent;
    bool too_many;
};

/* Each row was a run on the service that the rule comes from: reference/distributed-map.md 2.7. */
static const struct row measured[] = {
    {1, 3, 0, 0, true},       {1, 3, 1, 100, false},     {3, 3, 1, 100, true},
    {3, 3, 3, 100, false},    {1, 3, 0, 100, false},     {1, 3, 100000, 34, false},
    {1, 3, 100000, 33, true}, {1, 4, 100000, 25, false}, {1, 4, 100000, 24, true},
    {1, 3, 0, 50, false},     {3, 3, 0, 50, true},       {1, 3, 5, 0, false},
    {3, 3, 5, 0, false},      {2, 3, 1, 90, true},       {2, 3, 5, 50, true},
    {2, 5, 1, 100, true},     {2, 5, 2, 100, false},     {2, 5, 100000, 34, true},
    {2, 5, 100000, 39, true}, {2, 5, 100000, 40, false},
};

Test(tolerance, measured_rows)
{
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const struct row *r = &measured[i];
        struct tolerance t = {r->count, r->percent * PERCENT, true, true};
        cr_expect_eq(tolerance_exceeded(&t, r->failed, r->total), r->too_many, "row %zu", i);
        cr_expect_eq(tolerance_hopeless(&t, r->failed, r->total), r->too_many, "row %zu", i);
        struct tolerance only_set = {r->count, r->percent * PERCENT, r->count > 0, r->percent > 0};
        cr_expect_eq(tolerance_exceeded(&only_set, r->failed, r->total), r->too_many, "row %zu", i);
    }
}

Test(tolerance, edges)
{
    struct tolerance none = {0};
    cr_expect(!tolerance_exceeded(&none, 0, 0));
    cr_expect(!tolerance_exceeded(&none, 0, 5));
    cr_expect(tolerance_exceeded(&none, 1, UINT64_MAX));
    cr_expect(tolerance_hopeless(&none, 1, 0));

    /* the seed: 10 % of 10,000 is a thousand failures, and 30 % of 5 is one */
    struct tolerance ten = {.percent_millionths = 10 * PERCENT, .has_percent = true};
    cr_expect(!tolerance_exceeded(&ten, 1000, 10000));
    cr_expect(tolerance_exceeded(&ten, 1001, 10000));
    struct tolerance thirty = {.percent_millionths = 30 * PERCENT, .has_percent = true};
    cr_expect(!tolerance_exceeded(&thirty, 1, 5));
    cr_expect(tolerance_exceeded(&thirty, 2, 5));

    /* a fraction, and sums beyond 64 bits */
    struct tolerance half = {.percent_millionths = PERCENT / 2, .has_percent = true};
    cr_expect(!tolerance_exceeded(&half, 1, 200));
    cr_expect(tolerance_exceeded(&half, 1, 199));
    struct tolerance all = {.percent_millionths = 100 * PERCENT, .has_percent = true};
    cr_expect(!tolerance_exceeded(&all, UINT64_MAX, UINT64_MAX));
    cr_expect(tolerance_exceeded(&all, UINT64_MAX, UINT64_MAX - 1));
}

Test(tolerance, judged_early)
{
    /* without the total only the count can be judged */
    struct tolerance both = {2, 50 * PERCENT, true, true};
    cr_expect(!tolerance_hopeless(&both, 2, 0));
    cr_expect(tolerance_hopeless(&both, 3, 0));
    cr_expect(!tolerance_hopeless(&both, 2, 4));
    cr_expect(tolerance_hopeless(&both, 2, 3));
    struct tolerance percent = {.percent_millionths = PERCENT, .has_percent = true};
    cr_expect(!tolerance_hopeless(&percent, 1000000, 0));
}
