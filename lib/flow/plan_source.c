/* Where the items of a distributed Map come from (reference/distributed-map.md 1.3, 2.2). */
#include "flow/plan.h"

#include "base/units.h"

#include <string.h>

/* "oss://BUCKET/KEY" as a word. WHAT says where the key stands; a listing may do without. */
static int name_object(const struct plan_making *k, struct plan_stage *s, setting key,
                       const char *what, bool listing)
{
    struct buf place = {0};
    struct buf text = {0};
    int rc = plan_text(k, k->map->bucket, "Bucket", &text);
    if (rc == 0 && text.len == 0) {
        rc = err_set(k->err, ERR_DATA, "the reader names no Bucket");
    }
    buf_add_text(&place, k->cloudflow ? "oss://" : "s3://");
    buf_add_span(&place, buf_span(&text));
    buf_add_byte(&place, '/');
    rc = rc < 0 ? rc : plan_text(k, key, what, &text);
    if (rc == 0 && text.len == 0 && !listing) {
        rc = err_set(k->err, ERR_DATA, "the reader names no %s", what);
    }
    buf_add_span(&place, buf_span(&text));
    plan_word(s, "", buf_span(&place));
    buf_release(&place);
    buf_release(&text);
    return rc;
}

static void name_format(struct plan_stage *s, const char *format)
{
    plan_word(s, "-f", SPAN_LIT(""));
    plan_word(s, format, SPAN_LIT(""));
}

static struct plan_stage *begin_split(const struct plan_making *k)
{
    return plan_stage(k, PLAN_SPLIT, "mapsplit");
}

/*
 * MaxItems.  Of a reader of the States Language what is below 0 is left to mapsplit to refuse: then
 * it is the reader that fails (2.2).
 */
static int limit_items(const struct plan_making *k, struct plan_stage *s)
{
    struct buf text = {0};
    struct err unused = {0};
    int64_t n;
    bool below = !k->cloudflow && k->map->reader &&
                 data_text(k->frame, k->map->max_items, &text, &unused) == 0 &&
                 units_integer(buf_span(&text), INT64_MIN, -1, &n, &unused) == 0;
    if (below) {
        plan_word(s, "--max-items=", buf_span(&text));
    }
    buf_release(&text);
    return below ? 0 : plan_number(k, s, "-n", k->map->max_items, "MaxItems", INT64_MAX);
}

/* ---- of the input ---- */

static bool mentions(const struct map *m, const char *text)
{
    return m->constructor.len > 0 &&
           memmem(m->constructor.at, m->constructor.len, text, strlen(text)) != NULL;
}

/*
 * Wrap the items if the constructor asks for what they do not carry themselves: also for their
 * value, since an item that is {"Key":…,"Value":…} need be no member of an object.  In CloudFlow
 * $Item is the item as it is, and has to stay that.
 */
static void wrap_items(const struct plan_making *k, struct plan_stage *s)
{
    if (!k->cloudflow && mentions(k->map, "Map.Item")) {
        plan_word(s, "--context=aws", SPAN_LIT(""));
    }
}

/* The items are the value of an expression that is no path into the input. */
static void plan_expression(const struct plan_making *k)
{
    const struct node *n = node_get(k->frame->state->node, "ItemsPath");
    struct plan_stage *s = plan_stage(k, PLAN_ITEMS, "evalexpr");
    plan_word(s, "--null-input", SPAN_LIT(""));
    if (template_uses(k->map->items, PATH_INPUT)) {
        plan_word(s, "-i", SPAN_LIT(""));
        plan_word(s, k->names->input, SPAN_LIT(""));
    }
    if (template_uses(k->map->items, PATH_CONTEXT) && k->names->context) {
        plan_word(s, "--context=", span_text(k->names->context));
    }
    plan_word(s, "", n ? n->text : SPAN_LIT("null"));
}

