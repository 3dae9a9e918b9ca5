/* mfx_idct.c: the inverse DCT in 32-bit integers: the direct form, even and odd
 * halves, with constants of 14 fractional bits.
 *
 * The standards leave the rounding open (H.262 annex A, IEEE 1180), and what
 * Gen9 does is not published. Guess: this rounding. It is the one that
 * libavcodec calls `simple`, its default, so that decoded pictures can be
 * compared bit for bit. It follows from: the constants sqrt(2) cos(k pi / 16)
 * 2^14 with that of k = 4 one less, 11 bits dropped after rows and 20 after
 * columns, both rounded; intermediate values are kept in 16 bits; rows without
 * AC coefficients are scaled exactly. */
#include "engine/mfx/mfx_idct.h"

#include "base/base.h"
#include "base/cpu.h"

const uint8_t mfx_zigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/* Unsigned: sums of hostile coefficients wrap. */
struct halves {
    uint32_t even[4], odd[4];
};

/* in[i * step] for i = 0..7; dc: C4 * in[0] with its rounding. */
static inline struct halves
sum_halves(const int16_t *in, unsigned step, uint32_t dc)
{
    uint32_t x[8];
    for (unsigned i = 1; i < 8; i++)
        x[i] = (uint32_t)in[i * step];
    uint32_t p = dc + C4 * x[4], m = dc - C4 * x[4];
    uint32_t a = C2 * x[2] + C6 * x[6], b = C6 * x[2] - C2 * x[6];
    return (struct halves){
        .even = {p + a, m + b, m - b, p - a},
        .odd = {C1 * x[1] + C3 * x[3] + C5 * x[5] + C7 * x[7],
                C3 * x[1] - C7 * x[3] - C1 * x[5] - C5 * x[7],
                C5 * x[1] - C1 * x[3] + C7 * x[5] + C3 * x[7],
                C7 * x[1] - C5 * x[3] + C3 * x[5] - C1 * x[7]},
    };
}

static inline void
put_halves(int16_t *out, unsigned step, const struct halves *h, unsigned bits)
{
    for (unsigned i = 0; i < 4; i++) {
        out[i * step] = (int16_t)((int32_t)(h->even[i] + h->odd[i]) >> bits);
        out[(7 - i) * step] = (int16_t)((int32_t)(h->even[i] - h->odd[i]) >>
                                        bits);
    }
}

static void
transform_row(int16_t *row)
{
    uint64_t low, high;
    memcpy(&low, row, 8);
    memcpy(&high, row + 4, 8);
    if (!high && low == (uint16_t)row[0]) {
        int16_t v = (int16_t)((uint32_t)row[0] << 3);
        for (unsigned i = 0; i < 8; i++)
            row[i] = v;
        return;
    }
    uint32_t dc = C4 * (uint32_t)row[0] + (1u << (MFX_IDCT_ROW_BITS - 1));
    struct halves h = sum_halves(row, 1, dc);
    put_halves(row, 1, &h, MFX_IDCT_ROW_BITS);
}

void
mfx_idct_ref(int16_t block[64])
{
    for (unsigned i = 0; i < 8; i++)
        transform_row(block + i * 8);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t dc = C4 * (uint32_t)block[i] + MFX_IDCT_COLUMN_ROUND;
        struct halves h = sum_halves(block + i, 8, dc);
        put_halves(block + i, 8, &h, MFX_IDCT_COLUMN_BITS);
    }
}

mfx_idct_fn *
mfx_idct_selected(void)
{
    return cpu_selected() >= CPU_AVX2 ? mfx_idct_avx2 : mfx_idct_ref;
}
