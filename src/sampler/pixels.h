/* pixels.h: the types of sample_plan.pixels and .vectors, for callers with
 * AVX-512.
 *
 * pixels: sixteen pixels of four bytes, each lane's red in the lowest or blue:
 * the same bits as if patch()'s answer were clamped to 0..1 and rounded to
 * bytes. *done is false if run() has to answer. */
#ifndef SAMPLER_PIXELS_H
#define SAMPLER_PIXELS_H

#include <immintrin.h>

#include "sampler/plan.h"

/* patch() without blocks; the vectors are u and v, or what texels are compared
 * with, u and v. */
typedef bool (*sample_vectors_avx512_fn)(const struct sample_plan *plan,
                                         uint32_t *out, const int16_t at_dw[4],
                                         __m512 a, __m512 b, __m512 c);

typedef __m512i (*sample_pixels_avx512_fn)(const struct sample_plan *plan,
                                           __m512 u, __m512 v,
                                           struct sample_blocks *blocks,
                                           bool blue_first, bool *done);

#endif
