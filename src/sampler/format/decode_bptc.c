/* decode_bptc.c: BC6H and BC7.
 * Format and tables: D3D11 functional spec, "BC6H" and "BC7"; Khronos Data
 * Format Specification, BPTC. */
#include "sampler/format/bptc_partitions.h"
#include "sampler/format/texel_block.h"

#include <emmintrin.h>
#include "sampler/format/format_convert.h"

/* BC6H end point channels: two subsets of two ends of three channels. */
enum { R0, G0, B0, R1, G1, B1, R2, G2, B2, R3, G3, B3 };

struct bc6h_mode {
    bool transformed; /* ends 1 to 3 are deltas to end 0 */
    uint8_t subsets;
    uint8_t bits;     /* of end 0 */
    uint8_t delta[3]; /* bits of the other ends, by channel */
    struct {
        uint8_t value, lo;
        int8_t bits; /* negative: most significant bit first */
    } run[24];       /* the fields after the mode, in order */
};

static const struct bc6h_mode bc6h_modes[32] = {
    [0x00] = {true,
              2,
              10,
              {5, 5, 5},
              {{G2, 4, 1},
               {B2, 4, 1},
               {B3, 4, 1},
               {R0, 0, 10},
               {G0, 0, 10},
               {B0, 0, 10},
               {R1, 0, 5},
               {G3, 4, 1},
               {G2, 0, 4},
               {G1, 0, 5},
               {B3, 0, 1},
               {G3, 0, 4},
               {B1, 0, 5},
               {B3, 1, 1},
               {B2, 0, 4},
               {R2, 0, 5},
               {B3, 2, 1},
               {R3, 0, 5},
               {B3, 3, 1}}},
    [0x01] = {true, 2, 7, {6, 6, 6}, {{G2, 5, 1}, {G3, 4, 1}, {G3, 5, 1},
                                      {R0, 0, 7}, {B3, 0, 1}, {B3, 1, 1},
                                      {B2, 4, 1}, {G0, 0, 7}, {B2, 5, 1},
                                      {B3, 2, 1}, {G2, 4, 1}, {B0, 0, 7},
                                      {B3, 3, 1}, {B3, 5, 1}, {B3, 4, 1},
                                      {R1, 0, 6}, {G2, 0, 4}, {G1, 0, 6},
                                      {G3, 0, 4}, {B1, 0, 6}, {B2, 0, 4},
                                      {R2, 0, 6}, {R3, 0, 6}}},
    [0x02] = {true,
              2,
              11,
              {5, 4, 4},
              {{R0, 0, 10},
               {G0, 0, 10},
               {B0, 0, 10},
               {R1, 0, 5},
               {R0, 10, 1},
               {G2, 0, 4},
               {G1, 0, 4},
               {G0, 10, 1},
               {B3, 0, 1},
               {G3, 0, 4},
               {B1, 0, 4},
               {B0, 10, 1},
               {B3, 1, 1},
               {B2, 0, 4},
               {R2, 0, 5},
               {B3, 2, 1},
               {R3, 0, 5},
               {B3, 3, 1}}},
    [0x03] = {false,
              1,
              10,
              {10, 10, 10},
              {{R0, 0, 10},
               {G0, 0, 10},
               {B0, 0, 10},
               {R1, 0, 10},
               {G1, 0, 10},
               {B1, 0, 10}}},
    [0x06] = {true, 2, 11, {4, 5, 4}, {{R0, 0, 10}, {G0, 0, 10}, {B0, 0, 10},
                                       {R1, 0, 4},  {R0, 10, 1}, {G3, 4, 1},
                                       {G2, 0, 4},  {G1, 0, 5},  {G0, 10, 1},
                                       {G3, 0, 4},  {B1, 0, 4},  {B0, 10, 1},
                                       {B3, 1, 1},  {B2, 0, 4},  {R2, 0, 4},
                                       {B3, 0, 1},  {B3, 2, 1},  {R3, 0, 4},
                                       {G2, 4, 1},  {B3, 3, 1}}},
    [0x07] = {true,
              1,
              11,
              {9, 9, 9},
              {{R0, 0, 10},
               {G0, 0, 10},
               {B0, 0, 10},
               {R1, 0, 9},
               {R0, 10, 1},
               {G1, 0, 9},
               {G0, 10, 1},
               {B1, 0, 9},
               {B0, 10, 1}}},
    [0x0a] = {true, 2, 11, {4, 4, 5}, {{R0, 0, 10}, {G0, 0, 10}, {B0, 0, 10},
                                       {R1, 0, 4},  {R0, 10, 1}, {B2, 4, 1},
                                       {G2, 0, 4},  {G1, 0, 4},  {G0, 10, 1},
                                       {B3, 0, 1},  {G3, 0, 4},  {B1, 0, 5},
                                       {B0, 10, 1}, {B2, 0, 4},  {R2, 0, 4},
                                       {B3, 1, 1},  {B3, 2, 1},  {R3, 0, 4},
                                       {B3, 4, 1},  {B3, 3, 1}}},
    [0x0b] = {true,
              1,
              12,
              {8, 8, 8},
              {{R0, 0, 10},
               {G0, 0, 10},
               {B0, 0, 10},
               {R1, 0, 8},
               {R0, 10, -2},
               {G1, 0, 8},
               {G0, 10, -2},
               {B1, 0, 8},
               {B0, 10, -2}}},
    [0x0e] = {true,
              2,
              9,
              {5, 5, 5},
              {{R0, 0, 9},
               {B2, 4, 1},
               {G0, 0, 9},
               {G2, 4, 1},
               {B0, 0, 9},
               {B3, 4, 1},
               {R1, 0, 5},
               {G3, 4, 1},
               {G2, 0, 4},
               {G1, 0, 5},
               {B3, 0, 1},
               {G3, 0, 4},
               {B1, 0, 5},
               {B3, 1, 1},
               {B2, 0, 4},
               {R2, 0, 5},
               {B3, 2, 1},
               {R3, 0, 5},
               {B3, 3, 1}}},
    [0x0f] = {true,
              1,
              16,
              {4, 4, 4},
              {{R0, 0, 10},
               {G0, 0, 10},
               {B0, 0, 10},
               {R1, 0, 4},
               {R0, 10, -6},
               {G1, 0, 4},
               {G0, 10, -6},
               {B1, 0, 4},
               {B0, 10, -6}}},
    [0x12] = {true,
              2,
              8,
              {6, 5, 5},
              {{R0, 0, 8},
               {G3, 4, 1},
               {B2, 4, 1},
               {G0, 0, 8},
               {B3, 2, 1},
               {G2, 4, 1},
               {B0, 0, 8},
               {B3, 3, 1},
               {B3, 4, 1},
               {R1, 0, 6},
               {G2, 0, 4},
               {G1, 0, 5},
               {B3, 0, 1},
               {G3, 0, 4},
               {B1, 0, 5},
               {B3, 1, 1},
               {B2, 0, 4},
               {R2, 0, 6},
               {R3, 0, 6}}},
    [0x16] = {true, 2, 8, {5, 6, 5}, {{R0, 0, 8}, {B3, 0, 1}, {B2, 4, 1},
                                      {G0, 0, 8}, {G2, 5, 1}, {G2, 4, 1},
                                      {B0, 0, 8}, {G3, 5, 1}, {B3, 4, 1},
                                      {R1, 0, 5}, {G3, 4, 1}, {G2, 0, 4},
                                      {G1, 0, 6}, {G3, 0, 4}, {B1, 0, 5},
                                      {B3, 1, 1}, {B2, 0, 4}, {R2, 0, 5},
                                      {B3, 2, 1}, {R3, 0, 5}, {B3, 3, 1}}},
    [0x1a] = {true, 2, 8, {5, 5, 6}, {{R0, 0, 8}, {B3, 1, 1}, {B2, 4, 1},
                                      {G0, 0, 8}, {B2, 5, 1}, {G2, 4, 1},
                                      {B0, 0, 8}, {B3, 5, 1}, {B3, 4, 1},
                                      {R1, 0, 5}, {G3, 4, 1}, {G2, 0, 4},
                                      {G1, 0, 5}, {B3, 0, 1}, {G3, 0, 4},
                                      {B1, 0, 6}, {B2, 0, 4}, {R2, 0, 5},
                                      {B3, 2, 1}, {R3, 0, 5}, {B3, 3, 1}}},
    [0x1e] = {false, 2, 6, {6, 6, 6}, {{R0, 0, 6}, {G3, 4, 1}, {B3, 0, 1},
                                       {B3, 1, 1}, {B2, 4, 1}, {G0, 0, 6},
                                       {G2, 5, 1}, {B2, 5, 1}, {B3, 2, 1},
                                       {G2, 4, 1}, {B0, 0, 6}, {G3, 5, 1},
                                       {B3, 3, 1}, {B3, 5, 1}, {B3, 4, 1},
                                       {R1, 0, 6}, {G2, 0, 4}, {G1, 0, 6},
                                       {G3, 0, 4}, {B1, 0, 6}, {B2, 0, 4},
                                       {R2, 0, 6}, {R3, 0, 6}}},
};

