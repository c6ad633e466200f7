#include "store/facts.h"

#include "store/backend.h"

#include <stdlib.h>

int store_list(struct store *s, void (*tell)(void *context, struct span id), void *context,
               struct err *e)
{
    return s->backend->list(s, tell, context, e);
}

int store_describe(struct store *s, struct span id, struct store_facts *out, struct err *e)
{
    store_facts_release(out);
    out->target = STORE_NO_TARGET;
    return s->backend->describe(s, id, out, e);
}

void store_facts_release(struct store_facts *f)
{
    store_entry_release(&f->entry);
    free(f->waiting);
    arena_release(&f->texts);
    *f = (struct store_facts){0};
}

int store_tell_waiting(struct store *s, const struct store_note *notes, size_t count, struct err *e)
{
    return count && s->backend->tell_waiting ? s->backend->tell_waiting(s, notes, count, e) : 0;
}

int store_purge(struct store *s, struct span id, struct err *e)
{
    return s->backend->purge(s, id, e);
}

int store_sweep(struct store *s, struct err *e)
{
    return s->backend->sweep ? s->backend->sweep(s, e) : 0;
}
