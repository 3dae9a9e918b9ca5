/* surface_axes.c: the offsets of many elements of a level at once. */
#include "sampler/surface/tiling.h"

/* Whether the surface stores elements in a plain grid. */
static bool
is_plain(const struct surface *s, unsigned level)
{
    return s->fmt->block_w == 1 && s->fmt->block_h == 1 &&
           !(s->interleaved && s->samples > 1) && s->tiling != TILING_W &&
           !surface_is_std(s) && s->layout != LAYOUT_1D &&
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
tiled_offsets(enum surface_tiling tiling, uint32_t pitch_B, uint32_t first_B,
              uint32_t element_B, uint32_t row, unsigned width, unsigned height,
              uint64_t *x_B, uint64_t *y_B)
{
    for (unsigned i = 0; i < width; i++)
        x_B[i] = tiling_offset_B(tiling, first_B + i * element_B, 0, pitch_B);
    for (unsigned i = 0; i < height; i++)
        y_B[i] = tiling_offset_B(tiling, 0, row + i, pitch_B);
}

bool
surface_axes_place(const struct surface *s, unsigned level, uint32_t x,
                   uint32_t y, uint32_t z, unsigned sample,
                   struct axes_place *p)
{
    if (!is_plain(s, level))
        return false;
    if (s->samples > 1)
        z = z * s->samples + sample;
    uint32_t slice_x, slice_y;
    surface_slice_el(s, level, z, &slice_x, &slice_y);
    uint32_t x_el = x + s->level_x_el[level] + slice_x + s->x_offset;
    p->tiling = s->tiling;
    p->pitch_B = s->row_pitch_B;
    p->element_B = s->fmt->element_B;
    p->x_B = x_el * p->element_B;
    p->row = y + s->level_y_el[level] + slice_y + s->y_offset;
    return true;
}

bool
surface_axes(const struct surface *s, unsigned level, uint32_t x, uint32_t y,
             uint32_t z, unsigned sample, unsigned width, unsigned height,
             uint64_t *x_B, uint64_t *y_B)
{
    struct axes_place p;
    if (!surface_axes_place(s, level, x, y, z, sample, &p)) {
        one_by_one(s, level, x, y, z, sample, width, height, x_B, y_B);
        return false;
    }
    const uint32_t size_B = p.element_B;
    /* A constant first argument gives each tiling a loop of its own. */
    switch (p.tiling) {
    case TILING_Y:
        tiled_offsets(TILING_Y, p.pitch_B, p.x_B, size_B, p.row, width, height,
                      x_B, y_B);
        break;
    case TILING_X:
        tiled_offsets(TILING_X, p.pitch_B, p.x_B, size_B, p.row, width, height,
                      x_B, y_B);
        break;
    default:
        tiled_offsets(TILING_LINEAR, p.pitch_B, p.x_B, size_B, p.row, width,
                      height, x_B, y_B);
        break;
    }
    return axes_alike(&p);
}

bool
axes_alike(const struct axes_place *p)
{
    uint32_t size_B = p->element_B;
    return size_B && (size_B & (size_B - 1)) == 0 &&
           p->x_B % (4 * size_B) == 0 && p->row % 4 == 0;
}

bool
axes_step(const struct axes_place *from, const struct axes_place *to,
          uint64_t *step_B)
{
    enum { MOST = 64 };
    const uint32_t end = UINT32_MAX - MOST * from->element_B;
    bool y = from->tiling == TILING_Y, x = from->tiling == TILING_X;
    uint32_t width_B = y ? 128 : x ? 512 : 1, rows = y ? 32 : x ? 8 : 1;
    if (from->tiling != to->tiling || from->pitch_B != to->pitch_B ||
        from->element_B != to->element_B || (to->x_B - from->x_B) % width_B ||
        (to->row - from->row) % rows || MAX2(from->x_B, to->x_B) > end ||
        MAX2(from->row, to->row) > end)
        return false;
    *step_B = tiling_offset_B(to->tiling, to->x_B, to->row, to->pitch_B) -
              tiling_offset_B(to->tiling, from->x_B, from->row, to->pitch_B);
    return true;
}
