/* mapflow: run a definition as it is written. */
#include "cli/cli.h"

#include "flow/check.h"
#include "io/writer.h"

#include <string.h>
#include <unistd.h>

struct options {
    int format;
};

enum { FORMAT_TEXT, FORMAT_JSON };

static const char *const format_names[] = {"text", "json", NULL};

static const struct cli_option option_table[] = {
    {.letter = 'f',
     .name = "format",
     .argument = "FORMAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, format),
     .choices = format_names,
     .help = "check: faults as lines of text (default) or of json"},
};

static const struct cli_program program = {
    .name = "mapflow",
    .summary = "Check a flow definition",
    .usage = "check DEF",
    .example = "  mapflow check flow.yaml",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0}},
    .max_operands = 2,
};

/* ---- check ---- */

static int put_faults(const struct options *o, const char *file, struct faults *f, struct err *e)
{
    struct writer out;
    struct buf line = {0};
    writer_init(&out, STDOUT_FILENO, "standard output");
    faults_sort(f);
    for (size_t i = 0; i < f->count; i++) {
        buf_reset(&line);
        (o->format == FORMAT_JSON ? fault_json : fault_text)(&f->at[i], file, &line);
        writer_put_span(&out, buf_span(&line));
        writer_commit(&out);
    }
    int rc = writer_flush(&out, e);
    buf_release(&line);
    writer_release(&out);
    return rc;
}

static int run_check(const struct options *o, const char *file)
{
    struct err e = {0};
    struct buf text = {0};
    struct faults faults = {0};
    struct flow_tree tree = {0};
    int rc = flow_tree_load(&text, file, &e);
    if (rc == 0 && flow_tree_read(&tree, buf_span(&text), &faults) == 0) {
        check_definition(tree.root, &faults);
    }
    rc = rc == 0 ? put_faults(o, file, &faults, &e) : rc;
    int status = rc < 0 ? cli_fail(&program, &e) : faults.count > 0 ? cli_status(ERR_USAGE) : 0;
    flow_tree_release(&tree);
    faults_release(&faults);
    buf_release(&text);
    return status;
}

/* ---- which command ---- */

struct command_form {
    const char *name;
    int (*run)(const struct options *o, const char *file);
};

static const struct command_form commands[] = {
    {"check", run_check},
};

static const struct command_form *find_command(const struct cli_operands *operands, struct err *e)
{
    if (operands->count == 0) {
        err_set(e, ERR_USAGE, "a command is needed (see --help)");
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
    err_set(e, ERR_USAGE, "there is no command '%s'", operands->at[0]);
    return NULL;
}

int main(int argc, char **argv)
{
    struct options o = {0};
    struct cli_operands operands;
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    const struct command_form *c = find_command(&operands, &e);
    return c ? c->run(&o, operands.at[1]) : cli_fail(&program, &e);
}
