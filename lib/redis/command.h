/*
 * command.h: a command to a Redis, under construction.
 *
 *     struct command c = {0};
 *     command_start(&c, "HGET"); command_key(&c, key); command_add_text(&c, "field");
 *     link_put(link, &c); …; command_release(&c);
 *
 * Floor: services.
 */
#ifndef FANLINE_REDIS_COMMAND_H
#define FANLINE_REDIS_COMMAND_H

#include "base/buf.h"
#include "base/span.h"

#include <stddef.h>
#include <stdint.h>

#define COMMAND_NO_SLOT (-1)
#define SLOTS           16384 /* of a cluster */

/* Owns its memory; zero-initialised it is legal to release. */
struct command {
    struct buf body;
    size_t count; /* of its words */
    int slot;     /* of its first key, COMMAND_NO_SLOT if it has none */
};

/* Begin anew, keeping the memory. */
void command_start(struct command *c, const char *name);

void command_add(struct command *c, struct span word);
void command_add_text(struct command *c, const char *word);
void command_add_number(struct command *c, int64_t number);

/* Add a word that names a key: in a cluster the first one decides which server is asked. */
void command_key(struct command *c, struct span key);

void command_release(struct command *c);

/*
 * The slot of KEY in a cluster: of what stands between its first '{' and the next '}', if that is
 * not empty, else of all of it (Redis cluster specification; reference/wait-notify.md 6.2).
 */
int slot_of(struct span key);

#endif
