/* probe_functions.h: entry points of a driver stack, looked up by name.
 *
 * A stack lists its functions once, as X(result, name, arguments). A struct of
 * pointers and the names to look up both come from the list. For probe_*.c; one
 * thread. */
#ifndef CLI_CHECK_PROBE_FUNCTIONS_H
#define CLI_CHECK_PROBE_FUNCTIONS_H

#include <stdbool.h>

#define PROBE_MEMBER(result, name, arguments) result(*name) arguments;
#define PROBE_NAME(result, name, arguments) #name,

/* Fills count pointers at `functions` with find(from, prefix + name), as
 * dlsym() does. False if one is missing. */
bool probe_look_up(void *functions, const char *const *names, unsigned count,
                   const char *prefix, void *(*find)(void *from, const char *),
                   void *from);

/* probe_look_up() for a struct that begins with LIST(PROBE_MEMBER). */
#define PROBE_LOOK_UP(functions, LIST, prefix, find, from)                 \
    ({                                                                     \
        static const char *const names_[] = {LIST(PROBE_NAME)};            \
        probe_look_up(functions, names_, sizeof names_ / sizeof names_[0], \
                      prefix, find, from);                                 \
    })

#endif
