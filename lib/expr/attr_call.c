/* Functions in attribute expressions: parsing them, checking their arguments, computing constants.
 */
#include "expr/attr_parser.h"

#include "base/mem.h"
#include "digest/digest.h"
#include "expr/attr_functions.h"
#include "expr/path.h"

/* What N gives, in the letters of struct attr_function. */
static char given(const struct attr_node *n)
{
    static const char letters[] = {
        [DATUM_NULL] = 'a',    [DATUM_TEXT] = 's', [DATUM_WHOLE] = 'n',
        [DATUM_DECIMAL] = 'n', [DATUM_BOOL] = 'b', [DATUM_DATE] = 'n',
    };
    if (n->kind == ATTR_CONSTANT) {
        return letters[n->value.kind];
    }
    char gives = 's';
    for (const struct attr_step *s = n->steps; s; s = s->next) {
        gives = s->function->gives;
    }
    return gives;
}

static bool fits(char wanted, char gives)
{
    return !(wanted == 'n' && gives == 'b') && !(wanted == 'b' && gives == 'n');
}

/* ---- arguments ---- */

/* A pattern that is constant is compiled here; where LETTER is 'r', NiFi does it on the line. */
static int prepare_regex(struct parser *p, struct attr_node *n, char letter)
{
    struct attr_template *t = p->t;
    enum regex_use use = letter == 'w' ? REGEX_WHOLE : REGEX_PART;
    struct span text = datum_print(&n->value, &t->nodes);
    struct err e = {0};
    if (regex_compile(&n->regex, text, use, &e) < 0) {
        return t->rules.nifi && letter == 'r' ? 0 : parser_refuse_at(p, n->at, "%s", e.text);
    }
    t->regexes = mem_grow(t->regexes, &t->regex_cap, t->regex_count, sizeof *t->regexes);
    t->regexes[t->regex_count++] = n->regex;
    return 0;
}

/* A time zone that is constant is looked up here; for NiFi one that is none fails on the line. */
static int prepare_zone(struct parser *p, struct attr_node *n)
{
    struct arena *nodes = &p->t->nodes;
    struct date_zone *zone = arena_take(nodes, sizeof *zone);
    struct err e = {0};
    if (date_zone(nodes, datum_print(&n->value, nodes), zone, &e) < 0) {
        return p->t->rules.nifi ? 0 : parser_refuse_at(p, n->at, "%s", e.text);
    }
    n->zone = zone;
    return 0;
}

static int check_json_path(struct parser *p, const struct attr_node *n)
{
    struct path path = {0};
    struct err e = {0};
    if (path_parse(&path, datum_print(&n->value, &p->t->nodes), &e) < 0) {
        return parser_refuse_at(p, n->at, "%s", e.text);
    }
    bool good = path.root == PATH_INPUT;
    path_release(&path);
    return good ? 0 : parser_refuse_at(p, n->at, "a path that begins with '$' expected");
}

/* Functions over several values want texts, and names that hold no expression, for NiFi. */
static bool suits_nifi(const struct attr_function *f, const struct attr_node *n)
{
    if (!(f->flags & (ATTR_ANY | ATTR_ALL))) {
        return true;
    }
    if (n->kind == ATTR_CONSTANT) {
        return n->value.kind == DATUM_TEXT &&
               !(f->fn == attr_fn_named && datum_is_blank(&n->value));
    }
    return n->kind != ATTR_JOIN || f->fn == attr_fn_delineated;
}

static int check_argument(struct parser *p, const struct attr_function *f, size_t i,
                          struct attr_node *n)
{
    size_t letters = strlen(f->args);
    char letter = letters == 0 ? 'a' : f->args[i < letters ? i : letters - 1];
    if (!fits(letter, given(n))) {
        return parser_refuse_at(p, n->at, "%s wants %s as argument %zu", f->name,
                                letter == 'n' ? "a number" : "a truth value", i + 1);
    }
    if (p->t->rules.nifi && !suits_nifi(f, n)) {
        return parser_refuse_at(p, n->at, "a text expected, without expressions in it");
    }
    if (n->kind != ATTR_CONSTANT || n->value.kind == DATUM_NULL) {
        return 0;
    }
    if (letter == 'w' || letter == 'p' || letter == 'r') {
        return prepare_regex(p, n, letter);
    }
    if (letter == 'j') {
        return check_json_path(p, n);
    }
    if (letter == 'z') {
        return prepare_zone(p, n);
    }
    if (letter == 'h' && !p->t->rules.nifi && !digest_find(datum_print(&n->value, &p->t->nodes))) {
        return parser_refuse_at(p, n->at, "there is no such digest (%s)", digest_names());
    }
    return 0;
}

