/*
 * unpack.h: gzip and zstd below a reader.
 *
 * One call behind reader_init makes compressed input read like plain input, on a file as on a pipe:
 *
 *     reader_init(&r, fd, name, out);
 *     if (reader_unpack(&r, &e) < 0 || reader_skip_bom(&r, &e) < 0) …
 *
 * The format is recognised by its magic bytes, whatever the input is called.  All members of gzip
 * input and all frames of zstd input are read one after the other; zstd's skippable frames are
 * passed over.  Nothing but further members may follow: the rest would be lost in silence.
 * Memory is bounded by the reader's buffer and the format's window (zstd: 128 MiB at most), however
 * much the input swells.
 *
 * Errors come from reader_fill, ERR_DATA, once all that could be unpacked before them has been
 * handed out: damage, a wrong checksum, input that is cut short, something behind the last member.
 * They name the byte of the compressed input; the reader's own offset counts unpacked bytes.
 *
 * Floor: ground.
 */
#ifndef FANLINE_IO_UNPACK_H
#define FANLINE_IO_UNPACK_H

#include "base/err.h"
#include "io/reader.h"

/*
 * If what R has yet to hand out begins like gzip or zstd, R unpacks it from here on; else R stays
 * as it is.  Looks at the first byte, and waits for further ones only where that could begin
 * one of the formats.  To be called once, before anything was taken.  Returns 0, or -1 with E
 * filled.
 */
int reader_unpack(struct reader *r, struct err *e);

#endif
