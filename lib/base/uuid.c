#include "base/uuid.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void uuid_random(void *at, size_t len)
{
    char *out = at;
    while (len > 0) {
        ssize_t n = getrandom(out, len, 0);
        if (n < 0 && errno != EINTR) {
            abort(); /* the kernel promises this for requests up to 256 bytes */
        }
        if (n > 0) {
            out += n;
            len -= (size_t)n;
        }
    }
}

char *uuid_make(char out[UUID_TEXT_MAX])
{
    uint8_t b[16];
    uuid_random(b, sizeof b);
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    snprintf(out, UUID_TEXT_MAX,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
    return out;
}
