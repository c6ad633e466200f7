/*
 * uuid.h: names that nobody else has taken.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_UUID_H
#define FANLINE_BASE_UUID_H

#include <stddef.h>

#define UUID_TEXT_MAX 37 /* with the NUL */

/* A random UUID (version 4, RFC 9562) in lower case. Returns OUT. */
char *uuid_make(char out[UUID_TEXT_MAX]);

/* Fill AT with LEN bytes from the kernel's random source. */
void uuid_random(void *at, size_t len);

#endif
