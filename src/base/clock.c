/* clock.c: finds the C library's clock_gettime(). */
#include "base/clock.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

typedef int (*gettime_fn)(clockid_t id, struct timespec *now);

/* The C library's clock_gettime(); in a static program the only one. */
static gettime_fn
find_gettime(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    gettime_fn found = NULL;
    /* POSIX allows this conversion, ISO C does not. */
    if (libc)
        *(void **)&found = dlsym(libc, "clock_gettime");
    return found ? found : clock_gettime;
}

int64_t
clock_ns(clockid_t id)
{
    static _Atomic gettime_fn gettime;
    gettime_fn fn = atomic_load_explicit(&gettime, memory_order_relaxed);
    if (!fn) {
        fn = find_gettime();
        atomic_store_explicit(&gettime, fn, memory_order_relaxed);
    }
    struct timespec now;
    fn(id, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}
