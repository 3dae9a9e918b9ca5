/* axes.c: the offsets of many elements of a level at once. */
#include "sampler/tiling.h"

/* Whether elements lie in the surface's grid as they are numbered. */
static bool
is_plain(const struct surface *s, unsigned level)
{
    return s->fmt->block_w == 1 && s->fmt->block_h == 1 &&
           !(s->interleaved && s->samples > 1) && s->tiling != TILING_W &&
           !(s->type == SURFACE_1D && s->tiling == TILING_LINEAR) &&
           (level == 0 || (s->has_layout && level < SURFACE_LEVELS));
}

static void
one_by_one(const struct surface *s, unsigned level, uint32_t x, uint32_t y,
           uint32_t z, unsigned sample, unsigned width, unsigned height,
           uint64_t *x_B, uint64_t *y_B)
{
    uint64_t origin = surface_offset_B(s, level, x, y, z, sample);
    for (unsigned i = 0; i < width; i++)
        x_B[i] = surface_offset_B(s, level, x + i, y, z, sample);
    for (unsigned i = 0; i < height; i++)
        y_B[i] = surface_offset_B(s, level, x, y + i, z, sample) - origin;
}

static inline void
tiled(enum surface_tiling tiling, uint32_t pitch_B, uint32_t first_B,
      uint32_t element_B, uint32_t row, unsigned width, unsigned height,
      uint64_t *x_B, uint64_t *y_B)
{
    for (unsigned i = 0; i < width; i++)
        x_B[i] = tiling_offset_B(tiling, first_B + i * element_B, 0, pitch_B);
    for (unsigned i = 0; i < height; i++)
        y_B[i] = tiling_offset_B(tiling, 0, row + i, pitch_B);
}

bool
surface_axes(const struct surface *s, unsigned level, uint32_t x, uint32_t y,
             uint32_t z, unsigned sample, unsigned width, unsigned height,
             uint64_t *x_B, uint64_t *y_B)
{
    if (!is_plain(s, level)) {
        one_by_one(s, level, x, y, z, sample, width, height, x_B, y_B);
        return false;
    }
    if (s->samples > 1)
        z = z * s->samples + sample;
    uint32_t x_el = x + s->level_x_el[level] + s->x_offset;
    uint32_t row = y + s->level_y_el[level] + z * s->qpitch_el_rows +
                   s->y_offset;
    uint32_t size_B = s->fmt->element_B, first_B = x_el * size_B;
    /* Constants for the first argument make three loops of one. */
    switch (s->tiling) {
    case TILING_Y:
        tiled(TILING_Y, s->row_pitch_B, first_B, size_B, row, width, height,
              x_B, y_B);
        break;
    case TILING_X:
        tiled(TILING_X, s->row_pitch_B, first_B, size_B, row, width, height,
              x_B, y_B);
        break;
    default:
        tiled(TILING_LINEAR, s->row_pitch_B, first_B, size_B, row, width,
              height, x_B, y_B);
        break;
    }
    return x_el % 4 == 0 && row % 4 == 0 && (size_B & (size_B - 1)) == 0;
}
