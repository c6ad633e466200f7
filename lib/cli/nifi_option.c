#include "cli/nifi_option.h"

const struct cli_option cli_nifi_options[] = {
    {.name = "nifi",
     .type = CLI_FLAG,
     .offset = offsetof(struct cli_nifi, on),
     .env = "FANLINE_NIFI",
     .help = "do exactly as NiFi's processor does"},
    {.name = "triggers",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct cli_nifi, triggers),
     .min = 1,
     .max = INT64_MAX,
     .help = "with --nifi: end after N triggers"},
    {.name = "left",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct cli_nifi, left),
     .help = "with --nifi: put lines that no trigger took into FILE"},
};

_Static_assert(sizeof cli_nifi_options / sizeof *cli_nifi_options == CLI_NIFI_COUNT,
               "the table and its length");

int cli_nifi_check(const struct cli_nifi *n, bool lines, struct err *e)
{
    const char *given = n->triggers ? "triggers" : n->left ? "left" : NULL;
    if (given && !n->on) {
        return err_set(e, ERR_USAGE, "--%s needs --nifi", given);
    }
    if (given && !lines) {
        return err_set(e, ERR_USAGE, "--%s has no effect without --signal", given);
    }
    return 0;
}
