/* patch_vbmi.c: messages whose lanes all look at one patch of 8x8 texels of
 * four bytes inside of a level, as those of blocks of pixels mostly do. No
 * address mode moves such a texel, a lane's four are next to each other, and
 * all of them are in four lines of memory, which registers hold.
 *
 * The bits are those of sample_tmpl.h's routines, to which everything is left
 * that is not so simple. With VBMI texels are taken out of the lines channel by
 * channel, each lane's four in one dword, and filtered as they are. */
#include "sampler/x86/lod_tmpl.h"
#include "sampler/x86/texel_tmpl.h"

typedef __m512i bits;

/* Texels of a patch are numbered x + 8 * y. Where each one is in four lines of
 * 4x4 dwords: bits 0 to 5 within its line, bit 6 the line's column, bit 7 its
 * row. */
#define ROW(b) \
    (b), (b) + 4, (b) + 8, (b) + 12, (b) + 64, (b) + 68, (b) + 72, (b) + 76
static const struct {
    alignas(64) uint8_t place[64];
    int32_t corner[4]; /* the outermost lanes of a block */
    int32_t first_byte[4], first_half[4];
    int32_t next, invert, left, flip, whole, bias;
    int32_t number, number_in_line; /* what x and y count in it */
    int32_t patch_max, nine_max, line_max, line_corner;
    int32_t third_byte[4], column_place[4], row_place[4];
    int32_t next_column, next_row, middle, within_line;
    int32_t channel[4];
} patch = {
    .place = {ROW(0), ROW(16), ROW(32), ROW(48), ROW(128), ROW(144), ROW(160),
              ROW(176)},
    .corner = {0, 5, 10, 15},
    .first_byte = {0, 0x04040404, 0x08080808, 0x0c0c0c0c},
    .first_half = {(int32_t)0xff00ff00, (int32_t)0xff04ff04,
                   (int32_t)0xff08ff08, (int32_t)0xff0cff0c},
    .next = 0x09080100,
    .invert = 0x00ff00ff,
    .left = 0x00010001,
    .flip = (int32_t)0x80808080,
    .whole = 0x01000100,
    .bias = 1 << 23,
    .number = 8 << 16 | 1,
    .number_in_line = 16 << 16 | 4,
    .patch_max = 6 << 16 | 6,
    .nine_max = 10 << 16 | 10,
    .third_byte = {0x02020202, 0x06060606, 0x0a0a0a0a, 0x0e0e0e0e},
    .column_place = {0x0c080400, 0x4c484440, (int32_t)0x8c888480, 0},
    .row_place = {0x30201000, 0x70605040, (int32_t)0xb0a09080, 0},
    .next_column = 0x01000100,
    .next_row = 0x01010000,
    .middle = 0x40404040,
    .within_line = 0x30303030,
    .line_max = 3 << 16 | 3,
    .line_corner = (int32_t)0xfffcfffc,
    .channel = {0, 0x01010101, 0x02020202, 0x03030303},
};
#undef ROW

INLINE bits
constant(const int32_t *i)
{
    return (bits)v_constant(i);
}

INLINE bits
load_table(const void *table)
{
    return _mm512_load_si512(table);
}

/* Repeated for each four lanes. */
INLINE bits
load_shuffle(const int32_t table[4])
{
    return _mm512_broadcast_i32x4(
        _mm_loadu_si128((const __m128i *)(const void *)table));
}

/* ---- places ---------------------------------------------------------------
 */

/* Where texels of one level are looked for. */
struct patch_level {
    vfloat w_fx8, h_fx8;
    const int32_t *last; /* column, and row << 16 */
    uint32_t x_el, y_el;
};

INLINE struct patch_level
get_patch_level(const struct sample_plan *p, unsigned level)
{
    const struct sample_levels *t = &p->levels;
    return (struct patch_level){
        .w_fx8 = v_splat(t->w_fx8[level]),
        .h_fx8 = v_splat(t->h_fx8[level]),
        .last = &t->last[level],
        .x_el = (uint32_t)t->x_el[level],
        .y_el = (uint32_t)t->y_el[level],
    };
}

/* scale() of what lies inside. Columns and rows beyond 16 bits become -2^15 or
 * the like, which is as little inside as they are; NaN does, too. */
INLINE vfloat
scale_inside(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    if (p->axis[d] == SAMPLE_AXIS_REPEAT)
        return (u - v_floor(u)) * n_fx8;
    enum { LEAST_MAGNITUDE = 2 };
    return (vfloat)_mm512_range_ps((__m512)(u * n_fx8), _mm512_set1_ps(1 << 23),
                                   LEAST_MAGNITUDE);
}

