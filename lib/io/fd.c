#include "io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void fd_close(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

int fd_write(int fd, struct span bytes)
{
    while (bytes.len > 0) {
        ssize_t n = write(fd, bytes.at, bytes.len);
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        size_t done = n > 0 ? (size_t)n : 0;
        bytes = span_of(bytes.at + done, bytes.len - done);
    }
    return 0;
}

ssize_t fd_read_file(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    ssize_t n = read(fd, out, size);
    int number = errno;
    close(fd);
    errno = number;
    return n;
}
