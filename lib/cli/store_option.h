/*
 * store_option.h: which store: the option that notify, wait and their like share.
 *
 * In this order: --store=URL, FANLINE_STORE, the first line of the file that FANLINE_STORE_FILE
 * names (for URLs with a password: neither ps nor the environment shows them), and else the
 * file fanline/store.db in $XDG_STATE_HOME, by default ~/.local/state, whose folders
 * are made, for their owner alone.
 *
 * Floor: programs.
 */
#ifndef FANLINE_CLI_STORE_OPTION_H
#define FANLINE_CLI_STORE_OPTION_H

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/stream.h"
#include "store/store.h"

struct cli_store {
    const char *url; /* NULL: not given */
};

#define CLI_STORE_COUNT 1

extern const struct cli_option cli_store_options[], cli_redis_options[];

/* For the tables of a program whose options struct is STRUCT with a member `store`. */
#define CLI_STORE_TABLE(STRUCT)                                                                    \
    {                                                                                              \
        cli_store_options, CLI_STORE_COUNT, offsetof(STRUCT, store)                                \
    }

/* The same for programs that need a Redis. */
#define CLI_REDIS_TABLE(STRUCT)                                                                    \
    {                                                                                              \
        cli_redis_options, CLI_STORE_COUNT, offsetof(STRUCT, store)                                \
    }

/*
 * The URL that is named, or that of our own file, into URL, which the caller wipes if it may hold a
 * password.  0, or -1 with E filled.
 */
int cli_store_url(struct buf *url, const struct cli_store *o, struct err *e);

/*
 * Open the store; with -v, as STREAM has it, say which, without its password; unless with -q say
 * what there endangers signals, when it is first reached.  0 and *OUT, which store_close closes; -1
 * with E filled.
 */
int cli_store_open(struct store **out, const struct cli_program *p, const struct cli_store *o,
                   const struct cli_stream *stream, struct err *e);

#endif
