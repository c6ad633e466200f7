#include "cli/cli.h"

#include "base/mem.h"
#include "base/units.h"
#include "cli/files.h"
#include "cli/show.h"
#include "json/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An option of the program, and where its variable is. */
struct place {
    const struct cli_option *option;
    char *value;
    bool *given;
};

/* What parsing needs to know. */
struct parse {
    const struct cli_program *program;
    char *options;
    char **argv;
    int argc;
    int at; /* of the next argument */
};

static struct place place_of(const struct parse *p, const struct cli_table *t,
                             const struct cli_option *o)
{
    char *base = p->options + t->offset;
    return (struct place){
        .option = o,
        .value = base + o->offset,
        .given = o->given_offset ? (bool *)(void *)(base + o->given_offset) : NULL,
    };
}

/* The option with this letter, or, if LETTER is 0, this long name; option is NULL if there is none.
 */
static struct place find(const struct parse *p, char letter, struct span name)
{
    for (int t = 0; t < CLI_TABLES_MAX; t++) {
        const struct cli_table *table = &p->program->tables[t];
        for (size_t i = 0; i < table->count; i++) {
            const struct cli_option *o = &table->options[i];
            if (letter ? o->letter == letter : span_equal(span_text(o->name), name)) {
                return place_of(p, table, o);
            }
        }
    }
    return (struct place){0};
}

/* Store TEXT in P's variable. Returns 0, or -1 with E filled. */
static int set_choice(const struct place *p, const char *text, struct err *e)
{
    for (int i = 0; p->option->choices[i]; i++) {
        if (strcmp(p->option->choices[i], text) == 0) {
            *(int *)(void *)p->value = i;
            return 0;
        }
    }
    err_set(e, ERR_USAGE, "'%s' is none of", text);
    for (int i = 0; p->option->choices[i]; i++) {
        size_t len = strlen(e->text);
        snprintf(e->text + len, sizeof e->text - len, "%s %s", i ? "," : "", p->option->choices[i]);
    }
    return -1;
}

static int set_duration(const struct place *p, const char *text, struct err *e)
{
    if (p->option->never && strcmp(text, "never") == 0) {
        *(int64_t *)(void *)p->value = -1;
        return 0;
    }
    return units_duration(span_text(text), (int64_t *)(void *)p->value, e);
}

static int set_value(const struct place *p, const char *text, struct err *e)
{
    const struct cli_option *o = p->option;
    void *value = p->value;
    bool free_range = o->min == 0 && o->max == 0;
    switch (o->type) {
    case CLI_FLAG:
        *(bool *)value = true;
        return 0;
    case CLI_TEXT:
        *(const char **)value = text;
        return 0;
    case CLI_INTEGER:
        return units_integer(span_text(text), o->min, free_range ? INT64_MAX : o->max, value, e);
    case CLI_SIZE:
        return units_size(span_text(text), value, e);
    case CLI_DURATION:
        return set_duration(p, text, e);
    case CLI_PERCENT:
        return units_percent(span_text(text), value, e);
    case CLI_CHOICE:
        return set_choice(p, text, e);
    case CLI_LIST: {
        struct cli_list *list = value;
        list->items = mem_grow(list->items, &list->cap, list->count, sizeof *list->items);
        list->items[list->count++] = text;
        return 0;
    }
    }
    return -1;
}

static int check_utf8(const char *text, struct err *e)
{
    size_t bad;
    return text_is_utf8(span_text(text), &bad)
               ? 0
               : err_set(e, ERR_USAGE, "'%s' is not UTF-8 at byte %zu", text, bad);
}

/*
 * By custom "-" is standard input or output, which are the items' here: so it is not taken for the
 * name of a file, unless the option says what it means.
 */
static int check_dash(const struct cli_option *o, const char *text, struct err *e)
{
    bool is_name = o->file != CLI_NO_FILE && o->file != CLI_STORES && !o->dash;
    const char *dash = o->file == CLI_READS_AT ? "@-" : "-";
    return !is_name || strcmp(text, dash) != 0
               ? 0
               : err_set(e, ERR_USAGE, "'-' names nothing here: say ./-%s",
                         o->file == CLI_WRITES ? " or /dev/stderr" : "");
}

/*
 * Texts become part of what is written, and bytes that are not UTF-8 cannot.  Names of files, and
 * what a shell is to read, may have any.
 */
static int check_text(const struct cli_option *o, const char *text, struct err *e)
{
    bool is_text = o->type == CLI_TEXT || o->type == CLI_LIST;
    bool is_file =
        o->file == CLI_READS_AT ? text[0] == '@' : o->file != CLI_NO_FILE && o->file != CLI_FOLDERS;
    return is_text && !is_file && !o->bytes ? check_utf8(text, e) : 0;
}

static int give(const struct place *p, const char *shown, const char *text, struct err *e)
{
    if (check_text(p->option, text, e) < 0 || check_dash(p->option, text, e) < 0 ||
        set_value(p, text, e) < 0) {
        err_prefix(e, "%s", shown);
        return -1;
    }
    if (p->given) {
        *p->given = true;
    }
    return 0;
}

