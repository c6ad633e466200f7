/*
 * format_option.h: in which form a program that shows lists shows them: signalctl, tunnelctl.
 *
 * A program puts `struct cli_format format` into its options struct and adds CLI_FORMAT_TABLE to
 * its tables.
 *
 * Floor: programs. Only cmd/ includes it.
 */
#ifndef FANLINE_CLI_FORMAT_OPTION_H
#define FANLINE_CLI_FORMAT_OPTION_H

#include "cli/cli.h"

struct cli_format {
    int form;
    bool given;
};

#define CLI_FORMAT_COUNT 1
extern const struct cli_option cli_format_options[];

/* For the tables of a program whose options struct is STRUCT with a member `format`. */
#define CLI_FORMAT_TABLE(STRUCT)                                                                   \
    {                                                                                              \
        cli_format_options, CLI_FORMAT_COUNT, offsetof(STRUCT, format)                             \
    }

/* A table, and not JSON lines?  Where nothing else is said, what goes to a terminal is one. */
bool cli_format_is_table(const struct cli_format *f);

#endif
