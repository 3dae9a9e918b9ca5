/* vebox_deinterlace.h: the deinterlacer: makes a frame of a field. Its place in
 * the frame's rows is in frame.h. */
#ifndef ENGINE_VEBOX_DEINTERLACE_H
#define ENGINE_VEBOX_DEINTERLACE_H

#include <stdbool.h>
#include <stdint.h>

struct vebox_line;
struct vebox_worker;

struct vebox_deinterlace {
    bool enabled;
    /* The field that output frame 0 (current) and 1 (previous) keep: 0 the even
     * rows. */
    unsigned kept[2];
    /* Progressive Cadence Reconstruction, by output: 0 deinterlace, 1 with the
     * field before it, 2 with the field after it. */
    unsigned cadence[2];
    unsigned sdi_delta, sdi_threshold;       /* of angles, in 1/256 */
    unsigned stmm_min, stmm_max, stmm_shift; /* motion to blending */
    unsigned blend_slow, blend_fast;         /* of motion over time, of 128 */
};

/* dw: VEBOX_DNDI_STATE. */
void vebox_deinterlace_init(struct vebox_deinterlace *d, const uint32_t *dw);
/* Row y of an output frame, without margins. */
void vebox_deinterlace_row(struct vebox_worker *w, unsigned output, uint32_t y,
                           struct vebox_line *to);
/* Writes the motion of row y for the next frame. */
void vebox_deinterlace_motion(struct vebox_worker *w, uint32_t y);

#endif
