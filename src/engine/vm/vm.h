/* vm.h: translates GPU addresses to host pointers; only this folder knows how.
 * Called by every room of the engine, from any thread. Pointers are valid while
 * the range stays mapped.
 *
 * An address space is a window of at most ENGINE_VM_SIZE_B bytes reserved with
 * PROT_NONE (vm_window.c). The home of an address is the place in the window
 * that its low bits give, so translating is one add. A buffer whose home is
 * occupied is moved elsewhere in the window. While such buffers exist,
 * addresses are looked up first (vm_moved.c).
 *
 * A thread that called vm_thread_enter() gets a zero scratch page for a fault
 * on an unmapped page, as with i915, and a guest error is counted. Vertex fetch
 * may read scratch pages without an error. Other faults go to the
 * application. */
#ifndef ENGINE_VM_VM_H
#define ENGINE_VM_VM_H

#include "engine/engine.h"

#include <signal.h>

typedef uint64_t gpu_va;

/* Room after the window: an access that starts inside may overrun its end by
 * this much. */
#define VM_GUARD_B (UINT64_C(1) << 32)

/* Significant bits of an address; the bits above repeat bit 47. */
#define VM_VA_MASK ((UINT64_C(1) << 48) - 1)

struct engine_vm {
    uint8_t *window; /* mask + 1 + VM_GUARD_B bytes of addresses */
    uint64_t mask;   /* address bits that give the home */
    _Atomic(struct vm_moved *) moved; /* NULL: all are at home */
    atomic_uint places;               /* incremented by each move */
    struct engine *engine;
    atomic_uint refs;
    struct vm_private *priv;
};

/* Addresses with one shift: each is at window + address + shift. */
struct vm_span {
    gpu_va begin, end;
    uint64_t shift;
};

/* The span that va is in. */
struct vm_span vm_span_at(const struct engine_vm *vm, gpu_va va);
/* Offset of va in the window. */
uint64_t vm_place(const struct engine_vm *vm, gpu_va va);
void *vm_moved_ptr(const struct engine_vm *vm, gpu_va va) __attribute__((cold));
uint64_t vm_moved_limit_B(const struct engine_vm *vm, gpu_va va)
    __attribute__((cold));

static inline bool
vm_has_moved(const struct engine_vm *vm)
{
    return __builtin_expect(
        atomic_load_explicit(&vm->moved, memory_order_acquire) != NULL, false);
}

static inline void *
vm_ptr(const struct engine_vm *vm, gpu_va va)
{
    return vm_has_moved(vm) ? vm_moved_ptr(vm, va)
                            : vm->window + (va & vm->mask);
}

/* Bytes from va to the end of its span, or of the window and its guard. */
static inline uint64_t
vm_limit_B(const struct engine_vm *vm, gpu_va va)
{
    return vm_has_moved(vm) ? vm_moved_limit_B(vm, va)
                            : vm->mask + 1 + VM_GUARD_B - (va & vm->mask);
}

static inline uint32_t
vm_read32(const struct engine_vm *vm, gpu_va va)
{
    uint32_t v;
    memcpy(&v, vm_ptr(vm, va), 4);
    return v;
}

static inline uint64_t
vm_read64(const struct engine_vm *vm, gpu_va va)
{
    uint64_t v;
    memcpy(&v, vm_ptr(vm, va), 8);
    return v;
}

static inline void
vm_write32(const struct engine_vm *vm, gpu_va va, uint32_t v)
{
    memcpy(vm_ptr(vm, va), &v, 4);
}

static inline void
vm_write64(const struct engine_vm *vm, gpu_va va, uint64_t v)
{
    memcpy(vm_ptr(vm, va), &v, 8);
}

/* Number of bytes mapped without a gap from va on, at most size_B. For
 * structures whose full length the client may not provide. */
uint64_t vm_mapped_B(const struct engine_vm *vm, gpu_va va, uint64_t size_B);

/* Whether only batches can write the size_B bytes at ptr, which is in the
 * window: they lie in one object that no process has mapped. The answer is
 * valid for *epoch: engine->epoch changes when the mapping may have changed, or
 * when batches of other contexts or rings ran. */
bool vm_is_ours(const struct engine_vm *vm, const void *ptr, uint64_t size_B,
                uint64_t *epoch);

/* Whether another process may have mapped the memory at ptr. Forked children do
 * not count: what they do with this process's contexts is undefined. */
bool vm_is_shared(const struct engine_vm *vm, const void *ptr);

/* Between enter and leave, a fault of the calling thread inside any window gets
 * a scratch page. Nests. */
void vm_thread_enter(void);
void vm_thread_leave(void);

/* Between begin and end the thread fetches vertices. i915 backs unmapped pages
 * with a scratch page, and drivers let the fetch read it: log a note, not an
 * error. */
extern __thread bool vm_fetching __attribute__((tls_model("initial-exec")));
static inline void
vm_fetch_begin(void)
{
    vm_fetching = true;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void
vm_fetch_end(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    vm_fetching = false;
}

/* vm_signal.c: installs the handler of SIGSEGV and SIGBUS, once. Faults outside
 * the windows are passed to the application's handler. */
void vm_init(void);
/* Reinstalls the handler if the application has replaced it. Called before each
 * batch; checks only after engine_signals_changed or some milliseconds, because
 * not every way to install a handler sets the flag. */
void vm_keep_handler(void);
/* Lets faults of this thread reach the handler: the kernel ends a process that
 * faults while the signal is blocked. True: they were blocked; *old is for
 * pthread_sigmask() later. */
bool vm_unblock_faults(sigset_t *old);

/* vm_userptr.c: private application memory at these addresses. Copies it in
 * before a batch. */
void vm_begin_users(struct engine_vm *vm, const uint64_t *va, unsigned count);
/* Copies out what the batch has changed, except the page with `but`. */
void vm_copy_users_out(struct engine_vm *vm, const uint64_t *va, unsigned count,
                       gpu_va but);
/* Copies out the page of an address, if it is private application memory. */
void vm_copy_user_page_out(struct engine_vm *vm, const uint64_t *va,
                           unsigned count, gpu_va at);
/* The batch has ended, and its results are copied out. */
void vm_end_users(struct engine_vm *vm, const uint64_t *va, unsigned count);
void engine_vm_ref(struct engine_vm *vm);
/* vm_fault.c: in the child of a fork, reinitialises locks that another thread
 * of the parent held. */
void vm_fault_after_fork(void);

#endif
