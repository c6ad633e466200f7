/*
 * script.h: a Lua script that runs inside the server.
 *
 * Floor: services.
 */
#ifndef FANLINE_REDIS_SCRIPT_H
#define FANLINE_REDIS_SCRIPT_H

#include "base/buf.h"

#include <stddef.h>

#define SCRIPT_HASH_MAX 129 /* hex digits with the NUL */

/* Owns its text; zero-initialised it is legal to release. */
struct script {
    struct buf text;
    char hash[SCRIPT_HASH_MAX]; /* by which the server knows it; empty where SHA-1 is forbidden */
};

/* The script whose text is that of PARTS, up to a NULL, one behind the other. */
void script_init(struct script *s, const char *const *parts);

void script_release(struct script *s);

#endif
