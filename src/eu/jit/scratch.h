/* scratch.h: memory for the time of one compilation. Compilers of any number of
 * threads may have some at once; what one gives back the next one finds warm,
 * without asking the C library, let alone the kernel, for it. */
#ifndef EU_SCRATCH_H
#define EU_SCRATCH_H

#include "base/arena.h"
#include "base/base.h"

/* NULL: there is none. */
struct arena *jit_scratch_take(void);
void jit_scratch_give(struct arena *a);

/* An array with room for `need` items at least, and the count it has room for
 * now; false, and all is as it was: no memory. */
bool jit_scratch_grow(struct arena *a, void **array, uint32_t *capacity,
                      uint32_t need, size_t item_B);

#endif
