/* mfx_fetch.c: windows of reference pictures. */
#include "engine/mfx/mfx_fetch.h"

#define GREY 128

/* Inside of the picture: one or two pieces of each line. */
static void
fetch_inside(const struct mfx_view *view, uint32_t x_B, uint32_t y,
             unsigned width_B, unsigned lines, struct mfx_window *window)
{
    window->offset = x_B % MFX_PIECE_B;
    bool two = window->offset + width_B > MFX_PIECE_B;
    for (unsigned i = 0; i < lines; i++) {
        uint32_t row = view->first_row + (y + i) * view->row_step;
        uint8_t *to = window->bytes[i];
        memcpy(to, mfx_piece(view->surface, x_B, row), MFX_PIECE_B);
        if (two)
            memcpy(to + MFX_PIECE_B,
                   mfx_piece(view->surface, x_B + MFX_PIECE_B, row),
                   MFX_PIECE_B);
    }
}

static void
fetch_clamped(const struct mfx_view *view, int x_B, int y, unsigned width_B,
              unsigned lines, struct mfx_window *window)
{
    int unit_B = (int)view->unit_B;
    int last_x = (int)view->width_B / unit_B - 1, last_y = (int)view->lines - 1;
    window->offset = 0;
    for (unsigned i = 0; i < lines; i++) {
        uint32_t line = (uint32_t)CLAMP(y + (int)i, 0, last_y);
        uint32_t row = view->first_row + line * view->row_step;
        for (unsigned j = 0; j < width_B; j++) {
            int x = x_B / unit_B + (int)j / unit_B;
            uint32_t at = (uint32_t)(CLAMP(x, 0, last_x) * unit_B +
                                     (int)j % unit_B);
            window->bytes[i][j] = mfx_piece(view->surface, at,
                                            row)[at % MFX_PIECE_B];
        }
    }
}

void
mfx_fetch(const struct mfx_view *view, int x_B, int y, unsigned width_B,
          unsigned lines, struct mfx_window *window)
{
    if (!view->surface->base) {
        window->offset = 0;
        memset(window->bytes, GREY, sizeof window->bytes);
        return;
    }
    bool inside = x_B >= 0 && y >= 0 &&
                  x_B + (int)width_B <= (int)view->width_B &&
                  y + (int)lines <= (int)view->lines;
    if (inside)
        fetch_inside(view, (uint32_t)x_B, (uint32_t)y, width_B, lines, window);
    else
        fetch_clamped(view, x_B, y, width_B, lines, window);
}
