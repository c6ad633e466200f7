#include "signal/wait_lease.h"

#include "base/clock.h"
#include "base/mem.h"
#include "signal/count.h"
#include "signal/wait_look.h"

#include <stdio.h>
#include <stdlib.h>

static struct wait_lease *new_lease(struct wait *w, struct span id, struct span name)
{
    w->leases = mem_grow(w->leases, &w->lease_cap, w->lease_count, sizeof *w->leases);
    struct wait_lease *l = &w->leases[w->lease_count++];
    *l = (struct wait_lease){.id = span_of(mem_copy(id.at, id.len), id.len)};
    snprintf(l->name, sizeof l->name, "%.*s", (int)name.len, name.at);
    return l;
}

void wait_lease_add(struct wait *w, const struct store_ask *ask, int64_t asked, int64_t granted,
                    enum store_verb verb)
{
    struct wait_lease *l = new_lease(w, ask->id, ask->lease);
    l->verb = verb;
    l->granted = granted;
    l->until = clock_after(asked, ask->lease_time);
}

void wait_lease_recall(struct wait *w, struct span id, struct span name)
{
    struct wait_lease *l = new_lease(w, id, name);
    l->verb = STORE_CONFIRM;
    l->until = clock_after(clock_now(), w->rules.lease);
}

void wait_lease_return_all(struct wait *w)
{
    for (size_t i = 0; i < w->lease_count; i++) {
        w->leases[i].verb = STORE_GIVE_BACK;
    }
}

/* What was released is not confirmed: say that it may be released again. */
static void warn_unconfirmed(const struct wait *w, const struct wait_lease *l)
{
    struct err why = {0};
    if (l->verb == STORE_CONFIRM && l->back < l->granted) {
        err_set(&why, ERR_LATER,
                "the release of signal '%.*s' could not be confirmed in time: "
                "it may be released once more",
                id_shown(l->id), l->id.at);
        wait_report(w, &why);
    }
}

void wait_lease_forget_all(struct wait *w)
{
    for (size_t i = 0; i < w->lease_count; i++) {
        free((char *)w->leases[i].id.at);
    }
    w->lease_count = 0;
}

/* The store could not be told: give up on leases that have run out meanwhile. */
static void forget_expired(struct wait *w)
{
    size_t kept = 0;
    int64_t now = clock_now();
    for (size_t i = 0; i < w->lease_count; i++) {
        if (w->leases[i].until > now) {
            w->leases[kept++] = w->leases[i];
        } else {
            warn_unconfirmed(w, &w->leases[i]);
            free((char *)w->leases[i].id.at);
        }
    }
    w->lease_count = kept;
}

/*
 * The store has settled LIST.  A lease that it does not know any more before its time is over was
 * settled by an earlier call whose answer was lost.
 */
static void note_settled(struct wait *w, const struct store_settlement *list)
{
    int64_t now = clock_now();
    for (size_t i = 0; i < w->lease_count; i++) {
        if (!list[i].known && w->leases[i].until <= now) {
            warn_unconfirmed(w, &w->leases[i]);
        }
        if (w->rules.spool && w->leases[i].verb == STORE_CONFIRM) {
            spool_settled(w->rules.spool, list[i].lease);
        }
    }
    wait_lease_forget_all(w);
}

static struct store_settlement *list_leases(const struct wait *w)
{
    struct store_settlement *list = mem_new(w->lease_count, sizeof *list);
    for (size_t i = 0; i < w->lease_count; i++) {
        const struct wait_lease *l = &w->leases[i];
        list[i] = (struct store_settlement){
            .id = l->id, .lease = span_text(l->name), .verb = l->verb, .back = l->back};
    }
    return list;
}

int wait_lease_settle(struct wait *w, struct err *e)
{
    if (w->lease_count == 0) {
        return 0;
    }
    struct err why = {0};
    struct store_settlement *list = list_leases(w);
    int rc = store_settle(w->store, list, w->lease_count, &why);
    if (rc == 0) {
        wait_note_answer(w);
        note_settled(w, list);
    } else {
        rc = wait_note_failure(w, &why, e);
        forget_expired(w);
    }
    free(list);
    return rc;
}

void wait_lease_renew(struct wait *w)
{
    struct err ignored;
    int64_t now = clock_now();
    struct store_settlement *list = list_leases(w);
    for (size_t i = 0; i < w->lease_count; i++) {
        list[i].verb = STORE_RENEW;
        list[i].lease_time = w->rules.lease;
    }
    if (w->lease_count > 0 && store_settle(w->store, list, w->lease_count, &ignored) == 0) {
        for (size_t i = 0; i < w->lease_count; i++) {
            if (list[i].known) {
                w->leases[i].until = clock_after(now, w->rules.lease);
            }
        }
    }
    free(list);
}
