/* vebox_model.h: frames as doubles, for the tests of the VEBOX: reads and
 * writes pixels of surfaces by arithmetic of its own, one at a time. */
#ifndef TEST_VEBOX_MODEL_H
#define TEST_VEBOX_MODEL_H

#include "rig.h"

enum model_tiling { MODEL_LINEAR, MODEL_X, MODEL_Y };

struct model_surface {
    unsigned format; /* VEBOX_SURFACE_STATE's */
    enum model_tiling tiling;
    uint32_t width, height, pitch_B;
    uint32_t chroma_row;
    uint64_t va;
};

/* Y U V A or R G B A, of 256. */
struct model_pixel {
    double v[4];
};

/* A surface at va with room for its planes; pitch as the tiling wants it. */
struct model_surface model_surface(unsigned format, enum model_tiling tiling,
                                   uint32_t width, uint32_t height,
                                   uint64_t va);
uint32_t model_size_B(const struct model_surface *s);
/* U and V as they are stored; gray has 128. */
struct model_pixel model_read(struct rig *rig, const struct model_surface *s,
                              uint32_t x, uint32_t y);
/* Bits of a channel: 8, 10, 16, 2; 0: the format has none. */
unsigned model_bits(unsigned format, unsigned channel);
/* Columns and rows that share chroma. */
unsigned model_sharing_x(unsigned format);
unsigned model_sharing_y(unsigned format);

/* Emits VEBOX_SURFACE_STATE. */
void model_emit_surface(struct rig *rig, const struct model_surface *s,
                        unsigned which);

#endif
