/* test_lod_hint.c: pixels on levels that quads choose do not depend on the hint
 * that an earlier message of any plan left. */
#include <criterion/criterion.h>

#include "any_request.h"
#include "base/cpu.h"
#include "sampler/plan/kernel_types.h"
#include "sampler/plan/plan.h"

static unsigned hinted; /* messages whose LOD came from the hint */

__attribute__((target("avx512f"))) static bool
run_pixels(const struct sample_plan *plan, const struct sample_req *req,
           struct sample_lod_hint *hint, uint32_t out[SAMPLE_LANES])
{
    struct sample_begun begun = {.state = SAMPLE_DONE, .lod = *hint};
    __m512i pixels = ((sample_to_unorm8_avx512_fn)plan->to_unorm8)(
        plan, _mm512_loadu_ps(req->u.f), _mm512_loadu_ps(req->v.f), NULL, false,
        &begun);
    _mm512_storeu_si512(out, pixels);
    hinted += begun.lod.least > 0.0f && !memcmp(hint, &begun.lod, sizeof *hint);
    *hint = begun.lod;
    return begun.state == SAMPLE_DONE;
}

/* A block of pixels that are this many texels wide and high. */
static struct sample_req
make_block(const struct surface *s, float x_el, float y_el)
{
    struct sample_req req = {.lanes = 16, .exec_mask = 0xffff};
    float x0 = (float)any(20), y0 = (float)any(20);
    for (unsigned i = 0; i < 16; i++) {
        float x = (float)((i >> 2 & 1) * 2 + (i & 1));
        float y = (float)((i >> 3) * 2 + (i >> 1 & 1));
        req.u.f[i] = (x0 + x * x_el) / (float)s->width;
        req.v.f[i] = (y0 + y * y_el) / (float)s->height;
    }
    return req;
}

static void
compare_messages(const struct surface *s, struct sampler *sp)
{
    static const float special[] = {0.0f, 1e-30f, 1e30f, 3e38f, NAN, 1e-21f};
    const struct sample_shape shape = {.op = SAMPLE_PLAIN};
    struct sample_lod_hint hint = {0};
    struct sample_plan plan;
    float texels = 0.6f + (float)any(4000) / 1000.0f;
    sp->lod_bias = (float)((int32_t)any(1024) - 512) / 256.0f;
    sample_plan_init(&plan, s, sp, &shape);
    if (!plan.to_unorm8)
        return;
    for (unsigned i = 0; i < 200; i++) {
        /* From less than one LOD to several. */
        float step = texels * 0.00002f * (float)(1 << any(10));
        float x_el = texels + step * ((float)any(1000) / 500.0f - 1.0f);
        float y_el = any(2) ? x_el : x_el * (float)any(1000) / 1000.0f;
        if (any(50) == 0)
            x_el = y_el = special[any(ARRAY_SIZE(special))];
        if (any(50) == 0) {
            sp->lod_bias += (float)((int32_t)any(3) - 1) / 256.0f;
            sample_plan_init(&plan, s, sp, &shape);
        }
        struct sample_req req = make_block(s, x_el, y_el);
        struct sample_lod_hint none = {0};
        uint32_t with[SAMPLE_LANES], without[SAMPLE_LANES];
        bool done = run_pixels(&plan, &req, &none, without);
        cr_assert_eq(run_pixels(&plan, &req, &hint, with), done);
        cr_assert(!done || !memcmp(with, without, sizeof with));
    }
}

Test(lod_hint, changes_no_pixel)
{
    if (cpu_selected() != CPU_AVX512)
        cr_skip("needs AVX-512");
    struct surface s = make_surface(SURFACE_2D, F_RGBA8, 64, 64, 1, 7,
                                    TILING_Y);
    s.is_array = false;
    fill_with_any_bytes(&s);
    for (unsigned i = 0; i < 4000; i++) {
        struct sampler sp = make_sampler(FILTER_LINEAR, any(2) ? 3 : 1, 0);
        compare_messages(&s, &sp);
    }
    cr_log_info("%u messages had the LOD before", hinted);
    cr_expect(hinted > 100000 || !__builtin_cpu_supports("avx512vbmi"));
    free(s.mem);
}
