/* arena_pool.c: pool of one arena: a concurrent compilation allocates its own.
 */
#include "eu/jit/mem/mem.h"

#include <stdlib.h>

#define BLOCK_B ((size_t)256 << 10)
#define KEPT_B ((size_t)1 << 20)
#define LEAST_ITEMS 16u

static _Atomic(struct arena *) spare;

struct arena *
jit_arena_take(void)
{
    struct arena *a = atomic_exchange(&spare, NULL);
    if (a)
        return a;
    a = malloc(sizeof *a);
    if (a)
        arena_init(a, BLOCK_B, KEPT_B);
    return a;
}

void
jit_arena_give(struct arena *a)
{
    struct arena *none = NULL;
    if (!a)
        return;
    bool keeps = a->used_B <= KEPT_B;
    if (keeps)
        arena_reset(a);
    if (keeps && atomic_compare_exchange_strong(&spare, &none, a))
        return;
    arena_finish(a);
    free(a);
}

bool
jit_arena_grow(struct arena *a, void **array, uint32_t *capacity, uint32_t need,
               size_t item_B)
{
    if (need <= *capacity)
        return true;
    uint32_t want = MAX2(need, MAX2(*capacity * 2, LEAST_ITEMS));
    void *p = a ? arena_take(a, want * item_B, 64) : NULL;
    if (!p)
        return false;
    if (*capacity)
        memcpy(p, *array, *capacity * item_B);
    *array = p;
    *capacity = want;
    return true;
}
