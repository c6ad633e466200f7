#include "cli/self.h"

#include "base/mem.h"

#include <libgen.h>
#include <stdlib.h>

char *cli_own_folder(void)
{
    char *self = realpath("/proc/self/exe", NULL);
    char *folder = mem_text(self ? dirname(self) : ".");
    free(self);
    return folder;
}
