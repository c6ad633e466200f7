#include "signal/gather.h"

#include "base/buf.h"
#include "expr/attr.h"
#include "json/text.h"
#include "json/walk.h"

int gather(const struct regex *names, struct span item,
           void (*add)(void *context, struct span name, struct span value), void *context,
           struct err *e)
{
    struct buf name = {0}, value = {0};
    struct walk members = walk_into(item);
    bool is_object = walk_kind(item) == SCAN_OBJECT;
    int hit = 0;
    while (is_object && hit >= 0 && walk_next(&members)) {
        struct span last;
        buf_reset(&name);
        buf_reset(&value);
        text_decode(&name, members.key);
        hit = regex_matches(names, buf_span(&name), e);
        if (hit > 0 && walk_member(item, buf_span(&name), &last) && last.at == members.value.at &&
            attr_value(last, &value)) {
            add(context, buf_span(&name), buf_span(&value));
        }
    }
    buf_release(&name);
    buf_release(&value);
    return hit < 0 ? -1 : 0;
}
