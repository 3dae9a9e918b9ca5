/* rect_sample.c: samples 4x4 blocks of a rectangle and stores them in the
 * target, as a thread's messages would, without a thread. */
#include "engine/raster/blit/rect_sample.h"
#include "engine/raster/output/output.h"

#include "base/fpmode.h"
#include "base/perf.h"
#include "engine/raster/block_layout.h"
#include "eu/summary/summary.h"

#include <stdlib.h>

#define MAX_SLICES 64

bool
rect_find_texture(struct image *im, const struct surface *s, uint32_t lod,
                  uint32_t layer)
{
    uint64_t level = (uint64_t)s->min_lod + lod;
    uint64_t slice = s->type == SURFACE_3D ? layer
                     : s->is_array         ? (uint64_t)s->min_array + layer
                                           : s->min_array;
    return (s->type == SURFACE_2D || s->type == SURFACE_3D) && s->mem &&
           s->samples == 1 && lod <= s->mip_count_minus1 &&
           level < SURFACE_LEVELS &&
           (s->type != SURFACE_2D || !s->is_array || layer < s->depth) &&
           slice < surface_level_slices(s, (unsigned)level) &&
           image_init(im, s, (unsigned)level, (unsigned)slice, 0);
}

bool
rect_is_consecutive(const uint32_t *at, uint32_t count, uint32_t limit)
{
    if (at[0] >= limit || limit - at[0] < count)
        return false;
    for (uint32_t i = 1; i < count; i++)
        if (at[i] != at[0] + i)
            return false;
    return true;
}

/* Columns between the surface's block boundary and the rectangle: blocks are
 * aligned to the surface's memory. */
static uint32_t
first_column(const struct rect_sample *t)
{
    return (t->to.x_B / t->to.element_B + t->x0) % BLOCK_PX;
}

/* ---- source ---- */

/* Whether source and target do not overlap. Texels that change while they are
 * read are undefined. Threads draw such rectangles, and give the same pixels
 * every time. */
static bool
is_apart(const struct rect_sample *t)
{
    const struct surface *s = t->surface;
    struct image from;
    unsigned slices = s->min_array + (s->is_array ? s->depth : 1);
    const struct image_rect to = {&t->to, t->x0, t->y0, t->x1 - t->x0,
                                  t->y1 - t->y0};
    for (unsigned i = s->min_array; i < slices; i++) {
        if (!image_init(&from, s, s->min_lod, i, 0))
            return false;
        const struct image_rect source = {&from, 0, 0, from.width, from.height};
        if (image_overlap(&to, &source))
            return false;
    }
    return true;
}

static bool
find_surface(struct rect_sample *t, const struct scene *sc)
{
    const struct kernel_summary *m = sc->ps->summary;
    const struct surface *s = stage_surface(sc->ps, m->texture);
    t->surface = s;
    t->sampler = NULL;
    t->op = SAMPLE_LD;
    if (m->message == MESSAGE_SAMPLE_LZ) {
        t->op = SAMPLE_LZ;
        t->sampler = stage_sampler(sc->ps, m->sampler);
    }
    if (t->sampler && perf_leaves_out(PERF_TEX))
        return false; /* threads sample white then */
    if (s->type != SURFACE_2D || s->samples != 1 || s->mip_count_minus1 ||
        s->depth > MAX_SLICES || !is_apart(t))
        return false;
    const struct sample_shape shape = {.op = t->op};
    sample_plan_init(&t->plan, s, t->sampler, &shape);
    return true;
}

/* Spreads columns to the lanes of blocks; lanes outside of the rectangle repeat
 * its edges. */
