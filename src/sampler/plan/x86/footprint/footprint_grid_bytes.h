/* footprint_grid_bytes.h: filters bytes of messages whose lanes read a grid of
 * texels: each column of pixels reads one column of texels and each row one
 * row. Pictures that are not rotated are drawn so. Each row of texels is
 * filtered once, four pixels and their channels at a time, and serves two rows
 * of pixels; a part of footprint_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GRID_BYTES_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_GRID_BYTES_H

#include "sampler/plan/x86/footprint/footprint_bytes4.h"

/* Most rows of texels in a grid. Columns are at most eight. */
#define GRID_ROWS 12

/* The grid's first texel, aligned to a line's column, and all texels relative
 * to it. */
struct grid {
    struct footprint_corner corner; /* by: a row of texels */
    struct both in;
    uint32_t rows;
};

/* Returns false if lanes do not read a grid, or if its corners are not the
 * first and the last lane, or too far apart. */
INLINE bool
find_grid(const struct footprint_level *lv, struct both place, struct both x,
          struct both y, struct grid *g)
{
    const __m256i last_lane = _mm256_set1_epi32(7);
    const __m256i columns = _mm256_set1_epi16(6);
    uint32_t at = (uint32_t)_mm_cvtsi128_si32(
                      _mm256_castsi256_si128((__m256i)place.low)) &
                  ~UINT32_C(3);
    __m256i base = _mm256_set1_epi32((int32_t)at);
    __m256i low = _mm256_sub_epi16((__m256i)place.low, base);
    __m256i high = _mm256_sub_epi16((__m256i)place.high, base);
    __m256i most = _mm256_permutevar8x32_epi32(high, last_lane);
    most = _mm256_blend_epi16(columns, most, 0xaa);
    __m256i beyond = _mm256_or_si256(_mm256_subs_epu16(low, most),
                                     _mm256_subs_epu16(high, most));
    beyond = _mm256_or_si256(beyond, differ_from_grid(x, y));
    *g = (struct grid){
        .corner = {((at & 0xffff) + lv->x_el) >> 2, (at >> 16) + lv->y_el},
        .in = {(vint)low, (vint)high},
        .rows = (uint32_t)_mm256_extract_epi16(most, 1) + 2,
    };
    return _mm256_testz_si256(beyond, beyond) && g->rows <= GRID_ROWS;
}

/* ---- rows of texels ---- */

/* Rows of four pixels filtered in x, times 256. */
struct grid_rows {
    alignas(32) int16_t row[GRID_ROWS][16];
};

/* Shuffle of a row of texels to two texels per pixel, and their weights. */
struct grid_columns {
    __m256i texels, weights; /* 255 - w and w */
};

INLINE struct grid_columns
find_columns(vint in, __m256i weights)
{
    const __m256i next = _mm256_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1);
    __m256i twice = _mm256_unpacklo_epi32((__m256i)in, (__m256i)in);
    return (struct grid_columns){_mm256_add_epi32(twice, next),
                                 _mm256_unpacklo_epi32(weights, weights)};
}

INLINE __m256i
filter_row(const struct grid_columns *c, const uint8_t *left,
           const uint8_t *right)
{
    const __m256i pairs = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
    __m256i t = _mm256_set_m128i(v_load16(right), v_load16(left));
    t = _mm256_xor_si256(t, _mm256_set1_epi8((char)0x80));
    t = _mm256_shuffle_epi8(_mm256_permutevar8x32_epi32(t, c->texels), pairs);
    return _mm256_add_epi16(_mm256_maddubs_epi16(c->weights, t),
                            _mm256_maddubs_epi16(_mm256_set1_epi16(1), t));
}

/* Reads rows of 16 bytes in columns of a Y tile, which have 32 rows. */
INLINE void
filter_rows(const struct sample_plan *p, const struct grid *g,
            const struct grid_columns *c, struct grid_rows *out)
{
    uint32_t bx = g->corner.bx, y = g->corner.by;
    /* Columns past the end of memory repeat the last one; no lane reads them.
     */
    uint32_t to_right_B = bx < p->square.last_x ? SAMPLE_COLUMN_B : 0;
    uint32_t pitch_B = (uint32_t)p->tiling.y_pitch_B;
    const uint8_t *at = p->mem + (y >> 5) * pitch_B + (y & 31) * 16 +
                        bx * SAMPLE_COLUMN_B;
    for (uint32_t i = 0; i < g->rows; i++) {
        __m256i row = filter_row(c, at, at + to_right_B);
        _mm256_store_si256((__m256i *)(void *)out->row[i], row);
        _mm_prefetch(at + p->ahead_B, _MM_HINT_T0);
        at += ++y & 31 ? 16 : pitch_B - 31 * 16;
    }
}

/* Whether some lane reads past the first four columns. */
INLINE bool
looks_to_the_right(const struct grid *g)
{
    const __m256i most = _mm256_set1_epi32((int32_t)0xffff0002);
    __m256i beyond = _mm256_subs_epu16((__m256i)g->in.low, most);
    return !_mm256_testz_si256(beyond, beyond);
}

/* Filters rows of two decoded blocks, then of the blocks below. */
INLINE void
filter_block_rows(const struct sample_plan *p, struct block_cache *blocks,
                  const struct grid *g, const struct grid_columns *c,
                  struct grid_rows *out)
{
    const bool both = looks_to_the_right(g);
    const int32_t bx = (int32_t)g->corner.bx;
    uint32_t y = g->corner.by, end = y + g->rows;
    __m256i *row = (__m256i *)(void *)out->row;
    while (y < end) {
        int32_t by = (int32_t)(y / 4);
        const float *block[4];
        block[0] = get_block(p, SAMPLE_BYTE_BLOCKS, blocks,
                             block_offset_B(&p->tiling, bx, by), NULL, 0);
        block[1] = block[0];
        if (both)
            block[1] = get_block(p, SAMPLE_BYTE_BLOCKS, blocks,
                                 block_offset_B(&p->tiling, bx + 1, by), block,
                                 1);
        do {
            __m256i filtered = filter_row(
                c, (const uint8_t *)(block[0] + y % 4 * 4),
                (const uint8_t *)(block[1] + y % 4 * 4));
            _mm256_store_si256(row++, filtered);
        } while (++y < end && y % 4);
    }
}

