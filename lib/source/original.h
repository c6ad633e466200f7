/*
 * original.h: the file of --original, one line that says what was split.
 *
 * {"fragment.identifier":ID,"fragment.count":N}, and before these two the members of the input
 * document where it is an object and its items lie somewhere in it.  The document's reader puts
 * those into the file as they pass; the line is finished, and the file appears, only when the split
 * is complete.
 *
 * Floor: engines, within lib/source. Owns the unfinished file.
 */
#ifndef FANLINE_SOURCE_ORIGINAL_H
#define FANLINE_SOURCE_ORIGINAL_H

#include "base/err.h"
#include "base/span.h"
#include "io/outfile.h"

#include <stdbool.h>
#include <stdint.h>

struct original {
    struct outfile file;
    bool open;    /* "{" has been put */
    bool members; /* there are members behind it */
};

/* Put the beginning of the object. */
void original_begin(struct original *o);

/* Put the comma that a further member needs, and note that there is one. */
void original_member(struct original *o);

/*
 * The split is complete with COUNT items: finish the line and put the file in its place. IDENTIFIER
 * is a JSON string.  With MARK an end mark follows that counts this one line.  0, or -1 with E
 * filled.
 */
int original_finish(struct original *o, struct span identifier, uint64_t count, bool mark,
                    struct err *e);

#endif
