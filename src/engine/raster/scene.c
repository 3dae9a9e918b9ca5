/* scene.c: the primitives of one draw, from the first to the last pixel. */
#include "engine/raster/raster.h"
#include "base/perf.h"
#include "base/pool.h"

#include <math.h>
#include <stdlib.h>

/* Bytes of set-up primitives before a flush: few stay in the cache of the one
 * core that makes and draws them, many keep several cores busy. */
#define LIST_MAX_ALONE_B (384u * 1024)
#define LIST_MAX_B (8u * 1024 * 1024)
/* Lists of draws that wait: enough for what several workers make of one. */
#define MAX_LISTS 64

/* Pixels that the viewport, scissor and drawing rectangles let through, as a
 * half-open box. KBL PRM vol 2d: all maxima are inclusive. */
static void
init_clip(struct scene *sc, unsigned vp)
{
    const struct draw *d = sc->draw;
    const struct gen9_3dstate_drawing_rectangle *dr = &d->drawing_rect;
    int32_t x0 = (int32_t)dr->clipped_drawing_rectangle_x_min;
    int32_t y0 = (int32_t)dr->clipped_drawing_rectangle_y_min;
    int32_t x1 = (int32_t)dr->clipped_drawing_rectangle_x_max + 1;
    int32_t y1 = (int32_t)dr->clipped_drawing_rectangle_y_max + 1;
    /* Observed: without the viewport transform (blits and clears) the driver
     * leaves stale viewports behind, which must not clip. */
    if (d->sf.viewport_transform_enable) {
        const struct gen9_sf_clip_viewport *v = &d->viewport[vp];
        const float max = SCREEN_MAX_PX;
        x0 = MAX2(x0, (int32_t)floorf(fminf(fmaxf(v->x_min_viewport, 0), max)));
        y0 = MAX2(y0, (int32_t)floorf(fminf(fmaxf(v->y_min_viewport, 0), max)));
        x1 = MIN2(
            x1, (int32_t)floorf(fminf(fmaxf(v->x_max_viewport, -1), max)) + 1);
        y1 = MIN2(
            y1, (int32_t)floorf(fminf(fmaxf(v->y_max_viewport, -1), max)) + 1);
    }
    if (d->raster.scissor_rectangle_enable) {
        const struct gen9_scissor_rect *r = &d->scissor[vp];
        x0 = MAX2(x0, (int32_t)r->scissor_rectangle_x_min);
        y0 = MAX2(y0, (int32_t)r->scissor_rectangle_y_min);
        x1 = MIN2(x1, (int32_t)r->scissor_rectangle_x_max + 1);
        y1 = MIN2(y1, (int32_t)r->scissor_rectangle_y_max + 1);
    }
    if (perf_leaves_out(PERF_RASTER))
        x1 = x0;
    sc->clip_x0[vp] = CLAMP(x0, 0, SCREEN_MAX_PX);
    sc->clip_y0[vp] = CLAMP(y0, 0, SCREEN_MAX_PX);
    sc->clip_x1[vp] = CLAMP(x1, 0, SCREEN_MAX_PX);
    sc->clip_y1[vp] = CLAMP(y1, 0, SCREEN_MAX_PX);
}

static void
init_samples(struct scene *sc)
{
    const struct draw *d = sc->draw;
    unsigned n = d->samples;
    if (n != 2 && n != 4 && n != 8 && n != 16)
        n = 1;
    sc->samples = n;
    sc->all_samples = (uint16_t)((1u << n) - 1);
    sc->ms_raster = n > 1 && d->raster.dx_multisample_rasterization_enable;
    sc->per_sample = n > 1 && d->ps_extra.pixel_shader_is_per_sample;
    for (unsigned i = 0; i < n; i++) {
        bool own = sc->ms_raster;
        sc->sample_x[i] = own ? (uint8_t)((d->sample_x[i] & 15) * 16) : 128;
        sc->sample_y[i] = own ? (uint8_t)((d->sample_y[i] & 15) * 16) : 128;
    }
}

/* Whether the pixel shader's results can reach anything. When they cannot,
 * the hardware does not dispatch it either (3DSTATE_WM, Force Thread
 * Dispatch Enable; 3DSTATE_PS_BLEND, Has Writeable RT). */
