/* rt_sample_store_avx512.c: sample stores: epilogues of threads whose colours
 * are the sampler's answer, unchanged. Stores the sampler's UNORM bytes without
 * a way through floats. Gives the same bytes as rt_tmpl.h's kernels for the
 * sampled colours. */
#include "engine/raster/x86/rows_avx512.h"
#include "engine/raster/output/x86/rt_sample_store_tmpl.h"

static_assert(sizeof(struct sample_begun) <= RT_BEGUN_B,
              "what is begun has room");

LANES_INLINE struct sample_begun *
begun_number(struct rt_begun *begun, unsigned i)
{
    return (struct sample_begun *)(void *)begun->sample[i];
}

/* Finishes and stores the block that has begun. */
LANES_INLINE void
finish(enum rt_format f, const struct rt_block *b)
{
    struct rt_begun *begun = b->begun;
    vi pixels = ((sample_finish_avx512_fn)b->plan->finish)(
        b->plan, begun_number(begun, begun->number), f != RT_RGBA8);
    put(f, b, begun->at, begun->mask, pixels);
    begun->at = NULL;
}

void
rt_finish_sample_store_avx512(const struct rt_block *b)
{
    switch (b->state->format) {
    case RT_RGBA8: finish(RT_RGBA8, b); break;
    case RT_BGRA8: finish(RT_BGRA8, b); break;
    default: finish(RT_BGRX8, b); break;
    }
}

LANES_INLINE vi
sample(enum rt_format f, vf u, vf v, const struct rt_block *b,
       struct sample_begun *begun)
{
    return ((sample_to_unorm8_avx512_fn)b->plan->to_unorm8)(
        b->plan, u, v, b->blocks, f != RT_RGBA8, begun);
}

LANES_INLINE bool
copy(enum rt_format f, vf u, vf v, const struct eu_chain_entry *row,
     const struct rt_block *b, uint32_t mask)
{
    struct sample_begun *begun = begun_number(b->begun, 0);
    vi pixels = sample(f, u, v, b, begun);
    if (begun->state == SAMPLE_LEFT_OUT)
        return left_out(b);
    put(f, b, row->captured, mask, pixels);
    return copied(b, row);
}

/* Out of line: inlined, it would make every call reserve stack for the pixels.
 */
static __attribute__((noinline)) void
put_behind(const struct rt_block *b, uint8_t *at, uint32_t mask, vi pixels)
{
    rt_finish_sample_store_avx512(b);
    put((enum rt_format)b->state->format, b, at, mask, pixels);
}

LANES_INLINE bool
copy_halves(enum rt_format f, vf u, vf v, const struct eu_chain_entry *row,
            const struct rt_block *b, uint32_t mask)
{
    struct rt_begun *begun = b->begun;
    unsigned number = begun->number ^ 1;
    struct sample_begun *next = begun_number(begun, number);
    vi pixels = sample(f, u, v, b, next);
    if (next->state >= SAMPLE_BEGUN) {
        if (begun->at)
            finish(f, b);
        sample_ask(b->plan, next);
        begun->at = row->captured;
        begun->mask = mask;
        begun->number = number;
    } else if (next->state == SAMPLE_LEFT_OUT) {
        rt_finish_sample_store(b);
        return left_out(b);
    } else if (begun->at) {
        put_behind(b, row->captured, mask, pixels);
    } else {
        put(f, b, row->captured, mask, pixels);
    }
    return copied(b, row);
}

#define COPY(copy, format)                                                    \
    static bool copy##_##format(vf u, vf v, const struct eu_chain_entry *row, \
                                const struct rt_block *b, uint32_t mask)      \
    {                                                                         \
        return copy(format, u, v, row, b, mask);                              \
    }
#define COPIES(copy)     \
    COPY(copy, RT_RGBA8) \
    COPY(copy, RT_BGRA8) \
    COPY(copy, RT_BGRX8)
COPIES(copy)
COPIES(copy_halves)

#define EACH(copy)                                    \
    {                                                 \
        [RT_RGBA8] = (rt_epilogue_fn)copy##_RT_RGBA8, \
        [RT_BGRA8] = (rt_epilogue_fn)copy##_RT_BGRA8, \
        [RT_BGRX8] = (rt_epilogue_fn)copy##_RT_BGRX8, \
    }
const rt_epilogue_fn rt_sample_store_avx512[RT_FORMATS] = EACH(copy);
const rt_epilogue_fn rt_sample_store_halves_avx512[RT_FORMATS] = EACH(
    copy_halves);
