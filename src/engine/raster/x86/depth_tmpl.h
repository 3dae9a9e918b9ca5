/* depth_tmpl.h: the depth test of a block, in the lanes of lanes_avx2.h or
 * lanes_avx512.h, one of which has been included. The arithmetic is that of
 * depth.c, value for value; lanes are in row order. */
#include "engine/raster/depth_lanes.h"
#include "engine/raster/raster.h"

LANES_INLINE vf
interpolate(const struct depth_in *in)
{
    const __m256d steps = _mm256_set_pd(3, 2, 1, 0);
    __m256d x = _mm256_add_pd(_mm256_set1_pd(in->x), steps);
    __m256d y = _mm256_add_pd(_mm256_set1_pd(in->y), steps);
    x = _mm256_add_pd(_mm256_set1_pd(in->c),
                      _mm256_mul_pd(_mm256_set1_pd(in->dx), x));
    y = _mm256_mul_pd(_mm256_set1_pd(in->dy), y);
    vf z = f_max(f_of_sums(x, y), f_all(in->lo)); /* NaN to lo */
    return f_min(f_all(in->hi), z);
}

LANES_INLINE uint16_t
passing(unsigned pass, unsigned less, unsigned equal, unsigned greater)
{
    unsigned unordered = ~(less | equal | greater);
    return (uint16_t)((pass & 1 ? less : 0) | (pass & 2 ? equal : 0) |
                      (pass & 4 ? greater : 0) | (pass & 8 ? unordered : 0));
}

/* v * max + 0.5 cut off, exactly: the fused sums round once, at the last bit
 * of an integer. A product of 2^23 or more ends there by itself. The only tie
 * is at v = 0.5, where nearest even is up. */
LANES_INLINE vi
quantise(enum depth_kind kind, vf v)
{
    if (kind == DEPTH_U16)
        return i_sub(i_from_bits(f_fma(v, f_all(65535), f_all(0x1p23f))),
                     i_all(0x4b000000));
    vi low = i_sub(i_from_bits(f_fma(v, f_all(16777215), f_all(0x1p23f))),
                   i_all(0x4b000000));
    vi high = i_nearest(f_mul(v, f_all(16777215)));
    return i_if_greater(i_all(0x3f000000), i_from_bits(v), low, high);
}

LANES_INLINE vi
load_depths(enum depth_kind kind, const struct depth_in *in)
{
    if (kind == DEPTH_U16)
        return i_load_rows_16(in->at, in->pitch_B);
    return in->pitch_B == 16 ? i_load_line(in->at)
                             : i_load_rows(in->at, in->pitch_B);
}

LANES_INLINE void
store_depths(enum depth_kind kind, const struct depth_in *in, vi v)
{
    if (kind == DEPTH_U16)
        i_store_rows_16(in->at, in->pitch_B, v);
    else if (in->pitch_B == 16)
        i_store_line(in->at, v);
    else
        i_store_rows(in->at, in->pitch_B, v);
}

LANES_INLINE uint16_t
test_block(enum depth_kind kind, const struct depth_in *in)
{
    vf z = interpolate(in);
    vi old = load_depths(kind, in), new;
    unsigned pass;
    if (kind == DEPTH_F32) {
        vf was = f_from_bits(old);
        new = i_from_bits(z);
        pass = passing(in->pass, f_less(z, was), f_equal(z, was),
                       f_less(was, z));
    } else {
        const uint32_t max = kind == DEPTH_U16 ? 0xffff : 0xffffff;
        vi was = i_and(old, i_all(max));
        new = quantise(kind, f_min(f_max(z, f_all(0)), f_all(1)));
        unsigned less = i_less(new, was), equal = i_equal(new, was);
        pass = passing(in->pass, less, equal, ~(less | equal));
        /* The byte next to D24 stays as it is. */
        if (kind == DEPTH_U24)
            new = i_merge(old, new, i_all(max));
    }
    pass &= in->mask;
    if (!in->write || !pass)
        return (uint16_t)pass;
    if (pass != 0xffff)
        new = i_merge(old, new, i_lanes(pass));
    store_depths(kind, in, new);
    return (uint16_t)pass;
}

static uint16_t
test_f32(const struct depth_in *in)
{
    return test_block(DEPTH_F32, in);
}

static uint16_t
test_u24(const struct depth_in *in)
{
    return test_block(DEPTH_U24, in);
}

static uint16_t
test_u16(const struct depth_in *in)
{
    return test_block(DEPTH_U16, in);
}

const depth_fn DEPTH_TABLE[4] = {
    [DEPTH_F32] = test_f32,
    [DEPTH_U24] = test_u24,
    [DEPTH_U16] = test_u16,
};
