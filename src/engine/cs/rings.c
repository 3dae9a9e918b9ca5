/* rings.c: the table of rings, from the rows of ENGINE_RINGS. */
#include "engine/cs/cs.h"

const struct cs_ring cs_rings[ENGINE_RING_COUNT] = {
#define X(ring, name, uapi_class, mmio, commands) \
    [ENGINE_##ring] = {name, 1 << ENGINE_##ring, mmio, commands},
    ENGINE_RINGS(X)
#undef X
};
