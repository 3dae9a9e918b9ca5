/* recon.h: samples of H.264: transforms, intra prediction, interpolation and
 * loop filters. Pure functions of their arguments, on lines in linear memory.
 * Called by avc/. ITU-T H.264, 8.3 to 8.7. */
#ifndef ENGINE_MFX_AVC_RECON_H
#define ENGINE_MFX_AVC_RECON_H

#include "base/base.h"

/* LevelScale of 8.5.9 in raster order, by matrix and qP % 6. 4x4: intra Y, Cb,
 * Cr, inter Y, Cb, Cr; 8x8: intra, inter. */
struct avc_scale {
    uint16_t x4[6][6][16], x8[2][6][64];
};

extern const uint8_t avc_chroma_qp[52];
/* Raster places by position in the scan: frame, field. */
extern const uint8_t avc_scan_4x4[2][16], avc_scan_8x8[2][64];

void avc_scale_init(struct avc_scale *s, const uint8_t (*weights_4x4)[16],
                    const uint8_t (*weights_8x8)[64]);
/* Coefficients with LevelScale to scaled ones, 8.5.12.1 and 8.5.13.1. */
static inline int16_t
avc_scale_4x4(int level, unsigned scale, unsigned qp)
{
    return (int16_t)((int32_t)(((uint32_t)level * scale << qp / 6) + 8) >> 4);
}
static inline int16_t
avc_scale_8x8(int level, unsigned scale, unsigned qp)
{
    return (int16_t)((int32_t)(((uint32_t)level * scale << qp / 6) + 32) >> 6);
}
/* In place: Intra16x16DCLevel in raster order of blocks; chroma's 2x2. */
void avc_transform_dc16(int16_t dc[16], unsigned scale, unsigned qp);
void avc_transform_chroma_dc(int16_t dc[4], unsigned scale, unsigned qp);
/* ---- intra prediction ---- */

enum { AVC_VERTICAL, AVC_HORIZONTAL, AVC_DC }; /* of 4x4, 8x8 and 16x16 */

/* Which neighbours of a block may be used. */
enum {
    AVC_HAS_LEFT = 1,
    AVC_HAS_TOP = 2,
    AVC_HAS_TOP_RIGHT = 4,
    AVC_HAS_CORNER = 8
};

void avc_intra_4x4(uint8_t *to, ptrdiff_t stride, unsigned mode, unsigned has);
void avc_intra_8x8(uint8_t *to, ptrdiff_t stride, unsigned mode, unsigned has);
void avc_intra_16x16(uint8_t *to, ptrdiff_t stride, unsigned mode,
                     unsigned has);
/* left: bit i tells whether rows 4 * i to 4 * i + 3 have left neighbours. */
void avc_intra_chroma(uint8_t *to, ptrdiff_t stride, unsigned mode,
                      unsigned has, unsigned left);

/* ---- interpolation ---- */

#define AVC_WINDOW_LINES 21
#define AVC_WINDOW_B 48
struct avc_window {
    uint8_t bytes[AVC_WINDOW_LINES][AVC_WINDOW_B];
    int16_t middle[AVC_WINDOW_LINES * 16];
    uint8_t half[2][256];
};

/* Weighted prediction, 8.4.2.3, from blocks of stride 16. */
struct avc_weights {
    int w0, w1, offset, log2_denom;
};

/* ---- loop filter ---- */

/* Lines across an edge, 8.7.2: `across` bytes lie between samples of a line,
 * `along` between lines. Each bs entry has `per_bs` lines. */
struct avc_lines {
    uint8_t *q0;
    ptrdiff_t across, along;
    unsigned count, per_bs;
    uint8_t bs[4];
    int index_a, index_b;
};

/* ---- routines of an instruction set ---- */

struct avc_recon {
    /* Add a block's residual; the coefficients become 0. */
    void (*add_4x4)(uint8_t *to, ptrdiff_t stride, int16_t coef[16]);
    void (*add_8x8)(uint8_t *to, ptrdiff_t stride, int16_t coef[64]);
    /* A block of 4, 8 or 16 columns. from: sample (0, 0), with two more before
     * it and three after it where x or y is not 0. x, y: quarters. */
    void (*luma)(struct avc_window *w, const uint8_t *from, unsigned x,
                 unsigned y, unsigned width, unsigned height, uint8_t *to,
                 ptrdiff_t stride);
    /* 2, 4 or 8 columns. from: Cb and Cr take turns. x, y: eighths. */
    void (*chroma)(const uint8_t *from, unsigned x, unsigned y, unsigned width,
                   unsigned height, uint8_t *const to[2], ptrdiff_t stride);
    /* 2 to 16 columns. */
    void (*average)(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                    const uint8_t *b, unsigned width, unsigned height);
    void (*weight_one)(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                       const struct avc_weights *w, unsigned width,
                       unsigned height);
    void (*weight_two)(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                       const uint8_t *b, const struct avc_weights *w,
                       unsigned width, unsigned height);
    /* 16 or 8 lines; 8 or 4 of chroma. */
    void (*filter_luma)(const struct avc_lines *lines);
    void (*filter_chroma)(const struct avc_lines *lines);
};

extern const struct avc_recon avc_recon_ref, avc_recon_avx2;
/* Of the processor, or of SOFTLAKE_CPU. */
const struct avc_recon *avc_recon_selected(void);

#endif
