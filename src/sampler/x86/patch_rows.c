/* patch_rows.c: messages whose lanes look at a grid: those of a block of 4x4
 * pixels, the same column of texels in each column of pixels and the same row
 * in each row, as pictures that are not turned are drawn. Texels of four
 * numbers are filtered as they lie in memory, four pixels of a row at once, or
 * of a column, and what one row of pixels has below, the next one has above.
 *
 * The bits are those of sample_tmpl.h's routines, to which everything is left
 * that is not such a grid. */
#include "base/unroll.h"
#include "sampler/x86/lod_tmpl.h"
#include "sampler/x86/patch_square.h"
#include "sampler/x86/patch_vectors.h"

/* ---- places ---- */

/* Whether the second texel of each column is the first of the next one: a texel
 * per pixel. */
INLINE bool
is_adjacent(const struct grid_axis *x)
{
    return x->second_B[0] == x->first_B[1] && x->second_B[1] == x->first_B[2] &&
           x->second_B[2] == x->first_B[3];
}

/* Where the columns and the rows are. */
INLINE void
find_places(const struct sample_plan *p, unsigned level, vint x, vint y,
            struct grid_axis *column, struct grid_axis *row)
{
    vint both = v_pick(x, y, v_line((const uint8_t *)grid.places)) >> 8;
    __m256i places = _mm512_castsi512_si256((__m512i)both);
    int4 i = (int4)_mm256_castsi256_si128(places);
    int4 j = (int4)_mm256_extracti128_si256(places, 1);
    put_columns(p, level, i, column);
    put_rows(p, level, j, row);
}

/* ---- rows ---- */

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

/* ---- any grid ---- */

/* Not settled; false if lanes do not look at a grid. */
INLINE bool
filter_grid(const struct sample_plan *p, enum sample_texel kind, unsigned level,
            vfloat u, vfloat v, struct grid_pixels *out)
{
    const struct sample_levels *l = &p->levels;
    vint x = grid_fixed(p, 0, u, v_splat(l->w_fx8[level]));
    vint y = grid_fixed(p, 1, v, v_splat(l->h_fx8[level]));
    if (!is_grid(x, y))
        return false;
    const vint fraction = v_constant(&lanes_constant.fraction);
    vfloat wx = weight(x & fraction), wy = weight(y & fraction);
    struct grid_square square = find_square(p, kind, level, x, y);
    if (square.at) {
        /* What is below the first four rows is new. */
        ask_ahead_of_grid(p, kind, square.below);
        filter_square(kind, &square, wx, wy, out);
        return true;
    }
    struct grid_axis column, row;
    find_places(p, level, x, y, &column, &row);
    ask_ahead_of_grid(p, kind,
                      p->mem + (uint32_t)row.first_B[0] +
                          (uint32_t)column.first_B[0]);
    const bool adjacent = is_adjacent(&column);
    struct grid_row above, below = {.least = v_isplat(-1)};
    wx = permute_floats(grid.column_of_four, wx);
    LANES_UNROLLED (unsigned i = 0; i < 4; i++) {
        above = below;
        if (!i || row.first_B[i] != row.second_B[i - 1])
            above = filter_row(kind, p->mem + row.first_B[i], &column, adjacent,
                               wx, below.least);
        below = filter_row(kind, p->mem + row.second_B[i], &column, adjacent,
                           wx, above.least);
        out->part[i] = mix_pixels(above.filtered, below.filtered,
                                  weight_of_row(wy, i));
    }
    out->columns = false;
    out->least = below.least;
    return true;
}

/* ---- the answer ---- */

/* False where numbers are so small that bits depend on how the processor treats
 * denormals. */
INLINE bool
linear(const struct sample_plan *p, enum sample_texel kind,
       const struct patch_vectors *in, uint32_t *out, const int16_t at_dw[4])
{
    struct grid_pixels filtered;
    if (!filter_grid(p, kind, (unsigned)p->lod.level, in->u, in->v,
                     &filtered) ||
        (kind == SAMPLE_FLOAT4 &&
         v_any(v_less_u(filtered.least, v_isplat(LEAST_EXPONENT << 23)))))
        return false;
    struct lanes_color color = settle(kind, v_live(0xffff), turn(&filtered));
    answer(p, &color, out, at_dw);
    return true;
}

