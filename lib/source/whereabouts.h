/*
 * whereabouts.h: where the files are that a manifest names.
 *
 * In a bucket: in the one that the manifest states; where that is another than the one the manifest
 * is in and has no such object, next to the manifest, to which it may have been copied.
 *
 * On disk: a manifest names its files by keys, as they were in the bucket,
 * DEST/SOURCE/ID/data/X.gz, and is itself at DEST/SOURCE/ID/DATE/manifest.json
 * (reference/distributed-map.md 5.4).  Whatever part of that was copied, the file is found: the key
 * is looked for from the manifest's folder upwards, as many folders as the key has; then the key
 * without its first folder, and so on down to its last name alone.  The first regular file counts.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_WHEREABOUTS_H
#define FANLINE_SOURCE_WHEREABOUTS_H

#include "base/err.h"
#include "object/object.h"

/*
 * The place of the file KEY that the manifest at MANIFEST ("-": standard input, as if it were in
 * the working folder) names in BUCKET ("": not stated).  Returns it, to be freed, or NULL with E
 * filled: also for a key with the folder "." or "..", or none, where it is to be found on disk.
 */
char *whereabouts(struct object_client *client, const char *manifest, const char *bucket,
                  const char *key, struct err *e);

#endif
