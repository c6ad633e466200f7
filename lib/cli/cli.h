/*
 * cli.h: what a program says to people and hears from them.
 *
 * Each program states its options once, as a table.  The table feeds parsing,
 * --help, the completions of three shells, and the check that the manual page names the same
 * options; so they cannot drift apart.  Only cmd/ includes this room: here, and
 * nowhere below, things are printed, environment is read and exit statuses are decided.
 *
 * Floor: programs.
 */
#ifndef FANLINE_CLI_CLI_H
#define FANLINE_CLI_CLI_H

#include "base/err.h"
#include "base/near.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_type {
    CLI_FLAG,     /* bool: takes no argument */
    CLI_TEXT,     /* const char *: the argument as it is; borrowed from argv or the environment */
    CLI_INTEGER,  /* int64_t within min and max */
    CLI_SIZE,     /* uint64_t bytes: 64k, 1MiB */
    CLI_DURATION, /* int64_t nanoseconds: 10s, 5 min; "never" is -1 where `never` allows it */
    CLI_PERCENT,  /* int64_t millionths of a percent */
    CLI_CHOICE,   /* int: index in `choices` */
    CLI_LIST      /* struct cli_list: may be given several times */
};

/* What the argument of an option is where it is a file. */
enum cli_file {
    CLI_NO_FILE,
    CLI_READS,    /* the name of a file that is read */
    CLI_READS_AT, /* the same where it begins with '@' */
    CLI_WRITES,   /* the name of a file that is made, replaced or added to */
    CLI_FOLDERS,  /* the name of a folder, or of a place in an object store */
    CLI_STORES    /* the URL of a store, which may be such a file: sqlite:FILE */
};

struct cli_list {
    const char **items; /* borrowed texts; the array is freed by cli_list_release */
    size_t count;
    size_t cap;
};

/* One option. Fields that do not matter for the type stay zero. */
struct cli_option {
    char letter;          /* 0: only the long form */
    const char *name;     /* long form, without dashes */
    const char *argument; /* what --help calls the argument: "N", "FILE"; NULL for flags */
    enum cli_type type;
    size_t offset;              /* of the variable within the options struct */
    const char *help;           /* one line, at most 60 columns */
    const char *env;            /* environment variable with the same meaning, NULL for none */
    const char *const *choices; /* NULL-terminated */
    int64_t min, max;           /* CLI_INTEGER: both 0 means 0 to INT64_MAX */
    bool never;                 /* CLI_DURATION: "never" is taken, as -1 */
    const char *implied;        /* the argument may be left out, and is this then; else =ARG */
    size_t given_offset;        /* of a bool that is set when the option was given; 0: none */
    enum cli_file file;         /* CLI_TEXT, CLI_LIST */
    bool dash;  /* "-" has a meaning as the argument; else it is refused where that is a name */
    bool bytes; /* CLI_TEXT, CLI_LIST: the argument need not be UTF-8, nor need a file's name */
};

/* A table of options, and where in the options struct its variables live. */
struct cli_table {
    const struct cli_option *options;
    size_t count;
    size_t offset; /* added to each option's offset */
};

#define CLI_TABLES_MAX 4

struct cli_program {
    const char *name;    /* "batcher" */
    const char *summary; /* "group items into batches": for --help and `fanline` alone */
    const char *usage;   /* operands: "[SOURCE...]", "[--] COMMAND [ARG...]", "" for none */
    const char *example; /* a line or two shown at the end of --help */
    struct cli_table tables[CLI_TABLES_MAX]; /* ends at the first empty one */
    bool stop_at_operand; /* runners: what follows the first operand is not ours */
    bool texts;           /* operands are texts: names of signals, expressions; in UTF-8 */
    bool sources;         /* operands are files that are read instead of standard input */
    int max_operands;     /* -1: any number */
};

/* The operands, borrowed from argv, which is reordered so that they stand in one piece. */
struct cli_operands {
    char **at;
    int count;
};

#define CLI_RUN (-1)

/*
 * Read environment, then ARGV, into the options struct at OPTIONS, which holds the defaults.
 * Answers --help, --version and --completion=SHELL itself.  Returns CLI_RUN to go on, or the exit
 * status to end with (messages have been printed).  Also makes sure that descriptors 0 to 2 are
 * open, and that nothing is written over what is read or written as well (cli/files.h).
 */
int cli_parse(const struct cli_program *p, void *options, int argc, char **argv,
              struct cli_operands *operands);

void cli_list_release(struct cli_list *list);

/*
 * Fill E (ERR_USAGE) and return -1: there is no WHAT ("command") of the name that N is about, to
 * which the names that there are have been offered.
 */
int cli_unknown(struct err *e, const char *what, const struct near *n);

/* "NAME: MESSAGE" on standard error. */
void cli_complain(const struct cli_program *p, const struct err *e);
void cli_warn(const struct cli_program *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Write TEXT, and an LF, to standard error as it is. */
void cli_note(struct span text);

/*
 * Print E if it is set and return the exit status for its code.  ERR_PIPE prints nothing and dies
 * of SIGPIPE. Use it for usage errors found after parsing too.
 */
int cli_fail(const struct cli_program *p, const struct err *e);

/* The exit status for CODE (product: "Exit status"). */
int cli_status(enum err_code code);

#endif
