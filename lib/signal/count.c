#include "signal/count.h"

#include "base/units.h"

int count_read(struct span text, const char *what, int64_t min, int64_t max, int64_t *out,
               struct err *e)
{
    if (units_integer(text, min, max, out, e) < 0) {
        if (e) {
            e->code = ERR_DATA;
        }
        err_prefix(e, "%s", what);
        return -1;
    }
    return 0;
}

bool id_is_blank(struct span id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (!strchr(" \t\r\n\v\f", id.at[i]) || id.at[i] == '\0') {
            return false;
        }
    }
    return true;
}

int id_shown(struct span id)
{
    return id.len > 80 ? 80 : (int)id.len;
}
