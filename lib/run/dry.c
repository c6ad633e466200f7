#include "run/dry.h"

#include "run/argv.h"

#include <string.h>

static bool is_plain(struct span arg)
{
    for (size_t i = 0; i < arg.len; i++) {
        char c = arg.at[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              strchr("_-./:=@%+,", c))) {
            return false;
        }
    }
    return arg.len > 0;
}

void dry_quote(struct buf *b, struct span arg)
{
    if (is_plain(arg)) {
        buf_add_span(b, arg);
        return;
    }
    buf_add_byte(b, '\'');
    for (size_t i = 0; i < arg.len; i++) {
        if (arg.at[i] == '\'') {
            buf_add_text(b, "'\\''");
        } else if (arg.at[i] == '\n') {
            buf_add_text(b, "'$'\\n''");
        } else {
            buf_add_byte(b, arg.at[i]);
        }
    }
    buf_add_byte(b, '\'');
}

static void put_line(struct writer *out, const char *const *argv, struct buf *line)
{
    buf_reset(line);
    for (size_t i = 0; argv[i]; i++) {
        if (i > 0) {
            buf_add_byte(line, ' ');
        }
        dry_quote(line, span_text(argv[i]));
    }
    buf_add_byte(line, '\n');
    writer_put_span(out, buf_span(line));
    writer_commit(out);
}

int dry_lines(const struct run_rules *r, struct lines_in *in, struct writer *out, uint64_t *written,
              struct err *e)
{
    struct argv argv = {0};
    struct buf line = {0};
    struct argv_values values = {.slot = 1};
    int got = 1;
    while ((r->max_items == 0 || values.index < r->max_items) &&
           (got = lines_next(in, &values.item, e)) > 0) {
        if (lines_check_room(values.item, run_levels(r), r->max_depth, e) < 0 ||
            argv_render(r->command, &values, &argv, e) < 0) {
            if (lines_refuse(in, e) < 0) {
                got = -1;
                break;
            }
            continue;
        }
        put_line(out, argv.at, &line);
        values.index++;
        values.slot = values.index % r->slots + 1;
    }
    *written = values.index;
    argv_free(&argv);
    buf_release(&line);
    return got < 0 ? -1 : 0;
}
