/* patch_rows.c: messages whose lanes look at a grid: those of a block of 4x4
 * pixels, the same column of texels in each column of pixels and the same row
 * in each row, as pictures that are not turned are drawn. Texels of four
 * numbers are filtered as they lie in memory, four pixels of a row at once, and
 * what one row of pixels has below, the next one has above.
 *
 * The bits are those of sample_tmpl.h's routines, to which everything is left
 * that is not such a grid. */
#include "sampler/x86/color_tmpl.h"
#include "sampler/x86/lod_tmpl.h"
#include "sampler/x86/patch_pixels.h"

/* Lanes are the pixels of four quads. */
static const struct {
    alignas(64) int32_t first_row[16], first_column[16]; /* of each lane */
    int32_t
        places[16]; /* of four columns in one vector, four rows in another */
    int32_t column_of_four[16]; /* of four channels of each of them */
    int32_t channels[16];
    int32_t quads[16]; /* pixels of four columns, one after the other */
    int32_t column[16], row[16];
} grid = {
    .first_row = {0, 1, 0, 1, 4, 5, 4, 5, 0, 1, 0, 1, 4, 5, 4, 5},
    .first_column = {0, 0, 2, 2, 0, 0, 2, 2, 8, 8, 10, 10, 8, 8, 10, 10},
    .places = {0, 1, 4, 5, 16, 18, 24, 26, 0, 0, 0, 0, 0, 0, 0, 0},
    .column_of_four = {0, 0, 0, 0, 1, 1, 1, 1, 4, 4, 4, 4, 5, 5, 5, 5},
    .channels = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15},
    .quads = {0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15},
    .column = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3},
    .row = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3},
};

INLINE vint
permute(const int32_t from[16], vint v)
{
    return v_pick_one(v, v_line((const uint8_t *)from));
}

/* ---- places ---------------------------------------------------------------
 */

/* Where the first and the second texel of each column, or row, begin. */
struct grid_axis {
    alignas(16) int32_t first_B[4];
    int32_t second_B[4];
};

/* Whether the second texel of each column is the first of the next one: a texel
 * per pixel. */
INLINE bool
is_adjacent(const struct grid_axis *x)
{
    return x->second_B[0] == x->first_B[1] && x->second_B[1] == x->first_B[2] &&
           x->second_B[2] == x->first_B[3];
}

/* In 1/256 texels, of the first of two. */
INLINE vint
grid_fixed(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    vfloat x = p->axis[d] == SAMPLE_AXIS_REPEAT
                   ? scale(GEN9_TCM_WRAP, false, u, n_fx8)
                   : scale(GEN9_TCM_CLAMP, false, u, n_fx8);
    return v_ifloor(x + v_splat(p->round[d])) -
           v_constant(&lanes_constant.half_texel);
}

INLINE bool
is_grid(vint x, vint y)
{
    vint other = x ^ permute(grid.first_row, x);
    other |= y ^ permute(grid.first_column, y);
    return !v_any(v_test(other, other));
}

INLINE int4
min4_u(int4 a, int4 b)
{
    return (int4)_mm_min_epu32((__m128i)a, (__m128i)b);
}

/* As linear_as() has it. */
INLINE int4
wrap_four(const struct sample_plan *p, unsigned d, int4 i, int32_t n,
          bool second)
{
    if (p->axis[d] == SAMPLE_AXIS_REPEAT)
        return min4_u(i, second ? i - n : i + n);
    const __m128i zero = _mm_setzero_si128(), last = _mm_set1_epi32(n - 1);
    return (int4)_mm_max_epi32(_mm_min_epi32((__m128i)i, last), zero);
}

INLINE int4
four_x_B(const struct sample_tiling *t, int4 x_el)
{
    int4 x_B = x_el << t->element_shift;
    return (x_B & t->x_keep) | ((x_B & ~t->x_keep) << t->x_shift);
}

INLINE int4
four_y_B(const struct sample_tiling *t, int4 y_el)
{
    return (y_el >> t->y_shift) * t->y_pitch_B +
           ((y_el & t->y_keep) << t->y_keep_shift);
}

INLINE void
put_axis(struct grid_axis *axis, int4 first_B, int4 second_B)
{
    _mm_store_si128((__m128i *)(void *)axis->first_B, (__m128i)first_B);
    _mm_store_si128((__m128i *)(void *)axis->second_B, (__m128i)second_B);
    /* Compilers would rather take the vectors apart. */
    __asm__("" : : "r"(axis) : "memory");
}

