/* plan_levels.c: finds the origin and size of each level of a plan, if the
 * kernels can address all of its texels. */
#include "sampler/plan/plan_parts.h"
#include "sampler/surface/tiling.h"

/* Finds the last line of 4x4 dwords. Memory has whole tiles: up to the pitch,
 * and up to a multiple of 32 rows. */
static void
find_square(struct sample_plan *plan, const struct surface *s, uint32_t last_y)
{
    unsigned element_B = s->fmt->element_B;
    plan->square = (struct sample_square){
        .usable = s->tiling == TILING_Y && element_B <= 4 &&
                  (element_B & (element_B - 1)) == 0 && s->row_pitch_B >= 128 &&
                  s->row_pitch_B <= 1u << 18 && last_y < 0xff00 &&
                  (uintptr_t)s->mem % 64 == 0,
        .column_shift = element_B == 1   ? 2
                        : element_B == 2 ? 1
                                         : 0,
        .last_x = (s->row_pitch_B & ~127u) / 16 - 1,
        .last_y = (last_y | 31) / 4,
    };
}

/* Every slice of every level must be directly addressable with 31 bits. Testing
 * the last slices is enough. */
static bool
find_levels(struct sample_plan *plan, struct sample_ctx *ctx)
{
    const struct surface *s = ctx->s;
    unsigned first = s->min_lod, last = first + s->mip_count_minus1;
    uint32_t last_y = 0;
    if (last > SAMPLE_MAX_LEVEL)
        return false;
    for (unsigned i = 0; i < 16; i++) {
        unsigned level = CLAMP(i, first, last);
        uint32_t slices = surface_level_slices(s, level);
        const struct texel_plane *end = texel_plane(ctx, level, slices - 1);
        if (!end->mem || !end->small)
            return false;
        last_y = MAX2(last_y, end->y + surface_level_height(s, level) - 1);
        const struct texel_plane *p = texel_plane(ctx, level, s->min_array);
        if (!p->mem)
            return false;
        struct sample_levels *t = &plan->levels;
        t->w[i] = (int32_t)surface_level_width(s, level);
        t->h[i] = (int32_t)surface_level_height(s, level);
        bool texels = ctx->sp->non_normalized;
        t->w_fx8[i] = texels ? SAMPLE_ONE : (float)t->w[i] * SAMPLE_ONE;
        t->h_fx8[i] = texels ? SAMPLE_ONE : (float)t->h[i] * SAMPLE_ONE;
        t->x_el[i] = (int32_t)(p->x_B / s->fmt->element_B * s->fmt->block_w);
        t->y_el[i] = (int32_t)(p->y * s->fmt->block_h);
        t->last[i] = (t->h[i] - 1) << 16 | (t->w[i] - 1);
        plan->mem = p->mem;
    }
    find_square(plan, s, last_y);
    return true;
}

static void
find_layers(struct sample_plan *plan, const struct surface *s,
            enum sample_op op)
{
    /* ld returns zeros for layers outside the array. */
    plan->layered = s->is_array && (s->depth > 1 || op == SAMPLE_LD);
    plan->last_layer = (float)(s->depth - 1);
    plan->layer_rows = (int32_t)(s->qpitch_el_rows * s->fmt->block_h);
}

static bool
find_tiling(struct sample_plan *plan, const struct surface *s)
{
    unsigned element_B = s->fmt->element_B;
    if (!sample_tiling_init(&plan->tiling, s))
        return false;
    plan->ahead_B = 16 / s->fmt->block_w * element_B;
    if (s->tiling == TILING_Y)
        plan->ahead_B = plan->ahead_B / 16 * SAMPLE_COLUMN_B;
    return true;
}

bool
plan_levels_find(struct sample_plan *plan, struct sample_ctx *ctx)
{
    if (!find_tiling(plan, ctx->s) || !find_levels(plan, ctx))
        return false;
    find_layers(plan, ctx->s, ctx->req->op);
    return true;
}
