/*
 * files.h: no file is written over while it has another use.
 *
 * A file that an option writes appears at the end under its name (io/outfile.h), in place of what
 * had that name: of the source, or of another output, which would be lost.  So a run is refused
 * in which a regular file, by whatever names, has two uses of which one is writing.  Devices,
 * pipes and sockets may be named as often as one likes; standard output and standard error may be
 * one file, and be named by their numbers.
 *
 * Floor: programs. Inside the room cli only.
 */
#ifndef FANLINE_CLI_FILES_H
#define FANLINE_CLI_FILES_H

#include "cli/cli.h"

/*
 * Look at the files that the parsed OPTIONS and OPERANDS of P name, and at the standard
 * descriptors.  Returns 0, or -1 with E filled (ERR_USAGE).
 */
int files_check(const struct cli_program *p, const void *options,
                const struct cli_operands *operands, struct err *e);

#endif
