/*
 * tunnel.h: the client of a tunnel; the face of the room.
 *
 * It connects under an id of its own that nobody had before, gets channels, reads them, delivers
 * batches, writes checkpoints, and gives channels up when it is asked to (reference/tunnel.md).
 * Single-threaded; nothing that it waits for, a slow command or a full pipe, holds up the
 * heartbeats, which have a connection of their own.
 *
 * A batch is delivered when COMMAND has read it and ended with status 0 (one that stays: when it
 * has answered every line with a line), and what it printed has been taken; without COMMAND, when
 * the lines have been written.  Then, and only then, its token may go into a checkpoint: at least
 * once.  With `to` the output, and the checkpoint, are one call: exactly once.
 *
 * What a client may still do is decided by its own clock, from the moment at which the last
 * answered heartbeat was *sent* (reference/tunnel.md 6.3): when the lease is over it stops its
 * commands, forgets what they printed, and connects anew.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_TUNNEL_H
#define FANLINE_TUNNEL_TUNNEL_H

#include "io/writer.h"
#include "object/object.h"
#include "tunnel/service.h"

#include <stdbool.h>
#include <stdint.h>

/* What becomes of a record that cannot be delivered. */
enum poison {
    POISON_STOP, /* the channel is given up, and tried again after a while */
    POISON_DLQ,  /* the record goes to the tunnel's dead letters */
    POISON_SKIP  /* the record is passed over, with a message */
};

/* All borrowed. Times in nanoseconds. */
struct tunnel_rules {
    const char *name; /* of the tunnel */
    const char *tag;
    int64_t interval, timeout; /* of heartbeats */
    int64_t checkpoint_interval;
    int64_t close_limit; /* after which a channel that is not given up is taken away */
    int64_t max_channels;
    size_t batch;                  /* records */
    size_t jobs;                   /* commands at a time */
    const char *const *command;    /* NULL: lines are written to OUT */
    const char *const *envp;       /* for commands */
    bool workers;                  /* commands stay, and answer each line with one */
    const char *to;                /* stream for outputs; NULL: OUT */
    struct object_client *objects; /* for base channels in buckets; NULL: not here */
    enum poison poison;
    int64_t attempts;
    const char *on_open, *on_shutdown; /* shell commands; NULL: none */
    bool drain;                        /* end when nothing is left to read */
    struct writer *out;
    struct writer *messages;                       /* what commands complain of; held */
    void (*tell)(void *context, const char *text); /* something for people; may be NULL */
    void *context;
};

struct tunnel_report {
    int signal;         /* that asked for the end twice; 0: none */
    uint64_t records;   /* delivered */
    uint64_t set_aside; /* dead letters, and skipped ones */
};

/*
 * Serve the tunnel until a signal asks for the end, or all its channels are TERMINATED.  Whatever
 * passes (a Redis that is down, an expired lease) is survived.  Returns 0, or -1 with E
 * filled: no such tunnel, wrong parameters, output that cannot be written.
 */
int tunnel_serve(struct service *s, const struct tunnel_rules *rules, struct tunnel_report *report,
                 struct err *e);

#endif
