/* interpose_software.c: wrappers that notice software rasterisers; see
 * software.h. */
#include "drm-shim/interpose/interpose.h"
#include "drm-shim/core/core.h"
#include "drm-shim/report/report.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

INTERPOSE(int, shim_pthread_setname_np, "pthread_setname_np",
          (pthread_t thread, const char *name))
{
    if (thread == pthread_self())
        software_thread_named(name, __builtin_return_address(0));
    return REAL(int (*)(pthread_t, const char *), "pthread_setname_np")(thread,
                                                                        name);
}

INTERPOSE(int, shim_mprotect, "mprotect", (void *at, size_t size_B, int prot))
{
    int ret = (int)syscall(SYS_mprotect, at, size_B, prot);
    if (!ret && prot & PROT_EXEC)
        software_code_made(__builtin_return_address(0));
    return ret;
}

/* Programs call getenv() before allocators are set up, so REAL() cannot be
 * used. */
INTERPOSE(char *, shim_getenv, "getenv", (const char *name))
{
    size_t n = strlen(name);
    if (name[0] == 'L' || name[0] == 'S')
        software_option_read(name, __builtin_return_address(0));
    for (char **e = environ; n && e && *e; e++)
        if (!strncmp(*e, name, n) && (*e)[n] == '=')
            return *e + n + 1;
    return NULL;
}
