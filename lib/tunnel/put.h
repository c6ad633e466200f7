/*
 * put.h: lines into a stream.
 *
 * Lines are collected and appended in calls of some hundred.  Each call has the producer's id and
 * a number, so that one that is made again because its answer was lost appends nothing
 * twice (reference/tunnel.md 6.6).  A line's partition is that of its key; lines without
 * one go round.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_PUT_H
#define FANLINE_TUNNEL_PUT_H

#include "base/uuid.h"
#include "expr/attr.h"
#include "tunnel/parcel.h"
#include "tunnel/service.h"

#include <stdbool.h>
#include <stdint.h>

struct put_rules {
    const struct attr_template *key; /* NULL: none; borrowed */
    size_t buffer;                   /* lines in a call */
    int64_t patience;                /* how long a Redis that is down is tried */
    /* Told once of each spell of trying again; may be NULL. */
    void (*report)(void *context, const struct err *e);
    void *context;
};

struct put {
    struct service *service;
    struct put_rules rules;
    struct buf root;
    char producer[UUID_TEXT_MAX];
    int64_t partitions;
    uint64_t appended; /* lines, for certain */
    uint64_t number;   /* of calls that have been made */
    uint64_t turn;     /* of lines without a key */
    struct buf key;
    struct buf text; /* of the lines that wait */
    struct put_line {
        size_t end;
        int64_t partition;
    } * lines;
    size_t count, cap;
};

/*
 * Get ready to append to STREAM, which is made with PARTITIONS partitions if it is not there (0: it
 * must be).  0, or -1 with E filled.
 */
int put_open(struct put *p, struct service *s, const char *stream, int64_t partitions,
             const struct put_rules *rules, struct err *e);

/* Append LINE, soon. -1 with E filled: ERR_DATA where the line has no key. */
int put_line(struct put *p, struct span line, struct err *e);

/* Are there enough lines for put_send to be worth it? */
bool put_is_full(const struct put *p);

/* Append what waits. 0, or -1 with E filled. */
int put_send(struct put *p, struct err *e);

void put_close(struct put *p);

/* The partition of KEY among COUNT: the same everywhere and for ever. */
int64_t put_partition(struct span key, int64_t count);

#endif
