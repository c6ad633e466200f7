#include "cli/kinds.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Does a quotation begin at AT of TEXT?  An apostrophe amid a word begins none. */
static bool opens_quote(const char *text, const char *at)
{
    return (*at == '\'' || *at == '"') && (at == text || strchr(" (,:=[", at[-1]));
}

/* The byte behind the quotation that begins at AT: at the end, if it is not closed. */
static const char *behind_quote(const char *at)
{
    const char *end = strchr(at + 1, *at);
    return end ? end + 1 : at + strlen(at);
}

/* Append WORD to OUT, as far as there is place. */
static void append(char out[KINDS_TEXT_MAX], size_t *len, const char *word, size_t n)
{
    size_t place = KINDS_TEXT_MAX - 1 - *len;
    n = n < place ? n : place;
    memcpy(out + *len, word, n);
    *len += n;
    out[*len] = '\0';
}

/* What TEXT has in common with others of its kind. */
static void make_kind(char out[KINDS_TEXT_MAX], const char *text)
{
    size_t len = 0;
    out[0] = '\0';
    for (const char *at = text; *at;) {
        if (opens_quote(text, at)) {
            append(out, &len, "'...'", 5);
            at = behind_quote(at);
        } else if (is_digit(*at)) {
            append(out, &len, "N", 1);
            at += strspn(at, "0123456789");
        } else {
            append(out, &len, at++, 1);
        }
    }
}

static struct message_kind *find(struct kinds *k, const char *text)
{
    char own[KINDS_TEXT_MAX];
    make_kind(own, text);
    for (size_t i = 0; i < k->count; i++) {
        if (i == KINDS_MAX || strcmp(k->at[i].text, own) == 0) {
            return &k->at[i];
        }
    }
    struct message_kind *fresh = &k->at[k->count++];
    if (k->count <= KINDS_MAX) {
        memcpy(fresh->text, own, sizeof own);
    }
    return fresh;
}

enum kinds_verdict kinds_add(struct kinds *k, const char *text)
{
    uint64_t count = ++find(k, text)->count;
    return count <= KINDS_SHOWN ? KINDS_SHOW : count == KINDS_SHOWN + 1 ? KINDS_FIRST : KINDS_COUNT;
}

uint64_t kinds_hidden(const struct kinds *k, size_t i)
{
    uint64_t count = k->at[i].count;
    return count > KINDS_SHOWN ? count - KINDS_SHOWN : 0;
}
