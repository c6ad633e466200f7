/* signalctl: look at signals and put them right. */
#include "cli/cli.h"
#include "cli/format_option.h"
#include "cli/store_option.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/writer.h"
#include "signal/count.h"
#include "signal/inspect.h"
#include "store/facts.h"
#include "store/nifi_json.h"
#include "json/text.h"

#include <stdlib.h>
#include <unistd.h>

#define TTL_DEFAULT (CLOCK_SECOND * 3600 * 24)

enum { REPLACE_ATTEMPTS = 100, PAGE_ROWS = 1000 };

struct options {
    struct cli_store store;
    const char *counter;
    struct cli_format format;
    bool nifi;
    int64_t older;
    bool older_given;
    int64_t ttl;
    bool ttl_given;
    bool quiet;
    bool verbose;
};

static const struct cli_option option_table[] = {
    {.letter = 'c',
     .name = "counter",
     .argument = "NAME",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, counter),
     .help = "for set and clear: this counter"},
    {.name = "nifi",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, nifi),
     .env = "FANLINE_NIFI",
     .help = "show and set signals in the form that NiFi gives them"},
    {.name = "older-than",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, older),
     .given_offset = offsetof(struct options, older_given),
     .help = "for gc: also what was not notified for so long"},
    {.name = "ttl",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, ttl),
     .given_offset = offsetof(struct options, ttl_given),
     .env = "FANLINE_TTL",
     .never = true,
     .help = "for set: it lives so long (default 24h; 0: for ever)"},
    {.letter = 'q',
     .name = "quiet",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, quiet),
     .help = "say nothing about what endangers signals"},
    {.letter = 'v',
     .name = "verbose",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, verbose),
     .help = "say which store is used, and what was removed"},
};

static const struct cli_program program = {
    .name = "signalctl",
    .summary = "List, explain and change signals",
    .usage = "list | show ID... | explain ID... |\n"
             "       set ID N | clear ID... | delete ID... | gc",
    .example = "  signalctl list\n"
               "  signalctl explain job-17",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_FORMAT_TABLE(struct options),
               CLI_STORE_TABLE(struct options)},
    .texts = true,
    .max_operands = -1,
};

/* What the commands work with. */
struct desk {
    const struct options *o;
    struct store *store;
    struct writer out;
    struct inspect_table table;
    bool tabular;
    int64_t now;
    uint64_t batches;
    uint64_t removed;
    uint64_t strange; /* ids that are no signals */
    struct err *e;
    int rc; /* of a walk over all signals */
};

/* ---- showing ---- */

static int show_nifi(struct desk *d, struct span id)
{
    struct store_entry entry = {0};
    struct buf text = {0};
    int got = store_fetch(d->store, id, &entry, d->e);
    if (got > 0) {
        buf_add_text(&text, "{\"id\":");
        text_encode_lossy(&text, id);
        buf_add_byte(&text, ',');
        size_t brace = text.len;
        nifi_json_write(&entry, &text);
        memmove(text.at + brace, text.at + brace + 1, text.len - brace - 1);
        text.at[text.len - 1] = '\n';
        writer_put_span(&d->out, buf_span(&text));
        writer_commit(&d->out);
    }
    buf_release(&text);
    store_entry_release(&entry);
    return got < 0 ? -1 : 0;
}

static int show(struct desk *d, struct span id)
{
    struct store_facts facts = {0};
    if (d->o->nifi) {
        return show_nifi(d, id);
    }
    int rc = store_describe(d->store, id, &facts, d->e);
    if (rc == 0 && d->tabular) {
        inspect_add(&d->table, id, &facts, d->now);
        if (d->table.rows == PAGE_ROWS) {
            inspect_table(&d->out, &d->table);
        }
    } else if (rc == 0) {
        inspect_json(&d->out, id, &facts, d->now);
    }
    store_facts_release(&facts);
    return rc;
}

static int explain(struct desk *d, struct span id)
{
    struct store_facts facts = {0};
    int rc = store_describe(d->store, id, &facts, d->e);
    if (rc == 0) {
        inspect_explain(&d->out, id, &facts, d->now);
    }
    store_facts_release(&facts);
    return rc;
}

/*
 * A walk over all ids goes on where one is no signal, as the error says: among what a NiFi keeps
 * there may be other things; else it is told.  False: it was something else.
 */
static bool pass_by(struct desk *d)
{
    if (d->e->code != ERR_DATA) {
        return false;
    }
    if (!store_is_foreign(d->store)) {
        cli_complain(&program, d->e);
        d->strange++;
    }
    *d->e = (struct err){0};
    return true;
}

static void show_next(void *context, struct span id)
{
    struct desk *d = context;
    if (d->rc == 0 && show(d, id) < 0 && !pass_by(d)) {
        d->rc = -1;
    }
}

