/*
 * fault.h: what is wrong with a definition, all of it.
 *
 * Reading and checking do not stop at the first fault: whoever writes a definition wants to see
 * them together, in the order in which they stand in the file.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_FAULT_H
#define FANLINE_FLOW_FAULT_H

#include "base/buf.h"
#include "base/span.h"

#include <stddef.h>
#include <stdint.h>

/* Where something stands in the text: from 1, columns counted in bytes. */
struct place_at {
    uint64_t line;
    uint64_t column;
};

struct fault {
    struct place_at at;
    char *path; /* JSON Pointer of the value concerned, "" for the whole document; owned */
    char *text; /* a sentence in lower case without a full stop; owned */
};

/* A list of faults owns them; zero-initialised it is empty. */
struct faults {
    struct fault *at;
    size_t count;
    size_t cap;
};

/* Add a fault.  PATH is copied. */
void faults_add(struct faults *f, struct place_at at, struct span path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Put them in the order of their places.  What is said twice of one place, as of a part that an
 * alias repeats, is said once.
 */
void faults_sort(struct faults *f);

/* Add F, which is of FILE, to OUT as a line for people and editors: FILE:LINE:COLUMN: TEXT. */
void fault_text(const struct fault *f, const char *file, struct buf *out);

/* The same as a line of JSON: {"File":…,"Line":N,"Column":N,"Path":…,"Message":…}. */
void fault_json(const struct fault *f, const char *file, struct buf *out);

void faults_release(struct faults *f);

#endif
