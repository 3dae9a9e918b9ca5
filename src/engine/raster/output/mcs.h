/* mcs.h: shared by mcs.c and mcs_block.c only. */
#ifndef ENGINE_RASTER_OUTPUT_MCS_H
#define ENGINE_RASTER_OUTPUT_MCS_H

#include "engine/raster/output/output.h"
#include "engine/raster/tile_view.h"

static inline uint64_t
mcs_clear_value(unsigned samples)
{
    unsigned bits = mcs_entry_B(samples) * 8;
    return bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static inline bool
mcs_is_clear(unsigned samples, uint64_t v)
{
    return samples == 2 ? (v & 3) == 3 : v == mcs_clear_value(samples);
}

/* Stores an element in the first `planes` planes of a pixel. */
void mcs_fill_pixel(struct worker *w, struct target *t, const uint8_t *element,
                    unsigned planes, int32_t x, int32_t y);
/* Copies each sample's colour, as entry v maps it, to the sample's own plane.
 */
void mcs_spread_pixel(struct worker *w, struct target *t, uint64_t v, int32_t x,
                      int32_t y);
#endif