static int plan_input(const struct plan_making *k)
{
    const struct map *m = k->map;
    bool computed = m->items && m->items_path.len == 0;
    bool whole = !m->items || span_equal(m->items_path, SPAN_LIT("$")) ||
                 span_equal(m->items_path, SPAN_LIT("$Input"));
    if (computed) {
        plan_expression(k);
    }
    struct plan_stage *s = begin_split(k);
    name_format(s, "json");
    if (k->cloudflow) {
        plan_word(s, "--require-array", SPAN_LIT(""));
    }
    wrap_items(k, s);
    if (limit_items(k, s) < 0) {
        return -1;
    }
    if (!computed && !whole) {
        plan_word(s, "-p", SPAN_LIT(""));
        plan_word(s, "", m->items_path);
    }
    if (!computed) {
        plan_word(s, k->names->input, SPAN_LIT(""));
    }
    return 0;
}

/* ---- of a bucket ---- */

/* The name of a column as a field of CSV: in quotes, unless nothing in it could need them. */
static void add_field(struct buf *out, struct span name)
{
    bool plain = name.len > 0 && name.at[0] != ' ' && name.at[name.len - 1] != ' ';
    for (size_t i = 0; i < name.len && plain; i++) {
        plain = name.at[i] != ',' && name.at[i] != '"' && (unsigned char)name.at[i] >= ' ';
    }
    buf_add_text(out, plain ? "" : "\"");
    for (size_t i = 0; i < name.len; i++) {
        buf_add_text(out, name.at[i] == '"' ? "\"" : "");
        buf_add_byte(out, name.at[i]);
    }
    buf_add_text(out, plain ? "" : "\"");
}

/* The texts in the list N as a record of CSV: what --csv-headers takes. */
static int name_columns(const struct plan_making *k, struct plan_stage *s, const struct node *n)
{
    struct buf names = {0};
    int rc = 0;
    for (const struct node *m = n->child; m && rc == 0; m = m->next) {
        if (memchr(m->text.at, 0, m->text.len)) {
            rc = err_set(k->err, ERR_DATA, "CSVHeaders: a name has a NUL");
        }
        buf_add_text(&names, m == n->child ? "" : ",");
        add_field(&names, m->text);
    }
    plan_word(s, "--csv-headers=", buf_span(&names));
    plan_word(s, "--header=none", SPAN_LIT(""));
    buf_release(&names);
    return rc;
}

static int plan_csv(const struct plan_making *k, struct plan_stage *s, const struct node *config)
{
    const struct node *columns = node_get(config, "CSVHeaders");
    const struct node *delimiter = node_get(config, "CSVDelimiter");
    bool given = columns && !node_is(node_get(config, "CSVHeaderLocation"), "FIRST_ROW");
    name_format(s, "csv");
    if (!k->cloudflow) {
        plan_word(s, "--backslash", SPAN_LIT(""));
        plan_word(s, "--ragged=cut", SPAN_LIT(""));
        plan_word(s, "--empty-names", SPAN_LIT(""));
    }
    if (delimiter && delimiter->kind == NODE_STRING && !node_is(delimiter, "COMMA")) {
        struct buf name = {0};
        for (size_t i = 0; i < delimiter->text.len; i++) {
            char c = delimiter->text.at[i];
            buf_add_byte(&name, (char)(c >= 'A' && c <= 'Z' ? c + 32 : c));
        }
        plan_word(s, "--delimiter=", buf_span(&name));
        buf_release(&name);
    }
    return given ? name_columns(k, s, columns) : 0;
}

static int plan_json(const struct plan_making *k, struct plan_stage *s, const struct node *config)
{
    const struct node *pointer = node_get(config, "ItemsPointer");
    name_format(s, "json");
    plan_word(s, "--require-array", SPAN_LIT(""));
    if (pointer && pointer->kind == NODE_STRING && pointer->text.len > 0) {
        plan_word(s, "-p", SPAN_LIT(""));
        plan_word(s, "", pointer->text);
    }
    (void)k;
    return 0;
}

static int plan_lines(const struct plan_making *k, struct plan_stage *s, const struct node *config)
{
    (void)k;
    (void)config;
    name_format(s, "jsonl");
    return 0;
}

