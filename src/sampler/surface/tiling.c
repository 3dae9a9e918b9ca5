/* tiling.c: constants of tilings for vector code, and samples of interleaved
 * multisample surfaces. BDW PRM vol 5, "Memory Views", MSFMT_DEPTH_STENCIL. */
#include "sampler/surface/tiling.h"

bool
sample_tiling_init(struct sample_tiling *t, const struct surface *s)
{
    int32_t pitch_B = (int32_t)s->row_pitch_B;
    unsigned element_B = s->fmt->element_B;
    if ((element_B & (element_B - 1)) || surface_is_std(s))
        return false;
    *t = (struct sample_tiling){
        .element_shift = __builtin_ctz(element_B),
        .x_keep = -1,
        .y_pitch_B = pitch_B,
    };
    if (s->tiling == TILING_Y) {
        t->x_keep = 15;
        t->x_shift = 5;
        t->y_shift = 5;
        t->y_keep = 31;
        t->y_keep_shift = 4;
        t->y_pitch_B = (pitch_B & ~127) * 32;
    } else if (s->tiling == TILING_X) {
        t->x_keep = 511;
        t->x_shift = 3;
        t->y_shift = 3;
        t->y_keep = 7;
        t->y_keep_shift = 9;
        t->y_pitch_B = (pitch_B & ~511) * 8;
    }
    return true;
}

void
tiling_interleave(unsigned samples, unsigned sample, uint32_t *x, uint32_t *y)
{
    /* Sample bits 0 and 2 go to x, 1 and 3 to y, above the pixel's bit 0. */
    uint32_t px = *x, py = *y;
    unsigned sx = (sample & 1) << 1 | (sample & 4);
    unsigned sy = (sample & 2) | (sample & 8) >> 1;
    unsigned shift_x = samples >= 8 ? 2 : samples >= 2 ? 1 : 0;
    unsigned shift_y = samples >= 16 ? 2 : samples >= 4 ? 1 : 0;
    *x = (px & ~1u) << shift_x | sx | (px & 1);
    *y = (py & ~1u) << shift_y | sy | (py & 1);
}