/* Where the columns and the rows are. */
INLINE void
find_places(const struct sample_plan *p, unsigned level, vint x, vint y,
            struct grid_axis *column, struct grid_axis *row)
{
    const struct sample_levels *l = &p->levels;
    const struct sample_tiling *t = &p->tiling;
    vint both = v_pick(x, y, v_line((const uint8_t *)grid.places)) >> 8;
    __m256i places = _mm512_castsi512_si256((__m512i)both);
    int4 i = (int4)_mm256_castsi256_si128(places);
    int4 j = (int4)_mm256_extracti128_si256(places, 1);
    int32_t w = l->w[level], h = l->h[level];
    put_axis(column, four_x_B(t, wrap_four(p, 0, i, w, false) + l->x_el[level]),
             four_x_B(t, wrap_four(p, 0, i + 1, w, true) + l->x_el[level]));
    put_axis(row, four_y_B(t, wrap_four(p, 1, j, h, false) + l->y_el[level]),
             four_y_B(t, wrap_four(p, 1, j + 1, h, true) + l->y_el[level]));
}

/* ---- rows -----------------------------------------------------------------
 */

/* Four pixels, each with its channels. */
INLINE bits
load_pixels(enum sample_texel kind, const uint8_t *row, const int32_t at_B[4])
{
    if (kind == SAMPLE_HALF4)
        return _mm512_castsi256_si512(v_load8_four(row, at_B));
    __m256i low = _mm256_set_m128i(v_load16(row + at_B[1]),
                                   v_load16(row + at_B[0]));
    __m256i high = _mm256_set_m128i(v_load16(row + at_B[3]),
                                    v_load16(row + at_B[2]));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

INLINE vfloat
to_floats(enum sample_texel kind, bits pixels)
{
    return kind == SAMPLE_HALF4
               ? (vfloat)_mm512_cvtph_ps(_mm512_castsi512_si256(pixels))
               : (vfloat)pixels;
}

/* Four pixels' texels to the right of `left`, of which one is new. */
INLINE bits
shift_pixels(enum sample_texel kind, bits left, const uint8_t *last)
{
    if (kind == SAMPLE_HALF4) {
        __m256i next = _mm256_castsi128_si256(
            _mm_loadl_epi64((const __m128i *)(const void *)last));
        return _mm512_castsi256_si512(
            _mm256_alignr_epi64(next, _mm512_castsi512_si256(left), 1));
    }
    return _mm512_alignr_epi64(_mm512_castsi128_si512(v_load16(last)), left, 2);
}

/* mix(), of weights from 0 to 1. */
INLINE vfloat
mix_pixels(vfloat a, vfloat b, vfloat w)
{
    return v_add_where(v_fless(v_splat(0.0f), w), a, (b - a) * w);
}

/* The least magnitude of what is not zero, as an integer, less one. */
INLINE vint
least_magnitude(vint least, vfloat v)
{
    return v_min_u(least, ((vint)v & 0x7fffffff) - 1);
}

/* 2^-40: of such numbers and weights of 8 bits a filter makes nothing that is
 * less than the least normal number. */
#define LEAST_EXPONENT (127 - 40)

struct grid_row {
    vfloat filtered;
    vint least;
};

INLINE struct grid_row
filter_row(enum sample_texel kind, const uint8_t *row,
           const struct grid_axis *x, bool adjacent, vfloat weight, vint least)
{
    bits first = load_pixels(kind, row, x->first_B);
    bits second = adjacent ? shift_pixels(kind, first, row + x->second_B[3])
                           : load_pixels(kind, row, x->second_B);
    vfloat left = to_floats(kind, first), right = to_floats(kind, second);
    if (kind == SAMPLE_FLOAT4)
        least = least_magnitude(least_magnitude(least, left), right);
    return (struct grid_row){mix_pixels(left, right, weight), least};
}

/* From rows of pixels to channels of lanes. */
INLINE struct lanes_color
turn(const vfloat row[4])
{
    enum { BOTH_LOW = 0x44, BOTH_HIGH = 0xee, EVEN = 0x88, ODD = 0xdd };
    __m512 quad[4];
    for (unsigned i = 0; i < 2; i++) {
        __m512 a = (__m512)row[2 * i], b = (__m512)row[2 * i + 1];
        quad[2 * i] = _mm512_shuffle_f32x4(a, b, BOTH_LOW);
        quad[2 * i + 1] = _mm512_shuffle_f32x4(a, b, BOTH_HIGH);
    }
    for (unsigned i = 0; i < 4; i++)
        quad[i] = (__m512)permute(grid.channels, (vint)quad[i]);
    __m512 low01 = _mm512_shuffle_f32x4(quad[0], quad[1], BOTH_LOW);
    __m512 high01 = _mm512_shuffle_f32x4(quad[0], quad[1], BOTH_HIGH);
    __m512 low23 = _mm512_shuffle_f32x4(quad[2], quad[3], BOTH_LOW);
    __m512 high23 = _mm512_shuffle_f32x4(quad[2], quad[3], BOTH_HIGH);
    return (struct lanes_color){
        {(vfloat)_mm512_shuffle_f32x4(low01, low23, EVEN),
         (vfloat)_mm512_shuffle_f32x4(low01, low23, ODD),
         (vfloat)_mm512_shuffle_f32x4(high01, high23, EVEN),
         (vfloat)_mm512_shuffle_f32x4(high01, high23, ODD)}};
}

/* Weights from 0 to 1, of 1/256. */
INLINE vfloat
weight(vint w)
{
    return v_float(w) * v_splat(1.0f / SAMPLE_ONE);
}

/* ---- a texel per pixel ----------------------------------------------------
 */

/* Five rows of five texels, each row 16 bytes behind the one before it: where
 * they begin, and by how many texels the first one is off a tile's column. */
struct grid_square {
    const uint8_t *at; /* NULL: lanes do not look at such */
    unsigned off;
};

INLINE struct grid_square
find_square(const struct sample_plan *p, enum sample_texel kind, unsigned level,
            vint x, vint y)
{
    enum { Y_TILE_ROWS = 32, REACH = 4 };
    const struct sample_levels *l = &p->levels;
    const struct grid_square none = {NULL, 0};
    vint column = x >> 8, row = y >> 8;
    int32_t x0 = (int32_t)v_first(column), y0 = (int32_t)v_first(row);
    vint other = (column - x0) ^ v_line((const uint8_t *)grid.column);
    other |= (row - y0) ^ v_line((const uint8_t *)grid.row);
    if (v_any(v_test(other, other)) || x0 < 0 || y0 < 0 ||
        x0 + REACH >= l->w[level] || y0 + REACH >= l->h[level])
        return none;
    uint32_t x_el = (uint32_t)(x0 + l->x_el[level]);
    uint32_t y_el = (uint32_t)(y0 + l->y_el[level]);
    if (p->tiling.y_keep != Y_TILE_ROWS - 1 ||
        y_el % Y_TILE_ROWS + REACH >= Y_TILE_ROWS)
        return none;
    unsigned in_column = kind == SAMPLE_HALF4 ? 2 : 1;
    return (struct grid_square){p->mem + x_el / in_column * SAMPLE_COLUMN_B +
                                    y_el / Y_TILE_ROWS *
                                        (uint32_t)p->tiling.y_pitch_B +
                                    y_el % Y_TILE_ROWS * 16,
                                x_el % in_column};
}

/* A row's texels 0 to 3, and 1 to 4. */
struct grid_texels {
    bits left, right;
};

INLINE struct grid_texels
load_square_row(enum sample_texel kind, const uint8_t *row, unsigned off)
{
    const uint8_t *next = row + 2 * SAMPLE_COLUMN_B;
    __m256i two = _mm256_set_m128i(v_load16(row + SAMPLE_COLUMN_B),
                                   v_load16(row));
    if (kind == SAMPLE_HALF4) {
        __m256i third = _mm256_castsi128_si256(v_load16(next));
        __m256i middle = _mm256_alignr_epi64(third, two, 1);
        return off ? (struct grid_texels){_mm512_castsi256_si512(middle),
                                          _mm512_castsi256_si512(
                                              _mm256_alignr_epi64(third, two,
                                                                  2))}
                   : (struct grid_texels){_mm512_castsi256_si512(two),
                                          _mm512_castsi256_si512(middle)};
    }
    __m256i more = _mm256_set_m128i(v_load16(next + SAMPLE_COLUMN_B),
                                    v_load16(next));
    bits left = _mm512_inserti64x4(_mm512_castsi256_si512(two), more, 1);
    __m128i last = v_load16(next + 2 * SAMPLE_COLUMN_B);
    return (struct grid_texels){
        left, _mm512_alignr_epi64(_mm512_castsi128_si512(last), left, 2)};
}

INLINE struct grid_row
filter_square_row(enum sample_texel kind, const uint8_t *row, unsigned off,
                  vfloat weight, vint least)
{
    struct grid_texels t = load_square_row(kind, row, off);
    vfloat left = to_floats(kind, t.left), right = to_floats(kind, t.right);
    if (kind == SAMPLE_FLOAT4)
        least = least_magnitude(least_magnitude(least, left), right);
    return (struct grid_row){mix_pixels(left, right, weight), least};
}

INLINE vfloat
weight_of_row(vfloat wy, unsigned row)
{
    const unsigned lane = (row >> 1) * 8 + (row & 1) * 2;
    return (vfloat)v_pick_one((vint)wy, v_isplat((int32_t)lane));
}

/* As filter_grid(). */
INLINE void
filter_square(enum sample_texel kind, const uint8_t *at, unsigned off,
              vfloat wx, vfloat wy, vfloat filtered[4], vint *least)
{
    struct grid_row below = filter_square_row(kind, at, off, wx, v_isplat(-1));
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        struct grid_row above = below;
        below = filter_square_row(kind, at + 16 * (i + 1), off, wx,
                                  above.least);
        filtered[i] = mix_pixels(above.filtered, below.filtered,
                                 weight_of_row(wy, i));
    }
    *least = below.least;
}

