#include "cli/side.h"

#include <unistd.h>

int cli_side_open(struct cli_side *s, const char *path, struct err *e)
{
    *s = (struct cli_side){.named = path != NULL};
    if (path) {
        s->out = &s->file.out;
        return outfile_open(&s->file, path, e);
    }
    writer_init(&s->errors, STDERR_FILENO, "standard error");
    s->out = &s->errors;
    return 0;
}

int cli_side_close(struct cli_side *s, struct err *e)
{
    if (s->named) {
        return outfile_is_open(&s->file) ? outfile_commit(&s->file, e) : 0;
    }
    int rc = writer_flush(&s->errors, e);
    writer_release(&s->errors);
    return rc;
}

void cli_side_abort(struct cli_side *s)
{
    outfile_abort(&s->file);
    writer_release(&s->errors);
    *s = (struct cli_side){0};
}
