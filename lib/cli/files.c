#include "cli/files.h"

#include "base/mem.h"
#include "io/outfile.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A use of a file. */
struct use {
    char what[80];    /* as people are told: "--rejects", "the source" */
    const char *name; /* NULL: a descriptor's */
    bool written;
    bool shared; /* a descriptor of the caller's: what writes to it does not replace it */
    dev_t device;
    ino_t inode; /* of the file; of its folder, if it is not there yet, */
    char *fresh; /* and this is its name in that */
};

struct uses {
    struct use *at;
    size_t count, cap;
    bool written; /* one of them */
};

/* Which file is NAME?  One that is read has to be there; false: none that could be lost. */
static bool find_named(struct use *u, const char *name)
{
    struct stat st;
    if (stat(name, &st) == 0) {
        u->device = st.st_dev;
        u->inode = st.st_ino;
        return S_ISREG(st.st_mode);
    }
    if (!u->written) {
        return false;
    }
    char *copy = mem_text(name);
    bool found = stat(dirname(copy), &st) == 0;
    free(copy);
    if (found) {
        u->device = st.st_dev;
        u->inode = st.st_ino;
        copy = mem_text(name);
        u->fresh = mem_text(basename(copy));
        free(copy);
    }
    return found;
}

static bool find_descriptor(struct use *u, int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        return false;
    }
    u->device = st.st_dev;
    u->inode = st.st_ino;
    return true;
}

static void keep(struct uses *all, const struct use *u)
{
    all->at = mem_grow(all->at, &all->cap, all->count, sizeof *all->at);
    all->at[all->count++] = *u;
    all->written = all->written || u->written;
}

static void add_file(struct uses *all, const char *what, const char *name, bool written)
{
    struct use u = {.name = name, .written = written};
    snprintf(u.what, sizeof u.what, "%s", what);
    u.shared = written && outfile_descriptor(name) >= 0;
    if (find_named(&u, name)) {
        keep(all, &u);
    }
}

static void add_descriptor(struct uses *all, const char *what, int fd)
{
    struct use u = {.written = fd != STDIN_FILENO, .shared = true};
    snprintf(u.what, sizeof u.what, "%s", what);
    if (find_descriptor(&u, fd)) {
        keep(all, &u);
    }
}

static void add_argument(struct uses *all, const struct cli_option *o, const char *text)
{
    static const char sqlite[] = "sqlite:";
    char what[80];
    snprintf(what, sizeof what, "--%s", o->name);
    if (o->file == CLI_READS || o->file == CLI_WRITES) {
        add_file(all, what, text, o->file == CLI_WRITES);
    } else if (o->file == CLI_READS_AT && text[0] == '@') {
        add_file(all, what, text + 1, false);
    } else if (o->file == CLI_STORES && strncmp(text, sqlite, sizeof sqlite - 1) == 0) {
        add_file(all, what, text + sizeof sqlite - 1, true);
    }
}

static void add_option(struct uses *all, const struct cli_option *o, const void *value)
{
    if (o->type == CLI_LIST) {
        const struct cli_list *list = value;
        for (size_t i = 0; i < list->count; i++) {
            add_argument(all, o, list->items[i]);
        }
    } else if (*(const char *const *)value) {
        add_argument(all, o, *(const char *const *)value);
    }
}

static void add_options(struct uses *all, const struct cli_program *p, const char *options)
{
    for (int t = 0; t < CLI_TABLES_MAX; t++) {
        const struct cli_table *table = &p->tables[t];
        for (size_t i = 0; i < table->count; i++) {
            const struct cli_option *o = &table->options[i];
            if (o->file != CLI_NO_FILE) {
                add_option(all, o, options + table->offset + o->offset);
            }
        }
    }
}

/* What is read as data: the operands, or standard input. */
static void add_sources(struct uses *all, const struct cli_program *p,
                        const struct cli_operands *operands)
{
    bool standard = !p->sources || operands->count == 0;
    for (int i = 0; p->sources && i < operands->count; i++) {
        bool dash = strcmp(operands->at[i], "-") == 0;
        standard = standard || dash;
        if (!dash && all->written) {
            add_file(all, "the source", operands->at[i], false);
        }
    }
    if (standard) {
        add_descriptor(all, "standard input", STDIN_FILENO);
    }
}

static bool same_file(const struct use *a, const struct use *b)
{
    return a->device == b->device && a->inode == b->inode && !a->fresh == !b->fresh &&
           (!a->fresh || strcmp(a->fresh, b->fresh) == 0);
}

/* Does the writing of A harm the use B? */
static bool harms(const struct use *a, const struct use *b)
{
    bool together = a->shared && b->shared && b->written;
    return a != b && !together && same_file(a, b);
}

static int refuse(const struct use *a, const struct use *b, struct err *e)
{
    const char *name = a->name ? a->name : b->name;
    return err_set(e, ERR_USAGE, "%s and %s are one file%s%s", a->what, b->what, name ? ": " : "",
                   name ? name : "");
}

static int compare(const struct uses *all, struct err *e)
{
    for (size_t i = 0; i < all->count; i++) {
        for (size_t k = 0; all->at[i].written && k < all->count; k++) {
            if (harms(&all->at[i], &all->at[k])) {
                return refuse(&all->at[i], &all->at[k], e);
            }
        }
    }
    return 0;
}

int files_check(const struct cli_program *p, const void *options,
                const struct cli_operands *operands, struct err *e)
{
    struct uses all = {0};
    add_options(&all, p, options);
    add_descriptor(&all, "standard output", STDOUT_FILENO);
    add_descriptor(&all, "standard error", STDERR_FILENO);
    add_sources(&all, p, operands);
    int rc = compare(&all, e);
    for (size_t i = 0; i < all.count; i++) {
        free(all.at[i].fresh);
    }
    free(all.at);
    return rc;
}
