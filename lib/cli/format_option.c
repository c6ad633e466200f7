#include "cli/format_option.h"

#include <unistd.h>

enum { FORM_AUTO, FORM_JSON, FORM_TABLE };

static const char *const form_names[] = {"auto", "json", "table", NULL};

const struct cli_option cli_format_options[] = {
    {.letter = 'f',
     .name = "format",
     .argument = "FORMAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct cli_format, form),
     .given_offset = offsetof(struct cli_format, given),
     .choices = form_names,
     .help = "json lines, or a table: the default on a terminal"},
};

_Static_assert(sizeof cli_format_options / sizeof *cli_format_options == CLI_FORMAT_COUNT,
               "the table and its length");

bool cli_format_is_table(const struct cli_format *f)
{
    return f->form == FORM_TABLE || (f->form == FORM_AUTO && isatty(STDOUT_FILENO));
}