/* ---- any grid -------------------------------------------------------------
 */

INLINE void
ask_ahead_of_grid(const struct sample_plan *p, enum sample_texel kind,
                  const uint8_t *at)
{
    for (unsigned i = 0; i < element_dw(kind); i++)
        _mm_prefetch(at + p->ahead_B + i * SAMPLE_COLUMN_B, _MM_HINT_T0);
}

/* Four rows of four pixels, not settled; false if lanes do not look at a grid.
 * `least` says how small the texels were, of floats. */
INLINE bool
filter_grid(const struct sample_plan *p, enum sample_texel kind, unsigned level,
            vfloat u, vfloat v, vfloat filtered[4], vint *least)
{
    const struct sample_levels *l = &p->levels;
    vint x = grid_fixed(p, 0, u, v_splat(l->w_fx8[level]));
    vint y = grid_fixed(p, 1, v, v_splat(l->h_fx8[level]));
    if (!is_grid(x, y))
        return false;
    const vint fraction = v_constant(&lanes_constant.fraction);
    vfloat wx = weight(permute(grid.column_of_four, x & fraction));
    vfloat wy = weight(y & fraction);
    struct grid_square square = find_square(p, kind, level, x, y);
    if (square.at) {
        /* What is below the first line of four rows is new. */
        ask_ahead_of_grid(p, kind, square.at + 64);
        if (square.off)
            filter_square(kind, square.at, 1, wx, wy, filtered, least);
        else
            filter_square(kind, square.at, 0, wx, wy, filtered, least);
        return true;
    }
    struct grid_axis column, row;
    find_places(p, level, x, y, &column, &row);
    ask_ahead_of_grid(p, kind,
                      p->mem + (uint32_t)row.first_B[0] +
                          (uint32_t)column.first_B[0]);
    const bool adjacent = is_adjacent(&column);
    struct grid_row above, below = {.least = v_isplat(-1)};
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        above = below;
        if (!i || row.first_B[i] != row.second_B[i - 1])
            above = filter_row(kind, p->mem + row.first_B[i], &column, adjacent,
                               wx, below.least);
        below = filter_row(kind, p->mem + row.second_B[i], &column, adjacent,
                           wx, above.least);
        filtered[i] = mix_pixels(above.filtered, below.filtered,
                                 weight_of_row(wy, i));
    }
    *least = below.least;
    return true;
}

