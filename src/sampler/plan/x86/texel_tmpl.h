/* texel_tmpl.h: loads the bits of texels, as in texel.c; a part of
 * sample_tmpl.h. */
#ifndef SAMPLER_PLAN_X86_TEXEL_TMPL_H
#define SAMPLER_PLAN_X86_TEXEL_TMPL_H

#include "sampler/plan/x86/address_tmpl.h"

struct lanes_color {
    vfloat c[4];
};

INLINE struct lanes_color
no_color(void)
{
    vfloat zero = v_splat(0.0f);
    return (struct lanes_color){{zero, zero, zero, zero}};
}

/* A texel's bits, up to 128: each dword in a vector of its own. */
struct lanes_bits {
    vint dw[4];
};

/* The corners of a linear filter, in elements from the tiling's origin. */
struct lanes_corners {
    vint x0, x1, y0, y1;
};

INLINE unsigned
channel_count(enum sample_texel kind)
{
    switch (kind) {
    case SAMPLE_BYTES1:
    case SAMPLE_FLOAT1:
    case SAMPLE_HALF1:
    case SAMPLE_UNORM16:
    case SAMPLE_UNORM24: return 1;
    case SAMPLE_BYTES2:
    case SAMPLE_FLOAT2:
    case SAMPLE_HALF2: return 2;
    case SAMPLE_R11G11B10: return 3;
    default: return 4;
    }
}

/* Whether texels are filtered as integers, and divided by 255 in the end. */
INLINE bool
is_scaled(enum sample_texel kind)
{
    return kind <= SAMPLE_BYTES4 || kind == SAMPLE_BYTE_BLOCKS;
}

/* Whether texels may be NaN. Results of comparisons are not. */
INLINE bool
may_be_nan(enum sample_texel kind)
{
    return !is_scaled(kind) && kind != SAMPLE_SRGB && kind != SAMPLE_UNORM16 &&
           kind != SAMPLE_UNORM24 && kind != SAMPLE_PACKED;
}

/* Dwords of an element; a part of a dword counts as one. */
INLINE unsigned
element_dw(enum sample_texel kind)
{
    switch (kind) {
    case SAMPLE_FLOAT2:
    case SAMPLE_HALF4: return 2;
    case SAMPLE_FLOAT4: return 4;
    default: return 1;
    }
}

INLINE bool
is_part_of_dword(enum sample_texel kind)
{
    return kind == SAMPLE_BYTES1 || kind == SAMPLE_BYTES2 ||
           kind == SAMPLE_HALF1 || kind == SAMPLE_UNORM16 ||
           kind == SAMPLE_PACKED;
}

/* ---- loading ---- */

/* Elements smaller than a dword are read within that dword. */
INLINE struct lanes_bits
load_bits(const struct sample_plan *p, enum sample_texel kind, vint at_B)
{
    struct lanes_bits b = {.dw = {{0}}};
    if (is_part_of_dword(kind))
        b.dw[0] = v_srl_each(v_gather(p->mem, at_B & -4), (at_B & 3) << 3);
    else if (element_dw(kind) == 1)
        b.dw[0] = v_gather(p->mem, at_B);
    else if (element_dw(kind) == 2)
        v_gather2(p->mem, at_B, b.dw);
    else
        v_gather4(p->mem, at_B, b.dw);
    return b;
}

/* Prefetches for the block of pixels 16 to the right, assuming a texel per
 * pixel: the usual scale of pictures. Blocks come in squares of 16x16 pixels,
 * so the prefetch has time to finish. */
INLINE void
ask_ahead(const struct sample_plan *p, enum sample_texel kind, vint at_B)
{
    const uint8_t *line = p->mem + (uint32_t)at_B[0] + p->ahead_B;
    for (unsigned i = 0; i < element_dw(kind); i++)
        _mm_prefetch(line + i * SAMPLE_COLUMN_B, _MM_HINT_T0);
}

/* The corners' dwords. */
struct lanes_square_texels {
    vint upper_left, upper_right, lower_left, lower_right;
};

#if LANES == 16

/* Number of a dword in a square of four lines of 4x4 dwords, as bits: entries
 * 0..7 for columns 0..7, 8..15 for rows 0..7. */
