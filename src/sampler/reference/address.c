/* address.c: texel numbers along one axis from a texture coordinate. ILK PRM
 * vol 4 part 1, 4.2.4 "Texture Address Control"; BDW PRM vol 2b, Texture
 * Coordinate Mode. */
#include "sampler/reference/sample.h"

static float
floor_float(float f)
{
    /* From 2^23 on every float is an integer. */
    if (!(f > -8388608.0f && f < 8388608.0f))
        return f;
    return (float)sample_floor(f);
}

static float
limit_coord(float x)
{
    if (!(x > -(float)ADDRESS_LIMIT_TEXELS))
        return x < 0 ? -(float)ADDRESS_LIMIT_TEXELS : 0.0f; /* NaN */
    return x < (float)ADDRESS_LIMIT_TEXELS ? x : (float)ADDRESS_LIMIT_TEXELS;
}

/* Coordinate in texels of the level, small enough for an int. Repeats are
 * removed before scaling, which is exact; scaling first is not. */
static float
scale_coord(unsigned wrap, float coord, uint32_t size, bool texels)
{
    float n = (float)size;
    if (texels) {
        coord = limit_coord(coord);
    } else if (wrap == GEN9_TCM_WRAP) {
        coord -= floor_float(coord);
    } else if (wrap == GEN9_TCM_MIRROR) {
        coord -= 2.0f * floor_float(0.5f * coord);
    }
    float x = limit_coord(texels ? coord : coord * n);
    if (wrap == GEN9_TCM_HALF_BORDER)
        x = CLAMP(x, 0.0f, n);
    return x;
}

static int32_t
wrap_modulo(int32_t i, int32_t n)
{
    if ((uint32_t)i < (uint32_t)n)
        return i;
    i %= n;
    return i < 0 ? i + n : i;
}

int32_t
address_wrap(unsigned wrap, int32_t i, int32_t size)
{
    if ((uint32_t)i < (uint32_t)size)
        return i;
    switch (wrap) {
    case GEN9_TCM_WRAP: return wrap_modulo(i, size);
    case GEN9_TCM_MIRROR:
        i = wrap_modulo(i, 2 * size);
        return i < size ? i : 2 * size - 1 - i;
    case GEN9_TCM_MIRROR_ONCE: i = i < 0 ? -1 - i : i; return MIN2(i, size - 1);
    case GEN9_TCM_CLAMP_BORDER:
    case GEN9_TCM_HALF_BORDER: return ADDRESS_BORDER;
    default: return CLAMP(i, 0, size - 1);
    }
}

int32_t
address_nearest(unsigned wrap, float coord, uint32_t size, bool texels,
                int offset)
{
    /* Observed: with a nearest filter GL_CLAMP is GL_CLAMP_TO_EDGE. */
    if (wrap == GEN9_TCM_HALF_BORDER)
        wrap = GEN9_TCM_CLAMP;
    int32_t i = sample_floor(scale_coord(wrap, coord, size, texels));
    return address_wrap(wrap, i + offset, (int32_t)size);
}

struct address
address_linear(unsigned wrap, float coord, uint32_t size, bool texels,
               int offset, bool round)
{
    /* Texel centres are at one half. */
    float x = scale_coord(wrap, coord, size, texels) * SAMPLE_ONE;
    int32_t fixed = sample_floor(round ? x + 0.5f : x) - SAMPLE_ONE / 2;
    int32_t i = (fixed >> 8) + offset;
    struct address a = {.w1 = fixed & (SAMPLE_ONE - 1)};
    if (wrap == GEN9_TCM_CUBE) {
        a.i0 = i;
        a.i1 = i + 1;
        return a;
    }
    a.i0 = address_wrap(wrap, i, (int32_t)size);
    a.i1 = address_wrap(wrap, i + 1, (int32_t)size);
    return a;
}
