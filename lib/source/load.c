/* The contents of all objects under a prefix, one behind the other:
 * reference/distributed-map.md 2.2, LOAD_AND_FLATTEN. */
#include "source/split.h"
#include "json/text.h"

#include <string.h>

/* What stands before a key of PLACE to make a place of it: a scheme and a bucket, or nothing. */
static size_t before_keys(const char *place)
{
    if (!object_is_url(place)) {
        return 0;
    }
    const char *bucket = strstr(place, "://") + 3;
    return (size_t)(bucket - place) + strcspn(bucket, "/");
}

static int check_place(const char *place, struct err *e)
{
    bool is_web = object_is_url(place) && strncmp(place, "http", 4) == 0;
    return is_web || strcmp(place, "-") == 0
               ? err_set(e, ERR_USAGE, "--load reads what is in folders and buckets, not %s", place)
               : 0;
}

/* The object O of the listing at PLACE. 0, or -1 with E filled. */
static int load(struct split *s, const char *place, const struct object_entry *o, struct err *e)
{
    size_t head = before_keys(place);
    struct buf name = {0};
    size_t bad;
    buf_add(&name, place, head);
    buf_add_text(&name, head > 0 ? "/" : "");
    buf_add_span(&name, o->key);
    int rc = 0;
    if (s->rules.context != EMIT_BARE && !text_is_utf8(buf_span(&name), &bad)) {
        rc = err_set(e, ERR_DATA, "--context: the name %s is not UTF-8 at byte %zu",
                     buf_text(&name), bad);
    } else {
        rc = split_place(s, buf_text(&name), 0, e);
    }
    buf_release(&name);
    return rc;
}

int split_load(struct split *s, const char *place, struct err *e)
{
    struct object_list *list;
    struct object_entry entry;
    struct object_list_options options = {.tied = s->emit.out, .follow = s->rules.follow_links};
    if (check_place(place, e) < 0 ||
        object_list_open(s->rules.client, place, &options, &list, e) < 0) {
        return -1;
    }
    int got = 1;
    while (got > 0 && !emit_full(&s->emit)) {
        got = object_list_next(list, &entry, e);
        if (got > 0 && entry.size > 0 && load(s, place, &entry, e) < 0) {
            got = -1; /* what is empty has no items, as what stands for a folder in a bucket */
        }
    }
    object_list_close(list);
    return got < 0 ? -1 : 0;
}