static bool
shader_matters(const struct draw *d)
{
    const struct gen9_3dstate_ps_extra *px = &d->ps_extra;
    return d->ps_blend.has_writeable_rt || px->pixel_shader_has_uav ||
           px->pixel_shader_kills_pixel || px->omask_present_to_render_target ||
           px->pixel_shader_computes_stencil ||
           px->pixel_shader_computed_depth_mode || px->force_computed_depth ||
           d->blend.alpha_test_enable || d->blend.alpha_to_coverage_enable ||
           d->wm.force_thread_dispatch_enable ==
               GEN9_3DSTATE_WM_FORCE_THREAD_DISPATCH_ENABLE_FORCEON;
}

/* Early tests give the same result as late ones unless the shader or what
 * follows it can drop the sample or change its depth; a shader with side
 * effects must run whatever the tests say, or only if they pass. */
static enum test_time
choose_test_time(const struct scene *sc)
{
    const struct draw *d = sc->draw;
    const struct gen9_3dstate_ps_extra *px = &d->ps_extra;
    unsigned edsc = d->wm.early_depth_stencil_control;
    if (!sc->ps ||
        edsc == GEN9_3DSTATE_WM_EARLY_DEPTH_STENCIL_CONTROL_EDSC_PREPS)
        return TEST_EARLY;
    bool depth_out = px->pixel_shader_computed_depth_mode ||
                     px->pixel_shader_computes_stencil;
    if (depth_out ||
        edsc == GEN9_3DSTATE_WM_EARLY_DEPTH_STENCIL_CONTROL_EDSC_PSEXEC)
        return TEST_LATE;
    if (!px->pixel_shader_kills_pixel && !px->omask_present_to_render_target &&
        !d->blend.alpha_test_enable && !d->blend.alpha_to_coverage_enable &&
        d->wm.force_kill_pixel_enable !=
            GEN9_3DSTATE_WM_FORCE_KILL_PIXEL_ENABLE_FORCEON)
        return TEST_EARLY;
    return sc->ds.depth_test && !sc->ds.stencil_write ? TEST_REJECT : TEST_LATE;
}

static void
init_shader(struct scene *sc)
{
    const struct draw *d = sc->draw;
    const struct shader_stage *ps = &d->stage[STAGE_PS];
    bool width_ok = ps->simd == 8 || ps->simd == 16 || ps->simd == 32;
    if (ps->enabled && ps->kernel && width_ok &&
        d->ps_extra.pixel_shader_valid && shader_matters(d) && !d->resolve &&
        !perf_leaves_out(PERF_FS))
        sc->ps = ps;
    if (sc->ps)
        payload_launch_init(sc);
    sc->may_wait = !sc->ps || payload_only_draws(sc);
    sc->attr_count = MIN2(d->sbe.number_of_sf_output_attributes, MAX_ATTRS);
    sc->bary_modes = d->wm.barycentric_interpolation_mode & 0x3f;
    attr_plan(sc);
    sc->attr_grf = ps->grf_start + ps->push_grf;
}

/* An empty scene: the draw before may have left one. */
static struct scene *
take_scene(const struct draw *draw)
{
    struct scene *kept = draw->kept_scene ? *draw->kept_scene : NULL;
    unsigned workers = pool_workers(draw->pool);
    if (kept && kept->worker_count == workers) {
        struct scene *sc = kept;
        *draw->kept_scene = NULL;
        *sc = (struct scene){
            .worker = sc->worker,
            .worker_count = workers,
            .list = sc->list,
            .list_count = sc->list_count,
            .serial = sc->serial + 1,
        };
        return sc;
    }
    struct scene *sc = calloc(1, sizeof *sc);
    if (sc)
        sc->worker = calloc(workers, sizeof(struct worker *));
    if (!sc || !sc->worker) {
        free(sc);
        return NULL;
    }
    sc->worker_count = workers;
    return sc;
}

/* The primitives of the next draw come after those that wait. */
static bool
follow(struct scene *sc)
{
    unsigned last = sc->list_count;
    while (last && (!sc->list[last - 1] || !sc->list[last - 1]->count))
        last--;
    sc->first_list = last ? last - 1 : 0;
    return sc->first_list < MAX_LISTS;
}

