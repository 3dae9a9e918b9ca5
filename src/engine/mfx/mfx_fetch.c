/* mfx_fetch.c: windows of reference pictures. */
#include "engine/mfx/mfx_fetch.h"

#define GREY 128
#define PIECES_MAX 4

/* Bytes of a line that are in the picture, and where they belong. */
struct span {
    unsigned offset, size_B; /* as they were copied */
    unsigned to, width_B;
    unsigned unit_B;
};

/* Moves a line's bytes to their place, and repeats its ends. */
static void
spread_line(const struct span *s, uint8_t *line)
{
    unsigned end = s->to + s->size_B;
    memmove(line + s->to, line + s->offset, s->size_B);
    for (unsigned i = s->to; i--;)
        line[i] = line[i + s->unit_B];
    for (unsigned i = end; i < s->width_B; i++)
        line[i] = line[i - s->unit_B];
}

static void
copy_lines(const struct mfx_view *view, uint32_t x_B, int y, unsigned pieces,
           unsigned lines, uint8_t *to, size_t stride_B)
{
    const struct mfx_surface *s = view->surface;
    size_t column_B[PIECES_MAX];
    for (unsigned i = 0; i < pieces; i++)
        column_B[i] = mfx_column_B(s, x_B + i * MFX_PIECE_B);
    for (unsigned i = 0; i < lines; i++, to += stride_B) {
        uint32_t line = (uint32_t)CLAMP(y + (int)i, 0, (int)view->lines - 1);
        const uint8_t *row = s->base + mfx_row_B(s, view->first_row +
                                                        line * view->row_step);
        for (unsigned j = 0; j < pieces; j++)
            memcpy(to + j * MFX_PIECE_B, row + column_B[j], MFX_PIECE_B);
    }
}

/* Prefetches the pieces to the right, for the next macroblock, which often
 * moves alike. A cache line has pieces of four rows of a Y tile. */
static void
prefetch_lines(const struct mfx_view *view, uint32_t x_B, int y, unsigned lines)
{
    const struct mfx_surface *s = view->surface;
    if (s->tiling != TILING_Y || x_B >= view->width_B)
        return;
    const uint8_t *column = s->base + mfx_column_B(s, x_B);
    unsigned rows = 4 / view->row_step;
    for (unsigned i = 0; i < lines + rows - 1; i += rows) {
        int line = CLAMP(y + (int)MIN2(i, lines - 1), 0, (int)view->lines - 1);
        uint32_t row = view->first_row + (uint32_t)line * view->row_step;
        __builtin_prefetch(column + mfx_row_B(s, row));
    }
}

unsigned
mfx_fetch_lines(const struct mfx_view *view, int x_B, int y, unsigned width_B,
                unsigned lines, uint8_t *to, size_t stride_B)
{
    if (!view->surface->base) {
        for (unsigned i = 0; i < lines; i++)
            memset(to + i * stride_B, GREY, width_B);
        return 0;
    }
    int unit_B = (int)view->unit_B, all_B = (int)view->width_B;
    int first = CLAMP(x_B, 0, all_B - unit_B);
    int end = CLAMP(x_B + (int)width_B, unit_B, all_B);
    struct span s = {.offset = (unsigned)first % MFX_PIECE_B,
                     .size_B = (unsigned)(end - first),
                     .width_B = width_B,
                     .unit_B = view->unit_B};
    unsigned pieces = DIV_ROUND_UP(s.offset + s.size_B, MFX_PIECE_B);
    copy_lines(view, (uint32_t)first - s.offset, y, pieces, lines, to,
               stride_B);
    prefetch_lines(view, (uint32_t)first - s.offset + pieces * MFX_PIECE_B, y,
                   lines);
    if (s.size_B == width_B)
        return s.offset;
    s.to = (unsigned)CLAMP(first - x_B, 0, (int)(width_B - s.size_B));
    for (unsigned i = 0; i < lines; i++)
        spread_line(&s, to + i * stride_B);
    return 0;
}

void
mfx_fetch(const struct mfx_view *view, int x_B, int y, unsigned width_B,
          unsigned lines, struct mfx_window *window)
{
    window->offset = mfx_fetch_lines(view, x_B, y, width_B, lines,
                                     window->bytes[0], sizeof window->bytes[0]);
}
