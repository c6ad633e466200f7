#include "result/order.h"

#include "base/mem.h"

#include <stdlib.h>

void order_init(struct order *o, order_emit *emit, void *context, const char *folder)
{
    *o = (struct order){.emit = emit, .context = context, .spill.folder = folder};
}

static struct buf *place_of(const struct order *o, uint64_t index)
{
    return &o->early[index % ORDER_WINDOW];
}

/* Does TEXT fit where early texts wait in memory?  What is withheld altogether never does. */
static bool fits(const struct order *o, uint64_t index, struct span text)
{
    return !o->withheld && index - o->next < ORDER_WINDOW &&
           text.len <= ORDER_MEMORY - o->in_memory;
}

static int hold(struct order *o, uint64_t index, struct span text, struct err *e)
{
    if (!fits(o, index, text)) {
        return spill_put(&o->spill, index, text, e);
    }
    if (!o->early) {
        o->early = mem_new(ORDER_WINDOW, sizeof *o->early);
    }
    buf_add_span(place_of(o, index), text);
    o->in_memory += text.len;
    return 0;
}

static int emit_early(struct order *o, struct buf *early, struct err *e)
{
    int rc = o->emit(o->context, buf_span(early), e);
    o->in_memory -= early->len;
    buf_release(early);
    return rc;
}

/* Let out the text whose turn it is, if it is there. 1; 0 if it is not; -1 with E filled. */
static int emit_next(struct order *o, struct err *e)
{
    struct buf *early = o->early ? place_of(o, o->next) : NULL;
    if (early && early->len > 0) {
        return emit_early(o, early, e) < 0 ? -1 : 1;
    }
    int got = spill_take(&o->spill, o->next, &o->taken, e);
    if (got > 0 && o->emit(o->context, buf_span(&o->taken), e) < 0) {
        return -1;
    }
    return got;
}

/* Let out what follows the text that has just left. */
static int emit_following(struct order *o, struct err *e)
{
    int got;
    do {
        o->next++;
        got = emit_next(o, e);
    } while (got > 0);
    return got;
}

int order_put(struct order *o, uint64_t index, struct span text, struct err *e)
{
    if (o->withheld || index != o->next) {
        return hold(o, index, text, e);
    }
    if (o->emit(o->context, text, e) < 0) {
        return -1;
    }
    return emit_following(o, e);
}

/* The first place from o->next on that holds a text in memory; false if there is none. */
static bool find_early(const struct order *o, uint64_t *index)
{
    for (uint64_t i = o->next; o->in_memory > 0 && i < o->next + ORDER_WINDOW; i++) {
        if (place_of(o, i)->len > 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

int order_finish(struct order *o, struct err *e)
{
    for (;;) {
        uint64_t early = UINT64_MAX;
        uint64_t late = UINT64_MAX;
        bool in_memory = find_early(o, &early);
        int on_disk = spill_find(&o->spill, o->next, &late, e);
        if (on_disk < 0) {
            return -1;
        }
        if (!in_memory && on_disk == 0) {
            return 0;
        }
        o->next = early < late ? early : late;
        if (emit_next(o, e) < 0 || emit_following(o, e) < 0) {
            return -1;
        }
    }
}

void order_release(struct order *o)
{
    for (size_t i = 0; o->early && i < ORDER_WINDOW; i++) {
        buf_release(&o->early[i]);
    }
    free(o->early);
    buf_release(&o->taken);
    spill_release(&o->spill);
    *o = (struct order){0};
}
