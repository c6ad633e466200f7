#include "object/account.h"

#include "base/mem.h"
#include "object/ini.h"

#include <stdlib.h>
#include <string.h>

/* A section of a file, and what it calls what we look for. */
struct profile {
    struct span text; /* of the file */
    const char *section;
    const char *id;
    const char *secret;
    const char *token;
};

static bool is_said(const char *text)
{
    return text && *text;
}

static char *said(const char *text)
{
    return is_said(text) ? mem_text(text) : NULL;
}

/* Set *TO, unless something was said before. */
static void add(char **to, struct span value)
{
    if (!*to && value.len > 0) {
        *to = mem_copy(value.at, value.len);
    }
}

static int half_key(const char *have, const char *miss, const char *where, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s is set and %s is not (%s)", have, miss, where);
}

/* The key of the settings, if they have one. */
static int take_key(struct account *a, const struct object_key *k, const char *id,
                    const char *secret, struct err *e)
{
    if (is_said(k->id) != is_said(k->secret)) {
        bool has_id = is_said(k->id);
        return half_key(has_id ? id : secret, has_id ? secret : id, "environment", e);
    }
    if (is_said(k->id)) {
        a->id = said(k->id);
        a->secret = said(k->secret);
        a->token = said(k->token);
    }
    return 0;
}

/* The key of P, if it has one and there is none yet. */
static int take_profile_key(struct account *a, const struct profile *p, struct err *e)
{
    struct span id = ini_get(p->text, p->section, p->id);
    struct span secret = ini_get(p->text, p->section, p->secret);
    if (a->id || (id.len == 0 && secret.len == 0)) {
        return 0;
    }
    if (id.len == 0 || secret.len == 0) {
        bool has_id = id.len > 0;
        return half_key(has_id ? p->id : p->secret, has_id ? p->secret : p->id, p->section, e);
    }
    add(&a->id, id);
    add(&a->secret, secret);
    add(&a->token, ini_get(p->text, p->section, p->token));
    return 0;
}

/* ---- S3 ---- */

static void take_s3_style(struct account *a, const struct profile *p)
{
    struct span style = ini_get(p->text, p->section, "s3.addressing_style");
    if (a->style == OBJECT_STYLE_AUTO) {
        a->style = span_equal(style, SPAN_LIT("path"))      ? OBJECT_STYLE_PATH
                   : span_equal(style, SPAN_LIT("virtual")) ? OBJECT_STYLE_VIRTUAL
                                                            : OBJECT_STYLE_AUTO;
    }
}

static int take_s3_profile(struct account *a, const struct profile *p, struct err *e)
{
    add(&a->region, ini_get(p->text, p->section, "region"));
    add(&a->endpoint, ini_get(p->text, p->section, "endpoint_url"));
    take_s3_style(a, p);
    return take_profile_key(a, p, e);
}

static int no_s3_key(const struct object_settings *s, bool profile, const char *name, struct err *e)
{
    if (profile) {
        return err_set(e, ERR_USAGE,
                       "the profile %s has no access key (aws_access_key_id); of the other ways"
                       " to sign in none is known here",
                       name);
    }
    return err_set(e, ERR_USAGE,
                   "there is no access key for s3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,"
                   " or write a profile into %s",
                   is_said(s->s3_credentials_file) ? s->s3_credentials_file : "a credentials file");
}

/* What the two files say, CREDENTIALS and CONFIG. */
static int take_s3_files(struct account *a, const struct object_settings *s,
                         struct span credentials, struct span config, struct err *e)
{
    bool named = is_said(s->s3_profile);
    const char *name = named ? s->s3_profile : "default";
    struct buf section = {0};
    buf_printf(&section, "profile %s", name);
    bool plain = strcmp(name, "default") == 0 && ini_has(config, name);
    struct profile first = {credentials, name, "aws_access_key_id", "aws_secret_access_key",
                            "aws_session_token"};
    struct profile second = first;
    second.text = config;
    second.section = plain ? name : buf_text(&section);
    bool there = ini_has(credentials, name) || ini_has(config, second.section);
    int rc = 0;
    if (named && !there) {
        rc = err_set(e, ERR_USAGE, "there is no profile %s for s3", name);
    }
    if (rc == 0 && (take_s3_profile(a, &first, e) < 0 || take_s3_profile(a, &second, e) < 0)) {
        rc = -1;
    }
    if (rc == 0 && !a->id && !s->anonymous) {
        rc = no_s3_key(s, there, name, e);
    }
    buf_release(&section);
    return rc;
}

