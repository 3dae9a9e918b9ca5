/* rt_copy_avx512.c: blocks of pixels that the sampler's answers are, unchanged:
 * its pixels are stored as they are. The bytes are those of rt_tmpl.h's
 * routines for the colours that the sampler answers otherwise. */
#include "engine/raster/rt.h"
#include "engine/raster/x86/lanes_avx512.h"
#include "sampler/pixels.h"

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

LANES_INLINE bool
copy(enum rt_format f, vf u, vf v, const struct eu_row *row,
     const struct rt_block *b, uint32_t mask)
{
    bool done;
    vi pixels = ((sample_pixels_avx512_fn)b->plan->pixels)(
        b->plan, u, v, b->blocks, f != RT_RGBA8, &done);
    if (!done) {
        ++*b->declined;
        return false;
    }
    if (f == RT_BGRX8)
        pixels = i_or(pixels, i_all(0xff000000));
    store(b, row->caught, mask, i_rows(pixels));
    if (row_copies_next(&b->rest, row))
        row_copy_next(&b->rest, row);
    return true;
}

#define COPY(format)                                                   \
    static bool copy_##format(vf u, vf v, const struct eu_row *row,    \
                              const struct rt_block *b, uint32_t mask) \
    {                                                                  \
        return copy(format, u, v, row, b, mask);                       \
    }
COPY(RT_RGBA8)
COPY(RT_BGRA8)
COPY(RT_BGRX8)

const rt_tail_fn rt_copy_avx512[RT_FORMATS] = {
    [RT_RGBA8] = (rt_tail_fn)copy_RT_RGBA8,
    [RT_BGRA8] = (rt_tail_fn)copy_RT_BGRA8,
    [RT_BGRX8] = (rt_tail_fn)copy_RT_BGRX8,
};