static int plan_inventory(const struct plan_making *k, struct plan_stage *s,
                          const struct node *config)
{
    const struct node *type = node_get(config, "ManifestType");
    name_format(s, "inventory");
    return !type || node_is(type, "S3_INVENTORY")
               ? 0
               : err_set(k->err, ERR_DATA, "ManifestType: only S3_INVENTORY can be read");
}

static int plan_listing(const struct plan_making *k, struct plan_stage *s,
                        const struct node *config)
{
    (void)config;
    name_format(s, "objects");
    if (k->frame->engine->rules->rooted) {
        plan_word(s, "--etag", SPAN_LIT("")); /* which a bucket always has */
    }
    if (!k->cloudflow) {
        plan_word(s, "--listing=aws", SPAN_LIT(""));
    }
    return 0;
}

struct kind {
    const char *name;
    int (*plan)(const struct plan_making *k, struct plan_stage *s, const struct node *config);
    bool lists;
};

static const struct kind kinds[] = {
    {"OSS_CSV", plan_csv, false},
    {"OSS_JSON_LIST", plan_json, false},
    {"OSS_OBJECTS", plan_listing, true},
    {"OSS_INVENTORY_FILES", plan_inventory, false},
    {"CSV", plan_csv, false},
    {"JSON", plan_json, false},
    {"JSONL", plan_lines, false},
    {"MANIFEST", plan_inventory, false},
    {"listObjectsV2", plan_listing, true},
};

static bool resource_lists(const struct node *reader)
{
    const struct node *resource = node_get(reader, "Resource");
    return resource && resource->kind == NODE_STRING &&
           memmem(resource->text.at, resource->text.len, "listObjects", 11);
}

/* Are the objects that are listed read, too? */
static bool loads(const struct node *config)
{
    return node_is(node_get(config, "Transformation"), "LOAD_AND_FLATTEN");
}

/* SourceType; or InputType, but for a Resource that lists and no more. */
static const struct kind *find_kind(const struct plan_making *k, const struct node *config)
{
    const struct node *reader = k->map->reader;
    const struct node *type =
        k->cloudflow ? node_get(reader, "SourceType") : node_get(config, "InputType");
    struct span name = type && type->kind == NODE_STRING ? type->text : SPAN_LIT("");
    if (resource_lists(reader) && !loads(config)) {
        name = SPAN_LIT("listObjectsV2");
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (span_equal(span_text(kinds[i].name), name)) {
            return &kinds[i];
        }
    }
    err_set(k->err, ERR_DATA, "the reader reads nothing that is known: '%.*s'", (int)name.len,
            name.at);
    return NULL;
}

static int name_source(const struct plan_making *k, struct plan_stage *s, const struct kind *kind)
{
    if (kind->lists || resource_lists(k->map->reader)) {
        return name_object(k, s, k->map->prefix, "Prefix", true);
    }
    return name_object(k, s, k->map->object, k->cloudflow ? "ObjectName" : "Key", false);
}

/* The version of the object, if one is named. */
static int name_version(const struct plan_making *k, struct plan_stage *s)
{
    struct buf text = {0};
    int rc = plan_text(k, k->map->version, "VersionId", &text);
    if (rc == 0 && text.len > 0) {
        plan_word(s, "--object-version=", buf_span(&text));
    }
    buf_release(&text);
    return rc;
}

static int plan_reader(const struct plan_making *k)
{
    const struct node *config = node_get(k->map->reader, "ReaderConfig");
    const struct kind *kind = find_kind(k, config);
    if (!kind) {
        return -1;
    }
    struct plan_stage *s = begin_split(k);
    if (kind->plan(k, s, config) < 0) {
        return -1;
    }
    if (loads(config)) {
        plan_word(s, "--load", SPAN_LIT(""));
    }
    wrap_items(k, s);
    if (name_version(k, s) < 0 || limit_items(k, s) < 0) {
        return -1;
    }
    return name_source(k, s, kind);
}

int plan_source(const struct plan_making *k)
{
    return k->map->reader ? plan_reader(k) : plan_input(k);
}
