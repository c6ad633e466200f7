/*
 * scratch.h: where unit tests put their files.
 *
 * In $TMPDIR, which tests/run-unit makes for each program and takes away, so that a test which
 * crashes leaves nothing behind.
 */
#ifndef FANLINE_TEST_SCRATCH_H
#define FANLINE_TEST_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

#define SCRATCH_MAX 90 /* a socket in it has a name too */

/* A name for mkstemp and mkdtemp into OUT, which is returned. */
static inline char *scratch_name(char out[SCRATCH_MAX])
{
    const char *folder = getenv("TMPDIR");
    snprintf(out, SCRATCH_MAX, "%s/fanline-unit.XXXXXX", folder ? folder : "/tmp");
    return out;
}

#endif
