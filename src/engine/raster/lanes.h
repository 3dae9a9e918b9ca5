/* lanes.h: how the sixteen pixels of a 4x4 block are numbered: quads in the
 * order TL TR BL BR, and the pixels of a quad likewise. For the files that
 * handle whole blocks. */
#ifndef RASTER_LANES_H
#define RASTER_LANES_H

#define LANES 16
#define BLOCK_PX 4

static inline unsigned
lane_x(unsigned lane)
{
    return (lane >> 2 & 1) * 2 + (lane & 1);
}

static inline unsigned
lane_y(unsigned lane)
{
    return (lane >> 3) * 2 + (lane >> 1 & 1);
}

#endif
