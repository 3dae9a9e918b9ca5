/* clip.c: the clipper: view volume, user clip and cull distances, perspective
 * divide, viewport transform. Passes primitives to the scene. */
#include "engine/geom/clip/clip.h"

#include <math.h>
#include <stdlib.h>

#define SLOT_CLIP_DISTANCE 2

static uint32_t
user_mask(const struct draw *draw, bool cull)
{
    const struct gen9_3dstate_clip *clip = &draw->clip;
    if (cull) {
        if (clip->force_user_clip_distance_cull_test_enable_bitmask)
            return clip->user_clip_distance_cull_test_enable_bitmask;
        if (draw->stage[STAGE_GS].enabled)
            return draw->gs.user_clip_distance_cull_test_enable_bitmask;
        if (draw->stage[STAGE_DS].enabled)
            return draw->ds.user_clip_distance_cull_test_enable_bitmask;
        return draw->vs.user_clip_distance_cull_test_enable_bitmask;
    }
    if (clip->force_user_clip_distance_clip_test_enable_bitmask)
        return clip->user_clip_distance_clip_test_enable_bitmask;
    if (draw->stage[STAGE_GS].enabled)
        return draw->gs.user_clip_distance_clip_test_enable_bitmask;
    if (draw->stage[STAGE_DS].enabled)
        return draw->ds.user_clip_distance_clip_test_enable_bitmask;
    return draw->vs.user_clip_distance_clip_test_enable_bitmask;
}

bool
clip_init(struct geom *g)
{
    const struct draw *draw = g->draw;
    const struct gen9_3dstate_clip *clip = &draw->clip;
    unsigned read = (draw->sbe.vertex_urb_entry_read_offset +
                     draw->sbe.vertex_urb_entry_read_length) *
                    2;
    g->vue_slots = CLAMP(read, 2, MAX2(g->last_slots, 2));
    if (!clip->clip_enable)
        return true;
    g->cut_vue = geom_take(g, GEOM_CUT,
                           (size_t)CLIP_MAX_POLYGON * g->vue_slots * 16);
    if (!g->cut_vue)
        return false;
    g->user_clip = user_mask(draw, false);
    g->user_cull = user_mask(draw, true);
    uint32_t z = CLIP_W;
    if (draw->raster.viewport_z_near_clip_test_enable)
        z |= CLIP_NEAR;
    if (draw->raster.viewport_z_far_clip_test_enable)
        z |= CLIP_FAR;
    z |= g->user_clip << CLIP_USER_SHIFT;
    g->clip_codes = g->reject_codes = z;
    if (clip->guardband_clip_test_enable)
        g->clip_codes |= CLIP_GUARD_BAND;
    else if (clip->viewport_xy_clip_test_enable)
        g->clip_codes |= CLIP_VIEWPORT;
    g->reject_codes |= g->clip_codes & CLIP_GUARD_BAND;
    if (clip->viewport_xy_clip_test_enable)
        g->reject_codes |= CLIP_VIEWPORT;
    g->reject_codes |= g->user_cull << CLIP_CULL_SHIFT;
    return true;
}

void
clip_finish(struct geom *g)
{
    geom_give(g, GEOM_CUT, g->cut_vue);
    g->cut_vue = NULL;
}

/* ---- vertices --------------------------------------------------------- */

float
clip_distance(const struct geom *g, const struct geom_vert *v, unsigned i)
{
    unsigned slot = SLOT_CLIP_DISTANCE + i / 4;
    if (slot >= g->last_slots)
        return 0;
    return float_from_bits(v->p.v.vue[slot * 4 + i % 4]);
}

/* ---- to the scene ----------------------------------------------------- */

struct prim_list *
clip_list(struct geom *g)
{
    if (!g->scene)
        g->scene = scene_create(g->draw);
    if (g->scene && !g->list)
        g->list = scene_list(g->scene, 0);
    return g->list;
}

void
clip_emit(struct clip_ctx *c, unsigned count)
{
    struct geom *g = c->g;
    for (unsigned i = 0; i < count; i++)
        if (!clip_on_screen(&c->prim.v[i]))
            return;
    if (scene_add(g->list, &c->prim) && !g->lane)
        scene_flush(g->scene);
}

