/* Signal handlers: the engine has one for the faults of its own threads, and
 * must know when another takes its place. Sanitizers install theirs before
 * instrumented code can run: this file is built without them. */
#include "drm-shim/interpose.h"
#include "engine/engine.h"

#include <dlfcn.h>
#include <signal.h>

void *
interpose_real(void **slot, const char *symbol)
{
    void *p = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!p) {
        p = dlsym(RTLD_NEXT, symbol);
        __atomic_store_n(slot, p, __ATOMIC_RELEASE);
    }
    return p;
}

INTERPOSE(int, shim_sigaction, "sigaction",
          (int sig, const struct sigaction *act, struct sigaction *old))
{
    int ret = REAL(int (*)(int, const struct sigaction *, struct sigaction *),
                   "sigaction")(sig, act, old);
    if (act)
        atomic_store(&engine_signals_changed, true);
    return ret;
}

INTERPOSE(sighandler_t, shim_signal, "signal", (int sig, sighandler_t handler))
{
    sighandler_t old = REAL(sighandler_t(*)(int, sighandler_t),
                            "signal")(sig, handler);
    atomic_store(&engine_signals_changed, true);
    return old;
}
