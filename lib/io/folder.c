#include "io/folder.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int folder_sync_entry(const char *path)
{
    char *copy = mem_text(path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    if (fd < 0) {
        return errno == EACCES ? 0 : -1;
    }
    int rc = fsync(fd);
    int number = errno;
    close(fd);
    errno = number;
    return rc < 0 && errno != EINVAL && errno != ENOTSUP ? -1 : 0;
}

static int make_one(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) == 0) {
        return folder_sync_entry(path);
    }
    if (errno != EEXIST || stat(path, &st) < 0) {
        return -1;
    }
    errno = ENOTDIR;
    return S_ISDIR(st.st_mode) ? 0 : -1;
}

int folder_make(const char *path, struct err *e)
{
    char *part = mem_text(path);
    int rc = 0;
    for (char *at = part; rc == 0 && *at;) {
        at += strspn(at, "/");
        at += strcspn(at, "/");
        char slash = *at;
        *at = '\0';
        rc = make_one(part);
        *at = slash;
    }
    int number = errno;
    free(part);
    return rc < 0 ? err_system(e, number, "cannot make the folder %s", path) : 0;
}
