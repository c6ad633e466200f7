/*
 * nifi_option.h: the options of those that can do as NiFi does: notify and wait.
 *
 * A filter puts `struct cli_nifi nifi` into its options struct and adds CLI_NIFI_TABLE to its
 * tables.
 *
 * Floor: programs. Only cmd/ includes it.
 */
#ifndef FANLINE_CLI_NIFI_OPTION_H
#define FANLINE_CLI_NIFI_OPTION_H

#include "cli/cli.h"

struct cli_nifi {
    bool on;
    int64_t triggers; /* 0: until the end of the input */
    const char *left; /* the name of a file; NULL: none */
};

#define CLI_NIFI_COUNT 3
extern const struct cli_option cli_nifi_options[];

/* For the tables of a program whose options struct is STRUCT with a member `nifi`. */
#define CLI_NIFI_TABLE(STRUCT)                                                                     \
    {                                                                                              \
        cli_nifi_options, CLI_NIFI_COUNT, offsetof(STRUCT, nifi)                                   \
    }

/*
 * Is there anything that has no effect: without --nifi, or where no LINES are read?  Returns 0, or
 * -1 with E.
 */
int cli_nifi_check(const struct cli_nifi *n, bool lines, struct err *e);

#endif
