/* own_stack.c: switches the stack around a call. x86-64.
 *
 * Stacks are kept for the next call, wherever it comes from. They are handed
 * out without locks, because calls come from signal handlers and children of
 * fork(), too. */
#include "base/own_stack.h"

#include "base/base.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define STACK_B ((size_t)4 << 20)
#else
#define STACK_B ((size_t)512 << 10)
#endif
#define GUARD_B ((size_t)4096)
#define KEPT 16

/* Kept stacks, from their lowest usable address. */
static _Atomic(uint8_t *) kept[KEPT];

static __thread struct {
    uint8_t *stack;      /* of the innermost call; NULL: none */
    const void *outside; /* a frame of the application's stack */
} own __attribute__((tls_model("initial-exec")));

void own_stack_switch(void *data, void (*fn)(void *data), void *top)
    __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".p2align 4\n"
        ".hidden own_stack_switch\n"
        ".globl own_stack_switch\n"
        ".type own_stack_switch, @function\n"
        "own_stack_switch:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rdx, %rsp\n"
        "    call *%rsi\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size own_stack_switch, . - own_stack_switch\n");

static uint8_t *
map_stack(void)
{
    long p = syscall(SYS_mmap, NULL, GUARD_B + STACK_B, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                     -1, 0);
    if (p == -1)
        return NULL;
    syscall(SYS_mprotect, p, GUARD_B, PROT_NONE);
    return (uint8_t *)p + GUARD_B;
}

static uint8_t *
take_stack(void)
{
    for (unsigned i = 0; i < KEPT; i++) {
        uint8_t *stack = NULL;
        if (atomic_load_explicit(&kept[i], memory_order_relaxed))
            stack = atomic_exchange(&kept[i], NULL);
        if (stack)
            return stack;
    }
    int saved = errno;
    uint8_t *stack = map_stack();
    errno = saved;
    return stack;
}

static void
give_stack(uint8_t *stack)
{
    for (unsigned i = 0; i < KEPT; i++) {
        uint8_t *none = NULL;
        if (atomic_compare_exchange_strong(&kept[i], &none, stack))
            return;
    }
    syscall(SYS_munmap, stack - GUARD_B, GUARD_B + STACK_B);
}

/* In a signal handler during a call, the frame may be on another stack. */
static bool
is_own(const void *frame)
{
    return own.stack && (const uint8_t *)frame > own.stack &&
           (const uint8_t *)frame <= own.stack + STACK_B;
}

void
own_stack_call(void (*fn)(void *data), void *data)
{
    const void *frame = __builtin_frame_address(0);
    uint8_t *stack = is_own(frame) ? NULL : take_stack();
    if (!stack) {
        fn(data);
        return;
    }
    uint8_t *outer = own.stack;
    const void *outside = own.outside;
    own.outside = frame;
    own.stack = stack;
    atomic_signal_fence(memory_order_seq_cst);
    own_stack_switch(data, fn, stack + STACK_B);
    atomic_signal_fence(memory_order_seq_cst);
    own.stack = outer;
    own.outside = outside;
    give_stack(stack);
}

const void *
own_stack_outside(void)
{
    const void *frame = __builtin_frame_address(0);
    return is_own(frame) ? own.outside : frame;
}

void *
own_block_take(void)
{
    return take_stack();
}

void
own_block_give(void *block)
{
    if (block)
        give_stack(block);
}
