/* decode_etc.c: ETC1, ETC2 and EAC.
 * Format: Khronos Data Format Specification, "ETC1" and "ETC2". Bit numbers
 * are the specification's: 63 is the top bit of the first byte. */
#include "sampler/format/texel_block.h"

#include <emmintrin.h>

static const uint8_t etc_modifiers[8][2] = {
    {2, 8},   {5, 17},  {9, 29},   {13, 42},
    {18, 60}, {24, 80}, {33, 106}, {47, 183},
};
static const uint8_t etc2_distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};
static const int8_t eac_modifiers[16][8] = {
    {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12},
    {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
    {-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10},
    {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
    {-2, -6, -8, -10, 1, 5, 7, 9},  {-2, -5, -8, -10, 1, 4, 7, 9},
    {-2, -4, -8, -10, 1, 3, 7, 9},  {-2, -5, -7, -10, 1, 4, 6, 9},
    {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},
    {-4, -6, -8, -9, 3, 5, 7, 8},   {-3, -5, -7, -9, 2, 4, 6, 8},
};

static uint64_t
load_be64(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

static int
block_field(uint64_t v, unsigned hi, unsigned lo)
{
    return (int)(v >> lo & ((UINT64_C(1) << (hi - lo + 1)) - 1));
}

static uint8_t
clamp_to_8_bits(int v)
{
    return (uint8_t)CLAMP(v, 0, 255);
}

static int
expand_4_bits(int v)
{
    return v << 4 | v;
}

static int
expand_5_bits(int v)
{
    return v << 3 | v >> 2;
}

static int
expand_6_bits(int v)
{
    return v << 2 | v >> 4;
}

static int
expand_7_bits(int v)
{
    return v << 1 | v >> 6;
}

static void
store_rgb(const int base[3], int add, uint8_t alpha, uint8_t out[4])
{
    for (unsigned c = 0; c < 3; c++)
        out[c] = clamp_to_8_bits(base[c] + add);
    out[3] = alpha;
}

/* Two halves, each with a base colour and a table of modifiers. */
static void
halves_colors(uint64_t v, const int base[2][3], bool opaque,
              struct decode_etc_colors *out)
{
    const int64_t each = INT64_C(0x100010001), alpha = INT64_C(255) << 48;
    out->rows = v >> 32 & 1;
    for (unsigned half = 0; half < 2; half++) {
        const uint8_t *table = etc_modifiers[half ? block_field(v, 36, 34)
                                                  : block_field(v, 39, 37)];
        const int *rgb = base[half];
        __m128i color = _mm_set1_epi64x(rgb[0] | rgb[1] << 16 |
                                        (int64_t)rgb[2] << 32 | alpha);
        __m128i add = _mm_set_epi64x(table[1] * each,
                                     opaque ? table[0] * each : 0);
        __m128i four = _mm_packus_epi16(_mm_add_epi16(color, add),
                                        _mm_sub_epi16(color, add));
        if (!opaque)
            four = _mm_andnot_si128(_mm_setr_epi32(0, 0, -1, 0), four);
        memcpy(out->rgba[4 * half], &four, sizeof four);
    }
}

/* Fills both halves with the same four colours. */
static void
paint_colors(const int paint[4][3], bool opaque, struct decode_etc_colors *out)
{
    for (unsigned i = 0; i < 8; i++) {
        store_rgb(paint[i & 3], 0, 255, out->rgba[i]);
        if (!opaque && (i & 3) == 2)
            memset(out->rgba[i], 0, 4);
    }
}

static void
t_colors(uint64_t v, bool opaque, struct decode_etc_colors *out)
{
    int a[3] = {
        expand_4_bits(block_field(v, 60, 59) << 2 | block_field(v, 57, 56)),
        expand_4_bits(block_field(v, 55, 52)),
        expand_4_bits(block_field(v, 51, 48))};
    int b[3] = {expand_4_bits(block_field(v, 47, 44)),
                expand_4_bits(block_field(v, 43, 40)),
                expand_4_bits(block_field(v, 39, 36))};
    int d =
        etc2_distances[block_field(v, 35, 34) << 1 | block_field(v, 32, 32)];
    int paint[4][3];
    for (unsigned c = 0; c < 3; c++) {
        paint[0][c] = a[c];
        paint[1][c] = b[c] + d;
        paint[2][c] = b[c];
        paint[3][c] = b[c] - d;
    }
    paint_colors(paint, opaque, out);
}

static void
h_colors(uint64_t v, bool opaque, struct decode_etc_colors *out)
{
    int a[3] = {block_field(v, 62, 59),
                block_field(v, 58, 56) << 1 | block_field(v, 52, 52),
                block_field(v, 51, 51) << 3 | block_field(v, 49, 47)};
    int b[3] = {block_field(v, 46, 43), block_field(v, 42, 39),
                block_field(v, 38, 35)};
    int order = (a[0] << 8 | a[1] << 4 | a[2]) >=
                (b[0] << 8 | b[1] << 4 | b[2]);
    int d = etc2_distances[block_field(v, 34, 34) << 2 |
                           block_field(v, 32, 32) << 1 | order];
    int paint[4][3];
    for (unsigned c = 0; c < 3; c++) {
        paint[0][c] = expand_4_bits(a[c]) + d;
        paint[1][c] = expand_4_bits(a[c]) - d;
        paint[2][c] = expand_4_bits(b[c]) + d;
        paint[3][c] = expand_4_bits(b[c]) - d;
    }
    paint_colors(paint, opaque, out);
}

static void
decode_planar(uint64_t v, uint8_t out[16][4])
{
    int o[3] = {
        expand_6_bits(block_field(v, 62, 57)),
        expand_7_bits(block_field(v, 56, 56) << 6 | block_field(v, 54, 49)),
        expand_6_bits(block_field(v, 48, 48) << 5 |
                      block_field(v, 44, 43) << 3 | block_field(v, 41, 39))};
    int h[3] = {
        expand_6_bits(block_field(v, 38, 34) << 1 | block_field(v, 32, 32)),
        expand_7_bits(block_field(v, 31, 25)),
        expand_6_bits(block_field(v, 24, 19))};
    int w[3] = {expand_6_bits(block_field(v, 18, 13)),
                expand_7_bits(block_field(v, 12, 6)),
                expand_6_bits(block_field(v, 5, 0))};
    for (int i = 0; i < 16; i++) {
        int x = i % 4, y = i / 4;
        for (unsigned c = 0; c < 3; c++)
            out[i][c] = clamp_to_8_bits(
                (x * (h[c] - o[c]) + y * (w[c] - o[c]) + 4 * o[c] + 2) >> 2);
        out[i][3] = 255;
    }
}

/* Bit 33 means "differential". In the format with punch-through alpha, which is
 * always differential, it means "opaque". A sum out of range selects one of
 * ETC2's other modes. */
bool
decode_etc_color_block(uint64_t v, bool punch_through,
                       struct decode_etc_colors *out)
{
    bool bit33 = v >> 33 & 1;
    bool opaque = !punch_through || bit33;
    int base[2][3];
    out->rows = false;
    if (!punch_through && !bit33) {
        for (unsigned c = 0; c < 3; c++) {
            base[0][c] = expand_4_bits(block_field(v, 63 - 8 * c, 60 - 8 * c));
            base[1][c] = expand_4_bits(block_field(v, 59 - 8 * c, 56 - 8 * c));
        }
        halves_colors(v, base, true, out);
        return true;
    }
    for (unsigned c = 0; c < 3; c++) {
        int first = block_field(v, 63 - 8 * c, 59 - 8 * c);
        int delta = block_field(v, 58 - 8 * c, 56 - 8 * c);
        int second = first + (delta & 4 ? delta - 8 : delta);
        if (second < 0 || second > 31) {
            if (c == 2)
                return false;
            (c == 0 ? t_colors : h_colors)(v, opaque, out);
            return true;
        }
        base[0][c] = expand_5_bits(first);
        base[1][c] = expand_5_bits(second);
    }
    halves_colors(v, base, opaque, out);
    return true;
}

/* Texels are numbered in column order. */
static unsigned
texel_color(uint64_t v, bool rows, unsigned x, unsigned y)
{
    unsigned n = x * 4 + y, half = (rows ? y : x) >= 2;
    return half << 2 | (unsigned)(v >> (16 + n) & 1) << 1 |
           (unsigned)(v >> n & 1);
}

static void
decode_color(uint64_t v, bool punch_through, uint8_t out[16][4])
{
    struct decode_etc_colors colors;
    if (!decode_etc_color_block(v, punch_through, &colors)) {
        decode_planar(v, out);
        return;
    }
    for (unsigned i = 0; i < 16; i++)
        memcpy(out[i], colors.rgba[texel_color(v, colors.rows, i % 4, i / 4)],
               4);
}

static int
eac_modifier(uint64_t v, unsigned texel)
{
    return eac_modifiers[block_field(v, 51, 48)]
                        [decode_etc_alpha_index(v, texel)];
}

void
decode_etc_alpha_block(uint64_t v, uint8_t out[8])
{
    const int8_t *modifier = eac_modifiers[block_field(v, 51, 48)];
    for (unsigned i = 0; i < 8; i++)
        out[i] = clamp_to_8_bits(block_field(v, 63, 56) +
                                 modifier[i] * block_field(v, 55, 52));
}

static void
decode_alpha8(uint64_t v, uint8_t out[16][4])
{
    uint8_t alpha[8];
    decode_etc_alpha_block(v, alpha);
    for (unsigned i = 0; i < 16; i++)
        out[i][3] = alpha[decode_etc_alpha_index(v, i)];
}

/* Eleven bits; a multiplier of 0 means 1/8. */
static void
decode_eac11(uint64_t v, bool is_signed, unsigned channel, union color *out)
{
    int base = is_signed ? MAX2((int8_t)(v >> 56), -127) * 8
                         : block_field(v, 63, 56) * 8 + 4;
    int lo = is_signed ? -1023 : 0, hi = is_signed ? 1023 : 2047;
    int multiplier = block_field(v, 55, 52) ? block_field(v, 55, 52) * 8 : 1;
    for (unsigned i = 0; i < 16; i++) {
        int value = base + eac_modifier(v, i) * multiplier;
        out[i].f[channel] = (float)CLAMP(value, lo, hi) / (float)hi;
    }
}

static void
decode_eac(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    bool is_signed = fmt->ch[0].kind == FORMAT_SNORM;
    for (unsigned i = 0; i < 16; i++)
        out[i] = (union color){.f = {0, 0, 0, 1}};
    decode_eac11(load_be64(block), is_signed, 0, out);
    if (fmt->ch[1].kind != FORMAT_NONE)
        decode_eac11(load_be64(block + 8), is_signed, 1, out);
}

void
decode_etc(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    if (fmt->ch[0].bits == 11) {
        decode_eac(fmt, block, out);
        return;
    }
    uint8_t texels[16][4];
    bool has_alpha8 = fmt->ch[3].bits == 8;
    decode_color(load_be64(block + (has_alpha8 ? 8 : 0)), fmt->ch[3].bits == 1,
                 texels);
    if (has_alpha8)
        decode_alpha8(load_be64(block), texels);
    for (unsigned i = 0; i < 16; i++)
        decode_store_rgba8(fmt, texels[i], &out[i]);
}
