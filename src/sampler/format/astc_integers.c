/* astc_integers.c: decodes and unquantises integer sequences of ASTC. Format:
 * Khronos Data Format Specification, "ASTC". */
#include "sampler/format/astc_integers.h"

const struct astc_range astc_ranges[ASTC_RANGES] = {
    {0, 0, 1}, {1, 0, 0}, {0, 0, 2}, {0, 1, 0}, {1, 0, 1}, {0, 0, 3}, {0, 1, 1},
    {1, 0, 2}, {0, 0, 4}, {0, 1, 2}, {1, 0, 3}, {0, 0, 5}, {0, 1, 3}, {1, 0, 4},
    {0, 0, 6}, {0, 1, 4}, {1, 0, 5}, {0, 0, 7}, {0, 1, 5}, {1, 0, 6}, {0, 0, 8},
};

unsigned
astc_integers_size(struct astc_range r, unsigned count)
{
    return count * r.bits + (r.trit ? (8 * count + 4) / 5 : 0) +
           (r.quint ? (7 * count + 2) / 3 : 0);
}

/* "Integer sequence encoding": the trits of an 8-bit group. */
static void
unpack_trits(unsigned t, uint8_t out[5])
{
    unsigned c;
    if ((t >> 2 & 7) == 7) {
        c = (t >> 5 & 7) << 2 | (t & 3);
        out[4] = out[3] = 2;
    } else {
        c = t & 31;
        bool high = (t >> 5 & 3) == 3;
        out[4] = high ? 2 : t >> 7 & 1;
        out[3] = high ? t >> 7 & 1 : t >> 5 & 3;
    }
    unsigned low = c & 3, mid = c >> 2 & 3;
    if (low == 3) {
        out[2] = 2;
        out[1] = c >> 4;
        out[0] = (uint8_t)((mid & 2) | (mid & ~(mid >> 1) & 1));
    } else if (mid == 3) {
        out[2] = out[1] = 2;
        out[0] = (uint8_t)low;
    } else {
        out[2] = c >> 4;
        out[1] = (uint8_t)mid;
        out[0] = (uint8_t)((low & 2) | (low & ~(low >> 1) & 1));
    }
}

/* The quints of a 7-bit group. */
static void
unpack_quints(unsigned q, uint8_t out[5])
{
    unsigned mid = q >> 3 & 3, high = q >> 5 & 3, c;
    if ((q >> 1 & 3) == 3 && high == 0) {
        unsigned keep = q & 1 ? 0 : mid;
        out[2] = (uint8_t)((q & 1) << 2 | keep);
        out[1] = out[0] = 4;
        return;
    }
    if ((q >> 1 & 3) == 3) {
        out[2] = 4;
        c = mid << 3 | (~high & 3) << 1 | (q & 1);
    } else {
        out[2] = (uint8_t)high;
        c = q & 31;
    }
    bool five = (c & 7) == 5;
    out[1] = five ? 4 : c >> 3;
    out[0] = five ? c >> 3 : c & 7;
}

void
astc_integers_read(const uint64_t bits[2], unsigned at, unsigned end,
                   struct astc_range r, unsigned count, uint8_t *low,
                   uint8_t *high)
{
    static const uint8_t trit_bits[5] = {2, 2, 1, 2, 1};
    static const uint8_t quint_bits[3] = {3, 2, 2};
    unsigned group = r.trit ? 5 : r.quint ? 3 : 1;
    for (unsigned i = 0; i < count; i += group) {
        unsigned packed = 0, packed_at = 0;
        uint8_t digit[5] = {0};
        for (unsigned j = 0; j < group; j++) {
            unsigned n = MIN2(r.bits, at < end ? end - at : 0);
            if (i + j < count)
                low[i + j] = (uint8_t)decode_bits(bits, at, n);
            at += r.bits;
            n = r.trit ? trit_bits[j] : r.quint ? quint_bits[j] : 0;
            unsigned got = MIN2(n, at < end ? end - at : 0);
            packed |= decode_bits(bits, at, got) << packed_at;
            packed_at += n;
            at += n;
        }
        if (r.trit)
            unpack_trits(packed, digit);
        else if (r.quint)
            unpack_quints(packed, digit);
        for (unsigned j = 0; j < group && i + j < count; j++)
            high[i + j] = digit[j];
    }
}

/* Repeats the n bits of v to fill `to` bits. */
static unsigned
replicate_bits(unsigned v, unsigned n, unsigned to)
{
    unsigned out = 0;
    for (int shift = (int)(to - n); shift > -(int)n; shift -= (int)n)
        out |= shift >= 0 ? v << shift : v >> -shift;
    return out;
}

/* "Unquantization": value = digit * c + pattern of the upper bits, inverted
 * by the lowest. A pattern names the bit (1 is the lowest) at each of its
 * places, most significant first; 0 is no bit. */
struct unquant {
    uint8_t c;
    char pattern[10];
};

static const struct unquant color_trit[7] = {
    {0, ""},           {204, "000000000"}, {93, "200020220"}, {44, "320003232"},
    {22, "432000432"}, {11, "543200054"},  {5, "654320006"},
};
static const struct unquant color_quint[6] = {
    {0, ""},           {113, "000000000"}, {54, "200002200"},
    {26, "320000323"}, {13, "432000043"},  {6, "543200005"},
};
static const struct unquant weight_trit[4] = {
    {0, ""}, {50, "0000000"}, {23, "2000202"}, {11, "3200032"}};
static const struct unquant weight_quint[3] = {
    {0, ""}, {28, "0000000"}, {13, "2000020"}};

static unsigned
unquantize_integer(const struct unquant *u, unsigned places, unsigned low,
                   unsigned digit)
{
    unsigned b = 0;
    for (unsigned i = 0; i < places; i++) {
        unsigned bit = (unsigned)(u->pattern[i] - '0');
        b = b << 1 | (bit ? low >> (bit - 1) & 1 : 0);
    }
    unsigned a = low & 1 ? (1u << places) - 1 : 0;
    unsigned t = (digit * u->c + b) ^ a;
    return (a & 1u << (places - 2)) | t >> 2;
}

int
astc_integers_to_color(struct astc_range r, unsigned low, unsigned digit)
{
    if (!r.trit && !r.quint)
        return (int)replicate_bits(low, r.bits, 8);
    return (int)unquantize_integer(
        r.trit ? &color_trit[r.bits] : &color_quint[r.bits], 9, low, digit);
}

uint8_t
astc_integers_to_weight(struct astc_range r, unsigned low, unsigned digit)
{
    static const uint8_t trits[3] = {0, 32, 63};
    static const uint8_t quints[5] = {0, 16, 32, 47, 63};
    unsigned w;
    if (!r.trit && !r.quint)
        w = replicate_bits(low, r.bits, 6);
    else if (r.bits == 0)
        w = r.trit ? trits[digit] : quints[digit];
    else
        w = unquantize_integer(r.trit ? &weight_trit[r.bits]
                                      : &weight_quint[r.bits],
                               7, low, digit);
    return (uint8_t)(w > 32 ? w + 1 : w);
}