/* ---- rows of pixels ---- */

/* Filters in y: even and odd columns, two pixels each. Bytes less 128, times
 * 65536. */
INLINE void
filter_columns(const struct grid_rows *rows, uint32_t row, __m256i weights,
               __m256i out[2])
{
    const __m256i *above = (const __m256i *)(const void *)rows->row[row];
    __m256i a = _mm256_load_si256(above), b = _mm256_load_si256(above + 1);
    out[0] = _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights);
    out[1] = _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights);
}

/* Filters two rows of pixels: two quads. */
INLINE struct sums
filter_two_rows(const struct grid_rows *rows, vint in, vint y)
{
    __m256i weights = row_weights(y);
    __m128i first = _mm256_castsi256_si128((__m256i)in);
    struct sums s;
    filter_columns(rows, (uint32_t)_mm_extract_epi16(first, 1),
                   _mm256_shuffle_epi32(weights, 0x00), s.f);
    filter_columns(rows, (uint32_t)_mm_extract_epi16(first, 5),
                   _mm256_shuffle_epi32(weights, 0xaa), s.f + 2);
    return s;
}

/* Returns false if lanes do not read a grid. */
INLINE bool
filter_grid(const struct sample_plan *p, enum sample_texel kind,
            struct block_cache *blocks, const struct footprint_level *lv,
            struct both place, struct both x, struct both y,
            struct both_sums *out)
{
    struct grid g;
    struct grid_rows rows;
    if (!find_grid(lv, place, x, y, &g))
        return false;
    struct grid_columns c = find_columns(g.in.low, column_weights(x.low));
    if (kind == SAMPLE_BYTE_BLOCKS)
        filter_block_rows(p, blocks, &g, &c, &rows);
    else
        filter_rows(p, &g, &c, &rows);
    out->low = filter_two_rows(&rows, g.in.low, y.low);
    out->high = filter_two_rows(&rows, g.in.high, y.high);
    return true;
}

/* ---- one texel per pixel ---- */

/* Columns are in the lower halves, rows in the upper halves. Columns must fit
 * eight texels. */
INLINE bool
is_grid_of_texels(__m256i low, __m256i high)
{
    const __m256i most = _mm256_set1_epi32((int32_t)0xffff0007);
    __m256i x = differ_in_columns((vint)low, (vint)high);
    __m256i y = _mm256_or_si256(differ_in_rows((vint)low),
                                differ_in_rows((vint)high));
    __m256i differ = _mm256_or_si256(_mm256_blend_epi16(x, y, 0xaa),
                                     _mm256_subs_epu16(low, most));
    return _mm256_testz_si256(differ, differ);
}

/* Picks one texel for each of two rows of pixels. */
INLINE vint
take_two_rows(const uint8_t *left, const uint8_t *right, vint rows_B,
              __m256i columns)
{
    __m128i row = _mm256_castsi256_si128((__m256i)rows_B);
    uint32_t above_B = (uint32_t)_mm_cvtsi128_si32(row);
    uint32_t below_B = (uint32_t)_mm_extract_epi32(row, 2);
    __m256i a = _mm256_set_m128i(v_load16(right + above_B),
                                 v_load16(left + above_B));
    __m256i b = _mm256_set_m128i(v_load16(right + below_B),
                                 v_load16(left + below_B));
    return (vint)_mm256_blend_epi32(_mm256_permutevar8x32_epi32(a, columns),
                                    _mm256_permutevar8x32_epi32(b, columns),
                                    0xcc);
}

INLINE vint
rows_B(const struct sample_plan *p, const struct footprint_level *lv,
       vint place)
{
    return offset_y_B(&p->tiling, v_srl(place, 16) + (int32_t)lv->y_el);
}

/* Returns false if lanes do not read a grid. */
INLINE bool
take_grid(const struct sample_plan *p, const struct footprint_level *lv,
          struct both place, struct both *out)
{
    uint32_t x = (uint32_t)_mm_cvtsi128_si32(
                     _mm256_castsi256_si128((__m256i)place.low)) &
                 0xfffc;
    __m256i base = _mm256_set1_epi32((int32_t)x);
    __m256i low = _mm256_sub_epi16((__m256i)place.low, base);
    __m256i high = _mm256_sub_epi16((__m256i)place.high, base);
    if (!is_grid_of_texels(low, high))
        return false;
    uint32_t bx = (x + lv->x_el) >> 2;
    uint32_t to_right_B = bx < p->square.last_x ? SAMPLE_COLUMN_B : 0;
    const uint8_t *left = p->mem + bx * SAMPLE_COLUMN_B;
    vint above_B = rows_B(p, lv, place.low),
         below_B = rows_B(p, lv, place.high);
    _mm_prefetch(left + (uint32_t)above_B[0] + p->ahead_B, _MM_HINT_T0);
    _mm_prefetch(left + (uint32_t)below_B[2] + p->ahead_B, _MM_HINT_T0);
    out->low = take_two_rows(left, left + to_right_B, above_B, low);
    out->high = take_two_rows(left, left + to_right_B, below_B, low);
    return true;
}

#endif
