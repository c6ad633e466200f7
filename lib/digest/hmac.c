#include "digest/hmac.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

void hmac_sha256(struct span key, struct span data, unsigned char out[HMAC_BYTES])
{
    unsigned char code[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    HMAC(EVP_sha256(), key.at, (int)key.len, (const unsigned char *)data.at, data.len, code, &n);
    memcpy(out, code, HMAC_BYTES);
}
