/*
 * journal.h: what has ended, kept on disk, so that a run can be taken up again.
 *
 * The journal is a file of JSON lines: one for each start of a run, with the command, the run's
 * name and who ran it, and one for each item that ended well or badly, with its record.  An item
 * is known by its bytes and by how many of the same bytes came before it.
 *
 * Lines are written in the order of the ends and made durable in groups (syncer.h); a record
 * leaves the runner only when its line is durable.  So what follows the runner never knows of a
 * success that a rerun would repeat.
 *
 * The file is locked while a run uses it.  A last line that is torn, by a crash, is cut off.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_JOURNAL_H
#define FANLINE_RUN_JOURNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"
#include "run/ledger.h"
#include "run/outcome.h"
#include "run/syncer.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stdint.h>

struct journal {
    int fd;
    const char *file;      /* borrowed */
    struct ledger counts;  /* items of this run so far, by their bytes */
    struct ledger ends;    /* where the line of a success begins, plus 1, by item and occurrence */
    struct buf run_name;   /* of the first run that used the journal; a C string */
    struct buf command;    /* of the last one: a digest in hexadecimal */
    struct buf line;       /* a line read back */
    struct writer lines;   /* ends, not written yet */
    struct writer waiting; /* records of these ends, not durable yet */
    struct buf leaving;    /* records whose ends are being made durable */
    struct syncer syncer;
};

/*
 * Open FILE, made if it is not there, lock it, and read what has ended.  COMMAND is what the
 * command is known by; if it is another than that of the last run, that is an error unless
 * FORCE.  RUN_NAME, if not NULL, is the name of this run; otherwise that of the first run is taken
 * up, or FRESH.  The name is in J->run_name then.  Returns 0, or -1 with E filled: ERR_LATER:
 * another run uses it; ERR_USAGE: another command; ERR_DATA: it is no journal; ERR_IO.
 */
int journal_open(struct journal *j, const char *file, struct span command, bool force,
                 const char *run_name, const char *fresh, struct err *e);

/* The key of ITEM, which has come; each call counts an occurrence. */
struct ledger_key journal_key(struct journal *j, struct span item);

/*
 * Has the item of KEY succeeded?  Returns 1 with its record, good until the next call, in *RECORD;
 * 0 if it has not; -1 with E filled.
 */
int journal_find(struct journal *j, struct ledger_key key, struct span *record, struct err *e);

/* The item of KEY has ended as O says: write it down. */
void journal_put(struct journal *j, struct ledger_key key, const struct outcome *o,
                 const struct outcome_names *names, struct scan *s);

/*
 * Go on: what is durable now goes to OUT, and is committed; what has ended meanwhile is begun to be
 * made durable.  Never waits.  Returns 0, or -1 with E filled.
 */
int journal_pump(struct journal *j, struct writer *out, struct err *e);

/* Bytes of records that are not durable yet. */
size_t journal_backlog(const struct journal *j);

/* Legal on a zeroed J. */
void journal_close(struct journal *j);

#endif
