#include "result/expect.h"

#include "result/number.h"
#include "json/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The number in the only line of IN. */
static int read_line(struct lines_in *in, uint64_t *count, struct err *e)
{
    struct span item;
    struct span value;
    const char *name = in->reader->name;
    int got = lines_next(in, &item, e);
    if (got <= 0) {
        return got < 0 ? -1 : err_set(e, ERR_DATA, "%s is empty", name);
    }
    if (!walk_member(item, SPAN_LIT("fragment.count"), &value)) {
        return err_set(e, ERR_DATA, "%s has no member fragment.count", name);
    }
    uint64_t n;
    if (!number_read(value, &n)) {
        return err_set(e, ERR_DATA, "%s: fragment.count is no whole number", name);
    }
    got = lines_next(in, &item, e);
    if (got != 0) {
        return got < 0 ? -1 : err_set(e, ERR_DATA, "%s has more than one line", name);
    }
    *count = n;
    return 0;
}

int expect_read(const char *text, const struct lines_rules *rules, uint64_t *count, struct err *e)
{
    if (number_read(span_text(text), count)) {
        return 0;
    }
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return err_system(e, errno, "cannot read %s", text);
    }
    struct lines_rules own = {.max_depth = rules->max_depth,
                              .max_item_bytes = rules->max_item_bytes};
    struct reader reader;
    struct lines_in in;
    reader_init(&reader, fd, text, NULL);
    lines_open(&in, &reader, &own);
    int rc = read_line(&in, count, e);
    lines_close(&in);
    reader_release(&reader);
    close(fd);
    return rc;
}
