/* rt_unorm.h: converts float to UNORM of 1 to 10 bits as render targets do. For
 * the formats of sampler/ and the shortcuts of engine/raster that store
 * elements themselves.
 *
 * Observed: recorded frames of six Gen9 machines match bit for bit with two
 * steps. The clamped value is truncated after 16 binary places; its product
 * with 2^bits - 1 is rounded half up. Rounding the exact product to nearest
 * even does not match. 0.1 becomes 25 of 255, 0.5 stays 128. Unknown for UNORM
 * of 16 bits, for sRGB formats and for typed writes: they round to nearest
 * even. */
#ifndef SAMPLER_FORMAT_RT_UNORM_H
#define SAMPLER_FORMAT_RT_UNORM_H

#include "base/base.h"

#define RT_UNORM_BITS 10 /* wider channels round to nearest even */

/* max: 2^bits - 1. NaN gives 0. */
static inline uint32_t
rt_unorm_from_float(float f, uint32_t max)
{
    float unit = f >= 1.0f ? 1.0f : f > 0.0f ? f : 0.0f;
    uint32_t places = (uint32_t)(unit * 65536.0f);
    return (places * max + 32768) >> 16;
}

#endif
