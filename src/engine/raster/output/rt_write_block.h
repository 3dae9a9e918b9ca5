/* rt_write_block.h: shared by rt_write_block.c and rt_write_scattered.c only.
 */
#ifndef ENGINE_RASTER_OUTPUT_RT_WRITE_BLOCK_H
#define ENGINE_RASTER_OUTPUT_RT_WRITE_BLOCK_H

#include "engine/raster/output/output.h"
#include "engine/raster/pixel_group.h"

/* Runs the target's kernel. Keeps the current float mode if it does not affect
 * the result. */
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

/* Writes the lanes of `mask`, which do not form a block of the surface: copies
 * their elements to a private block, runs the kernel there, and copies them
 * back. */
void target_write_lanes(struct worker *w, struct target *t, struct rt_block b,
                        const struct view *v, const struct quad *quad,
                        uint32_t mask);

#endif
