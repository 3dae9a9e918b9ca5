/* mfx_idct.h: the inverse 8x8 DCT of MPEG-2 and JPEG, and the order of its
 * coefficients. */
#ifndef ENGINE_MFX_IDCT_H
#define ENGINE_MFX_IDCT_H

#include <stdint.h>

/* In place, rows first. block: coefficients in raster order; then samples, not
 * clamped. */
void mfx_idct(int16_t block[64]);
/* Raster place of coefficients in the order of a zigzag: T.81 figure A.6, H.262
 * figure 7-2. */
extern const uint8_t mfx_zigzag[64];

#endif
