/*
 * fetch.h: the body of an answer as the source of a reader, resumed where it breaks.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_FETCH_H
#define FANLINE_OBJECT_FETCH_H

#include "base/err.h"
#include "io/reader.h"
#include "object/object.h"
#include "object/request.h"

/*
 * Send Q, a GET, and make R read what is answered.  From here on Q belongs to R, or is released
 * where this fails; it lends R its name.  Adds headers to q->extra when it resumes.  Returns 0,
 * or -1 with E filled.
 */
int fetch_open(struct request *q, struct reader *r, struct err *e);

/*
 * The same, from byte FROM on, of the object whose ETag is ETAG; if it has another by now:
 * ERR_DATA. r->offset begins at FROM.
 */
int fetch_open_from(struct request *q, uint64_t from, const char *etag, struct reader *r,
                    struct err *e);

/*
 * Send Q, a HEAD, and fill FACTS from the answer.  Returns 1; 0 where the server says that nothing
 * is there; -1 with E filled.
 */
int fetch_facts(struct request *q, struct object_facts *facts, struct err *e);

#endif
