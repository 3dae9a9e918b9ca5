/* block.h: between the writers of whole 4x4 blocks and of their lanes. */
#ifndef ENGINE_RASTER_BLOCK_H
#define ENGINE_RASTER_BLOCK_H

#include "engine/raster/raster.h"

/* The routine, in the kernel's float mode if that does not show. */
static inline void
run_target(const struct target *t, const struct rt_block *b)
{
    uint32_t before = BLEND_FP_MODE;
    if (t->rt.fp_bits)
        before = fpmode_get();
    bool other = (before ^ BLEND_FP_MODE) & t->rt.fp_bits;
    if (other)
        fpmode_set(BLEND_FP_MODE);
    t->write(b);
    if (other)
        fpmode_set(before);
}

/* The lanes of `mask`, which are not a block of the surface or not one that
 * the routine may have: through a copy of their texels, and back. */
void target_write_lanes(struct worker *w, struct target *t, struct rt_block b,
                        const struct view *v, const struct quad *quad,
                        uint32_t mask);

#endif
