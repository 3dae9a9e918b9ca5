/* rings.c: the table of rings, from the rows of ENGINE_RINGS. */
#include "engine/cs/cs.h"

const struct cs_ring cs_rings[ENGINE_RING_COUNT] = {
#define X(ring, name, uapi_class, mmio, commands) \
    [ENGINE_##ring] = {name, 1 << ENGINE_##ring, mmio, commands},
    ENGINE_RINGS(X)
#undef X
};

const struct cs_command cs_media_command = {
    .name = "media command",
    .kind = CS_UNIMPLEMENTED,
    .length_bits = 12,
    .len_min_dw = 2,
    .len_max_dw = 4097,
    .store_dw = -1,
};
