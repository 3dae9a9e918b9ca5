/* footprint_grid_avx2.c: footprint_grid.c with vectors of eight lanes: two
 * pixels of four numbers, two columns apart like the quads of lanes. */
#include "base/unroll.h"
#include "sampler/plan/x86/footprint/footprint_answer.h"
#include "sampler/plan/x86/footprint/footprint_grid_axes.h"
#include "sampler/plan/x86/footprint/footprint_to_unorm8_avx2.h"

/* ---- places ---- */

struct grid_view {
    struct both x, y; /* in 1/256 texels, the first of two */
};

INLINE struct grid_view
find_grid_view(const struct sample_plan *p, unsigned level, __m256 u0,
               __m256 u1, __m256 v0, __m256 v1)
{
    const struct sample_levels *l = &p->levels;
    const vfloat w = v_splat(l->w_fx8[level]), h = v_splat(l->h_fx8[level]);
    return (struct grid_view){
        .x = {grid_fixed(p, 0, (vfloat)u0, w), grid_fixed(p, 0, (vfloat)u1, w)},
        .y = {grid_fixed(p, 1, (vfloat)v0, h), grid_fixed(p, 1, (vfloat)v1, h)},
    };
}

/* Columns: lanes 0, 1, 4 and 5. */
INLINE int4
four_columns(vint x)
{
    __m256i v = _mm256_permute4x64_epi64((__m256i)x, 0x08);
    return (int4)_mm256_castsi256_si128(v);
}

/* ---- rows of texels ---- */

/* Weights of columns 0 and 2, and of 1 and 3. */
struct grid_weights {
    vfloat even, odd;
};

/* Pixels with their channels: columns 0 and 2, and 1 and 3. */
struct grid_row {
    vfloat even, odd;
};

INLINE vfloat
load_two_texels(enum sample_texel kind, const uint8_t *a, const uint8_t *b)
{
    if (kind == SAMPLE_HALF4)
        return (vfloat)_mm256_cvtph_ps(v_load8_pair(a, b));
    return (vfloat)_mm256_set_m128i(v_load16(b), v_load16(a));
}

INLINE vfloat
filter_two_columns(enum sample_texel kind, const uint8_t *row,
                   const struct grid_axis *x, unsigned column, vfloat weight,
                   vint *least)
{
    vfloat left = load_two_texels(kind, row + x->first_B[column],
                                  row + x->first_B[column + 2]);
    vfloat right = load_two_texels(kind, row + x->second_B[column],
                                   row + x->second_B[column + 2]);
    if (kind == SAMPLE_FLOAT4)
        *least = least_magnitude(least_magnitude(*least, left), right);
    return mix_pixels(left, right, weight);
}

INLINE struct grid_row
filter_row(enum sample_texel kind, const uint8_t *row,
           const struct grid_axis *x, const struct grid_weights *w, vint *least)
{
    return (struct grid_row){
        filter_two_columns(kind, row, x, 0, w->even, least),
        filter_two_columns(kind, row, x, 1, w->odd, least)};
}

/* ---- pixels ---- */

/* Filters rows of pixels. The lower row of texels of one row of pixels may be
 * the upper row of the next. */
INLINE void
filter_pixels(const struct sample_plan *p, enum sample_texel kind,
              const struct grid_axis *column, const struct grid_axis *row,
              const struct grid_weights *w, const vfloat wy[4],
              vfloat out[4][2], vint *least)
{
    struct grid_row above, below = {w->even, w->odd};
    LANES_UNROLLED (unsigned i = 0; i < 4; i++) {
        above = below;
        if (!i || row->first_B[i] != row->second_B[i - 1])
            above = filter_row(kind, p->mem + row->first_B[i], column, w,
                               least);
        below = filter_row(kind, p->mem + row->second_B[i], column, w, least);
        out[i][0] = mix_pixels(above.even, below.even, wy[i]);
        out[i][1] = mix_pixels(above.odd, below.odd, wy[i]);
    }
}

INLINE struct lanes_color
transpose_two_rows(vfloat row[2][2])
{
    const __m256i f[4] = {(__m256i)row[0][0], (__m256i)row[0][1],
                          (__m256i)row[1][0], (__m256i)row[1][1]};
    return transpose_pixels(f);
}

/* Returns false if lanes do not read a grid, or if bits depend on the treatment
 * of denormals. */
