/* test_filter_fast.c: every shortcut gives the bits of the generic path. */
#include <math.h>

#include "sample_helper.h"

static uint32_t seed = 1;

static uint32_t
any(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static float
any_coord(void)
{
    static const float special[] = {0.0f, -0.0f,  1.0f,     -1.0f,      2.0f,
                                    0.5f, NAN,    INFINITY, 3e38f,      -3e38f,
                                    1e7f, -1e-9f, -1e-3f,   0.99999994f};
    switch (any(8)) {
    case 0: return special[any(ARRAY_SIZE(special))];
    case 1: return (float)any(2000) / 100.0f - 10.0f;
    case 2: return (float)any(64) / 16.0f - 2.0f;
    default: return (float)any(1 << 20) / (1 << 20);
    }
}

static struct surface
any_surface(void)
{
    static const unsigned format[] = {
        F_RGBA8,
        F_BGRX8,
        F_R8_UNORM,
        F_R32_FLOAT,
        F_R32_UINT,
        F_RGBA32F,
        0x0c8 /* RGBA8 sRGB */,
        0x0c0 /* BGRA8 */,
        0x084 /* RGBA16F */,
        0x106 /* R8G8 */,
        0x144 /* A8 */,
        0x114 /* L8A8 */,
        0x193 /* R8G8B8 */,
        0x100 /* B5G6R5 */,
        F_RGBA32_UINT,
    };
    static const unsigned tiling[] = {TILING_LINEAR, TILING_X, TILING_Y};
    unsigned type = any(4) ? SURFACE_2D : any(2) ? SURFACE_CUBE : SURFACE_3D;
    uint32_t w = 1 + any(37);
    struct surface s = make_surface(type, format[any(ARRAY_SIZE(format))], w,
                                    type == SURFACE_CUBE ? w : 1 + any(37),
                                    1 + any(3), 1 + any(4), tiling[any(3)]);
    for (uint64_t i = 0; i < s.limit_B; i++)
        s.mem[i] = (uint8_t)any(256);
    if (type == SURFACE_2D && s.depth > 1 && any(2)) {
        s.min_array = 1;
        s.depth--;
    }
    if (any(8) == 0)
        s.limit_B = any((uint32_t)s.limit_B);
    for (unsigned i = 0; i < 4; i++)
        s.swizzle[i] = (uint8_t)(any(4) ? 4 + i : any(8));
    return s;
}

static struct sampler
any_sampler(void)
{
    struct sampler sp = make_sampler(any(3), any(2) ? any(2) : MIP_LINEAR, 0);
    sp.cube_override = any(2);
    sp.mag_filter = (uint8_t)any(3);
    sp.max_anisotropy = (uint8_t)(2 + 2 * any(8));
    sp.rounding_enable = any(3) ? 0x3f : (uint8_t)any(64);
    for (unsigned i = 0; i < 3; i++)
        sp.wrap[i] = (uint8_t)(any(3) ? any(3) : any(8));
    sp.border = (union color){.f = {0.1f, 0.2f, 0.3f, 0.4f}};
    sp.lod_bias = any(4) ? 0.0f : (float)any(512) / 256.0f - 1.0f;
    return sp;
}

static struct sample_req
any_req(void)
{
    struct sample_req req = {.lanes = any(2) ? 16 : 8};
    req.op = (enum sample_op)any(SAMPLE_GRAD + 1);
    req.exec_mask = any(2) ? 0xffff : any(65536);
    bool smooth = any(2), same_lod = any(2), same_face = any(2);
    float u = any_coord(), v = any_coord(), step = (float)any(64) / 256.0f;
    for (unsigned i = 0; i < 16; i++) {
        req.u.f[i] = smooth ? u + step * (float)(i & 1) : any_coord();
        req.v.f[i] = smooth ? v + step * (float)(i >> 1 & 1) : any_coord();
        req.r.f[i] = (float)(any(4) ? 1 : any(4));
        if (same_face)
            req.r.f[i] = i ? req.r.f[0] : (float)any(40) - 20.0f;
        req.ai.f[i] = (float)(any(8) ? 1 : any(2));
        req.lod.f[i] = i && same_lod ? req.lod.f[0]
                                     : (float)any(1024) / 200.0f - 1.0f;
        req.dudx[i] = req.dvdy[i] = step;
    }
    if (any(8) == 0)
        req.offset[0] = (int8_t)(any(16) - 8);
    return req;
}

/* level: 0 no shortcut, 1 quads, 2 whatever the processor has. */
static void
sample_with(const struct surface *s, const struct sampler *sp,
            const struct sample_req *req, unsigned level,
            uint32_t out[4][SAMPLE_LANES])
{
    struct sample_ctx ctx;
    cr_assert(sample_ctx_init(&ctx, s, sp, req));
    if (level < 2)
        ctx.avx2 = false;
    if (level < 1) {
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
    sample_with(s, sp, req, 0, plain);
    for (unsigned i = 0; i < 128; i++) {
        if (i % 64 == 0)
            sample_with(s, sp, req, 1 + i / 64, fast);
        unsigned channel = i / 16 % 4, lane = i % 16;
        uint32_t a = fast[channel][lane], b = plain[channel][lane];
        /* Which of two NaNs a sum keeps is the compiler's choice. */
        if (!s->fmt->is_int && isnan(float_from_bits(a)) &&
            isnan(float_from_bits(b)))
            continue;
        cr_assert_eq(a, b,
                     "round %u: %s type %u tiling %u op %u channel %u lane %u "
                     "path %u: %08x %08x",
                     round, s->fmt->name, s->type, s->tiling, req->op, channel,
                     lane, 1 + i / 64, a, b);
    }
}

Test(filter_fast, gives_the_same_bits)
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

/* The comparison above is worth something only if the fast path runs. */
Test(filter_fast, takes_the_common_cases)
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
        cr_expect(filter_fast_quad(&ctx, &lod, 0, 0xf, out));
        free(s.mem);
    }
}
