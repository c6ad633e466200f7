#include "result/collector.h"

#include "base/uuid.h"
#include "json/text.h"

int collector_count(struct collector *c, const struct record *r, struct err *e)
{
    if (counts_add(&c->counts, r, e) < 0) {
        return -1;
    }
    if (c->tells) {
        stats_add(&c->stats, r);
    }
    return 0;
}

int collector_deliver(struct collector *c, const struct record *r, struct span line,
                      const struct roster_place *place, struct err *e)
{
    if (files_is_open(&c->files)) {
        return files_put(&c->files, r, line, e);
    }
    return output_put(&c->output, place, form_of(&c->form, r, line, &c->scratch), e);
}

/* The run that R, a record or NULL, belongs to, unless the options name one. */
static int name_run(struct collector *c, const struct record *r, struct err *e)
{
    char id[UUID_TEXT_MAX];
    if (c->o->run_name) {
        buf_add_text(&c->run, c->o->run_name);
        return 0;
    }
    if (!r || r->run.len == 0) {
        buf_add_text(&c->run, c->o->dest ? uuid_make(id) : "");
        return 0;
    }
    /* with what is where its quotes were */
    text_decode(&c->run, span_of(r->run.at - 1, r->run.len + 2));
    const char *why = c->o->dest ? dest_bad_run(buf_span(&c->run)) : NULL;
    return why ? err_set(e, ERR_DATA, "the run '%s' cannot name a folder, use --run-name: %s",
                         buf_text(&c->run), why)
               : 0;
}

int collector_open(struct collector *c, const struct record *r, struct err *e)
{
    struct dest_place place;
    if (name_run(c, r, e) < 0) {
        return -1;
    }
    if (!c->o->dest) {
        return 0;
    }
    dest_place(&place, c->o->dest, buf_text(&c->run));
    if (files_open(&c->files, &c->o->files, &place, c->o->client, e) < 0) {
        return -1;
    }
    return c->o->append ? again_append(c, e) : files_demand_new(&c->files, e);
}
