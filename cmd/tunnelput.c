/* tunnelput: append lines to a stream. */
#include "cli/expression.h"
#include "cli/store_option.h"
#include "cli/stream.h"

#include "base/clock.h"
#include "tunnel/put.h"

#include <poll.h>
#include <strings.h>

#define PATIENCE (30 * CLOCK_SECOND) /* a restart of a server fits in */

enum { BUFFER_DEFAULT = 100, PARTITIONS_MAX = 4096 };

struct options {
    struct cli_stream stream;
    struct cli_store store;
    const char *name;
    const char *key;
    int64_t partitions;
    int64_t buffer;
};

static const struct cli_option option_table[] = {
    {.letter = 'S',
     .name = "stream",
     .argument = "STREAM",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, name),
     .help = "append to this stream"},
    {.name = "key",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, key),
     .help = "lines with the same key stay in order"},
    {.name = "partitions",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, partitions),
     .min = 1,
     .max = PARTITIONS_MAX,
     .help = "make the stream with N partitions if it is not there"},
    {.letter = 'B',
     .name = "buffer",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, buffer),
     .min = 1,
     .max = 10000,
     .help = "at most N lines in one call (100)"},
};

static const struct cli_program program = {
    .name = "tunnelput",
    .summary = "Append lines to a stream that tunnels read",
    .usage = "",
    .example = "  mapsplit orders.csv | tunnelput -S orders --partitions 8 --key '${customer}'",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_REDIS_TABLE(struct options),
               CLI_STREAM_TABLE(struct options)},
};

/* Lines do not wait for others: what there is leaves before the input is waited for. */
struct pause {
    struct put *put;
    const struct reader *reader;
    int (*wait)(void *waiter, struct err *e); /* whose place we took; NULL: none */
    void *waiter;
};

static int before_waiting(void *context, struct err *e)
{
    struct pause *p = context;
    struct pollfd input = {.fd = p->reader->fd, .events = POLLIN};
    if (poll(&input, 1, 0) > 0) {
        return 0;
    }
    if (put_send(p->put, e) < 0) {
        return -1;
    }
    return p->wait ? p->wait(p->waiter, e) : 0;
}

static void report(void *context, const struct err *e)
{
    char text[ERR_TEXT_MAX];
    (void)context;
    cli_warn(&program, "%s; trying again", err_message(e, text, sizeof text));
}

static int run(struct put *p, struct lines_in *in, struct cli_stream_io *io, struct err *e)
{
    struct span line;
    int got;
    while ((got = lines_next(in, &line, e)) > 0) {
        if (put_line(p, line, e) < 0 && lines_refuse(in, e) < 0) {
            break;
        }
        if (put_is_full(p) && put_send(p, e) < 0) {
            return -1;
        }
        progress_count(&io->progress, in->items);
    }
    struct err late = {0};
    if (put_send(p, &late) < 0 && got == 0) { /* what came before a bad line counts */
        *e = late;
        return -1;
    }
    return got == 0 ? 0 : -1;
}

static int filter(const struct options *o, struct service *s, const struct attr_template *key,
                  struct err *e)
{
    struct cli_stream_io io;
    struct put put = {0};
    struct lines_in in;
    struct put_rules rules = {.key = key,
                              .buffer = (size_t)o->buffer,
                              .patience = PATIENCE,
                              .report = o->stream.quiet ? NULL : report};
    if (put_open(&put, s, o->name, o->partitions, &rules, e) < 0 ||
        cli_stream_open(&io, &program, &o->stream, e) < 0) {
        put_close(&put);
        return cli_fail(&program, e);
    }
    struct pause pause = {&put, &io.reader, io.reader.wait, io.reader.waiter};
    io.reader.wait = before_waiting;
    io.reader.waiter = &pause;
    lines_open(&in, &io.reader, &io.rules);
    int rc = run(&put, &in, &io, e);
    io.verbose = false; /* nothing is written here: it would tell of no items */
    int status = cli_stream_close(&io, rc, e, 0, &in);
    if (o->stream.verbose) {
        cli_warn(&program, "%llu lines appended", (unsigned long long)put.appended);
    }
    lines_close(&in);
    put_close(&put);
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {.stream = CLI_STREAM_DEFAULTS, .buffer = BUFFER_DEFAULT};
    struct cli_operands operands;
    struct attr_template *key = NULL;
    struct service service = {0};
    struct buf url = {0};
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    if (!o.name || !*o.name) {
        err_set(&e, ERR_USAGE, "no stream is named: --stream=STREAM");
    } else if (cli_expression(&key, "--key", o.key, &e) == 0 &&
               cli_store_url(&url, &o.store, &e) == 0 &&
               service_open(&service, buf_text(&url), &e) == 0) {
        status = filter(&o, &service, key, &e);
    }
    if (status == CLI_RUN) {
        status = cli_fail(&program, &e);
    }
    if (url.at) {
        explicit_bzero(url.at, url.cap);
    }
    buf_release(&url);
    service_close(&service);
    attr_free(key);
    return status;
}
