#include "redis/dial.h"

#include "base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { KEEP_IDLE_SECONDS = 15, KEEP_PROBES = 3 };

int dial_failed(int number, struct err *e)
{
    bool forbidden = number == EACCES || number == EPERM;
    enum err_code code = forbidden          ? ERR_USAGE
                         : number == EMFILE ? ERR_IO /* descriptors are our own: none will come */
                                            : ERR_LATER;
    return err_set(e, code, "%s", strerror(number));
}

int dial_wait(int fd, short events, int64_t deadline, int stop, struct err *e)
{
    for (;;) {
        struct pollfd p[] = {{.fd = fd, .events = events}, {.fd = stop, .events = POLLIN}};
        int n = poll(p, 2, clock_poll(deadline));
        if (n < 0 && errno != EINTR) {
            return dial_failed(errno, e);
        }
        if (n > 0 && p[0].revents) {
            return 0;
        }
        if (n > 0) {
            return err_set(e, ERR_LATER, "no answer before the end came");
        }
        if (clock_now() >= deadline) {
            return err_set(e, ERR_LATER, "no answer in time");
        }
    }
}

/* Connect a new socket to ADDRESS. */
static int connect_to(const struct sockaddr *address, socklen_t len, int64_t deadline, int stop,
                      struct err *e)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return dial_failed(errno, e);
    }
    int number = connect(fd, address, len) < 0 ? errno : 0;
    socklen_t size = sizeof number;
    int rc = 0;
    if (number == EINPROGRESS) {
        rc = dial_wait(fd, POLLOUT, deadline, stop, e);
        if (rc == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size) < 0) {
            number = errno;
        }
    }
    if (rc == 0 && number != 0) {
        rc = dial_failed(number, e);
    }
    if (rc < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int dial_socket(const char *path, int64_t deadline, int stop, struct err *e)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len >= sizeof address.sun_path) {
        return err_set(e, ERR_USAGE, "the path of a socket has at most %zu bytes",
                       sizeof address.sun_path - 1);
    }
    memcpy(address.sun_path, path, len + 1);
    return connect_to((struct sockaddr *)&address, sizeof address, deadline, stop, e);
}

/* Small commands leave at once, and a host that has vanished is noticed within a minute. */
static void set_up(int fd)
{
    int yes = 1, idle = KEEP_IDLE_SECONDS, probes = KEEP_PROBES;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof idle);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

static int dial_host(const struct peer *p, int64_t deadline, int stop, struct err *e)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list;
    char port[16];
    snprintf(port, sizeof port, "%d", p->port);
    int rc = getaddrinfo(p->host, port, &hints, &list);
    if (rc != 0) {
        return err_set(e, ERR_LATER, "%s: %s", p->host, gai_strerror(rc));
    }
    int fd = -1;
    for (const struct addrinfo *at = list; at && fd < 0; at = at->ai_next) {
        fd = connect_to(at->ai_addr, at->ai_addrlen, deadline, stop, e);
    }
    freeaddrinfo(list);
    if (fd >= 0) {
        set_up(fd);
    }
    return fd;
}

int dial(const struct peer *p, int64_t deadline, int stop, struct err *e)
{
    return p->path ? dial_socket(p->path, deadline, stop, e) : dial_host(p, deadline, stop, e);
}
