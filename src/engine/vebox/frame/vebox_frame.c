/* vebox_frame.c: a worker's rows of a frame. */
#include "engine/vebox/frame/frame.h"

#include <stdlib.h>

static uint16_t *
line_init(struct vebox_line *line, uint16_t *at, size_t width)
{
    for (unsigned c = 0; c < VEBOX_CHANNELS; c++) {
        line->ch[c] = at + VEBOX_MARGIN;
        at += width + 2 * VEBOX_MARGIN;
    }
    return at;
}

bool
vebox_worker_init(struct vebox_worker *w, const struct vebox_frame *frame,
                  uint32_t extra_px)
{
    size_t width = frame->width, wide = MAX2(frame->width, extra_px);
    size_t row_B = (width + 2 * VEBOX_MARGIN) * VEBOX_CHANNELS * 2;
    size_t wide_B = (wide + 2 * VEBOX_MARGIN) * VEBOX_CHANNELS * 2;
    size_t lines_B = row_B * VEBOX_STAGES * VEBOX_ROWS +
                     wide_B * ARRAY_SIZE(w->spare);
    w->frame = frame;
    w->memory = calloc(1, lines_B + vebox_scratch_B((uint32_t)wide));
    if (!w->memory)
        return false;
    uint16_t *at = w->memory;
    for (unsigned s = 0; s < VEBOX_STAGES; s++) {
        for (unsigned i = 0; i < VEBOX_ROWS; i++) {
            w->rows[s].y[i] = UINT32_MAX;
            at = line_init(&w->rows[s].line[i], at, width);
        }
    }
    for (unsigned i = 0; i < ARRAY_SIZE(w->spare); i++)
        at = line_init(&w->spare[i], at, wide);
    w->scratch = (uint8_t *)at;
    return true;
}

void
vebox_worker_finish(struct vebox_worker *w)
{
    free(w->memory);
    w->memory = NULL;
}

static void
make_row(struct vebox_worker *w, enum vebox_stage stage, uint32_t y,
         struct vebox_line *to)
{
    const struct vebox_frame *f = w->frame;
    switch (stage) {
    case VEBOX_ROWS_RAW:
        vebox_load_row(&f->current, y, false, to, w->scratch);
        vebox_capture_correct(&f->capture, y, to, f->width);
        break;
    case VEBOX_ROWS_CURRENT:
        if (f->capture.enabled)
            vebox_capture_row(w, y, to);
        else
            vebox_load_row(&f->current, y, f->interlaced, to, w->scratch);
        break;
    case VEBOX_ROWS_PREVIOUS:
        vebox_load_row(&f->previous, y, f->interlaced, to, w->scratch);
        break;
    case VEBOX_ROWS_CLEAN: vebox_denoise_row(w, y, to); break;
    default:
        vebox_deinterlace_row(w, w->output, y, to);
        vebox_iecp_row(&f->iecp, to, f->width);
        vebox_extend_row(to, f->width);
        break;
    }
}

const struct vebox_line *
vebox_row(struct vebox_worker *w, enum vebox_stage stage, int64_t y)
{
    const struct vebox_frame *f = w->frame;
    if (stage == VEBOX_ROWS_CLEAN && !f->denoise.enabled)
        stage = VEBOX_ROWS_CURRENT;
    uint32_t row = (uint32_t)CLAMP(y, 0, (int64_t)f->height - 1);
    struct vebox_rows *rows = &w->rows[stage];
    struct vebox_line *line = &rows->line[row % VEBOX_ROWS];
    if (rows->y[row % VEBOX_ROWS] != row) {
        make_row(w, stage, row, line);
        rows->y[row % VEBOX_ROWS] = row;
    }
    return line;
}
