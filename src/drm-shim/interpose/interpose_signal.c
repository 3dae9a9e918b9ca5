/* interpose_signal.c: sigaction(), signal() and signal masks: keeps the
 * engine's handler, which catches the faults of its threads, in front of the
 * application's, and tells the engine when another handler may have replaced
 * it. Built without sanitizers, because they install handlers before
 * instrumented code can run. */
#include "drm-shim/interpose/interpose.h"
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
    if (atomic_load(&engine_has_handler) && engine_sigaction(sig, act, old))
        return 0;
    int ret = REAL(int (*)(int, const struct sigaction *, struct sigaction *),
                   "sigaction")(sig, act, old);
    if (act)
        atomic_store(&engine_signals_changed, true);
    return ret;
}

INTERPOSE(sighandler_t, shim_signal, "signal", (int sig, sighandler_t handler))
{
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction was;
    if (atomic_load(&engine_has_handler) && engine_sigaction(sig, &act, &was))
        return was.sa_handler;
    sighandler_t old = REAL(sighandler_t(*)(int, sighandler_t),
                            "signal")(sig, handler);
    atomic_store(&engine_signals_changed, true);
    return old;
}

#define MASK(name, symbol)                                         \
    INTERPOSE(int, name, symbol,                                   \
              (int how, const sigset_t *set, sigset_t *old))       \
    {                                                              \
        int ret = REAL(int (*)(int, const sigset_t *, sigset_t *), \
                       symbol)(how, set, old);                     \
        if (set)                                                   \
            engine_unblocked_ns = 0;                               \
        return ret;                                                \
    }
MASK(shim_pthread_sigmask, "pthread_sigmask")
MASK(shim_sigprocmask, "sigprocmask")
#undef MASK