static void drop_key(struct account *a)
{
    struct account key = {.id = a->id, .secret = a->secret, .token = a->token};
    a->id = a->secret = a->token = NULL;
    account_release(&key);
}

int account_s3(struct account *a, const struct object_settings *s, struct err *e)
{
    struct buf credentials = {0};
    struct buf config = {0};
    *a = (struct account){
        .style = s->s3_style, .region = said(s->s3_region), .endpoint = said(s->s3_endpoint)};
    int rc = take_key(a, &s->s3_key, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", e);
    if (rc == 0 && (ini_load(s->s3_credentials_file, &credentials, e) < 0 ||
                    ini_load(s->s3_config_file, &config, e) < 0)) {
        rc = -1;
    }
    if (rc == 0) {
        rc = take_s3_files(a, s, buf_span(&credentials), buf_span(&config), e);
    }
    if (s->anonymous) {
        drop_key(a);
    }
    buf_release(&credentials);
    buf_release(&config);
    return rc;
}

/* ---- OSS ---- */

static int take_oss_profile(struct account *a, struct span text, const char *section, struct err *e)
{
    struct profile p = {text, section, "accessKeyID", "accessKeySecret", "stsToken"};
    add(&a->region, ini_get(text, section, "region"));
    add(&a->endpoint, ini_get(text, section, "endpoint"));
    return take_profile_key(a, &p, e);
}

static int take_oss_file(struct account *a, const struct object_settings *s, struct span text,
                         struct err *e)
{
    bool named = is_said(s->oss_profile);
    struct buf section = {0};
    buf_printf(&section, "profile %s", named ? s->oss_profile : "default");
    int rc = 0;
    if (named && !ini_has(text, s->oss_profile) && !ini_has(text, buf_text(&section))) {
        rc = err_set(e, ERR_USAGE, "there is no profile %s for oss", s->oss_profile);
    }
    if (rc == 0 && (take_oss_profile(a, text, buf_text(&section), e) < 0 ||
                    take_oss_profile(a, text, named ? s->oss_profile : "default", e) < 0 ||
                    (!named && take_oss_profile(a, text, "Credentials", e) < 0))) {
        rc = -1;
    }
    if (rc == 0 && !a->id && !s->anonymous) {
        rc = err_set(e, ERR_USAGE,
                     "there is no access key for oss: set OSS_ACCESS_KEY_ID and"
                     " OSS_ACCESS_KEY_SECRET, or write a profile into %s",
                     is_said(s->oss_config_file) ? s->oss_config_file : "a configuration file");
    }
    buf_release(&section);
    return rc;
}

int account_oss(struct account *a, const struct object_settings *s, struct err *e)
{
    struct buf text = {0};
    *a = (struct account){.region = said(s->oss_region), .endpoint = said(s->oss_endpoint)};
    int rc = take_key(a, &s->oss_key, "OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET", e);
    if (rc == 0) {
        rc = ini_load(s->oss_config_file, &text, e);
    }
    if (rc == 0) {
        rc = take_oss_file(a, s, buf_span(&text), e);
    }
    if (s->anonymous) {
        drop_key(a);
    }
    buf_release(&text);
    return rc;
}

static void wipe(char *text)
{
    if (text) {
        explicit_bzero(text, strlen(text));
        free(text);
    }
}

void account_release(struct account *a)
{
    wipe(a->id);
    wipe(a->secret);
    wipe(a->token);
    free(a->region);
    free(a->endpoint);
    *a = (struct account){0};
}
