/* depth_tmpl.h: the depth test of blocks, in the vectors of rows_avx2.h or
 * rows_avx512.h, one of which must be included first. Same arithmetic as
 * depth_test.c, value for value; lanes are in row order. */
#include "engine/raster/depth/depth_kernels.h"
#include "engine/raster/depth/depth.h"

/* Constant depth: the increments are zero. */
LANES_INLINE bool
is_flat(const struct depth_in *in)
{
    return in->dx == 0 && in->dy == 0;
}

/* Comparison as lane masks. other: the result of depths that are neither less
 * nor equal (nor, for floats, greater). Each further mask: whether that
 * relation has the opposite result. */
struct rule {
    vl less, equal, greater, other;
};

LANES_INLINE struct rule
find_rule(enum depth_kind kind, unsigned pass)
{
    enum { LESS, EQUAL, GREATER, UNORDERED };
    bool other = pass >> (kind == DEPTH_F32 ? UNORDERED : GREATER) & 1;
    const vl all = l_of_bits(0xffff), none = l_of_bits(0);
    return (struct rule){
        .less = (pass >> LESS & 1) != other ? all : none,
        .equal = (pass >> EQUAL & 1) != other ? all : none,
        .greater = (pass >> GREATER & 1) != other ? all : none,
        .other = other ? all : none,
    };
}

/* Truncates v * max + 0.5 exactly, for v from 0 to 1. The fused sum rounds
 * once, at the last bit of an integer. The only tie is at v = 0.5, where
 * rounding to even rounds up. 24 bits fit up to v = 0.5. Above it, v is (n +
 * 2^23) / 2^24 with its significand n, and the result is one less than that.
 * Each of the two formulas gives less than the other one where it does not
 * hold: takes the greater. */
LANES_INLINE vi
quantise(enum depth_kind kind, vf v)
{
    const float max = kind == DEPTH_U16 ? 65535 : 16777215;
    vi low = i_sub(i_from_bits(f_fma(v, f_all(max), f_all(0x1p23f))),
                   i_all(0x4b000000));
    if (kind == DEPTH_U16)
        return low;
    return i_greatest(low, i_sub(i_from_bits(v), i_all(0x3e800001)));
}

LANES_INLINE vi
load_depths(enum depth_kind kind, const uint8_t *at, uint32_t pitch_B)
{
    if (kind == DEPTH_U16)
        return i_load_rows_16(at, pitch_B);
    return pitch_B == 16 ? i_load_line(at) : i_load_rows(at, pitch_B);
}

/* Lanes of a that pass against b, both as stored. */
LANES_INLINE vl
compare(enum depth_kind kind, const struct rule *rule, vi a, vi b)
{
    if (kind != DEPTH_F32)
        return l_xor(l_xor(rule->other, l_less(rule->less, a, b)),
                     l_equal(rule->equal, a, b));
    vf x = f_from_bits(a), y = f_from_bits(b);
    vl pass = l_xor(rule->other, l_below(rule->less, x, y));
    pass = l_xor(pass, l_same(rule->equal, x, y));
    return l_xor(pass, l_below(rule->greater, y, x));
}

/* Most comparisons of integers are one comparison "less": a passes against b if
 * (a ^ flip) < (b ^ flip) + more. */
struct order {
    bool exists;
    vi flip, more;
};

/* Does not exist for "equal" and "not equal". */
LANES_INLINE struct order
find_order(enum depth_kind kind, unsigned pass)
{
    enum { LESS = 1, EQUAL = 2, GREATER = 4, BEYOND_ALL = 1 << 30 };
    bool less = pass & LESS, equal = pass & EQUAL, greater = pass & GREATER;
    bool all = less && equal && greater, none = !less && !equal && !greater;
    uint32_t more = all    ? BEYOND_ALL
                    : none ? -(uint32_t)BEYOND_ALL
                           : (uint32_t)equal;
    return (struct order){
        .exists = kind != DEPTH_F32 && (all || none || less != greater),
        .flip = i_all(greater && !less ? UINT32_MAX : 0),
        .more = i_all(more),
    };
}

