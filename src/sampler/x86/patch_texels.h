/* patch_texels.h: one texel of four bytes for each lane of a message that looks
 * at one line of memory or at a square of four; a part of patch_*.c.
 *
 * The bits are those of sample_tmpl.h's routines, to which everything is left
 * that is not so simple. */
#ifndef SAMPLER_PATCH_TEXELS_H
#define SAMPLER_PATCH_TEXELS_H

#include "sampler/x86/patch_tmpl.h"

/* The lines that lanes look at, each with `reach` texels more than `in` says.
 */
INLINE void
load_lines_around(const struct sample_plan *p, enum sample_texel kind,
                  struct sample_blocks *blocks, struct patch_corner corner,
                  bits in, unsigned reach, unsigned side, bits *line)
{
    if (kind == SAMPLE_BYTE_BLOCKS)
        load_block_lines(p, blocks, corner, in, reach, side, line);
    else
        load_lines_of(p, corner, side, line);
}

INLINE bool
take_from_four_lines(const struct sample_plan *p, enum sample_texel kind,
                     struct sample_blocks *blocks, const struct patch_level *lv,
                     bits place, vint *out)
{
    __m128i corner = find_corner(place, &patch.line_corner);
    bits in = _mm512_sub_epi16(place, _mm512_broadcastd_epi32(corner));
    if (_mm512_cmple_epu16_mask(in, _mm512_set1_epi16(7)) != 0xffffffff)
        return false;
    bits line[4];
    load_lines_around(p, kind, blocks, corner_on_level(lv, corner), in, 0, 2,
                      line);
    const struct lanes_square s = {
        {(vint)line[0], (vint)line[1], (vint)line[2], (vint)line[3]}};
    vint part = v_bytes(square_bits,
                        (vint)in | v_constant(&lanes_constant.rows));
    vint i = part | v_srl(part, 16);
    *out = pick_square(&s, i, v_test(i, v_constant(&patch.lower_line)));
    return true;
}

INLINE vmask
find_inside(const struct patch_level *lv, vint x, vint y)
{
    return _mm512_mask_cmplt_epu32_mask(
        _mm512_cmplt_epu32_mask((bits)x, constant(lv->w)), (bits)y,
        constant(lv->h));
}

/* False if texels in these columns and rows are in several lines. */
INLINE bool
take_from_line(const struct sample_plan *p, enum sample_texel kind,
               struct sample_blocks *blocks, const struct patch_level *lv,
               vint x, vint y, vint *out)
{
    vmask inside = find_inside(lv, x, y);
    bits place = (bits)(x | y << 16);
    __m128i first = _mm512_castsi512_si128(place);
    bits other = _mm512_xor_si512(place, _mm512_broadcastd_epi32(first));
    vmask one = _mm512_mask_testn_epi32_mask(inside, other,
                                             constant(&patch.line_corner));
    if (__builtin_expect(one != 0xffff, 0))
        return false;
    bits line;
    load_lines_around(p, kind, blocks, corner_on_level(lv, first), place, 0, 1,
                      &line);
    enum { SELECT = 0xca };
    *out = v_pick_one((vint)line, (vint)_mm512_ternarylogic_epi32(
                                      constant(&patch.column_in_line), (bits)x,
                                      (bits)(y << 2), SELECT));
    return true;
}

/* The first lane's line is most often that of all: other lanes need not be
 * waited for. */
INLINE bool
take_texels(const struct sample_plan *p, enum sample_texel kind,
            struct sample_blocks *blocks, const struct patch_level *lv, vint x,
            vint y, vint *out)
{
    return take_from_line(p, kind, blocks, lv, x, y, out) ||
           (find_inside(lv, x, y) == 0xffff &&
            take_from_four_lines(p, kind, blocks, lv, (bits)(x | y << 16),
                                 out));
}

/* Where all four channels are asked for, one behind the other. */
INLINE bool
is_whole(const int16_t at_dw[4])
{
    uint64_t places;
    __builtin_memcpy(&places, at_dw, sizeof places);
    return places == (UINT64_C(48) << 48 | UINT64_C(32) << 32 | 16 << 16);
}

INLINE vfloat
byte_to_float(const struct sample_bytes *b, bits texel, unsigned channel)
{
    __m128i spread = _mm_load_si128(
        (const __m128i *)(const void *)b->spread[channel]);
    return float_of_four(
        _mm512_shuffle_epi8(texel, _mm512_broadcast_i32x4(spread)));
}

INLINE void
answer_texels(const struct sample_plan *p, vint texel, uint32_t *out,
              const int16_t at_dw[4])
{
    const struct sample_bytes *b = &p->bytes;
    bits t = _mm512_or_si512((bits)texel, constant(&b->ones));
    if (is_whole(at_dw)) {
        for (unsigned i = 0; i < 4; i++)
            v_store(out + 16 * i, (vint)byte_to_float(b, t, i));
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        if (at_dw[i] >= 0)
            v_store(out + at_dw[i], (vint)byte_to_float(b, t, i));
}

#endif
