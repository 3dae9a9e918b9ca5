/* mfx_idct.h: the inverse 8x8 DCT of MPEG-2 and JPEG. */
#ifndef ENGINE_MFX_IDCT_H
#define ENGINE_MFX_IDCT_H

#include <stdint.h>

/* In place, rows first. block: coefficients in raster order; then samples, not
 * clamped. */
void mfx_idct(int16_t block[64]);

#endif
