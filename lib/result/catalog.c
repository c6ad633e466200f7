#include "result/catalog.h"

#include "base/buf.h"
#include "base/mem.h"
#include "result/form.h"
#include "result/number.h"
#include "json/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    const char *name;
    bool always; /* its key is there also when there is no such file */
};

static const struct kind kinds[][CATALOG_KINDS] = {
    [CATALOG_CLOUDFLOW] = {[CATALOG_FAILED] = {"FAILED", true},
                           [CATALOG_PENDING] = {"PENDING", false},
                           [CATALOG_SUCCEED] = {"SUCCEED", true}},
    [CATALOG_AWS] = {[CATALOG_FAILED] = {"FAILED", true},
                     [CATALOG_PENDING] = {"PENDING", true},
                     [CATALOG_SUCCEED] = {"SUCCEEDED", true}},
};

enum catalog_kind catalog_kind_of(enum record_status status)
{
    return status == RECORD_SUCCEEDED ? CATALOG_SUCCEED
           : status == RECORD_PENDING ? CATALOG_PENDING
                                      : CATALOG_FAILED;
}

/* The number in KIND_NUMBER.json or .jsonl; false if NAME is none of these. */
static bool read_number(const char *name, const char *kind, uint64_t *n)
{
    size_t head = strlen(kind);
    if (strncmp(name, kind, head) != 0 || name[head] != '_') {
        return false;
    }
    const char *digits = name + head + 1;
    size_t count = strspn(digits, "0123456789");
    return count < 19 && number_read(span_of(digits, count), n) &&
           (strcmp(digits + count, ".json") == 0 || strcmp(digits + count, ".jsonl") == 0);
}

char *catalog_next_name(const struct catalog *c, enum catalog_kind kind, bool lines)
{
    struct buf b = {0};
    buf_printf(&b, "%s_%llu.%s", kinds[c->style][kind].name,
               (unsigned long long)c->lists[kind].next, lines ? "jsonl" : "json");
    buf_add_byte(&b, '\0');
    return b.at;
}

bool catalog_names_result(const char *name)
{
    uint64_t n;
    for (int k = 0; k < CATALOG_KINDS; k++) {
        if (read_number(name, kinds[CATALOG_CLOUDFLOW][k].name, &n) ||
            read_number(name, kinds[CATALOG_AWS][k].name, &n)) {
            return true;
        }
    }
    return false;
}

void catalog_add(struct catalog *c, enum catalog_kind kind, const char *name, uint64_t size)
{
    struct catalog_list *list = &c->lists[kind];
    uint64_t n;
    list->files = mem_grow(list->files, &list->cap, list->count, sizeof *list->files);
    list->files[list->count++] = (struct catalog_file){mem_text(name), size};
    if (read_number(name, kinds[c->style][kind].name, &n) && n >= list->next) {
        list->next = n + 1;
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **catalog_names(const struct catalog *c, size_t *count)
{
    size_t all = 0;
    for (int k = 0; k < CATALOG_KINDS; k++) {
        all += c->lists[k].count;
    }
    const char **names = mem_new(all + 1, sizeof *names);
    *count = 0;
    for (int k = 0; k < CATALOG_KINDS; k++) {
        for (size_t i = 0; i < c->lists[k].count; i++) {
            names[(*count)++] = c->lists[k].files[i].name;
        }
    }
    qsort(names, all, sizeof *names, compare_names);
    return names;
}

bool catalog_is_among(const char *const *names, size_t count, const char *name)
{
    return bsearch(&name, names, count, sizeof *names, compare_names) != NULL;
}

static void clear_list(struct catalog_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->files[i].name);
    }
    free(list->files);
    *list = (struct catalog_list){0};
}

void catalog_move(struct catalog *c, struct catalog *from, enum catalog_kind kind)
{
    struct catalog_list *list = &from->lists[kind];
    for (size_t i = 0; i < list->count; i++) {
        catalog_add(c, kind, list->files[i].name, list->files[i].size);
    }
    uint64_t next = list->next;
    clear_list(list);
    list->next = next; /* the names stay taken */
}

/* ---- writing ---- */

void catalog_put_object_name(const struct catalog *c, const char *name, struct writer *w)
{
    struct buf b = {0};
    buf_add_text(&b, c->folder);
    buf_add_byte(&b, '/');
    buf_add_text(&b, name);
    text_put(w, buf_span(&b));
    buf_release(&b);
}

static void put_list(const struct catalog *c, enum catalog_kind kind, struct writer *w)
{
    const struct catalog_list *list = &c->lists[kind];
    text_put(w, span_text(kinds[c->style][kind].name));
    writer_put_span(w, SPAN_LIT(":["));
    for (size_t i = 0; i < list->count; i++) {
        writer_put_span(w, i > 0 ? SPAN_LIT(",{") : SPAN_LIT("{"));
        writer_put_span(w, c->style == CATALOG_AWS ? SPAN_LIT("\"Key\":")
                                                   : SPAN_LIT("\"ObjectName\":"));
        catalog_put_object_name(c, list->files[i].name, w);
        writer_put_span(w, SPAN_LIT(",\"Size\":"));
        writer_put_u64(w, list->files[i].size);
        writer_put_byte(w, '}');
    }
    writer_put_byte(w, ']');
}

