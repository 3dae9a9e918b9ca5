/* vm_fault.c: GPU accesses to unmapped addresses: scratch pages.
 *
 * The table of windows and the signal handlers (vm_signal.c) are the engine's
 * only mutable globals, because a signal carries no context. */
#include "engine/vm/vm.h"

#include "base/own_stack.h"
#include "engine/core/core.h"
#include "engine/vm/vm_private.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic(struct vm_private *) windows[VM_WINDOWS_MAX];

static __thread unsigned entered __attribute__((tls_model("initial-exec")));
__thread bool vm_fetching __attribute__((tls_model("initial-exec")));

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
    for (unsigned i = 0; i < VM_WINDOWS_MAX; i++) {
        struct vm_private *none = NULL;
        if (atomic_compare_exchange_strong(&windows[i], &none, priv))
            return true;
    }
    return false;
}

void
vm_fault_unregister(struct vm_private *priv)
{
    for (unsigned i = 0; i < VM_WINDOWS_MAX; i++) {
        struct vm_private *expected = priv;
        atomic_compare_exchange_strong(&windows[i], &expected, NULL);
    }
}

void
vm_fault_after_fork(void)
{
    for (unsigned i = 0; i < VM_WINDOWS_MAX; i++) {
        struct vm_private *priv = atomic_load(&windows[i]);
        if (priv)
            pthread_mutex_init(&priv->lock, NULL);
    }
}

/* Called only in threads that execute for some VM, which keeps that VM
 * alive. */
static struct vm_private *
find_window(uintptr_t addr)
{
    for (unsigned i = 0; i < VM_WINDOWS_MAX; i++) {
        struct vm_private *priv = atomic_load(&windows[i]);
        if (priv && addr - (uintptr_t)priv->vm->window <
                        engine_vm_size_B(priv->vm) + VM_GUARD_B)
            return priv;
    }
    return NULL;
}

/* Not a guest error, because i915 and its drivers allow it. Counted separately,
 * logged once. */
static void
note_fetch(struct vm_private *priv, gpu_va va)
{
    if (atomic_fetch_add(&priv->fetched_pages, 1))
        return;
    log_printf("softlake: note: vertices are read at GPU address 0x%llx, where "
               "nothing is mapped: they are 0",
               (unsigned long long)va);
}

static bool
map_zeros(uintptr_t at, uint64_t size_B, int prot)
{
    return syscall(SYS_mmap, at, size_B, prot,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                   0) != -1;
}

/* Unmaps an old scratch chunk, except where something else is mapped since. */
static void
evict(struct vm_private *priv, const struct vm_scratch *old)
{
    uint64_t at = old->at, end = old->at + old->size_B;
    if (old->in_range) {
        vm_window_clear(priv, at, old->size_B);
        return;
    }
    while (at < end) {
        unsigned i = vm_range_find(priv, at);
        struct vm_range next = {.at = end};
        if (i < priv->range_count && priv->ranges[i].at < end)
            next = priv->ranges[i];
        if (next.at > at)
            vm_window_clear(priv, at, next.at - at);
        at = next.at + next.size_B;
    }
}

/* The chunk for an access: larger the more there have been, because a kernel
 * may walk through a terabyte, up to the next mapping. */
static struct vm_scratch
choose_chunk(struct vm_private *priv, gpu_va va)
{
    unsigned turn = priv->scratch_count++ / SCRATCH_CHUNKS;
    uint64_t chunk_B = turn == 0   ? UINT64_C(1) << 12
                       : turn == 1 ? UINT64_C(1) << 16
                                   : UINT64_C(1) << 19;
    gpu_va lo = va & ~(chunk_B - 1), hi = lo + chunk_B;
    unsigned next = vm_range_find(priv, va);
    if (next < priv->range_count && priv->ranges[next].at <= va) {
        atomic_store(&priv->holes_plugged, true);
        return (struct vm_scratch){va & ~UINT64_C(4095), 4096, true};
    }
    if (next < priv->range_count)
        hi = MIN2(hi, priv->ranges[next].at);
    if (next > 0) {
        const struct vm_range *before = &priv->ranges[next - 1];
        lo = MAX2(lo, before->at + before->size_B);
    }
    return (struct vm_scratch){lo, hi - lo, false};
}

/* Maps zeros at the page. i915 has one scratch page for all addresses; here a
 * few chunks move to where they are needed, and forget what was written. */
static bool
map_scratch(struct vm_private *priv, uintptr_t addr, bool write)
{
    /* A fetch maps read-only, so that a later write faults and counts. */
    bool fetch = vm_fetching && !write;
    int prot = fetch ? PROT_READ : PROT_READ | PROT_WRITE;
    uintptr_t window = (uintptr_t)priv->vm->window;
    gpu_va va = addr - window;
    /* This thread cannot hold the lock: code under the lock touches only listed
     * ranges. */
    pthread_mutex_lock(&priv->lock);
    struct vm_scratch
        *slot = &priv->scratch[priv->scratch_count % SCRATCH_CHUNKS];
    evict(priv, slot);
    *slot = choose_chunk(priv, va);
    bool mapped = map_zeros(window + slot->at, slot->size_B, prot);
    pthread_mutex_unlock(&priv->lock);
    if (!mapped)
        return false;
    if (fetch)
        note_fetch(priv, va);
    else
        guest_error("access to GPU address 0x%llx, where nothing is mapped",
                    (unsigned long long)va);
    return true;
}

void
vm_scratch_forget(struct vm_private *priv, uint64_t at, uint64_t size_B)
{
    for (unsigned i = 0; i < SCRATCH_CHUNKS && priv->scratch_count; i++) {
        struct vm_scratch *s = &priv->scratch[i];
        if (s->in_range && s->at >= at && s->at - at < size_B)
            *s = (struct vm_scratch){0};
    }
}

/* An access to be answered, for own_stack_call(). */
struct access {
    struct vm_private *priv;
    uintptr_t addr;
    bool write, mapped;
};

static void
answer(void *data)
{
    struct access *a = data;
    a->mapped = map_scratch(a->priv, a->addr, a->write);
}

bool
vm_fault_answer(uintptr_t addr, bool write)
{
    struct access a = {entered ? find_window(addr) : NULL, addr, write, false};
    /* The handler may run on the application's signal stack. */
    if (a.priv)
        own_stack_call(answer, &a);
    return a.mapped;
}
