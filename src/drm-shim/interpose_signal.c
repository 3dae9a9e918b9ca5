/* Signal handlers: the engine has one for the faults of its own threads, and
 * must know when another takes its place. */
#include "drm-shim/interpose.h"
#include "engine/engine.h"

#include <signal.h>

INTERPOSE(int, shim_sigaction, "sigaction",
          (int sig, const struct sigaction *act, struct sigaction *old))
{
    int ret = REAL(int (*)(int, const struct sigaction *, struct sigaction *),
                   "sigaction")(sig, act, old);
    if (act)
        engine_signals_changed();
    return ret;
}

INTERPOSE(sighandler_t, shim_signal, "signal", (int sig, sighandler_t handler))
{
    sighandler_t old = REAL(sighandler_t(*)(int, sighandler_t),
                            "signal")(sig, handler);
    engine_signals_changed();
    return old;
}
