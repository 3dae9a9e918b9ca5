/* footprint_copy.h: finds where sixteen lanes read, in two registers, and
 * copies the lines of memory or decoded blocks there; a part of
 * footprint_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_COPY_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_COPY_H

#include "sampler/plan/x86/block_tmpl.h"
#include "sampler/plan/x86/footprint/footprint_lines.h"

/* Sixteen lanes, two quads in each register. Members, not an array: compilers
 * keep members in registers. */
struct both {
    vint low, high;
};

/* ---- places ---- */

/* Columns, rows << 16, from 1/256 texels. */
INLINE vint
pack_texels(vint x, vint y)
{
    return (vint)_mm256_blend_epi16((__m256i)(x >> 8), (__m256i)(y << 8), 0xaa);
}

INLINE __m256i
least16(vint a, vint b)
{
    return _mm256_min_epu16((__m256i)a, (__m256i)b);
}

/* The least column and the least row << 16, or the greatest. */
INLINE uint32_t
extreme_place(struct both place, bool most)
{
    __m256i a = (__m256i)place.low, b = (__m256i)place.high;
    __m256i both = most ? _mm256_max_epu16(a, b) : _mm256_min_epu16(a, b);
    __m128i v = _mm256_castsi256_si128(both);
    __m128i w = _mm256_extracti128_si256(both, 1);
    v = most ? _mm_max_epu16(v, w) : _mm_min_epu16(v, w);
    w = _mm_shuffle_epi32(v, 0x4e);
    v = most ? _mm_max_epu16(v, w) : _mm_min_epu16(v, w);
    w = _mm_shuffle_epi32(v, 0xb1);
    v = most ? _mm_max_epu16(v, w) : _mm_min_epu16(v, w);
    return (uint32_t)_mm_cvtsi128_si32(v);
}

/* Lanes whose texel, or one `reach` further on some axis, is outside the level.
 */
INLINE __m256i
outside(vint last, vint place, unsigned reach)
{
    return reach ? _mm256_cmpeq_epi16(least16(last, place), (__m256i)last)
                 : _mm256_subs_epu16((__m256i)place, (__m256i)last);
}

INLINE bool
all_inside(const struct footprint_level *lv, struct both place, unsigned reach)
{
    vint last = v_constant(lv->last);
    __m256i some = _mm256_or_si256(outside(last, place.low, reach),
                                   outside(last, place.high, reach));
    return _mm256_testz_si256(some, some);
}

/* ---- copies ---- */

#define COPY_PITCH_B 64
#define COPY_SIDE 12

/* Three lines of 4x4 texels in each direction, or two. Bytes are biased to
 * -128..127, because the multiplication takes signed bytes. */
struct copy {
    alignas(64) uint8_t row[COPY_SIDE][COPY_PITCH_B];
};

/* The first line that lanes read, and the texels relative to it. */
struct near {
    struct footprint_corner corner;
    struct both in;
    uint32_t columns, rows; /* of lines */
    uint32_t least, most;   /* column, and row << 16, counted like `in` */
};

INLINE struct near
find_near(const struct footprint_level *lv, struct both place, unsigned reach)
{
    uint32_t least = extreme_place(place, false);
    uint32_t at = least & ~UINT32_C(0x30003);
    struct both in = {place.low - (int32_t)at, place.high - (int32_t)at};
    uint32_t most = extreme_place(in, true);
    return (struct near){.corner = {((at & 0xffff) + lv->x_el) >> 2,
                                    ((at >> 16) + lv->y_el) >> 2},
                         .in = in,
                         .columns = ((most & 0xffff) + reach) / 4 + 1,
                         .rows = ((most >> 16) + reach) / 4 + 1,
                         .least = least & 0x30003,
                         .most = most};
}

INLINE __m128i
flip(__m128i v)
{
    return _mm_xor_si128(v, _mm_set1_epi8((char)0x80));
}

INLINE void
copy_line(struct copy *c, unsigned column, unsigned row, const uint8_t *line)
{
    for (unsigned i = 0; i < 4; i++)
        _mm_store_si128((__m128i *)(void *)(c->row[4 * row + i] + 16 * column),
                        flip(v_load16(line + 16 * i)));
}

INLINE void
copy_pair(struct copy *c, unsigned row, const uint8_t *left,
          const uint8_t *right)
{
    const __m256i sign = _mm256_set1_epi8((char)0x80);
    for (unsigned i = 0; i < 4; i++) {
        __m256i v = _mm256_set_m128i(v_load16(right + 16 * i),
                                     v_load16(left + 16 * i));
        _mm256_store_si256((__m256i *)(void *)c->row[4 * row + i],
                           _mm256_xor_si256(v, sign));
    }
}

INLINE void
copy_blocks(const struct sample_plan *p, struct block_cache *blocks,
            const struct near *n, struct copy *c)
{
    for (unsigned y = 0; y < n->rows; y++) {
        for (unsigned x = 0; x < n->columns; x++) {
            uint32_t at_B = block_offset_B(&p->tiling,
                                           (int32_t)(n->corner.bx + x),
                                           (int32_t)(n->corner.by + y));
            copy_line(c, x, y,
                      (const uint8_t *)get_block(p, SAMPLE_BYTE_BLOCKS, blocks,
                                                 at_B, NULL, 0));
        }
    }
}

/* Whether the first and the last lane do not fit one copy; a quick test before
 * the exact one. */
INLINE bool
lie_apart(struct both place)
{
    const uint32_t most = COPY_SIDE - 1;
    __m128i end = _mm256_extracti128_si256((__m256i)place.high, 1);
    uint32_t first = (uint32_t)_mm_cvtsi128_si32(
        _mm256_castsi256_si128((__m256i)place.low));
    uint32_t last = (uint32_t)_mm_extract_epi32(end, 3);
    return (first & 0xffff) - (last & 0xffff) + most > 2 * most ||
           (first >> 16) - (last >> 16) + most > 2 * most;
}

/* Returns false if lanes are too far apart. */
INLINE bool
copy_texels(const struct sample_plan *p, enum sample_texel kind,
            struct block_cache *blocks, const struct near *n, struct copy *c)
{
    if (n->columns > 3 || n->rows > 3)
        return false;
    if (kind == SAMPLE_BYTE_BLOCKS) {
        copy_blocks(p, blocks, n, c);
        return true;
    }
    struct footprint_lines l = find_lines(p, n->corner, 2);
    copy_pair(c, 0, l.row[0] + l.column_B[0], l.row[0] + l.column_B[1]);
    copy_pair(c, 1, l.row[1] + l.column_B[0], l.row[1] + l.column_B[1]);
    if (n->rows > 2)
        copy_pair(c, 2, l.row[2] + l.column_B[0], l.row[2] + l.column_B[1]);
    for (unsigned y = 0; n->columns > 2 && y < n->rows; y++)
        copy_line(c, 2, y, l.row[y] + l.column_B[2]);
    return true;
}

INLINE void
find_offsets(vint in, int32_t from[LANES])
{
    v_offsets((vint)_mm256_madd_epi16(
                  (__m256i)in, _mm256_set1_epi32(COPY_PITCH_B << 16 | 4)),
              from);
}

#endif