static void
emit_whole(struct clip_ctx *c)
{
    struct geom *g = c->g;
    for (unsigned i = 0; i < c->o->count; i++)
        c->prim.v[i] = c->v[i]->p.v;
    g->cl_primitives++;
    clip_emit(c, c->o->count);
}

/* ---- objects ---------------------------------------------------------- */

static void
clip_codes(struct clip_ctx *c)
{
    struct geom *g = c->g;
    uint32_t any = 0, all = ~0u;
    for (unsigned i = 0; i < c->o->count; i++) {
        any |= c->v[i]->codes;
        all &= c->v[i]->codes;
    }
    /* Guess: an object with a NaN position is not drawn. */
    if (any & CLIP_NAN || all & g->reject_codes)
        return;
    any &= g->clip_codes;
    if (!any || c->o->kind == GEOM_RECT) {
        emit_whole(c);
        return;
    }
    g->cl_cut++;
    if (c->o->kind == GEOM_TRI)
        cut_triangle(c, any);
    else if (c->o->kind == GEOM_LINE)
        cut_line(c, any);
}

static unsigned
edge_mask(const struct geom_object *o, struct geom_vert *const *v)
{
    unsigned mask = o->edge_mask;
    for (unsigned i = 0; o->edge_flags && i < 3; i++)
        if (!v[i]->edge_flag)
            mask &= ~(1u << i);
    return mask;
}

static void
fill_prim(struct clip_ctx *c, unsigned provoking, unsigned viewport)
{
    static const uint8_t kind[] = {
        [GEOM_POINT] = PRIM_POINT,
        [GEOM_LINE] = PRIM_LINE,
        [GEOM_TRI] = PRIM_TRIANGLE,
        [GEOM_RECT] = PRIM_RECT,
    };
    const struct gen9_3dstate_clip *clip = &c->g->draw->clip;
    const uint32_t *header = c->provoking->p.v.vue;
    float width = float_from_bits(header[3]);
    if (clip->maximum_point_width > 0 && !isnan(width))
        width = CLAMP(width, clip->minimum_point_width,
                      clip->maximum_point_width);
    c->prim = (struct prim){
        .kind = kind[c->o->kind],
        .provoking = (uint8_t)provoking,
        .edge_mask = c->o->kind == GEOM_TRI ? (uint8_t)edge_mask(c->o, c->v)
                                            : 7,
        .no_stipple_reset = c->o->continues,
        .viewport = (uint8_t)viewport,
        /* No array has layers above 16 bits. */
        .layer = clip->force_zero_rta_index_enable
                     ? 0
                     : (uint16_t)MIN2(header[1], 0xffffu),
        .primitive_id = c->o->prim_id,
        .point_width = width,
        .vue_slots = c->g->vue_slots,
    };
}

void
clip_object(struct geom *g, const struct geom_object *o,
            struct geom_vert *const *v, unsigned provoking)
{
    const struct gen9_3dstate_clip *clip = &g->draw->clip;
    unsigned mode = clip->clip_mode;
    g->cl_invocations++;
    if (clip->clip_enable &&
        mode == GEN9_3DSTATE_CLIP_CLIP_MODE_CLIPMODE_REJECT_ALL)
        return;
    struct clip_ctx c = {.g = g, .o = o, .v = v, .provoking = v[provoking]};
    if (!clip_list(g)) {
        geom_fail(g);
        return;
    }
    /* An index above the maximum counts as 0. */
    uint32_t viewport = c.provoking->p.v.vue[2];
    if (viewport > clip->maximum_vp_index || viewport >= DRAW_MAX_VIEWPORTS)
        viewport = 0;
    c.vp = &g->draw->viewport[viewport];
    for (unsigned i = 0; i < o->count; i++)
        vertex_prepare(g, v[i], viewport);
    fill_prim(&c, provoking, viewport);
    if (!clip->clip_enable ||
        mode == GEN9_3DSTATE_CLIP_CLIP_MODE_CLIPMODE_ACCEPT_ALL)
        emit_whole(&c);
    else
        clip_codes(&c);
}