/* Is the number that WORD is written as "0x…", which NiFi takes in texts only? */
static bool is_hexadecimal(struct span word)
{
    return memchr(word.at, 'x', word.len) || memchr(word.at, 'X', word.len);
}

/* A bare word as an argument: a number, a truth value, null or a function without a subject. */
static int parse_word(struct parser *p, struct attr_node **out)
{
    struct span rest = parser_rest(p);
    struct span word = span_of(rest.at, attr_word_length(rest));
    struct datum value = {0};
    int number = attr_word_number(word, &value);
    bool truth = span_equal(word, SPAN_LIT("true"));
    bool nifi = p->t->rules.nifi;
    if (number < 0 || (number > 0 && nifi && is_hexadecimal(word))) {
        return parser_refuse(p, "a number of 64 bits expected");
    }
    if (number == 0 && (truth || span_equal(word, SPAN_LIT("false")))) {
        value = datum_bool(truth);
    }
    if (number > 0 || value.kind == DATUM_BOOL || span_equal(word, SPAN_LIT("null"))) {
        *out = parser_constant(p, value);
        p->at += word.len;
        return 0;
    }
    struct parser ahead = *p;
    ahead.at += word.len;
    parser_skip_blanks(&ahead);
    if (word.len == 0 || parser_peek(&ahead) != '(' || nifi) {
        return parser_refuse(p, "a quoted text, a number, true, false, null or ${...} expected");
    }
    *out = parser_node(p, ATTR_CHAIN);
    if (parser_call(p, true, out) < 0) {
        return -1;
    }
    return (*out)->kind == ATTR_OVER ? parser_check_over(p, *out) : 0;
}

int parser_argument(struct parser *p, struct attr_node **out)
{
    switch (parser_peek(p)) {
    case '\'':
    case '"':
        return parser_string(p, out);
    case '$':
        p->at++;
        parser_skip_blanks(p);
        return parser_peek(p) == '{' ? parser_braced(p, out) : parser_refuse(p, "'{' expected");
    default:
        return parse_word(p, out);
    }
}

/* The arguments, from behind '(' to behind ')'. */
static int parse_arguments(struct parser *p, struct attr_step *step)
{
    struct attr_node **last = &step->args;
    if (++p->nesting > ATTR_NESTING_MAX) {
        return parser_refuse(p, "expressions lie too deep in each other");
    }
    parser_skip_blanks(p);
    while (parser_peek(p) != ')') {
        if (step->count > 0) {
            if (parser_peek(p) != ',') {
                return parser_refuse(p, "',' or ')' expected");
            }
            p->at++;
            parser_skip_blanks(p);
        }
        if (parser_argument(p, last) < 0 ||
            check_argument(p, step->function, step->count, *last) < 0) {
            return -1;
        }
        last = &(*last)->next;
        step->count++;
        parser_skip_blanks(p);
    }
    p->at++;
    p->nesting--;
    return 0;
}

static int check_count(struct parser *p, const struct attr_step *step)
{
    const struct attr_function *f = step->function;
    if (step->begins && f->subject == '?' && step->count > (size_t)f->min) {
        return parser_refuse_at(p, step->at, "%s wants %d argument%s without a value before it",
                                f->name, f->min, f->min == 1 ? "" : "s");
    }
    if (step->count >= (size_t)f->min && (f->max < 0 || step->count <= (size_t)f->max)) {
        return 0;
    }
    if (f->max < 0) {
        return parser_refuse_at(p, step->at, "%s wants at least %d argument%s", f->name, f->min,
                                f->min == 1 ? "" : "s");
    }
    if (f->max > f->min) {
        return parser_refuse_at(p, step->at, "%s wants %d to %d arguments, not %zu", f->name,
                                f->min, f->max, step->count);
    }
    return parser_refuse_at(p, step->at, "%s wants %d argument%s, not %zu", f->name, f->min,
                            f->min == 1 ? "" : "s", step->count);
}

/* ---- functions ---- */