/* Compares with depths as they are in memory, in the lanes of a set. */
LANES_INLINE vl
compare_stored(enum depth_kind kind, const struct rule *rule,
               const struct order *order, bool ordered, vl set, vi new, vi old)
{
    const vi bits = i_all(kind == DEPTH_U16 ? 0xffff : 0xffffff);
    if (kind == DEPTH_F32)
        return l_and(compare(kind, rule, new, old), set);
    if (!ordered)
        return l_and(compare(kind, rule, new, i_and(old, bits)), set);
    return l_less(set, i_flip(new, order->flip),
                  i_add(i_and_flip(old, bits, order->flip), order->more));
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

/* Depths as stored, without the byte next to D24. */
LANES_INLINE vi
new_depths(enum depth_kind kind, const struct depth_in *in, vf z)
{
    z = f_min(f_all(in->hi), f_max(z, f_all(in->lo))); /* NaN to lo */
    return kind == DEPTH_F32 ? i_from_bits(z) : quantise(kind, z);
}

LANES_INLINE vi
flat_depths(enum depth_kind kind, const struct depth_in *in)
{
    return new_depths(kind, in, f_all((float)(in->c + 0.0)));
}

/* Depths of a block, from the coordinates of its columns and rows. */
LANES_INLINE vi
depths_at(enum depth_kind kind, const struct depth_in *in, __m256d x, __m256d y)
{
    x = _mm256_add_pd(_mm256_set1_pd(in->c),
                      _mm256_mul_pd(_mm256_set1_pd(in->dx), x));
    y = _mm256_mul_pd(_mm256_set1_pd(in->dy), y);
    return new_depths(kind, in, f_of_sums(x, y));
}

/* Without a branch, because whether any depth passes is unpredictable: lanes
 * that fail store their old depth. */
LANES_INLINE uint16_t
test_depths(enum depth_kind kind, const struct depth_in *in,
            const struct rule *rule, const struct order *order, bool ordered,
            vi new)
{
    vi old = load_depths(kind, in->at, in->pitch_B);
    vl pass = compare_stored(kind, rule, order, ordered, l_of_bits(in->mask),
                             new, old);
    /* Preserves the byte next to D24. */
    if (in->write)
        store_depths(kind, in,
                     kind == DEPTH_U24
                         ? i_pick_bits(pass, old, new, i_all(0xffffff))
                         : i_pick(pass, old, new));
    return (uint16_t)l_bits(pass);
}

LANES_INLINE uint16_t
test_block(enum depth_kind kind, const struct depth_in *in)
{
    const struct rule rule = find_rule(kind, in->pass);
    const struct order order = find_order(kind, in->pass);
    const __m256d steps = _mm256_set_pd(3, 2, 1, 0);
    vi new = is_flat(in)
                 ? flat_depths(kind, in)
                 : depths_at(kind, in,
                             _mm256_add_pd(_mm256_set1_pd(in->x), steps),
                             _mm256_add_pd(_mm256_set1_pd(in->y), steps));
    return order.exists ? test_depths(kind, in, &rule, &order, true, new)
                        : test_depths(kind, in, &rule, &order, false, new);
}

/* Prefetch distance, in blocks. */
#define AHEAD 12

/* Coordinates of a tile's columns and rows, or their shares of a depth. Sums of
 * pixels and reference points are exact: both are whole subpixels. */
struct tile_parts {
    alignas(64) double x[COVER_TILE_PX], y[COVER_TILE_PX];
};

LANES_INLINE void
find_coordinates(const struct depth_in *in, struct tile_parts *out)
{
    for (int i = 0; i < COVER_TILE_PX; i++) {
        out->x[i] = in->x + i;
        out->y[i] = in->y + i;
    }
}

LANES_INLINE void
find_parts(const struct depth_in *in, struct tile_parts *out)
{
    find_coordinates(in, out);
    for (int i = 0; i < COVER_TILE_PX; i++) {
        out->x[i] = in->c + in->dx * out->x[i];
        out->y[i] = in->dy * out->y[i];
    }
}

LANES_INLINE void
test_all(enum depth_kind kind, const struct depth_in *in,
         const struct rule *rule, const struct order *order, bool ordered,
         const struct depth_places *places, const struct cover_block *block,
         unsigned count, uint16_t *live)
{
    const struct depth_places to = *places;
    const bool flat = is_flat(in);
    struct depth_in one = *in;
    struct tile_parts parts;
    vi new = i_all(0);
    if (flat)
        new = flat_depths(kind, &one);
    else
        find_parts(in, &parts);
    for (unsigned i = 0; i < count; i++) {
        const struct cover_block b = block[i];
        if (i + AHEAD < count) {
            const struct cover_block *next = &block[i + AHEAD];
            __builtin_prefetch(to.mem + to.x_B[next->x] + to.y_B[next->y], 1);
        }
        one.at = to.mem + to.x_B[b.x] + to.y_B[b.y];
        one.mask = depth_transpose(b.mask);
        if (!flat)
            new = new_depths(kind, &one,
                             f_of_sums(_mm256_load_pd(parts.x + b.x),
                                       _mm256_load_pd(parts.y + b.y)));
        live[i] = depth_transpose(
            test_depths(kind, &one, rule, order, ordered, new));
    }
}

/* One loop over the blocks of all primitives, because each has few. */
LANES_INLINE void
test_mixed(enum depth_kind kind, const struct depth_in *in,
           const struct rule *rule, const struct order *order, bool ordered,
           const struct depth_places *places, const struct cover_multi_prim *m,
           const struct cover_block *block, unsigned count, uint16_t *live)
{
    const struct depth_places to = *places;
    struct depth_in one = *in;
    struct tile_parts at;
    find_coordinates(in, &at);
    for (unsigned i = 0; i < MIN2(count, AHEAD); i++)
        __builtin_prefetch(to.mem + to.x_B[block[i].x] + to.y_B[block[i].y], 1);
    for (unsigned i = 0; i < count; i++) {
        const struct cover_block b = block[i];
        const struct setup *s = m->setup[m->of[i]];
        if (i + AHEAD < count) {
            const struct cover_block *next = &block[i + AHEAD];
            __builtin_prefetch(to.mem + to.x_B[next->x] + to.y_B[next->y], 1);
        }
        one.at = to.mem + to.x_B[b.x] + to.y_B[b.y];
        one.mask = depth_transpose(b.mask);
        one.c = s->z.c;
        one.dx = s->z.dx;
        one.dy = s->z.dy;
        one.lo = s->z_lo;
        one.hi = s->z_hi;
        __m256d x = _mm256_load_pd(at.x + b.x), y = _mm256_load_pd(at.y + b.y);
        x = _mm256_sub_pd(x, _mm256_set1_pd(s->ref_x));
        y = _mm256_sub_pd(y, _mm256_set1_pd(s->ref_y));
        vi new = depths_at(kind, &one, x, y);
        live[i] = depth_transpose(
            test_depths(kind, &one, rule, order, ordered, new));
    }
}

LANES_INLINE void
test_blocks(enum depth_kind kind, const struct depth_in *in,
            const struct depth_places *to, const struct cover_block *block,
            unsigned count, uint16_t *live)
{
    const struct rule rule = find_rule(kind, in->pass);
    const struct order order = find_order(kind, in->pass);
    if (order.exists)
        test_all(kind, in, &rule, &order, true, to, block, count, live);
    else
        test_all(kind, in, &rule, &order, false, to, block, count, live);
}

LANES_INLINE void
test_mixed_blocks(enum depth_kind kind, const struct depth_in *in,
                  const struct depth_places *to,
                  const struct cover_multi_prim *m,
                  const struct cover_block *block, unsigned count,
                  uint16_t *live)
{
    const struct rule rule = find_rule(kind, in->pass);
    const struct order order = find_order(kind, in->pass);
    if (order.exists)
        test_mixed(kind, in, &rule, &order, true, to, m, block, count, live);
    else
        test_mixed(kind, in, &rule, &order, false, to, m, block, count, live);
}

/* Column by column: the order of a Y tile's memory. */
LANES_INLINE bool
scan_blocks(enum depth_kind kind, const struct depth_scan *s)
{
    const struct rule rule = find_rule(kind, s->pass);
    vi depth = i_all(s->depth);
    for (unsigned x = s->x0; x < s->x1; x += 4) {
        for (unsigned y = s->y0; y < s->y1; y += 4) {
            vi old = load_depths(kind, s->mem + s->x_B[x] + s->y_B[y],
                                 s->pitch_B);
            if (kind == DEPTH_U24)
                old = i_and(old, i_all(0xffffff));
            if (l_bits(compare(kind, &rule, depth, old)))
                return true;
        }
    }
    return false;
}

#define FUNCTIONS(name, kind)                                              \
    static uint16_t test_##name(const struct depth_in *in)                 \
    {                                                                      \
        return test_block(kind, in);                                       \
    }                                                                      \
    static void list_##name(                                               \
        const struct depth_in *in, const struct depth_places *to,          \
        const struct cover_block *block, unsigned count, uint16_t *live)   \
    {                                                                      \
        test_blocks(kind, in, to, block, count, live);                     \
    }                                                                      \
    static void mixed_##name(                                              \
        const struct depth_in *in, const struct depth_places *to,          \
        const struct cover_multi_prim *m, const struct cover_block *block, \
        unsigned count, uint16_t *live)                                    \
    {                                                                      \
        test_mixed_blocks(kind, in, to, m, block, count, live);            \
    }                                                                      \
    static bool scan_##name(const struct depth_scan *s)                    \
    {                                                                      \
        return scan_blocks(kind, s);                                       \
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
const depth_mixed_fn DEPTH_MIXED_TABLE[4] = {
    [DEPTH_F32] = mixed_f32,
    [DEPTH_U24] = mixed_u24,
    [DEPTH_U16] = mixed_u16,
};
const depth_scan_fn DEPTH_SCAN_TABLE[4] = {
    [DEPTH_F32] = scan_f32,
    [DEPTH_U24] = scan_u24,
    [DEPTH_U16] = scan_u16,
};
