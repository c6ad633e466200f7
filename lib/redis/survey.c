#include "redis/nodes.h"

#include <stdio.h>
#include <string.h>

/* What a server says of itself; empty where it does not. */
struct configuration {
    char policy[32], memory[32], journal[8], save[8];
};

static void copy_value(char *out, size_t size, const struct reply *r)
{
    snprintf(out, size, "%s", r->kind == REPLY_TEXT ? r->text.at : "");
}

/* Ask for all of it in one go. 0, or -1 with E filled: the link broke. */
static int ask(struct link *l, struct configuration *c, struct err *e)
{
    const struct {
        const char *name;
        char *value;
        size_t size;
    } list[] = {
        {"maxmemory-policy", c->policy, sizeof c->policy},
        {"maxmemory", c->memory, sizeof c->memory},
        {"appendonly", c->journal, sizeof c->journal},
        {"save", c->save, sizeof c->save},
    };
    struct command command = {0};
    bool whole = true;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        command_start(&command, "CONFIG");
        command_add_text(&command, "GET");
        command_add_text(&command, list[i].name);
        link_put(l, &command);
    }
    for (size_t i = 0; i < sizeof list / sizeof *list && whole; i++) {
        const struct reply *r = link_reply(l, e);
        whole = r != NULL;
        if (whole && r->kind == REPLY_LIST && r->count == 2) { /* else it may not be asked */
            copy_value(list[i].value, list[i].size, &r->items[1]);
            if (list[i].value[0] == '\0') {
                snprintf(list[i].value, list[i].size, "none");
            }
        }
    }
    command_release(&command);
    return whole ? 0 : -1;
}

int survey(struct server *s, struct link *l, struct err *e)
{
    struct configuration c = {0};
    char text[256];
    if (ask(l, &c, e) < 0) {
        return -1;
    }
    bool limited = c.memory[0] && strcmp(c.memory, "0") != 0;
    if (limited && c.policy[0] && strcmp(c.policy, "noeviction") != 0) {
        snprintf(text, sizeof text,
                 "store %.100s: it evicts data when memory is short (maxmemory-policy %s): "
                 "signals may be lost",
                 s->address.shown, c.policy);
        s->tell(s->tell_context, text);
    }
    if (strcmp(c.journal, "no") == 0 && strcmp(c.save, "none") == 0) {
        snprintf(text, sizeof text,
                 "store %.100s: it keeps nothing on disk: a restart loses all signals",
                 s->address.shown);
        s->tell(s->tell_context, text);
    }
    return 0;
}