static const uint8_t weights2[4] = {0, 21, 43, 64};
static const uint8_t weights3[8] = {0, 9, 18, 27, 37, 46, 55, 64};
static const uint8_t weights4[16] = {0,  4,  9,  13, 17, 21, 26, 30,
                                     34, 38, 43, 47, 51, 55, 60, 64};

static unsigned
weight_of(unsigned index, unsigned bits)
{
    return bits == 2   ? weights2[index]
           : bits == 3 ? weights3[index]
                       : weights4[index];
}

static unsigned
subset_of(const struct bptc_partition *p, unsigned texel)
{
    return (p->in1 >> texel & 1) + 2 * (p->in2 >> texel & 1);
}

/* Inserts a zero bit. */
static uint64_t
insert_zero(uint64_t v, unsigned at)
{
    uint64_t low = (UINT64_C(1) << at) - 1;
    return (v & low) | (v & ~low) << 1;
}

/* Reads the 16 indices from bit `at` on: 63 bits at most. The first index of
 * each subset lacks its top bit, which is 0. */
static void
read_indices(const uint64_t bits[2], unsigned at, unsigned width,
             const struct bptc_partition *p, unsigned subsets,
             uint8_t index[16])
{
    uint64_t v = at >= 64 ? bits[1] >> (at - 64)
                          : bits[0] >> at | bits[1] << 1 << (63 - at);
    unsigned top = width - 1;
    v = insert_zero(v, top);
    if (subsets == 2) {
        v = insert_zero(v, p->anchor1 * width + top);
    } else if (subsets == 3) {
        v = insert_zero(v, MIN2(p->anchor1, p->anchor2) * width + top);
        v = insert_zero(v, MAX2(p->anchor1, p->anchor2) * width + top);
    }
    for (unsigned i = 0; i < 16; i++)
        index[i] = (uint8_t)(v >> i * width & ((1u << width) - 1));
}

