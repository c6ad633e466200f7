#include "flow/tell.h"

#include <stdarg.h>
#include <stdio.h>

static void tell(struct faults *f, const struct node *n, struct place_at at, const char *text)
{
    struct buf path = {0};
    node_pointer(n, &path);
    faults_add(f, at, buf_span(&path), "%s", text);
    buf_release(&path);
}

void tell_value(struct faults *f, const struct node *n, const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tell(f, n, n->at, text);
}

void tell_name(struct faults *f, const struct node *n, const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tell(f, n, n->key_at.line ? n->key_at : n->at, text);
}

void tell_text(struct faults *f, const struct node *n, const struct err *e)
{
    struct place_at at = n->at;
    if (n->text_column > 0 && e->quote[0]) {
        at.column = n->text_column + e->quote_at;
    }
    tell(f, n, at, e->text);
}
