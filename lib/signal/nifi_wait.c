#include "signal/nifi_trigger.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/uuid.h"
#include "signal/count.h"
#include "signal/line.h"
#include "signal/wait_round.h"

#include <poll.h>
#include <stdlib.h>

#define LOST_PAUSE (20 * CLOCK_MILLI) /* after a conflict, at most */

enum { READ_MAX = 256 }; /* lines read before other things get their turn */

void nifi_wait_init(struct nifi_wait *w, struct store *store, const struct nifi_wait_rules *rules)
{
    *w = (struct nifi_wait){.rules = *rules, .store = store, .sweep = 1};
    w->end = &w->first;
}

void nifi_wait_release(struct nifi_wait *w)
{
    struct id_node *node;
    while (w->first) {
        struct nifi_line *next = w->first->next;
        nifi_line_free(w->first);
        w->first = next;
    }
    while ((node = ids_any(&w->penalties)) != NULL) {
        ids_remove(&w->penalties, node);
        free(node);
    }
    ids_release(&w->penalties);
    *w = (struct nifi_wait){0};
}

/* ---- lines in ---- */

/* The line was set aside when it was written: so is its id. */
static void take_penalty(struct nifi_wait *w, struct nifi_line *line)
{
    struct buf text = {0};
    struct err ignored;
    int64_t until;
    if (line_attribute(buf_span(&line->item), LINE_PENALTY, &text) &&
        count_read(buf_span(&text), "", 0, INT64_MAX, &until, &ignored) == 0) {
        struct edit drop = {.kind = EDIT_DROP, .name = LINE_PENALTY};
        struct buf without = {0};
        line_edit(&without, buf_span(&line->item), &drop, 1);
        buf_release(&line->item);
        line->item = without;
        if (nifi_name(w, line, &ignored) == 0 && until > nifi_penalty(w, buf_span(&line->id))) {
            nifi_penalise(w, buf_span(&line->id), until);
        }
    }
    buf_release(&text);
}

void nifi_wait_add(struct nifi_wait *w, struct span item)
{
    struct nifi_line *line = mem_new(1, sizeof *line);
    buf_add_span(&line->item, item);
    take_penalty(w, line);
    *w->end = line;
    w->end = &line->next;
    w->count++;
}

/* Does the run end by itself, whether or not all lines are decided? */
static bool is_finite(const struct nifi_wait *w)
{
    return w->rules.pass || w->rules.triggers > 0;
}

/* Read lines as long as they are there. *MORE: stopped only to let other things have their turn. */
static int read_lines(struct nifi_wait *w, bool *more, struct err *e)
{
    *more = false;
    for (int i = 0; w->intake.in && i < READ_MAX; i++) {
        struct span item;
        enum intake_got got = intake_next(&w->intake, &item, e);
        if (got == INTAKE_NONE) {
            return 0;
        }
        if (got == INTAKE_END || got == INTAKE_FAILED) {
            w->intake.in = NULL;
            return got == INTAKE_FAILED ? -1 : 0;
        }
        if (got == INTAKE_LINE) {
            nifi_wait_add(w, item);
        }
    }
    *more = w->intake.in != NULL;
    return 0;
}

/* ---- triggers ---- */

static bool is_last(const struct nifi_wait *w)
{
    return w->rules.triggers > 0 && w->triggers >= w->rules.triggers;
}

static int flush(struct nifi_wait *w, struct err *e)
{
    struct writer *const list[] = {w->rules.out, w->rules.expired, w->rules.failure,
                                   w->rules.waiting};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i] && writer_flush(list[i], e) < 0) {
            return -1;
        }
    }
    return 0;
}

static void report(const struct nifi_wait *w, const struct err *e)
{
    if (w->rules.report) {
        w->rules.report(w->rules.context, e);
    }
}

/* The store has failed; or answered, with WHY NULL: tell what is new of that. */
static void note_outage(struct nifi_wait *w, const struct err *why)
{
    struct err told = why ? *why : (struct err){0};
    if (why ? outage_note(&w->outage, false) : outage_end(&w->outage, &told)) {
        if (why) {
            err_prefix(&told, "trying again");
        }
        report(w, &told);
    }
}

/* How a sweep ended. */
enum sweep_end { SWEEP_DONE, SWEEP_LAST, SWEEP_LOST, SWEEP_DOWN, SWEEP_FAILED };

/* Run triggers until none takes a line, each line having been taken once at most. */
static enum sweep_end sweep(struct nifi_wait *w, struct err *e)
{
    enum nifi_end end = NIFI_DONE;
    size_t took = 1;
    w->next_due = INT64_MAX;
    while (!is_last(w) && (took > 0 || end != NIFI_DONE)) {
        struct err why = {0};
        end = nifi_trigger(w, &took, &why);
        if (end == NIFI_DONE && took == 0) {
            break; /* there was no work: NiFi would not have counted it */
        }
        w->triggers++;
        w->failed = end == NIFI_DONE ? (struct err){0} : why;
        if (end == NIFI_DONE) {
            note_outage(w, NULL);
            continue;
        }
        if (is_last(w)) {
            break;
        }
        if (end == NIFI_LOST) {
            report(w, &why);
            return SWEEP_LOST;
        }
        if (why.code == ERR_LATER) {
            note_outage(w, &why);
            return SWEEP_DOWN;
        }
        *e = why;
        return SWEEP_FAILED;
    }
    return is_last(w) ? SWEEP_LAST : SWEEP_DONE;
}

