#include "cli/expression.h"

#include <stdlib.h>

static const char *environment(void *context, const char *name)
{
    (void)context;
    return getenv(name);
}

int cli_expression_with(struct attr_template **out, const char *option, const char *text,
                        const struct attr_rules *rules, struct err *e)
{
    *out = NULL;
    if (!text) {
        return 0;
    }
    if (attr_compile_with(out, span_text(text), rules, e) < 0) {
        err_prefix(e, "%s", option);
        return -1;
    }
    attr_outside(*out, environment, NULL);
    return 0;
}

int cli_expression(struct attr_template **out, const char *option, const char *text, struct err *e)
{
    static const struct attr_rules ours = {0};
    return cli_expression_with(out, option, text, &ours, e);
}
