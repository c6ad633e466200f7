/*
 * digest.h: message digests, by the names that Java gives them.
 *
 * MD5, SHA-1 (also SHA and SHA1), SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/224, SHA-512/256,
 * SHA3-224, SHA3-256, SHA3-384, SHA3-512; the first dash may be left out (SHA256), and case does
 * not matter, as in Java's MessageDigest.  OpenSSL computes them.
 *
 * Floor: services.
 */
#ifndef FANLINE_DIGEST_DIGEST_H
#define FANLINE_DIGEST_DIGEST_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>

#define DIGEST_BYTES_MAX 64

struct digest;

/* The algorithm NAME, a constant; NULL if there is none of that name. */
const struct digest *digest_find(struct span name);

/* The names that digest_find knows, for messages: "MD5, SHA-1, …". */
const char *digest_names(void);

/*
 * The digest of DATA at OUT and its length in bytes in *LEN.  Returns 0, or -1 with E filled
 * (ERR_DATA) where the system's policy forbids the algorithm.
 */
int digest_bytes(const struct digest *d, struct span data, unsigned char out[DIGEST_BYTES_MAX],
                 size_t *len, struct err *e);

/* Add the digest of DATA to OUT as hexadecimal digits in lower case.  0, or -1 as digest_bytes. */
int digest_hex(const struct digest *d, struct span data, struct buf *out, struct err *e);

/* Add BYTES to OUT as hexadecimal digits in lower case. */
void digest_put_hex(struct buf *out, const unsigned char *bytes, size_t len);

/* A digest of data that passes in pieces. Zero-initialised it is legal to release. */
struct digest_run {
    void *context;
};

/* Begin. 0, or -1 as digest_bytes. */
int digest_begin(struct digest_run *r, const struct digest *d, struct err *e);

/* These bytes come next. */
void digest_add(struct digest_run *r, struct span data);

/* That was all: the digest at OUT; returns its length in bytes. R may begin again. */
size_t digest_end(struct digest_run *r, unsigned char out[DIGEST_BYTES_MAX]);

void digest_release(struct digest_run *r);

#endif