void catalog_put_run(const struct catalog *c, struct writer *w)
{
    struct buf text = {0};
    if (c->style == CATALOG_AWS) {
        buf_add_text(&text, FORM_ARN "mapRun:");
        buf_add_text(&text, c->flow ? c->flow : "");
        buf_add_byte(&text, ':');
    }
    buf_add_text(&text, c->run);
    writer_put_span(w, c->style == CATALOG_AWS ? SPAN_LIT("\"MapRunArn\":")
                                               : SPAN_LIT("\"MapRunName\":"));
    text_put(w, buf_span(&text));
    buf_release(&text);
}

void catalog_put(const struct catalog *c, struct writer *w)
{
    writer_put_span(w, SPAN_LIT("{\"DestinationBucket\":"));
    text_put(w, span_text(c->bucket));
    writer_put_byte(w, ',');
    catalog_put_run(c, w);
    writer_put_span(w, SPAN_LIT(",\"ResultFiles\":{"));
    for (int k = 0; k < CATALOG_KINDS; k++) {
        if (kinds[c->style][k].always || c->lists[k].count > 0) {
            if (k > 0) {
                writer_put_byte(w, ',');
            }
            put_list(c, (enum catalog_kind)k, w);
        }
    }
    writer_put_byte(w, '}');
    if (c->redrives > 0) {
        writer_put_span(w, SPAN_LIT(",\"RedriveCount\":"));
        writer_put_u64(w, c->redrives);
    }
    writer_put_byte(w, '}');
    writer_commit(w);
}

/* ---- reading ---- */

/* A copy of the string NAME of OBJECT; NULL with E filled. */
static char *read_text(const json_t *object, const char *name, struct err *e)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (!text) {
        err_set(e, ERR_DATA, "it has no text %s", name);
    }
    return mem_text(text);
}

static int read_file(struct catalog *c, enum catalog_kind kind, const json_t *file, struct err *e)
{
    const char *object = json_string_value(json_object_get(file, "ObjectName"));
    const json_t *size = json_object_get(file, "Size");
    const char *slash = object ? strrchr(object, '/') : NULL;
    const char *name = slash ? slash + 1 : object;
    uint64_t n;
    const char *kind_name = kinds[CATALOG_CLOUDFLOW][kind].name;
    if (!name || !read_number(name, kind_name, &n)) {
        return err_set(e, ERR_DATA, "a file of %s has not its name: %s", kind_name,
                       name ? name : "none");
    }
    if (!json_is_integer(size) || json_integer_value(size) < 0) {
        return err_set(e, ERR_DATA, "the file %s has no Size", name);
    }
    if (slash && !c->folder) {
        c->folder = mem_copy(object, (size_t)(slash - object));
    }
    catalog_add(c, kind, name, (uint64_t)json_integer_value(size));
    return 0;
}

static int read_list(struct catalog *c, enum catalog_kind kind, const json_t *list, struct err *e)
{
    size_t i;
    const json_t *file;
    if (list && !json_is_array(list)) {
        return err_set(e, ERR_DATA, "%s is no list", kinds[CATALOG_CLOUDFLOW][kind].name);
    }
    json_array_foreach(list, i, file)
    {
        if (read_file(c, kind, file, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int read_root(struct catalog *c, const json_t *root, struct err *e)
{
    const json_t *lists = json_object_get(root, "ResultFiles");
    if (json_object_get(root, "MapRunArn")) {
        return err_set(e, ERR_DATA, "its results have the form of AWS, which is only written");
    }
    c->bucket = read_text(root, "DestinationBucket", e);
    c->run = c->bucket ? read_text(root, "MapRunName", e) : NULL;
    if (!c->run) {
        return -1;
    }
    if (!json_is_object(lists)) {
        return err_set(e, ERR_DATA, "it has no ResultFiles");
    }
    for (int k = 0; k < CATALOG_KINDS; k++) {
        if (read_list(c, (enum catalog_kind)k,
                      json_object_get(lists, kinds[CATALOG_CLOUDFLOW][k].name), e) < 0) {
            return -1;
        }
    }
    json_int_t redrives = json_integer_value(json_object_get(root, "RedriveCount"));
    c->redrives = redrives > 0 ? (uint64_t)redrives : 0;
    if (!c->folder) {
        c->folder = mem_text(c->run);
    }
    return 0;
}

int catalog_read(struct catalog *c, struct span text, struct err *e)
{
    json_error_t error;
    json_t *root = json_loadb(text.at, text.len, 0, &error);
    if (!root) {
        return err_set(e, ERR_DATA, "it is no JSON: %s", error.text);
    }
    int rc = read_root(c, root, e);
    json_decref(root);
    return rc;
}

void catalog_release(struct catalog *c)
{
    for (int k = 0; k < CATALOG_KINDS; k++) {
        clear_list(&c->lists[k]);
    }
    free(c->bucket);
    free(c->folder);
    free(c->run);
    free(c->flow);
    *c = (struct catalog){0};
}
