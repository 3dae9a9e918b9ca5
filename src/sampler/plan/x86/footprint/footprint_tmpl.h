/* footprint_tmpl.h: finds the footprint of texels that the lanes of a message
 * read, and loads its lines of memory or decoded blocks; a part of
 * footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TMPL_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TMPL_H

#include "sampler/plan/x86/block_tmpl.h"
#include "sampler/plan/x86/footprint/footprint_lines.h"
#include "sampler/plan/x86/texel_tmpl.h"

typedef __m512i bits;

/* Texels of a footprint are numbered x + 8 * y. place: where each one is in
 * four lines of 4x4 dwords. Bits 0 to 5 are within its line, bit 6 is the
 * line's column, bit 7 its row. */
#define ROW(b) \
    (b), (b) + 4, (b) + 8, (b) + 12, (b) + 64, (b) + 68, (b) + 72, (b) + 76
static const struct {
    alignas(64) uint8_t place[64];
    int32_t corner[4]; /* the outermost lanes of a block */
    int32_t first_byte[4], first_half[4];
    int32_t next, next_below, flip, whole, bias, half;
    int32_t number; /* weights of x and y in a number */
    int32_t line_max, square_max, footprint_max, nine_max, line_corner;
    int32_t lower_line, high_half;
    int32_t next_place;
    int32_t column_bits[4], column_mask, row_mask; /* place to offset */
    int32_t third_byte[4], column_place[4], row_place[4];
    int32_t next_column, next_row, middle, within_line, which_line;
    int32_t channel[4];
    int32_t transposed[4];
    int32_t spread[4][4]; /* of transposed bytes: one texel's, four times */
} footprint_table = {
    .place = {ROW(0), ROW(16), ROW(32), ROW(48), ROW(128), ROW(144), ROW(160),
              ROW(176)},
    .corner = {0, 5, 10, 15},
    .first_byte = {0, 0x04040404, 0x08080808, 0x0c0c0c0c},
    .first_half = {(int32_t)0xff00ff00, (int32_t)0xff04ff04,
                   (int32_t)0xff08ff08, (int32_t)0xff0cff0c},
    .next = 0x09080100,
    .next_below = 0x08080000,
    .flip = (int32_t)0x80808080,
    .whole = 0x01000100,
    .bias = 1 << 23,
    .half = (1 << 15) - 254,
    .number = 8 << 16 | 1,
    .line_max = 3 << 16 | 3,
    .square_max = 7 << 16 | 7,
    .footprint_max = 6 << 16 | 6,
    .nine_max = 10 << 16 | 10,
    .third_byte = {0x02020202, 0x06060606, 0x0a0a0a0a, 0x0e0e0e0e},
    .column_place = {0x0c080400, 0x4c484440, (int32_t)0x8c888480, 0},
    .row_place = {0x30201000, 0x70605040, (int32_t)0xb0a09080, 0},
    .next_column = 0x01000100,
    .next_row = 0x01010000,
    .middle = 0x40404040,
    .within_line = 0x30303030,
    .which_line = (int32_t)0xc0c0c0c0,
    .line_corner = (int32_t)0xfffcfffc,
    .lower_line = 32,
    .high_half = (int32_t)0xffff0000,
    .next_place = 1 << 16 | 1,
    .column_bits = {0x0009013e, 0x0029211e, 0x0009013e, 0x0029211e},
    .column_mask = 0x7ffe0c,
    .row_mask = 31 << 4,
    .channel = {0, 0x01010101, 0x02020202, 0x03030303},
    .transposed = {0x0c080400, 0x0d090501, 0x0e0a0602, 0x0f0b0703},
    .spread = {{0x00000000, 0x01010101, 0x02020202, 0x03030303},
               {0x04040404, 0x05050505, 0x06060606, 0x07070707},
               {0x08080808, 0x09090909, 0x0a0a0a0a, 0x0b0b0b0b},
               {0x0c0c0c0c, 0x0d0d0d0d, 0x0e0e0e0e, 0x0f0f0f0f}},
};
#undef ROW

INLINE bits
load_constant(const int32_t *i)
{
    return (bits)v_constant(i);
}

INLINE bits
load_table(const void *table)
{
    return _mm512_load_si512(table);
}

/* Repeats a shuffle for each four lanes. */
INLINE bits
load_shuffle(const int32_t table[4])
{
    return _mm512_broadcast_i32x4(
        _mm_loadu_si128((const __m128i *)(const void *)table));
}

/* ---- numbers ---- */

/* n / 255 is n / 256 + n / 256^2 and so on. A float has no room for the fourth
 * term, whose first bit is set for any n. So the nearest float is the one above
 * the sum of four terms. The result is times 2^32. */
INLINE vfloat
scaled_float_of_four(bits nnnn)
{
    enum { UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC };
    return (vfloat)_mm512_cvt_roundepu32_ps(nnnn, UP);
}

INLINE vfloat
float_of_four(bits nnnn)
{
    return scaled_float_of_four(nnnn) * v_splat(0x1p-32f);
}

/* Loads a colour into registers, channel by channel. If a struct is copied as a
 * whole, compilers keep it in memory on every path that merges with the copy.
 */
INLINE struct lanes_color
load_color(const struct lanes_color *far)
{
    return (struct lanes_color){{far->c[0], far->c[1], far->c[2], far->c[3]}};
}

/* ---- places ---- */

/* Columns, rows << 16, from 1/256 texels. */
INLINE bits
pack_texels(vint x, vint y)
{
    enum { SELECT = 0xca };
    return _mm512_ternarylogic_epi32(load_constant(&lanes_constant.low_half),
                                     (bits)(x >> 8), (bits)(y << 8), SELECT);
}

