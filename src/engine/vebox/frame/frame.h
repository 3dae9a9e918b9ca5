/* frame.h: the frame that a VEB_DI_IECP processes, and a worker's rows of
 * it. Data of vebox/ and vebox/sfc/. A frame is decoded once and immutable
 * then; each worker has its own rows and pulls them through the stages:
 *
 *   surface -> (raw ->) current, previous -> clean (denoised) -> deinterlaced,
 * IECP
 *
 * A row is made again in a band that needs it at its border, so the number of
 * threads does not show. */
#ifndef ENGINE_VEBOX_FRAME_FRAME_H
#define ENGINE_VEBOX_FRAME_FRAME_H

#include "engine/vebox/frame/vebox_capture.h"
#include "engine/vebox/frame/vebox_deinterlace.h"
#include "engine/vebox/frame/vebox_denoise.h"
#include "engine/vebox/frame/vebox_iecp.h"
#include "engine/vebox/frame/vebox_statistics.h"
#include "engine/vebox/frame/vebox_surface.h"

/* What VEB_DI_IECP names, in the order of its dwords. */
enum vebox_address {
    VEBOX_CURRENT = 2,
    VEBOX_PREVIOUS = 4,
    VEBOX_STMM_IN = 6,
    VEBOX_STMM_OUT = 8,
    VEBOX_DENOISED = 10,
    VEBOX_CURRENT_OUT = 12,
    VEBOX_PREVIOUS_OUT = 14,
    VEBOX_STATISTICS = 16,
    VEBOX_ALPHA = 18,
    VEBOX_HISTOGRAM = 20, /* of RGB, ACE and LACE */
};

/* Motion and history: a byte each; see vebox_denoise.h. base NULL: none. */
struct vebox_motion {
    uint8_t *base;
    uint32_t pitch_B;
};

struct vebox_frame {
    struct engine_context *ctx;
    uint32_t width, height;
    uint32_t x[2];    /* columns that are written */
    bool interlaced;  /* the deinterlacer is on */
    bool has_history; /* not the first frame */
    struct vebox_surface current, previous, denoised;
    /* Output frames: of the current and of the previous frame. format NULL: is
     * not written. */
    struct vebox_surface out[2];
    struct vebox_motion stmm_in, stmm_out;
    struct vebox_downsample downsample;
    struct vebox_capture capture;
    struct vebox_denoise denoise;
    struct vebox_deinterlace deinterlace;
    struct vebox_iecp iecp;
    struct vebox_statistics statistics;
};

/* The last rows of one stage, by their number. */
#define VEBOX_ROWS 16
struct vebox_rows {
    uint32_t y[VEBOX_ROWS]; /* UINT32_MAX: none */
    struct vebox_line line[VEBOX_ROWS];
};

enum vebox_stage {
    VEBOX_ROWS_RAW, /* of a Bayer pattern */
    VEBOX_ROWS_CURRENT,
    VEBOX_ROWS_PREVIOUS,
    VEBOX_ROWS_CLEAN,
    VEBOX_ROWS_DONE, /* of an output frame */
    VEBOX_STAGES,
};

struct vebox_worker {
    const struct vebox_frame *frame;
    void *memory;
    uint8_t *scratch;
    unsigned output; /* which frame VEBOX_ROWS_DONE has */
    struct vebox_rows rows[VEBOX_STAGES];
    struct vebox_line spare[4];
    struct vebox_sums sums;
};

/* False: no memory. extra_px: pixels of the spare lines, if more than the
 * frame's width. */
bool vebox_worker_init(struct vebox_worker *w, const struct vebox_frame *frame,
                       uint32_t extra_px);
void vebox_worker_finish(struct vebox_worker *w);

/* A row of a stage; y beyond the frame is the row at its border. Rows stay
 * valid until VEBOX_ROWS - 1 others of the stage were asked for. */
const struct vebox_line *vebox_row(struct vebox_worker *w,
                                   enum vebox_stage stage, int64_t y);
/* The row that a filter in the frame, or in a field, finds `distance` rows away
 * from y: beyond the frame the last one of the same field. */
static inline int64_t
vebox_row_near(const struct vebox_frame *f, int64_t y, int distance, bool field)
{
    int64_t step = field ? 2 : 1, to = y + distance * step;
    while (to < 0)
        to += step;
    while (to >= f->height)
        to -= step;
    return to;
}

#endif
