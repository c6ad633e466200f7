#include "store/backend.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* NAME and VALUE copied into one allocation, which NAME's span owns. */
static struct store_attribute copy_pair(struct span name, struct span value)
{
    char *at = mem_resize(NULL, name.len + value.len + 1, 1);
    if (name.len > 0) {
        memcpy(at, name.at, name.len);
    }
    if (value.len > 0) {
        memcpy(at + name.len, value.at, value.len);
    }
    return (struct store_attribute){span_of(at, name.len), span_of(at + name.len, value.len)};
}

static void release_lists(struct store_counter *counters, size_t counter_count,
                          struct store_attribute *attributes, size_t attribute_count)
{
    for (size_t i = 0; i < counter_count; i++) {
        free((char *)counters[i].name.at);
    }
    for (size_t i = 0; i < attribute_count; i++) {
        free((char *)attributes[i].name.at);
    }
    free(counters);
    free(attributes);
}

static int by_attribute_name(const void *a, const void *b)
{
    const struct store_attribute *x = a;
    const struct store_attribute *y = b;
    return span_compare(x->name, y->name);
}

static int by_counter_name(const void *a, const void *b)
{
    const struct store_counter *x = a;
    const struct store_counter *y = b;
    return span_compare(x->name, y->name);
}

static void sort_lists(struct store_counter *counters, size_t counter_count,
                       struct store_attribute *attributes, size_t attribute_count)
{
    if (counter_count > 1) {
        qsort(counters, counter_count, sizeof *counters, by_counter_name);
    }
    if (attribute_count > 1) {
        qsort(attributes, attribute_count, sizeof *attributes, by_attribute_name);
    }
}

/* ---- grants ---- */

void store_grant_counter(struct store_grant *g, struct span name, int64_t value)
{
    g->counters = mem_grow(g->counters, &g->counter_cap, g->counter_count, sizeof *g->counters);
    struct span copy = copy_pair(name, (struct span){0}).name;
    g->counters[g->counter_count++] = (struct store_counter){copy, value};
}

void store_grant_attribute(struct store_grant *g, struct span name, struct span value)
{
    g->attributes =
        mem_grow(g->attributes, &g->attribute_cap, g->attribute_count, sizeof *g->attributes);
    g->attributes[g->attribute_count++] = copy_pair(name, value);
}

void store_grant_sort(struct store_grant *g)
{
    sort_lists(g->counters, g->counter_count, g->attributes, g->attribute_count);
}

void store_grant_release(struct store_grant *g)
{
    release_lists(g->counters, g->counter_count, g->attributes, g->attribute_count);
    *g = (struct store_grant){0};
}

/* ---- entries ---- */

void store_entry_counter(struct store_entry *entry, struct span name, int64_t value)
{
    entry->counters = mem_grow(entry->counters, &entry->counter_cap, entry->counter_count,
                               sizeof *entry->counters);
    struct span copy = copy_pair(name, (struct span){0}).name;
    entry->counters[entry->counter_count++] = (struct store_counter){copy, value};
}

void store_entry_attribute(struct store_entry *entry, struct span name, struct span value)
{
    entry->attributes = mem_grow(entry->attributes, &entry->attribute_cap, entry->attribute_count,
                                 sizeof *entry->attributes);
    entry->attributes[entry->attribute_count++] = copy_pair(name, value);
}

void store_entry_sort(struct store_entry *entry)
{
    sort_lists(entry->counters, entry->counter_count, entry->attributes, entry->attribute_count);
}

void store_entry_copy(struct store_entry *out, const struct store_entry *from)
{
    store_entry_release(out);
    for (size_t i = 0; i < from->counter_count; i++) {
        store_entry_counter(out, from->counters[i].name, from->counters[i].value);
    }
    for (size_t i = 0; i < from->attribute_count; i++) {
        store_entry_attribute(out, from->attributes[i].name, from->attributes[i].value);
    }
    out->tickets = from->tickets;
    out->ancient = from->ancient;
    buf_add_span(&out->revision, buf_span(&from->revision));
}

void store_entry_release(struct store_entry *entry)
{
    release_lists(entry->counters, entry->counter_count, entry->attributes, entry->attribute_count);
    buf_release(&entry->revision);
    *entry = (struct store_entry){0};
}
