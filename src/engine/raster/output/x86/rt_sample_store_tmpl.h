/* rt_sample_store_tmpl.h: stores a block of the sampler's pixels; a part of
 * rt_sample_store_*.c. Uses the vectors of rows_avx2.h or rows_avx512.h,
 * one of which must be included first. */
#ifndef ENGINE_RASTER_OUTPUT_X86_RT_SAMPLE_STORE_TMPL_H
#define ENGINE_RASTER_OUTPUT_X86_RT_SAMPLE_STORE_TMPL_H

#include "engine/raster/output/rt_kernels.h"
#include "sampler/plan/kernel_types.h"

LANES_INLINE void
store_some(const struct rt_block *b, uint8_t *at, uint32_t mask, vi rows)
{
    bool lines = b->pitch_B == 16;
    vi old = lines ? i_load_line(at) : i_load_rows(at, b->pitch_B);
    rows = i_merge(old, rows, i_rows(i_lanes(mask)));
    if (lines)
        i_store_line(at, rows);
    else
        i_store_rows(at, b->pitch_B, rows);
}

LANES_INLINE void
store(const struct rt_block *b, uint8_t *at, uint32_t mask, vi rows)
{
    /* As rt_tmpl.h's fetch_below(). */
    __builtin_prefetch(at + 4 * b->pitch_B, 1);
    if (mask == 0xffff && b->pitch_B == 16)
        i_store_line(at, rows);
    else
        store_some(b, at, mask, rows);
}

LANES_INLINE void
put(enum rt_format f, const struct rt_block *b, uint8_t *at, uint32_t mask,
    vi pixels)
{
    if (f == RT_BGRX8)
        pixels = i_or(pixels, i_all(0xff000000));
    store(b, at, mask, i_rows(pixels));
}

LANES_INLINE bool
copied(const struct rt_block *b, const struct eu_chain_entry *row)
{
    if (row_copies_next(&b->rest, row))
        row_copy_next(&b->rest, row);
    return true;
}

LANES_INLINE bool
left_out(const struct rt_block *b)
{
    ++*b->declined;
    return false;
}

#endif
