#include "cli/show.h"

#include <stdio.h>
#include <string.h>

/* Calls back for each option of the program, then for the two that all programs have. */
typedef void visit_option(const struct cli_program *p, const struct cli_option *o);

static const struct cli_option common[] = {
    {.name = "help", .type = CLI_FLAG, .help = "show this help"},
    {.name = "version", .type = CLI_FLAG, .help = "show the version"},
};

static void each_option(const struct cli_program *p, visit_option *visit)
{
    for (int t = 0; t < CLI_TABLES_MAX; t++) {
        for (size_t i = 0; i < p->tables[t].count; i++) {
            visit(p, &p->tables[t].options[i]);
        }
    }
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        visit(p, &common[i]);
    }
}

static void help_row(const struct cli_program *p, const struct cli_option *o)
{
    (void)p;
    enum { COLUMN = 30 };
    char left[128];
    snprintf(left, sizeof left, "  %c%c%s--%s%s%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name, o->implied ? "[" : "",
             o->argument ? "=" : "", o->argument ? o->argument : "", o->implied ? "]" : "");
    if (strlen(left) >= COLUMN) {
        printf("%s\n%*s%s\n", left, COLUMN, "", o->help);
    } else {
        printf("%-*s%s\n", COLUMN, left, o->help);
    }
}

void show_help(const struct cli_program *p)
{
    printf("Usage: %s [OPTION...]%s%s\n%s.\n\n", p->name, *p->usage ? " " : "", p->usage,
           p->summary);
    each_option(p, help_row);
    if (p->example) {
        printf("\nExample:\n%s\n", p->example);
    }
}

/* ---- bash: one function that offers long options, choices, and files ---- */

static void bash_word(const struct cli_program *p, const struct cli_option *o)
{
    (void)p;
    printf(" --%s%s", o->name, o->argument && !o->implied ? "=" : "");
}

static void bash_choices(const struct cli_program *p, const struct cli_option *o)
{
    (void)p;
    if (o->type != CLI_CHOICE) {
        return;
    }
    printf("    --%s", o->name);
    if (o->letter) {
        printf(" | -%c", o->letter);
    }
    printf(")\n        COMPREPLY=($(compgen -W '");
    for (int i = 0; o->choices[i]; i++) {
        printf("%s%s", i ? " " : "", o->choices[i]);
    }
    printf("' -- \"$cur\"))\n        return\n        ;;\n");
}

static void show_bash(const struct cli_program *p)
{
    printf("_fanline_%s()\n{\n", p->name);
    printf("    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n");
    printf("    if [[ $cur == = ]]; then\n        cur=\n");
    printf("    elif [[ $prev == = ]]; then\n        prev=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n");
    printf("    case $prev in\n");
    each_option(p, bash_choices);
    printf("    esac\n    if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W '");
    each_option(p, bash_word);
    printf("' -- \"$cur\"))\n");
    printf("        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n    else\n");
    printf("        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\n");
    printf("complete -o filenames -F _fanline_%s %s\n", p->name, p->name);
}

/* ---- zsh: _arguments ---- */

/* Print TEXT within single quotes and brackets of an _arguments specification. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            printf("'\\''");
        } else if (strchr("[]:\\", *text)) {
            printf("\\%c", *text);
        } else {
            putchar(*text);
        }
    }
}

static void zsh_spec(const char *dash, const char *name, const struct cli_option *o)
{
    printf(" \\\n        '%s%s%s%s%s[", o->type == CLI_LIST ? "*" : "", dash, name,
           o->implied               ? "=-"
           : o->argument && dash[1] ? "="
                                    : "",
           o->argument && !dash[1] ? "+" : "");
    zsh_text(o->help);
    printf("]");
    if (o->type == CLI_CHOICE) {
        printf(":%s:(", o->argument);
        for (int i = 0; o->choices[i]; i++) {
            printf("%s%s", i ? " " : "", o->choices[i]);
        }
        printf(")");
    } else if (o->argument) {
        printf("%s:%s:%s", o->implied ? ":" : "", o->argument,
               strstr(o->argument, "FILE") ? "_files" : " ");
    }
    printf("'");
}

static void zsh_option(const struct cli_program *p, const struct cli_option *o)
{
    (void)p;
    char letter[2] = {o->letter, '\0'};
    if (o->letter) {
        zsh_spec("-", letter, o);
    }
    zsh_spec("--", o->name, o);
}

static void show_zsh(const struct cli_program *p)
{
    printf("_fanline_%s()\n{\n    _arguments -s -S", p->name);
    each_option(p, zsh_option);
    printf(" \\\n        '*:operand:_files'\n}\n");
}

/* ---- fish: one line an option ---- */

static void fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    putchar('\'');
}

static void fish_option(const struct cli_program *p, const struct cli_option *o)
{
    printf("complete -c %s -l %s", p->name, o->name);
    if (o->letter) {
        printf(" -s %c", o->letter);
    }
    if (o->argument && !o->implied) {
        printf(" -r");
    }
    if (o->type == CLI_CHOICE) {
        printf(" -f -a '");
        for (int i = 0; o->choices[i]; i++) {
            printf("%s%s", i ? " " : "", o->choices[i]);
        }
        printf("'");
    }
    printf(" -d ");
    fish_text(o->help);
    printf("\n");
}

/* ---- the variables that stand for options ---- */

static void variable(const struct cli_program *p, const struct cli_option *o)
{
    (void)p;
    if (o->env) {
        printf("%s\n", o->env);
    }
}

int show_completion(const struct cli_program *p, const char *shell)
{
    if (strcmp(shell, "bash") == 0) {
        show_bash(p);
    } else if (strcmp(shell, "zsh") == 0) {
        show_zsh(p);
    } else if (strcmp(shell, "fish") == 0) {
        each_option(p, fish_option);
    } else if (strcmp(shell, "variables") == 0) {
        each_option(p, variable);
    } else {
        return -1;
    }
    return 0;
}
