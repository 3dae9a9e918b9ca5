/* avc_transform.c: scaling and inverse transforms. ITU-T H.264, 8.5. */
#include "engine/mfx/avc/recon/recon_ref.h"

const uint8_t avc_chroma_qp[52] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
    18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 29, 30, 31, 32, 32, 33,
    34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39};

const uint8_t avc_scan_4x4[2][16] = {
    {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15},
    {0, 4, 1, 8, 12, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}};

const uint8_t avc_scan_8x8[2][64] = {
    {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
     12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
     35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
     58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63},
    {0,  8,  16, 1,  9,  24, 32, 17, 2,  25, 40, 48, 56, 33, 10, 3,
     18, 41, 49, 57, 26, 11, 4,  19, 34, 42, 50, 58, 27, 12, 5,  20,
     35, 43, 51, 59, 28, 13, 6,  21, 36, 44, 52, 60, 29, 14, 22, 37,
     45, 53, 61, 30, 7,  15, 38, 46, 54, 62, 23, 31, 39, 47, 55, 63}};

/* normAdjust, 8-314 and 8-316. */
static const uint8_t norm_4x4[6][3] = {{10, 16, 13}, {11, 18, 14},
                                       {13, 20, 16}, {14, 23, 18},
                                       {16, 25, 20}, {18, 29, 23}};
static const uint8_t norm_8x8[6][6] = {
    {20, 18, 32, 19, 25, 24}, {22, 19, 35, 21, 28, 26},
    {26, 23, 42, 24, 33, 31}, {28, 25, 45, 26, 35, 33},
    {32, 28, 51, 30, 40, 38}, {36, 32, 58, 34, 46, 43}};

static unsigned
norm_class_4x4(unsigned at)
{
    unsigned odd = (at & 1) + (at >> 2 & 1);
    return odd == 0 ? 0 : odd == 2 ? 1 : 2;
}

static unsigned
norm_class_8x8(unsigned at)
{
    unsigned x = at & 7, y = at >> 3;
    if (x % 4 == 0 && y % 4 == 0)
        return 0;
    if (x % 2 == 1 && y % 2 == 1)
        return 1;
    if (x % 4 == 2 && y % 4 == 2)
        return 2;
    if ((x % 4 == 0 && y % 2 == 1) || (x % 2 == 1 && y % 4 == 0))
        return 3;
    if ((x % 4 == 0 && y % 4 == 2) || (x % 4 == 2 && y % 4 == 0))
        return 4;
    return 5;
}

void
avc_scale_init(struct avc_scale *s, const uint8_t (*weights_4x4)[16],
               const uint8_t (*weights_8x8)[64])
{
    for (unsigned q = 0; q < 6; q++) {
        for (unsigned m = 0; m < 6; m++)
            for (unsigned i = 0; i < 16; i++)
                s->x4[m][q][i] = (uint16_t)(weights_4x4[m][i] *
                                            norm_4x4[q][norm_class_4x4(i)]);
        for (unsigned m = 0; m < 2; m++)
            for (unsigned i = 0; i < 64; i++)
                s->x8[m][q][i] = (uint16_t)(weights_8x8[m][i] *
                                            norm_8x8[q][norm_class_8x8(i)]);
    }
}

static void
butterfly_4(const int in[4], int out[4])
{
    int a = in[0] + in[1], b = in[0] - in[1];
    int c = in[2] + in[3], d = in[2] - in[3];
    out[0] = a + c;
    out[1] = a - c;
    out[2] = b - d;
    out[3] = b + d;
}

void
avc_transform_dc16(int16_t dc[16], unsigned scale, unsigned qp)
{
    int rows[16], column[4], out[4];
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 4; x++)
            column[x] = dc[y * 4 + x];
        butterfly_4(column, rows + y * 4);
    }
    for (unsigned x = 0; x < 4; x++) {
        for (unsigned y = 0; y < 4; y++)
            column[y] = rows[y * 4 + x];
        butterfly_4(column, out);
        for (unsigned y = 0; y < 4; y++)
            dc[y * 4 + x] = avc_scale_8x8(out[y], scale, qp);
    }
}

