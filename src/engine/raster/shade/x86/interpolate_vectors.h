/* interpolate_vectors.h: vectors of doubles and floats, for interpolate_avx2.c
 * and interpolate_avx512.c. */
#ifndef ENGINE_RASTER_SHADE_X86_INTERPOLATE_VECTORS_H
#define ENGINE_RASTER_SHADE_X86_INTERPOLATE_VECTORS_H

#include <immintrin.h>

#include "base/unroll.h"
#include "engine/raster/shade/interpolate.h"

typedef double f64x4 __attribute__((vector_size(32)));
typedef float f32x8 __attribute__((vector_size(32)));

#endif
