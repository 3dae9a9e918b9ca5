/* safe_copy.c: reads memory that may be unmapped.
 *
 * Asking the kernel first would cost a system call. Instead the copy runs, and
 * if it faults the signal handler skips the rest, as in the kernel's own user
 * copies. x86-64. */
#include "engine/vm/vm_private.h"

#include <signal.h>
#include <ucontext.h>

/* Returns the number of bytes not copied. */
size_t vm_copy_bytes(void *to, const void *from, size_t size_B)
    __attribute__((visibility("hidden")));
extern const char vm_copy_fault[] __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".p2align 4\n"
        ".hidden vm_copy_bytes, vm_copy_fault\n"
        ".globl vm_copy_bytes, vm_copy_fault\n"
        ".type vm_copy_bytes, @function\n"
        "vm_copy_bytes:\n"
        "    movq %rdx, %rcx\n"
        "vm_copy_fault:\n"
        "    rep movsb\n"
        "    movq %rcx, %rax\n"
        "    ret\n"
        ".size vm_copy_bytes, . - vm_copy_bytes\n");

/* length of rep movsb */
#define FAULTING_B 2

bool
vm_copy_resume(void *context)
{
    ucontext_t *u = context;
    greg_t *rip = &u->uc_mcontext.gregs[REG_RIP];
    if (*rip != (greg_t)(uintptr_t)vm_copy_fault)
        return false;
    *rip += FAULTING_B;
    return true;
}

bool
engine_copy(void *to, const void *from, size_t size_B)
{
    vm_keep_handler();
    return vm_copy_bytes(to, from, size_B) == 0;
}
