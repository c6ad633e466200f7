/*
 * sign.h: signatures of requests: AWS Signature Version 4 and OSS Signature Version 4.
 *
 * Both hash the request in a canonical spelling and authenticate that with a key that is derived
 * from the secret, the day, the region and the service.  They are computed here and not by
 * libcurl, whose releases differ in what they get right (reference/distributed-map.md 5.1).  Tests
 * compare with AWS's published examples and with what independent clients compute.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_SIGN_H
#define FANLINE_OBJECT_SIGN_H

#include "base/buf.h"
#include "base/span.h"
#include "object/settings.h"

#include <stddef.h>
#include <stdint.h>

#define SIGN_STAMP_MAX   17 /* 20130524T000000Z with the NUL */
#define SIGN_HEADERS_MAX 16

/* A header; NAME in lower case. */
struct sign_header {
    const char *name;
    struct span value;
};

struct sign_request {
    const char *method;
    struct span
        resource; /* S3: the path as it is sent; OSS: /bucket/key, in the spelling of escape.h */
    struct span query;                 /* as it is sent, sorted; without "?" */
    const struct sign_header *headers; /* at most SIGN_HEADERS_MAX */
    size_t header_count;
    const char *payload; /* hexadecimal SHA-256 of the body, or UNSIGNED-PAYLOAD */
    const char *stamp;   /* of sign_stamp, as in the date header */
    const char *region;
    const struct object_key *key;
};

/* REAL, of clock_real, as 20130524T000000Z. Returns OUT. */
char *sign_stamp(int64_t real, char out[SIGN_STAMP_MAX]);

/*
 * Add the value of the Authorization header to OUT.  S3 signs all of the headers, among which
 * must be host; OSS signs content-md5, content-type and what begins with x-oss-.
 */
void sign_s3(const struct sign_request *q, struct buf *out);
void sign_oss(const struct sign_request *q, struct buf *out);

#endif
