#include "cli/check/probe_functions.h"

#include <stdio.h>
#include <string.h>

bool
probe_look_up(void *functions, const char *const *names, unsigned count,
              const char *prefix, void *(*find)(void *from, const char *),
              void *from)
{
    bool all = true;
    for (unsigned i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        void *function = find(from, name);
        memcpy((char *)functions + i * sizeof function, &function,
               sizeof function);
        all &= function != NULL;
    }
    return all;
}
