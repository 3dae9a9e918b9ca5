/* pixels.h: the types of sample_plan.pixels and .vectors, for callers with
 * AVX-512 or AVX2.
 *
 * pixels: sixteen pixels of four bytes, each lane's red in the lowest or blue:
 * the same bits as if patch()'s answer were clamped to 0..1 and rounded to
 * bytes. It may leave the second half of the work to finish(): whoever asks for
 * the next pixels first has the two overlap, which processors do not look far
 * enough ahead for. */
#ifndef SAMPLER_PIXELS_H
#define SAMPLER_PIXELS_H

#include <immintrin.h>

#include "sampler/plan.h"

/* patch(); the vectors are u and v, or what texels are compared with, u and v.
 * `blocks`: anything if the plan has none. */
typedef bool (*sample_vectors_avx512_fn)(const struct sample_plan *plan,
                                         uint32_t *out, const int16_t at_dw[4],
                                         struct sample_blocks *blocks, __m512 a,
                                         __m512 b, __m512 c);
typedef bool (*sample_vectors_avx2_fn)(const struct sample_plan *plan,
                                       uint32_t *out, const int16_t at_dw[4],
                                       struct sample_blocks *blocks, __m256 a0,
                                       __m256 a1, __m256 b0, __m256 b1,
                                       __m256 c0, __m256 c1);

enum sample_state {
    SAMPLE_LEFT_OUT, /* run() has to answer */
    SAMPLE_DONE,
    SAMPLE_BEGUN,          /* finish() has the pixels */
    SAMPLE_BEGUN_ANYWHERE, /* likewise, of lanes that look at no patch */
    SAMPLE_BEGUN_TURNED,   /* likewise, of four lines of memory or nine */
};

/* Offsets of the four texels of each lane, in memory: taking vectors apart
 * costs more. */
struct sample_places {
    alignas(64) int32_t upper_left[16], upper_right[16];
    alignas(64) int32_t lower_left[16], lower_right[16];
};

/* Where lanes look on one level: patch_view, and what weights are made of. */
struct sample_view {
    __m512i x, y; /* in 1/256 texels */
    __m512i in;
    uint32_t bx, by;
    unsigned side;
};

/* What lies between the two halves: where lanes look. What pixels() finds in
 * `state` is only a hint: lanes that looked anywhere most likely do so again,
 * and some that are turned need nine lines again.
 * `lod` stays as it is from one message to the next.
 */
struct sample_begun {
    enum sample_state state;
    struct sample_lod_hint lod;
    uint32_t bx, by; /* the patch's corner */
    unsigned side;   /* of SAMPLE_BEGUN_TURNED: two or three lines */
    __m512i x, y;    /* in 1/256 texels */
    union {
        struct {
            __m512i in; /* the first texel, from the patch's corner on */
            __m256i blocks, more; /* compressed ones, instead of lines */
        };
        struct sample_places places; /* of SAMPLE_BEGUN_ANYWHERE */
        struct {                     /* of mipmaps alone: one level or two */
            struct sample_view view[2];
            __m512i beta; /* of the second */
            unsigned levels;
        };
    };
};

/* The pixels are returned if they are done. */
typedef __m512i (*sample_pixels_avx512_fn)(const struct sample_plan *plan,
                                           __m512 u, __m512 v,
                                           struct sample_blocks *blocks,
                                           bool blue_first,
                                           struct sample_begun *begun);
/* False: run() has to answer. Nothing is left to finish(). */
typedef bool (*sample_pixels_avx2_fn)(const struct sample_plan *plan, __m256 u0,
                                      __m256 u1, __m256 v0, __m256 v1,
                                      struct sample_blocks *blocks,
                                      bool blue_first, __m256i out[2]);
typedef __m512i (*sample_finish_avx512_fn)(const struct sample_plan *plan,
                                           const struct sample_begun *begun,
                                           bool blue_first);
/* For the lines of memory that finish() will look at, or most of them. Their
 * places should be known by then: instructions that wait for them keep others
 * from being begun. Compilers leave calls of functions out that do nothing
 * else, so that this is to be none. */
static inline __attribute__((always_inline)) void
sample_ask(const struct sample_plan *plan, const struct sample_begun *begun)
{
    if (begun->state != SAMPLE_BEGUN_ANYWHERE || !plan->asks)
        return;
    for (unsigned i = 0; i < 16; i++)
        _mm_prefetch(plan->mem + begun->places.upper_left[i], _MM_HINT_T0);
}

#endif
