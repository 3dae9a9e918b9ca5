/* tiling.c: samples of interleaved multisample surfaces.
 * BDW PRM vol 5, "Memory Views", MSFMT_DEPTH_STENCIL. */
#include "sampler/tiling.h"

void
tiling_interleave(unsigned samples, unsigned sample, uint32_t *x, uint32_t *y)
{
    /* Sample bits 0 and 2 go to x, 1 and 3 to y, above the pixel's bit 0. */
    uint32_t px = *x, py = *y;
    unsigned sx = (sample & 1) << 1 | (sample & 4);
    unsigned sy = (sample & 2) | (sample & 8) >> 1;
    unsigned shift_x = samples >= 8 ? 2 : samples >= 2 ? 1 : 0;
    unsigned shift_y = samples >= 16 ? 2 : samples >= 4 ? 1 : 0;
    *x = (px & ~1u) << shift_x | sx | (px & 1);
    *y = (py & ~1u) << shift_y | sy | (py & 1);
}
