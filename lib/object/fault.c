#include "object/fault.h"

#include "object/xml.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *path;
    size_t offset;
    size_t size;
} members[] = {
    {"Error/Code", offsetof(struct fault, code), sizeof((struct fault *)0)->code},
    {"Error/Message", offsetof(struct fault, message), sizeof((struct fault *)0)->message},
    {"Error/Region", offsetof(struct fault, region), sizeof((struct fault *)0)->region},
    {"Error/Endpoint", offsetof(struct fault, endpoint), sizeof((struct fault *)0)->endpoint},
};

static void on_end(void *context, const char *path, struct span text)
{
    struct fault *f = context;
    f->there = f->there || strcmp(path, "Error") == 0 || strncmp(path, "Error/", 6) == 0;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(path, members[i].path) == 0) {
            char *to = (char *)f + members[i].offset;
            size_t n = text.len < members[i].size - 1 ? text.len : members[i].size - 1;
            memcpy(to, text.at, n);
            to[n] = '\0';
        }
    }
}

void fault_read(struct fault *f, struct span body)
{
    static const struct xml_reader reader = {.end = on_end};
    *f = (struct fault){0};
    if (body.len > 0) {
        (void)xml_read(body, &reader, f, NULL);
    }
}

static bool is_one_of(const char *code, const char *const *codes)
{
    while (*codes && strcmp(code, *codes) != 0) {
        codes++;
    }
    return *codes != NULL;
}

bool fault_passes(const struct fault *f, long status)
{
    static const char *const codes[] = {"RequestTimeout",
                                        "RequestTimeoutException",
                                        "SlowDown",
                                        "ServiceUnavailable",
                                        "Busy",
                                        "InternalError",
                                        "InternalFailure",
                                        "OperationAborted",
                                        "ConditionalRequestConflict",
                                        "Throttling",
                                        "ThrottlingException",
                                        "TooManyRequests",
                                        "QpsLimitExceeded",
                                        "TotalQpsLimitExceeded",
                                        "DownloadTrafficRateLimitExceeded",
                                        "UploadTrafficRateLimitExceeded",
                                        NULL};
    return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 ||
           status == 504 || is_one_of(f->code, codes);
}

enum err_code fault_class(const struct fault *f, long status)
{
    static const char *const codes[] = {"InvalidAccessKeyId",
                                        "SignatureDoesNotMatch",
                                        "ExpiredToken",
                                        "TokenRefreshRequired",
                                        "InvalidToken",
                                        "InvalidSecurity",
                                        "InvalidSecurityToken",
                                        "SecurityTokenExpired",
                                        "AuthorizationHeaderMalformed",
                                        "RequestTimeTooSkewed",
                                        NULL};
    return fault_passes(f, status) ? ERR_LATER : is_one_of(f->code, codes) ? ERR_USAGE : ERR_IO;
}
