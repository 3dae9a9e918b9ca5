/* footprint_texels.h: picks one texel of four bytes for each lane, from one
 * line of memory or a square of four; a part of footprint_*.c.
 *
 * The answers have the bits of sample_tmpl.h's routines, which handle all other
 * messages. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TEXELS_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TEXELS_H

#include "sampler/plan/x86/footprint/footprint_tmpl.h"

/* Loads the lines of the lanes: texels `in` and `reach` more. */
INLINE void
load_lines_around(const struct sample_plan *p, enum sample_texel kind,
                  struct block_cache *blocks, struct footprint_corner corner,
                  bits in, unsigned reach, unsigned side, bits *line)
{
    if (kind == SAMPLE_BYTE_BLOCKS)
        load_block_lines(p, blocks, corner, in, reach, side, line);
    else
        load_lines_of(p, corner, side, line);
}

/* One texel of each lane, and which of its columns and rows are inside the
 * level. */
struct texel_places {
    bits place; /* columns, and rows << 16 */
    __mmask32 inside;
};

INLINE struct texel_places
find_texels(const struct footprint_level *lv, bits place)
{
    return (struct texel_places){
        place, _mm512_cmple_epu16_mask(place, load_constant(lv->last))};
}

/* Whether columns and rows fit 16 bits each. */
INLINE bool
fit_halves(vint x, vint y)
{
    return !v_any(v_test(x | y, v_constant(&footprint_table.high_half)));
}

#define ALL_INSIDE UINT32_C(0xffffffff)

/* Corner of the first lane's line. Mostly it is the only line, or the first of
 * four, and the result does not depend on other lanes. */
INLINE __m128i
first_corner(bits place)
{
    return _mm_and_si128(_mm512_castsi512_si128(place),
                         _mm_set1_epi32(footprint_table.line_corner));
}

INLINE bits
count_from(bits place, __m128i corner)
{
    return _mm512_sub_epi16(place, _mm512_broadcastd_epi32(corner));
}

INLINE bool
lie_within(const struct texel_places *t, bits in, const int32_t *most)
{
    return _mm512_mask_cmple_epu16_mask(t->inside, in, load_constant(most)) ==
           ALL_INSIDE;
}

INLINE vint
take_from_line(const struct sample_plan *p, enum sample_texel kind,
               struct block_cache *blocks, struct footprint_corner corner,
               bits in)
{
    bits line;
    load_lines_around(p, kind, blocks, corner, in, 0, 1, &line);
    return v_pick_one((vint)line, (vint)in | v_srl((vint)in, 14));
}

INLINE vint
take_from_four_lines(const struct sample_plan *p, enum sample_texel kind,
                     struct block_cache *blocks, struct footprint_corner corner,
                     bits in)
{
    bits line[4];
    load_lines_around(p, kind, blocks, corner, in, 0, 2, line);
    const struct lanes_square s = {
        {(vint)line[0], (vint)line[1], (vint)line[2], (vint)line[3]}};
    vint part = v_bytes(square_bits,
                        (vint)in | v_constant(&lanes_constant.rows));
    vint i = part | v_srl(part, 16);
    return pick_square(&s, i,
                       v_test(i, v_constant(&footprint_table.lower_line)));
}

/* Returns false if some lane is beyond four lines, or at an edge. */
INLINE bool
take_texels(const struct sample_plan *p, enum sample_texel kind,
            struct block_cache *blocks, const struct footprint_level *lv,
            struct texel_places t, vint *out)
{
    __m128i corner = first_corner(t.place);
    bits in = count_from(t.place, corner);
    if (__builtin_expect(lie_within(&t, in, &footprint_table.line_max), 1)) {
        *out = take_from_line(p, kind, blocks, corner_on_level(lv, corner), in);
        return true;
    }
    if (!lie_within(&t, in, &footprint_table.square_max)) {
        corner = find_corner(t.place, &footprint_table.line_corner);
        in = count_from(t.place, corner);
        if (!lie_within(&t, in, &footprint_table.square_max))
            return false;
    }
    *out = take_from_four_lines(p, kind, blocks, corner_on_level(lv, corner),
                                in);
    return true;
}

/* Whether all four channels are needed, one after the other. */
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
    bits t = _mm512_or_si512((bits)texel, load_constant(&b->ones));
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
