/*
 * settings.h: what the surroundings say about object stores, as values.
 *
 * Nothing in this room reads the environment: lib/cli/object_option fills these settings from it
 * (names: reference/distributed-map.md 5.2), tests fill them by hand.  All texts are borrowed and
 * outlive the client; NULL and "" both mean "not said".
 *
 * Floor: services.
 */
#ifndef FANLINE_OBJECT_SETTINGS_H
#define FANLINE_OBJECT_SETTINGS_H

#include "base/clock.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* An access key.  With a token it is a temporary one. */
struct object_key {
    const char *id;
    const char *secret;
    const char *token;
};

/* How a bucket is named in a request. */
enum object_style {
    OBJECT_STYLE_AUTO,   /* as the endpoint wants it; see endpoint.h */
    OBJECT_STYLE_PATH,   /* https://endpoint/bucket/key */
    OBJECT_STYLE_VIRTUAL /* https://bucket.endpoint/key */
};

struct object_settings {
    /* s3:// */
    struct object_key s3_key;   /* AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN */
    const char *s3_region;      /* AWS_REGION, AWS_DEFAULT_REGION */
    const char *s3_endpoint;    /* AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL */
    enum object_style s3_style; /* FANLINE_S3_STYLE */
    const char *s3_profile;     /* AWS_PROFILE, AWS_DEFAULT_PROFILE; else "default" */
    const char *s3_credentials_file; /* AWS_SHARED_CREDENTIALS_FILE, ~/.aws/credentials */
    const char *s3_config_file;      /* AWS_CONFIG_FILE, ~/.aws/config */

    /* oss:// */
    struct object_key oss_key;   /* OSS_ACCESS_KEY_ID, OSS_ACCESS_KEY_SECRET, OSS_SESSION_TOKEN */
    const char *oss_region;      /* OSS_REGION */
    const char *oss_endpoint;    /* OSS_ENDPOINT */
    const char *oss_profile;     /* OSS_PROFILE; else "default" */
    const char *oss_config_file; /* OSS_CONFIG_FILE, ~/.ossutilconfig */

    const char *root;       /* FANLINE_BUCKET_ROOT: buckets are the folders in this folder */
    bool anonymous;         /* FANLINE_NO_SIGN_REQUEST: sign nothing, for public buckets */
    const char *ca_file;    /* AWS_CA_BUNDLE: the authorities to trust instead of the system's */
    int64_t attempts;       /* AWS_MAX_ATTEMPTS: tries of one request, the first one included */
    int64_t retry_base;     /* the first pause is below this, the next below twice this, … */
    int64_t retry_max;      /* no pause is longer, but what a server asks for */
    int64_t retry_after;    /* a server that asks for a longer pause than this is given up */
    int64_t connect_within; /* a connection that takes longer has failed */
    int64_t silence;        /* one over which nothing came or went for so long has failed */
    uint64_t part_bytes;    /* of an upload in parts; see object_put_open */
    int64_t page;           /* objects asked for in one request of a listing */

    /* Called before something that failed is tried again, with why it failed. NULL: nobody asks. */
    void (*retrying)(void *context, const struct err *e);
    void *context;
};

#define OBJECT_SETTINGS_DEFAULTS                                                                   \
    {                                                                                              \
        .attempts = 5, .retry_base = CLOCK_SECOND / 4, .retry_max = 20 * CLOCK_SECOND,             \
        .retry_after = 300 * CLOCK_SECOND, .connect_within = 15 * CLOCK_SECOND,                    \
        .silence = 60 * CLOCK_SECOND, .part_bytes = UINT64_C(16) << 20, .page = 1000               \
    }

#endif