void
avc_transform_chroma_dc(int16_t dc[4], unsigned scale, unsigned qp)
{
    int a = dc[0] + dc[1], b = dc[0] - dc[1];
    int c = dc[2] + dc[3], d = dc[2] - dc[3];
    int f[4] = {a + c, b + d, a - c, b - d};
    for (unsigned i = 0; i < 4; i++)
        dc[i] = (int16_t)((int32_t)((uint32_t)f[i] * scale << qp / 6) >> 5);
}

static inline uint8_t
clip_sample(int v)
{
    return (uint8_t)CLAMP(v, 0, 255);
}

static inline void
transform_4(const int in[4], int out[4])
{
    int e0 = in[0] + in[2], e1 = in[0] - in[2];
    int e2 = (in[1] >> 1) - in[3], e3 = in[1] + (in[3] >> 1);
    out[0] = e0 + e3;
    out[1] = e1 + e2;
    out[2] = e1 - e2;
    out[3] = e0 - e3;
}

void
avc_add_4x4_ref(uint8_t *to, ptrdiff_t stride, int16_t coef[16])
{
    int rows[4][4], out[4];
    for (unsigned y = 0; y < 4; y++) {
        int in[4] = {coef[y * 4], coef[y * 4 + 1], coef[y * 4 + 2],
                     coef[y * 4 + 3]};
        transform_4(in, rows[y]);
    }
    for (unsigned x = 0; x < 4; x++) {
        int in[4] = {rows[0][x], rows[1][x], rows[2][x], rows[3][x]};
        transform_4(in, out);
        for (unsigned y = 0; y < 4; y++)
            to[y * stride + x] = clip_sample(to[y * stride + x] +
                                             ((out[y] + 32) >> 6));
    }
    memset(coef, 0, 16 * sizeof *coef);
}

static inline void
transform_8(const int in[8], int out[8])
{
    int a0 = in[0] + in[4], a4 = in[0] - in[4];
    int a2 = (in[2] >> 1) - in[6], a6 = in[2] + (in[6] >> 1);
    int b0 = a0 + a6, b2 = a4 + a2, b4 = a4 - a2, b6 = a0 - a6;
    int a1 = in[5] - in[3] - in[7] - (in[7] >> 1);
    int a3 = in[1] + in[7] - in[3] - (in[3] >> 1);
    int a5 = in[7] - in[1] + in[5] + (in[5] >> 1);
    int a7 = in[3] + in[5] + in[1] + (in[1] >> 1);
    int b1 = a1 + (a7 >> 2), b7 = a7 - (a1 >> 2);
    int b3 = a3 + (a5 >> 2), b5 = (a3 >> 2) - a5;
    out[0] = b0 + b7;
    out[1] = b2 + b5;
    out[2] = b4 + b3;
    out[3] = b6 + b1;
    out[4] = b6 - b1;
    out[5] = b4 - b3;
    out[6] = b2 - b5;
    out[7] = b0 - b7;
}

void
avc_add_8x8_ref(uint8_t *to, ptrdiff_t stride, int16_t coef[64])
{
    int rows[8][8], in[8], out[8];
    for (unsigned y = 0; y < 8; y++) {
        for (unsigned x = 0; x < 8; x++)
            in[x] = coef[y * 8 + x];
        transform_8(in, rows[y]);
    }
    for (unsigned x = 0; x < 8; x++) {
        for (unsigned y = 0; y < 8; y++)
            in[y] = rows[y][x];
        transform_8(in, out);
        for (unsigned y = 0; y < 8; y++)
            to[y * stride + x] = clip_sample(to[y * stride + x] +
                                             ((out[y] + 32) >> 6));
    }
    memset(coef, 0, 64 * sizeof *coef);
}
