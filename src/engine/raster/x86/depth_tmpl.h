/* depth_tmpl.h: the depth test of a block, in the lanes of lanes_avx2.h or
 * lanes_avx512.h, one of which has been included. The arithmetic is that of
 * depth.c, value for value; lanes are in row order. */
#include "engine/raster/depth_lanes.h"
#include "engine/raster/raster.h"

/* Facing the viewer: what is added is zero. */
LANES_INLINE bool
is_flat(const struct depth_in *in)
{
    return in->dx == 0 && in->dy == 0;
}

LANES_INLINE vf
interpolate(const struct depth_in *in, bool flat)
{
    if (flat)
        return f_min(f_all(in->hi),
                     f_max(f_all((float)(in->c + 0.0)), f_all(in->lo)));
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
load_depths(enum depth_kind kind, const uint8_t *at, uint32_t pitch_B)
{
    if (kind == DEPTH_U16)
        return i_load_rows_16(at, pitch_B);
    return pitch_B == 16 ? i_load_line(at) : i_load_rows(at, pitch_B);
}

/* Lanes of a that pass against those of b, both as stored. */
LANES_INLINE unsigned
compare(enum depth_kind kind, unsigned pass, vi a, vi b)
{
    if (kind == DEPTH_F32) {
        vf x = f_from_bits(a), y = f_from_bits(b);
        return passing(pass, f_less(x, y), f_equal(x, y), f_less(y, x));
    }
    unsigned less = i_less(a, b), equal = i_equal(a, b);
    return passing(pass, less, equal, ~(less | equal));
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

/* Depths as they are stored, but for the byte next to D24. */
LANES_INLINE vi
new_depths(enum depth_kind kind, const struct depth_in *in, bool flat)
{
    vf z = interpolate(in, flat);
    if (kind == DEPTH_F32)
        return i_from_bits(z);
    return quantise(kind, f_min(f_max(z, f_all(0)), f_all(1)));
}

LANES_INLINE uint16_t
test_depths(enum depth_kind kind, const struct depth_in *in, vi new)
{
    const vi bits = i_all(kind == DEPTH_U16 ? 0xffff : 0xffffff);
    vi old = load_depths(kind, in->at, in->pitch_B);
    vi was = kind == DEPTH_F32 ? old : i_and(old, bits);
    unsigned pass = compare(kind, in->pass, new, was) & in->mask;
    if (!in->write || !pass)
        return (uint16_t)pass;
    /* That byte stays as it is. */
    if (kind == DEPTH_U24)
        new = i_merge(old, new, bits);
    if (pass != 0xffff)
        new = i_merge(old, new, i_lanes(pass));
    store_depths(kind, in, new);
    return (uint16_t)pass;
}

LANES_INLINE uint16_t
test_block(enum depth_kind kind, const struct depth_in *in)
{
    return test_depths(kind, in, new_depths(kind, in, is_flat(in)));
}

/* Blocks whose depths are on their way from memory while others are tested. */
#define AHEAD 12

LANES_INLINE void
test_blocks(enum depth_kind kind, const struct depth_in *in,
            struct depth_item *item, unsigned count)
{
    struct depth_in one = *in;
    const bool flat = is_flat(in);
    const vi fixed = new_depths(kind, in, true);
    for (unsigned i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(item[i + AHEAD].at, 1);
        one.at = item[i].at;
        one.mask = item[i].mask;
        vi new = fixed;
        if (!flat) {
            one.x = item[i].x;
            one.y = item[i].y;
            new = new_depths(kind, &one, false);
        }
        item[i].mask = test_depths(kind, &one, new);
    }
}

/* Column by column, as they lie in a Y tile. */
LANES_INLINE bool
scan_blocks(enum depth_kind kind, const struct depth_scan *s)
{
    vi depth = i_all(s->depth);
    for (unsigned x = s->x0; x < s->x1; x += 4) {
        for (unsigned y = s->y0; y < s->y1; y += 4) {
            vi old = load_depths(kind, s->mem + s->x_B[x] + s->y_B[y],
                                 s->pitch_B);
            if (kind == DEPTH_U24)
                old = i_and(old, i_all(0xffffff));
            if (compare(kind, s->pass, depth, old))
                return true;
        }
    }
    return false;
}

#define FUNCTIONS(name, kind)                                        \
    static uint16_t test_##name(const struct depth_in *in)           \
    {                                                                \
        return test_block(kind, in);                                 \
    }                                                                \
    static void list_##name(const struct depth_in *in,               \
                            struct depth_item *item, unsigned count) \
    {                                                                \
        test_blocks(kind, in, item, count);                          \
    }                                                                \
    static bool scan_##name(const struct depth_scan *s)              \
    {                                                                \
        return scan_blocks(kind, s);                                 \
    }

FUNCTIONS(f32, DEPTH_F32)
FUNCTIONS(u24, DEPTH_U24)
FUNCTIONS(u16, DEPTH_U16)

#undef FUNCTIONS

const depth_fn DEPTH_TABLE[4] = {
    [DEPTH_F32] = test_f32,
    [DEPTH_U24] = test_u24,
    [DEPTH_U16] = test_u16,
};
const depth_list_fn DEPTH_LIST_TABLE[4] = {
    [DEPTH_F32] = list_f32,
    [DEPTH_U24] = list_u24,
    [DEPTH_U16] = list_u16,
};
const depth_scan_fn DEPTH_SCAN_TABLE[4] = {
    [DEPTH_F32] = scan_f32,
    [DEPTH_U24] = scan_u24,
    [DEPTH_U16] = scan_u16,
};