int cli_unknown(struct err *e, const char *what, const struct near *n)
{
    return n->best.len > 0
               ? err_set(e, ERR_USAGE, "there is no %s '%.*s'; did you mean '%.*s'?", what,
                         (int)n->name.len, n->name.at, (int)n->best.len, n->best.at)
               : err_set(e, ERR_USAGE, "there is no %s '%.*s'", what, (int)n->name.len, n->name.at);
}

/* ---- environment ---- */

/* A flag in the environment: 1, true, yes are on; empty, 0, false, no are off. */
static int read_switch(const char *text, bool *on)
{
    static const char *const names[] = {"0", "1", "false", "true", "no", "yes", NULL};
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *on = i % 2 == 1;
            return 0;
        }
    }
    return -1;
}

static int read_variable(const struct place *p, struct err *e)
{
    const char *name = p->option->env;
    const char *text = name ? getenv(name) : NULL;
    if (!text || !*text) {
        return 0;
    }
    if (p->option->type == CLI_FLAG) {
        return read_switch(text, (bool *)(void *)p->value) == 0
                   ? 0
                   : err_set(e, ERR_USAGE, "%s: '%s' is neither 0 nor 1", name, text);
    }
    return give(p, name, text, e);
}

static int read_environment(const struct parse *p, struct err *e)
{
    for (int t = 0; t < CLI_TABLES_MAX; t++) {
        const struct cli_table *table = &p->program->tables[t];
        for (size_t i = 0; i < table->count; i++) {
            struct place place = place_of(p, table, &table->options[i]);
            if (read_variable(&place, e) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* ---- arguments ---- */

/* There is no option SHOWN, whose NAME may be a slip of the pen. */
static int unknown_option(const struct cli_program *p, const char *shown, struct span name,
                          struct err *e)
{
    struct near n = near_to_part(name);
    for (int t = 0; t < CLI_TABLES_MAX; t++) {
        for (size_t i = 0; i < p->tables[t].count; i++) {
            near_offer(&n, span_text(p->tables[t].options[i].name));
        }
    }
    near_offer(&n, SPAN_LIT("help"));
    near_offer(&n, SPAN_LIT("version"));
    return n.best.len > 0 ? err_set(e, ERR_USAGE, "unknown option '%s'; did you mean '--%.*s'?",
                                    shown, (int)n.best.len, n.best.at)
                          : err_set(e, ERR_USAGE, "unknown option '%s'", shown);
}

static int take_long(struct parse *p, const char *arg, struct err *e)
{
    const char *equals = strchr(arg + 2, '=');
    struct span name = span_of(arg + 2, equals ? (size_t)(equals - arg - 2) : strlen(arg + 2));
    struct place place = find(p, 0, name);
    char shown[ERR_TEXT_MAX];
    snprintf(shown, sizeof shown, "--%.*s",
             (int)(name.len < ERR_TEXT_MAX ? name.len : ERR_TEXT_MAX), name.at);
    if (!place.option) {
        return unknown_option(p->program, shown, name, e);
    }
    if (place.option->type == CLI_FLAG) {
        return equals ? err_set(e, ERR_USAGE, "%s takes no argument", shown)
                      : give(&place, shown, "", e);
    }
    if (equals || place.option->implied) {
        return give(&place, shown, equals ? equals + 1 : place.option->implied, e);
    }
    if (p->at == p->argc) {
        return err_set(e, ERR_USAGE, "%s needs an argument: %s", shown, place.option->argument);
    }
    return give(&place, shown, p->argv[p->at++], e);
}

/* One argument of grouped letters: -kv, -n5, -n 5. */
static int take_letters(struct parse *p, const char *arg, struct err *e)
{
    struct span word =
        span_text(strlen(arg) > 3 ? arg + 1 : ""); /* perhaps only a dash is missing */
    for (const char *letter = arg + 1; *letter; letter++) {
        struct place place = find(p, *letter, (struct span){0});
        char shown[3] = {'-', *letter, '\0'};
        if (!place.option) {
            return unknown_option(p->program, shown, word, e);
        }
        if (place.option->type == CLI_FLAG) {
            if (give(&place, shown, "", e) < 0) {
                return -1;
            }
            continue;
        }
        if (letter[1]) {
            return give(&place, shown, letter + 1, e);
        }
        if (p->at == p->argc) {
            return err_set(e, ERR_USAGE, "%s needs an argument: %s", shown, place.option->argument);
        }
        return give(&place, shown, p->argv[p->at++], e);
    }
    return 0;
}

/* Answer --help, --version and --completion, wherever they stand; CLI_RUN for anything else. */
static int answer(const struct cli_program *p, const char *arg)
{
    if (strcmp(arg, "--help") == 0) {
        show_help(p);
    } else if (strcmp(arg, "--version") == 0) {
        printf("%s (fanline) %s\n", p->name, FANLINE_VERSION);
    } else if (strncmp(arg, "--completion=", 13) == 0) {
        if (show_completion(p, arg + 13) < 0) {
            return CLI_RUN;
        }
    } else {
        return CLI_RUN;
    }
    struct err e = {0};
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        err_system(&e, errno ? errno : EIO, "cannot write standard output");
    }
    return cli_fail(p, &e);
}

/* Read all arguments; operands move to the front of argv from index 1 on. */
static int read_arguments(struct parse *p, struct cli_operands *operands, struct err *e)
{
    int kept = p->at;
    bool only_operands = false;
    while (p->at < p->argc) {
        char *arg = p->argv[p->at++];
        if (only_operands || arg[0] != '-' || !arg[1]) {
            p->argv[kept++] = arg;
            only_operands = only_operands || p->program->stop_at_operand;
        } else if (strcmp(arg, "--") == 0) {
            only_operands = true;
        } else {
            int status = answer(p->program, arg);
            if (status != CLI_RUN) {
                return status;
            }
            if ((arg[1] == '-' ? take_long(p, arg, e) : take_letters(p, arg, e)) < 0) {
                return CLI_RUN;
            }
        }
    }
    p->argv[kept] = NULL; /* so that the operands can be handed to exec */
    operands->at = p->argv + 1;
    operands->count = kept > 0 ? kept - 1 : 0;
    if (p->program->max_operands >= 0 && operands->count > p->program->max_operands) {
        err_set(e, ERR_USAGE, "unexpected operand '%s'", p->argv[p->program->max_operands + 1]);
    }
    for (int i = 0; p->program->texts && i < operands->count && e->code == ERR_NONE; i++) {
        check_utf8(operands->at[i], e);
    }
    return CLI_RUN;
}

/*
 * A descriptor that was closed by the caller would be taken by the first file we open.  Reading
 * from it still fails, and so does writing to standard output: what is put there must not be lost
 * in silence.
 */
static void open_missing_descriptors(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", modes[fd]);
        }
    }
}

/*
 * A file that may not grow (ulimit -f) is a write that fails, with a message and whatever else is
 * done about it, and not the death of the process.  Commands start with the default again.
 */
static void outlive_size_limits(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

int cli_parse(const struct cli_program *program, void *options, int argc, char **argv,
              struct cli_operands *operands)
{
    open_missing_descriptors();
    outlive_size_limits();
    struct parse p = {
        .program = program, .options = options, .argv = argv, .argc = argc, .at = argc > 0};
    struct err e = {0};
    int status = CLI_RUN;
    if (read_environment(&p, &e) == 0) {
        status = read_arguments(&p, operands, &e);
    }
    if (status == CLI_RUN && e.code == ERR_NONE) {
        files_check(program, options, operands, &e);
    }
    return e.code ? cli_fail(program, &e) : status;
}

void cli_list_release(struct cli_list *list)
{
    free(list->items);
    *list = (struct cli_list){0};
}

/* ---- messages ---- */

/* Show the expression at fault with a caret under the place; columns count characters. */
static void show_quote(const struct err *e)
{
    if (!e->quote[0] || !isatty(STDERR_FILENO)) {
        return;
    }
    fprintf(stderr, "  %s\n  %*s\n", e->quote, (int)err_character(e->quote, e->quote_at), "^");
}

void cli_complain(const struct cli_program *p, const struct err *e)
{
    char text[ERR_TEXT_MAX + ERR_SOURCE_MAX + 128];
    fprintf(stderr, "%s: %s\n", p->name, err_message(e, text, sizeof text));
    show_quote(e);
}

void cli_warn(const struct cli_program *p, const char *format, ...)
{
    struct err e = {0};
    va_list args;
    va_start(args, format);
    err_set_list(&e, ERR_DATA, format, args);
    va_end(args);
    cli_complain(p, &e);
}

void cli_note(struct span text)
{
    fwrite(text.at, 1, text.len, stderr);
    fputc('\n', stderr);
}

int cli_status(enum err_code code)
{
    static const int status[] = {
        [ERR_NONE] = 0,      [ERR_DATA] = 1,   [ERR_IO] = 1,        [ERR_USAGE] = 2,
        [ERR_FAILED] = 4,    [ERR_LATER] = 75, [ERR_EXPIRED] = 124, [ERR_NO_EXEC] = 126,
        [ERR_NO_FILE] = 127, [ERR_PIPE] = 1,
    };
    return status[code];
}

/* Nobody reads our output: end as any filter does, also where SIGPIPE was ignored. */
static void die_of_pipe(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(SIGPIPE);
}

int cli_fail(const struct cli_program *p, const struct err *e)
{
    if (e->code == ERR_PIPE) {
        die_of_pipe();
    } else if (e->code == ERR_USAGE) {
        cli_complain(p, e);
        fprintf(stderr, "%s: see '%s --help'\n", p->name, p->name);
    } else if (e->code != ERR_NONE) {
        cli_complain(p, e);
    }
    return cli_status(e->code);
}
