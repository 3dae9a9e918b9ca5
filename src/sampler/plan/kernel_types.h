/* kernel_types.h: the types of sample_plan.to_unorm8 and .in_registers, for
 * callers with AVX-512 or AVX2.
 *
 * to_unorm8 returns sixteen pixels of four bytes, red or blue in the lowest
 * byte. Their bits are those of footprint()'s answer clamped to 0..1 and
 * rounded to bytes. It may leave the second stage of the work to finish(). A
 * caller should begin the next pixels before it finishes these: the two stages
 * overlap, farther than a processor's out-of-order window reaches. */
#ifndef SAMPLER_PLAN_KERNEL_TYPES_H
#define SAMPLER_PLAN_KERNEL_TYPES_H

#include <immintrin.h>

#include "sampler/plan/plan.h"

/* footprint() with coordinates in vectors: u and v, or the reference, u and v.
 * `blocks` is ignored if the plan needs none. */
typedef bool (*sample_in_registers_avx512_fn)(const struct sample_plan *plan,
                                              uint32_t *out,
                                              const int16_t at_dw[4],
                                              struct block_cache *blocks,
                                              __m512 a, __m512 b, __m512 c);
typedef bool (*sample_in_registers_avx2_fn)(const struct sample_plan *plan,
                                            uint32_t *out,
                                            const int16_t at_dw[4],
                                            struct block_cache *blocks,
                                            __m256 a0, __m256 a1, __m256 b0,
                                            __m256 b1, __m256 c0, __m256 c1);

enum sample_state {
    SAMPLE_LEFT_OUT, /* the caller needs run() */
    SAMPLE_DONE,
    SAMPLE_BEGUN,         /* finish() returns the pixels */
    SAMPLE_BEGUN_GATHER,  /* as SAMPLE_BEGUN, for scattered lanes */
    SAMPLE_BEGUN_ROTATED, /* as SAMPLE_BEGUN, with four or nine lines of memory
                           */
};

/* Offsets of the four texels of each lane. They are kept in memory, because
 * extracting vector elements costs more. */
struct sample_places {
    alignas(64) int32_t upper_left[16], upper_right[16];
    alignas(64) int32_t lower_left[16], lower_right[16];
};

/* The places of the lanes on one level: a footprint_view and the coordinates
 * that give the weights. */
struct sample_view {
    __m512i x, y; /* in 1/256 texels */
    __m512i in;
    uint32_t bx, by;
    unsigned side;
};

/* Carries the lanes' places from to_unorm8() to finish(). On entry to
 * to_unorm8() `state` is a hint: scattered lanes mostly stay scattered, and
 * rotated lanes mostly need nine lines again. `lod` is kept from one message to
 * the next. */
struct sample_begun {
    enum sample_state state;
    struct sample_lod_hint lod;
    uint32_t bx, by; /* the footprint's corner */
    unsigned side;   /* of SAMPLE_BEGUN_ROTATED: two or three lines */
    __m512i x, y;    /* in 1/256 texels */
    union {
        struct {
            __m512i in;           /* the first texel, from the corner on */
            __m256i blocks, more; /* compressed blocks, instead of lines */
        };
        struct sample_places places; /* of SAMPLE_BEGUN_GATHER */
        struct {                     /* only for mipmaps: one level or two */
            struct sample_view view[2];
            __m512i beta; /* weight of the second level */
            unsigned levels;
        };
    };
};

/* Returns the pixels if they are done. */
typedef __m512i (*sample_to_unorm8_avx512_fn)(const struct sample_plan *plan,
                                              __m512 u, __m512 v,
                                              struct block_cache *blocks,
                                              bool blue_first,
                                              struct sample_begun *begun);
/* Returns false if the caller needs run(). finish() is never needed. */
typedef bool (*sample_to_unorm8_avx2_fn)(const struct sample_plan *plan,
                                         __m256 u0, __m256 u1, __m256 v0,
                                         __m256 v1, struct block_cache *blocks,
                                         bool blue_first, __m256i out[2]);
typedef __m512i (*sample_finish_avx512_fn)(const struct sample_plan *plan,
                                           const struct sample_begun *begun,
                                           bool blue_first);
/* Prefetches most of the lines that finish() will read. Call it when the places
 * are known: prefetches that wait for an address fill the out-of-order window.
 * Inline, because compilers drop calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void
sample_ask(const struct sample_plan *plan, const struct sample_begun *begun)
{
    if (begun->state != SAMPLE_BEGUN_GATHER || !plan->asks)
        return;
    for (unsigned i = 0; i < 16; i++)
        _mm_prefetch(plan->mem + begun->places.upper_left[i], _MM_HINT_T0);
}

#endif
