/* late_tests.c: late tests, between the pixel shader and the blender: sample
 * mask output, alpha test, alpha to coverage, depth and stencil, counting. */
#include "engine/raster/depth/depth.h"
#include "engine/raster/tile_view.h"

#include <math.h>

static bool
alpha_test_passes(const struct draw *d, float alpha)
{
    const struct gen9_color_calc_state *cc = &d->cc;
    if (cc->alpha_test_format ==
        GEN9_COLOR_CALC_STATE_ALPHA_TEST_FORMAT_ALPHATEST_FLOAT32)
        return depth_compare(d->blend.alpha_test_function, alpha,
                             cc->alpha_reference_value_as_float32);
    float a = !(alpha > 0) ? 0 : alpha > 1 ? 1 : alpha;
    return depth_compare(d->blend.alpha_test_function, lrintf(a * 255),
                         cc->alpha_reference_value_as_unorm8);
}

/* Guess: alpha keeps the first samples, as many as it asks for. The hardware's
 * choice of samples is not documented. */
static uint16_t
alpha_to_coverage(unsigned samples, float alpha)
{
    float a = !(alpha > 0) ? 0 : alpha > 1 ? 1 : alpha;
    unsigned n = (unsigned)(a * (float)samples + 0.5f);
    return (uint16_t)((1u << n) - 1);
}

static uint16_t
mask_by_color(const struct ps_group *g, const struct rt_colors *rt, unsigned i,
              uint16_t cover)
{
    const struct draw *d = g->worker->draw;
    const struct scene *sc = g->worker->scene;
    if (rt->has_omask)
        cover &= rt->omask[i];
    uint32_t bits = rt->has_src0_alpha ? rt->src0_alpha[i] : rt->c[3][i];
    float alpha = float_from_bits(bits);
    if (d->blend.alpha_test_enable && !alpha_test_passes(d, alpha))
        return 0;
    if (d->blend.alpha_to_coverage_enable && sc->samples > 1 &&
        !d->ps_extra.pixel_shader_disables_alpha_to_coverage)
        cover &= alpha_to_coverage(sc->samples, alpha);
    return cover;
}

void
late_tests(struct ps_group *g, const struct rt_colors *rt)
{
    struct worker *w = g->worker;
    const struct scene *sc = w->scene;
    uint32_t todo = rt->mask << rt->base & g->live & ~g->tested;
    g->tested |= todo;
    if (sc->no_late_tests)
        return;
    if (sc->late_count_only) {
        w->depth_count += count_bits(todo);
        return;
    }
    for (; todo; todo &= todo - 1) {
        unsigned lane = (unsigned)__builtin_ctz(todo);
        unsigned i = lane - rt->base, p = lane & 3;
        struct quad *q = &g->quad[lane / 4];
        uint16_t cover = mask_by_color(g, rt, i, q->cover[p]);
        if (sc->test_time != TEST_EARLY && cover) {
            float z = float_from_bits(rt->depth[i]);
            cover = depth_test(w, g->setup, q->x + (int32_t)(p & 1),
                               q->y + (int32_t)(p >> 1), cover,
                               rt->has_depth ? &z : NULL,
                               rt->has_stencil ? rt->stencil[i] : -1, true);
        }
        if (sc->test_time != TEST_EARLY || sc->count_late)
            w->depth_count += count_bits(cover);
        q->cover[p] = cover;
        if (!cover) {
            g->alive &= ~(1u << lane);
            w->oa[OA_PIXELS_FAILED_LATE]++;
        }
    }
}
