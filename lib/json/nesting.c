#include "json/nesting.h"

/* The closing quote of the string that begins at AT. */
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++) {
        at += *at == '\\';
    }
    return at;
}

bool nesting_exceeds(struct span value, uint64_t depth)
{
    const char *end = value.at + value.len;
    uint64_t open = 0;
    if (value.len / 2 <= depth) { /* each level has two bytes */
        return false;
    }
    for (const char *at = value.at; at < end; at++) {
        switch (*at) {
        case '"':
            at = string_end(at, end);
            break;
        case '[':
        case '{':
            if (++open > depth) {
                return true;
            }
            break;
        case ']':
        case '}':
            open--;
            break;
        default:
            break;
        }
    }
    return false;
}
