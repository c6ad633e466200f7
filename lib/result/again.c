/* Results that are there before: added to, or changed by a second run. */
#include "result/collector.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * The files of one run have one form.  What was asked for must be that of BEFORE, what was not
 * asked for becomes it.
 */
static int take_form(struct collector *c, struct err *e)
{
    struct form *form = &c->files.rules.form;
    const struct form *old = &c->before.form;
    if (!c->before.any) {
        return 0;
    }
    if (c->o->has_records && form->records != old->records) {
        return err_set(e, ERR_USAGE, "--records=%s has no place among the records in %s",
                       form->records == FORM_FULL ? "full" : "cloudflow", c->before.url);
    }
    if (c->o->has_type && form->lines != old->lines) {
        return err_set(e, ERR_USAGE, "--type=%s has no place among the files in %s",
                       form->lines ? "jsonl" : "json", c->before.url);
    }
    form->records = old->records;
    form->lines = old->lines;
    return 0;
}

/* R was in the results before. */
static int remember(void *context, const struct record *r, struct span line, struct err *e)
{
    struct collector *c = context;
    struct roster_place place;
    (void)line;
    return roster_add(&c->roster, r, &place, e) < 0 ? -1 : collector_count(c, r, e);
}

int again_append(struct collector *c, struct err *e)
{
    int there = dest_holds(&c->files.dest, CATALOG_MANIFEST, e);
    if (there <= 0) {
        return there;
    }
    char *manifest = dest_join(c->files.place.url, CATALOG_MANIFEST);
    int rc = stored_open(&c->before, manifest, c->o->client, e);
    free(manifest);
    if (rc < 0 || stored_all(&c->before, &c->in->rules, remember, c, e) < 0 ||
        take_form(c, e) < 0) {
        return -1;
    }
    files_keep(&c->files, &c->before.catalog);
    return 0;
}

/* ---- re-drive ---- */

/* Where the results will be: as the options say, else where they are. */
static void choose_place(struct collector *c, struct dest_place *p)
{
    const struct catalog *catalog = &c->before.catalog;
    if (c->o->dest) {
        dest_place(p, c->o->dest, c->o->run_name ? c->o->run_name : catalog->run);
        return;
    }
    *p = (struct dest_place){.url = mem_text(c->before.url),
                             .bucket = mem_text(catalog->bucket),
                             .folder = mem_text(catalog->folder),
                             .run = mem_text(catalog->run)};
}

static int open_before(struct collector *c, struct err *e)
{
    stored_close(&c->before);
    return stored_open(&c->before, c->o->redrive, c->o->client, e);
}

static int expect(void *context, const struct record *r, struct span line, struct err *e)
{
    struct collector *c = context;
    (void)line;
    return redrive_expect(&c->redrive, r, e);
}

/* The run stays where it is: what succeeded stays in its files, the others get new ones. */
static int change_in_place(struct collector *c, struct err *e)
{
    const char *slash = strrchr(c->o->redrive, '/');
    const char *name = slash ? slash + 1 : c->o->redrive;
    if (strcmp(name, CATALOG_MANIFEST) != 0) {
        return err_set(e, ERR_USAGE, "%s is not named %s: its run can only be merged elsewhere",
                       c->o->redrive, CATALOG_MANIFEST);
    }
    if (c->files.rules.form.transform != FORM_NONE) {
        return err_set(e, ERR_USAGE, "--transform has no place among the records in %s",
                       c->before.url);
    }
    if (take_form(c, e) < 0) {
        return -1;
    }
    files_keep(&c->files, &c->before.catalog);
    files_replace(&c->files, CATALOG_FAILED);
    files_replace(&c->files, CATALOG_PENDING);
    return 0;
}

/* The files are open, and nobody else changes them: read what is there. */
static int read_before(struct collector *c, struct err *e)
{
    c->in_place = dest_is(&c->files.dest, c->before.url);
    if (!c->in_place && files_demand_new(&c->files, e) < 0) {
        return -1;
    }
    if (open_before(c, e) < 0 ||
        stored_each(&c->before, CATALOG_FAILED, &c->in->rules, expect, c, e) < 0 ||
        stored_each(&c->before, CATALOG_PENDING, &c->in->rules, expect, c, e) < 0) {
        return -1;
    }
    redrive_ready(&c->redrive);
    return c->in_place ? change_in_place(c, e) : 0;
}

int again_open(struct collector *c, struct err *e)
{
    struct dest_place place;
    redrive_init(&c->redrive, c->o->temp);
    if (open_before(c, e) < 0) {
        return -1;
    }
    const char *why = dest_bad_run(span_text(c->before.catalog.run));
    if (why) {
        return err_set(e, ERR_DATA, "the run '%s' in %s has a name that is none: %s",
                       c->before.catalog.run, c->o->redrive, why);
    }
    choose_place(c, &place);
    buf_add_text(&c->run, place.run);
    return files_open(&c->files, &c->o->files, &place, c->o->client, e) < 0 ? -1
                                                                            : read_before(c, e);
}

int again_take(struct collector *c, const struct record *r, struct span line, struct err *e)
{
    int taken = redrive_take(&c->redrive, r, line, e);
    if (taken == 0) {
        err_set(e, ERR_DATA, "its Input is none of those that did not succeed in %s",
                c->o->redrive);
    }
    return taken;
}

/* R succeeded before. */
static int keep(void *context, const struct record *r, struct span line, struct err *e)
{
    struct collector *c = context;
    if (collector_count(c, r, e) < 0) {
        return -1;
    }
    return c->in_place ? 0 : collector_deliver(c, r, line, NULL, e);
}

/* OLD did not succeed before: what became of it? */
static int renew(void *context, const struct record *old, struct span line, struct err *e)
{
    struct collector *c = context;
    struct record r = *old;
    int got = redrive_result(&c->redrive, old, &c->scratch, e);
    if (got > 0) {
        line = buf_span(&c->scratch);
        got = record_read(&r, line, SEAMS_NONE, e);
    }
    if (got < 0 || collector_count(c, &r, e) < 0) {
        return -1;
    }
    return collector_deliver(c, &r, line, NULL, e);
}

int again_merge(struct collector *c, struct err *e)
{
    c->files.catalog.redrives = c->before.catalog.redrives + (c->redrive.merged > 0);
    if (stored_each(&c->before, CATALOG_SUCCEED, &c->in->rules, keep, c, e) < 0) {
        return -1;
    }
    if (stored_each(&c->before, CATALOG_FAILED, &c->in->rules, renew, c, e) < 0) {
        return -1;
    }
    return stored_each(&c->before, CATALOG_PENDING, &c->in->rules, renew, c, e);
}
