/*
 * client.h: a client while it runs; what its parts share.
 *
 *   client.c    the loop, leases, connecting and leaving
 *   beat.c      heartbeats, and what they say of channels
 *   channel.c   the life of one channel
 *   outcome.c   what becomes of its records
 *   wire.c      the connections that channels share; checkpoints
 *   read.c      reading streams
 *   deliver.c   batches to commands or standard output, and hooks
 *   worker.c    batches to commands that stay
 *
 * Inside the room tunnel only.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_CLIENT_H
#define FANLINE_TUNNEL_CLIENT_H

#include "base/uuid.h"
#include "proc/loop.h"
#include "proc/proc.h"
#include "proc/signals.h"
#include "tunnel/base.h"
#include "tunnel/parcel.h"
#include "tunnel/state.h"
#include "tunnel/tunnel.h"

struct client;

enum { FORMER_MAX = 8 };

enum phase {
    PHASE_OPENING,   /* the opening hook is due, or runs */
    PHASE_WORKING,   /* reads and delivers */
    PHASE_ENDING,    /* the closing hook is due, or runs */
    PHASE_REPORTING, /* closed: told with the next heartbeats until the service has understood */
    PHASE_GONE
};

/* Lines that go with a checkpoint. */
struct outputs {
    struct buf text; /* each with LF */
    size_t count;
};

/* A checkpoint that was sent; kept until it is answered, and sent again if the connection breaks.
 */
struct flight {
    bool under_way;
    bool is_last; /* its token is `finished` */
    int64_t seq;
    struct token token;
    uint64_t records;
    struct outputs outputs;
    struct outputs dead; /* three lines each: record, token, error */
};

struct slot;

struct channel {
    struct client *client;
    uint64_t serial; /* never used again */
    int64_t seen;    /* the heartbeat that spoke of it last */
    char *id;
    int64_t version;
    enum connect_status connect;
    enum phase phase;
    bool silent;   /* nothing is reported: the service has it from elsewhere */
    bool opened;   /* the opening hook has run: the closing one has to */
    char why[200]; /* it failed; empty: it did not */
    bool is_stream;
    struct buf key;    /* of the partition */
    char *path, *mark; /* of a base channel */
    int64_t from, to;
    struct base_reader base;
    struct loop_source on_base;
    bool queues;   /* for a helper: others have all there may be */
    char bad[200]; /* why what lies behind the records in hand cannot be read; empty: it can */

    bool ends;         /* it has an end: */
    struct token stop; /* of the last record that is to be read */
    int64_t last;      /* how many that are, with all before; -1: not known yet */
    int64_t look_at;   /* then the end may have been reached; 0: no matter */

    struct token read;        /* where reading goes on */
    uint64_t read_count;      /* records before that, all told */
    bool reading;             /* answers are due */
    struct parcel fresh;      /* what they have brought so far */
    struct token stream_last; /* of a stream that ends: the last id that was given, */
    int64_t stream_time;      /* and the time in seconds there, before that */
    bool at_tail;             /* nothing there for now */
    bool read_all;            /* nothing will ever come */
    struct parcel batches[2]; /* the one in hand, and the one after it */

    struct slot *slot;   /* that has the records being delivered; NULL: none, or the output has */
    uint64_t written_at; /* they are delivered when so many bytes of the output are written */
    bool delivering;
    int64_t attempts; /* of the records in hand that have failed */
    int64_t retry_at;
    size_t alone; /* so many records are delivered one by one, after a failure */

    struct token done; /* behind the last record delivered */
    struct token saved;
    uint64_t done_count, saved_count;
    bool saved_last;
    int64_t seq;
    int64_t saved_at;             /* when */
    struct outputs outputs, dead; /* for the next checkpoint */
    struct flight flight;
};

enum slot_use {
    SLOT_FREE,
    SLOT_BATCH,
    SLOT_HOOK,
    SLOT_IDLE, /* a worker that has nothing to do */
    SLOT_LEFT  /* nobody wants it any more */
};

/* A place for a command. */
struct slot {
    struct client *client;
    enum slot_use use;
    struct channel *channel;
    struct child child;
    int status;       /* how it ended, as waitpid gives it */
    struct buf input; /* a copy: the batch may go before the command */
    bool is_worker;   /* it stays, and answers each line with one */
    size_t fed;       /* bytes of the input that the worker has */
    size_t wanted;    /* lines that it has to answer */
    struct buf out;
    struct buf complaint; /* the end of what it complained */
    struct loop_source on_exit, on_in, on_out, on_err;
};

/* What an answer on the data connection belongs to. */
struct due {
    enum due_what {
        DUE_LAST, /* of a read: what there was before it, */
        DUE_TIME,
        DUE_ENTRIES, /* what it finds, */
        DUE_FACTS,   /* and what there was after it */
        DUE_CHECKPOINT,
        DUE_WAKE
    } what;
    uint64_t serial; /* of the channel */
};

struct client {
    struct service *service;
    const struct tunnel_rules *rules;
    struct tunnel_report *report;
    struct buf root;    /* of the source */
    struct buf to_root; /* of the stream of outputs; empty: none */
    int64_t to_count;   /* its partitions */

    enum client_status status;
    char id[UUID_TEXT_MAX];
    char former[FORMER_MAX][UUID_TEXT_MAX]; /* ids before that, which we have given up */
    size_t former_count;
    bool stopping;    /* asked for: give everything up and go */
    int64_t asked_at; /* when we were told to stop */
    bool leave_now;   /* asked for twice */
    int64_t stop_by;  /* what is in hand by then is forgotten; 0: no limit */
    bool over;
    struct err failure; /* why, if it was not asked for */
    bool done;          /* all channels are TERMINATED */

