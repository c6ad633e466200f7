/*
 * self.h: where this program is.
 *
 * The programs of fanline find each other in the folder that they lie in, never by PATH, where
 * another program could have the name.
 *
 * Floor: programs.
 */
#ifndef FANLINE_CLI_SELF_H
#define FANLINE_CLI_SELF_H

/* The folder that this program really lies in; the caller frees it. */
char *cli_own_folder(void);

#endif
