/* Held lines: lib/signal/timers, waiters and shelf. */
#include "signal/waiters.h"
#include "base/clock.h"
#include "signal/timers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- timers ---- */

enum { TIMERS = 200, STEPS = 20000 };

/* The soonest of those that are set, found by looking at all. */
static struct timer *soonest(struct timer *list)
{
    struct timer *best = NULL;
    for (int i = 0; i < TIMERS; i++) {
        struct timer *t = &list[i];
        if (timer_is_set(t) &&
            (!best || t->at < best->at || (t->at == best->at && t->number < best->number))) {
            best = t;
        }
    }
    return best;
}

static void count_due(void *context, struct timer *t)
{
    (void)t;
    ++*(int *)context;
}

Test(waiters, timers)
{
    static struct timer list[TIMERS];
    struct timers heap = {0};
    unsigned dice = 1;
    for (uint64_t i = 0; i < TIMERS; i++) {
        list[i].number = i;
    }
    for (int step = 0; step < STEPS; step++) {
        dice = dice * 1103515245 + 12345;
        struct timer *t = &list[dice / 65536 % TIMERS];
        if (dice / 7 % 3 == 0) {
            timers_unset(&heap, t);
        } else {
            timers_set(&heap, t, (int64_t)(dice / 977 % 50)); /* many at the same time */
        }
        cr_assert(timers_first(&heap) == soonest(list), "step %d", step);
    }
    int due = 0, expected = 0;
    timers_each_due(&heap, 20, count_due, &due);
    for (int i = 0; i < TIMERS; i++) {
        expected += timer_is_set(&list[i]) && list[i].at <= 20;
    }
    cr_expect(due == expected && due > 0, "%d, not %d", due, expected);
    while (timers_first(&heap)) { /* as a queue: in order to the end */
        struct timer *t = timers_first(&heap);
        cr_assert(t == soonest(list));
        timers_unset(&heap, t);
        timers_unset(&heap, t); /* once more changes nothing */
    }
    timers_release(&heap);
}

/* ---- lines ---- */

static struct waiter *hold(struct waiters *w, const char *id, const char *line, const char *raw)
{
    struct err e = {0};
    struct arrival a = {.id = span_text(id),
                        .demand = {.target = 1, .releasable = 1},
                        .item = span_text(line),
                        .deadline = CLOCK_NEVER};
    a.raw = raw ? span_text(raw) : a.item;
    struct waiter *x = waiters_add(w, &a, &e);
    cr_assert(x, "%s", e.text);
    return x;
}

/* Is the text of X this? */
static void expect_text(struct waiters *w, struct waiter *x, bool raw, const char *expected)
{
    struct buf scratch = {0};
    struct span text;
    struct err e = {0};
    cr_assert(waiters_text(w, x, raw, &scratch, &text, &e) == 0, "%s", e.text);
    cr_expect(span_equal(text, span_text(expected)), "%.*s", (int)text.len, text.at);
    buf_release(&scratch);
}

/* In memory and in the file alike. */
Test(waiters, texts)
{
    for (uint64_t memory = 0; memory <= 40; memory += 10) {
        struct waiters w;
        waiters_init(&w, "/tmp", memory);
        struct waiter *a = hold(&w, "a", "{\"n\":1}", NULL);
        struct waiter *b = hold(&w, "b", "{\"n\":2}", "{ \"n\" : 2 }");
        struct waiter *c = hold(&w, "a", "{\"n\":3}", NULL);
        cr_expect(w.shelf.in_memory <= memory, "%llu", (unsigned long long)w.shelf.in_memory);
        cr_expect((w.shelf.fd >= 0) == (memory < 32));
        expect_text(&w, a, false, "{\"n\":1}");
        expect_text(&w, b, false, "{\"n\":2}");
        expect_text(&w, b, true, "{ \"n\" : 2 }");
        expect_text(&w, c, true, "{\"n\":3}");
        cr_expect(waiters_find(&w, SPAN_LIT("a"))->first == a && a->after == c);
        waiters_drop(&w, a);
        expect_text(&w, c, false, "{\"n\":3}");
        cr_expect(waiters_find(&w, SPAN_LIT("a"))->first == c);
        waiters_drop(&w, c);
        cr_expect(!waiters_find(&w, SPAN_LIT("a")));
        waiters_drop(&w, b);
        cr_expect(w.count == 0 && w.shelf.in_memory == 0 && w.shelf.live == 0);
        waiters_release(&w);
    }
}

