/*
 * show.h: a program's option table, shown: as help and as shell completions.
 *
 * Everything goes to standard output.  Inside the room cli only.
 *
 * Floor: programs.
 */
#ifndef FANLINE_CLI_SHOW_H
#define FANLINE_CLI_SHOW_H

#include "cli/cli.h"

/* The answer to --help. */
void show_help(const struct cli_program *p);

/* The completion of the program for SHELL: bash, zsh or fish. Returns -1 for any other shell. */
int show_completion(const struct cli_program *p, const char *shell);

#endif