/* Columns, and rows << 16, from 1/256 texels. */
INLINE bits
pack_texels(vint x, vint y)
{
    enum { SELECT = 0xca };
    return _mm512_ternarylogic_epi32(constant(&lanes_constant.low_half),
                                     (bits)(x >> 8), (bits)(y << 8), SELECT);
}

/* Least column and least row of the outermost lanes, where lines begin. */
INLINE __m128i
find_corner(bits place)
{
    const __m512i outermost = _mm512_castsi128_si512(
        _mm_loadu_si128((const __m128i *)(const void *)patch.corner));
    __m128i least = _mm512_castsi512_si128(
        _mm512_permutexvar_epi32(outermost, place));
    least = _mm_min_epu16(least, _mm_shuffle_epi32(least, 0x4e));
    least = _mm_min_epu16(least, _mm_shuffle_epi32(least, 0xb1));
    return _mm_and_si128(least, _mm_set1_epi32(patch.line_corner));
}

/* A line, its neighbours, and those that blocks of pixels next to this one will
 * look at if they look at as many texels. */
struct patch_lines {
    const uint8_t *row[3];
    uint32_t column_B[3];
};

INLINE struct patch_lines
find_lines(const struct sample_plan *p, const struct patch_level *lv,
           __m128i corner)
{
    uint32_t at = (uint32_t)_mm_cvtsi128_si32(corner);
    uint32_t bx = ((at & 0xffff) + lv->x_el) >> 2;
    uint32_t by = ((at >> 16) + lv->y_el) >> 2;
    /* Blocks that no lane looks at need not exist. */
    uint32_t bx1 = MIN2(bx + 1, p->square.last_x);
    uint32_t by1 = MIN2(by + 1, p->square.last_y);
    uint32_t bx2 = MIN2(bx + 2, p->square.last_x);
    uint32_t by2 = MIN2(by + 2, p->square.last_y);
    uint32_t pitch_B = (uint32_t)p->tiling.y_pitch_B;
    struct patch_lines l = {
        .row = {p->mem + (by >> 3) * pitch_B + (by & 7) * 64,
                p->mem + (by1 >> 3) * pitch_B + (by1 & 7) * 64,
                p->mem + (by2 >> 3) * pitch_B + (by2 & 7) * 64},
        .column_B = {bx * 512, bx1 * 512, bx2 * 512},
    };
    _mm_prefetch(l.row[0] + l.column_B[0] + p->ahead_B, _MM_HINT_T0);
    return l;
}

/* ---- channels -------------------------------------------------------------
 */

struct patch_color {
    bits c[4];
};

/* Bytes of four lines, at places as in `patch.place`. */
INLINE bits
pick_bytes(const bits line[4], bits at, __mmask64 low)
{
    bits upper = _mm512_permutex2var_epi8(line[0], at, line[1]);
    bits lower = _mm512_permutex2var_epi8(line[2], at, line[3]);
    return _mm512_mask_blend_epi8(low, upper, lower);
}

/* The texels at `first`, at most `last` in their level: their four bytes. */
INLINE bool
take_texels(const struct sample_plan *p, const struct patch_level *lv,
            bits place, struct patch_color *out)
{
    __m128i corner = find_corner(place);
    bits in = _mm512_sub_epi16(place, _mm512_broadcastd_epi32(corner));
    __mmask32 inside = _mm512_cmple_epu16_mask(place, constant(lv->last));
    __mmask32 one = _mm512_mask_cmple_epu16_mask(inside, in,
                                                 constant(&patch.line_max));
    const __mmask64 first_bytes = 0x1111111111111111;
    if (__builtin_expect(one == 0xffffffff, 1)) {
        struct patch_lines l = find_lines(p, lv, corner);
        bits line = load_table(l.row[0] + l.column_B[0]);
        bits at = _mm512_madd_epi16(in, constant(&patch.number_in_line));
        for (unsigned c = 0; c < 4; c++)
            out->c[c] = _mm512_maskz_permutexvar_epi8(
                first_bytes, _mm512_or_si512(at, constant(&patch.channel[c])),
                line);
        return true;
    }
    __mmask32 four = _mm512_mask_cmple_epu16_mask(inside, in,
                                                  _mm512_set1_epi16(7));
    if (four != 0xffffffff)
        return false;
    struct patch_lines l = find_lines(p, lv, corner);
    const bits line[4] = {load_table(l.row[0] + l.column_B[0]),
                          load_table(l.row[0] + l.column_B[1]),
                          load_table(l.row[1] + l.column_B[0]),
                          load_table(l.row[1] + l.column_B[1])};
    bits at = _mm512_madd_epi16(in, constant(&patch.number));
    at = _mm512_permutexvar_epi8(at, load_table(patch.place));
    __mmask64 low = _mm512_movepi8_mask(at) & first_bytes;
    for (unsigned c = 0; c < 4; c++) {
        bits t = pick_bytes(
            line, _mm512_or_si512(at, constant(&patch.channel[c])), low);
        out->c[c] = _mm512_and_si512(t, _mm512_set1_epi32(0xff));
    }
    return true;
}

