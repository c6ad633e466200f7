#include "run/fallback.h"

#include "base/mem.h"
#include "run/retry.h"
#include "json/text.h"

#include <stdlib.h>

int fallback_add(struct fallbacks *f, const char *text, struct err *e)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        return err_set(e, ERR_USAGE, "'%s' is not ERRORS=COMMAND", text);
    }
    f->at = mem_grow(f->at, &f->cap, f->count, sizeof *f->at);
    f->at[f->count++] =
        (struct fallback){.errors = span_of(text, (size_t)(equals - text)), .command = equals + 1};
    return 0;
}

const struct fallback *fallback_find(const struct fallbacks *f, struct span code)
{
    for (size_t i = 0; f && i < f->count; i++) {
        if (retry_names(f->at[i].errors, code)) {
            return &f->at[i];
        }
    }
    return NULL;
}

void fallback_tell(struct buf *line, struct span code, struct span cause, struct span item)
{
    buf_reset(line);
    buf_add_text(line, "{\"Error\":");
    buf_add_span(line, code);
    buf_add_text(line, ",\"Cause\":");
    text_encode_lossy(line, cause);
    buf_add_text(line, ",\"Input\":");
    buf_add_span(line, item);
    buf_add_text(line, "}\n");
}

void fallback_release(struct fallbacks *f)
{
    free(f->at);
    *f = (struct fallbacks){0};
}
