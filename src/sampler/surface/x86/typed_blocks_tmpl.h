/* typed_blocks_tmpl.h: eight lanes that are a block of a Y-tiled surface, so
 * that one address serves all and no lane needs a gather. Part of
 * typed_elements_avx2.c, which handles all other lanes.
 *
 * Observed, the stock driver's order of lanes: compute shaders with images have
 * two columns of four rows; pixel shaders have two quads side by side. */
#ifndef SAMPLER_SURFACE_X86_TYPED_BLOCKS_TMPL_H
#define SAMPLER_SURFACE_X86_TYPED_BLOCKS_TMPL_H

#include "sampler/surface/x86/tiling_tmpl.h"

/* A Y tile is columns of 16 bytes and 32 rows. */
#define COLUMN_B 16
#define COLUMN_STEP_B 512

struct block {
    uint8_t *at; /* the first lane's element. NULL: lanes are no block */
    bool quads;  /* 4x2 elements, not 2x4 */
};

/* Each lane gets lane i[lane]. */
INLINE vint
of_lanes(vint v, vint i)
{
    return (vint)_mm256_permutevar8x32_epi32((__m256i)v, (__m256i)i);
}

INLINE __m128i
load_piece(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

INLINE void
store_piece(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

INLINE vint
load_two(const uint8_t *low, const uint8_t *high)
{
    return (vint)_mm256_set_m128i(load_piece(high), load_piece(low));
}

/* Stores lanes 0 to 3, and 4 to 7. */
INLINE void
store_halves(void *low, void *high, vint v)
{
    store_piece(low, _mm256_castsi256_si128((__m256i)v));
    store_piece(high, _mm256_extracti128_si256((__m256i)v, 1));
}

#define V_UNPACK_INT(how, a, b) ((vint)_mm256_##how((__m256i)(a), (__m256i)(b)))
#define V_SHUFFLE_INT(a, b, how) \
    ((vint)_mm256_shuffle_ps((__m256)(a), (__m256)(b), how))

/* ---- places ---- */

/* Whether the block is inside the surface, and each of its rows, or the part of
 * a row in a column, is contiguous. */
INLINE bool
block_fits(const struct typed_elements *e, const uint32_t first[3],
           uint32_t width, uint32_t height, unsigned element_B)
{
    uint32_t column = first[0] + e->x_el;
    uint32_t row = first[1] + e->y_el + first[2] * e->slice_rows;
    uint32_t beside = MIN2(width, COLUMN_B / element_B);
    return (uint64_t)first[0] + width <= e->size[0] &&
           (uint64_t)first[1] + height <= e->size[1] && first[2] < e->size[2] &&
           !((column & (beside - 1)) | (row & (height - 1)));
}

/* Whether the lanes have the order of a block. `quads` is a constant where this
 * is inlined. */
INLINE bool
are_lanes_of(const uint32_t *const at[3], bool quads)
{
    const vint first = v_isplat(0);
    const vuint columns[2] = {{0, 0, 0, 0, 1, 1, 1, 1},
                              {0, 1, 0, 1, 2, 3, 2, 3}};
    const vuint rows[2] = {{0, 1, 2, 3, 0, 1, 2, 3}, {0, 0, 1, 1, 0, 0, 1, 1}};
    vint x = v_load(at[0], TYPED_LANES), y = v_load(at[1], TYPED_LANES);
    vuint wrong = ((vuint)x - (vuint)of_lanes(x, first)) ^ columns[quads];
    wrong |= ((vuint)y - (vuint)of_lanes(y, first)) ^ rows[quads];
    if (at[2]) {
        vint z = v_load(at[2], TYPED_LANES);
        wrong |= (vuint)z ^ (vuint)of_lanes(z, first);
    }
    return !v_any(wrong != 0);
}

INLINE struct block
find_block_of(const struct typed_elements *e, const uint32_t *const at[3],
              unsigned element_B, bool quads)
{
    uint32_t first[3] = {at[0][0], at[1][0], at[2] ? at[2][0] : 0};
    if (!are_lanes_of(at, quads) ||
        !block_fits(e, first, quads ? 4 : 2, quads ? 2 : 4, element_B))
        return (struct block){NULL, false};
    uint32_t x_B = (first[0] + e->x_el) * element_B;
    uint32_t row = first[1] + e->y_el + first[2] * e->slice_rows;
    uint32_t at_B = row / 32 * (uint32_t)e->tiling.y_pitch_B +
                    row % 32 * COLUMN_B + x_B / COLUMN_B * COLUMN_STEP_B +
                    x_B % COLUMN_B;
    return (struct block){e->mem + at_B, quads};
}

INLINE struct block
find_block(const struct typed_elements *e, const uint32_t *const at[3],
           uint32_t mask, unsigned element_B)
{
    if (element_B >= 4 && e->lines && e->tiling.x_keep == COLUMN_B - 1 &&
        mask == 0xff && at[1]) {
        bool quads = at[1][0] == at[1][1];
        return quads ? find_block_of(e, at, element_B, true)
                     : find_block_of(e, at, element_B, false);
    }
    return (struct block){NULL, false};
}

/* Fetches what threads access soon. Columns of 16 bytes are lines of their own.
 */
INLINE void
prefetch_block(const struct typed_elements *e, struct block b,
               unsigned element_B, bool writes)
{
    const unsigned columns = element_B < 8    ? 1
                             : element_B == 8 ? 1 + b.quads
                                              : 2 + 2 * b.quads;
    for (unsigned i = 0; i < columns; i++) {
        const uint8_t *p = b.at + e->ahead_B + i * COLUMN_STEP_B;
        if (writes)
            __builtin_prefetch(p, 1);
        else
            __builtin_prefetch(p, 0);
    }
}

/* ---- elements of 16 bytes ---- */

/* In each half, vectors of four lanes' dwords from four lanes' elements, or the
 * reverse. */
INLINE void
transpose_halves(const vint in[4], vint out[4])
{
    vint low = V_UNPACK_INT(unpacklo_epi32, in[0], in[1]);
    vint high = V_UNPACK_INT(unpackhi_epi32, in[0], in[1]);
    vint low2 = V_UNPACK_INT(unpacklo_epi32, in[2], in[3]);
    vint high2 = V_UNPACK_INT(unpackhi_epi32, in[2], in[3]);
    out[0] = V_UNPACK_INT(unpacklo_epi64, low, low2);
    out[1] = V_UNPACK_INT(unpackhi_epi64, low, low2);
    out[2] = V_UNPACK_INT(unpacklo_epi64, high, high2);
    out[3] = V_UNPACK_INT(unpackhi_epi64, high, high2);
}

/* Lane i's element, i < 4. Lane i + 4 has the same row. */
INLINE uint8_t *
wide_lane(struct block b, unsigned i)
{
    return b.quads ? b.at + i % 2 * COLUMN_STEP_B + i / 2 * COLUMN_B
                   : b.at + i * COLUMN_B;
}

INLINE void
load_wide_block(struct block b, vint dw[4])
{
    const size_t step_B = b.quads ? 2 * COLUMN_STEP_B : COLUMN_STEP_B;
    vint element[4];
    for (unsigned i = 0; i < 4; i++)
        element[i] = load_two(wide_lane(b, i), wide_lane(b, i) + step_B);
    transpose_halves(element, dw);
}

INLINE void
store_wide_block(struct block b, const vint dw[4])
{
    const size_t step_B = b.quads ? 2 * COLUMN_STEP_B : COLUMN_STEP_B;
    vint element[4];
    transpose_halves(dw, element);
    for (unsigned i = 0; i < 4; i++)
        store_halves(wide_lane(b, i), wide_lane(b, i) + step_B, element[i]);
}

/* ---- elements of 8 bytes: two in a row of a column ---- */

/* To lanes from the rows of a column in the order 0, 2, 1, 3; of quads: from
 * each row of both columns. The reverse order is the same. */
INLINE vint
pair_order(bool quads)
{
    const vint tall = {0, 4, 2, 6, 1, 5, 3, 7}, wide = {0, 1, 4, 5, 2, 3, 6, 7};
    return quads ? wide : tall;
}

INLINE void
load_pair_block(struct block b, vint dw[4])
{
    const uint8_t *second = b.at + (b.quads ? COLUMN_STEP_B : 2 * COLUMN_B);
    vint v0 = v_load((const uint32_t *)(const void *)b.at, TYPED_LANES);
    vint v1 = v_load((const uint32_t *)(const void *)second, TYPED_LANES);
    vint order = pair_order(b.quads);
    dw[0] = of_lanes(V_SHUFFLE_INT(v0, v1, 0x88), order);
    dw[1] = of_lanes(V_SHUFFLE_INT(v0, v1, 0xdd), order);
}

INLINE void
store_pair_block(struct block b, const vint dw[4])
{
    uint8_t *second = b.at + (b.quads ? COLUMN_STEP_B : 2 * COLUMN_B);
    vint order = pair_order(b.quads);
    vint v0 = of_lanes(dw[0], order), v1 = of_lanes(dw[1], order);
    v_store((uint32_t *)(void *)b.at, V_UNPACK_INT(unpacklo_epi32, v0, v1));
    v_store((uint32_t *)(void *)second, V_UNPACK_INT(unpackhi_epi32, v0, v1));
}

/* ---- elements of 4 bytes ---- */

INLINE vint
load_dword_block(struct block b)
{
    const vint order = {0, 2, 4, 6, 1, 3, 5, 7};
    if (b.quads) {
        vint v = v_load((const uint32_t *)(const void *)b.at, TYPED_LANES);
        return (vint)_mm256_permute4x64_epi64((__m256i)v, 0xd8);
    }
    int64_t row[4];
    for (unsigned i = 0; i < 4; i++)
        memcpy(&row[i], b.at + i * COLUMN_B, sizeof row[i]);
    return of_lanes((vint)_mm256_set_epi64x(row[3], row[2], row[1], row[0]),
                    order);
}

INLINE void
store_dword_block(struct block b, vint v)
{
    const vint order = {0, 4, 1, 5, 2, 6, 3, 7};
    if (b.quads) {
        v = (vint)_mm256_permute4x64_epi64((__m256i)v, 0xd8);
        v_store((uint32_t *)(void *)b.at, v);
        return;
    }
    __m256i rows = (__m256i)of_lanes(v, order);
    __m128i low = _mm256_castsi256_si128(rows);
    __m128i high = _mm256_extracti128_si256(rows, 1);
    double *at = (double *)(void *)b.at;
    _mm_storel_pd(at, _mm_castsi128_pd(low));
    _mm_storeh_pd(at + COLUMN_B / 8, _mm_castsi128_pd(low));
    _mm_storel_pd(at + COLUMN_B / 4, _mm_castsi128_pd(high));
    _mm_storeh_pd(at + 3 * COLUMN_B / 8, _mm_castsi128_pd(high));
}

/* ---- all of them ---- */

INLINE void
load_block(struct block b, unsigned element_B, vint dw[4])
{
    if (element_B == 16)
        load_wide_block(b, dw);
    else if (element_B == 8)
        load_pair_block(b, dw);
    else
        dw[0] = load_dword_block(b);
}

INLINE void
store_block(struct block b, unsigned element_B, const vint dw[4])
{
    if (element_B == 16)
        store_wide_block(b, dw);
    else if (element_B == 8)
        store_pair_block(b, dw);
    else
        store_dword_block(b, dw[0]);
}

#endif
