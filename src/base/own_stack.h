/* own_stack.h: stacks of Softlake's own, for work in threads of the
 * application, whose stacks may have little room: 16 KiB, or 8 KiB in a signal
 * handler. Any thread; safe in signal handlers. */
#ifndef BASE_OWN_STACK_H
#define BASE_OWN_STACK_H

#include <stddef.h>

#define OWN_BLOCK_B ((size_t)64 << 10)

/* Runs fn(data) on such a stack. Nests. Without memory for a stack, it runs on
 * the caller's. */
void own_stack_call(void (*fn)(void *data), void *data);
/* An address in the frames of the stack that the application gave. */
const void *own_stack_outside(void);

/* Takes a block of OWN_BLOCK_B bytes, for data too large for a frame. NULL: out
 * of memory. Keeps errno. */
void *own_block_take(void);
void own_block_give(void *block);

#endif
