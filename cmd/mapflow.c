/* mapflow: run a definition as it is written. */
#include "mapflow_options.h"

#include "base/clock.h"
#include "base/uuid.h"
#include "cli/self.h"
#include "cli/stream.h"
#include "flow/definition.h"
#include "flow/engine.h"
#include "io/folder.h"
#include "run/dry.h"
#include "json/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_program program = {
    .name = "mapflow",
    .summary = "Run a flow definition as it is written",
    .usage = "run|check|plan|enter|leave|processor DEF",
    .example = "  mapflow run flow.yaml -i input.json",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_STREAM_TABLE(struct options)},
    .max_operands = 2,
};

/* What the commands work with; zero-initialised, but for the trace, it can be released. */
struct setup {
    const struct options *o;
    struct buf journals; /* FOLDER/NAME */
    struct definition definition;
    struct actions *actions;
    struct trace trace;
    char *programs;
    char fresh_name[UUID_TEXT_MAX];
    struct engine_rules rules;
    struct buf input;
};

/* ---- the definition ---- */

/*
 * Tell the faults of FILE on the descriptor FD: as what was asked for, or, on standard error, as
 * messages of ours.
 */
static int put_faults(const struct options *o, const char *file, const struct faults *f, int fd,
                      struct err *e)
{
    struct writer out;
    struct buf line = {0};
    bool message = fd == STDERR_FILENO && o->format != FORMAT_JSON;
    const char *shown = strcmp(file, "-") == 0 ? "standard input" : file;
    writer_init(&out, fd, fd == STDOUT_FILENO ? "standard output" : "standard error");
    for (size_t i = 0; i < f->count; i++) {
        buf_reset(&line);
        buf_add_text(&line, message ? "mapflow: " : "");
        (o->format == FORMAT_JSON ? fault_json : fault_text)(&f->at[i], shown, &line);
        writer_put_span(&out, buf_span(&line));
        writer_commit(&out);
    }
    int rc = writer_flush(&out, e);
    buf_release(&line);
    writer_release(&out);
    return rc;
}

/* Returns 0, or -1: E is filled, unless the faults of the definition have been shown already. */
static int load(struct setup *s, const char *file, int fd, struct err *e)
{
    struct faults faults = {0};
    int rc = definition_load(&s->definition, file, &faults, e);
    if (put_faults(s->o, file, &faults, fd, e) < 0) {
        rc = -1;
    }
    faults_release(&faults);
    return rc;
}

/* The folder for the journals of this execution, which a rerun must find by its name. */
static int make_journals(struct setup *s, struct err *e)
{
    const char *name = s->o->name;
    if (!name || !*name || *name == '.' || strchr(name, '/')) {
        return err_set(e, ERR_USAGE, "--journals needs a --name that can be the name of a folder");
    }
    buf_printf(&s->journals, "%s/%s", s->o->journals, name);
    return folder_make(buf_text(&s->journals), e);
}

/* Asked for, or on a terminal that the output does not go to. */
static bool shows_states(const struct options *o)
{
    bool terminal = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
    return o->stream.verbose || o->stream.progress == PROGRESS_ALWAYS ||
           (terminal && o->stream.progress == PROGRESS_AUTO);
}

/* A processor is part of the run of maprun, which tells its name. */
static const char *find_name(struct setup *s)
{
    const char *run = getenv("FANLINE_RUN");
    if (s->o->name) {
        return s->o->name;
    }
    return s->o->answers && run && *run ? run : uuid_make(s->fresh_name);
}

/* A state begins. */
static void tell_state(void *context, const struct state *state)
{
    (void)context;
    cli_warn(&program, "%s %.*s", state_type_name(state->type), (int)state->name.len,
             state->name.at);
}

static int make_rules(struct setup *s, const char *file, struct err *e)
{
    const struct options *o = s->o;
    if (o->actions && actions_read(&s->actions, o->actions, e) < 0) {
        return -1;
    }
    if (o->journals && make_journals(s, e) < 0) {
        return -1;
    }
    if (o->trace && trace_open(&s->trace, o->trace, e) < 0) {
        return -1;
    }
    if (o->bucket_root) {
        setenv("FANLINE_BUCKET_ROOT", o->bucket_root, 1); /* for all commands, and theirs */
    }
    s->programs = cli_own_folder();
    s->rules = (struct engine_rules){.rooted = o->bucket_root != NULL,
                                     .environment = (const char *const *)environ,
                                     .actions = s->actions,
                                     .trace = o->trace ? &s->trace : NULL,
                                     .name = span_text(find_name(s)),
                                     .started = clock_real(),
                                     .folder = o->folder,
                                     .programs = s->programs,
                                     .journals = o->journals ? buf_text(&s->journals) : NULL,
                                     .definition = file,
                                     .actions_file = o->actions,
                                     .trace_file = o->trace,
                                     .errors = STDERR_FILENO,
                                     .notice = shows_states(o) ? tell_state : NULL};
    return 0;
}

