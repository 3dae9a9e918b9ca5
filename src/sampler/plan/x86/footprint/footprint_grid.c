/* footprint_grid.c: kernels for messages whose lanes read a grid of texels: a
 * block of 4x4 pixels, where each column of pixels reads one column of texels
 * and each row one row. Pictures that are not rotated are drawn so. Texels of
 * four numbers are filtered as they lie in memory, four pixels of a row or
 * column at once. The lower row of texels of a row of pixels serves as the
 * upper row of the next.
 *
 * The answers have the bits of sample_tmpl.h's routines, which handle all other
 * messages. */
#include "base/unroll.h"
#include "sampler/plan/x86/lod_tmpl.h"
#include "sampler/plan/x86/footprint/footprint_grid_square.h"
#include "sampler/plan/x86/footprint/footprint_in_registers.h"

/* ---- places ---- */

/* Whether the second texel of each column is the first of the next column: a
 * texel per pixel. */
INLINE bool
is_adjacent(const struct grid_axis *x)
{
    return x->second_B[0] == x->first_B[1] && x->second_B[1] == x->first_B[2] &&
           x->second_B[2] == x->first_B[3];
}

/* Finds the offsets of columns and rows. */
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

/* Loads a texel with its channels for each of four pixels. */
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

/* The texels one to the right of `left`: only the last one is loaded. */
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

/* Leaves NaNs unsettled. Returns false if lanes do not read a grid. */
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
    vfloat wx = axis_weight(x & fraction), wy = axis_weight(y & fraction);
    struct grid_square square = find_square(p, kind, level, x, y);
    if (square.at) {
        /* Prefetch only the fifth row: the rows above it are in the cache. */
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

/* Returns false if lanes do not read a grid, or if bits depend on the treatment
 * of denormals. */
INLINE bool
grid_linear(const struct sample_plan *p, enum sample_texel kind,
            const struct footprint_vectors *in, uint32_t *out,
            const int16_t at_dw[4])
{
    struct grid_pixels filtered;
    if (!filter_grid(p, kind, (unsigned)p->lod.level, in->u, in->v,
                     &filtered) ||
        (kind == SAMPLE_FLOAT4 &&
         v_any(v_less_u(filtered.least, v_isplat(LEAST_EXPONENT << 23)))))
        return false;
    struct lanes_color color = settle_nans(kind, v_live(0xffff),
                                           transpose_grid(&filtered));
    put_answer(p, &color, out, at_dw);
    return true;
}

INLINE bool
grid_mipmaps(const struct sample_plan *p, enum sample_texel kind,
             const struct footprint_vectors *in, uint32_t *out,
             const int16_t at_dw[4])
{
    const vfloat u = in->u, v = in->v;
    struct lanes_lod lod;
    struct grid_pixels filtered;
    lods_of_quads(&p->lod, quad_footprint(&p->lod, u, v), NULL, &lod);
    unsigned level = expect_level(lod.one);
    if (!lod.same || !filter_grid(p, kind, level, u, v, &filtered))
        return false;
    struct lanes_color color = transpose_grid(&filtered);
    if (lod.blend && p->lod.blends) {
        if (!filter_grid(p, kind, level + 1, u, v, &filtered))
            return false;
        color = mix_colors(kind, color, transpose_grid(&filtered), lod.beta);
    }
    color = settle_nans(kind, v_live(0xffff), color);
    put_answer(p, &color, out, at_dw);
    return true;
}

/* Denormals round to byte 0, whether they are flushed or not. */
INLINE __m512i
grid_unorm8(const struct sample_plan *p, enum sample_texel kind, __m512 u,
            __m512 v, bool blue_first, struct sample_begun *begun)
{
    struct grid_pixels filtered;
    begun->state = SAMPLE_LEFT_OUT;
    if (!filter_grid(p, kind, (unsigned)p->lod.level, (vfloat)u, (vfloat)v,
                     &filtered))
        return _mm512_setzero_si512();
    begun->state = SAMPLE_DONE;
    vint texels = permute_lanes(grid.quads[filtered.columns],
                                (vint)bytes_of_parts(filtered.part));
    return pixels_of_texels(p, (bits)texels, blue_first);
}

#define FOOTPRINT(kind, mode, name)           \
    INLINE bool name##_of(FOOTPRINT_OF_ARGS)  \
    {                                         \
        return mode(p, kind, in, out, at_dw); \
    }                                         \
    FOOTPRINT_VECTORS(false, name)
#define PIXELS(kind, name)                                               \
    static __m512i name(const struct sample_plan *p, __m512 u, __m512 v, \
                        struct block_cache *blocks, bool blue_first,     \
                        struct sample_begun *begun)                      \
    {                                                                    \
        return grid_unorm8(p, kind, u, v, blue_first, begun);            \
    }
FOOTPRINT(SAMPLE_HALF4, grid_linear, half4_linear)
FOOTPRINT(SAMPLE_HALF4, grid_mipmaps, half4_mipmaps)
FOOTPRINT(SAMPLE_FLOAT4, grid_linear, float4_linear)
PIXELS(SAMPLE_HALF4, half4_pixels)
PIXELS(SAMPLE_FLOAT4, float4_pixels)

#define EACH(as)                                                 \
    {                                                            \
        [SAMPLE_HALF4] = {[SAMPLE_LINEAR] = as(half4_linear),    \
                          [SAMPLE_MIPMAPS] = as(half4_mipmaps)}, \
        [SAMPLE_FLOAT4] = {[SAMPLE_LINEAR] = as(float4_linear)}, \
    }
#define AS_FOOTPRINT(name) name
#define AS_VECTORS(name) (sample_in_registers_fn)(name##_vectors)
const sample_footprint_fn sample_footprint_grid[SAMPLE_TEXELS][SAMPLE_MODES] =
    EACH(AS_FOOTPRINT);
const sample_in_registers_fn
    sample_in_registers_grid[SAMPLE_TEXELS][SAMPLE_MODES] = EACH(AS_VECTORS);

const sample_to_unorm8_fn sample_to_unorm8_grid[SAMPLE_TEXELS][SAMPLE_MODES] = {
    [SAMPLE_HALF4] = {[SAMPLE_LINEAR] = (sample_to_unorm8_fn)half4_pixels},
    [SAMPLE_FLOAT4] = {[SAMPLE_LINEAR] = (sample_to_unorm8_fn)float4_pixels},
};