INLINE bool
mipmaps(const struct sample_plan *p, enum sample_texel kind,
        const struct patch_vectors *in, uint32_t *out, const int16_t at_dw[4])
{
    const vfloat u = in->u, v = in->v;
    struct lanes_lod lod;
    struct grid_pixels filtered;
    lods_of_quads(&p->lod, footprint(&p->lod, u, v), NULL, &lod);
    unsigned level = expect(lod.one);
    if (!lod.same || !filter_grid(p, kind, level, u, v, &filtered))
        return false;
    struct lanes_color color = turn(&filtered);
    if (lod.blend && p->lod.blends) {
        if (!filter_grid(p, kind, level + 1, u, v, &filtered))
            return false;
        color = mix(kind, color, turn(&filtered), lod.beta);
    }
    color = settle(kind, v_live(0xffff), color);
    answer(p, &color, out, at_dw);
    return true;
}

/* Numbers near zero are zero here, however they are treated. */
INLINE __m512i
pixels(const struct sample_plan *p, enum sample_texel kind, __m512 u, __m512 v,
       bool blue_first, struct sample_begun *begun)
{
    struct grid_pixels filtered;
    begun->state = SAMPLE_LEFT_OUT;
    if (!filter_grid(p, kind, (unsigned)p->lod.level, (vfloat)u, (vfloat)v,
                     &filtered))
        return _mm512_setzero_si512();
    begun->state = SAMPLE_DONE;
    vint texels = permute(grid.quads[filtered.columns],
                          (vint)bytes_of_parts(filtered.part));
    return pixels_of_texels(p, (bits)texels, blue_first);
}

#define PATCH(kind, way, name)               \
    INLINE bool name##_of(PATCH_OF_ARGS)     \
    {                                        \
        return way(p, kind, in, out, at_dw); \
    }                                        \
    PATCH_VECTORS(false, name)
#define PIXELS(kind, name)                                               \
    static __m512i name(const struct sample_plan *p, __m512 u, __m512 v, \
                        struct sample_blocks *blocks, bool blue_first,   \
                        struct sample_begun *begun)                      \
    {                                                                    \
        return pixels(p, kind, u, v, blue_first, begun);                 \
    }
PATCH(SAMPLE_HALF4, linear, half4_linear)
PATCH(SAMPLE_HALF4, mipmaps, half4_mipmaps)
PATCH(SAMPLE_FLOAT4, linear, float4_linear)
PIXELS(SAMPLE_HALF4, half4_pixels)
PIXELS(SAMPLE_FLOAT4, float4_pixels)

#define EACH(as)                                                 \
    {                                                            \
        [SAMPLE_HALF4] = {[SAMPLE_LINEAR] = as(half4_linear),    \
                          [SAMPLE_MIPMAPS] = as(half4_mipmaps)}, \
        [SAMPLE_FLOAT4] = {[SAMPLE_LINEAR] = as(float4_linear)}, \
    }
#define AS_PATCH(name) name
#define AS_VECTORS(name) (sample_vectors_fn)(name##_vectors)
const sample_patch_fn sample_patch_rows[SAMPLE_TEXELS][SAMPLE_WAYS] = EACH(
    AS_PATCH);
const sample_vectors_fn sample_vectors_rows[SAMPLE_TEXELS][SAMPLE_WAYS] = EACH(
    AS_VECTORS);

const sample_pixels_fn sample_pixels_rows[SAMPLE_TEXELS][SAMPLE_WAYS] = {
    [SAMPLE_HALF4] = {[SAMPLE_LINEAR] = (sample_pixels_fn)half4_pixels},
    [SAMPLE_FLOAT4] = {[SAMPLE_LINEAR] = (sample_pixels_fn)float4_pixels},
};
