#include "flow/fault.h"

#include "base/mem.h"
#include "json/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void faults_add(struct faults *f, struct place_at at, struct span path, const char *format, ...)
{
    f->at = mem_grow(f->at, &f->cap, f->count, sizeof *f->at);
    struct fault *fault = &f->at[f->count++];
    *fault = (struct fault){.at = at, .path = mem_copy(path.at, path.len)};
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    size_t size = len < 0 ? 1 : (size_t)len + 1;
    fault->text = mem_new(size, 1);
    vsnprintf(fault->text, size, format, again);
    va_end(again);
}

static int compare(const void *x, const void *y)
{
    const struct fault *a = x;
    const struct fault *b = y;
    if (a->at.line != b->at.line) {
        return a->at.line < b->at.line ? -1 : 1;
    }
    if (a->at.column != b->at.column) {
        return a->at.column < b->at.column ? -1 : 1;
    }
    return strcmp(a->text, b->text);
}

static void fault_release(struct fault *f)
{
    free(f->path);
    free(f->text);
}

void faults_sort(struct faults *f)
{
    if (f->count < 2) {
        return;
    }
    qsort(f->at, f->count, sizeof *f->at, compare);
    size_t kept = 1;
    for (size_t i = 1; i < f->count; i++) {
        if (compare(&f->at[kept - 1], &f->at[i]) == 0) {
            fault_release(&f->at[i]);
        } else {
            f->at[kept++] = f->at[i];
        }
    }
    f->count = kept;
}

void fault_text(const struct fault *f, const char *file, struct buf *out)
{
    buf_add_text(out, file);
    buf_add_byte(out, ':');
    buf_add_u64(out, f->at.line);
    buf_add_byte(out, ':');
    buf_add_u64(out, f->at.column);
    buf_add_text(out, ": ");
    for (const char *c = f->text; *c; c++) {
        buf_add_byte(out, (unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c);
    }
    buf_add_byte(out, '\n');
}

void fault_json(const struct fault *f, const char *file, struct buf *out)
{
    buf_add_text(out, "{\"File\":");
    text_encode_lossy(out, span_text(file));
    buf_add_text(out, ",\"Line\":");
    buf_add_u64(out, f->at.line);
    buf_add_text(out, ",\"Column\":");
    buf_add_u64(out, f->at.column);
    buf_add_text(out, ",\"Path\":");
    text_encode_lossy(out, span_text(f->path));
    buf_add_text(out, ",\"Message\":");
    text_encode_lossy(out, span_text(f->text));
    buf_add_text(out, "}\n");
}

void faults_release(struct faults *f)
{
    for (size_t i = 0; i < f->count; i++) {
        fault_release(&f->at[i]);
    }
    free(f->at);
    *f = (struct faults){0};
}
