/* plane_vectors.h: vectors of doubles, for plane_avx2.c and plane_avx512.c. */
#ifndef RASTER_PLANE_VECTORS_H
#define RASTER_PLANE_VECTORS_H

#include <immintrin.h>

#include "base/unroll.h"
#include "engine/raster/plane.h"

typedef double f64x4 __attribute__((vector_size(32)));
typedef float f32x8 __attribute__((vector_size(32)));

#endif
