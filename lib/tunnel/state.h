/*
 * state.h: what a client makes of what it is told; pure.
 *
 * The tables of reference/tunnel.md 1.3, 1.4 and 2.1.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_STATE_H
#define FANLINE_TUNNEL_STATE_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/* A channel, as it travels in heartbeats. */
enum channel_status { CHANNEL_OPEN, CHANNEL_CLOSING, CHANNEL_CLOSE, CHANNEL_TERMINATED };

/* What a client has of a channel that it owns. */
enum connect_status { CONNECT_WAIT, CONNECT_RUNNING, CONNECT_CLOSING, CONNECT_CLOSED };

enum connect_act {
    CONNECT_NOTHING,
    CONNECT_START,  /* run the opening hook, then read */
    CONNECT_DRAIN,  /* end after the batch in hand */
    CONNECT_END,    /* stop, run the closing hook; nothing is reported */
    CONNECT_FINISH, /* as CONNECT_END: the channel has been read to its end */
    CONNECT_REPORT  /* tell CLOSE, or TERMINATED if it is finished, with the next version */
};

struct connect_step {
    enum connect_status next;
    enum connect_act act;
};

/* TOLD of a channel whose connect is NOW; FINISHED: it has been read to its end. */
struct connect_step connect_told(enum connect_status now, enum channel_status told, bool finished);

/* Is what the service says to be taken, or is it older than what is known here? */
bool channel_takes_told(int64_t known, int64_t told);

/* The status that WORD names; -1: none that travels. */
int channel_status_of(struct span word);

/* A client. */
enum client_status { CLIENT_READY, CLIENT_STARTED, CLIENT_ENDED, CLIENT_HALT };

enum client_event {
    CLIENT_CONNECTED, /* the service has let it in */
    CLIENT_LOST,      /* its lease has run out, or the service does not know it any more */
    CLIENT_AGAIN,     /* it tries anew */
    CLIENT_STOP       /* it was asked to end, or cannot go on: for good */
};

/* What EVENT makes of a client that is NOW; -1: that cannot happen. */
int client_after(enum client_status now, enum client_event event);

#endif