    struct loop loop;
    struct proc proc;
    struct signals signals;
    struct loop_source on_signal, on_output, on_heart, on_data, on_ears;
    int alarm; /* a timer that ends waiting for connections */
    struct link *heart, *data, *ears;
    struct command command;

    int64_t beat_number, beat_at, beat_sent; /* beat_sent: 0 when none is under way */
    uint64_t answered;                       /* heartbeats under this id */
    int64_t lease_until;
    int64_t pause, retry_at; /* before connecting again */
    int64_t wire_pause, wire_retry_at;
    bool told_down; /* that Redis cannot be reached, or does not serve heartbeats */
    bool told_wire; /* that reading or checkpoints fail */
    bool told_stuck;

    struct channel **channels;
    size_t count, cap;
    uint64_t serials;
    struct due *dues;
    size_t due_first, due_count, due_cap;
    char ears_id[24];               /* as Redis knows the connection; empty: unknown */
    int64_t data_since, ears_since; /* an answer is due from there */
    bool listening;                 /* a blocking read is under way */
    bool wake;                      /* it has to be made anew */
    struct slot *slots;
    size_t slot_count;
    size_t helpers; /* that read objects */
    size_t turn;    /* the channel whose turn it is to hand something on */
    bool output_blocked;
    int64_t sweep_at;
};

/* ---- client.c ---- */

/* Say something to people. */
void client_tell(struct client *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* That the service does not serve us, as E says; once, until it does again. */
void client_tell_down(struct client *c, const struct err *e);

/* The client cannot go on. */
void client_fail(struct client *c, const struct err *e);

/* The lease is over, or the service does not know us: stop everything, connect anew. */
void client_lost(struct client *c, const char *why);

/* May anything still be handed on? */
bool client_has_lease(const struct client *c);

/* Connect to where the tunnel is, in little time. 0, or -1 with E filled. */
int client_dial(struct client *c, struct link **out, struct err *e);

/* ---- beat.c ---- */

void beat_send(struct client *c);

/* Returns whether there was anything to hear. */
bool beat_hear(struct client *c);

/* Throw the connection away: what it may yet say is not to be matched to the wrong call. */
void beat_drop(struct client *c);

/* ---- channel.c ---- */

/* What the service says of a channel: a list (service.lua, held). */
void channel_told(struct client *c, const struct reply *told);

/* Stop at once: what is in hand is forgotten.  Nothing is reported. */
void channel_drop(struct channel *ch);

/* Give it up, because WHY; it is reported. */
void channel_fail(struct channel *ch, const char *why);

/* Do what can be done now. Returns when there is something to do again at the latest. */
int64_t channel_step(struct channel *ch, int64_t now);

/* The channel of SERIAL; NULL: it is gone. */
struct channel *channel_of(struct client *c, uint64_t serial);

void channel_free(struct channel *ch);

/* ---- wire.c ---- */

void wire_open(struct client *c);
void wire_close(struct client *c);

/* Send what was put, take what has come. Returns whether there was anything. */
bool wire_hear(struct client *c);

/* Send the command of C; its answer is for the channel of SERIAL. */
void wire_put(struct client *c, enum due_what what, uint64_t serial);

/* Send the flight of CH. */
void wire_checkpoint(struct channel *ch);

/* Wait for what comes in channels that are at their ends. */
void wire_listen(struct client *c);

/* ---- read.c ---- */

/* Ask for more records of a stream channel. */
void read_ask(struct channel *ch);

/* R is one of the answers. 0, or -1 with E filled: Redis does not serve now. */
int read_take(struct channel *ch, enum due_what what, const struct reply *r, struct err *e);

/* No further answers will come. */
void read_forget(struct channel *ch);

/* ---- deliver.c ---- */

int deliver_open(struct client *c, struct err *e);
void deliver_close(struct client *c);

/* Hand on the records in hand. False if there is no room now. */
bool deliver_start(struct channel *ch);

/* Are records that were written to standard output through? */
void deliver_look(struct channel *ch);

/* Stop what has the records in hand. */
void deliver_stop(struct channel *ch);

/* Run the shell command TEXT as a hook of CH. False if there is no room now. */
bool deliver_hook(struct channel *ch, const char *text);

/* Commands that have ended, and what they left. Returns when to look again at the latest. */
int64_t deliver_sweep(struct client *c);

/* A place that batches may have and that is put to USE now: SLOT_IDLE or SLOT_FREE. NULL: none. */
struct slot *deliver_place(struct client *c, enum slot_use use);

/* Start COMMAND in S, which is free. 0, or -1 with E filled. */
int deliver_start_in(struct slot *s, const struct proc_command *command, struct err *e);

/* OUTPUT is what came of the records in hand of CH, which are delivered when it has been taken. */
void deliver_output(struct channel *ch, struct span output);

/* ---- worker.c ---- */

/* Hand the COUNT lines LINES of CH to a worker. False if there is no room now. */
bool worker_give(struct channel *ch, struct span lines, size_t count);

/* S takes more input. */
void worker_feed(struct slot *s);

/* S has said something. */
void worker_heard(struct slot *s);

/* ---- outcome.c ---- */

/* The records in hand have been delivered; OUTPUT is what came of them. */
void channel_delivered(struct channel *ch, struct span output);

/* The records in hand could not be delivered, because WHY. */
void channel_refused(struct channel *ch, const char *why);

/* ---- channel.c ---- */

/* The hook of CH has ended; FINE: with status 0. */
void channel_hooked(struct channel *ch, bool fine);

#endif
