/*
 * stop.h: TERM, INT and HUP end the reading of a stream, not the process.
 *
 * For filters that have something to clear away which would stay behind, as uploads in a bucket do:
 * waiting for input then fails, they clear away, and die of the signal.
 *
 *     cli_stop_open(&stop, &io, &e);          … lines_next fails, or cli_stop_look does …
 *     if (cli_stop_close(&stop)) …            signals_die(that)
 *
 * From when the signal was seen on, another one ends the process at once.
 *
 * Floor: programs. Only cmd/ includes it.
 */
#ifndef FANLINE_CLI_STOP_H
#define FANLINE_CLI_STOP_H

#include "cli/stream.h"
#include "proc/signals.h"

struct cli_stop {
    struct signals signals;
    struct cli_stream_io *io;
    int number; /* of the signal that came; 0: none yet */
};

/* Listen from now on, whenever IO's reader waits.  IO must stay.  0, or -1 with E filled. */
int cli_stop_open(struct cli_stop *s, struct cli_stream_io *io, struct err *e);

/* Has one come?  0, or -1 with E filled (ERR_IO): stop.  A system call: not for each line. */
int cli_stop_look(struct cli_stop *s, struct err *e);

/* Listen no more. Returns the number of the signal that came, or 0. */
int cli_stop_close(struct cli_stop *s);

#endif
