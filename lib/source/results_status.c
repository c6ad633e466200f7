#include "source/results.h"

#include <ctype.h>
#include <string.h>

/* Is TEXT NAME, case and '_' apart? */
static bool is_name(struct span text, const char *name)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '_') {
            continue;
        }
        if (tolower((unsigned char)text.at[i]) != *name) {
            return false;
        }
        name++;
    }
    return *name == '\0';
}

unsigned results_status(struct span text)
{
    static const struct {
        const char *name;
        enum results_status status;
    } names[] = {
        {"succeeded", RESULTS_SUCCEEDED}, {"failed", RESULTS_FAILED},
        {"timedout", RESULTS_TIMED_OUT},  {"aborted", RESULTS_ABORTED},
        {"pending", RESULTS_PENDING},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_name(text, names[i].name)) {
            return names[i].status;
        }
    }
    return 0;
}

int results_statuses(const char *text, unsigned *statuses, struct err *e)
{
    unsigned all = 0;
    for (const char *at = text; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t len = strcspn(at, ",");
        unsigned one = results_status(span_of(at, len));
        if (!one) {
            return err_set(e, ERR_USAGE,
                           "--status: '%.*s' is none of Succeeded, Failed, TimedOut, Aborted,"
                           " Pending",
                           (int)(len < 80 ? len : 80), at);
        }
        all |= one;
    }
    *statuses = all;
    return 0;
}