static const int8_t square_bits[16] = {0, 1, 2, 3,  16, 17, 18, 19,
                                       0, 4, 8, 12, 32, 36, 40, 44};

struct lanes_square {
    vint line[4]; /* column + 2 * row */
};

INLINE struct lanes_square
load_lines(const struct sample_plan *p, uint32_t bx, uint32_t by)
{
    /* Blocks past the end of memory repeat the last one; no lane reads them. */
    uint32_t bx1 = MIN2(bx + 1, p->square.last_x);
    uint32_t by1 = MIN2(by + 1, p->square.last_y);
    const uint8_t *row0 = p->mem + (by >> 3) * (uint32_t)p->tiling.y_pitch_B +
                          (by & 7) * 64;
    const uint8_t *row1 = p->mem + (by1 >> 3) * (uint32_t)p->tiling.y_pitch_B +
                          (by1 & 7) * 64;
    _mm_prefetch(row0 + bx * 512 + p->ahead_B, _MM_HINT_T0);
    return (struct lanes_square){
        {v_line(row0 + bx * 512), v_line(row0 + bx1 * 512),
         v_line(row1 + bx * 512), v_line(row1 + bx1 * 512)}};
}

/* Picks dword i, of the lower two lines where `low` is set. */
INLINE vint
pick_square(const struct lanes_square *s, vint i, vmask low)
{
    return v_iselect(low, v_pick(s->line[2], s->line[3], i),
                     v_pick(s->line[0], s->line[1], i));
}

/* Picks the texels of two columns and two rows, 0..7 each: columns, rows << 16.
 */
INLINE struct lanes_square_texels
pick_corners(const struct lanes_square *s, vint first, vint last)
{
    const vint lower = v_constant(&lanes_constant.lower_row);
    const vint rows = v_constant(&lanes_constant.rows);
    first = v_bytes(square_bits, first | rows);
    last = v_bytes(square_bits, last | rows);
    vmask low0 = v_test(first, lower), low1 = v_test(last, lower);
    vint row0 = v_srl(first, 16), row1 = v_srl(last, 16);
    return (struct lanes_square_texels){
        .upper_left = pick_square(s, first | row0, low0),
        .upper_right = pick_square(s, last | row0, low0),
        .lower_left = pick_square(s, first | row1, low1),
        .lower_right = pick_square(s, last | row1, low1),
    };
}

/* Column and row in 16 bits each. */
INLINE vint
pack_place(const struct sample_plan *p, vint x, vint y)
{
    return x >> p->square.column_shift | y << 16;
}

/* in[]: columns from the square's corner, and rows plus 8, as square_bits wants
 * them. Returns false if some lane is outside. */
INLINE bool
within_square(vint first, vint last, uint32_t origin, vmask live, vint in[2])
{
    vint base = v_isplat((int32_t)(origin - (8u << 16)));
    vint rows = v_constant(&lanes_constant.rows);
    vint outside = v_constant(&lanes_constant.beyond_square);
    in[0] = v_sub16(first, base);
    in[1] = v_sub16(last, base);
    vint bits = (in[0] ^ rows) | (in[1] ^ rows);
    return !v_any(v_and(live, v_test(bits, outside)));
}

/* Y tiles keep 4x4 dwords in one line of memory. Neighbouring pixels mostly
 * read one square of four such lines. Loading these into registers and picking
 * texels costs a fraction of one load per texel. The first lane guesses the
 * square's corner. Returns false if some lane is outside. */
INLINE bool
load_square(const struct sample_plan *p, const struct lanes_corners *at,
            vmask live, struct lanes_square_texels *t)
{
    const uint32_t corner = ~UINT32_C(0x30003);
    if (!p->square.usable)
        return false;
    vint first = pack_place(p, at->x0, at->y0), in[2];
    vint last = pack_place(p, at->x1, at->y1);
    uint32_t origin = v_first(first) & corner;
    if (__builtin_expect(!within_square(first, last, origin, live, in), 0)) {
        origin = v_least_pair(first) & corner;
        if (!within_square(first, last, origin, live, in))
            return false;
    }
    struct lanes_square s = load_lines(p, (origin & 0xffff) >> 2, origin >> 18);
    *t = pick_corners(&s, in[0], in[1]);
    return true;
}

