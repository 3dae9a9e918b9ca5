/* mfx_fetch.h: reads samples of a reference picture around a macroblock. */
#ifndef ENGINE_MFX_FETCH_H
#define ENGINE_MFX_FETCH_H

#include "engine/mfx/mfx_surface.h"

/* A plane of a frame or of a field. */
struct mfx_view {
    const struct mfx_surface *surface;
    uint32_t first_row, row_step; /* of the surface */
    uint32_t width_B, lines;
    uint32_t unit_B; /* 2: Cb and Cr take turns */
};

/* Copies width_B bytes of lines to rows of stride_B bytes, which have room for
 * MFX_PIECE_B bytes more; x_B is a multiple of the unit. Returns the offset of
 * the first byte in each row. Samples beyond an edge are as the last ones
 * before it; without a surface all are grey. */
unsigned mfx_fetch_lines(const struct mfx_view *view, int x_B, int y,
                         unsigned width_B, unsigned lines, uint8_t *to,
                         size_t stride_B);

#define MFX_WINDOW_LINES 17
struct mfx_window {
    uint8_t bytes[MFX_WINDOW_LINES][32];
    unsigned offset; /* of the first byte of each line */
};

/* At most 18 bytes of each of at most 17 lines, as mfx_fetch_lines(). */
void mfx_fetch(const struct mfx_view *view, int x_B, int y, unsigned width_B,
               unsigned lines, struct mfx_window *window);

#endif