/* ---- the answer -----------------------------------------------------------
 */

/* False where numbers are so small that bits depend on how the processor treats
 * denormals. */
INLINE bool
linear(const struct sample_plan *p, enum sample_texel kind,
       const struct sample_pair *in, uint32_t *out, const int16_t at_dw[4])
{
    vfloat row[4];
    vint least;
    if (!filter_grid(p, kind, (unsigned)p->lod.level, (vfloat)v_load(in->u, 16),
                     (vfloat)v_load(in->v, 16), row, &least) ||
        (kind == SAMPLE_FLOAT4 &&
         v_any(v_less_u(least, v_isplat(LEAST_EXPONENT << 23)))))
        return false;
    struct lanes_color color = settle(kind, v_live(0xffff), turn(row));
    answer(p, &color, out, at_dw);
    return true;
}

INLINE bool
mipmaps(const struct sample_plan *p, enum sample_texel kind,
        const struct sample_pair *in, uint32_t *out, const int16_t at_dw[4])
{
    vfloat u = (vfloat)v_load(in->u, 16), v = (vfloat)v_load(in->v, 16);
    struct lanes_lod lod;
    vfloat row[4];
    vint least;
    lods_of_quads(&p->lod, footprint(&p->lod, u, v), &lod);
    unsigned level = expect(lod.one);
    if (!lod.same || !filter_grid(p, kind, level, u, v, row, &least))
        return false;
    struct lanes_color color = turn(row);
    if (lod.blend && p->lod.blends) {
        if (!filter_grid(p, kind, level + 1, u, v, row, &least))
            return false;
        color = mix(kind, color, turn(row), lod.beta);
    }
    color = settle(kind, v_live(0xffff), color);
    answer(p, &color, out, at_dw);
    return true;
}