/* ---- the loop ---- */

static void hear(void *context, struct span id)
{
    (void)id;
    *(bool *)context = true;
}

/* Sleep until a line comes, the store tells of a change, or AT. Returns true when told to stop. */
static bool sleep_until(struct nifi_wait *w, const struct wait_watch *watch, int64_t at)
{
    bool changed = false;
    while (!changed) {
        int64_t until = at;
        if (watch && watch->look) {
            int64_t look = watch->look(watch->context, w->released);
            until = look < until ? look : until;
        }
        struct store_wake wake = store_wake(w->store);
        until = wake.at < until ? wake.at : until;
        struct pollfd p[] = {
            {.fd = watch ? watch->stop : -1, .events = POLLIN},
            {.fd = watch ? watch->other : -1, .events = POLLIN},
            {.fd = wake.fd, .events = POLLIN},
            {.fd = w->intake.in ? w->intake.in->reader->fd : -1, .events = POLLIN},
        };
        (void)poll(p, sizeof p / sizeof *p, clock_poll(until));
        if (p[0].revents) {
            return true;
        }
        changed = p[3].revents || clock_now() >= at;
        changed = store_changed(w->store, hear, &changed, NULL) != 0 || changed;
    }
    return false;
}

/* When the next round is due in any case. */
static int64_t next_round(const struct nifi_wait *w)
{
    int64_t now = clock_now();
    int64_t at = clock_after(now, wait_round_pause(w->store));
    if (w->next_due == INT64_MAX || w->count == 0) {
        return w->count ? at : CLOCK_NEVER;
    }
    int64_t left = w->next_due - clock_real() / CLOCK_MILLI + 1;
    int64_t due = clock_after(now, left > 0 ? left * CLOCK_MILLI : 0);
    return due < at ? due : at;
}

/* A pause before the next attempt, of random length, so that rivals do not meet again. */
static int64_t some_time(int64_t most)
{
    uint8_t dice;
    uuid_random(&dice, sizeof dice);
    return clock_after(clock_now(), most / 2 + most / 512 * dice);
}

/* After a sweep: when to begin the next one. -1: not at all, the run has ended. */
static int64_t after_sweep(struct nifi_wait *w, enum sweep_end end)
{
    if (end == SWEEP_LAST || end == SWEEP_FAILED) {
        return -1;
    }
    if (end == SWEEP_DOWN) {
        return w->outage.retry_at;
    }
    if (end == SWEEP_LOST) {
        return some_time(LOST_PAUSE);
    }
    if (!w->intake.in && (is_finite(w) || w->count == 0)) {
        return -1;
    }
    w->sweep++;
    return next_round(w);
}

/* One round: lines in, triggers, lines out. Returns as after_sweep; *RC is the run's result. */
static int64_t go_round(struct nifi_wait *w, int *rc, struct err *e)
{
    bool more;
    struct err late = {0};
    if (read_lines(w, &more, e) < 0) {
        *rc = -1;
        return -1;
    }
    if (is_finite(w) && w->intake.in) {
        return more ? 0 : CLOCK_NEVER; /* the whole queue first */
    }
    enum sweep_end end = sweep(w, e);
    if (flush(w, &late) < 0) {
        *e = late;
        end = SWEEP_FAILED;
    }
    if (end == SWEEP_FAILED || (end == SWEEP_LAST && w->failed.code != ERR_NONE)) {
        *rc = -1;
        *e = end == SWEEP_LAST ? w->failed : *e;
        return -1;
    }
    int64_t at = after_sweep(w, end);
    return more && at >= 0 ? 0 : at;
}

int nifi_wait_run(struct nifi_wait *w, struct lines_in *in, const struct wait_watch *watch,
                  struct err *e)
{
    struct err why = {0};
    int64_t at = 0;
    int rc = 0;
    w->intake = (struct intake){.in = in};
    if (store_watch(w->store, &why) < 0 && why.code != ERR_LATER) {
        *e = why;
        return -1;
    }
    while ((at = go_round(w, &rc, e)) >= 0) {
        if (sleep_until(w, watch, at)) {
            return 1;
        }
    }
    return rc;
}

/* ---- what is left ---- */

void nifi_wait_put_left(struct nifi_wait *w, struct writer *waiting, struct writer *left)
{
    while (w->first) {
        struct nifi_line *line = w->first;
        nifi_line_put(w, line, line->sweep ? waiting : left);
        w->first = line->next;
        w->count--;
        nifi_line_free(line);
    }
    w->end = &w->first;
}
