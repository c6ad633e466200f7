/*
 * object_option.h: object stores, as the environment describes them.
 *
 * What the tools of the stores themselves read is read here too, under the same names
 * (reference/distributed-map.md 5.2): AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY with
 * AWS_SESSION_TOKEN, AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, AWS_REGION,
 * AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_CA_BUNDLE, AWS_MAX_ATTEMPTS; OSS_ACCESS_KEY_ID and
 * OSS_ACCESS_KEY_SECRET with OSS_SESSION_TOKEN, OSS_PROFILE, OSS_CONFIG_FILE, OSS_REGION,
 * OSS_ENDPOINT.  Our own: FANLINE_S3_STYLE (auto, path, virtual), FANLINE_NO_SIGN_REQUEST,
 * FANLINE_BUCKET_ROOT, FANLINE_PART_SIZE, FANLINE_LIST_PAGE, FANLINE_NET_TIMEOUT.
 *
 *     struct cli_object objects;
 *     if (cli_object_open(&objects, &program, verbose, &e) < 0) return cli_fail(…);
 *     … objects.client …
 *     cli_object_close(&objects);
 *
 * Floor: programs.
 */
#ifndef FANLINE_CLI_OBJECT_OPTION_H
#define FANLINE_CLI_OBJECT_OPTION_H

#include "cli/cli.h"
#include "object/object.h"

#define CLI_OBJECT_FILES 3

/* Zero-initialised it is legal to close. */
struct cli_object {
    struct object_client *client;
    char *files[CLI_OBJECT_FILES]; /* names that were put together here */
};

/*
 * Make a client for all kinds of places.  With VERBOSE what is tried again is told on standard
 * error.  Returns 0, or -1 with E filled (ERR_USAGE): a variable that makes no sense.
 */
int cli_object_open(struct cli_object *o, const struct cli_program *p, bool verbose, struct err *e);

void cli_object_close(struct cli_object *o);

#endif