/* 0..1 to bytes, in the order of memory: of each column of pixels the four
 * rows. Packing clamps from above; see bytes_of_color(). */
INLINE bits
bytes_of_rows(const vfloat row[4])
{
    const vint magic = v_isplat(0x4b400000);
    bits n[4];
    for (unsigned i = 0; i < 4; i++)
        n[i] = (bits)((vint)v_fma(v_fmax(row[i], v_splat(0.0f)),
                                  v_splat(255.0f), v_splat(0x1.8p23f)) -
                      magic);
    return _mm512_packus_epi16(_mm512_packs_epi32(n[0], n[1]),
                               _mm512_packs_epi32(n[2], n[3]));
}

/* Numbers near zero are zero here, however they are treated. */
INLINE __m512i
pixels(const struct sample_plan *p, enum sample_texel kind, __m512 u, __m512 v,
       bool blue_first, bool *done)
{
    vfloat row[4];
    vint least;
    *done = filter_grid(p, kind, (unsigned)p->lod.level, (vfloat)u, (vfloat)v,
                        row, &least);
    if (!*done)
        return _mm512_setzero_si512();
    vint texels = permute(grid.quads, (vint)bytes_of_rows(row));
    return pixels_of_texels(p, (bits)texels, blue_first);
}

#define PATCH(kind, way, name)                                    \
    static bool name(const struct sample_plan *p,                 \
                     const struct sample_pair *in, uint32_t *out, \
                     const int16_t at_dw[4])                      \
    {                                                             \
        return way(p, kind, in, out, at_dw);                      \
    }
#define PIXELS(kind, name)                                               \
    static __m512i name(const struct sample_plan *p, __m512 u, __m512 v, \
                        struct sample_blocks *blocks, bool blue_first,   \
                        bool *done)                                      \
    {                                                                    \
        return pixels(p, kind, u, v, blue_first, done);                  \
    }
PATCH(SAMPLE_HALF4, linear, half4_linear)
PATCH(SAMPLE_HALF4, mipmaps, half4_mipmaps)
PATCH(SAMPLE_FLOAT4, linear, float4_linear)
PIXELS(SAMPLE_HALF4, half4_pixels)
PIXELS(SAMPLE_FLOAT4, float4_pixels)

const sample_patch_fn sample_patch_rows[SAMPLE_TEXELS][SAMPLE_WAYS] = {
    [SAMPLE_HALF4] =
        {[SAMPLE_LINEAR] = half4_linear, [SAMPLE_MIPMAPS] = half4_mipmaps},
    [SAMPLE_FLOAT4] = {[SAMPLE_LINEAR] = float4_linear},
};

const sample_pixels_fn sample_pixels_rows[SAMPLE_TEXELS][SAMPLE_WAYS] = {
    [SAMPLE_HALF4] = {[SAMPLE_LINEAR] = (sample_pixels_fn)half4_pixels},
    [SAMPLE_FLOAT4] = {[SAMPLE_LINEAR] = (sample_pixels_fn)float4_pixels},
};
