/*
 * A text as the manifest of an inventory, and as an encoded key: what comes of them is whole, and
 * what does not has a reason.
 */
#include "source/manifest.h"
#include "source/key.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_manifest(const struct manifest *m)
{
    assert(m->bucket && m->schema && m->columns_count > 0);
    for (size_t i = 0; i < m->columns_count; i++) {
        struct span name = m->columns[i];
        assert(name.at >= m->schema && name.at + name.len <= m->schema + strlen(m->schema));
        assert(name.len == 0 || name.at[name.len - 1] != ' ');
    }
    for (size_t i = 0; i < m->parts_count; i++) {
        size_t digits = strlen(m->parts[i].md5);
        assert(m->parts[i].key[0] && (digits == 0 || digits == MANIFEST_MD5_DIGITS));
    }
}

static void check_key(struct span text)
{
    struct writer w;
    struct err e = {0};
    writer_init(&w, -1, "key");
    if (key_put(&w, text, &e) == 0) {
        /* a key that was not UTF-8 to begin with is refused where its record is */
        assert(w.len >= 2 && w.at[0] == '"' && w.at[w.len - 1] == '"');
    } else {
        assert(e.code == ERR_DATA && w.len == 0);
    }
    writer_release(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_of((const char *)data, size);
    struct manifest m;
    struct reader r;
    struct err e = {0};
    reader_init_text(&r, text, "manifest");
    if (manifest_read(&m, &r, 100, &e) == 0) {
        check_manifest(&m);
    } else {
        assert(e.code == ERR_DATA && e.text[0]);
    }
    manifest_release(&m);
    reader_release(&r);
    check_key(text);
    return 0;
}
