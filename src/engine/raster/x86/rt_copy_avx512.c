/* rt_copy_avx512.c: blocks of pixels that the sampler's answers are, unchanged:
 * its pixels are stored as they are. The bytes are those of rt_tmpl.h's
 * routines for the colours that the sampler answers otherwise. */
#include "engine/raster/x86/lanes_avx512.h"
#include "engine/raster/x86/rt_copy_tmpl.h"

static_assert(sizeof(struct sample_begun) <= RT_BEGUN_B,
              "what is begun has room");

LANES_INLINE struct sample_begun *
begun_number(struct rt_begun *begun, unsigned i)
{
    return (struct sample_begun *)(void *)begun->sample[i];
}

/* The block before. */
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
rt_finish_copy_avx512(const struct rt_block *b)
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
    return ((sample_pixels_avx512_fn)b->plan->pixels)(b->plan, u, v, b->blocks,
                                                      f != RT_RGBA8, begun);
}

LANES_INLINE bool
copy(enum rt_format f, vf u, vf v, const struct eu_row *row,
     const struct rt_block *b, uint32_t mask)
{
    struct sample_begun *begun = begun_number(b->begun, 0);
    vi pixels = sample(f, u, v, b, begun);
    if (begun->state == SAMPLE_LEFT_OUT)
        return left_out(b);
    put(f, b, row->caught, mask, pixels);
    return copied(b, row);
}

/* Apart, or all blocks would have room for their pixels on the stack. */
static __attribute__((noinline)) void
put_behind(const struct rt_block *b, uint8_t *at, uint32_t mask, vi pixels)
{
    rt_finish_copy_avx512(b);
    put((enum rt_format)b->state->format, b, at, mask, pixels);
}

LANES_INLINE bool
copy_halves(enum rt_format f, vf u, vf v, const struct eu_row *row,
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
        begun->at = row->caught;
        begun->mask = mask;
        begun->number = number;
    } else if (next->state == SAMPLE_LEFT_OUT) {
        rt_finish_copy(b);
        return left_out(b);
    } else if (begun->at) {
        put_behind(b, row->caught, mask, pixels);
    } else {
        put(f, b, row->caught, mask, pixels);
    }
    return copied(b, row);
}

#define COPY(copy, format)                                               \
    static bool copy##_##format(vf u, vf v, const struct eu_row *row,    \
                                const struct rt_block *b, uint32_t mask) \
    {                                                                    \
        return copy(format, u, v, row, b, mask);                         \
    }
#define COPIES(copy)     \
    COPY(copy, RT_RGBA8) \
    COPY(copy, RT_BGRA8) \
    COPY(copy, RT_BGRX8)
COPIES(copy)
COPIES(copy_halves)

#define EACH(copy)                                \
    {                                             \
        [RT_RGBA8] = (rt_tail_fn)copy##_RT_RGBA8, \
        [RT_BGRA8] = (rt_tail_fn)copy##_RT_BGRA8, \
        [RT_BGRX8] = (rt_tail_fn)copy##_RT_BGRX8, \
    }
const rt_tail_fn rt_copy_avx512[RT_FORMATS] = EACH(copy);
const rt_tail_fn rt_copy_halves_avx512[RT_FORMATS] = EACH(copy_halves);
