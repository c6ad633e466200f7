/*
 * members.h: an object that we make, member by member.
 *
 *     buf_add_byte(b, '{');
 *     members_text(b, "Name", name); members_count(b, "Lines", n);
 *     buf_add_byte(b, '}');
 *
 * Each puts a comma first, unless the last byte of the buffer is the brace that opens the object.
 * Names are ours: C strings that need no escapes.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_MEMBERS_H
#define FANLINE_JSON_MEMBERS_H

#include "base/buf.h"

/* The name and its colon; the value follows. */
void members_name(struct buf *b, const char *name);

/* The name and a brace; the members of that object follow. */
void members_open(struct buf *b, const char *name);

/* A value that is JSON text. */
void members_json(struct buf *b, const char *name, struct span json);

/* A string; what of TEXT is no UTF-8 becomes U+FFFD. */
void members_text(struct buf *b, const char *name, struct span text);

void members_count(struct buf *b, const char *name, uint64_t n);

/* A time of clock_real, as clock_stamp writes it. */
void members_stamp(struct buf *b, const char *name, int64_t real);

#endif
