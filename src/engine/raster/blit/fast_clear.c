/* fast_clear.c: fast clears and resolves of colour, and HiZ operations.
 *
 * A fast clear stores its value in the surface at once, except where the
 * surface is known to hold it (see clear_tracking.h). It also marks the blocks
 * as clear (see aux_state.h): a later state with another clear value changes
 * what they read as. See mcs.c for multisampled colours. */
#include "engine/raster/blit/blit.h"
#include "engine/raster/output/output.h"
#include "engine/raster/tile_view.h"
#include "base/pool.h"
#include "engine/state/aux_state.h"

/* Clearing less takes no longer than waking a worker. */
#define INLINE_B (2u << 20)

struct clear {
    const struct engine_vm *vm;
    struct pool *pool;
    struct cleared *known; /* may be NULL */
    const struct surface *surf;
    unsigned level, slice, sample_count;
    uint32_t sample_mask;
    unsigned element_B; /* 1, 2, 4, 8, 16; others are repeated one by one */
    uint32_t x0, y0, x1, y1;
    uint32_t tiles_x, tiles_y;
    struct image image;
    uint8_t value[16]; /* the element, repeated */
};

/* ---- one image ---------------------------------------------------------- */

static void
clear_band(void *ctx, unsigned index, unsigned worker)
{
    const struct clear *c = ctx;
    uint32_t y0 = c->y0, y1 = c->y1;
    image_band(&c->image, index, &y0, &y1);
    vm_thread_enter();
    image_fill(&c->image, c->x0, y0, c->x1, y1, c->value);
    vm_thread_leave();
}

/* Job of run_again(): one row of tiles, those drawn since the last clear. */
struct again {
    const struct clear *clear;
    const struct cleared_image *known;
};

static void
clear_drawn(void *ctx, unsigned index, unsigned worker)
{
    const struct again *again = ctx;
    const struct cleared_image *k = again->known;
    const struct image *im = &k->image;
    uint32_t y0 = index * TILE_PX, y1 = MIN2(y0 + TILE_PX, im->height);
    vm_thread_enter();
    for (unsigned x = 0, end; x < k->row_tiles; x = end + 1) {
        for (end = x; end < k->row_tiles && cleared_is_drawn(k, end, index);)
            end++;
        if (end > x)
            image_fill(im, x * TILE_PX, y0, MIN2(end * TILE_PX, im->width), y1,
                       again->clear->value);
    }
    vm_thread_leave();
}

