/* lanes_constant.h: constants that kernels of the sampler broadcast from
 * memory, with v_constant(). */
#ifndef SAMPLER_PLAN_X86_LANES_CONSTANT_H
#define SAMPLER_PLAN_X86_LANES_CONSTANT_H

#include <stdint.h>

static const struct {
    int32_t one, whole, fraction, half_texel, weights;
    int32_t even_bytes, low_half;
    int32_t nan, float_one;
    int32_t rows, beyond_square, beyond_line, lower_row;
} lanes_constant = {
    .one = 1,
    .whole = 0x100,
    .fraction = 0xff,
    .half_texel = 0x80,
    .weights = 0x1000100,
    .even_bytes = 0xff00ff,
    .low_half = 0xffff,
    .nan = 0x7fc00000,
    .float_one = 0x3f800000,
    .rows = 8 << 16,
    .beyond_square = (int32_t)0xfff8fff8,
    .beyond_line = (int32_t)0xfffcfffc,
    .lower_row = 32 << 16,
};

#endif
