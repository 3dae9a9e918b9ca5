/* footprint_bytes1.h: footprint kernels for texels of one byte; a part of
 * footprint_vbmi.c. A line of memory has 16 columns and 4 rows. All lanes read
 * within four such lines. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_BYTES1_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_BYTES1_H

#include "sampler/plan/x86/footprint/footprint_two_stage.h"
#include "sampler/plan/x86/footprint/footprint_in_registers.h"

/* Places of columns and rows in four lines, as in `footprint_table.place`: bits
 * 0 to 5 within a line, bit 6 the line's column, bit 7 its row. */
#define COLUMNS(b)                                                          \
    (b), (b) + 1, (b) + 2, (b) + 3, (b) + 4, (b) + 5, (b) + 6, (b) + 7,     \
        (b) + 8, (b) + 9, (b) + 10, (b) + 11, (b) + 12, (b) + 13, (b) + 14, \
        (b) + 15
static const struct {
    alignas(64) uint8_t column[64];
    int32_t row[4];
    int32_t corner;       /* mask: a line's first column and row */
    int32_t texels, next; /* last first texel, for one and for two per axis */
} bytes1_table = {
    .column = {COLUMNS(0), COLUMNS(64)},
    .row = {0x30201000, (int32_t)0xb0a09080, 0, 0},
    .corner = (int32_t)0xfffcfff0,
    .texels = 7 << 16 | 31,
    .next = 6 << 16 | 30,
};
#undef COLUMNS

/* Picks four bytes for each lane, `columns` and `rows` past its texel. Returns
 * false if some lane is outside the four lines. */
INLINE bool
take_bytes(const struct sample_plan *p, const struct footprint_level *lv,
           bits place, __mmask32 inside, bits columns, bits rows,
           const int32_t *most, bits *out)
{
    bits at = _mm512_add_epi16(
        place, _mm512_set1_epi32((int32_t)(lv->x_el | lv->y_el << 16)));
    __m128i corner = find_corner(at, &bytes1_table.corner);
    bits in = _mm512_sub_epi16(at, _mm512_broadcastd_epi32(corner));
    inside = _mm512_mask_cmple_epu16_mask(inside, in, load_constant(most));
    if (__builtin_expect(inside != 0xffffffff, 0))
        return false;
    uint32_t first = (uint32_t)_mm_cvtsi128_si32(corner);
    bits line[4];
    load_lines_of(p,
                  (struct footprint_corner){(first & 0xffff) >> 4, first >> 18},
                  2, line);
    bits x = _mm512_shuffle_epi8(in, load_shuffle(footprint_table.first_byte));
    bits y = _mm512_shuffle_epi8(in, load_shuffle(footprint_table.third_byte));
    x = _mm512_permutexvar_epi8(_mm512_add_epi8(x, columns),
                                load_table(bytes1_table.column));
    y = _mm512_shuffle_epi8(load_shuffle(bytes1_table.row),
                            _mm512_add_epi8(y, rows));
    bits i = _mm512_or_si512(x, y);
    *out = pick_bytes(line, i, _mm512_movepi8_mask(i));
    return true;
}

INLINE void
answer_one(const struct sample_plan *p, vfloat value, uint32_t *out,
           const int16_t at_dw[4])
{
    for (unsigned c = 0; c < 4; c++) {
        unsigned pick = p->pick[c];
        vfloat other = v_splat(pick == SOURCE_ONE ? 1.0f : 0.0f);
        put_channel(out, at_dw[c], pick == 0 ? value : other);
    }
}

/* Finds each lane's texel, repeated in four bytes. */
INLINE bool
find_nearest_byte(const struct sample_plan *p, vfloat u, vfloat v, bits *texel)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    vfloat x = scale_inside(p, 0, u, lv.w_fx8);
    vfloat y = scale_inside(p, 1, v, lv.h_fx8);
    bits place = pack_texels(v_ifloor(x), v_ifloor(y));
    __mmask32 inside = _mm512_cmple_epu16_mask(place, load_constant(lv.last));
    return take_bytes(p, &lv, place, inside, _mm512_setzero_si512(),
                      _mm512_setzero_si512(), &bytes1_table.texels, texel);
}

INLINE bool
find_linear_byte(const struct sample_plan *p, vfloat u, vfloat v,
                 const int32_t *bias, bits *sum)
{
    struct footprint_level lv = get_footprint_level(p, (unsigned)p->lod.level);
    vint x = linear_fixed(p, 0, u, lv.w_fx8);
    vint y = linear_fixed(p, 1, v, lv.h_fx8);
    bits place = pack_texels(x, y), texels;
    vmask single = find_single(x);
    bits columns = _mm512_maskz_mov_epi32(
        v_not(single), load_constant(&footprint_table.next_column));
    __mmask32 inside = _mm512_cmplt_epu16_mask(place, load_constant(lv.last));
    if (!take_bytes(p, &lv, place, inside, columns,
                    load_constant(&footprint_table.next_row),
                    &bytes1_table.next, &texels))
        return false;
    struct footprint_weights w = find_weights(x, y, single);
    texels = _mm512_xor_si512(texels, load_constant(&footprint_table.flip));
    *sum = filter_bytes(texels, &w, bias);
    return true;
}

INLINE bool
bytes1_nearest_of(FOOTPRINT_OF_ARGS)
{
    bits texel;
    if (!find_nearest_byte(p, in->u, in->v, &texel))
        return false;
    answer_one(p, float_of_four(texel), out, at_dw);
    return true;
}

INLINE bool
bytes1_linear_of(FOOTPRINT_OF_ARGS)
{
    bits sum;
    if (!find_linear_byte(p, in->u, in->v, &footprint_table.bias, &sum))
        return false;
    answer_one(p, divide_255(v_float((vint)sum), true), out, at_dw);
    return true;
}

FOOTPRINT_VECTORS(false, bytes1_nearest)
FOOTPRINT_VECTORS(false, bytes1_linear)

static bits
bytes1_nearest_pixels(PIXELS_ARGS)
{
    bits texel = _mm512_setzero_si512();
    bool found = find_nearest_byte(p, (vfloat)u, (vfloat)v, &texel);
    begun->state = found ? SAMPLE_DONE : SAMPLE_LEFT_OUT;
    return found ? pixels_of_texels(p, texel, blue_first) : texel;
}

/* Rounds as pixels_of_sums() does. */
static bits
bytes1_linear_pixels(PIXELS_ARGS)
{
    bits sum = _mm512_setzero_si512();
    bool found = find_linear_byte(p, (vfloat)u, (vfloat)v,
                                  &footprint_table.half, &sum);
    begun->state = found ? SAMPLE_DONE : SAMPLE_LEFT_OUT;
    vint rounded = round_sum((vint)sum);
    return found
               ? pixels_of_texels(p, (bits)((rounded >> 16) + 128), blue_first)
               : sum;
}

#endif
