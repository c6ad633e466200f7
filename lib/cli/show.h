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

/*
 * The completion of the program for SHELL: bash, zsh or fish; or, for "variables", the names of
 * those that stand for options, a line each, which the manual is held against.  Returns -1 for
 * anything else.
 */
int show_completion(const struct cli_program *p, const char *shell);

#endif
