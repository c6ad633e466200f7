/*
 * hmac.h: HMAC-SHA256 (RFC 2104), which requests to object stores are signed with.
 *
 * Floor: services.
 */
#ifndef FANLINE_DIGEST_HMAC_H
#define FANLINE_DIGEST_HMAC_H

#include "base/span.h"

#define HMAC_BYTES 32

/* The authentication code of DATA under KEY. OUT may be what KEY points to. */
void hmac_sha256(struct span key, struct span data, unsigned char out[HMAC_BYTES]);

#endif
