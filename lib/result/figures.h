/*
 * figures.h: numbers as people read them.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_FIGURES_H
#define FANLINE_RESULT_FIGURES_H

#include "base/buf.h"

#include <stdint.h>

/* Add 1234567 as "1,234,567". */
void figures_count(struct buf *b, uint64_t n);

/* Add N with at most three digits that count: "0.123", "12.3", "12", "1,235". */
void figures_number(struct buf *b, double n);

/* Add nanoseconds: "12.3 ms", "4.56 s", "3 min 20 s", "5 h 7 min", "2 d 3 h". */
void figures_duration(struct buf *b, int64_t ns);

/* Add PART of WHOLE as a percentage: "12.3 %"; "< 0.1 %" and "> 99.9 %" where rounding would lie.
 */
void figures_share(struct buf *b, uint64_t part, uint64_t whole);

/* Add bytes: "262 bytes", "1.05 kB", "43.9 MB". */
void figures_size(struct buf *b, uint64_t bytes);

#endif
