/* sfc.h: the scaler and format converter after the VEBOX: a region of the
 * frame is scaled (AVS), sharpened (IEF), converted in colour and rotated into
 * the output surface. Called by vebox/ once the frame's own outputs are
 * written; it pulls the frame's rows. Bands run on the worker pool.
 *
 * Sources: KBL PRM vol 2d, intel/media-driver's KBL headers and how it fills
 * them. Guess: pixels are addressed by their centres; nearest of 32 phases;
 * results are rounded to 16 bits after each direction. */
#ifndef ENGINE_VEBOX_SFC_H
#define ENGINE_VEBOX_SFC_H

#include "engine/enhance/enhance.h"
#include "engine/vebox/frame/frame.h"

#define SFC_TAPS ADAPTIVE_TAPS

enum sfc_filter { SFC_COPY, SFC_POLYPHASE, SFC_BILINEAR };

/* One direction of the scaler. */
struct sfc_axis {
    uint32_t first, count; /* of the source region */
    uint32_t size;         /* of the scaled region */
    uint32_t step;         /* source pixels a pixel, 17 bits of fraction */
    int16_t luma[SFC_PHASES][SFC_TAPS], chroma[SFC_PHASES][SFC_TAPS]; /* S1.6 */
};

struct sfc {
    const struct vebox_frame *frame;
    enum sfc_filter filter;
    struct sfc_axis x, y;
    struct adaptive adaptive; /* sharp: the polyphase filter, or bilinear */
    bool enhances;
    struct ief ief;
    struct vebox_matrix matrix;
    bool mono; /* input without chroma */
    uint16_t mono_uv[2], alpha;
    unsigned rotation; /* clockwise quarter turns */
    bool fill;
    uint16_t fill_color[VEBOX_CHANNELS];
    uint32_t fill_width, fill_height;
    uint32_t out_x, out_y; /* the rotated region in the output frame */
    struct vebox_downsample downsample;
    struct vebox_format format;
    struct vebox_surface out;
};

/* Runs the SFC over a frame, by the state in v. False: guest error. */
bool sfc_run(struct vebox_frame *f, const struct vebox_state *v);

/* ---- parts ---- */

/* A worker of it. */
struct sfc_worker {
    struct vebox_worker vebox;
    const struct sfc *sfc;
    void *memory;
    /* Rows of the source scaled in x, by their number; then scaled in both. */
    struct vebox_rows wide, scaled;
    struct vebox_line strip[VEBOX_ROWS]; /* rows that are stored together */
};

bool sfc_init(struct sfc *s, const struct vebox_frame *f,
              const struct vebox_state *v);
void sfc_axis_init(struct sfc *s, const struct vebox_state *v);
/* Row y of the scaled region, beyond it its first or last row, with margins. */
const struct vebox_line *sfc_scaled_row(struct sfc_worker *w, int64_t y);
/* The row after IEF, CSC and alpha. */
void sfc_final_row(struct sfc_worker *w, uint32_t y, struct vebox_line *to);

#endif
