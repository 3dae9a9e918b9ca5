/* mem.h: the compiler's memory: an arena for each compilation, and memory for
 * finished code.
 *
 * Callers: emit/ and x86/ take arenas; session/, lockstep/ and the driver
 * publish code. Any thread: any number of threads may compile at once. An arena
 * belongs to the thread that took it until it gives it back; the next thread
 * finds it warm. Published code belongs to the caller until
 * eu_exec_release(). */
#ifndef EU_JIT_MEM_MEM_H
#define EU_JIT_MEM_MEM_H

#include "base/arena.h"
#include "base/base.h"

/* arena_pool.c. NULL: no memory. */
struct arena *jit_arena_take(void);
void jit_arena_give(struct arena *a);

/* Grows an array to at least `need` items and updates its capacity. False: no
 * memory, and nothing has changed. */
bool jit_arena_grow(struct arena *a, void **array, uint32_t *capacity,
                    uint32_t need, size_t item_B);

/* exec_mem.c: memory that is either writable or executable. NULL: no room. */
void *eu_exec_publish(const void *code, size_t size_B);
void eu_exec_release(void *code, size_t size_B);
/* Bytes of all published code. */
size_t eu_exec_total_B(void);

#endif
