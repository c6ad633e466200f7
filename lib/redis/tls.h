/*
 * tls.h: the bytes of a connection, encrypted.
 *
 * Knows nothing of sockets: plain bytes go in and encrypted ones come out, and the other way round.
 * The server's certificate is checked against the list of authorities and its name; there is no way
 * around that.
 *
 * Inside the room redis only; tls.c alone sees OpenSSL.
 *
 * Floor: services.
 */
#ifndef FANLINE_REDIS_TLS_H
#define FANLINE_REDIS_TLS_H

#include "base/err.h"
#include "base/span.h"
#include "redis/address.h"

#include <stddef.h>

struct tls;

/* Begin a session with the host NAME, as A says. 0, or -1 with E filled (ERR_USAGE). */
int tls_open(struct tls **out, const struct address *a, const char *name, struct err *e);

/* Legal on NULL. */
void tls_close(struct tls *t);

/*
 * Go on with the handshake.  1 when it is done, 0 when it needs more bytes from the server (send
 * first what there is to be sent), -1 with E filled: ERR_USAGE where the certificate, or the
 * protocol, is not to our liking.
 */
int tls_shake(struct tls *t, struct err *e);

/* Bytes from the server. */
void tls_feed(struct tls *t, struct span encrypted);

/* Decrypted bytes at OUT, at most CAP: how many; 0: none yet; -1 with E filled. */
int tls_get(struct tls *t, char *out, size_t cap, struct err *e);

/* Encrypt PLAIN. 0, or -1 with E filled. */
int tls_put(struct tls *t, struct span plain, struct err *e);

/* What is to be sent to the server next; tls_sent takes the first N bytes off. */
struct span tls_outgoing(struct tls *t);
void tls_sent(struct tls *t, size_t n);

#endif
