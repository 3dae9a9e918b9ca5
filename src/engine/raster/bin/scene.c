/* scene.c: derives a scene, the state that all primitives of a draw share. */
#include "engine/raster/bin/bin.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/shade/shade.h"
#include "base/perf.h"

#include <math.h>

/* The first pixel whose centre does not lie before a viewport's border. Guess:
 * the hardware rounds this way. The driver gives X + width - 1 as the maximum.
 * Only with this rounding does it draw exactly the pixels with their centres
 * inside when viewports have fractions. */
static int32_t
first_pixel(float border)
{
    border = fminf(fmaxf(border, -1), SCREEN_MAX_PX); /* or NaN */
    return (int32_t)ceilf(border - 0.5f);
}

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
        x0 = MAX2(x0, first_pixel(v->x_min_viewport));
        y0 = MAX2(y0, first_pixel(v->y_min_viewport));
        x1 = MIN2(x1, first_pixel(v->x_max_viewport + 1));
        y1 = MIN2(y1, first_pixel(v->y_max_viewport + 1));
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

/* Whether any result of the pixel shader is used. If not, the hardware does not
 * dispatch it either (3DSTATE_WM, Force Thread Dispatch Enable;
 * 3DSTATE_PS_BLEND, Has Writeable RT). */
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

/* Early tests give the same result as late ones unless the shader or a later
 * stage can drop the sample or change its depth. A shader with side effects
 * must run whether or not the tests pass, or only if they pass: early depth
 * stencil control says which. */
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
    sc->deferrable = !sc->ps || payload_only_draws(sc);
    sc->aims = sc->ps && sc->deferrable;
    if (sc->aims)
        sc->target = *stage_surface(ps, sc->launch.last_desc & 0xff);
    sc->attr_count = MIN2(d->sbe.number_of_sf_output_attributes, MAX_ATTRS);
    sc->bary_modes = d->wm.barycentric_interpolation_mode & 0x3f;
    attr_plan(sc);
    sc->attr_grf = ps->grf_start + ps->push_grf;
}

void
scene_init(struct scene *sc, struct raster *r, const struct draw *draw)
{
    *sc = (struct scene){
        .raster = r, .draw = draw, .pixel_serial = draw->pixel_serial};
    init_samples(sc);
    /* No primitive has a larger viewport index. */
    for (unsigned i = 0; i <= draw->clip.maximum_vp_index; i++)
        init_clip(sc, i);
    setup_cull_rules(sc);
    depth_state_init(&sc->ds, draw);
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        blend_state_init(&sc->blend[i], draw, i);
    init_shader(sc);
    sc->test_time = choose_test_time(sc);
    /* Observed: on Kaby Lake a sample that passes forced early tests but is
     * discarded by the shader does not count. For that reason piglit's
     * arb_shader_image_load_store-early-z fails there. */
    sc->count_late = sc->ps && sc->test_time == TEST_EARLY &&
                     draw->ps_extra.pixel_shader_kills_pixel;
    sc->single_sample_no_stencil =
        sc->samples == 1 && !sc->ds.stencil_test &&
        draw->ps_extra.input_coverage_mask_state !=
            GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_INNER_CONSERVATIVE;
    bool keeps_all = !draw->ps_extra.omask_present_to_render_target &&
                     !draw->blend.alpha_test_enable &&
                     !draw->blend.alpha_to_coverage_enable;
    bool untested = !sc->ds.depth_test && !sc->ds.stencil_test;
    sc->no_late_tests = keeps_all && sc->test_time == TEST_EARLY &&
                        !sc->count_late;
    sc->late_count_only = keeps_all && !sc->no_late_tests && sc->samples == 1 &&
                          (untested || sc->count_late);
    /* A counted draw takes the general paths, which count. */
    sc->color_only = (sc->no_late_tests || sc->late_count_only) && !draw->oa &&
                     !draw->blend.alpha_to_one_enable &&
                     !draw->ps_extra.pixel_shader_computed_depth_mode &&
                     !draw->ps_extra.pixel_shader_computes_stencil;
    sc->ms_no_sample_tests =
        sc->samples > 1 && !sc->per_sample && untested &&
        draw->ps_extra.input_coverage_mask_state !=
            GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_INNER_CONSERVATIVE;
    opaque_cull_init(sc);
    if (sc->ps)
        payload_layout_init(sc);
    sc->count_depth = sc->count_ps = draw->wm.statistics_enable;
}
