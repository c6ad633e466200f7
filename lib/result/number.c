#include "result/number.h"

bool number_read(struct span text, uint64_t *n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)text.at[i] - '0';
        if (digit > 9) {
            return false;
        }
        if (i < 19) { /* so many nines fit */
            sum = sum * 10 + digit;
        } else if (__builtin_mul_overflow(sum, 10, &sum) ||
                   __builtin_add_overflow(sum, digit, &sum)) {
            return false;
        }
    }
    if (text.len > 0) {
        *n = sum;
    }
    return text.len > 0;
}