/* Four texels of each lane: 255 - w and w of columns, 256 - w and w of rows. */
struct patch_weights {
    bits columns, rows;
};

INLINE struct patch_weights
find_weights(vint x, vint y)
{
    bits wx = _mm512_xor_si512(
        _mm512_shuffle_epi8((bits)x, load_shuffle(patch.first_byte)),
        constant(&patch.invert));
    bits wy = _mm512_shuffle_epi8((bits)y, load_shuffle(patch.first_half));
    wy = _mm512_mask_sub_epi16(wy, 0x55555555, constant(&patch.whole), wy);
    return (struct patch_weights){wx, wy};
}

/* 65536 times what a linear filter makes of four bytes. They are filtered as
 * signed numbers, which is what instructions take, less 128. */
INLINE bits
filter_bytes(bits t, const struct patch_weights *w)
{
    bits row = _mm512_add_epi16(_mm512_maddubs_epi16(w->columns, t),
                                _mm512_maddubs_epi16(constant(&patch.left), t));
    return _mm512_add_epi32(_mm512_madd_epi16(row, w->rows),
                            constant(&patch.bias));
}

INLINE bits
load_flipped(const uint8_t *line)
{
    return _mm512_xor_si512(constant(&patch.flip), load_table(line));
}

/* Two columns and two rows of lines. `in`: numbers of the first texels. */
INLINE void
filter_four_lines(const struct patch_lines *l, bits in,
                  const struct patch_weights *w, struct patch_color *out)
{
    const bits line[4] = {load_flipped(l->row[0] + l->column_B[0]),
                          load_flipped(l->row[0] + l->column_B[1]),
                          load_flipped(l->row[1] + l->column_B[0]),
                          load_flipped(l->row[1] + l->column_B[1])};
    /* One texel to the right, one down, and both. */
    bits at = _mm512_madd_epi16(in, constant(&patch.number));
    at = _mm512_shuffle_epi8(at, load_shuffle(patch.first_byte));
    at = _mm512_permutexvar_epi8(_mm512_add_epi8(at, constant(&patch.next)),
                                 load_table(patch.place));
    __mmask64 low = _mm512_movepi8_mask(at);
    for (unsigned c = 0; c < 4; c++) {
        bits i = _mm512_or_si512(at, constant(&patch.channel[c]));
        out->c[c] = filter_bytes(pick_bytes(line, i, low), w);
    }
}

/* Bytes of a row of three lines; those of the third one in `far`. */
INLINE bits
pick_row(const bits line[3], bits at, __mmask64 far)
{
    bits t = _mm512_permutex2var_epi8(line[0], at, line[1]);
    return _mm512_mask_permutexvar_epi8(t, far, at, line[2]);
}

/* Three of each, for what is turned or made smaller. */
INLINE void
filter_nine_lines(const struct patch_lines *l, bits in,
                  const struct patch_weights *w, struct patch_color *out)
{
    bits line[3][3];
    for (unsigned y = 0; y < 3; y++)
        for (unsigned x = 0; x < 3; x++)
            line[y][x] = load_flipped(l->row[y] + l->column_B[x]);
    bits x = _mm512_shuffle_epi8(in, load_shuffle(patch.first_byte));
    bits y = _mm512_shuffle_epi8(in, load_shuffle(patch.third_byte));
    x = _mm512_add_epi8(x, constant(&patch.next_column));
    y = _mm512_add_epi8(y, constant(&patch.next_row));
    x = _mm512_shuffle_epi8(load_shuffle(patch.column_place), x);
    y = _mm512_shuffle_epi8(load_shuffle(patch.row_place), y);
    __mmask64 far = _mm512_movepi8_mask(x), last = _mm512_movepi8_mask(y);
    __mmask64 middle = _mm512_test_epi8_mask(y, constant(&patch.middle));
    bits at = _mm512_or_si512(
        x, _mm512_and_si512(y, constant(&patch.within_line)));
    for (unsigned c = 0; c < 4; c++) {
        bits i = _mm512_or_si512(at, constant(&patch.channel[c]));
        bits t = pick_row(line[0], i, far);
        t = _mm512_mask_mov_epi8(t, middle, pick_row(line[1], i, far));
        t = _mm512_mask_mov_epi8(t, last, pick_row(line[2], i, far));
        out->c[c] = filter_bytes(t, w);
    }
}

