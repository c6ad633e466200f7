/*
 * fault.h: what a server says went wrong.
 *
 * S3 and OSS answer with the same document: <Error> with Code, Message and, where it helps, Region
 * and Endpoint.  Bodies of anything else (a proxy's page) give an empty fault.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_FAULT_H
#define FANLINE_OBJECT_FAULT_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>

struct fault {
    bool there; /* the body was an <Error> */
    char code[64];
    char message[2048];
    char region[64];
    char endpoint[256];
};

/* Read BODY.  What does not fit is cut. */
void fault_read(struct fault *f, struct span body);

/*
 * Is STATUS with F something that may pass (reference/distributed-map.md 5.2)?  Overload,
 * time-outs, an internal error, a conflict with another request.
 */
bool fault_passes(const struct fault *f, long status);

/* Which exit status fits: ERR_LATER, ERR_USAGE for keys and signatures, else ERR_IO. */
enum err_code fault_class(const struct fault *f, long status);

#endif
