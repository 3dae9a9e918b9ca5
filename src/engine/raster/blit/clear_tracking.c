/* clear_tracking.c: tracks which tiles of cleared images are still clear. */
#include "engine/raster/blit/clear_tracking.h"
#include "base/perf.h"
#include "engine/raster/worker.h"

static bool
is_same(const struct image *a, const struct image *b)
{
    return a->mem == b->mem && a->tiling == b->tiling &&
           a->pitch_B == b->pitch_B && a->x_B == b->x_B && a->y == b->y &&
           a->width == b->width && a->height == b->height &&
           a->element_B == b->element_B;
}

/* Range of bytes that may hold elements of the image. */
struct span {
    const uint8_t *begin;
    uint64_t size_B;
};

static struct span
span_of(const struct image *im)
{
    struct image_rect all = {im, 0, 0, im->width, im->height};
    struct span s;
    s.size_B = image_span(&all, &s.begin);
    return s;
}

static void
remove_image(struct cleared *c, unsigned i)
{
    c->image[i] = c->image[--c->count];
}

void
cleared_forget(struct cleared *c)
{
    c->count = 0;
}

void
cleared_drop_bytes(struct cleared *c, const uint8_t *at, uint64_t size_B)
{
    for (unsigned i = 0; i < c->count;) {
        struct span s = span_of(&c->image[i].image);
        if (at < s.begin + s.size_B && s.begin < at + size_B)
            remove_image(c, i);
        else
            i++;
    }
}

void
cleared_drop(struct cleared *c, const struct image *im)
{
    if (!c->count)
        return;
    struct span s = span_of(im);
    cleared_drop_bytes(c, s.begin, s.size_B);
}

struct cleared_image *
cleared_find(struct cleared *c, const struct engine_vm *vm,
             const struct image *im, const uint8_t value[16])
{
    struct cleared_image *k = c->image, *end = c->image + c->count;
    while (k < end && !is_same(&k->image, im))
        k++;
    if (k == end || memcmp(k->value, value, sizeof k->value) != 0)
        return NULL;
    struct span s = span_of(im);
    uint64_t epoch;
    return vm_is_ours(vm, s.begin, s.size_B, &epoch) && epoch == k->epoch
               ? k
               : NULL;
}

void
cleared_add(struct cleared *c, const struct engine_vm *vm,
            const struct image *im, const uint8_t value[16])
{
    cleared_drop(c, im);
    unsigned row_tiles = DIV_ROUND_UP(im->width, TILE_PX);
    unsigned tile_rows = DIV_ROUND_UP(im->height, TILE_PX);
    struct span s = span_of(im);
    uint64_t epoch;
    if (perf_leaves_out(PERF_CLEARED) || s.size_B < CLEARED_MIN_B ||
        (uint64_t)row_tiles * tile_rows > CLEARED_TILES ||
        !vm_is_ours(vm, s.begin, s.size_B, &epoch))
        return;
    if (c->count == CLEARED_IMAGES)
        remove_image(c, c->next++ % CLEARED_IMAGES);
    struct cleared_image *k = &c->image[c->count++];
    *k = (struct cleared_image){.image = *im,
                                .epoch = epoch,
                                .row_tiles = row_tiles,
                                .tile_rows = tile_rows};
    memcpy(k->value, value, sizeof k->value);
}

void
cleared_mark(struct cleared_image *k, int32_t x, int32_t y)
{
    unsigned tx = (unsigned)x / TILE_PX, ty = (unsigned)y / TILE_PX;
    unsigned n = ty * k->row_tiles + tx;
    if (tx < k->row_tiles && ty < k->tile_rows)
        k->drawn[n / 64] |= UINT64_C(1) << n % 64;
}

unsigned
cleared_count(const struct cleared_image *k)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(k->drawn); i++)
        count += count_bits((uint32_t)k->drawn[i]) +
                 count_bits((uint32_t)(k->drawn[i] >> 32));
    return count;
}

/* ---- draws -------------------------------------------------------------- */

static void
draw_image(struct raster *r, const struct image *im, bool in_tiles)
{
    struct cleared *c = &r->cleared;
    for (unsigned i = 0; in_tiles && i < c->count; i++) {
        if (!is_same(&c->image[i].image, im))
            continue;
        for (unsigned t = 0; t < r->tile_count; t++)
            cleared_mark(&c->image[i], r->bin[t].x, r->bin[t].y);
        return;
    }
    cleared_drop(c, im);
}

/* Marks the layers of a colour target or of a depth or stencil buffer. */
static void
draw_surface(struct raster *r, const struct surface *s, unsigned level,
             unsigned slice, unsigned more_slices, bool in_tiles)
{
    struct image im;
    if (s->type == SURFACE_NULL || !s->mem)
        return;
    if (s->samples <= 1 && !more_slices && image_init(&im, s, level, slice, 0))
        draw_image(r, &im, in_tiles);
    else
        cleared_forget(&r->cleared);
}

void
cleared_draw(struct raster *r, bool in_tiles)
{
    if (!r->cleared.count)
        return;
    /* Deferred scenes share all surfaces; only the layers of depth may differ.
     */
    const struct scene *last = r->scene[r->scene_count - 1];
    if (!last->deferrable) {
        cleared_forget(&r->cleared);
        return;
    }
    if (last->aims) {
        const struct surface *s = &last->target;
        draw_surface(r, s, s->mip_count_minus1, s->min_array,
                     s->view_extent_minus1, in_tiles);
    }
    for (unsigned i = 0; i < r->scene_count; i++) {
        const struct draw *d = r->scene[i]->draw;
        unsigned more = d->depth_view_extent;
        if (i && more == r->scene[i - 1]->draw->depth_view_extent)
            continue;
        draw_surface(r, &d->depth, d->depth_level, d->depth_min_array, more,
                     in_tiles);
        draw_surface(r, &d->stencil, d->stencil_level, d->depth_min_array, more,
                     in_tiles);
    }
}
