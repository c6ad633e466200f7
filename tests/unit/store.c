#include "store/store.h"

#include "base/clock.h"
#include "scratch.h"
#include "store/url.h"
#include "stores.h"

#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#define DAY         (86400 * CLOCK_SECOND)
#define MOST        INT64_MAX
#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* ---- short forms ---- */

static struct store *opened(const char *url)
{
    struct store *s = NULL;
    struct err e = {0};
    cr_assert(store_open(&s, url, &e) == 0, "%s: %s", url, e.text);
    return s;
}

static uint64_t next_number(void)
{
    static uint64_t number;
    return ++number;
}

/* Apply notices with a new batch number; VERDICTS gets a letter for each. */
static int apply(struct store *s, const struct store_notice *notices, size_t count, int64_t ttl,
                 char *verdicts)
{
    enum store_verdict v[64];
    struct store_batch batch = {notices, count, ttl, next_number(), 0};
    struct err e = {0};
    int rc = store_notify(s, &batch, v, &e);
    cr_expect(rc == 0, "%s: %s", store_shown(s), e.text);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        verdicts[i] = (char)v[i];
    }
    verdicts[rc == 0 ? count : 0] = '\0';
    return rc;
}

static struct store_notice notice(struct span id, const char *counter, int64_t delta)
{
    return (struct store_notice){
        .id = id, .counter = span_text(counter), .delta = delta, .target = STORE_NO_TARGET};
}

static char signal_once(struct store *s, struct span id, const char *counter, int64_t delta)
{
    char verdict[2] = "?";
    struct store_notice n = notice(id, counter, delta);
    apply(s, &n, 1, DAY, verdict);
    return verdict[0];
}

static struct store_ask ask(struct span id, const char *counter, int64_t target, int64_t releasable,
                            int64_t wanted)
{
    return (struct store_ask){.id = id,
                              .counter = span_text(counter),
                              .target = target,
                              .releasable = releasable,
                              .wanted = wanted,
                              .lease = wanted ? name("lease") : (struct span){0},
                              .lease_time = 60 * CLOCK_SECOND,
                              .keep = CLOCK_SECOND};
}

static void take(struct store *s, const struct store_ask *a, struct store_grant *g)
{
    struct err e = {0};
    cr_expect(store_take(s, a, g, 1, &e) == 0, "%s: %s", store_shown(s), e.text);
}

static void look(struct store *s, struct span id, const char *counter, struct store_grant *g)
{
    struct store_ask a = ask(id, counter, 1, 1, 0);
    take(s, &a, g);
}

static bool settle(struct store *s, const struct store_ask *a, enum store_verb verb)
{
    struct store_settlement t = {.id = a->id, .lease = a->lease, .verb = verb};
    struct err e = {0};
    cr_expect(store_settle(s, &t, 1, &e) == 0, "%s: %s", store_shown(s), e.text);
    return t.known;
}

/* The value of a counter ("": the total); -1000 if there is no entry. */
static int64_t value_of(struct store *s, struct span id, const char *counter)
{
    struct store_grant g = {0};
    look(s, id, counter, &g);
    int64_t value = g.found ? g.count : -1000;
    store_grant_release(&g);
    return value;
}

/* ---- release ---- */

enum { GONE = -1000 };

struct release_row {
    const char *what;
    struct {
        const char *counter;
        int64_t delta;
    } notices[3];
    const char *counter;
    int64_t target, releasable, wanted;
    int64_t granted;
    int64_t left; /* of the counter asked for, after confirming; GONE: no entry */
};

/* Expected values follow from reference/wait-notify.md 2.4 and 3, and from "only what is needed".
 */
