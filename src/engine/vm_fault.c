/* vm_fault.c: what happens when the GPU touches an address where nothing is.
 *
 * The signal handler and the table of windows are the only mutable globals of
 * the engine: a signal carries no context. */
#include "engine/vm.h"

#include "base/clock.h"
#include "engine/state.h"
#include "engine/vm_private.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 128 TiB of user addresses hold at most 127 windows. */
#define MAX_WINDOWS 128
static _Atomic(struct vm_private *) windows[MAX_WINDOWS];

static __thread unsigned entered __attribute__((tls_model("initial-exec")));

void
vm_thread_enter(void)
{
    entered++;
}

void
vm_thread_leave(void)
{
    entered--;
}

bool
vm_fault_register(struct vm_private *priv)
{
    for (unsigned i = 0; i < MAX_WINDOWS; i++) {
        struct vm_private *none = NULL;
        if (atomic_compare_exchange_strong(&windows[i], &none, priv))
            return true;
    }
    return false;
}

void
vm_fault_unregister(struct vm_private *priv)
{
    for (unsigned i = 0; i < MAX_WINDOWS; i++) {
        struct vm_private *expected = priv;
        atomic_compare_exchange_strong(&windows[i], &expected, NULL);
    }
}

void
vm_fault_after_fork(void)
{
    for (unsigned i = 0; i < MAX_WINDOWS; i++) {
        struct vm_private *priv = atomic_load(&windows[i]);
        if (priv)
            pthread_mutex_init(&priv->lock, NULL);
    }
}

/* Only threads that execute for some VM get here, and that VM is alive. */
static struct vm_private *
find_window(uintptr_t addr)
{
    for (unsigned i = 0; i < MAX_WINDOWS; i++) {
        struct vm_private *priv = atomic_load(&windows[i]);
        if (priv &&
            addr - (uintptr_t)priv->vm->window < ENGINE_VM_SIZE_B + VM_GUARD_B)
            return priv;
    }
    return NULL;
}

/* Zero memory for the page. A kernel may walk through a terabyte of nothing:
 * the more pages were needed, the larger the pieces become, up to the next
 * thing that is mapped. */
static bool
map_scratch(struct vm_private *priv, uintptr_t addr)
{
    uintptr_t window = (uintptr_t)priv->vm->window;
    gpu_va va = addr - window, page = va & ~UINT64_C(4095);
    unsigned count = atomic_fetch_add(&priv->scratch_pages, 1);
    uint64_t chunk_B = count < 512    ? UINT64_C(1) << 12
                       : count < 1024 ? UINT64_C(1) << 21
                                      : UINT64_C(1) << 30;
    gpu_va lo = va & ~(chunk_B - 1), hi = lo + chunk_B;
    /* This thread cannot hold the lock: nothing under it touches a window
     * where no range is listed. */
    pthread_mutex_lock(&priv->lock);
    unsigned next = vm_range_find(priv, va);
    if (next < priv->range_count && priv->ranges[next].va <= va) {
        lo = page;
        hi = page + 4096;
        atomic_store(&priv->holes_plugged, true);
    } else {
        if (next < priv->range_count)
            hi = MIN2(hi, priv->ranges[next].va);
        if (next > 0) {
            const struct vm_range *before = &priv->ranges[next - 1];
            lo = MAX2(lo, before->va + before->size_B);
        }
    }
    long p = syscall(SYS_mmap, window + lo, hi - lo, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                     -1, 0);
    pthread_mutex_unlock(&priv->lock);
    if (p == -1)
        return false;
    guest_error("access to GPU address 0x%llx, where nothing is mapped",
                (unsigned long long)va);
    return true;
}

/* ---- the signal handler ---------------------------------------------- */

static const int fault_signals[2] = {SIGSEGV, SIGBUS};

/* What the application had installed, per signal. A thread may be reading the
 * old entry while a new one is published, so entries are not reused soon. */
#define MAX_OLD 64
static struct {
    struct sigaction act[MAX_OLD];
    atomic_uint current;
} before[2];

static __thread struct {
    void *context;
    uintptr_t frame;
} chained __attribute__((tls_model("initial-exec")));

static void
call_default(int sig)
{
    /* The instruction faults again and the process dies of it. */
    struct sigaction dfl = {.sa_handler = SIG_DFL};
    sigaction(sig, &dfl, NULL);
}

static void
call_application(int sig, siginfo_t *info, void *context)
{
    unsigned which = sig == SIGBUS;
    struct sigaction *old = &before[which]
                                 .act[atomic_load(&before[which].current)];
    /* An application's handler that was installed after ours and calls ours
     * for what it does not know has come round in a circle. */
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (chained.context == context && frame < chained.frame) {
        call_default(sig);
        return;
    }
    chained.context = context;
    chained.frame = frame;
    if (old->sa_flags & SA_SIGINFO && old->sa_sigaction)
        old->sa_sigaction(sig, info, context);
    else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(sig);
    else
        call_default(sig);
    chained.context = NULL;
}

static void
on_fault(int sig, siginfo_t *info, void *context)
{
    if (info->si_code > 0 && vm_copy_resume(context))
        return;
    if (entered && info->si_code > 0) {
        uintptr_t addr = (uintptr_t)info->si_addr;
        struct vm_private *priv = find_window(addr);
        if (priv && map_scratch(priv, addr))
            return;
    }
    call_application(sig, info, context);
}

void
vm_init(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    for (unsigned i = 0; i < 2; i++) {
        struct sigaction now;
        if (sigaction(fault_signals[i], NULL, &now))
            continue;
        if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault)
            continue;
        pthread_mutex_lock(&lock);
        unsigned next = (atomic_load(&before[i].current) + 1) % MAX_OLD;
        before[i].act[next] = now;
        atomic_store(&before[i].current, next);
        struct sigaction ours = {.sa_sigaction = on_fault};
        ours.sa_flags = SA_SIGINFO | SA_NODEFER |
                        (now.sa_flags & (SA_ONSTACK | SA_RESTART));
        ours.sa_mask = now.sa_mask;
        sigaction(fault_signals[i], &ours, NULL);
        pthread_mutex_unlock(&lock);
    }
}

atomic_bool engine_signals_changed;

/* To look costs two system calls, more than many a batch's commands. */
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
