/* vm.h: GPU addresses to host pointers, the only place that knows how.
 *
 * The address space is a window of ENGINE_VM_SIZE_B bytes reserved with
 * PROT_NONE; each buffer is mapped at window + address, so translating is one
 * add. Addresses outside wrap into the window (bits above are dropped).
 * Touching a page where nothing is mapped, on a thread that called
 * vm_thread_enter(), maps a zero scratch page and counts a guest error, as the
 * kernel's scratch page does; elsewhere the fault goes to the application.
 * Any thread. */
#ifndef ENGINE_VM_H
#define ENGINE_VM_H

#include "engine/engine.h"

typedef uint64_t gpu_va;

/* Room behind the window so that an access that starts inside may run over
 * its end by this much. */
#define VM_GUARD_B (UINT64_C(1) << 32)

struct engine_vm {
    uint8_t *window; /* ENGINE_VM_SIZE_B + VM_GUARD_B bytes of addresses */
    struct engine *engine;
    atomic_uint refs;
    struct vm_private *priv;
};

static inline void *
vm_ptr(const struct engine_vm *vm, gpu_va va)
{
    return vm->window + (va & (ENGINE_VM_SIZE_B - 1));
}

/* Bytes from va to the end of the window and its guard. */
static inline uint64_t
vm_limit_B(gpu_va va)
{
    return ENGINE_VM_SIZE_B + VM_GUARD_B - (va & (ENGINE_VM_SIZE_B - 1));
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

/* How many of the size_B bytes from va on are mapped, up to the first that is
 * not. For structures whose full length nobody promised to provide. */
uint64_t vm_mapped_B(const struct engine_vm *vm, gpu_va va, uint64_t size_B);

/* Whether nobody but batches can write the size_B bytes at ptr, a place in the
 * window: they are of one object that no process has mapped. *epoch: another
 * one if meanwhile something else may have been mapped there, or batches of
 * other contexts or rings ran. */
bool vm_is_ours(const struct engine_vm *vm, const void *ptr, uint64_t size_B,
                uint64_t *epoch);

/* Between enter and leave, faults of the calling thread inside any window are
 * answered with a scratch page. Nests. */
void vm_thread_enter(void);
void vm_thread_leave(void);

/* Installs the SIGSEGV handler (once), keeping the application's: faults that
 * are not ours are passed on. */
void vm_init(void);
/* The same before each batch: looks only when vm_signals_changed() has said so
 * or some milliseconds have passed, for not everybody calls it. */
void vm_keep_handler(void);

#endif
