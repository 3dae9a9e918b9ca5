/* mfx_idct.h: the inverse 8x8 DCT of MPEG-2 and JPEG, and the order of its
 * coefficients. */
#ifndef ENGINE_MFX_IDCT_H
#define ENGINE_MFX_IDCT_H

#include <stdint.h>

/* sqrt(2) cos(k pi / 16) 2^14, by k, as mfx_idct.c explains. */
enum {
    C1 = 22725,
    C2 = 21407,
    C3 = 19266,
    C4 = 16383,
    C5 = 12873,
    C6 = 8867,
    C7 = 4520,
};
/* Bits that are dropped after rows and after columns. */
#define MFX_IDCT_ROW_BITS 11
#define MFX_IDCT_COLUMN_BITS 20
#define MFX_IDCT_COLUMN_ROUND ((1 << (MFX_IDCT_COLUMN_BITS - 1)) / C4 * C4)

/* In place, rows first. block: coefficients in raster order; then samples, not
 * clamped. */
typedef void mfx_idct_fn(int16_t block[64]);
mfx_idct_fn mfx_idct_ref, mfx_idct_avx2;
/* Of the processor, or of SOFTLAKE_CPU. */
mfx_idct_fn *mfx_idct_selected(void);
/* Raster place of coefficients in the order of a zigzag: T.81 figure A.6, H.262
 * figure 7-2. */
extern const uint8_t mfx_zigzag[64];

#endif
