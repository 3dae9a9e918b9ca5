/* fuzz_engine.h: an engine with one object in its address space, and the input
 * as a stream of bytes: for targets that drive the engine without the shim. */
#ifndef FUZZ_ENGINE_H
#define FUZZ_ENGINE_H

#include "engine/engine.h"

struct fuzz_engine {
    struct engine *engine;
    struct engine_vm *vm;
    uint8_t *mem; /* the object, mapped for the target as well */
};

/* Maps an object of size_B bytes at va. Aborts if that fails. */
struct fuzz_engine fuzz_engine_create(const struct engine_config *config,
                                      uint64_t va, uint32_t size_B);

/* What is left of an input. */
struct fuzz_input {
    const uint8_t *at, *end;
};

/* The next 1 to 4 bytes, the lowest first; after the end come zeros. */
static inline uint32_t
fuzz_take(struct fuzz_input *in, unsigned bytes)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < bytes && in->at < in->end; i++)
        v |= (uint32_t)*in->at++ << i * 8;
    return v;
}

#endif
