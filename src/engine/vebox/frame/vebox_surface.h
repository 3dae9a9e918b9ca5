/* vebox_surface.h: frames in memory and the rows that are made of them. Data
 * and calls of vebox/ and its sub-rooms; worker threads. */
#ifndef ENGINE_VEBOX_SURFACE_H
#define ENGINE_VEBOX_SURFACE_H

#include "engine/state/hw_state.h"
#include "sampler/surface/tiling.h"

/* Columns before and after a row that repeat its first and last pixel, so that
 * filters need no bounds. */
#define VEBOX_MARGIN 8
#define VEBOX_CHANNELS 4

/* One row of a frame: Y U V A or R G B A, 16 bits each; 8 bits are the upper
 * ones, as the manual says of thresholds ("00000000" is appended), and as its
 * offsets are scaled. From -VEBOX_MARGIN to width + VEBOX_MARGIN. */
struct vebox_line {
    uint16_t *ch[VEBOX_CHANNELS];
};

enum vebox_layout {
    VEBOX_PACKED_422, /* two pixels share U and V */
    VEBOX_PACKED_444, /* channel after channel */
    VEBOX_PLANAR,     /* Y, then U and V, in one plane or two */
    VEBOX_1010102,
    VEBOX_565,
    VEBOX_MONO,
    VEBOX_BAYER,
};

struct vebox_format {
    const char *name;
    uint8_t layout;      /* enum vebox_layout */
    uint8_t component_B; /* 1 or 2 */
    uint8_t pixel_B;     /* of plane 0; of Bayer patterns the state decides */
    uint8_t chroma_y;    /* 1: a row of chroma serves two rows */
    /* Packed: place of Y0, U, Y1, V in a pair of pixels, or of the channels. */
    uint8_t place[4];
    bool rgb, alpha;
};

/* A plane, from the frame's first pixel on. */
struct vebox_plane {
    uint8_t *base;
    uint32_t pitch_B;
    enum surface_tiling tiling; /* linear, X or Y */
    uint32_t x_B, y;            /* where the frame begins */
};

struct vebox_surface {
    const struct vebox_format *format;
    uint32_t width, height;
    bool interleaved; /* U and V alternate in plane 1 */
    unsigned bayer;   /* pattern offset, 0..3 */
    struct vebox_plane plane[3];
};

/* What a surface state says: dwords 2 to 6 of VEBOX_SURFACE_STATE. */
struct vebox_surface_state {
    const struct vebox_format *format;
    uint32_t width, height;
    uint32_t dw[4]; /* dwords 3 to 6 */
};

extern const struct vebox_format vebox_formats[16]; /* VEBOX_SURFACE_STATE's */

/* The state of a VEBOX_SURFACE_STATE. */
struct vebox_surface_state vebox_surface_state(const uint32_t *dw);
/* False after a guest error: the frame does not fit the pitch or the address
 * space. */
bool vebox_surface_init(struct vebox_surface *s,
                        const struct vebox_surface_state *state,
                        const struct engine_vm *vm, gpu_va va);

/* Bytes of a plane's row. */
void vebox_read_bytes(const struct vebox_plane *p, uint32_t x_B, uint32_t y,
                      uint8_t *to, uint32_t size_B);
void vebox_write_bytes(const struct vebox_plane *p, uint32_t x_B, uint32_t y,
                       const uint8_t *from, uint32_t size_B);

/* Row y of the frame as 4:4:4, with margins. U and V are repeated; in
 * interlaced frames rows of a field share the field's chroma. scratch:
 * vebox_scratch_B(). */
void vebox_load_row(const struct vebox_surface *s, uint32_t y, bool interlaced,
                    struct vebox_line *to, uint8_t *scratch);
/* How pairs of chroma become one: the weight, in eighths, of the right and of
 * the lower one. 0 drops it, 4 averages. */
struct vebox_downsample {
    uint8_t x, y;
};
/* Columns [x[0], x[1]) of up to four rows from y on, which is even, or a
 * multiple of 4 if interlaced: rows that share chroma are stored together. */
void vebox_store_rows(const struct vebox_surface *s, uint32_t y,
                      const struct vebox_line *lines, unsigned rows,
                      const uint32_t x[2], bool interlaced,
                      struct vebox_downsample method, uint8_t *scratch);
/* Bytes of scratch for rows of width pixels. */
static inline size_t
vebox_scratch_B(uint32_t width)
{
    return (size_t)(width + 2) * 8;
}

void vebox_extend_row(struct vebox_line *line, uint32_t width);

#endif
