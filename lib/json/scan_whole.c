/* The scanner over texts that are there as a whole, and what it notes of them. */
#include "json/scan_state.h"

#include "base/mem.h"

#include <stdlib.h>

void scan_commas_grow(struct scan_commas *c)
{
    c->at = mem_grow(c->at, &c->cap, c->count, sizeof *c->at);
    c->colon = mem_grow(c->colon, &c->colon_cap, c->colons, sizeof *c->colon);
}

void scan_commas_release(struct scan_commas *c)
{
    free(c->at);
    free(c->colon);
    *c = (struct scan_commas){0};
}

/* Ready for a text that begins at offset 0. */
static void begin(struct scan *s)
{
    scan_restart(s);
    s->offset = 0;
    s->line = 1;
    s->line_at = 0;
    s->watch = SCAN_NO_EVENTS;
    if (s->commas) {
        s->commas->count = 0;
        s->commas->colons = 0;
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
    if (s->wide && !s->plain) {
        begin(s);
        if (scan_blocks(s, text, len)) {
            s->state = AT_DONE;
            s->offset = len;
            return 0;
        }
    }
    return scan_compact(s, text, len, NULL, NULL);
}
