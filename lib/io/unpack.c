#include "io/unpack.h"

#include "base/mem.h"
#include "io/unpack_codec.h"

#include <stdio.h>
#include <stdlib.h>

static const struct unpack_codec *const codecs[] = {&unpack_gzip, &unpack_zstd};

struct unpack {
    struct reader raw; /* the compressed input */
    const struct unpack_codec *codec;
    void *state;     /* the codec's */
    bool inside;     /* a member has begun and not ended */
    bool more;       /* the codec may have bytes left without further input */
    const char *bad; /* why it can't go on; NULL: it can */
};

/*
 * Does a member begin at what R has yet to hand out?  Reads on while that could be.  1, 0, or -1
 * with E filled.
 */
static int member_begins(struct reader *r, const struct unpack_codec *codec, struct err *e)
{
    for (;;) {
        struct span head = reader_bytes(r);
        if (head.len > 0 && !codec->begins(head)) {
            return 0;
        }
        if (head.len >= codec->magic) {
            return 1;
        }
        int got = reader_fill(r, e);
        if (got <= 0) {
            return got;
        }
    }
}

static int complain(const struct unpack *u, const char *what, struct err *e)
{
    return err_set(e, ERR_DATA, "%s: the %s data %s (byte %llu of the compressed input)",
                   u->raw.name, u->codec->name, what, (unsigned long long)u->raw.offset);
}

/* Go on to the next member.  1; 0 at the end of the input; -1 with E filled. */
static int next_member(struct unpack *u, struct err *e)
{
    int rc = member_begins(&u->raw, u->codec, e);
    if (rc < 0) {
        return -1;
    }
    if (rc == 0) {
        return reader_bytes(&u->raw).len > 0 ? complain(u, "is followed by something else", e) : 0;
    }
    u->codec->next(u->state);
    u->inside = true;
    return 1;
}

/* Unpack what there is of a member; returns how many bytes came out. */
static size_t unpack_some(struct unpack *u, char *at, size_t cap)
{
    struct span in = reader_bytes(&u->raw);
    size_t had = in.len;
    struct unpack_room out = {at, cap};
    enum unpack_state state = u->codec->step(u->state, &in, &out, &u->bad);
    reader_take(&u->raw, had - in.len);
    u->inside = state != UNPACK_END;
    u->more = u->inside && out.len == 0;
    return cap - out.len;
}

static int complain_damage(const struct unpack *u, struct err *e)
{
    char what[128];
    snprintf(what, sizeof what, "is damaged: %s", u->bad);
    return complain(u, what, e);
}

static ssize_t read_unpacked(struct reader *r, char *at, size_t cap, struct err *e)
{
    struct unpack *u = r->state;
    for (;;) {
        if (u->bad) {
            return complain_damage(u, e);
        }
        if (!u->inside) {
            int rc = next_member(u, e);
            if (rc <= 0) {
                return rc;
            }
        }
        if (!u->more && reader_bytes(&u->raw).len == 0) {
            int got = reader_fill(&u->raw, e);
            if (got <= 0) {
                return got < 0 ? -1 : complain(u, "is cut short", e);
            }
        }
        size_t n = unpack_some(u, at, cap);
        if (n > 0) {
            return (ssize_t)n;
        }
    }
}

static void release(void *state)
{
    struct unpack *u = state;
    u->codec->close(u->state);
    reader_release(&u->raw);
    free(u);
}

static const struct reader_source unpacked = {.read = read_unpacked, .release = release};

static int begin(struct reader *r, const struct unpack_codec *codec, struct err *e)
{
    void *state = codec->open();
    if (!state) {
        return err_set(e, ERR_IO, "%s: no memory for unpacking it", r->name);
    }
    struct unpack *u = mem_new(1, sizeof *u);
    *u = (struct unpack){.raw = *r, .codec = codec, .state = state};
    reader_init_source(r, &unpacked, u, u->raw.name, u->raw.tied);
    return 0;
}

int reader_unpack(struct reader *r, struct err *e)
{
    while (reader_bytes(r).len == 0) {
        int got = reader_fill(r, e);
        if (got <= 0) {
            return got;
        }
    }
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        int rc = member_begins(r, codecs[i], e);
        if (rc != 0) {
            return rc < 0 ? -1 : begin(r, codecs[i], e);
        }
    }
    return 0;
}
