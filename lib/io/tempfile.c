#include "io/tempfile.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* For file systems that know no unnamed files: the name is taken away at once. */
static int open_and_unlink(const char *folder)
{
    struct buf path = {0};
    buf_printf(&path, "%s/fanline.XXXXXX", folder);
    buf_add_byte(&path, '\0');
    int fd = mkostemp(path.at, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path.at);
    }
    int number = errno;
    buf_release(&path);
    errno = number;
    return fd;
}

int tempfile_open(const char *folder, struct err *e)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        fd = open_and_unlink(folder);
    }
    return fd < 0 ? err_system(e, errno, "cannot make a temporary file in %s", folder) : fd;
}
