#include "run/policy.h"

#include "base/buf.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A member of a rule, and what retry_add calls it; NULL: a remark, or the errors. */
struct member {
    const char *name;
    const char *setting;
    bool needed;
};

struct dialect {
    const char *errors;
    const char *defaults; /* settings that differ from those of retry_add */
    struct member members[7];
};

static const struct dialect cloudflow = {
    .errors = "Errors",
    .defaults = ":BackoffRate=1",
    .members = {{"Errors", NULL, true},
                {"MaxAttempts", "MaxAttempts", true},
                {"IntervalSeconds", "IntervalSeconds", true},
                {"BackoffRate", "BackoffRate", false},
                {"MaxBackoffSeconds", "MaxDelaySeconds", false},
                {"Description", NULL, false}},
};

static const struct dialect states = {
    .errors = "ErrorEquals",
    .defaults = ":BackoffRate=2",
    .members = {{"ErrorEquals", NULL, true},
                {"MaxAttempts", "MaxAttempts", false},
                {"IntervalSeconds", "IntervalSeconds", false},
                {"BackoffRate", "BackoffRate", false},
                {"MaxDelaySeconds", "MaxDelaySeconds", false},
                {"JitterStrategy", "Jitter", false},
                {"Comment", NULL, false}},
};

static const struct member *find_member(const struct dialect *d, const char *name)
{
    for (size_t i = 0; i < sizeof d->members / sizeof *d->members; i++) {
        if (d->members[i].name && strcmp(d->members[i].name, name) == 0) {
            return &d->members[i];
        }
    }
    return NULL;
}

static int check_needed(const struct dialect *d, const json_t *rule, struct err *e)
{
    for (size_t i = 0; i < sizeof d->members / sizeof *d->members; i++) {
        if (d->members[i].needed && !json_object_get(rule, d->members[i].name)) {
            return err_set(e, ERR_USAGE, "%s is missing", d->members[i].name);
        }
    }
    return 0;
}

/* The names of errors, separated by commas. */
static int put_errors(struct buf *text, const json_t *errors, const char *name, struct err *e)
{
    for (size_t i = 0; i < json_array_size(errors); i++) {
        const char *error = json_string_value(json_array_get(errors, i));
        if (!error || !*error || strpbrk(error, ":,")) {
            return err_set(e, ERR_USAGE, "%s holds something that is no name of an error", name);
        }
        buf_add_text(text, i > 0 ? "," : "");
        buf_add_text(text, error);
    }
    return json_array_size(errors) > 0 ? 0 : err_set(e, ERR_USAGE, "%s names no error", name);
}

static int put_setting(struct buf *text, const struct member *m, json_t *value, struct err *e)
{
    const char *word = json_string_value(value);
    if (!m->setting) {
        return 0;
    }
    char *number =
        json_is_number(value) ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)) : NULL;
    if (!number && !(word && strcmp(m->setting, "Jitter") == 0 && !strpbrk(word, ",="))) {
        return err_set(e, ERR_USAGE, "%s is no %s", m->name,
                       strcmp(m->setting, "Jitter") == 0 ? "strategy" : "number");
    }
    buf_printf(text, ",%s=%s", m->setting, number ? number : word);
    free(number);
    return 0;
}

/* A rule as the text that retry_add takes. */
static int put_rule(struct buf *text, json_t *rule, struct err *e)
{
    const struct dialect *d = json_object_get(rule, "Errors") ? &cloudflow : &states;
    const char *name;
    json_t *value;
    if (check_needed(d, rule, e) < 0 ||
        put_errors(text, json_object_get(rule, d->errors), d->errors, e) < 0) {
        return -1;
    }
    buf_add_text(text, d->defaults);
    json_object_foreach(rule, name, value)
    {
        const struct member *m = find_member(d, name);
        if (!m) {
            return err_set(e, ERR_USAGE, "a rule with %s has no %s", d->errors, name);
        }
        if (put_setting(text, m, value, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int add_rule(struct retry_policy *p, json_t *rule, struct err *e)
{
    struct buf text = {0};
    int rc =
        json_is_object(rule) ? put_rule(&text, rule, e) : err_set(e, ERR_USAGE, "it is no object");
    rc = rc < 0 ? rc : retry_add_owned(p, mem_text(buf_text(&text)), e);
    buf_release(&text);
    return rc;
}

/* The list of rules in a document, or NULL with E filled. */
static const json_t *find_rules(const json_t *document, struct err *e)
{
    const json_t *rules = json_is_object(document) ? json_object_get(document, "Retry") : document;
    if (!json_is_array(rules)) {
        err_set(e, ERR_USAGE, "it is no list of rules, nor an object with such a list Retry");
        return NULL;
    }
    if (json_object_get(document, "Catch")) {
        err_set(e, ERR_USAGE, "Catch leads to a state of a flow; give --catch a command instead");
        return NULL;
    }
    return rules;
}

static int add_rules(struct retry_policy *p, const json_t *rules, struct err *e)
{
    int rc = rules ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < json_array_size(rules); i++) {
        rc = add_rule(p, json_array_get(rules, i), e);
        if (rc < 0) {
            err_prefix(e, "rule %zu", i + 1);
        }
    }
    return rc;
}

int policy_add(struct retry_policy *p, struct span rules, struct err *e)
{
    json_error_t fault;
    json_t *list = json_loadb(rules.at, rules.len, JSON_REJECT_DUPLICATES, &fault);
    if (!json_is_array(list)) {
        json_decref(list);
        return err_set(e, ERR_USAGE, "it is no list of rules");
    }
    int rc = add_rules(p, list, e);
    json_decref(list);
    return rc;
}

int policy_read(struct retry_policy *p, const char *file, struct err *e)
{
    json_error_t fault;
    json_t *document = json_load_file(file, JSON_REJECT_DUPLICATES, &fault);
    if (!document) {
        return err_set(e, ERR_USAGE, "%s:%d:%d: %s", file, fault.line, fault.column, fault.text);
    }
    int rc = add_rules(p, find_rules(document, e), e);
    if (rc < 0) {
        err_prefix(e, "%s", file);
    }
    json_decref(document);
    return rc;
}
