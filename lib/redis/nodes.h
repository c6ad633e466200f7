/*
 * nodes.h: the servers behind a `struct server`, and which of them has what.
 *
 * Inside the room redis only.
 *
 * Floor: services.
 */
#ifndef FANLINE_REDIS_NODES_H
#define FANLINE_REDIS_NODES_H

#include "redis/server.h"

#include <stdbool.h>

enum { NODES_MAX = 1000 }; /* more than a cluster can have masters */

struct node {
    struct peer at;
    struct link *link;           /* NULL: not connected */
    const struct script **knows; /* scripts that were sent in full over this link */
    size_t known, known_cap;
    bool master;   /* of some slots, as far as we know */
    size_t *queue; /* calls whose replies are due, in order */
    size_t queued, taken, queue_cap;
};

struct server {
    struct address address;
    struct node *nodes; /* one, if it is no cluster */
    size_t count;
    bool mapped;     /* slots are known */
    uint16_t *slots; /* of a cluster: slot -> index of its node */
    int stop;
    void (*tell)(void *context, const char *text);
    void *tell_context;
    bool surveyed; /* the configuration was looked at */
};

/* Find out who is who, if that is not known. 0, or -1 with E filled. */
int nodes_map(struct server *s, struct err *e);

/* The index of the node that has SLOT (COMMAND_NO_SLOT: any); the map must be there. */
size_t nodes_of_slot(const struct server *s, int slot);

/* The index of the node at AT, which is added if it is new. */
size_t nodes_find(struct server *s, const struct peer *at);

/* SLOT belongs to node N. */
void nodes_move(struct server *s, int slot, size_t n);

/* Connect node N, if it is not. 0, or -1 with E filled. */
int nodes_connect(struct server *s, size_t n, struct err *e);

/* Node N has failed: forget its link, and who is who. */
void nodes_lost(struct server *s, size_t n);

/* How a link to node N is opened; borrows from S. */
struct link_plan nodes_plan(const struct server *s, size_t n);

/* Free all of them. */
void nodes_release(struct server *s);

/*
 * Look at the configuration of the server behind L and tell what endangers data.  Returns 0, or -1
 * with E filled: L is broken.
 */
int survey(struct server *s, struct link *l, struct err *e);

#endif
