/*
 * nifi_json.h: an entry in the form that NiFi gives it.
 *
 *     {"counts":{"a":1},"attributes":{"k":"v"},"releasableCount":0}
 *
 * NiFi 1.1 had attributes only, as k=v<|--|>k2=v2; such an entry counts as one signal on "default"
 * (reference/wait-notify.md 2.1).
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_NIFI_JSON_H
#define FANLINE_STORE_NIFI_JSON_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

/* Read TEXT into OUT, without a revision. 0, or -1 with E filled (ERR_DATA). */
int nifi_json_read(struct span text, struct store_entry *out, struct err *e);

void nifi_json_write(const struct store_entry *entry, struct buf *out);

#endif