/* The end of a walk over all ids, RC being its result. */
static int end_walk(struct desk *d, int rc)
{
    if (rc < 0 || d->rc < 0) {
        return -1;
    }
    return d->strange == 0
               ? 0
               : err_set(d->e, ERR_DATA, "%llu ids are no signals", (unsigned long long)d->strange);
}

static int list(struct desk *d, char **operands, int count)
{
    (void)operands;
    (void)count;
    return end_walk(d, store_list(d->store, show_next, d, d->e));
}

/* ---- changing ---- */

static int send(struct desk *d, struct store_notice *notices, size_t count, int64_t ttl)
{
    enum store_verdict *verdicts = mem_new(count, sizeof *verdicts);
    struct store_batch batch = {notices, count, ttl, ++d->batches, 0};
    int rc = store_notify(d->store, &batch, verdicts, d->e);
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (verdicts[i] == STORE_OVERFLOW) {
            rc = err_set(d->e, ERR_DATA, "the total would leave 64 bits");
        }
    }
    free(verdicts);
    return rc;
}

/* Clear the counter that was named, or all there are. */
static int clear(struct desk *d, struct span id)
{
    struct store_facts facts = {0};
    int rc = store_describe(d->store, id, &facts, d->e);
    size_t count = d->o->counter ? 1 : facts.entry.counter_count;
    struct store_notice *notices = mem_new(count, sizeof *notices);
    for (size_t i = 0; i < count; i++) {
        notices[i] = (struct store_notice){.id = id,
                                           .counter = d->o->counter ? span_text(d->o->counter)
                                                                    : facts.entry.counters[i].name,
                                           .clear = true,
                                           .target = STORE_NO_TARGET};
    }
    /* the shortest time to live lengthens none */
    rc = rc == 0 && facts.found && count > 0 ? send(d, notices, count, CLOCK_MILLI) : rc;
    free(notices);
    store_facts_release(&facts);
    return rc;
}

static int set_counter(struct desk *d, struct span id, const char *value)
{
    struct span counter = d->o->counter ? span_text(d->o->counter) : SPAN_LIT("default");
    struct store_notice notices[] = {
        {.id = id, .counter = counter, .clear = true, .target = STORE_NO_TARGET},
        {.id = id, .counter = counter, .target = STORE_NO_TARGET},
    };
    if (count_read(span_text(value), "the number", -STORE_COUNT_MAX, STORE_COUNT_MAX,
                   &notices[1].delta, d->e) < 0) {
        d->e->code = ERR_USAGE;
        return -1;
    }
    return send(d, notices, 2, d->o->ttl < 0 ? 0 : d->o->ttl);
}

/* Put an entry in NiFi's form in the place of whatever is there. */
static int set_nifi(struct desk *d, struct span id, const char *value)
{
    struct store_entry entry = {0}, there = {0};
    int64_t ttl = d->o->ttl_given ? (d->o->ttl < 0 ? 0 : d->o->ttl) : STORE_TTL_KEEP;
    int done = nifi_json_read(span_text(value), &entry, d->e);
    if (done < 0) {
        d->e->code = ERR_USAGE;
    }
    for (int i = 0; done == 0 && i < REPLACE_ATTEMPTS; i++) {
        done = store_fetch(d->store, id, &there, d->e) < 0
                   ? -1
                   : store_replace(d->store, id, &entry, buf_span(&there.revision), ttl, d->e);
    }
    store_entry_release(&entry);
    store_entry_release(&there);
    return done > 0   ? 0
           : done < 0 ? -1
                      : err_set(d->e, ERR_LATER, "others change the signal all the time");
}

static int set(struct desk *d, char **operands, int count)
{
    (void)count;
    struct span id = span_text(operands[0]);
    return d->o->nifi ? set_nifi(d, id, operands[1]) : set_counter(d, id, operands[1]);
}

static int delete (struct desk *d, struct span id)
{
    return store_purge(d->store, id, d->e);
}

/* ---- gc ---- */

/* Is there nothing to take from ENTRY? */
static bool is_zero(const struct store_entry *entry)
{
    for (size_t i = 0; i < entry->counter_count; i++) {
        if (entry->counters[i].value != 0) {
            return false;
        }
    }
    return entry->counter_count > 0 && entry->tickets == 0;
}

/*
 * Is ENTRY of no use any more: nobody waits, and there is nothing to take, or nobody has for long?
 * The facts may be a little younger; it is the entry that will be removed if it still is the same.
 */
static bool is_garbage(const struct desk *d, const struct store_entry *entry,
                       const struct store_facts *f)
{
    if (!f->found || f->waiting_count > 0 || f->leased > 0) {
        return false;
    }
    int64_t old = d->o->older / CLOCK_MILLI;
    bool forgotten = d->o->older_given && f->changed != 0 && d->now - f->changed > old;
    return forgotten || (is_zero(entry) && f->tickets == 0 && !f->released);
}

