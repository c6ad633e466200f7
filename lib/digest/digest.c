#include "digest/digest.h"

#include <openssl/evp.h>
#include <strings.h>

struct digest {
    const char *name;
    const char *openssl;
};

static const struct digest digests[] = {
    {"MD5", "MD5"},
    {"SHA-1", "SHA1"},
    {"SHA", "SHA1"},
    {"SHA-224", "SHA224"},
    {"SHA-256", "SHA256"},
    {"SHA-384", "SHA384"},
    {"SHA-512", "SHA512"},
    {"SHA-512/224", "SHA512-224"},
    {"SHA-512/256", "SHA512-256"},
    {"SHA3-224", "SHA3-224"},
    {"SHA3-256", "SHA3-256"},
    {"SHA3-384", "SHA3-384"},
    {"SHA3-512", "SHA3-512"},
};

/* Is TEXT the NAME, perhaps without the dash of "SHA-"? */
static bool is_name(struct span text, const char *name)
{
    size_t len = strlen(name);
    if (text.len == len) {
        return strncasecmp(text.at, name, len) == 0;
    }
    return len > 4 && name[3] == '-' && text.len == len - 1 && strncasecmp(text.at, name, 3) == 0 &&
           strncasecmp(text.at + 3, name + 4, len - 4) == 0;
}

const struct digest *digest_find(struct span name)
{
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++) {
        if (is_name(name, digests[i].name)) {
            return &digests[i];
        }
    }
    return NULL;
}

const char *digest_names(void)
{
    return "MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/224, SHA-512/256, SHA3-224, "
           "SHA3-256, SHA3-384, SHA3-512";
}

int digest_bytes(const struct digest *d, struct span data, unsigned char out[DIGEST_BYTES_MAX],
                 size_t *len, struct err *e)
{
    _Static_assert(DIGEST_BYTES_MAX >= EVP_MAX_MD_SIZE, "room for every digest");
    const EVP_MD *md = EVP_get_digestbyname(d->openssl);
    unsigned n = 0;
    if (!md || !EVP_Digest(data.at, data.len, out, &n, md, NULL)) {
        return err_set(e, ERR_DATA, "the system does not offer the digest %s", d->name);
    }
    *len = n;
    return 0;
}

void digest_put_hex(struct buf *out, const unsigned char *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *at = buf_room(out, 2 * len);
    for (size_t i = 0; i < len; i++) {
        at[2 * i] = digits[bytes[i] >> 4];
        at[2 * i + 1] = digits[bytes[i] & 15];
    }
    out->len += 2 * len;
}

int digest_hex(const struct digest *d, struct span data, struct buf *out, struct err *e)
{
    unsigned char bytes[DIGEST_BYTES_MAX];
    size_t len;
    if (digest_bytes(d, data, bytes, &len, e) < 0) {
        return -1;
    }
    digest_put_hex(out, bytes, len);
    return 0;
}

int digest_begin(struct digest_run *r, const struct digest *d, struct err *e)
{
    const EVP_MD *md = EVP_get_digestbyname(d->openssl);
    if (!r->context) {
        r->context = EVP_MD_CTX_new();
    }
    if (!md || !r->context || !EVP_DigestInit_ex(r->context, md, NULL)) {
        return err_set(e, ERR_DATA, "the system does not offer the digest %s", d->name);
    }
    return 0;
}

void digest_add(struct digest_run *r, struct span data)
{
    EVP_DigestUpdate(r->context, data.at, data.len);
}

size_t digest_end(struct digest_run *r, unsigned char out[DIGEST_BYTES_MAX])
{
    unsigned n = 0;
    EVP_DigestFinal_ex(r->context, out, &n);
    return n;
}

void digest_release(struct digest_run *r)
{
    EVP_MD_CTX_free(r->context);
    *r = (struct digest_run){0};
}
