/* mpeg2_block.c: coefficients of a block, dequantisation, inverse DCT. H.262
 * 7.2 to 7.5. */
#include "engine/mfx/mpeg2/mpeg2.h"

#include "engine/mfx/mpeg2/mpeg2_vlc.h"

/* Raster place of coefficients as coded: figure 7-3, alternate scan. */
static const uint8_t alternate_scan[64] = {
    0,  8,  16, 24, 1, 9,  2,  10, 17, 25, 32, 40, 48, 56, 57, 49,
    41, 33, 26, 18, 3, 11, 4,  12, 19, 27, 34, 42, 50, 58, 35, 43,
    51, 59, 20, 28, 5, 13, 6,  14, 21, 29, 36, 44, 52, 60, 37, 45,
    53, 61, 22, 30, 7, 15, 23, 31, 38, 46, 54, 62, 39, 47, 55, 63};

/* A coefficient's position and value; run: zeros before it. */
struct coefficient {
    int run, level;
};

/* False at the end of the block; run < 0: no such code. */
static inline bool
read_coefficient(struct mfx_bits *b, const struct mpeg2_vlc *table,
                 struct coefficient *c)
{
    int v = mpeg2_vlc_get(b, table);
    if (v == MPEG2_END)
        return false;
    c->run = -1;
    if (v < 0)
        return true;
    if (v == MPEG2_ESCAPE) {
        uint32_t bits = mfx_bits_get(b, 18);
        c->run = (int)(bits >> 12);
        c->level = (int)((bits & 0xfff) ^ 0x800) - 0x800;
        return true;
    }
    c->run = v >> 6;
    c->level = mfx_bits_get(b, 1) ? -(v & 63) : v & 63;
    return true;
}

static int
saturate(int v)
{
    return CLAMP(v, -2048, 2047);
}

/* 7.4.2.3; the quotient is cut towards 0. */
static int
dequantise(const struct mpeg2_mb *mb, unsigned place, int level)
{
    bool intra = mb->type & MPEG2_INTRA;
    int scale = mb->picture->matrix[!intra][place] * (int)mb->quantiser;
    int twice = 2 * level;
    if (!intra)
        twice += level > 0 ? 1 : -1;
    return saturate(twice * scale / 32);
}

/* The DC coefficient of an intra block; false: no such code. */
static bool
read_dc(struct mpeg2_mb *mb, unsigned index)
{
    unsigned component = index < 4 ? 0 : index - 3;
    int size = mpeg2_vlc_get(&mb->bits, component ? mpeg2_vlc_dc_chroma
                                                  : mpeg2_vlc_dc_luma);
    if (size < 0)
        return false;
    if (size) {
        int v = mfx_signed(mfx_bits_get(&mb->bits, (unsigned)size),
                           (unsigned)size);
        /* Bits of a hostile stream: 11 suffice for any other. */
        mb->dc[component] = (int16_t)(mb->dc[component] + v);
    }
    mb->block[0] = (int16_t)saturate(mb->dc[component] *
                                     (8 >> mb->picture->dc_precision));
    return true;
}

/* The first coefficient of other blocks has a code of its own for a level of 1:
 * one bit and the sign. */
static bool
read_first(struct mfx_bits *b, struct coefficient *c)
{
    uint32_t next = mfx_bits_peek(b, 2);
    if (!(next & 2))
        return read_coefficient(b, mpeg2_vlc_coefficient_0, c);
    mfx_bits_skip(b, 2);
    *c = (struct coefficient){0, next & 1 ? -1 : 1};
    return true;
}

static bool
read_coefficients(struct mpeg2_mb *mb, unsigned index)
{
    const struct mpeg2_picture *p = mb->picture;
    bool intra = mb->type & MPEG2_INTRA;
    const uint8_t *scan = p->alternate_scan ? alternate_scan : mfx_zigzag;
    const struct mpeg2_vlc *table = intra && p->intra_vlc
                                        ? mpeg2_vlc_coefficient_1
                                        : mpeg2_vlc_coefficient_0;
    struct coefficient c;
    int at = -1;
    memset(mb->block, 0, sizeof mb->block);
    if (intra) {
        if (!read_dc(mb, index))
            return false;
        at = 0;
    }
    int sum = mb->block[0];
    bool more = intra ? read_coefficient(&mb->bits, table, &c)
                      : read_first(&mb->bits, &c);
    for (; more; more = read_coefficient(&mb->bits, table, &c)) {
        if (c.run < 0 || at + c.run + 1 > 63)
            return false;
        at += c.run + 1;
        int v = dequantise(mb, scan[at], c.level);
        mb->block[scan[at]] = (int16_t)v;
        sum += v;
    }
    if (!(sum & 1)) /* mismatch control: 7.4.4 */
        mb->block[63] ^= 1;
    return true;
}

typedef int16_t line8 __attribute__((vector_size(16)));
typedef uint8_t samples8 __attribute__((vector_size(8)));

static inline line8
clamp_line(line8 v, int16_t low, int16_t high)
{
    line8 below = v<low, above = v> high;
    return (v & ~(below | above)) | (below & low) | (above & high);
}

/* Eight samples that have a line of the block added. */
static inline samples8
add_line(samples8 to, const int16_t *block)
{
    line8 v;
    memcpy(&v, block, sizeof v);
    /* No sum overflows then, and clamped it is the same. */
    v = clamp_line(v, -256, 511) + __builtin_convertvector(to, line8);
    return __builtin_convertvector(clamp_line(v, 0, 255), samples8);
}

/* step: bytes from one sample to the next. Inlined for each. */
static inline void
put_samples(const struct mpeg2_mb *mb, uint8_t *to, unsigned step,
            unsigned stride)
{
    bool intra = mb->type & MPEG2_INTRA;
    for (unsigned y = 0; y < 8; y++, to += stride) {
        samples8 line = {0};
        for (unsigned x = 0; !intra && x < 8; x++)
            line[x] = to[x * step];
        line = add_line(line, mb->block + y * 8);
        for (unsigned x = 0; x < 8; x++)
            to[x * step] = line[x];
    }
}

bool
mpeg2_read_block(struct mpeg2_mb *mb, unsigned index)
{
    if (!read_coefficients(mb, index))
        return false;
    mb->picture->idct(mb->block);
    if (index >= 4) {
        put_samples(mb, mb->chroma[0] + (index - 4), 2, sizeof mb->chroma[0]);
        return true;
    }
    unsigned row = index >> 1, stride = sizeof mb->luma[0];
    if (mb->field_dct)
        put_samples(mb, mb->luma[row] + (index & 1) * 8, 1, stride * 2);
    else
        put_samples(mb, mb->luma[row * 8] + (index & 1) * 8, 1, stride);
    return true;
}
