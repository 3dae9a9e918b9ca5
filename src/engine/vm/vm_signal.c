/* vm_signal.c: the handler of SIGSEGV and SIGBUS, in front of the application's
 * handlers.
 *
 * While ours is installed, sigaction() and signal() of the application only
 * change the handler that ours passes other faults to. */
#include "engine/engine.h"

#include "base/clock.h"
#include "base/fork_order.h"
#include "engine/vm/vm_private.h"
#include "eu/eu.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* volatile: compilers believe that sigaction() does not call back. */
static __thread volatile bool is_inside
    __attribute__((tls_model("initial-exec")));

/* sigaction() of the process may be drm-shim's, which asks
 * engine_sigaction(). */
static int
real_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    is_inside = true;
    int ret = sigaction(sig, act, old);
    is_inside = false;
    return ret;
}

static const int fault_signals[2] = {SIGSEGV, SIGBUS};

atomic_bool engine_has_handler;

/* The application's handlers, per signal. A thread may read the old entry while
 * a new one is published, so entries are not reused soon. No locks, because
 * sigaction() may be called in a signal handler. */
#define MAX_OLD 64
static struct {
    struct sigaction act[MAX_OLD];
    atomic_bool spent[MAX_OLD]; /* SA_RESETHAND: already called */
    atomic_uint next, current;
} before[2];

static __thread struct {
    void *context;
    uintptr_t frame;
} chained __attribute__((tls_model("initial-exec")));

static void
call_default(int sig, const siginfo_t *info)
{
    struct sigaction dfl = {.sa_handler = SIG_DFL};
    real_sigaction(sig, &dfl, NULL);
    /* A faulting instruction faults again and ends the process; a signal sent
     * by kill() must be sent again. */
    if (info->si_code <= 0)
        syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), sig);
}

/* As the kernel does: blocks the signal in a handler without SA_NODEFER, so
 * that a fault of the handler ends the process. */
static void
call_handler(const struct sigaction *old, int sig, siginfo_t *info,
             void *context)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, sig);
    if (!(old->sa_flags & SA_NODEFER))
        pthread_sigmask(SIG_BLOCK, &mask, NULL);
    if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(sig, info, context);
    else
        old->sa_handler(sig);
    if (!(old->sa_flags & SA_NODEFER))
        pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
}

static void
call_application(int sig, siginfo_t *info, void *context)
{
    unsigned which = sig == SIGBUS;
    unsigned current = atomic_load(&before[which].current);
    struct sigaction *old = &before[which].act[current];
    /* The application installed a handler after this one, and it has called
     * this one for a fault that it does not know: break the cycle. */
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (chained.context == context && frame < chained.frame) {
        call_default(sig, info);
        return;
    }
    if (old->sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN ||
        (old->sa_flags & SA_RESETHAND &&
         atomic_exchange(&before[which].spent[current], true))) {
        call_default(sig, info);
        return;
    }
    chained.context = context;
    chained.frame = frame;
    call_handler(old, sig, info, context);
    chained.context = NULL;
}

/* Bit 1 of the error code of a page fault: AMD64 manual, volume 2, 8.2.15. */
static bool
is_write(void *context)
{
    const ucontext_t *u = context;
    return u->uc_mcontext.gregs[REG_ERR] & 2;
}

static void
on_fault(int sig, siginfo_t *info, void *context)
{
    if (info->si_code > 0 && vm_copy_resume(context))
        return;
    if (info->si_code > 0 && sig == SIGBUS &&
        eu_profile_answer_fault((uintptr_t)info->si_addr))
        return;
    if (info->si_code > 0 &&
        vm_fault_answer((uintptr_t)info->si_addr, is_write(context)))
        return;
    call_application(sig, info, context);
}

/* ---- installing ---- */

static bool
is_ours(const struct sigaction *act)
{
    return act->sa_flags & SA_SIGINFO && act->sa_sigaction == on_fault;
}

/* Makes `act` the application's handler, installs ours with its mask, and
 * returns the index of the handler before. */
static unsigned
put_before(unsigned which, const struct sigaction *act)
{
    unsigned next = atomic_fetch_add(&before[which].next, 1) % MAX_OLD;
    before[which].act[next] = *act;
    atomic_store(&before[which].spent[next], false);
    unsigned last = atomic_exchange(&before[which].current, next);
    struct sigaction ours = {.sa_sigaction = on_fault};
    ours.sa_flags = SA_SIGINFO | SA_NODEFER |
                    (act->sa_flags & (SA_ONSTACK | SA_RESTART));
    ours.sa_mask = act->sa_mask;
    real_sigaction(fault_signals[which], &ours, NULL);
    atomic_store(&engine_has_handler, true);
    return last;
}

static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
FORK_LOCK(FORK_SIGNALS, install_lock)

void
vm_init(void)
{
    for (unsigned i = 0; i < 2; i++) {
        struct sigaction now;
        pthread_mutex_lock(&install_lock);
        if (!real_sigaction(fault_signals[i], NULL, &now) && !is_ours(&now))
            put_before(i, &now);
        pthread_mutex_unlock(&install_lock);
    }
}

bool
engine_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    unsigned which = sig == SIGBUS;
    struct sigaction now;
    if (is_inside || sig != fault_signals[which] ||
        real_sigaction(sig, NULL, &now) || !is_ours(&now))
        return false;
    struct sigaction want = act ? *act : now;
    unsigned last = atomic_load(&before[which].current);
    if (act)
        last = put_before(which, &want);
    if (old) {
        *old = before[which].act[last];
        if (atomic_load(&before[which].spent[last]))
            old->sa_handler = SIG_DFL;
    }
    return true;
}

atomic_bool engine_signals_changed;

/* Checking costs two system calls, more than many a batch's commands. */
void
vm_keep_handler(void)
{
    static _Atomic int64_t looked_ns;
    int64_t now_ns = clock_tick_ns();
    if (atomic_load(&looked_ns) == now_ns &&
        !atomic_load(&engine_signals_changed))
        return;
    atomic_store(&looked_ns, now_ns);
    atomic_store(&engine_signals_changed, false);
    vm_init();
}

/* ---- signal masks ---- */

__thread int64_t engine_unblocked_ns;

bool
engine_catches_faults(void)
{
    const uint64_t faults = UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1)
                                                               << (SIGBUS - 1);
    uint64_t mask = 0;
    int64_t now_ns = clock_tick_ns();
    if (!atomic_load(&engine_has_handler))
        return false;
    if (engine_unblocked_ns == now_ns)
        return true;
    if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask) ||
        mask & faults)
        return false;
    engine_unblocked_ns = now_ns;
    return true;
}

bool
vm_unblock_faults(sigset_t *old)
{
    sigset_t faults;
    bool blocked = false;
    int64_t now_ns = clock_tick_ns();
    if (engine_unblocked_ns == now_ns)
        return false;
    sigemptyset(&faults);
    for (unsigned i = 0; i < 2; i++)
        sigaddset(&faults, fault_signals[i]);
    if (pthread_sigmask(SIG_UNBLOCK, &faults, old))
        return false;
    for (unsigned i = 0; i < 2; i++)
        blocked |= sigismember(old, fault_signals[i]) == 1;
    engine_unblocked_ns = blocked ? 0 : now_ns;
    return blocked;
}
