/* pixels.h: the type of sample_plan.pixels, for callers with AVX-512.
 *
 * Sixteen pixels of four bytes, each lane's red in the lowest or blue: the same
 * bits as if patch()'s answer were clamped to 0..1 and rounded to bytes. *done
 * is false if run() has to answer. */
#ifndef SAMPLER_PIXELS_H
#define SAMPLER_PIXELS_H

#include <immintrin.h>

#include "sampler/plan.h"

typedef __m512i (*sample_pixels_avx512_fn)(const struct sample_plan *plan,
                                           __m512 u, __m512 v,
                                           struct sample_blocks *blocks,
                                           bool blue_first, bool *done);

#endif
