/*
 * documents.h: the options for the documents that paths lead into besides the item.
 *
 * A filter puts `struct cli_documents documents` into its options struct, adds CLI_DOCUMENTS_TABLE
 * to its tables, and gets --input and --context with the same meaning everywhere.  They are read
 * with bound_load and bound_context (expr/bound.h).
 *
 * Floor: programs. Only cmd/ includes it.
 */
#ifndef FANLINE_CLI_DOCUMENTS_H
#define FANLINE_CLI_DOCUMENTS_H

#include "cli/cli.h"

/* Names of files; NULL where none was given. */
struct cli_documents {
    const char *input;   /* $Input */
    const char *context; /* $Context */
};

#define CLI_DOCUMENTS_COUNT 2
extern const struct cli_option cli_documents_options[];

/* For the tables of a program whose options struct is STRUCT with a member `documents`. */
#define CLI_DOCUMENTS_TABLE(STRUCT)                                                                \
    {                                                                                              \
        cli_documents_options, CLI_DOCUMENTS_COUNT, offsetof(STRUCT, documents)                    \
    }

#endif