INLINE bool
grid_linear(const struct sample_plan *p, enum sample_texel kind, __m256 u0,
            __m256 u1, __m256 v0, __m256 v1, struct filtered *out)
{
    const unsigned level = (unsigned)p->lod.level;
    const vint fraction = v_constant(&lanes_constant.fraction);
    struct grid_view v = find_grid_view(p, level, u0, u1, v0, v1);
    __m256i differ = differ_from_grid(v.x, v.y);
    if (!_mm256_testz_si256(differ, differ))
        return false;
    struct grid_axis column, row;
    put_columns(p, level, four_columns(v.x.low >> 8), &column);
    put_rows(p, level, four_rows((struct both){v.y.low >> 8, v.y.high >> 8}),
             &row);
    ask_ahead_of_grid(p, kind,
                      p->mem + (uint32_t)row.first_B[0] +
                          (uint32_t)column.first_B[0]);
    vfloat wx = axis_weight(v.x.low & fraction);
    vfloat low = axis_weight(v.y.low & fraction),
           high = axis_weight(v.y.high & fraction);
    const struct grid_weights w = {OF_LANE(wx, 0), OF_LANE(wx, 1)};
    const vfloat wy[4] = {OF_LANE(low, 0), OF_LANE(low, 2), OF_LANE(high, 0),
                          OF_LANE(high, 2)};
    vfloat pixels[4][2];
    vint least = v_isplat(-1);
    filter_pixels(p, kind, &column, &row, &w, wy, pixels, &least);
    if (kind == SAMPLE_FLOAT4 &&
        v_any(v_less_u(least, v_isplat(LEAST_EXPONENT << 23))))
        return false;
    *out = (struct filtered){transpose_two_rows(pixels),
                             transpose_two_rows(pixels + 2)};
    return true;
}

INLINE bool
footprint_of(const struct sample_plan *p, enum sample_texel kind, __m256 u0,
             __m256 u1, __m256 v0, __m256 v1, uint32_t *out,
             const int16_t at_dw[4])
{
    struct filtered f;
    if (!grid_linear(p, kind, u0, u1, v0, v1, &f))
        return false;
    f.low = settle_nans(kind, v_live(0xff), f.low);
    f.high = settle_nans(kind, v_live(0xff), f.high);
    put_answer(p, &f.low, out, at_dw);
    put_answer(p, &f.high, out + LANES, at_dw);
    return true;
}

INLINE bool
pixels_of(const struct sample_plan *p, enum sample_texel kind, __m256 u0,
          __m256 u1, __m256 v0, __m256 v1, bool blue_first, __m256i out[2])
{
    struct filtered f;
    if (!grid_linear(p, kind, u0, u1, v0, v1, &f))
        return false;
    put_filtered(p, kind, &f, blue_first, out);
    return true;
}

/* footprint_avx2.c explains why the upper halves are cleared. */
#define FOOTPRINT(kind, name)                                                 \
    static __attribute__((noinline)) bool name##_vectors(VECTORS_ARGS)        \
    {                                                                         \
        return footprint_of(p, kind, a0, a1, b0, b1, out, at_dw);             \
    }                                                                         \
    static bool name(const struct sample_plan *p,                             \
                     const struct sample_pair *in, uint32_t *out,             \
                     const int16_t at_dw[4])                                  \
    {                                                                         \
        bool ok = name##_vectors(p, out, at_dw, in->blocks, LOAD_BOTH(in->u), \
                                 LOAD_BOTH(in->v), LOAD_BOTH(in->v));         \
        _mm256_zeroupper();                                                   \
        return ok;                                                            \
    }                                                                         \
    static bool name##_pixels(PIXELS_ARGS)                                    \
    {                                                                         \
        return pixels_of(p, kind, u0, u1, v0, v1, blue_first, out);           \
    }
FOOTPRINT(SAMPLE_HALF4, half4_linear)
FOOTPRINT(SAMPLE_FLOAT4, float4_linear)

#define EACH(as)                                                 \
    {                                                            \
        [SAMPLE_HALF4] = {[SAMPLE_LINEAR] = as(half4_linear)},   \
        [SAMPLE_FLOAT4] = {[SAMPLE_LINEAR] = as(float4_linear)}, \
    }
const sample_footprint_fn sample_footprint_grid_avx2[SAMPLE_TEXELS]
                                                    [SAMPLE_MODES] = EACH(
                                                        AS_FOOTPRINT);
const sample_in_registers_fn sample_in_registers_grid_avx2[SAMPLE_TEXELS]
                                                          [SAMPLE_MODES] = EACH(
                                                              AS_VECTORS);
const sample_to_unorm8_fn
    sample_to_unorm8_grid_avx2[SAMPLE_TEXELS][SAMPLE_MODES] = EACH(AS_PIXELS);
