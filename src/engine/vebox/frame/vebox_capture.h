/* vebox_capture.h: the capture pipe: frames of Bayer patterns to RGB. Its place
 * in the frame's rows is in frame.h. */
#ifndef ENGINE_VEBOX_CAPTURE_H
#define ENGINE_VEBOX_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

struct vebox_line;
struct vebox_worker;

/* Of a pattern of 2x2. */
enum bayer_color { BAYER_RED, BAYER_GREEN_TOP, BAYER_GREEN_BOTTOM, BAYER_BLUE };
#define BAYER_COLORS 4

struct vebox_capture {
    bool enabled;
    unsigned red_x, red_y;                /* column and row of red, 0 or 1 */
    int32_t black_point[BAYER_COLORS];    /* is subtracted */
    uint32_t white_balance[BAYER_COLORS]; /* 4096: 1 */
};

/* dw: VEBOX_CAPTURE_PIPE_STATE; pattern: Bayer_Pattern_Offset of the surface.
 */
void vebox_capture_init(struct vebox_capture *c, const uint32_t *dw,
                        unsigned pattern);
/* Corrects row y as it was loaded, in the first channel, with margins. */
void vebox_capture_correct(const struct vebox_capture *c, uint32_t y,
                           struct vebox_line *line, uint32_t width);
/* Row y in red, green and blue, with margins. */
void vebox_capture_row(struct vebox_worker *w, uint32_t y,
                       struct vebox_line *to);

#endif