static int32_t
sign_extend(uint32_t v, unsigned bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* End points of a BC6H block as integers of mode->bits bits. */
static void
bc6h_read_ends(const uint64_t bits[2], const struct bc6h_mode *mode,
               bool is_signed, int32_t end[12])
{
    uint32_t raw[12] = {0};
    unsigned at = mode - bc6h_modes < 2 ? 2 : 5;
    for (unsigned i = 0; i < ARRAY_SIZE(mode->run) && mode->run[i].bits; i++) {
        int n = mode->run[i].bits;
        for (int b = 0; b < (n < 0 ? -n : n); b++) {
            uint32_t bit = decode_bits(bits, at++, 1);
            unsigned place = n < 0 ? (unsigned)(-n - 1 - b) : (unsigned)b;
            raw[mode->run[i].value] |= bit << (mode->run[i].lo + place);
        }
    }
    uint32_t mask = (1u << mode->bits) - 1;
    for (unsigned i = 0; i < 12; i++) {
        uint32_t v = raw[i];
        if (i >= 3 && mode->transformed)
            v = (raw[i % 3] + (uint32_t)sign_extend(v, mode->delta[i % 3])) &
                mask;
        end[i] = is_signed ? sign_extend(v, mode->bits) : (int32_t)v;
    }
}

static int32_t
bc6h_unquantize(int32_t v, unsigned bits, bool is_signed)
{
    if (!is_signed) {
        if (bits >= 15 || v == 0)
            return v;
        return v == (1 << bits) - 1 ? 0xffff : ((v << 16) + 0x8000) >> bits;
    }
    if (bits >= 16 || v == 0)
        return v;
    int32_t abs = v < 0 ? -v : v;
    abs = abs >= (1 << (bits - 1)) - 1 ? 0x7fff
                                       : ((abs << 15) + 0x4000) >> (bits - 1);
    return v < 0 ? -abs : abs;
}

/* Scales the interpolated value to a half float by 31/32, so that it cannot be
 * infinity or NaN. Unsigned formats scale by 31/64 to leave the sign bit clear.
 */
static float
bc6h_finish(int32_t v, bool is_signed)
{
    if (!is_signed)
        return convert_float_from_half((uint16_t)(v * 31 >> 6));
    int32_t abs = (v < 0 ? -v : v) * 31 >> 5;
    return convert_float_from_half((uint16_t)(abs | (v < 0 ? 0x8000 : 0)));
}

void
decode_bc6h(const struct format_info *fmt, const uint8_t *block,
            union color *out)
{
    uint64_t bits[2];
    memcpy(bits, block, sizeof bits);
    bool is_signed = fmt->ch[0].kind == FORMAT_FLOAT;
    unsigned code = decode_bits(bits, 0, 2);
    if (code >= 2)
        code = decode_bits(bits, 0, 5);
    const struct bc6h_mode *mode = &bc6h_modes[code];
    if (mode->bits == 0) { /* reserved */
        for (unsigned i = 0; i < 16; i++)
            out[i] = (union color){.f = {0, 0, 0, 1}};
        return;
    }
    int32_t end[12];
    bc6h_read_ends(bits, mode, is_signed, end);
    for (unsigned i = 0; i < 12; i++)
        end[i] = bc6h_unquantize(end[i], mode->bits, is_signed);
    bool two = mode->subsets == 2;
    const struct bptc_partition *p =
        &bptc_partitions[mode->subsets - 1][two ? decode_bits(bits, 77, 5) : 0];
    uint8_t index[16];
    read_indices(bits, two ? 82 : 65, two ? 3 : 4, p, mode->subsets, index);
    for (unsigned i = 0; i < 16; i++) {
        int32_t w = (int32_t)weight_of(index[i], two ? 3 : 4);
        const int32_t *e = end + 6 * subset_of(p, i);
        for (unsigned c = 0; c < 3; c++)
            out[i].f[c] = bc6h_finish(
                (e[c] * (64 - w) + e[3 + c] * w + 32) >> 6, is_signed);
        out[i].f[3] = 1.0f;
    }
}

static const struct bc7_mode {
    uint8_t subsets, partition_bits, rotation_bits, selection_bits;
    uint8_t color_bits, alpha_bits;
    uint8_t end_p, shared_p; /* extra low bits (p-bits): per end, per subset */
    uint8_t index_bits, index2_bits;
} bc7_modes[8] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
    {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
    {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

/* Reads the end points from bit *at on, and expands them to 8 bits. */
static void
bc7_read_ends(const uint64_t bits[2], const struct bc7_mode *mode, unsigned *at,
              uint8_t end[6][4])
{
    unsigned ends = 2 * mode->subsets;
    unsigned width[4] = {mode->color_bits, mode->color_bits, mode->color_bits,
                         mode->alpha_bits};
    uint32_t raw[6][4] = {{0}};
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned e = 0; e < ends; e++, *at += width[c])
            raw[e][c] = decode_bits(bits, *at, width[c]);
    }
    bool has_p = mode->end_p || mode->shared_p;
    for (unsigned e = 0; e < ends; e++) {
        unsigned p_at = *at + (mode->shared_p ? e / 2 : e);
        uint32_t p = has_p ? decode_bits(bits, p_at, 1) : 0;
        for (unsigned c = 0; c < 4; c++) {
            unsigned n = width[c] + has_p;
            uint32_t v = has_p ? raw[e][c] << 1 | p : raw[e][c];
            v <<= 8 - n;
            end[e][c] = (uint8_t)(width[c] ? v | v >> n : 255);
        }
    }
    *at += mode->end_p ? ends : mode->shared_p ? mode->subsets : 0;
}

/* Interpolates each channel: (a * (64 - w) + b * w + 32) >> 6. `alpha` is all
 * ones in channels that use wa. */
static uint32_t
bc7_mix(__m128i ends, uint32_t wc, uint32_t wa, __m128i alpha)
{
    __m128i color = _mm_set1_epi32((int)(64 - wc + (wc << 16)));
    __m128i other = _mm_set1_epi32((int)(64 - wa + (wa << 16)));
    __m128i w = _mm_or_si128(_mm_andnot_si128(alpha, color),
                             _mm_and_si128(alpha, other));
    __m128i v = _mm_add_epi32(_mm_madd_epi16(ends, w), _mm_set1_epi32(32));
    v = _mm_srli_epi32(v, 6);
    v = _mm_packs_epi32(v, v);
    return (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(v, v));
}

/* Interleaves both ends of a subset, channel by channel, 16 bits each. */
static __m128i
bc7_pair_ends(const uint8_t end[2][4])
{
    int32_t a, b;
    memcpy(&a, end[0], 4);
    memcpy(&b, end[1], 4);
    __m128i both = _mm_unpacklo_epi8(_mm_cvtsi32_si128(a),
                                     _mm_cvtsi32_si128(b));
    return _mm_unpacklo_epi8(both, _mm_setzero_si128());
}

/* Swaps alpha with a colour channel. */
static void
bc7_rotate(uint8_t end[6][4], unsigned channel)
{
    for (unsigned e = 0; e < 6; e++) {
        uint8_t t = end[e][3];
        end[e][3] = end[e][channel];
        end[e][channel] = t;
    }
}

void
decode_bc7_bytes(const uint8_t *block, uint8_t rgba[16][4])
{
    uint64_t bits[2];
    memcpy(bits, block, sizeof bits);
    if (block[0] == 0) { /* reserved mode */
        memset(rgba, 0, 16 * sizeof rgba[0]);
        return;
    }
    unsigned number = (unsigned)__builtin_ctz(block[0]);
    const struct bc7_mode *mode = &bc7_modes[number];
    unsigned at = number + 1;
    unsigned partition = decode_bits(bits, at, mode->partition_bits);
    at += mode->partition_bits;
    unsigned rotation = decode_bits(bits, at, mode->rotation_bits);
    at += mode->rotation_bits;
    bool swapped = decode_bits(bits, at, mode->selection_bits);
    at += mode->selection_bits;
    uint8_t end[6][4] = {{0}};
    bc7_read_ends(bits, mode, &at, end);

    const struct bptc_partition
        *p = &bptc_partitions[mode->subsets - 1][partition];
    uint8_t index[16], index2[16];
    read_indices(bits, at, mode->index_bits, p, mode->subsets, index);
    unsigned width = mode->index_bits, width2 = mode->index_bits;
    memcpy(index2, index, sizeof index2);
    if (mode->index2_bits) {
        at += 16u * mode->index_bits - 1;
        width2 = mode->index2_bits;
        read_indices(bits, at, width2, p, 1, index2);
    }
    unsigned alpha = 3;
    if (rotation)
        bc7_rotate(end, alpha = rotation - 1);
    const __m128i where = _mm_cmpeq_epi32(_mm_setr_epi32(0, 1, 2, 3),
                                          _mm_set1_epi32((int)alpha));
    const __m128i ends[3] = {bc7_pair_ends(end), bc7_pair_ends(end + 2),
                             bc7_pair_ends(end + 4)};
    for (unsigned i = 0; i < 16; i++) {
        unsigned w = weight_of(index[i], width);
        unsigned w2 = weight_of(index2[i], width2);
        uint32_t v = bc7_mix(ends[subset_of(p, i)], swapped ? w2 : w,
                             swapped ? w : w2, where);
        memcpy(rgba[i], &v, 4);
    }
}

void
decode_bc7(const struct format_info *fmt, const uint8_t *block,
           union color *out)
{
    uint8_t rgba[16][4];
    decode_bc7_bytes(block, rgba);
    for (unsigned i = 0; i < 16; i++)
        decode_store_rgba8(fmt, rgba[i], &out[i]);
}