static const struct release_row releases[] = {
    {"P07b 1 of 3", {{"default", 1}}, "default", 3, 1, 10, 0, 1},
    {"P07c 3 of 3", {{"default", 3}}, "default", 3, 1, 10, 1, GONE},
    {"P07d 6 of 3", {{"default", 6}}, "default", 3, 1, 10, 2, GONE},
    {"P07e 11 of 3", {{"default", 11}}, "default", 3, 1, 10, 3, 2},
    {"P07f 6 of 3, two each", {{"default", 6}}, "default", 3, 2, 10, 4, GONE},
    {"50 of 3, two each: five passes do", {{"default", 50}}, "default", 3, 2, 10, 10, 35},
    {"D09 7 of 3, one waiter: one pass", {{"default", 7}}, "default", 3, 1, 1, 1, 4},
    {"W11d total over counters", {{"A", 1}, {"B", 1}, {"C", 1}}, "", 3, 1, 1, 1, GONE},
    {"total, part of it", {{"A", 5}, {"B", 2}}, "", 3, 1, 1, 1, 4},
    {"total ignores names, a name the others", {{"A", 5}, {"B", 2}}, "B", 3, 1, 1, 0, 2},
    {"named: the other counter stays", {{"A", 5}, {"B", 2}}, "B", 2, 1, 1, 1, 0},
    {"unknown counter", {{"A", 5}}, "B", 1, 1, 1, 0, 0},
    {"D25 below -target", {{"default", -3}}, "default", 3, 1, 1, 0, -3},
    {"D24 a little below 0", {{"default", -2}}, "default", 3, 1, 1, 0, -2},
    {"negative total", {{"A", 2}, {"B", -5}}, "", 1, 1, 1, 0, -3},
    {"counters that cancel are not done", {{"A", 5}, {"B", -5}}, "", 1, 1, 1, 0, 0},
    {"and are there by name", {{"A", 5}, {"B", -5}}, "A", 3, 1, 1, 1, 2},
    {"nor when a third is used up", {{"A", 5}, {"B", -5}, {"C", 1}}, "C", 1, 1, 1, 1, 0},
    {"gate open: all pass, nothing is taken", {{"default", 5}}, "default", 3, 0, 7, 7, 5},
    {"gate closed", {{"default", 2}}, "default", 3, 0, 7, 0, 2},
    {"gate on the total", {{"A", 2}, {"B", 1}}, "", 3, 0, 2, 2, 3},
    {"D02 gate with target 0", {{"default", 5}, {"default", -5}}, "default", 0, 0, 2, 2, 0},
    {"gate below 0", {{"default", -1}}, "default", 0, 0, 2, 0, -1},
    {"target 0 releases all", {{"default", 5}}, "default", 0, 1, 3, 3, 5},
    {"2^53+1", {{"default", 9007199254740993}}, "default", 9007199254740992, 1, 1, 1, 1},
    {"2^53+1 is not 2^53+2",
     {{"default", 9007199254740993}},
     "",
     9007199254740994,
     1,
     1,
     0,
     9007199254740993},
    {"a quotient that doubles get wrong",
     {{"default", 27021597764222985}},
     "default",
     9007199254740995,
     1,
     5,
     3,
     GONE},
    {"2^63-1 is itself", {{"default", MOST}}, "default", MOST, 1, 1, 1, GONE},
    {"2^63-2 is not", {{"default", MOST - 1}}, "default", MOST, 1, 1, 0, MOST - 1},
    {"2^63-1 of 2^62: one pass",
     {{"default", MOST}},
     "default",
     INT64_C(1) << 62,
     1,
     5,
     1,
     MOST - (INT64_C(1) << 62)},
    {"2^63-1 of 3, as many waiters as there may be",
     {{"default", MOST}},
     "default",
     3,
     1,
     STORE_WAITERS_MAX,
     STORE_WAITERS_MAX,
     MOST - 3 * (int64_t)STORE_WAITERS_MAX},
    {"2^63-1 of 999999999999, as many",
     {{"default", MOST}},
     "",
     999999999999,
     1,
     STORE_WAITERS_MAX,
     9223372,
     36863999179},
    {"as many released as there may be",
     {{"default", 2}},
     "default",
     1,
     STORE_RELEASABLE_MAX,
     5,
     5,
     1},
};

static void release_rows(const char *url)
{
    struct store *s = opened(url);
    for (size_t i = 0; i < COUNT_OF(releases); i++) {
        const struct release_row *r = &releases[i];
        struct span id = name("release");
        for (int k = 0; k < 3 && r->notices[k].counter; k++) {
            signal_once(s, id, r->notices[k].counter, r->notices[k].delta);
        }
        struct store_ask a = ask(id, r->counter, r->target, r->releasable, r->wanted);
        struct store_grant g = {0};
        take(s, &a, &g);
        cr_expect(g.granted == r->granted, "%s: %s: granted %lld, not %lld", url, r->what,
                  (long long)g.granted, (long long)r->granted);
        bool takes = r->granted > 0 && r->target > 0 && r->releasable > 0;
        cr_expect(g.leased == takes, "%s: %s: leased", url, r->what);
        cr_expect(settle(s, &a, STORE_CONFIRM) == takes, "%s: %s: settle", url, r->what);
        int64_t left = value_of(s, id, r->counter);
        cr_expect(left == r->left, "%s: %s: left %lld, not %lld", url, r->what, (long long)left,
                  (long long)r->left);
        store_grant_release(&g);
    }
    store_close(s);
}

Test(store, release)
{
    on_each_store(release_rows);
}

