/*
 * account.h: whose key, which region and which endpoint: what the settings and the shared files of
 * the stores' own tools say together.
 *
 * A key is taken whole, id, secret and token, from the first of: the settings; the profile in the
 * credentials file; the profile in the config file.  Region and endpoint likewise, each for itself.
 * (Names of files and keys: reference/distributed-map.md 5.2; ossutil's [Credentials], [default],
 * [profile NAME] with accessKeyID, accessKeySecret, stsToken.)
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_ACCOUNT_H
#define FANLINE_OBJECT_ACCOUNT_H

#include "base/err.h"
#include "object/settings.h"

/* Owns its texts; zero-initialised it is empty and legal to release. */
struct account {
    char *id; /* NULL, as its secret: no key was asked for, sign nothing */
    char *secret;
    char *token;    /* NULL: the key is no temporary one */
    char *region;   /* NULL: nobody said */
    char *endpoint; /* NULL: nobody said */
    enum object_style style;
};

/*
 * The account for s3:// or oss://.  Returns 0, or -1 with E filled (ERR_USAGE): no key, half a key,
 * no such profile, a file that cannot be read.
 */
int account_s3(struct account *a, const struct object_settings *s, struct err *e);
int account_oss(struct account *a, const struct object_settings *s, struct err *e);

/* The texts are wiped before they are freed. */
void account_release(struct account *a);

#endif