/* Least column and least row among the outermost lanes, aligned to a line. */
INLINE __m128i
find_corner(bits place, const int32_t *mask)
{
    const __m512i outermost = _mm512_castsi128_si512(
        _mm_loadu_si128((const __m128i *)(const void *)footprint_table.corner));
    __m128i least = _mm512_castsi512_si128(
        _mm512_permutexvar_epi32(outermost, place));
    least = _mm_min_epu16(least, _mm_shuffle_epi32(least, 0x4e));
    least = _mm_min_epu16(least, _mm_shuffle_epi32(least, 0xb1));
    return _mm_and_si128(least, _mm_set1_epi32(*mask));
}

INLINE struct footprint_corner
corner_on_level(const struct footprint_level *lv, __m128i corner)
{
    uint32_t at = (uint32_t)_mm_cvtsi128_si32(corner);
    return (struct footprint_corner){((at & 0xffff) + lv->x_el) >> 2,
                                     ((at >> 16) + lv->y_el) >> 2};
}

/* The footprint of lanes with four corners each. */
struct footprint_view {
    struct footprint_corner corner;
    bits in;       /* upper left corners, relative to the footprint's corner */
    unsigned side; /* lines in each direction: 2 or 3; 0: more, or an edge */
};

/* Returns footprint_view.side for a corner, and sets the view's `in`. */
INLINE unsigned
lines_of_side(bits place, __m128i corner, __mmask32 inside, bits *in)
{
    const __mmask32 all = 0xffffffff;
    bits i = _mm512_sub_epi16(place, _mm512_broadcastd_epi32(corner));
    *in = i;
    if (__builtin_expect(
            _mm512_mask_cmple_epu16_mask(
                inside, i, load_constant(&footprint_table.footprint_max)) ==
                all,
            1))
        return 2;
    return _mm512_mask_cmple_epu16_mask(
               inside, i, load_constant(&footprint_table.nine_max)) == all
               ? 3
               : 0;
}

/* Tries the first lane's line first: mostly it is the corner, and the result
 * does not depend on other lanes. */
INLINE struct footprint_view
find_view(const struct footprint_level *lv, vint x, vint y)
{
    struct footprint_view v;
    bits place = pack_texels(x, y);
    __mmask32 inside = _mm512_cmplt_epu16_mask(place, load_constant(lv->last));
    __m128i at = _mm_and_si128(_mm512_castsi512_si128(place),
                               _mm_set1_epi32(footprint_table.line_corner));
    v.side = lines_of_side(place, at, inside, &v.in);
    if (__builtin_expect(v.side == 0, 0)) {
        at = find_corner(place, &footprint_table.line_corner);
        v.side = lines_of_side(place, at, inside, &v.in);
    }
    v.corner = corner_on_level(lv, at);
    return v;
}

/* find_view() for rotated lanes, whose corner is mostly not in the first lane's
 * line. No branch depends on the number of lines, because it would be
 * mispredicted. */
INLINE struct footprint_view
find_rotated_view(const struct footprint_level *lv, vint x, vint y)
{
    const __mmask32 all = 0xffffffff;
    bits place = pack_texels(x, y);
    __mmask32 inside = _mm512_cmplt_epu16_mask(place, load_constant(lv->last));
    __m128i at = find_corner(place, &footprint_table.line_corner);
    bits in = _mm512_sub_epi16(place, _mm512_broadcastd_epi32(at));
    unsigned four = _mm512_mask_cmple_epu16_mask(
                        inside, in,
                        load_constant(&footprint_table.footprint_max)) == all;
    unsigned nine = _mm512_mask_cmple_epu16_mask(
                        inside, in, load_constant(&footprint_table.nine_max)) ==
                    all;
    return (struct footprint_view){corner_on_level(lv, at), in,
                                   3 * nine - four};
}

/* ---- lines ---- */

INLINE bits
load_block_line(const struct sample_plan *p, struct block_cache *blocks,
                uint32_t bx, uint32_t by)
{
    uint32_t at_B = block_offset_B(&p->tiling, (int32_t)bx, (int32_t)by);
    return load_table(get_block(p, SAMPLE_BYTE_BLOCKS, blocks, at_B, NULL, 0));
}

/* Loads the decoded blocks that lanes read: up to `side` columns and rows.
 * `in`: the lanes' first texels, relative to the first block; each lane reads
 * `reach` more. The other entries repeat the first block. */
INLINE void
load_block_lines(const struct sample_plan *p, struct block_cache *blocks,
                 struct footprint_corner corner, bits in, unsigned reach,
                 unsigned side, bits *line)
{
    const uint32_t columns = 0x55555555;
    unsigned wide = 1, high = 1;
    for (unsigned i = 1; i < side; i++) {
        __mmask32 beyond = _mm512_cmpgt_epu16_mask(
            in, _mm512_set1_epi16((short)(4 * i - 1 - reach)));
        wide += (beyond & columns) != 0;
        high += (beyond & ~columns) != 0;
    }
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++)
            line[side * y + x] = x < wide && y < high
                                     ? load_block_line(p, blocks, corner.bx + x,
                                                       corner.by + y)
                                     : line[0];
}

INLINE void
load_lines_of(const struct sample_plan *p, struct footprint_corner corner,
              unsigned side, bits *line)
{
    struct footprint_lines l = find_lines(p, corner, side);
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++)
            line[side * y + x] = load_table(l.row[y] + l.column_B[x]);
}

#endif
