#include "source/count.h"

#include "object/object.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where everything goes that must not leave yet. */
static int forget(void *state, const char *at, size_t n)
{
    (void)state;
    (void)at;
    (void)n;
    return 0;
}

static int never_fails(void *state, struct err *e)
{
    (void)state;
    return err_set(e, ERR_IO, "nothing was to be written");
}

static const struct writer_sink nowhere = {.take = forget, .why = never_fails};

static bool is_standard(const char *place)
{
    return strcmp(place, "-") == 0;
}

static int check_place(const char *place, struct err *e)
{
    struct stat st;
    bool standard = is_standard(place);
    if (!object_is_url(place) && (standard ? fstat(STDIN_FILENO, &st) : stat(place, &st)) < 0) {
        return err_system(e, errno, "cannot open %s", standard ? "standard input" : place);
    }
    if (object_is_url(place) || !S_ISREG(st.st_mode)) {
        return err_set(e, ERR_USAGE, "--count reads its sources twice, and %s is no regular file",
                       standard ? "standard input" : place);
    }
    return 0;
}

/* Read PLACE, standard input from where it stands and back again. 0, or -1 with E filled. */
static int read_place(struct split *dry, const char *place, struct err *e)
{
    off_t at = is_standard(place) ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    int rc = split_source(dry, place, e);
    if (rc == 0 && is_standard(place) && lseek(STDIN_FILENO, at, SEEK_SET) < 0) {
        return err_system(e, errno, "cannot read standard input again");
    }
    return rc;
}

static int read_places(struct split *dry, const char *const *places, size_t count, struct err *e)
{
    for (size_t i = 0; i < count; i++) {
        if (check_place(places[i], e) < 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (read_place(dry, places[i], e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The count is known. */
static void note(struct split *s, uint64_t total)
{
    s->counted = true;
    s->total = total;
    buf_add_text(&s->emit.tail, ",\"fragment.count\":");
    buf_add_u64(&s->emit.tail, total);
}

int split_count(struct split *s, const char *const *places, size_t count, struct err *e)
{
    struct writer out;
    struct writer aside;
    struct split dry = *s;
    writer_init_sink(&out, &nowhere, NULL, "nowhere");
    writer_init_sink(&aside, &nowhere, NULL, "nowhere");
    s->original = (struct original){.file.out.fd = -1}; /* it is DRY's now */
    dry.emit.out = &out;
    dry.emit.rules = &dry.rules.lines;
    dry.emit.source = (struct buf){0};
    dry.rules.lines.report = NULL;
    dry.rules.lines.rejects = s->rules.lines.rejects ? &aside : NULL;
    dry.rules.rows.diverted = &aside;
    int rc = read_places(&dry, places, count, e);
    if (rc == 0) {
        note(s, dry.emit.count);
        rc = split_finish(&dry, e);
    }
    outfile_abort(&dry.original.file);
    buf_release(&dry.emit.source);
    writer_release(&out);
    writer_release(&aside);
    return rc;
}