/* Remove ID if it is garbage, and nobody changes it meanwhile. Keys of --once stay known. */
static void collect(void *context, struct span id)
{
    struct desk *d = context;
    struct store_facts facts = {0};
    struct store_entry entry = {0};
    if (d->rc < 0) {
        return;
    }
    int found = store_fetch(d->store, id, &entry, d->e);
    if (found > 0 && store_describe(d->store, id, &facts, d->e) < 0) {
        found = -1;
    }
    if (found > 0 && is_garbage(d, &entry, &facts)) {
        found = store_replace(d->store, id, NULL, buf_span(&entry.revision), STORE_TTL_KEEP, d->e);
        d->removed += found > 0;
    }
    d->rc = found < 0 && !pass_by(d) ? -1 : 0;
    store_facts_release(&facts);
    store_entry_release(&entry);
}

static int gc(struct desk *d, char **operands, int count)
{
    (void)operands;
    (void)count;
    int rc = store_list(d->store, collect, d, d->e);
    if (rc == 0 && d->rc == 0) {
        rc = store_sweep(d->store, d->e);
    }
    if (d->o->verbose) {
        cli_warn(&program, "%llu signals removed", (unsigned long long)d->removed);
    }
    return end_walk(d, rc);
}

/* ---- commands ---- */

struct command_row {
    const char *name;
    int least, most; /* operands; -1: any number */
    bool needs_counter_option;
    int (*run)(struct desk *d, char **operands, int count);
    int (*each)(struct desk *d, struct span id); /* instead: for each operand */
};

static const struct command_row commands[] = {
    {"list", 0, 0, false, list, NULL},
    {"show", 1, -1, false, NULL, show},
    {"explain", 1, -1, false, NULL, explain},
    {"set", 2, 2, true, set, NULL},
    {"clear", 1, -1, true, NULL, clear},
    {"delete", 1, -1, false, NULL, delete},
    {"gc", 0, 0, false, gc, NULL},
};

static const struct command_row *find_command(const struct options *o,
                                              const struct cli_operands *operands, struct err *e)
{
    const char *name = operands->count ? operands->at[0] : "";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command_row *c = &commands[i];
        int count = operands->count - 1;
        if (strcmp(c->name, name) != 0) {
            continue;
        }
        if (count < c->least || (c->most >= 0 && count > c->most)) {
            err_set(e, ERR_USAGE, "%s takes %s", name,
                    c->most == 0   ? "no operands"
                    : c->most == 2 ? "an ID and a value"
                                   : "one ID or more");
            return NULL;
        }
        if (o->counter && !c->needs_counter_option) {
            err_set(e, ERR_USAGE, "--counter has no effect with %s", name);
            return NULL;
        }
        if (o->older_given && c->run != gc) {
            err_set(e, ERR_USAGE, "--older-than has no effect with %s", name);
            return NULL;
        }
        return c;
    }
    struct near n = near_to_part(span_text(name));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        near_offer(&n, span_text(commands[i].name));
    }
    (void)(*name ? cli_unknown(e, "command", &n) : err_set(e, ERR_USAGE, "no command is named"));
    return NULL;
}

static int execute(struct desk *d, const struct command_row *c, char **operands, int count)
{
    int rc = c->run ? c->run(d, operands, count) : 0;
    for (int i = 0; c->each && i < count && rc == 0; i++) {
        if (id_is_blank(span_text(operands[i]))) {
            rc = err_set(d->e, ERR_USAGE, "the id of the signal is blank");
        } else {
            rc = c->each(d, span_text(operands[i]));
        }
    }
    if (d->tabular && (c->each == show || c->run == list)) {
        inspect_table(&d->out, &d->table);
    }
    struct err late = {0};
    if (writer_flush(&d->out, &late) < 0 && rc == 0) { /* also what was found before a failure */
        *d->e = late;
        rc = -1;
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct options o = {.ttl = TTL_DEFAULT};
    struct cli_operands operands;
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    struct desk d = {.o = &o, .now = clock_real() / CLOCK_MILLI, .e = &e};
    const struct cli_stream stream = {.quiet = o.quiet, .verbose = o.verbose};
    const struct command_row *c = find_command(&o, &operands, &e);
    d.tabular = cli_format_is_table(&o.format);
    writer_init(&d.out, STDOUT_FILENO, "standard output");
    if (!c || cli_store_open(&d.store, &program, &o.store, &stream, &e) < 0 ||
        execute(&d, c, operands.at + 1, operands.count - 1) < 0) {
        status = cli_fail(&program, &e);
    } else {
        status = 0;
    }
    inspect_table_release(&d.table);
    writer_release(&d.out);
    store_close(d.store);
    return status;
}