static bool
spread_columns(struct rect_sample *t, const struct eval_table *tables)
{
    uint32_t before = first_column(t), width = t->x1 - t->x0;
    t->blocks = DIV_ROUND_UP(before + width, BLOCK_PX);
    t->u = aligned_alloc(64, (size_t)t->blocks * BLOCK_LANES * sizeof *t->u);
    if (!t->u)
        return false;
    for (uint32_t b = 0; b < t->blocks; b++) {
        for (unsigned i = 0; i < BLOCK_LANES; i++) {
            uint32_t x = b * BLOCK_PX + lane_x(i);
            x = x < before ? 0 : MIN2(x - before, width - 1);
            t->u[b * BLOCK_LANES + i] = tables->u[x];
        }
    }
    t->v = tables->v;
    for (unsigned i = 0; i < BLOCK_LANES; i++) {
        t->layer[i] = tables->layer;
        t->level[i] = tables->level;
    }
    return true;
}

/* ---- target ------------------------------------------------------------- */

static void
find_routine(struct rect_sample *t, const struct scene *sc)
{
    t->write = NULL;
    struct target *target = calloc(1, sizeof *target);
    if (!target)
        return;
    target->fmt = t->fmt;
    target->element_B = t->to.element_B;
    target->entry = -1;
    target_use_entry(target, &sc->blend[0], 0);
    if (rt_state_init(&t->rt, target, &sc->blend[0]))
        t->write = rt_choose(&t->rt);
    free(target);
    switch (t->to.tiling) {
    case TILING_Y:
        t->pitch_B = 16;
        t->column_B = 512;
        break;
    case TILING_X:
        t->pitch_B = 512;
        t->column_B = 16;
        break;
    case TILING_LINEAR:
        t->pitch_B = t->to.pitch_B;
        t->column_B = 16;
        break;
    default: t->write = NULL;
    }
}

bool
rect_sample_init(struct rect_sample *t, const struct scene *sc,
                 const struct surface *target, const struct eval_table *tables)
{
    t->fmt = target->fmt;
    if (t->to.element_B & (t->to.element_B - 1) ||
        t->to.x_B % t->to.element_B || !find_surface(t, sc))
        return false;
    find_routine(t, sc);
    t->footprint = tables->layer || tables->level ? NULL : t->plan.footprint;
    return spread_columns(t, tables);
}

void
rect_sample_finish(struct rect_sample *t)
{
    free(t->u);
}

/* ---- blocks ------------------------------------------------------------- */

static void
sample(const struct rect_sample *t, struct block_cache *blocks,
       const uint32_t *u, const uint32_t *v, uint32_t mask,
       uint32_t out[4][BLOCK_LANES])
{
    static const int16_t at_dw[4] = {0, BLOCK_LANES, 2 * BLOCK_LANES,
                                     3 * BLOCK_LANES};
    const struct sample_pair pair = {.u = u, .v = v, .blocks = blocks};
    const struct sample_lanes lanes = {
        .blocks = blocks,
        .u = u,
        .v = v,
        .r = t->layer,
        .lod = t->level,
        .lanes = BLOCK_LANES,
        .exec_mask = mask,
        .out = {out[0], out[1], out[2], out[3]},
    };
    bool may_run = blocks || !t->plan.blocks;
    if (may_run && t->footprint && t->footprint(&t->plan, &pair, out[0], at_dw))
        return;
    if (may_run && sample_plan_run(&t->plan, &lanes))
        return;
    struct sample_req req;
    memset(&req, 0, sizeof req);
    req.op = t->op;
    req.lanes = BLOCK_LANES;
    req.exec_mask = mask;
    memcpy(req.u.u, u, sizeof req.u);
    memcpy(req.v.u, v, sizeof req.v);
    memcpy(req.r.u, t->layer, sizeof req.r);
    memcpy(req.lod.u, t->level, sizeof req.lod);
    sampler_sample(t->surface, t->sampler, &req, out);
}

/* Address of a lane's element in a private block, laid out like four rows of a
 * Y tile. */