static void
run_jobs(struct clear *c, unsigned count, uint64_t size_B,
         void (*job)(void *ctx, unsigned index, unsigned worker), void *ctx)
{
    if (size_B > INLINE_B) {
        pool_for(c->pool, count, job, ctx);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        job(ctx, i, 0);
}

static bool
is_whole(const struct clear *c)
{
    return c->known && c->sample_count == 1 && !c->x0 && !c->y0 &&
           c->x1 >= c->image.width && c->y1 >= c->image.height;
}

/* Clears only the tiles that do not hold the value; false if the image is not
 * tracked. */
static bool
run_again(struct clear *c)
{
    struct cleared_image *k = cleared_find(c->known, c->vm, &c->image,
                                           c->value);
    if (!k)
        return false;
    struct again again = {c, k};
    unsigned tiles = cleared_count(k);
    stats_add(STAT_cleared, k->row_tiles * k->tile_rows - tiles);
    run_jobs(c, k->tile_rows,
             (uint64_t)tiles * TILE_PX * TILE_PX * c->element_B, clear_drawn,
             &again);
    memset(k->drawn, 0, sizeof k->drawn);
    return true;
}

static void
run_image(struct clear *c)
{
    bool whole = is_whole(c);
    if (whole && run_again(c))
        return;
    uint64_t size_B = (uint64_t)(c->x1 - c->x0) * (c->y1 - c->y0) *
                      c->element_B;
    run_jobs(c, image_bands(&c->image, c->y0, c->y1), size_B, clear_band, c);
    if (whole)
        cleared_add(c->known, c->vm, &c->image, c->value);
    else if (c->known)
        cleared_drop(c->known, &c->image);
}

/* All samples of an interleaved surface at once. */
static bool
run_interleaved(const struct clear *clear)
{
    struct clear c = *clear;
    if ((c.x0 | c.y0 | c.x1 | c.y1) & 1 ||
        !image_init_samples(&c.image, c.surf, c.level, c.slice))
        return false;
    uint32_t w = surface_level_width(c.surf, c.level);
    uint32_t h = surface_level_height(c.surf, c.level);
    uint32_t scale_x = c.image.width / ALIGN_POT(w, 2);
    uint32_t scale_y = c.image.height / ALIGN_POT(h, 2);
    c.x0 *= scale_x;
    c.x1 *= scale_x;
    c.y0 *= scale_y;
    c.y1 *= scale_y;
    run_image(&c);
    return true;
}

static bool
run_images(struct clear *c)
{
    uint32_t all = (1u << c->sample_count) - 1;
    if (c->element_B & (c->element_B - 1))
        return false;
    if (c->surf->interleaved && c->sample_count > 1)
        return (c->sample_mask & all) == all && run_interleaved(c);
    for (unsigned s = 0; s < c->sample_count; s++) {
        if (!image_init(&c->image, c->surf, c->level, c->slice, s))
            return false;
        if (c->sample_mask >> s & 1)
            run_image(c);
    }
    return true;
}

/* ---- surfaces that are no image, tile by tile --------------------------- */

static void
clear_tile(void *ctx, unsigned index, unsigned worker)
{
    const struct clear *c = ctx;
    uint32_t tx = (c->x0 / TILE_PX + index % c->tiles_x) * TILE_PX;
    uint32_t ty = (c->y0 / TILE_PX + index / c->tiles_x) * TILE_PX;
    unsigned x0 = c->x0 > tx ? c->x0 - tx : 0;
    unsigned y0 = c->y0 > ty ? c->y0 - ty : 0;
    struct view v;
    v.tabled = false;
    vm_thread_enter();
    for (unsigned s = 0; s < c->sample_count; s++) {
        if (!(c->sample_mask >> s & 1))
            continue;
        view_init(&v, c->surf, c->level, c->slice, s, c->element_B, (int32_t)tx,
                  (int32_t)ty);
        view_fill(&v, x0, y0, MIN2(c->x1 - tx, TILE_PX),
                  MIN2(c->y1 - ty, TILE_PX), c->value);
    }
    vm_thread_leave();
}

static void
run(struct clear *c)
{
    c->x1 = MIN2(c->x1, surface_level_width(c->surf, c->level));
    c->y1 = MIN2(c->y1, surface_level_height(c->surf, c->level));
    if (c->x0 >= c->x1 || c->y0 >= c->y1)
        return;
    for (unsigned i = c->element_B; i < sizeof c->value; i++)
        c->value[i] = c->value[i - c->element_B];
    if (run_images(c))
        return;
    if (c->known)
        cleared_forget(c->known);
    c->tiles_x = (c->x1 - 1) / TILE_PX - c->x0 / TILE_PX + 1;
    c->tiles_y = (c->y1 - 1) / TILE_PX - c->y0 / TILE_PX + 1;
    pool_for(c->pool, c->tiles_x * c->tiles_y, clear_tile, c);
}

/* ---- fast clears and resolves ------------------------------------------- */

static const struct aux_rect whole_level = {0, 0, UINT32_MAX / 2,
                                            UINT32_MAX / 2};

/* Observed: both stock drivers fast clear whole layers only, with a rectangle
 * that is scaled down. So it clears the whole layer of the view. */
void
fast_clear_layer(struct scene *sc, unsigned layer)
{
    const struct draw *d = sc->draw;
    const struct surface *s = stage_surface(&d->stage[STAGE_PS], 0);
    if (s->type == SURFACE_NULL || !s->mem || !view_format_ok(s->fmt) ||
        layer > s->view_extent_minus1)
        return;
    bool alone = d->vertex_count <= 3 && d->instance_count <= 1;
    struct clear c = {
        .vm = d->vm,
        .pool = d->pool,
        .known = alone ? &sc->raster->cleared : NULL,
        .surf = s,
        .level = s->mip_count_minus1,
        .slice = s->min_array + layer,
        .sample_count = MAX2(s->samples, 1),
        .sample_mask = 0xffff,
        .element_B = s->fmt->block_bits / 8,
        .x1 = UINT32_MAX,
        .y1 = UINT32_MAX,
    };
    aux_clear_value(s, c.value);
    run(&c);
    aux_cleared(d->vm, s, c.level, c.slice, &whole_level, c.value);
    if (s->aux == AUX_MCS && s->samples > 1 && s->aux_mem) {
        cleared_forget(&sc->raster->cleared);
        vm_thread_enter();
        mcs_clear_layer(s, c.level, c.slice);
        vm_thread_leave();
    }
}

void
fast_clear_resolve(struct scene *sc, unsigned layer)
{
    const struct draw *d = sc->draw;
    const struct surface *s = stage_surface(&d->stage[STAGE_PS], 0);
    if (s->type == SURFACE_NULL || layer > s->view_extent_minus1)
        return;
    aux_bind_slices(d->vm, s, s->mip_count_minus1, s->min_array + layer, 1);
    aux_end_slice(d->vm, s, s->mip_count_minus1, s->min_array + layer);
}

/* ---- HiZ operations ----------------------------------------------------- */

/* Observed: a HiZ operation applies to the first layer of the view only. The
 * stock driver gives a view of all layers from there on, and an operation for
 * each. */
static void
clear_layer(const struct hz_op *op, struct clear *c)
{
    c->x0 = op->x_min;
    c->y0 = op->y_min;
    c->x1 = op->x_max;
    c->y1 = op->y_max;
    c->slice = op->min_array;
    c->sample_count = MAX2(c->surf->samples, 1);
    c->sample_mask = op->sample_mask;
    c->vm = op->vm;
    c->pool = op->pool;
    c->known = op->raster ? &op->raster->cleared : NULL;
    run(c);
}

static void
resolve_hiz(const struct hz_op *op)
{
    aux_end_slice(op->vm, &op->depth, op->depth_level, op->min_array);
}

static void
resolve_depth(const struct hz_op *op)
{
    aux_bind_slices(op->vm, &op->depth, op->depth_level, op->min_array, 1);
    resolve_hiz(op);
}

static void
clear_depth(const struct hz_op *op)
{
    struct clear c = {.surf = &op->depth, .level = op->depth_level};
    const struct aux_rect r = {op->x_min, op->y_min, op->x_max, op->y_max};
    uint32_t all = (1u << MAX2(op->depth.samples, 1)) - 1;
    bool has_codes = op->depth.aux == AUX_HIZ;
    /* A block whose samples differ must not be marked as clear. */
    if (has_codes && (op->sample_mask & all) != all) {
        resolve_depth(op);
        has_codes = false;
    }
    aux_depth_value(op->depth.fmt, op->depth_value, c.value);
    c.element_B = op->depth.fmt->block_bits == 16 ? 2 : 4;
    clear_layer(op, &c);
    if (has_codes)
        aux_cleared(op->vm, &op->depth, op->depth_level, op->min_array, &r,
                    c.value);
}

static void
clear_stencil(const struct hz_op *op)
{
    struct clear c = {.surf = &op->stencil,
                      .level = op->stencil_level,
                      .element_B = 1,
                      .value = {op->stencil_value}};
    clear_layer(op, &c);
}

void
raster_hz_op(const struct hz_op *op)
{
    bool has_depth = op->depth.type != SURFACE_NULL && op->depth.mem;
    bool has_stencil = op->stencil.type != SURFACE_NULL && op->stencil.mem;
    if (op->depth_clear && has_depth)
        clear_depth(op);
    if (op->stencil_clear && has_stencil)
        clear_stencil(op);
    if (op->depth_resolve && has_depth)
        resolve_depth(op);
    if (op->hiz_resolve && has_depth)
        resolve_hiz(op);
}