static int read_input(struct setup *s, struct err *e)
{
    if (!s->o->input) {
        buf_add_text(&s->input, "{}");
        return 0;
    }
    return definition_input(s->o->input, (uint64_t)s->o->stream.max_depth, &s->input, e);
}

/* ---- run ---- */

static const struct state *find_start(const struct setup *s, struct err *e)
{
    const struct machine *m = s->definition.machine;
    const struct state *start = s->o->from ? machine_find(m, s->o->from, e) : m->scope.start;
    if (start && start->in != &m->scope) {
        err_set(e, ERR_USAGE, "--from: '%s' is inside of another state", s->o->from);
        return NULL;
    }
    return start;
}

/* How the run ended, as an exit status; a failure is told. */
static int conclude(const struct engine_result *d)
{
    struct err e = {0};
    if (d->succeeded) {
        return 0;
    }
    err_set(&e, d->exceeded ? ERR_FAILED : ERR_DATA, "state %.*s failed: %.*s%s%.*s",
            (int)d->state->name.len, d->state->name.at, (int)d->code.len,
            d->code.len ? d->code.at : "", d->cause.len ? ": " : "", (int)d->cause.len,
            d->cause.len ? d->cause.at : "");
    return cli_fail(&program, &e);
}

static int run_engine(struct setup *s, struct engine *engine, struct cli_stream_io *io)
{
    struct err e = {0};
    struct engine_result d = {0};
    const struct state *start = find_start(s, &e);
    int rc = start ? engine_run(engine, start, buf_span(&s->input), &d, &e) : -1;
    int signal = rc == 0 ? d.signal : 0;
    int status = rc == 0 && !signal ? conclude(&d) : 0;
    if (rc == 0 && d.succeeded) {
        writer_put_span(&io->out, buf_span(&d.output));
        writer_put_byte(&io->out, '\n');
        writer_commit(&io->out);
    }
    engine_result_release(&d);
    engine_close(engine);
    int closed = cli_stream_close(io, rc < 0 ? rc : status, &e, rc == 0 && status == 0, NULL);
    if (signal) {
        signals_die(signal);
        return 128 + signal;
    }
    return closed;
}

static int run_run(struct setup *s)
{
    struct err e = {0};
    struct cli_stream_io io;
    struct engine *engine;
    if (read_input(s, &e) < 0 || cli_stream_open(&io, &program, &s->o->stream, &e) < 0) {
        return cli_fail(&program, &e);
    }
    if (engine_open(&engine, s->definition.machine, &s->rules, &e) < 0) {
        return cli_stream_close(&io, -1, &e, 0, NULL);
    }
    return run_engine(s, engine, &io);
}

/* ---- processor ---- */

/* The only Map, or the one that --state names. */
static const struct state *find_map(const struct setup *s, struct err *e)
{
    const struct machine *m = s->definition.machine;
    const struct state *found = s->o->state ? machine_find(m, s->o->state, e) : NULL;
    for (size_t i = 0; !s->o->state && i < m->count; i++) {
        if (m->all[i]->type == STATE_MAP && found) {
            err_set(e, ERR_USAGE, "there are several Maps: name one by --state");
            return NULL;
        }
        found = m->all[i]->type == STATE_MAP ? m->all[i] : found;
    }
    if (!found && e->code == ERR_NONE) {
        err_set(e, ERR_USAGE, "the definition has no Map");
    }
    if (found && found->type != STATE_MAP) {
        err_set(e, ERR_USAGE, "--state: '%s' is no Map", s->o->state);
        return NULL;
    }
    return found;
}

/* The answer to a line: what came out, or how it failed. */
static void put_answer(const struct setup *s, const struct engine_result *d, struct buf *out)
{
    buf_reset(out);
    if (d->succeeded) {
        buf_add_text(out, s->o->answers ? "{\"Output\":" : "");
        buf_add_span(out, buf_span(&d->output));
        buf_add_text(out, s->o->answers ? "}\n" : "\n");
        return;
    }
    buf_add_text(out, "{\"ErrorCode\":");
    text_encode_lossy(out, buf_span(&d->code));
    if (d->cause.len > 0) {
        buf_add_text(out, ",\"Cause\":");
        text_encode_lossy(out, buf_span(&d->cause));
    }
    buf_add_text(out, "}\n");
}