/* Begin LINE with NUMBER. */
static void number_line(char *line, int number)
{
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%07d", number);
    memcpy(line, digits, (size_t)n);
}

/* Lines that are gone do not keep the file large. */
Test(waiters, file_is_tidied)
{
    enum { LINES = 300, LINE = 1 << 20 };
    static struct waiter *list[LINES];
    char *line = calloc(1, LINE + 1);
    struct waiters w;
    struct stat st;
    memset(line, 'x', LINE);
    waiters_init(&w, "/tmp", 0);
    for (int i = 0; i < LINES; i++) {
        number_line(line, i);
        list[i] = hold(&w, "id", line, NULL);
    }
    cr_expect(fstat(w.shelf.fd, &st) == 0 && st.st_size == (off_t)LINES * LINE && st.st_nlink == 0,
              "%lld bytes, without a name", (long long)st.st_size);
    for (int i = 0; i < LINES; i++) {
        if (i % 4 != 0) {
            waiters_drop(&w, list[i]);
        }
    }
    cr_expect(fstat(w.shelf.fd, &st) == 0 && st.st_size < (off_t)LINES / 2 * LINE, "%lld",
              (long long)st.st_size);
    for (int i = 0; i < LINES; i += 4) {
        number_line(line, i);
        expect_text(&w, list[i], false, line);
    }
    waiters_release(&w);
    free(line);
}

/* ---- queues ---- */

static void expect_due(struct waiters *w, const char *ids)
{
    struct buf found = {0};
    struct queue *q;
    while ((q = waiters_next_due(w)) != NULL) {
        buf_add_span(&found, q->node.id);
    }
    cr_expect_str_eq(buf_text(&found), ids, "%s, not %s", buf_text(&found), ids);
    buf_release(&found);
}

Test(waiters, due)
{
    struct waiters w;
    waiters_init(&w, "/tmp", UINT64_MAX);
    for (const char *id = "abcd"; *id; id++) {
        char text[] = {*id, '\0'};
        hold(&w, text, "1", NULL);
        hold(&w, text, "2", NULL);
    }
    struct queue *a = waiters_find(&w, SPAN_LIT("a")), *c = waiters_find(&w, SPAN_LIT("c"));
    expect_due(&w, "abcd");
    expect_due(&w, "");
    waiters_round(&w, 3);
    waiters_due(&w, c);
    expect_due(&w, "abc");
    waiters_round(&w, 3);
    expect_due(&w, "dab");
    waiters_round(&w, 1000);
    waiters_not_due(&w, a);
    expect_due(&w, "cdb");

    cr_expect(waiters_next_look(&w) == CLOCK_NEVER);
    waiters_look_at(&w, c, 30);
    waiters_look_at(&w, a, 20);
    waiters_look_at(&w, a, 40);
    cr_expect(waiters_next_look(&w) == 30);
    waiters_due_by(&w, 29);
    expect_due(&w, "");
    waiters_due_by(&w, 100);
    expect_due(&w, "ca");
    waiters_look_at(&w, c, 30);
    waiters_look_at(&w, c, CLOCK_NEVER);
    waiters_look_at(&w, a, 50);
    waiters_drop(&w, a->first);
    waiters_drop(&w, a->first); /* with its queue its time goes */
    cr_expect(waiters_next_look(&w) == CLOCK_NEVER);

    cr_expect(w.untold == 3, "%zu", w.untold);
    waiters_told(&w, c, 7);
    waiters_told(&w, c, 8);
    cr_expect(w.untold == 2, "%zu", w.untold);
    waiters_drop(&w, c->first);
    waiters_drop(&w, c->first);
    cr_expect(w.untold == 2 && w.told_of.len > 0, "%zu", w.untold);
    waiters_release(&w);
}
