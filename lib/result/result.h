/*
 * result.h: the face of the room: records in, results out.
 *
 * Either the output of the Map state goes to a writer (output.h), or the records go to files in a
 * folder (files.h).  Then it is judged: did as many items come as expected, and did no more fail
 * than is tolerated? Memory is bounded by the largest record, and about two bits for each.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RESULT_RESULT_H
#define FANLINE_RESULT_RESULT_H

#include "base/err.h"
#include "base/tolerance.h"
#include "io/writer.h"
#include "result/files.h"
#include "result/output.h"
#include "json/lines.h"

#include <stdint.h>

/* All texts are borrowed. */
struct result_options {
    const char *dest;     /* the folder for the files; NULL: the output goes to the writer */
    const char *run_name; /* NULL: that of the first record, else a UUID */
    const char *expect;   /* how many items: see expect.h; NULL: any number */
    const char *temp;     /* folder for temporary files */
    enum output_wrap wrap;
    enum files_form form;
    struct tolerance tolerance; /* counted in executions (reference/distributed-map.md 1.7) */
};

struct result_summary {
    uint64_t lines;     /* written to OUT */
    struct err verdict; /* ERR_FAILED: all is written, but more failed than is tolerated */
};

/* Are the folder and the name of the run fit for files?  0, or -1 with E filled (ERR_USAGE). */
int result_check(const struct result_options *o, struct err *e);

/*
 * Read all records of IN and write the results.  A line that is no record is refused by
 * lines_refuse.  An execution that comes again is refused too, but does not end the run: it is told
 * to the report of IN's rules, and counts as rejected.  Returns 0 with S filled, or -1 with E
 * filled: then there is no manifest, and the document in OUT has no end.
 */
int result_run(struct lines_in *in, const struct result_options *o, struct writer *out,
               struct result_summary *s, struct err *e);

#endif