static uint8_t *
own_at(uint8_t *own, unsigned lane, unsigned element_B)
{
    unsigned row_B = lane_x(lane) * element_B;
    return own + row_B / 16 * 64 + lane_y(lane) * MIN2(16, 4 * element_B) +
           row_B % 16;
}

/* Stores only some lanes of a block. */
static void
write_part(const struct rect_sample *t, uint32_t (*c)[BLOCK_LANES],
           uint32_t mask, int64_t x, int64_t y)
{
    unsigned size_B = t->to.element_B;
    alignas(64) uint8_t own[BLOCK_LANES * 16];
    if (t->write) {
        const struct rt_plane plane = {own, 0xffff};
        const struct rt_block b = {.c = {c[0], c[1], c[2], c[3]},
                                   .state = &t->rt,
                                   .count = 1,
                                   .planes = 1,
                                   .plane = &plane,
                                   .pitch_B = MIN2(16, 4 * size_B),
                                   .column_B = 64};
        t->write(&b);
    }
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        uint8_t *at = image_at(&t->to, (uint32_t)(x + lane_x(i)),
                               (uint32_t)(y + lane_y(i)));
        const union color color = {.u = {c[0][i], c[1][i], c[2][i], c[3][i]}};
        if (t->write)
            memcpy(at, own_at(own, i, size_B), size_B);
        else
            t->fmt->rt_pack(t->fmt, &color, at);
    }
}

static void
write_block(const struct rect_sample *t, uint32_t (*c)[BLOCK_LANES],
            uint32_t mask, int64_t x, int64_t y)
{
    if (!t->write || mask != 0xffff) {
        write_part(t, c, mask, x, y);
        return;
    }
    const struct rt_plane plane = {image_at(&t->to, (uint32_t)x, (uint32_t)y),
                                   0xffff};
    const struct rt_block b = {.c = {c[0], c[1], c[2], c[3]},
                               .state = &t->rt,
                               .count = 1,
                               .planes = 1,
                               .plane = &plane,
                               .pitch_B = t->pitch_B,
                               .column_B = t->column_B};
    t->write(&b);
}

static uint32_t
mask_of_columns(const struct rect_sample *t, int64_t x)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < BLOCK_LANES; i++)
        mask |= (uint32_t)(x + lane_x(i) >= t->x0 && x + lane_x(i) < t->x1)
                << i;
    return mask;
}

/* Draws the rows [y0, y1) among the four from y on. */
static void
draw_row(const struct rect_sample *t, struct block_cache *blocks, int64_t y,
         uint32_t y0, uint32_t y1)
{
    alignas(64) uint32_t v[BLOCK_LANES], out[4][BLOCK_LANES];
    uint32_t rows = 0;
    for (unsigned i = 0; i < BLOCK_LANES; i++) {
        int64_t at = CLAMP(y + lane_y(i), (int64_t)y0, (int64_t)y1 - 1);
        v[i] = t->v[at - t->y0];
        rows |= (uint32_t)(at == y + lane_y(i)) << i;
    }
    int64_t first = (int64_t)t->x0 - first_column(t);
    for (uint32_t b = 0; b < t->blocks; b++) {
        int64_t x = first + (int64_t)b * BLOCK_PX;
        uint32_t mask = rows;
        if (b == 0 || b == t->blocks - 1)
            mask &= mask_of_columns(t, x);
        sample(t, blocks, t->u + b * BLOCK_LANES, v, mask, out);
        write_block(t, out, mask, x, y);
    }
}

void
rect_sample_draw(const struct rect_sample *t, uint32_t y0, uint32_t y1)
{
    struct block_cache *blocks = NULL;
    if (t->plan.blocks)
        blocks = block_cache_new();
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    int64_t y = (int64_t)y0 - (t->to.y + y0) % BLOCK_PX;
    for (; y < y1; y += BLOCK_PX)
        draw_row(t, blocks, y, y0, y1);
    block_cache_free(blocks);
    fpmode_leave(FPMODE_DEFAULT, before);
}
