/* rt_sample_store_avx2.c: rt_sample_store_avx512.c with AVX2; finishes each
 * block at once. */
#include "engine/raster/x86/rows_avx2.h"
#include "engine/raster/output/x86/rt_sample_store_tmpl.h"

LANES_INLINE bool
copy(enum rt_format f, __m256 u0, __m256 u1, __m256 v0, __m256 v1,
     const struct eu_chain_entry *row, const struct rt_block *b, uint32_t mask)
{
    __m256i pixels[2];
    if (!((sample_to_unorm8_avx2_fn)b->plan->to_unorm8)(
            b->plan, u0, u1, v0, v1, b->blocks, f != RT_RGBA8, pixels))
        return left_out(b);
    put(f, b, row->captured, mask, (vi){pixels[0], pixels[1]});
    return copied(b, row);
}

#define COPY(format)                                                      \
    static bool copy_##format(__m256 u0, __m256 u1, __m256 v0, __m256 v1, \
                              const struct eu_chain_entry *row,           \
                              const struct rt_block *b, uint32_t mask)    \
    {                                                                     \
        return copy(format, u0, u1, v0, v1, row, b, mask);                \
    }
COPY(RT_RGBA8)
COPY(RT_BGRA8)
COPY(RT_BGRX8)

const rt_epilogue_fn rt_sample_store_avx2[RT_FORMATS] = {
    [RT_RGBA8] = (rt_epilogue_fn)copy_RT_RGBA8,
    [RT_BGRA8] = (rt_epilogue_fn)copy_RT_BGRA8,
    [RT_BGRX8] = (rt_epilogue_fn)copy_RT_BGRX8,
};
