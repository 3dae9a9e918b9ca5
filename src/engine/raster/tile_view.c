/* tile_view.c: the memory of one surface within a tile. */
#include "engine/raster/tile_view.h"
#include "engine/raster/worker.h"
#include "sampler/surface/aux_codes.h"

/* No row of a tiling's tile is longer. */
#define TILE_ROW_B 512

/* rises: values ascend, unless 32 bits have wrapped. */
static uint64_t
greatest(const uint64_t v[], unsigned count, bool rises)
{
    uint64_t max = 0;
    if (rises && count && v[0] <= v[count - 1])
        return v[count - 1];
    for (unsigned i = 0; i < count; i++)
        max = MAX2(max, v[i]);
    return max;
}

/* Finds offsets of a tile's elements from v->mem. Most tiles have the table of
 * the one before, moved by a constant. Returns whether all blocks have one
 * layout. */
static bool
find_offsets(struct view *v, const struct surface *s, unsigned level,
             uint32_t x, uint32_t y, unsigned slice, unsigned sample)
{
    struct axes_place place;
    uint64_t step_B;
    bool plain = surface_axes_place(s, level, x, y, slice, sample, &place);
    v->mem = s->mem;
    v->limit_B = s->limit_B;
    if (plain && v->tabled && axes_step(&v->place, &place, &step_B)) {
        bool behind = step_B > s->limit_B && step_B <= INT64_MAX;
        v->mem = (uint8_t *)((uintptr_t)s->mem + step_B);
        v->limit_B = behind ? 0 : s->limit_B - step_B;
        return axes_alike(&place);
    }
    v->tabled = plain;
    if (plain)
        v->place = place;
    return surface_axes(s, level, x, y, slice, sample,
                        plain ? TILE_PX : v->width, plain ? TILE_PX : v->height,
                        v->x_B, v->y_B);
}

void
view_init(struct view *v, const struct surface *s, unsigned level,
          unsigned slice, unsigned sample, unsigned element_B, int32_t tile_x,
          int32_t tile_y)
{
    uint32_t x0 = (uint32_t)tile_x, y0 = (uint32_t)tile_y;
    uint32_t w = surface_level_width(s, level);
    uint32_t h = surface_level_height(s, level);
    v->element_B = element_B;
    v->width = w > x0 ? MIN2(w - x0, TILE_PX) : 0;
    v->height = h > y0 ? MIN2(h - y0, TILE_PX) : 0;
    bool alike = find_offsets(v, s, level, x0, y0, slice, sample);
    bool rises = alike && s->row_pitch_B >= TILE_ROW_B;
    uint64_t x_max = greatest(v->x_B, v->width, rises);
    uint64_t y_max = greatest(v->y_B, v->height, rises);
    v->safe = x_max < UINT64_MAX / 4 && y_max < UINT64_MAX / 4 &&
              x_max + y_max + element_B <= v->limit_B;
    v->pitch_B = s->tiling == TILING_Y   ? 16
                 : s->tiling == TILING_X ? 512
                                         : s->row_pitch_B;
    v->column_B = s->tiling == TILING_Y ? 512 : 16;
    v->blocks = v->safe && alike && element_B == s->fmt->element_B &&
                (s->tiling == TILING_Y || v->pitch_B >= 4 * element_B);
}

static void
fill_row(const struct view *v, unsigned x0, unsigned x1, unsigned y,
         const uint8_t value[16])
{
    const unsigned n = 16 / v->element_B;
    const unsigned step = n * v->element_B == 16 ? n : 0;
    for (unsigned x = x0; x < x1;) {
        uint8_t *p = view_at(v, x, y);
        if (!p)
            return;
        /* In most tilings sixteen bytes are contiguous. */
        if (step && v->safe && x + step <= x1 &&
            v->x_B[x + step - 1] - v->x_B[x] == (step - 1) * v->element_B) {
            memcpy(p, value, 16);
            x += step;
        } else {
            memcpy(p, value, v->element_B);
            x++;
        }
    }
}

void
view_fill(const struct view *v, unsigned x0, unsigned y0, unsigned x1,
          unsigned y1, const uint8_t value[16])
{
    for (unsigned y = y0; y < MIN2(y1, v->height); y++)
        fill_row(v, x0, MIN2(x1, v->width), y, value);
}

/* Ends the clear state of a slice's blocks that are drawn to. Memory already
 * holds their clear value, see aux_state.h. */
static void
end_clear(const struct draw *d, const struct surface *s, unsigned level,
          unsigned slice, const struct aux_rect *r)
{
    struct aux_codes codes;
    if (aux_codes_init(&codes, s, d->gen, level, slice))
        aux_codes_end(&codes, r);
}

void
tile_end_clear(const struct worker *w, const struct surface *s, unsigned level,
               unsigned slice)
{
    struct aux_rect r = tile_rect_px(w);
    end_clear(w->draw, s, level, slice, &r);
}

void
rect_end_clear(const struct draw *d, const struct surface *s, unsigned layer,
               const struct aux_rect *r)
{
    end_clear(d, s, s->mip_count_minus1, s->min_array + layer, r);
}

/* Elements of whole bytes, 16 at most: all that can be rendered to. */
bool
view_format_ok(const struct format_info *f)
{
    return f->compression == FORMAT_PLAIN && f->block_bits % 8 == 0 &&
           f->block_bits >= 8 && f->block_bits <= 128;
}