static int answer_all(struct setup *s, const struct state *start, struct engine *engine,
                      struct lines_in *in, struct cli_stream_io *io, int *signal, struct err *e)
{
    struct engine_result d = {0};
    struct buf answer = {0};
    struct span line;
    int got;
    while ((got = lines_next(in, &line, e)) > 0) {
        if (engine_run(engine, start, line, &d, e) < 0) {
            got = -1;
            break;
        }
        if (d.signal) {
            *signal = d.signal;
            break;
        }
        put_answer(s, &d, &answer);
        writer_put_span(&io->out, buf_span(&answer));
        writer_commit(&io->out);
        progress_count(&io->progress, in->items);
    }
    engine_result_release(&d);
    buf_release(&answer);
    return got < 0 ? -1 : 0;
}

static int run_processor(struct setup *s)
{
    struct err e = {0};
    struct cli_stream_io io;
    struct lines_in in;
    struct engine *engine;
    int signal = 0;
    const struct state *map = find_map(s, &e);
    if (!map || cli_stream_open(&io, &program, &s->o->stream, &e) < 0) {
        return cli_fail(&program, &e);
    }
    engine_open(&engine, s->definition.machine, &s->rules, &e);
    lines_open(&in, &io.reader, &io.rules);
    int rc = answer_all(s, map->scopes->start, engine, &in, &io, &signal, &e);
    engine_close(engine);
    int status = cli_stream_close(&io, rc, &e, in.items, &in);
    lines_close(&in);
    if (signal) {
        signals_die(signal);
    }
    return status;
}

/* ---- plan, enter, leave ---- */

/* What an engine that runs nothing adds to OUT for the state. */
typedef int part_fn(struct setup *s, struct engine *engine, struct buf *out, struct err *e);

static int plan_part(struct setup *s, struct engine *engine, struct buf *out, struct err *e)
{
    const char *root = s->o->bucket_root;
    const char *input = s->o->input ? s->o->input : "input.json";
    const struct state *map = find_map(s, e);
    if (map && root) {
        buf_add_text(out, "export FANLINE_BUCKET_ROOT=");
        dry_quote(out, span_text(root));
        buf_add_byte(out, '\n');
    }
    return map ? engine_plan(engine, map, input, buf_span(&s->input), out, e) : -1;
}

/* The state that --state names, or the first one. */
static const struct state *find_state(const struct setup *s, struct err *e)
{
    const struct machine *m = s->definition.machine;
    return s->o->state ? machine_find(m, s->o->state, e) : m->scope.start;
}

static int enter_part(struct setup *s, struct engine *engine, struct buf *out, struct err *e)
{
    const struct state *state = find_state(s, e);
    int rc = state ? engine_enter(engine, state, buf_span(&s->input), out, e) : -1;
    buf_add_byte(out, '\n');
    return rc;
}

static int leave_part(struct setup *s, struct engine *engine, struct buf *out, struct err *e)
{
    struct buf result = {0};
    const struct state *state = find_state(s, e);
    int rc = state ? definition_input("-", (uint64_t)s->o->stream.max_depth, &result, e) : -1;
    rc = rc < 0 ? rc : engine_leave(engine, state, buf_span(&s->input), buf_span(&result), out, e);
    buf_add_byte(out, '\n');
    buf_release(&result);
    return rc;
}

static int run_part(struct setup *s, part_fn *part)
{
    struct err e = {0};
    struct engine *engine;
    struct buf out = {0};
    struct writer writer;
    int rc = read_input(s, &e);
    if (rc == 0 && (rc = engine_open(&engine, s->definition.machine, &s->rules, &e)) == 0) {
        rc = part(s, engine, &out, &e);
        engine_close(engine);
    }
    if (rc == 0) {
        writer_init(&writer, STDOUT_FILENO, "standard output");
        writer_put_span(&writer, buf_span(&out));
        writer_commit(&writer);
        rc = writer_flush(&writer, &e);
        writer_release(&writer);
    }
    buf_release(&out);
    return rc < 0 ? cli_fail(&program, &e) : 0;
}

static int run_plan(struct setup *s)
{
    return run_part(s, plan_part);
}

static int run_enter(struct setup *s)
{
    return run_part(s, enter_part);
}

static int run_leave(struct setup *s)
{
    return run_part(s, leave_part);
}

/* All that is wrong has been told, and there was nothing. */
static int run_check(struct setup *s)
{
    (void)s;
    return 0;
}

/* ---- which command ---- */

