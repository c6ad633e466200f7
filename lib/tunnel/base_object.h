/*
 * base_object.h: base channels of objects in buckets.
 *
 * The identity of an object is its size and its ETag, and every request asks for just that one.
 * Since a network may keep anybody waiting, a helper reads the object and the channel reads the
 * helper's pipe.
 *
 * Inside the room tunnel only.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_BASE_OBJECT_H
#define FANLINE_TUNNEL_BASE_OBJECT_H

#include "object/object.h"
#include "proc/helper.h"
#include "tunnel/base.h"

/*
 * Look at PLACE: its size, whether it is compressed, its identity.  Waits for the network.  Returns
 * 0, or -1 with E filled.
 */
int base_object_look(struct object_client *objects, const char *place, struct base_facts *facts,
                     struct err *e);

/*
 * Have a helper read PART, which is borrowed, from byte AT of its plain text on, to the end of the
 * object.  Returns 0, or -1 with E filled.
 */
int base_object_start(struct helper *h, struct object_client *objects, const struct base_part *part,
                      int64_t at, struct err *e);

#endif
