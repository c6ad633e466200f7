#include "cli/store_option.h"

#include "io/folder.h"
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const struct cli_option cli_store_options[] = {
    {.name = "store",
     .argument = "URL",
     .file = CLI_STORES,
     .type = CLI_TEXT,
     .offset = offsetof(struct cli_store, url),
     .env = "FANLINE_STORE",
     .help = "redis://HOST, redis+unix:///SOCKET, ... or sqlite:FILE"},
};

const struct cli_option cli_redis_options[] = {
    {.name = "store",
     .argument = "URL",
     .type = CLI_TEXT,
     .offset = offsetof(struct cli_store, url),
     .env = "FANLINE_STORE",
     .help = "redis://HOST, redis+unix:///SOCKET, rediss://HOST, ..."},
};

_Static_assert(sizeof cli_store_options / sizeof *cli_store_options == CLI_STORE_COUNT &&
                   sizeof cli_redis_options / sizeof *cli_redis_options == CLI_STORE_COUNT,
               "the tables and their count in store_option.h");

/* Put the first line of the file NAME into URL. */
static int read_url(const char *name, struct buf *url, struct err *e)
{
    enum { URL_MAX = 64 * 1024 };
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        err_system(e, errno, "FANLINE_STORE_FILE: cannot read %s", name);
        e->code = ERR_USAGE;
        return -1;
    }
    struct reader r;
    struct span line = {0};
    bool is_long = false;
    reader_init(&r, fd, name, NULL);
    int got = reader_line(&r, URL_MAX, &line, &is_long, e);
    if (got < 0) {
        err_prefix(e, "FANLINE_STORE_FILE");
        e->code = ERR_USAGE;
    } else if (line.len == 0 || is_long || memchr(line.at, '\0', line.len)) {
        got = err_set(e, ERR_USAGE, "FANLINE_STORE_FILE: %s does not begin with a URL", name);
    } else {
        buf_add_span(url, line);
    }
    reader_release(&r);
    close(fd);
    return got < 0 ? -1 : 0;
}

/* Make the folder that PATH ends with, and those before it, for their owner alone. */
static int make_folders(struct buf *path, struct err *e)
{
    const char *text = buf_text(path);
    for (size_t i = 1; i <= path->len; i++) {
        if (i < path->len && text[i] != '/') {
            continue;
        }
        char kept = path->at[i];
        path->at[i] = '\0';
        int rc = mkdir(text, 0700);
        int number = errno;
        if (rc == 0) {
            (void)folder_sync_entry(text);
        }
        path->at[i] = kept;
        if (rc < 0 && number != EEXIST && access(text, F_OK) < 0) {
            err_system(e, number, "cannot make the folder %s of the store", text);
            e->code = ERR_USAGE;
            return -1;
        }
    }
    return 0;
}

/* The folder of the user's state: an absolute $XDG_STATE_HOME, else ~/.local/state. */
static int state_folder(struct buf *path, struct err *e)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (state && state[0] == '/') {
        buf_add_text(path, state);
        return 0;
    }
    if (!home || !*home) {
        const struct passwd *me = getpwuid(getuid());
        if (!me) {
            return err_set(e, ERR_USAGE, "no store is named, and user %ld has no home folder",
                           (long)getuid());
        }
        home = me->pw_dir;
    }
    buf_add_text(path, home);
    buf_add_text(path, "/.local/state");
    return 0;
}

static int own_file(struct buf *url, struct err *e)
{
    struct buf path = {0};
    int rc = state_folder(&path, e);
    if (rc == 0) {
        buf_add_text(&path, "/fanline");
        rc = make_folders(&path, e);
        buf_printf(url, "sqlite:%s/store.db", buf_text(&path));
    }
    buf_release(&path);
    return rc;
}

int cli_store_url(struct buf *url, const struct cli_store *o, struct err *e)
{
    const char *file = getenv("FANLINE_STORE_FILE");
    if (o->url) {
        buf_add_text(url, o->url);
        return 0;
    }
    return file && *file ? read_url(file, url, e) : own_file(url, e);
}

static void warn(void *context, const char *text)
{
    cli_warn(context, "%s", text);
}

int cli_store_open(struct store **out, const struct cli_program *p, const struct cli_store *o,
                   const struct cli_stream *stream, struct err *e)
{
    struct buf url = {0};
    int rc = cli_store_url(&url, o, e);
    if (rc == 0) {
        rc = store_open(out, buf_text(&url), e);
    }
    if (rc == 0 && stream->verbose) {
        cli_warn(p, "store: %s", store_shown(*out));
    }
    if (rc == 0 && !stream->quiet) {
        store_concerns(*out, warn, (void *)(uintptr_t)p);
    }
    if (url.at) {
        explicit_bzero(url.at, url.cap);
    }
    buf_release(&url);
    return rc;
}