/* A function of constants alone is computed here, if that works: else the lines will tell. */
static bool fold(struct parser *p, const struct attr_node *head, const struct attr_step *step,
                 struct attr_node **out)
{
    if ((head && head->kind != ATTR_CONSTANT) || step->function->flags != 0) {
        return false;
    }
    for (const struct attr_node *n = step->args; n; n = n->next) {
        if (n->kind != ATTR_CONSTANT) {
            return false;
        }
    }
    struct attr_run run = {.t = p->t,
                           .line = SPAN_LIT("{}"),
                           .arena = &p->t->scratch->arena,
                           .buf = &p->t->scratch->buf};
    struct datum v = head ? head->value : datum_null();
    bool good = attr_step_eval(&run, step, &v) == 0;
    if (good) {
        struct attr_node *made = parser_constant(p, v);
        made->at = head ? head->at : step->at;
        *out = made;
    }
    arena_reset(run.arena);
    return good;
}

/* Put STEP behind the others of *CHAIN, which may be any node. */
static void add_step(struct parser *p, struct attr_node **chain, struct attr_step *step)
{
    struct attr_node *n = *chain;
    bool empty = n->kind == ATTR_CHAIN && !n->child && !n->steps;
    if (fold(p, empty ? NULL : n, step, chain)) {
        return;
    }
    if (empty && (step->function->flags & (ATTR_ANY | ATTR_ALL))) {
        n->kind = ATTR_OVER;
    } else if (n->kind != ATTR_CHAIN && n->kind != ATTR_OVER) {
        n = parser_node(p, ATTR_CHAIN);
        n->child = *chain;
        n->at = n->child->at;
        *chain = n;
    }
    struct attr_step **last = &n->steps;
    while (*last) {
        last = &(*last)->next;
    }
    *last = step;
}

/* Has N come to one value of several, or would it if it had several? */
static bool is_reduced(const struct attr_node *n)
{
    for (const struct attr_step *s = n->steps; s; s = s->next) {
        if (s->function->flags & ATTR_REDUCES) {
            return true;
        }
    }
    return false;
}

/* May F stand here: is there such a function, with a subject or without, and for such a one? */
static int check_function(struct parser *p, struct span name, const struct attr_function *f,
                          const struct attr_node *subject)
{
    int len = (int)(name.len < 60 ? name.len : 60);
    size_t at = parser_position(p);
    if (!f) {
        return parser_refuse_at(p, at, "there is no function '%.*s'", len, name.at);
    }
    if (!f->fn) {
        return parser_refuse_at(p, at, "the function %s is not offered", f->name);
    }
    if (subject && f->subject == 0) {
        return parser_refuse_at(p, at, "%s takes no value before it", f->name);
    }
    if (!subject && f->subject != 0 && f->subject != '?') {
        return parser_refuse_at(p, at, "%s wants a value before it", f->name);
    }
    if (subject && p->t->rules.nifi && is_reduced(subject)) {
        return parser_refuse_at(p, at, "NiFi takes no function behind count or join");
    }
    if (subject && !fits(f->subject, given(subject))) {
        return parser_refuse_at(p, at, "%s is for %s", f->name,
                                f->subject == 'n' ? "numbers" : "truth values");
    }
    return 0;
}

int parser_call(struct parser *p, bool begins, struct attr_node **chain)
{
    struct span rest = parser_rest(p);
    struct span name = span_of(rest.at, attr_word_length(rest));
    const struct attr_function *f = attr_function_find(name);
    if (name.len == 0) {
        return parser_refuse(p, "the name of a function expected");
    }
    if (check_function(p, name, f, begins ? NULL : *chain) < 0) {
        return -1;
    }
    struct attr_step *step = arena_take(&p->t->nodes, sizeof *step);
    *step = (struct attr_step){.function = f, .at = parser_position(p), .begins = begins};
    p->at += name.len;
    parser_skip_blanks(p);
    if (parser_peek(p) != '(') {
        return parser_refuse(p, "'(' expected");
    }
    p->at++;
    if (parse_arguments(p, step) < 0 || check_count(p, step) < 0) {
        return -1;
    }
    add_step(p, chain, step);
    return 0;
}

int parser_check_over(struct parser *p, const struct attr_node *n)
{
    const struct attr_step *first = n->steps;
    for (const struct attr_step *s = first->next; s; s = s->next) {
        if (s->function->flags & ATTR_REDUCES) {
            return first->function->flags & ATTR_ALL
                       ? 0
                       : parser_refuse_at(p, s->at, "%s goes with the functions all...",
                                          s->function->name);
        }
    }
    if (!first->next || given(n) != 'b') {
        return parser_refuse_at(p, first->at,
                                "what follows %s must be true or false, or count or join",
                                first->function->name);
    }
    return 0;
}