struct command_form {
    const char *name;
    int (*run)(struct setup *s);
    const char *options; /* that have an effect, each with a blank around it */
    const char *named;   /* why the definition must be a file with a name; NULL: it need not */
};

static const struct command_form commands[] = {
    {"run", run_run, " input actions trace from name journals ", NULL},
    {"check", run_check, " format ", NULL},
    {"plan", run_plan, " input actions trace state ", "the pipeline reads it by its name"},
    {"enter", run_enter, " input state ", NULL},
    {"leave", run_leave, " input state ", "what the work gave comes from there"},
    {"processor", run_processor, " actions trace state name answers ", "items come from there"},
};

static const struct command_form *find_command(const struct cli_operands *operands, struct err *e)
{
    if (operands->count == 0) {
        err_set(e, ERR_USAGE, "a command is needed: run, plan, check, ... (see --help)");
        return NULL;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, operands->at[0]) == 0) {
            if (operands->count == 2) {
                return &commands[i];
            }
            err_set(e, ERR_USAGE, "%s takes a definition", commands[i].name);
            return NULL;
        }
    }
    struct near n = near_to_part(span_text(operands->at[0]));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        near_offer(&n, span_text(commands[i].name));
    }
    cli_unknown(e, "command", &n);
    return NULL;
}

static int check_options(const struct command_form *c, const struct options *o, struct err *e)
{
    const struct {
        const char *name;
        bool given;
    } all[] = {{"format", o->format != FORMAT_TEXT},
               {"input", o->input != NULL},
               {"actions", o->actions != NULL},
               {"trace", o->trace != NULL},
               {"from", o->from != NULL},
               {"state", o->state != NULL},
               {"name", o->name != NULL},
               {"journals", o->journals != NULL},
               {"answers", o->answers}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", all[i].name);
        if (all[i].given && !strstr(c->options, word)) {
            return err_set(e, ERR_USAGE, "--%s has no effect on %s", all[i].name, c->name);
        }
    }
    return 0;
}

/* Standard input is read once, and by one. */
static int check_standard_input(const struct command_form *c, const struct options *o,
                                const char *file, struct err *e)
{
    const char *const files[] = {file, o->input, o->actions};
    int count = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        count += files[i] && strcmp(files[i], "-") == 0;
    }
    if (count > 1) {
        return err_set(e, ERR_USAGE, "only one of the files can be standard input");
    }
    if (o->actions && strcmp(o->actions, "-") == 0) {
        return err_set(e, ERR_USAGE, "--actions cannot be standard input: processors read it too");
    }
    if (c->run == run_plan && o->input && strcmp(o->input, "-") == 0) {
        return err_set(e, ERR_USAGE,
                       "plan needs an input with a name: the pipeline reads it by that");
    }
    bool from_input = strcmp(file, "-") == 0;
    if (from_input && c->named) {
        return err_set(e, ERR_USAGE, "%s cannot take the definition from standard input: %s",
                       c->name, c->named);
    }
    return from_input && o->journals
               ? err_set(e, ERR_USAGE, "--journals needs a definition in a file, for a rerun")
               : 0;
}

/* Get ready for C, and do it. */
static int perform(struct setup *s, const struct command_form *c, const char *file, struct err *e)
{
    if (c->run == run_run) {
        file = definition_share(&s->definition, file, s->o->folder, e);
    }
    if (!file || make_rules(s, file, e) < 0) {
        return 0;
    }
    int status = c->run(s);
    (void)trace_close(&s->trace, e);
    return status;
}

static int run(const struct command_form *c, const struct options *o, const char *file)
{
    struct err e = {0};
    struct setup s = {.o = o, .trace = {.fd = -1}};
    bool loaded = load(&s, file, c->run == run_check ? STDOUT_FILENO : STDERR_FILENO, &e) == 0;
    int status = loaded || e.code != ERR_NONE ? 0 : cli_status(ERR_USAGE);
    if (loaded) {
        status = perform(&s, c, file, &e);
    }
    if (e.code != ERR_NONE) {
        status = cli_fail(&program, &e);
    }
    definition_release(&s.definition);
    actions_free(s.actions);
    free(s.programs);
    buf_release(&s.input);
    buf_release(&s.journals);
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {.stream = CLI_STREAM_DEFAULTS, .folder = "/tmp"};
    struct cli_operands operands;
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    const struct command_form *c = find_command(&operands, &e);
    if (!c || check_options(c, &o, &e) < 0 || check_standard_input(c, &o, operands.at[1], &e) < 0) {
        return cli_fail(&program, &e);
    }
    return run(c, &o, operands.at[1]);
}
