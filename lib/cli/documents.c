#include "cli/documents.h"

const struct cli_option cli_documents_options[] = {
    {.letter = 'i',
     .name = "input",
     .argument = "FILE",
     .file = CLI_READS,
     .type = CLI_TEXT,
     .offset = offsetof(struct cli_documents, input),
     .help = "the document that $Input stands for"},
    {.name = "context",
     .argument = "FILE",
     .file = CLI_READS,
     .type = CLI_TEXT,
     .offset = offsetof(struct cli_documents, context),
     .help = "the document that $Context stands for"},
};

_Static_assert(sizeof cli_documents_options / sizeof *cli_documents_options == CLI_DOCUMENTS_COUNT,
               "the table and its length");