/* `wide`: of nine lines. */
INLINE bool
take_filtered(const struct sample_plan *p, const struct patch_level *lv,
              bool wide, vint x, vint y, bits place, struct patch_color *out)
{
    __m128i corner = find_corner(place);
    bits in = _mm512_sub_epi16(place, _mm512_broadcastd_epi32(corner));
    __mmask32 inside = _mm512_cmplt_epu16_mask(place, constant(lv->last));
    inside = _mm512_mask_cmple_epu16_mask(
        inside, in, constant(wide ? &patch.nine_max : &patch.patch_max));
    if (__builtin_expect(inside != 0xffffffff, 0))
        return false;
    struct patch_weights w = find_weights(x, y);
    struct patch_lines l = find_lines(p, lv, corner);
    if (wide)
        filter_nine_lines(&l, in, &w, out);
    else
        filter_four_lines(&l, in, &w, out);
    return true;
}

/* ---- the answer -----------------------------------------------------------
 */

/* n / d rounded correctly, of any n that has as many bits as a float: no
 * quotient is so near the middle of two floats that the part of 1 / d that its
 * own float leaves out, itself rounded, could be missed. */
INLINE vfloat
divide_255(vfloat n, bool by_65536)
{
    const double inv = by_65536 ? 1.0 / (255.0 * 65536.0) : 1.0 / 255.0;
    const float high = (float)inv, low = (float)(inv - (double)high);
    return v_fma(n, v_splat(high), n * v_splat(low));
}

INLINE void
put(uint32_t *out, int16_t at_dw, vfloat value)
{
    if (at_dw >= 0)
        v_store(out + at_dw, (vint)value);
}

INLINE void
answer(const struct sample_plan *p, const struct lanes_color *color,
       uint32_t *out, const int16_t at_dw[4])
{
    if (p->permuted) {
        for (unsigned i = 0; i < 4; i++)
            put(out, at_dw[p->place[i]], color->c[i]);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = p->pick[i];
        vfloat value = (vfloat)v_isplat(from == SOURCE_ONE ? p->one : 0);
        for (unsigned k = 0; k < 4; k++)
            if (from == k)
                value = color->c[k];
        put(out, at_dw[i], value);
    }
}

INLINE struct lanes_color
to_floats(const struct patch_color *from)
{
    struct lanes_color to;
    for (unsigned c = 0; c < 4; c++)
        to.c[c] = v_float((vint)from->c[c]);
    return to;
}

INLINE void
answer_divided(const struct sample_plan *p, struct lanes_color color,
               bool by_65536, uint32_t *out, const int16_t at_dw[4])
{
    for (unsigned c = 0; c < 4; c++)
        color.c[c] = divide_255(color.c[c], by_65536);
    answer(p, &color, out, at_dw);
}

static bool
nearest(const struct sample_plan *p, const uint32_t *u, const uint32_t *v,
        uint32_t *out, const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level);
    vfloat x = scale_inside(p, 0, (vfloat)v_load(u, 16), lv.w_fx8);
    vfloat y = scale_inside(p, 1, (vfloat)v_load(v, 16), lv.h_fx8);
    struct patch_color texel;
    if (!take_texels(p, &lv, pack_texels(v_ifloor(x), v_ifloor(y)), &texel))
        return false;
    answer_divided(p, to_floats(&texel), false, out, at_dw);
    return true;
}

/* Texels of level 0 by number. */
static bool
fetch(const struct sample_plan *p, const uint32_t *u, const uint32_t *v,
      uint32_t *out, const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level0);
    vint x = v_load(u, 16), y = v_load(v, 16);
    struct patch_color texel;
    if (v_any(v_test(x | y, v_isplat(-65536))) ||
        !take_texels(p, &lv, (bits)(x | y << 16), &texel))
        return false;
    answer_divided(p, to_floats(&texel), false, out, at_dw);
    return true;
}

