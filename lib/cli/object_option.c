#include "cli/object_option.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/units.h"

#include <pwd.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define PART_MIN (UINT64_C(64) << 10)
#define PART_MAX (UINT64_C(1) << 30)

/* A variable that is set and not empty, else NULL. */
static const char *variable(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static const char *either(const char *first, const char *second)
{
    const char *text = variable(first);
    return text ? text : variable(second);
}

static const char *home_folder(void)
{
    const char *home = variable("HOME");
    struct passwd *user = home ? NULL : getpwuid(getuid());
    return home ? home : user ? user->pw_dir : "";
}

/*
 * The file that the variable NAME names, "~/" being the home folder, or by default NORMAL in the
 * home folder.  Kept in *KEPT.
 */
static const char *file_of(const char *name, const char *normal, char **kept)
{
    const char *text = variable(name);
    if (text && strncmp(text, "~/", 2) != 0) {
        return text;
    }
    struct buf b = {0};
    buf_printf(&b, "%s/%s", home_folder(), text ? text + 2 : normal);
    *kept = mem_text(buf_text(&b));
    buf_release(&b);
    return *kept;
}

static int name_variable(const char *name, struct err *e)
{
    err_prefix(e, "%s", name);
    return -1;
}

static int read_style(enum object_style *style, struct err *e)
{
    static const char *const names[] = {"auto", "path", "virtual"};
    const char *text = variable("FANLINE_S3_STYLE");
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            *style = (enum object_style)i;
            return 0;
        }
    }
    return text ? err_set(e, ERR_USAGE, "FANLINE_S3_STYLE: '%s' is none of auto, path, virtual",
                          text)
                : 0;
}

static int read_numbers(struct object_settings *s, struct err *e)
{
    const char *attempts = variable("AWS_MAX_ATTEMPTS");
    const char *part = variable("FANLINE_PART_SIZE");
    const char *timeout = variable("FANLINE_NET_TIMEOUT");
    const char *page = variable("FANLINE_LIST_PAGE");
    if (attempts && units_integer(span_text(attempts), 1, 100, &s->attempts, e) < 0) {
        return name_variable("AWS_MAX_ATTEMPTS", e);
    }
    if (part && units_size(span_text(part), &s->part_bytes, e) < 0) {
        return name_variable("FANLINE_PART_SIZE", e);
    }
    if (timeout && units_duration(span_text(timeout), &s->silence, e) < 0) {
        return name_variable("FANLINE_NET_TIMEOUT", e);
    }
    if (page && units_integer(span_text(page), 1, 1000, &s->page, e) < 0) {
        return name_variable("FANLINE_LIST_PAGE", e);
    }
    if (s->part_bytes < PART_MIN || s->part_bytes > PART_MAX) {
        return err_set(e, ERR_USAGE, "FANLINE_PART_SIZE: '%s' is not from 64k to 1G", part);
    }
    if (s->silence < CLOCK_MILLI) {
        return err_set(e, ERR_USAGE, "FANLINE_NET_TIMEOUT: '%s' is too short", timeout);
    }
    return 0;
}

static bool read_flag(const char *name)
{
    const char *text = variable(name);
    return text && strcmp(text, "0") != 0 && strcasecmp(text, "false") != 0 &&
           strcasecmp(text, "no") != 0;
}

static void read_texts(struct object_settings *s, char *files[CLI_OBJECT_FILES])
{
    s->s3_key =
        (struct object_key){variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
                            variable("AWS_SESSION_TOKEN")};
    s->s3_region = either("AWS_REGION", "AWS_DEFAULT_REGION");
    s->s3_endpoint = either("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
    s->s3_profile = either("AWS_PROFILE", "AWS_DEFAULT_PROFILE");
    s->s3_credentials_file = file_of("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", &files[0]);
    s->s3_config_file = file_of("AWS_CONFIG_FILE", ".aws/config", &files[1]);
    s->oss_key =
        (struct object_key){variable("OSS_ACCESS_KEY_ID"), variable("OSS_ACCESS_KEY_SECRET"),
                            variable("OSS_SESSION_TOKEN")};
    s->oss_region = variable("OSS_REGION");
    s->oss_endpoint = variable("OSS_ENDPOINT");
    s->oss_profile = variable("OSS_PROFILE");
    s->oss_config_file = file_of("OSS_CONFIG_FILE", ".ossutilconfig", &files[2]);
    s->ca_file = variable("AWS_CA_BUNDLE");
    s->anonymous = read_flag("FANLINE_NO_SIGN_REQUEST");
    s->root = variable("FANLINE_BUCKET_ROOT");
}

static void tell_retry(void *context, const struct err *e)
{
    cli_warn(context, "%s; trying again", e->text);
}

int cli_object_open(struct cli_object *o, const struct cli_program *p, bool verbose, struct err *e)
{
    struct object_settings s = OBJECT_SETTINGS_DEFAULTS;
    *o = (struct cli_object){0};
    read_texts(&s, o->files);
    if (verbose) {
        s.retrying = tell_retry;
        s.context = (void *)(uintptr_t)p;
    }
    if (read_style(&s.s3_style, e) < 0 || read_numbers(&s, e) < 0 ||
        object_client_open(&o->client, &s, e) < 0) {
        cli_object_close(o);
        return -1;
    }
    return 0;
}

void cli_object_close(struct cli_object *o)
{
    object_client_close(o->client);
    for (size_t i = 0; i < CLI_OBJECT_FILES; i++) {
        free(o->files[i]);
    }
    *o = (struct cli_object){0};
}