static void nothing_there(const char *url)
{
    struct store *s = opened(url);
    struct store_grant g = {0};
    struct span id = name("none");
    struct store_ask plain = ask(id, "", 1, 1, 3);
    struct store_ask gate = ask(id, "", 0, STORE_GATE, 3);
    struct store_ask zero = ask(id, "", 0, 1, 3);
    struct store_ask stated = ask(id, "", STORE_STATED_TARGET, 1, 3);
    take(s, &plain, &g);
    cr_expect(!g.found && g.granted == 0 && g.target == STORE_NO_TARGET);
    take(s, &gate, &g);
    cr_expect(g.granted == 0, "%s: D03 a gate needs an entry", url);
    take(s, &zero, &g);
    cr_expect(g.granted == 3 && !g.leased, "%s: an empty data set needs no signal", url);
    take(s, &stated, &g);
    cr_expect(g.granted == 0, "%s: nobody has stated a target", url);
    cr_expect(!settle(s, &plain, STORE_CONFIRM));
    cr_expect(!settle(s, &plain, STORE_GIVE_BACK));
    look(s, id, "", &g);
    cr_expect(!g.found, "%s: asking makes no entry", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, nothing_there)
{
    on_each_store(nothing_there);
}

/* Tickets left over are for waiters of the same counter and target. */
static void tickets(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("tickets");
    struct store_grant g = {0};
    signal_once(s, id, "default", 3);
    struct store_ask two = ask(id, "default", 3, 6, 2); /* W15b */
    take(s, &two, &g);
    cr_expect(g.granted == 2 && g.count == 3);
    settle(s, &two, STORE_CONFIRM);
    struct store_ask other = ask(id, "default", 100, 6, 2); /* D12 in the better way */
    take(s, &other, &g);
    cr_expect(g.found && g.granted == 0, "%s: a ticket does not outlive its target", url);
    struct store_ask more = ask(id, "default", 3, 6, 9); /* W15c */
    take(s, &more, &g);
    cr_expect(g.granted == 4 && g.count == 0, "%s: four are left", url);
    settle(s, &more, STORE_CONFIRM);
    look(s, id, "", &g);
    cr_expect(!g.found, "%s: then the entry goes", url);

    struct span total = name("tickets-total"); /* D67 */
    signal_once(s, total, "default", 1);
    struct store_ask some = ask(total, "", 1, 5, 2);
    take(s, &some, &g);
    settle(s, &some, STORE_CONFIRM);
    look(s, total, "default", &g);
    cr_expect(g.found && g.total == 0 && g.count == 1, "%s: total mode leaves the counter", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, tickets)
{
    on_each_store(tickets);
}

/* ---- notify ---- */

static void deltas_in_order(const char *url)
{
    struct store *s = opened(url);
    struct span a = name("a"), b = name("b");
    char verdicts[16];
    struct store_notice clear = notice(a, "default", 0);
    clear.clear = true;
    struct store_notice batch[] = {notice(a, "default", 2),
                                   notice(b, "default", 7),
                                   notice(a, "default", -2),
                                   notice(a, "default", 0),
                                   notice(b, "x", 1),
                                   notice(a, "default", 5),
                                   clear,
                                   notice(a, "default", 3)};
    apply(s, batch, COUNT_OF(batch), DAY, verdicts);
    cr_expect_str_eq(verdicts, "cccccccc");
    cr_expect(value_of(s, a, "default") == 3, "%s: deltas one by one, a 0 does nothing", url);
    cr_expect(value_of(s, b, "default") == 7 && value_of(s, b, "") == 8, "%s", url);

    struct span c = name("c");
    signal_once(s, c, "default", 0);
    cr_expect(value_of(s, c, "default") == GONE, "%s: a 0 makes no entry", url);
    clear.id = c;
    apply(s, &clear, 1, DAY, verdicts);
    cr_expect(value_of(s, c, "default") == 0, "%s: clearing makes one, with 0", url);
    store_close(s);
}

Test(store, deltas_in_order)
{
    on_each_store(deltas_in_order);
}

static void overflow(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("overflow");
    char verdicts[16];
    struct store_notice up[] = {notice(id, "a", MOST), notice(id, "a", 1), notice(id, "a", -1)};
    apply(s, up, 3, DAY, verdicts);
    cr_expect_str_eq(verdicts, "coc", "%s", url);
    cr_expect(value_of(s, id, "a") == MOST - 1, "%s: what overflows changes nothing", url);
    struct store_notice other[] = {notice(id, "b", 1), notice(id, "b", 1), notice(id, "b", -2)};
    other[1].attributes = &(struct store_attribute){SPAN_LIT("k"), SPAN_LIT("v")};
    other[1].attribute_count = 1;
    apply(s, other, 3, DAY, verdicts);
    cr_expect_str_eq(verdicts, "coc", "%s: the total overflows too", url);
    cr_expect(value_of(s, id, "") == MOST - 2 && value_of(s, id, "b") == -1, "%s", url);
    struct store_grant g = {0};
    look(s, id, "", &g);
    cr_expect(g.attribute_count == 0, "%s: nor did it leave attributes", url);

    struct span low = name("low");
    struct store_notice down[] = {notice(low, "a", -MOST), notice(low, "a", -1),
                                  notice(low, "a", MOST), notice(low, "a", 1)};
    apply(s, down, 4, DAY, verdicts);
    cr_expect_str_eq(verdicts, "cocc", "%s: -2^63 is beyond as well", url);
    cr_expect(value_of(s, low, "a") == 1 && value_of(s, low, "") == 1, "%s", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, overflow)
{
    on_each_store(overflow);
}

static void once(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("once");
    char verdicts[16];
    struct store_notice n[] = {notice(id, "default", 1), notice(id, "default", 10),
                               notice(id, "default", 100)};
    n[0].once = n[2].once = SPAN_LIT("k1");
    n[1].once = SPAN_LIT("k2");
    apply(s, n, 3, DAY, verdicts);
    cr_expect_str_eq(verdicts, "ccr", "%s", url);
    apply(s, n, 3, DAY, verdicts);
    cr_expect_str_eq(verdicts, "rrr", "%s", url);
    cr_expect(value_of(s, id, "default") == 11, "%s", url);

    struct store_ask a = ask(id, "", 11, 1, 1);
    struct store_grant g = {0};
    take(s, &a, &g);
    settle(s, &a, STORE_CONFIRM);
    apply(s, n, 3, DAY, verdicts);
    cr_expect_str_eq(verdicts, "rrr", "%s: also when the entry has gone", url);
    cr_expect(value_of(s, id, "default") == GONE, "%s", url);

    struct span other = name("once-other");
    n[0].id = other;
    apply(s, n, 1, DAY, verdicts);
    cr_expect_str_eq(verdicts, "c", "%s: keys belong to one signal", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, once)
{
    on_each_store(once);
}

/* The same batch again, as after a lost answer. Only Redis can lose one: SQLite undoes the batch.
 */
static void repeated_batch(const char *url)
{
    if (strncmp(url, "redis", 5) != 0) {
        return;
    }
    struct store *s = opened(url);
    struct span id = name("repeated");
    struct store_notice n[] = {notice(id, "default", MOST), notice(id, "default", 1),
                               notice(name("other"), "default", 1)};
    struct store_batch batch = {n, 3, DAY, 7000001, 0};
    enum store_verdict v[3];
    struct err e = {0};
    for (int i = 0; i < 3; i++) {
        memset(v, 0, sizeof v);
        cr_expect(store_notify(s, &batch, v, &e) == 0);
        cr_expect(v[0] == STORE_COUNTED && v[1] == STORE_OVERFLOW && v[2] == STORE_COUNTED);
    }
    cr_expect(value_of(s, id, "default") == MOST);
    cr_expect(value_of(s, n[2].id, "default") == 1);
    batch.number++;
    batch.notices = &n[2];
    batch.count = 1;
    cr_expect(store_notify(s, &batch, v, &e) == 0);
    cr_expect(value_of(s, n[2].id, "default") == 2);
    store_close(s);
}

Test(store, repeated_batch)
{
    on_each_store(repeated_batch);
}

static void attributes(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("attributes");
    char verdicts[16];
    struct store_attribute first[] = {{SPAN_LIT("k1"), SPAN_LIT("x1")},
                                      {SPAN_LIT("k2"), SPAN_LIT("x1")}};
    struct store_attribute second[] = {{SPAN_LIT("k3"), SPAN_LIT("x2\0\xC3\xA4\n")},
                                       {SPAN_LIT("k2"), SPAN_LIT("")},
                                       {SPAN_LIT("\0"), SPAN_LIT("nul")}};
    struct store_notice n[] = {notice(id, "a", 1), notice(id, "a", 0)}; /* P04 */
    n[0].attributes = first;
    n[0].attribute_count = 2;
    n[1].attributes = second;
    n[1].attribute_count = 3;
    apply(s, n, 2, DAY, verdicts);
    static const struct store_attribute want[] = {{{"\0", 1}, {"nul", 3}},
                                                  {{"k1", 2}, {"x1", 2}},
                                                  {{"k2", 2}, {"", 0}},
                                                  {{"k3", 2}, {"x2\0\xC3\xA4\n", 6}}};
    struct store_grant g = {0};
    look(s, id, "a", &g);
    cr_assert(g.attribute_count == COUNT_OF(want), "%s: %zu", url, g.attribute_count);
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        cr_expect(span_equal(g.attributes[i].name, want[i].name), "%s: name %zu", url, i);
        cr_expect(span_equal(g.attributes[i].value, want[i].value), "%s: value %zu", url, i);
    }
    cr_expect(g.counter_count == 1 && g.counters[0].value == 1);
    store_grant_release(&g);
    store_close(s);
}

Test(store, attributes)
{
    on_each_store(attributes);
}

static void stated_target(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("stated");
    struct store_grant g = {0};
    char verdicts[16];
    struct store_notice of = notice(id, "default", 0);
    of.target = 2;
    signal_once(s, id, "default", 1);
    struct store_ask a = ask(id, "", STORE_STATED_TARGET, 1, 1);
    take(s, &a, &g);
    cr_expect(g.granted == 0 && g.target == STORE_NO_TARGET, "%s", url);
    apply(s, &of, 1, DAY, verdicts);
    take(s, &a, &g);
    cr_expect(g.granted == 0 && g.target == 2, "%s", url);
    signal_once(s, id, "default", 1);
    take(s, &a, &g);
    cr_expect(g.granted == 1, "%s", url);
    settle(s, &a, STORE_CONFIRM);
    look(s, id, "", &g);
    cr_expect(!g.found, "%s", url);

    struct span empty = name("stated-0"); /* stated before anybody signals; then nobody does */
    of.id = empty;
    of.target = 0;
    apply(s, &of, 1, DAY, verdicts);
    struct store_ask b = ask(empty, "", STORE_STATED_TARGET, 1, 1);
    take(s, &b, &g);
    cr_expect(g.granted == 1 && !g.leased, "%s: an empty data set", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, stated_target)
{
    on_each_store(stated_target);
}

static void hostile_ids(const char *url)
{
    struct store *s = opened(url);
    char uuid[UUID_TEXT_MAX];
    uuid_make(uuid);
    size_t huge_len = 1 << 20;
    char *huge = malloc(huge_len);
    memset(huge, '{', huge_len);
    memcpy(huge, uuid, 36);
    char ids[8][64];
    snprintf(ids[0], 64, "%s{}", uuid);
    snprintf(ids[1], 64, "%s{a}{b}", uuid);
    snprintf(ids[2], 64, "{%s", uuid);
    snprintf(ids[3], 64, "%%7B%s", uuid); /* what an escaped brace looks like */
    snprintf(ids[4], 64, "%s\xC3\xA4\xF0\x9F\x92\xA9", uuid);
    snprintf(ids[5], 64, " %s ", uuid);
    snprintf(ids[6], 64, "%s\r\n$5\r\n", uuid);
    snprintf(ids[7], 64, "%s", uuid);
    struct span spans[10];
    for (int i = 0; i < 8; i++) {
        spans[i] = span_text(ids[i]);
    }
    spans[8] = span_of(ids[7], strlen(ids[7]) + 1); /* with a NUL behind it */
    spans[9] = span_of(huge, huge_len);
    for (int i = 0; i < 10; i++) {
        cr_expect(signal_once(s, spans[i], "c:{\n}", i + 1) == 'c', "%s: id %d", url, i);
    }
    for (int i = 0; i < 10; i++) {
        cr_expect(value_of(s, spans[i], "c:{\n}") == i + 1, "%s: id %d", url, i);
        struct store_ask a = ask(spans[i], "c:{\n}", i + 1, 1, 1);
        struct store_grant g = {0};
        take(s, &a, &g);
        cr_expect(g.granted == 1, "%s: id %d", url, i);
        cr_expect(settle(s, &a, STORE_GIVE_BACK), "%s: id %d", url, i);
        store_grant_release(&g);
        cr_expect(value_of(s, spans[i], "c:{\n}") == i + 1, "%s: id %d", url, i);
    }
    free(huge);
    store_close(s);
}

Test(store, hostile_ids)
{
    on_each_store(hostile_ids);
}

/* ---- leases ---- */

static void leases(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("leases");
    struct store_grant g = {0};
    signal_once(s, id, "default", 7);
    struct store_ask a = ask(id, "default", 3, 1, 2);
    take(s, &a, &g);
    cr_expect(g.granted == 2 && value_of(s, id, "default") == 1, "%s", url);
    take(s, &a, &g);
    cr_expect(g.granted == 2 && g.leased && value_of(s, id, "default") == 1,
              "%s: the same ask again is the same grant", url);
    cr_expect(settle(s, &a, STORE_GIVE_BACK) && value_of(s, id, "default") == 7, "%s", url);
    cr_expect(!settle(s, &a, STORE_CONFIRM), "%s: it has ended", url);

    struct store_ask m = ask(id, "", 3, 6, 2); /* whole passes flow back, also in total mode */
    struct store_ask n = ask(id, "", 3, 6, 1);
    take(s, &m, &g);
    take(s, &n, &g);
    cr_expect(g.granted == 1 && value_of(s, id, "") == 4, "%s: from the same pass", url);
    settle(s, &m, STORE_GIVE_BACK);
    cr_expect(value_of(s, id, "") == 4, "%s: part of a pass stays tickets", url);
    settle(s, &n, STORE_GIVE_BACK);
    cr_expect(value_of(s, id, "") == 7, "%s: a whole one is signals again", url);

    struct store_ask last = ask(id, "default", 7, 1, 1);
    take(s, &last, &g);
    struct store_ask rival = ask(id, "default", 7, 1, 1);
    take(s, &rival, &g);
    cr_expect(g.found && g.granted == 0, "%s: leased is taken", url);
    cr_expect(settle(s, &last, STORE_CONFIRM) && value_of(s, id, "") == GONE, "%s", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, leases)
{
    on_each_store(leases);
}

static void lease_runs_out(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("runs-out");
    struct store_grant g = {0};
    signal_once(s, id, "default", 1);
    struct store_ask dead = ask(id, "", 1, 1, 1);
    dead.lease_time = 150 * CLOCK_MILLI;
    take(s, &dead, &g);
    cr_expect(g.granted == 1, "%s", url);
    struct store_ask next = ask(id, "", 1, 1, 1);
    take(s, &next, &g);
    cr_expect(g.granted == 0, "%s: not yet", url);
    usleep(200000);
    take(s, &next, &g);
    cr_expect(g.granted == 1, "%s: it has come back", url);
    cr_expect(!settle(s, &dead, STORE_CONFIRM), "%s: too late", url);
    cr_expect(settle(s, &next, STORE_CONFIRM), "%s", url);
    cr_expect(value_of(s, id, "") == GONE, "%s", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, lease_runs_out)
{
    on_each_store(lease_runs_out);
}

/* An ask that is repeated gets the same lease, which lasts as long from then on. */
static void lease_asked_again(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("again");
    struct store_grant g = {0};
    signal_once(s, id, "default", 1);
    struct store_ask a = ask(id, "", 1, 1, 1);
    a.lease_time = 2 * CLOCK_SECOND;
    take(s, &a, &g);
    usleep(1200000);
    take(s, &a, &g);
    cr_expect(g.granted == 1 && g.leased, "%s: granted once more", url);
    usleep(1200000);
    struct store_ask other = ask(id, "", 1, 1, 1);
    take(s, &other, &g);
    cr_expect(g.granted == 0, "%s: it still lasts", url);
    cr_expect(settle(s, &a, STORE_CONFIRM), "%s", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, lease_asked_again)
{
    on_each_store(lease_asked_again);
}

/* An entry outlives a lease that is renewed. */
static void lease_keeps_entry(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("outlives");
    struct store_grant g = {0};
    char verdict[2];
    struct err e = {0};
    struct store_notice n = notice(id, "default", 1);
    apply(s, &n, 1, 300 * CLOCK_MILLI, verdict);
    struct store_ask a = ask(id, "", 1, 1, 1);
    a.keep = 0;
    take(s, &a, &g);
    struct store_settlement t = {
        .id = id, .lease = a.lease, .verb = STORE_RENEW, .lease_time = 60 * CLOCK_SECOND};
    cr_expect(store_settle(s, &t, 1, &e) == 0 && t.known, "%s: %s", url, e.text);
    usleep(500000);
    cr_expect(settle(s, &a, STORE_GIVE_BACK), "%s", url);
    cr_expect(value_of(s, id, "") == 1, "%s", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, lease_keeps_entry)
{
    on_each_store(lease_keeps_entry);
}

/* ---- removal ---- */

static void removed_unchanged(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("removed");
    struct store_entry entry = {0};
    struct err e = {0};
    char verdict[2];
    struct store_notice n = notice(id, "a", 1);
    n.once = SPAN_LIT("k");
    apply(s, &n, 1, DAY, verdict);
    cr_assert(store_fetch(s, id, &entry, &e) == 1, "%s: %s", url, e.text);
    signal_once(s, id, "a", 1);
    cr_expect(store_replace(s, id, NULL, buf_span(&entry.revision), STORE_TTL_KEEP, &e) == 0,
              "%s: it has changed: %s", url, e.text);
    cr_expect(value_of(s, id, "a") == 2, "%s", url);
    cr_assert(store_fetch(s, id, &entry, &e) == 1, "%s: %s", url, e.text);
    cr_expect(store_replace(s, id, NULL, buf_span(&entry.revision), STORE_TTL_KEEP, &e) == 1,
              "%s: %s", url, e.text);
    cr_expect(value_of(s, id, "a") == GONE, "%s", url);
    apply(s, &n, 1, DAY, verdict);
    cr_expect(verdict[0] == STORE_REPEATED, "%s: its keys stay", url);
    store_entry_release(&entry);
    store_close(s);
}

Test(store, removed_unchanged)
{
    on_each_store(removed_unchanged);
}

/* ---- time to live ---- */

static void ttl(const char *url)
{
    struct store *s = opened(url);
    struct span brief = name("brief"), longer = name("longer"), ever = name("ever"),
                kept = name("kept");
    char verdicts[16];
    struct store_notice n[] = {notice(brief, "a", 1), notice(longer, "a", 1), notice(ever, "a", 1),
                               notice(kept, "a", 1)};
    int64_t moment = 250 * CLOCK_MILLI;
    n[0].once = SPAN_LIT("k");
    apply(s, n, 4, moment, verdicts);
    apply(s, &n[1], 1, DAY, verdicts);
    apply(s, &n[1], 1, moment, verdicts); /* never shortened */
    apply(s, &n[2], 1, 0, verdicts);
    apply(s, &n[2], 1, moment, verdicts);
    struct store_grant g = {0};
    struct store_ask a = ask(kept, "a", 9, 1, 1); /* a waiter keeps it */
    a.keep = DAY;
    take(s, &a, &g);
    usleep(400000);
    cr_expect(value_of(s, brief, "a") == GONE, "%s", url);
    cr_expect(value_of(s, longer, "a") == 3, "%s", url);
    cr_expect(value_of(s, ever, "a") == 3, "%s", url);
    cr_expect(value_of(s, kept, "a") == 1, "%s", url);
    apply(s, &n[0], 1, DAY, verdicts);
    cr_expect(value_of(s, brief, "a") == 1, "%s: a new one, its key forgotten", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, ttl)
{
    on_each_store(ttl);
}

/* ---- many at once ---- */

enum { WRITERS = 8, NOTICES = 200 };

/* A child: signals NOTICES times, with a store of its own. Asserts nothing (it is forked). */
static void write_signals(const char *url, struct span id)
{
    struct store *s = NULL;
    if (store_open(&s, url, NULL) < 0) {
        _exit(1);
    }
    for (int i = 0; i < NOTICES; i++) {
        struct store_notice n = notice(id, i % 2 ? "odd" : "even", 1);
        struct store_batch batch = {&n, 1, DAY, (uint64_t)i + 1, 0};
        enum store_verdict v;
        if (store_notify(s, &batch, &v, NULL) < 0) {
            _exit(2);
        }
    }
    store_close(s);
    _exit(0);
}

static void writers(const char *url)
{
    struct span id = name("writers");
    pid_t pids[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            write_signals(url, id);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        waitpid(pids[i], &status, 0);
        cr_expect(status == 0, "%s: writer %d: %d", url, i, status);
    }
    struct store *s = opened(url);
    cr_expect(value_of(s, id, "") == WRITERS * NOTICES, "%s", url);
    cr_expect(value_of(s, id, "odd") == WRITERS * NOTICES / 2, "%s", url);
    store_close(s);
}

Test(store, writers)
{
    on_each_store(writers);
}

/* ---- leases of others ---- */

/* Who gets less than it wants learns when that may change without a signal. */
static void frees(const char *url)
{
    struct store *s = opened(url);
    struct span id = name("frees");
    struct store_ask first = ask(id, "", 1, 1, 1), second = ask(id, "", 1, 1, 1);
    struct store_grant g = {0};
    first.lease_time = 600 * CLOCK_SECOND;
    second.lease_time = 60 * CLOCK_SECOND;
    signal_once(s, id, "default", 1);
    take(s, &first, &g);
    cr_expect(g.granted == 1 && g.frees == 0, "%s: all were granted", url);
    take(s, &second, &g);
    cr_expect(g.granted == 0 && g.frees > 60 * CLOCK_SECOND && g.frees <= 600 * CLOCK_SECOND,
              "%s: %lld", url, (long long)g.frees);
    signal_once(s, id, "default", 1);
    take(s, &second, &g);
    struct store_ask third = ask(id, "", 1, 1, 1);
    take(s, &third, &g);
    cr_expect(g.granted == 0 && g.frees > 0 && g.frees <= 60 * CLOCK_SECOND, "%s: the first: %lld",
              url, (long long)g.frees);
    settle(s, &first, STORE_CONFIRM);
    settle(s, &second, STORE_CONFIRM);
    take(s, &third, &g);
    cr_expect(g.granted == 0 && g.frees == 0, "%s: nobody else", url);
    store_grant_release(&g);
    store_close(s);
}

Test(store, frees)
{
    on_each_store(frees);
}

/* ---- wake-up ---- */

struct heard {
    struct span id;
    int times;
};

static void hear(void *context, struct span id)
{
    struct heard *h = context;
    h->times += span_equal(h->id, id);
}

/* Wait until the store says that the id may have changed; the nanoseconds it took, or -1. */
static int64_t await(struct store *s, struct heard *h)
{
    int64_t start = clock_now();
    int64_t end = clock_after(start, 10 * CLOCK_SECOND);
    struct err e = {0};
    while (clock_now() < end) {
        struct store_wake w = store_wake(s);
        struct pollfd p = {.fd = w.fd, .events = POLLIN};
        int64_t until = w.at < end ? w.at : end;
        poll(&p, 1, clock_poll(until));
        int rc = store_changed(s, hear, h, &e);
        cr_expect(rc >= 0, "%s", e.text);
        if (rc == 1 || h->times > 0) {
            return clock_now() - start;
        }
    }
    return -1;
}

static void wake_up(const char *url)
{
    struct store *ears = opened(url);
    struct store *mouth = opened(url);
    struct heard h = {.id = name("wake")};
    struct err e = {0};
    cr_assert(store_watch(ears, &e) == 0, "%s", e.text);
    signal_once(mouth, h.id, "default", 1);
    cr_expect(await(ears, &h) >= 0, "%s", url);
    h.times = 0;
    while (store_changed(ears, hear, &h, &e) != 0) {
    }

    struct store_ask a = ask(h.id, "", 1, 1, 1);
    struct store_grant g = {0};
    take(mouth, &a, &g);
    settle(mouth, &a, STORE_GIVE_BACK);
    h.times = 0;
    cr_expect(await(ears, &h) >= 0, "%s: what is given back wakes as well", url);
    store_grant_release(&g);
    store_close(ears);
    store_close(mouth);
}

Test(store, wake_up)
{
    on_each_store(wake_up);
}

/* ---- many ids in a batch ---- */

enum { CROWD = 240, CROWD_IDS = 120 };

/* Ids among which some have bytes that mean something to somebody on the way. */
static struct span odd_name(int i)
{
    static char names[CROWD_IDS][64];
    static const char *const odd[] = {"1:", "\n", "{}", "%7B", "7:a3:", "\x1b", "\xff", "é"};
    struct span unique = name("crowd");
    int n = snprintf(names[i], sizeof names[i], "%s%.*s", odd[i % 8], (int)unique.len, unique.at);
    return span_of(names[i], (size_t)n);
}

/* Ids that were heard of, each at most once. */
struct heard_of {
    const struct span *ids;
    bool heard[CROWD_IDS];
    int others; /* what looks like one of them; tests beside this one have their own */
};

static void hear_of(void *context, struct span id)
{
    struct heard_of *h = context;
    int i = 0;
    while (i < CROWD_IDS && !span_equal(h->ids[i], id)) {
        i++;
    }
    if (i < CROWD_IDS) {
        h->heard[i] = true;
    } else {
        h->others += memmem(id.at, id.len, "crowd", 5) != NULL;
    }
}

static bool all_heard(const struct heard_of *h)
{
    int n = 0;
    for (int i = 0; i < CROWD_IDS; i++) {
        n += h->heard[i];
    }
    return n == CROWD_IDS;
}

static void crowd(const char *url)
{
    struct store *ears = opened(url), *mouth = opened(url);
    struct span ids[CROWD_IDS];
    struct heard_of h = {.ids = ids};
    struct store_notice n[CROWD];
    enum store_verdict v[CROWD];
    struct err e = {0};
    for (int i = 0; i < CROWD_IDS; i++) {
        ids[i] = odd_name(i);
        n[i] = notice(ids[i], "default", i + 1);
        n[CROWD - 1 - i] = notice(ids[i], i % 2 ? "default" : "other", INT64_MAX);
    }
    cr_assert(store_watch(ears, &e) == 0, "%s", e.text);
    struct store_batch batch = {n, CROWD, DAY, 8000001, 0};
    /* once more, as after an answer that was lost; a file's answers are not */
    int attempts = strncmp(url, "sqlite:", 7) == 0 ? 1 : 2;
    for (int attempt = 0; attempt < attempts; attempt++) {
        memset(v, 0, sizeof v);
        cr_assert(store_notify(mouth, &batch, v, &e) == 0, "%s: %s", url, e.text);
        for (int i = 0; i < CROWD; i++) {
            char expected = i < CROWD_IDS ? STORE_COUNTED : STORE_OVERFLOW;
            cr_expect((char)v[i] == expected, "%s: attempt %d, notice %d: %c", url, attempt, i,
                      v[i]);
        }
    }
    for (int i = 0; i < CROWD_IDS; i++) {
        cr_expect(value_of(mouth, ids[i], "default") == i + 1, "%s: id %d", url, i);
    }
    int64_t end = clock_after(clock_now(), 10 * CLOCK_SECOND);
    while (!all_heard(&h) && clock_now() < end) {
        struct pollfd p = {.fd = store_wake(ears).fd, .events = POLLIN};
        poll(&p, 1, 20);
        cr_expect(store_changed(ears, hear_of, &h, &e) == 0, "%s: %s", url, e.text);
    }
    cr_expect(all_heard(&h), "%s", url);
    cr_expect(h.others == 0, "%s: %d", url, h.others);
    store_close(ears);
    store_close(mouth);
}

Test(store, crowd)
{
    on_each_store(crowd);
}

/* ---- several at once ---- */

static void pipelined(const char *url)
{
    enum { IDS = 50 };
    struct store *s = opened(url);
    struct store_ask asks[IDS];
    struct store_grant grants[IDS] = {0};
    struct store_settlement t[IDS];
    struct err e = {0};
    for (int i = 0; i < IDS; i++) {
        struct span id = name("pipelined");
        signal_once(s, id, "default", i);
        asks[i] = ask(id, "default", 10, 1, 100);
    }
    cr_expect(store_take(s, asks, grants, IDS, &e) == 0, "%s", e.text);
    for (int i = 0; i < IDS; i++) {
        cr_expect(grants[i].granted == i / 10, "%s: %d", url, i);
        t[i] = (struct store_settlement){.id = asks[i].id, .lease = asks[i].lease};
    }
    cr_expect(store_settle(s, t, IDS, &e) == 0, "%s", e.text);
    for (int i = 0; i < IDS; i++) {
        cr_expect(t[i].known == (i >= 10), "%s: %d", url, i);
        cr_expect(value_of(s, asks[i].id, "default") == (i % 10 ? i % 10 : GONE), "%s: %d", url, i);
        store_grant_release(&grants[i]);
    }
    store_close(s);
}

Test(store, pipelined)
{
    on_each_store(pipelined);
}

/* ---- URLs ---- */

struct url_row {
    const char *url;
    const char *shown; /* NULL: refused */
};

static const struct url_row urls[] = {
    {"redis://localhost", "redis://localhost:6379/0"},
    {"redis://h:7000/3", "redis://h:7000/3"},
    {"redis://[::1]:7000/3", "redis://[::1]:7000/3"},
    {"redis://user:s3cret@h", "redis://h:6379/0"},
    {"redis://:s3%40/cret@h/1", "redis://h:6379/1"},
    {"redis+unix:///run/redis.sock", "redis+unix:///run/redis.sock?db=0"},
    {"redis+unix:///run/a@b?db=5", "redis+unix:///run/a@b?db=5"},
    {"redis+unix://u:s3cret@/run/redis.sock", "redis+unix:///run/redis.sock?db=0"},
    {"sqlite:rel/a.db", "sqlite:rel/a.db"},
    {"", NULL},
    {"redis:", NULL},
    {"redis://", NULL},
    {"redis://h:", NULL},
    {"redis://h:0x1", NULL},
    {"redis://h:99999", NULL},
    {"redis://h/x", NULL},
    {"redis://h/-1", NULL},
    {"redis://s3cret@h", NULL},
    {"redis://:s3cret%zz@h", NULL},
    {"redis://:s3cret%00@h", NULL},
    {"redis+unix://run/redis.sock", NULL},
    {"redis+unix:///s?database=s3cret", NULL},
    {"sqlite:", NULL},
    {"rediss://u:s3cret@h", "rediss://h:6379/0"},
    {"rediss://u:s3cret@h/2?ca=/etc/ca.pem&name=other", "rediss://h:6379/2"},
    {"rediss://h?cert=/c.pem", NULL},
    {"redis://h?ca=/etc/ca.pem", NULL},
    {"redis://h?db=7", "redis://h:6379/7"},
    {"redis://a,b", NULL},
    {"redis+cluster://u:s3cret@a:7000,b,[::1]:7", "redis+cluster://a:7000,b:6379,[::1]:7"},
    {"redis+cluster://h/1", NULL},
    {"rediss+cluster://h", "rediss+cluster://h:6379"},
    {"redis+sentinel://u:s3cret@a,b:1/mymaster/2?sentinel-password=s3cret",
     "redis+sentinel://a:26379,b:1/mymaster/2"},
    {"redis+sentinel://a", NULL},
    {"redis+sentinel://a/", NULL},
    {"s3cret", NULL},
};

Test(store, urls)
{
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        struct store_url u;
        struct err e = {0};
        int rc = store_url_parse(&u, urls[i].url, &e);
        cr_expect(rc == (urls[i].shown ? 0 : -1), "%s", urls[i].url);
        if (urls[i].shown && rc == 0) {
            cr_expect_str_eq(u.shown, urls[i].shown);
        }
        cr_expect(rc == 0 || e.code == ERR_USAGE);
        cr_expect(!strstr(e.text, "s3cret"), "%s: %s", urls[i].url, e.text);
        store_url_release(&u);
    }
}

/* ---- stores that are none ---- */

struct bad_row {
    const char *what;
    const char *prepare; /* shell, in an empty folder */
    const char *url;
    enum err_code code;
};

static const struct bad_row bad[] = {
    {"folder is missing", ":", "sqlite:no/store.db", ERR_USAGE},
    {"folder", "mkdir d", "sqlite:d", ERR_USAGE},
    {"text file", "yes | head -c 5000 >f", "sqlite:f", ERR_USAGE},
    {"another's database", "sqlite3 f 'create table t(x)'", "sqlite:f", ERR_USAGE},
    {"no server", ":", "redis+unix:///nonexistent/redis.sock", ERR_LATER},
    {"no server at the port", ":", "redis://127.0.0.1:1", ERR_LATER},
    {"path too long for a socket", ":",
     "redis+unix:///tmp/0123456789012345678901234567890123456789012345678901234567890123456789"
     "0123456789012345678901234567890123456789",
     ERR_USAGE},
};

Test(store, bad_stores)
{
    char folder[SCRATCH_MAX];
    char command[STORES_PATH_MAX];
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        cr_assert(mkdtemp(scratch_name(folder)) && chdir(folder) == 0);
        cr_assert(system(bad[i].prepare) == 0);
        struct store *s = NULL;
        struct store_grant g = {0};
        struct store_ask a = ask(SPAN_LIT("x"), "", 1, 1, 0);
        struct err e = {0};
        int rc = store_open(&s, bad[i].url, &e);
        rc = rc < 0 ? rc : store_take(s, &a, &g, 1, &e);
        cr_expect(rc < 0 && e.code == bad[i].code, "%s: %d %s", bad[i].what, e.code, e.text);
        store_close(s);
        snprintf(command, sizeof command, "rm -rf %s", folder);
        cr_assert(chdir("/") == 0 && system(command) == 0);
    }
}

Test(store, own_file)
{
    char folder[SCRATCH_MAX];
    cr_assert(mkdtemp(scratch_name(folder)) && chdir(folder) == 0);
    umask(0);
    struct store *s = opened("sqlite::memory:");
    signal_once(s, SPAN_LIT("x"), "default", 1);
    struct stat st;
    cr_expect(stat(":memory:", &st) == 0 && (st.st_mode & 0777) == 0600, "its owner's alone");
    store_close(s);
    s = opened("sqlite::memory:");
    cr_expect(value_of(s, SPAN_LIT("x"), "") == 1, "a file, whatever its name");
    store_close(s);
    cr_expect(unlink(":memory:") == 0 && chdir("/") == 0 && rmdir(folder) == 0, "nothing else");
}