/* Coordinates in 1/256 texels, of the first of two. */
INLINE vint
linear_fixed(const struct sample_plan *p, unsigned d, vfloat u, vfloat n_fx8)
{
    vfloat x = scale_inside(p, d, u, n_fx8) + v_splat(p->round[d]);
    return (vint)_mm512_sub_epi32((bits)v_ifloor(x),
                                  (bits)v_constant(&lanes_constant.half_texel));
}

INLINE bool
sample_linear(const struct sample_plan *p, bool wide, const uint32_t *u,
              const uint32_t *v, uint32_t *out, const int16_t at_dw[4])
{
    struct patch_level lv = get_patch_level(p, (unsigned)p->lod.level);
    vint x = linear_fixed(p, 0, (vfloat)v_load(u, 16), lv.w_fx8);
    vint y = linear_fixed(p, 1, (vfloat)v_load(v, 16), lv.h_fx8);
    bits place = pack_texels(x, y);
    struct patch_color c;
    /* In the middle of texels, as passes over a whole picture are. */
    vmask between = v_test(x | y, v_constant(&lanes_constant.fraction));
    if (!wide && !v_any(between)) {
        if (!take_texels(p, &lv, place, &c))
            return false;
        answer_divided(p, to_floats(&c), false, out, at_dw);
        return true;
    }
    if (!take_filtered(p, &lv, wide, x, y, place, &c))
        return false;
    answer_divided(p, to_floats(&c), true, out, at_dw);
    return true;
}

/* Wide patches have functions of their own: they need more registers. */
static __attribute__((noinline)) bool
linear_wide(const struct sample_plan *p, const uint32_t *u, const uint32_t *v,
            uint32_t *out, const int16_t at_dw[4])
{
    return sample_linear(p, true, u, v, out, at_dw);
}

static bool
linear(const struct sample_plan *p, const uint32_t *u, const uint32_t *v,
       uint32_t *out, const int16_t at_dw[4])
{
    return sample_linear(p, false, u, v, out, at_dw) ||
           linear_wide(p, u, v, out, at_dw);
}

INLINE bool
linear_on_level(const struct sample_plan *p, bool wide, unsigned level,
                vfloat u, vfloat v, struct lanes_color *out)
{
    struct patch_level lv = get_patch_level(p, level);
    vint x = linear_fixed(p, 0, u, lv.w_fx8);
    vint y = linear_fixed(p, 1, v, lv.h_fx8);
    struct patch_color c;
    if (!take_filtered(p, &lv, wide, x, y, pack_texels(x, y), &c))
        return false;
    *out = to_floats(&c);
    return true;
}

INLINE bool
sample_mipmaps(const struct sample_plan *p, bool wide, const uint32_t *u_in,
               const uint32_t *v_in, uint32_t *out, const int16_t at_dw[4])
{
    vfloat u = (vfloat)v_load(u_in, 16), v = (vfloat)v_load(v_in, 16);
    struct lanes_lod lod;
    struct lanes_color color, second;
    lods_of_quads(&p->lod, footprint(&p->lod, u, v), &lod);
    unsigned level = expect(lod.one);
    if (!lod.same || !linear_on_level(p, wide, level, u, v, &color))
        return false;
    if (lod.blend && p->lod.blends) {
        if (!linear_on_level(p, false, level + 1, u, v, &second))
            return false;
        color = mix(SAMPLE_BYTES4, color, second, lod.beta);
    }
    answer_divided(p, color, true, out, at_dw);
    return true;
}

static __attribute__((noinline)) bool
mipmaps_wide(const struct sample_plan *p, const uint32_t *u, const uint32_t *v,
             uint32_t *out, const int16_t at_dw[4])
{
    return sample_mipmaps(p, true, u, v, out, at_dw);
}

static bool
mipmaps(const struct sample_plan *p, const uint32_t *u, const uint32_t *v,
        uint32_t *out, const int16_t at_dw[4])
{
    return sample_mipmaps(p, false, u, v, out, at_dw) ||
           mipmaps_wide(p, u, v, out, at_dw);
}

const sample_patch_fn sample_patch_vbmi[SAMPLE_WAYS] = {
    [SAMPLE_NEAREST] = nearest,
    [SAMPLE_LINEAR] = linear,
    [SAMPLE_MIPMAPS] = mipmaps,
    [SAMPLE_FETCH] = fetch,
};
