/*
 * mem.h: memory that is there.
 *
 * Running out of memory ends the process, here and nowhere else: with one line on
 * standard error and exit status 1.  So no function above has to return "no
 * memory", and no half-made state has to be unwound.  Sizes are checked: a
 * product that overflows ends the process in the same way.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_MEM_H
#define FANLINE_BASE_MEM_H

#include <stddef.h>

/* COUNT * SIZE bytes, all zero; the caller frees them with free(). */
void *mem_new(size_t count, size_t size);

/* Resize AT, which may be NULL, to COUNT * SIZE bytes; what is new is not cleared. */
void *mem_resize(void *at, size_t count, size_t size);

/* A copy of LEN bytes with a NUL behind them; the caller frees it. */
char *mem_copy(const char *at, size_t len);

/* A copy of a C string; the caller frees it. NULL gives NULL. */
char *mem_text(const char *text);

/*
 * Room in a growing array: returns AT, moved if needed, with place for at least
 * COUNT + 1 elements of SIZE bytes.  *CAP is the place there is; it doubles.
 */
void *mem_grow(void *at, size_t *cap, size_t count, size_t size);

#endif
