/* test_filter_quad.c: the fast path gives the bits of the generic path. */
#include <criterion/criterion.h>
#include <math.h>

#include "any_request.h"

static void
sample_with(const struct surface *s, const struct sampler *sp,
            const struct sample_req *req, bool shortcut,
            uint32_t out[4][SAMPLE_LANES])
{
    struct sample_ctx ctx;
    cr_assert(sample_ctx_init(&ctx, s, sp, req));
    if (!shortcut) {
        ctx.fast = ctx.direct = false;
        if (ctx.texel_kind == TEXEL_BYTES)
            ctx.texel_kind = TEXEL_UNPACK;
    }
    memset(out, 0xcc, 4 * SAMPLE_LANES * 4);
    sample_filtered(&ctx, out);
}

static void
compare_paths(const struct surface *s, const struct sampler *sp,
              const struct sample_req *req, unsigned round)
{
    uint32_t fast[4][SAMPLE_LANES], plain[4][SAMPLE_LANES];
    sample_with(s, sp, req, false, plain);
    sample_with(s, sp, req, true, fast);
    for (unsigned i = 0; i < 64; i++)
        cr_assert_eq(fast[i / 16][i % 16], plain[i / 16][i % 16],
                     "round %u: %s type %u tiling %u op %u channel %u lane %u",
                     round, s->fmt->name, s->type, s->tiling, req->op, i / 16,
                     i % 16);
}

Test(filter_quad, gives_the_same_bits)
{
    for (unsigned round = 0; round < 6000; round++) {
        struct surface s = any_surface();
        struct sampler sp = any_sampler();
        for (unsigned i = 0; i < 8; i++) {
            struct sample_req req = any_req();
            compare_paths(&s, &sp, &req, round);
        }
        free(s.mem);
    }
}

/* The comparison above is only meaningful if the fast path runs. */
Test(filter_quad, takes_the_common_cases)
{
    static const unsigned format[] = {F_RGBA8, F_BGRX8, F_R32_FLOAT};
    static const unsigned tiling[] = {TILING_LINEAR, TILING_Y};
    for (unsigned i = 0; i < 6; i++) {
        struct surface s = make_surface(SURFACE_2D, format[i / 2], 8, 8, 1, 4,
                                        tiling[i % 2]);
        struct sampler sp = make_sampler(FILTER_LINEAR, MIP_LINEAR,
                                         GEN9_TCM_WRAP);
        struct sample_req req = make_req(SAMPLE_PLAIN, 0.3f, 0.3f, 0);
        struct sample_ctx ctx;
        cr_assert(sample_ctx_init(&ctx, &s, &sp, &req));
        cr_assert(ctx.fast);
        struct sample_lod lod = {.filter = FILTER_LINEAR, .beta = 99};
        uint32_t out[4][SAMPLE_LANES];
        cr_expect(filter_quad(&ctx, &lod, 0, 0xf, out));
        free(s.mem);
    }
}

/* Beyond an edge both texels are the edge's, and yet the weight matters: that
 * of zero leaves an infinite texel as it is, others make it NaN. */
Test(filter_quad, keeps_weights_beyond_edges)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 8, 8, 1, 1,
                                    TILING_LINEAR);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    for (uint32_t i = 0; i < 64; i++)
        put_texel(&s, 0, i % 8, i / 8, 0, INFINITY, 0, 0, 1);
    for (int texels = -2000; texels <= 2000; texels++) {
        float u = ((float)texels * 0.25f + 0.5f) / 8.0f;
        struct sample_req req = make_req(SAMPLE_PLAIN, u, 0.5f / 8.0f, 0);
        uint32_t fast[4][SAMPLE_LANES];
        compare_paths(&s, &sp, &req, 0);
        sample_with(&s, &sp, &req, true, fast);
        cr_assert_eq(fast[0][0], texels % 4 ? 0x7fc00000u : 0x7f800000u);
    }
    free(s.mem);
}