/* Whether the scene of the draw before will do. */
static bool
is_same(const struct scene *kept, const struct draw *draw)
{
    return kept && kept->draw == draw &&
           kept->pixel_serial == draw->pixel_serial &&
           kept->worker_count == pool_workers(draw->pool);
}

struct scene *
scene_create(const struct draw *draw)
{
    if (draw->kept_scene && is_same(*draw->kept_scene, draw)) {
        struct scene *same = *draw->kept_scene;
        *draw->kept_scene = NULL;
        same->last_cleared_layer = -1;
        if (!follow(same))
            scene_flush(same);
        return same;
    }
    struct scene *sc = take_scene(draw);
    if (!sc)
        return NULL;
    sc->draw = draw;
    sc->pixel_serial = draw->pixel_serial;
    sc->last_cleared_layer = -1;
    sc->list_max_B = sc->worker_count > 1 ? LIST_MAX_B : LIST_MAX_ALONE_B;
    init_samples(sc);
    /* A primitive has none beyond. */
    for (unsigned i = 0; i <= draw->clip.maximum_vp_index; i++)
        init_clip(sc, i);
    depth_state_init(&sc->ds, draw);
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        blend_state_init(&sc->blend[i], draw, i);
    init_shader(sc);
    sc->test_time = choose_test_time(sc);
    /* Observed: on Kaby Lake a sample that passes forced early tests but is
     * discarded by the shader does not count (piglit's
     * arb_shader_image_load_store-early-z fails there for that reason). */
    sc->count_late = sc->ps && sc->test_time == TEST_EARLY &&
                     draw->ps_extra.pixel_shader_kills_pixel;
    sc->simple =
        sc->samples == 1 && !sc->ds.stencil_test &&
        draw->ps_extra.input_coverage_mask_state !=
            GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_INNER_CONSERVATIVE;
    bool keeps_all = !draw->ps_extra.omask_present_to_render_target &&
                     !draw->blend.alpha_test_enable &&
                     !draw->blend.alpha_to_coverage_enable;
    bool untested = !sc->ds.depth_test && !sc->ds.stencil_test;
    sc->plain_late = keeps_all && sc->test_time == TEST_EARLY &&
                     !sc->count_late;
    sc->late_count_only = keeps_all && !sc->plain_late && sc->samples == 1 &&
                          (untested || sc->count_late);
    sc->only_colors = (sc->plain_late || sc->late_count_only) &&
                      !draw->blend.alpha_to_one_enable &&
                      !draw->ps_extra.pixel_shader_computed_depth_mode &&
                      !draw->ps_extra.pixel_shader_computes_stencil;
    sc->plain_samples =
        sc->samples > 1 && !sc->per_sample && untested &&
        draw->ps_extra.input_coverage_mask_state !=
            GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_INNER_CONSERVATIVE;
    sc->hides = hidden_possible(sc);
    sc->count_depth = sc->count_ps = draw->wm.statistics_enable;
    return sc;
}

bool
scene_waits(const struct scene *sc)
{
    for (unsigned i = 0; i < sc->list_count; i++) {
        if (sc->list[i] && sc->list[i]->count)
            return true;
    }
    return false;
}

void
scene_destroy(struct scene *sc)
{
    if (!sc)
        return;
    struct scene **kept = sc->draw->kept_scene;
    if (!kept || *kept || !sc->draw->may_wait || !sc->may_wait)
        scene_flush(sc);
    else
        stats_add(STAT_waits, 1);
    if (kept && !*kept)
        *kept = sc;
    else
        scene_free(sc);
}

void
scene_free(struct scene *sc)
{
    if (!sc)
        return;
    for (unsigned i = 0; i < sc->worker_count; i++)
        free(sc->worker[i]);
    free(sc->worker);
    for (unsigned i = 0; i < sc->list_count; i++)
        list_destroy(sc->list[i]);
    free(sc->list);
    free(sc);
}

void
scene_flush(struct scene *sc)
{
    if (!atomic_load(sc->draw->reset) && !rects_draw(sc))
        bins_draw(sc);
    for (unsigned i = 0; i < sc->list_count; i++) {
        if (sc->list[i])
            list_reset(sc->list[i]);
    }
    sc->first_list = 0;
}
