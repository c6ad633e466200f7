/* fanline: run a filter by name, list the filters, open their manual pages. */
#include "cli/cli.h"
#include "cli/self.h"

#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_program program = {
    .name = "fanline",
    .summary = "Run the filter NAME; without a name, list the filters",
    .usage = "[NAME [ARG...]] | help NAME",
    .example = "  $ fanline wait -x 1h my-signal",
    .stop_at_operand = true,
    .max_operands = -1,
};

struct filter {
    const char *name;
    const char *summary;
};

static const struct filter filters[] = {
#include "filters.h" /* made from the tables in cmd/ at build time */
};

static const struct filter *find_filter(const char *name)
{
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (strcmp(filters[i].name, name) == 0) {
            return &filters[i];
        }
    }
    return NULL;
}

static int unknown_filter(const char *name, struct err *e)
{
    struct near n = near_to_part(span_text(name));
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        near_offer(&n, span_text(filters[i].name));
    }
    near_offer(&n, SPAN_LIT("help"));
    return cli_unknown(e, "filter", &n);
}

static int list_filters(struct err *e)
{
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        printf("%-14s %s\n", filters[i].name, filters[i].summary);
    }
    return fflush(stdout) == 0 ? 0 : err_system(e, errno, "cannot write standard output");
}

/* Become the program NAME from FOLDER/BESIDE, if it is there. */
static void try_exec(const char *folder, const char *beside, const char *name, char **argv)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s%s", folder, beside, name);
    execv(buf_text(&path), argv);
    buf_release(&path);
}

/* Become the filter NAME: never by PATH, where another program could have its name. */
static int run_filter(const char *name, char **argv, struct err *e)
{
    char *folder = cli_own_folder();
    try_exec(folder, "", name, argv);
    int number = errno;
    if (number == ENOENT) {
        try_exec(folder, "../libexec/fanline/", name, argv);
        number = errno;
    }
    free(folder);
    return err_set(e, number == ENOENT ? ERR_NO_FILE : ERR_NO_EXEC, "cannot run %s: %s", name,
                   strerror(number));
}

/* Open the page of NAME: the one installed beside us if there is one, else the one man finds. */
static int open_page(const char *name, struct err *e)
{
    static const char *const places[] = {"../share/man/man1", "../../share/man/man1",
                                         "../../../man", NULL}; /* the last: where it was built */
    char *folder = cli_own_folder();
    struct buf path = {0};
    for (int i = 0; places[i]; i++) {
        buf_reset(&path);
        buf_printf(&path, "%s/%s/%s.1", folder, places[i], name);
        if (access(buf_text(&path), R_OK) == 0) {
            execlp("man", "man", path.at, (char *)NULL);
        }
    }
    buf_release(&path);
    free(folder);
    execlp("man", "man", "1", name, (char *)NULL);
    return err_set(e, errno == ENOENT ? ERR_NO_FILE : ERR_NO_EXEC, "cannot run man: %s",
                   strerror(errno));
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    int unused = 0;
    struct err e = {0};
    int status = cli_parse(&program, &unused, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    if (operands.count == 0) {
        list_filters(&e);
    } else if (strcmp(operands.at[0], "help") == 0) {
        const char *name = operands.count > 1 ? operands.at[1] : "fanline";
        if (strcmp(name, "fanline") == 0 || find_filter(name)) {
            open_page(name, &e);
        } else {
            unknown_filter(name, &e);
        }
    } else if (find_filter(operands.at[0])) {
        run_filter(operands.at[0], operands.at, &e);
    } else {
        unknown_filter(operands.at[0], &e);
    }
    return cli_fail(&program, &e);
}
