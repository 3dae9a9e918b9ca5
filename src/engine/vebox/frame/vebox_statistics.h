/* vebox_statistics.h: what a frame's pixels are summed to for the driver: 16
 * bytes for each block of 16x4 pixels, sums of the frame, and the histogram of
 * ACE. Bands sum on workers; the sums are added and written at the end. */
#ifndef ENGINE_VEBOX_STATISTICS_H
#define ENGINE_VEBOX_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

struct vebox_frame;
struct vebox_worker;

#define STATISTICS_BLOCK_B 16
#define STATISTICS_FMD 11
#define STATISTICS_BINS 256

/* Where a frame's statistics go. NULL: nowhere. */
struct vebox_statistics {
    uint8_t *blocks;
    uint32_t block_pitch_B;
    uint8_t *sums, *histogram;
    bool two_frames; /* of the previous and of the current frame */
    unsigned moved;  /* threshold of motion, of 8 bits */
    uint32_t area_x[2], area_y[2]; /* of the histogram, the ends included */
};

/* Of the bands that a worker did. */
struct vebox_sums {
    uint64_t fmd[STATISTICS_FMD];
    uint32_t histogram[2][STATISTICS_BINS]; /* current, previous frame */
};

/* names: dwords of VEB_DI_IECP; flags: dword 1 of VEBOX_STATE. The frame's
 * other parts are set. */
void vebox_statistics_init(struct vebox_frame *f, const uint32_t *names,
                           uint32_t flags);
/* dw: VEBOX_DNDI_STATE, VEBOX_IECP_STATE. */
void vebox_statistics_read_dndi(struct vebox_statistics *s, const uint32_t *dw);
void vebox_statistics_read_iecp(struct vebox_statistics *s, const uint32_t *dw);
/* Rows y to y + rows; y is a multiple of 4 and rows at most 4. */
void vebox_statistics_rows(struct vebox_worker *w, uint32_t y, unsigned rows);
/* Adds the sums of all workers, to those of the first, and writes them. */
void vebox_statistics_finish(const struct vebox_frame *f,
                             struct vebox_worker *workers, unsigned count);

#endif