/* load_square() for one texel per lane; mostly one line is enough. */
INLINE bool
load_line(const struct sample_plan *p, const struct lanes_corners *at,
          vmask live, vint *t)
{
    const uint32_t corner = ~UINT32_C(0x30003);
    if (!p->square.usable)
        return false;
    vint place = pack_place(p, at->x0, at->y0), in[2];
    uint32_t origin = v_first(place) & corner;
    vint part = v_sub16(place, v_isplat((int32_t)origin));
    vmask other = v_test(part, v_constant(&lanes_constant.beyond_line));
    if (!v_any(v_and(live, other))) {
        uint32_t bx = (origin & 0xffff) >> 2, by = origin >> 18;
        const uint8_t *line = p->mem +
                              (by >> 3) * (uint32_t)p->tiling.y_pitch_B +
                              (by & 7) * 64 + bx * 512;
        _mm_prefetch(line + p->ahead_B, _MM_HINT_T0);
        *t = v_pick_one(v_line(line), part | v_srl(part, 14));
        return true;
    }
    origin = v_least_pair(place) & corner;
    if (!within_square(place, place, origin, live, in))
        return false;
    struct lanes_square s = load_lines(p, (origin & 0xffff) >> 2, origin >> 18);
    part = v_bytes(square_bits, in[0]);
    vint i = part | v_srl(part, 16);
    *t = pick_square(&s, i, v_test(i, v_isplat(32)));
    return true;
}

#else

INLINE bool
load_square(const struct sample_plan *p, const struct lanes_corners *at,
            vmask live, struct lanes_square_texels *t)
{
    return false;
}

INLINE bool
load_line(const struct sample_plan *p, const struct lanes_corners *at,
          vmask live, vint *t)
{
    return false;
}

#endif

/* First bit of an element in its dword. */
INLINE vint
shift_of(const struct sample_plan *p, vint x)
{
    vint part = x & ((1 << p->square.column_shift) - 1);
    return part << (p->tiling.element_shift + 3);
}

/* Moves an element of one or two bytes down to bit 0. */
INLINE vint
first_bits(const struct sample_plan *p, enum sample_texel kind, vint dw, vint x)
{
    return is_part_of_dword(kind) ? v_srl_each(dw, shift_of(p, x)) : dw;
}

INLINE void
load_corners(const struct sample_plan *p, enum sample_texel kind,
             const struct lanes_corners *at, vmask live, struct lanes_bits t[4])
{
    struct lanes_square_texels q;
    if (element_dw(kind) == 1 && load_square(p, at, live, &q)) {
        /* Members, not an array: compilers keep members in registers. */
        t[0].dw[0] = first_bits(p, kind, q.upper_left, at->x0);
        t[1].dw[0] = first_bits(p, kind, q.upper_right, at->x1);
        t[2].dw[0] = first_bits(p, kind, q.lower_left, at->x0);
        t[3].dw[0] = first_bits(p, kind, q.lower_right, at->x1);
        return;
    }
    vint x0_B = offset_x_B(&p->tiling, at->x0);
    vint x1_B = offset_x_B(&p->tiling, at->x1);
    vint y0_B = offset_y_B(&p->tiling, at->y0);
    vint y1_B = offset_y_B(&p->tiling, at->y1);
    ask_ahead(p, kind, x0_B + y0_B);
    t[0] = load_bits(p, kind, x0_B + y0_B);
    t[1] = load_bits(p, kind, x1_B + y0_B);
    t[2] = load_bits(p, kind, x0_B + y1_B);
    t[3] = load_bits(p, kind, x1_B + y1_B);
}

INLINE struct lanes_bits
load_texel(const struct sample_plan *p, enum sample_texel kind,
           const struct lanes_corners *at, vmask live)
{
    struct lanes_bits b;
    if (element_dw(kind) == 1 && load_line(p, at, live, &b.dw[0])) {
        b.dw[0] = first_bits(p, kind, b.dw[0], at->x0);
        return b;
    }
    vint at_B = offset_x_B(&p->tiling, at->x0) + offset_y_B(&p->tiling, at->y0);
    ask_ahead(p, kind, at_B);
    return load_bits(p, kind, at_B);
}

#endif
