/* The scanner over texts that are there as a whole. */
#include "json/bulk.h"
#include "json/scan_state.h"

/* Ready for a text that begins at offset 0. */
static void begin(struct scan *s)
{
    scan_restart(s);
    s->offset = 0;
    s->line = 1;
    s->line_at = 0;
    s->watch = SCAN_NO_EVENTS;
    if (s->seams) {
        s->seams->count = 0;
    }
}

int scan_compact(struct scan *s, const char *text, size_t len, char *out, size_t *out_len)
{
    begin(s);
    s->out = out;
    const char *at = len > 0 ? text : ""; /* an empty span may point nowhere */
    const char *end = at + len;
    enum scan_event ev;
    do {
        ev = scan_next(s, &at, end);
    } while (ev != SCAN_FAULT && ev != SCAN_MORE);
    if (ev == SCAN_MORE) {
        ev = scan_finish(s);
    }
    if (out) {
        *out_len = (size_t)(s->out - out);
        s->out = NULL;
    }
    if (ev == SCAN_MORE) {
        s->fault = "expected a value";
    }
    return ev == SCAN_DONE ? 0 : -1;
}

int scan_check(struct scan *s, const char *text, size_t len)
{
    enum bulk_means most = s->plain ? BULK_NONE : (enum bulk_means)s->means;
    if (bulk_check(text, len, s->max_depth, most, s->seams)) {
        struct seams *seams = s->seams;
        s->seams = NULL; /* they are what they should be */
        begin(s);
        s->seams = seams;
        s->state = AT_DONE;
        s->offset = len;
        return 0;
    }
    return scan_compact(s, text, len, NULL, NULL);
}
