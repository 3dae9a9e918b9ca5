/* test_plan.c: every prepared message gives the bits of sampler_sample(). */
#include "any_request.h"
#include "base/cpu.h"
#include "base/fpmode.h"
#include "sampler/plan.h"
#include "sampler/pixels.h"
#include "upper_halves.h"

static const struct {
    const char *name;
    const struct sample_routines *routines;
} variant[] = {
    {"avx2", &sample_avx2},
    {"avx512", &sample_avx512},
};

static bool
is_supported(unsigned i)
{
    return cpu_selected() >= (i ? CPU_AVX512 : CPU_AVX2);
}

static bool
has_patches(void)
{
    return cpu_selected() == CPU_AVX2 ||
           (is_supported(1) && __builtin_cpu_supports("avx512vbmi") &&
            __builtin_cpu_supports("avx512vnni"));
}

static struct sample_shape
shape_of(const struct sample_req *req)
{
    struct sample_shape shape = {
        .op = req->op, .compare = req->compare, .reduction = req->reduction};
    memcpy(shape.offset, req->offset, sizeof shape.offset);
    return shape;
}

static struct sample_blocks *blocks;

/* Half of the answers overwrite the parameters, as messages may. */
static bool
run_plan(const struct sample_plan *plan, const struct sample_req *req,
         sample_plan_fn run, bool overlap, uint32_t out[4][SAMPLE_LANES])
{
    uint32_t param[5][SAMPLE_LANES];
    memcpy(param[0], req->u.u, sizeof param[0]);
    memcpy(param[1], req->v.u, sizeof param[1]);
    memcpy(param[2], req->r.u, sizeof param[2]);
    memcpy(param[3], req->lod.u, sizeof param[3]);
    memcpy(param[4], req->ref.u, sizeof param[4]);
    struct sample_lanes in = {
        .u = param[0],
        .v = param[1],
        .r = param[2],
        .lod = param[3],
        .ref = param[4],
        .lanes = req->lanes,
        .exec_mask = req->exec_mask & (req->lanes == 16 ? 0xffff : 0xff),
    };
    for (unsigned c = 0; c < 4; c++)
        in.out[c] = overlap ? param[c] : out[c];
    in.blocks = blocks;
    in.whole = req->lanes == 16 && in.exec_mask == 0xffff;
    if (!run(plan, &in))
        return false;
    for (unsigned i = 0; i < 64 && overlap; i++)
        if (in.exec_mask >> i % 16 & 1)
            out[i / 16][i % 16] = param[i / 16][i % 16];
    return true;
}

struct tally {
    unsigned asked, answered, patches;
};

static unsigned halves; /* messages that pixels() only began */

__attribute__((target("avx2"))) static bool
run_pixels_avx2(const struct sample_plan *plan, const struct sample_req *req,
                bool blue_first, uint32_t out[SAMPLE_LANES])
{
    __m256i pixels[2];
    bool done = ((sample_pixels_avx2_fn)plan->pixels)(
        plan, _mm256_loadu_ps(req->u.f), _mm256_loadu_ps(req->u.f + 8),
        _mm256_loadu_ps(req->v.f), _mm256_loadu_ps(req->v.f + 8), blocks,
        blue_first, pixels);
    memcpy(out, pixels, sizeof pixels);
    return done;
}

__attribute__((target("avx512f"))) static bool
run_pixels_avx512(const struct sample_plan *plan, const struct sample_req *req,
                  bool blue_first, uint32_t out[SAMPLE_LANES])
{
    static const enum sample_state hints[] = {
        SAMPLE_DONE, SAMPLE_BEGUN, SAMPLE_BEGUN_ANYWHERE, SAMPLE_BEGUN_TURNED};
    struct sample_begun begun = {.state = hints[any(4)]};
    __m512i pixels = ((sample_pixels_avx512_fn)plan->pixels)(
        plan, _mm512_loadu_ps(req->u.f), _mm512_loadu_ps(req->v.f), blocks,
        blue_first, &begun);
    halves += begun.state >= SAMPLE_BEGUN;
    if (begun.state >= SAMPLE_BEGUN)
        pixels = ((sample_finish_avx512_fn)plan->finish)(plan, &begun,
                                                         blue_first);
    _mm512_storeu_si512(out, pixels);
    return begun.state != SAMPLE_LEFT_OUT;
}

/* Wherever patches answer, pixels do, and are what a target of bytes makes of
 * the colours. */
static void
compare_pixels(const struct sample_plan *plan, const struct sample_req *req,
               uint32_t plain[4][SAMPLE_LANES], bool answered, bool blue_first)
{
    uint32_t out[SAMPLE_LANES];
    fpmode_set(FPMODE_DEFAULT | (plan->patch_any_denormals ? FPMODE_FLUSH : 0));
    bool done = cpu_selected() == CPU_AVX2
                    ? run_pixels_avx2(plan, req, blue_first, out)
                    : run_pixels_avx512(plan, req, blue_first, out);
    fpmode_set(FPMODE_DEFAULT);
    cr_assert(done || !answered);
    for (unsigned i = 0; i < SAMPLE_LANES && done; i++) {
        uint32_t want = 0;
        for (unsigned c = 0; c < 4; c++) {
            float v = fminf(fmaxf(float_from_bits(plain[c][i]), 0.0f), 1.0f);
            unsigned at = blue_first && c != 1 && c != 3 ? 2 - c : c;
            want |= (uint32_t)nearbyint((double)v * 255.0) << 8 * at;
        }
        cr_assert_eq(out[i], want, "lane %u: %08x, not %08x", i, out[i], want);
    }
}

__attribute__((target("avx2"))) static bool
run_vectors_avx2(const struct sample_plan *plan, const struct sample_pair *in,
                 uint32_t *out, const int16_t at_dw[4])
{
    const uint32_t *from[3] = {in->ref, in->u, in->v};
    __m256 v[6];
    for (unsigned i = 0; i < 6; i++)
        v[i] = _mm256_loadu_ps(
            (const float *)(const void *)from[(i / 2 + !plan->compare) % 3] +
            i % 2 * 8);
    return ((sample_vectors_avx2_fn)plan->vectors)(
        plan, out, at_dw, in->blocks, v[0], v[1], v[2], v[3], v[4], v[5]);
}

/* Patches that take vectors are called with these, too, half of the time. */
static bool
run_patch(const struct sample_plan *plan, const struct sample_pair *in,
          uint32_t *out, const int16_t at_dw[4])
{
    if (plan->vectors && cpu_selected() == CPU_AVX2 && any(2))
        return run_vectors_avx2(plan, in, out, at_dw);
    bool ok = plan->patch(plan, in, out, at_dw);
    cr_assert(upper_halves_are_clear());
    return ok;
}

/* The answer goes where the parameters are, or elsewhere. */
static void
compare_patch(const struct sample_plan *plan, const struct surface *s,
              const struct sample_req *req, uint32_t plain[4][SAMPLE_LANES],
              unsigned round, struct tally *tally)
{
    uint32_t param[4][SAMPLE_LANES], out[4][SAMPLE_LANES];
    bool overlap = round & 1;
    static const uint32_t zeros[SAMPLE_LANES];
    bool more = memcmp(req->lod.u, zeros, sizeof zeros) ||
                (plan->layered && memcmp(req->r.u, zeros, sizeof zeros));
    if (!plan->patch || req->lanes != 16 || req->exec_mask != 0xffff ||
        (req->op == SAMPLE_LD && more))
        return;
    memcpy(param[0], req->u.u, sizeof param[0]);
    memcpy(param[1], req->v.u, sizeof param[1]);
    memcpy(param[2], req->ref.u, sizeof param[2]);
    memset(out, 0xcc, sizeof out);
    fpmode_set(FPMODE_DEFAULT | (plan->patch_any_denormals ? FPMODE_FLUSH : 0));
    int16_t at_dw[4] = {0, 16, 32, 48};
    unsigned left_out = any(8);
    if (left_out < 4 && !overlap)
        at_dw[left_out] = -1;
    struct sample_pair pair = {param[0], param[1], param[2], blocks};
    bool ok = run_patch(plan, &pair, overlap ? param[0] : out[0], at_dw);
    fpmode_set(FPMODE_DEFAULT);
    if (plan->pixels)
        compare_pixels(plan, req, plain, ok, any(2));
    for (unsigned i = 0; i < 16 && left_out < 4 && !overlap; i++) {
        cr_assert_eq(out[left_out][i], 0xcccccccc);
        out[left_out][i] = plain[left_out][i];
    }
    if (ok) {
        check_same_bits(s, req, overlap ? param : out, plain, "patch", round);
        tally->patches++;
    } else {
        cr_assert(overlap || left_out == 3 || out[3][15] == 0xcccccccc);
    }
}

static void
compare_variants(const struct surface *s, const struct sampler *sp,
                 const struct sample_req *req, unsigned round,
                 struct tally *tally)
{
    struct sample_shape shape = shape_of(req);
    struct sample_plan plan;
    sample_plan_init(&plan, s, sp, &shape);
    plan.gathers = round & 2;
    tally->asked++;
    if (plan.texel == SAMPLE_TEXELS)
        return;
    uint32_t plain[4][SAMPLE_LANES], fast[4][SAMPLE_LANES];
    memset(plain, 0xcc, sizeof plain);
    sampler_sample(s, sp, req, plain);
    bool answered = false;
    for (unsigned i = 0; i < ARRAY_SIZE(variant) * 2; i++) {
        if (!is_supported(i / 2))
            continue;
        memset(fast, 0xcc, sizeof fast);
        bool special = plan.way == SAMPLE_FETCH ||
                       plan.way == SAMPLE_ANISOTROPIC;
        enum sample_way way = i % 2 && !special ? SAMPLE_ANY : plan.way;
        /* In the kernels' mode where that is said to make no difference. */
        uint32_t mode = FPMODE_DEFAULT |
                        (plan.any_denormals ? FPMODE_FLUSH : 0);
        fpmode_set(mode);
        bool ok = run_plan(&plan, req,
                           variant[i / 2].routines->fn[plan.texel][way],
                           round & 1, fast);
        fpmode_set(FPMODE_DEFAULT);
        answered |= ok;
        if (ok)
            check_same_bits(s, req, fast, plain, variant[i / 2].name, round);
    }
    tally->answered += answered;
    compare_patch(&plan, s, req, plain, round, tally);
}

Test(plan, gives_the_same_bits)
{
    struct tally tally = {0, 0, 0};
    blocks = sample_blocks_new();
    cr_assert_not_null(blocks);
    for (unsigned round = 0; round < 8000; round++) {
        struct surface s = any_surface();
        struct sampler sp = any_sampler();
        for (unsigned i = 0; i < 8; i++) {
            struct sample_req req = any_req();
            req.exec_mask &= req.lanes == 16 ? 0xffff : 0xff;
            if (any(4) == 0)
                req.offset[1] = (int8_t)(any(16) - 8);
            memset(req.min_lod, 0, sizeof req.min_lod);
            compare_variants(&s, &sp, &req, round, &tally);
        }
        free(s.mem);
    }
    sample_blocks_free(blocks);
    cr_log_info("%u of %u messages answered", tally.answered, tally.asked);
    /* The comparison is worth something only if the routines run. */
    if (is_supported(0))
        cr_expect_gt(tally.answered, tally.asked / 8);
}

static struct sample_req
any_fetch(void)
{
    struct sample_req req = any_req();
    req.op = SAMPLE_LD;
    bool plain = any(2);
    for (unsigned i = 0; i < 16; i++) {
        req.u.i[i] = (int32_t)any(44) - 3;
        req.v.i[i] = any(16) ? (int32_t)any(44) - 3 : INT32_MIN;
        req.r.u[i] = any(4) || plain ? 0 : any(5);
        req.lod.u[i] = any(2) || plain ? 0 : any(6);
    }
    return req;
}

Test(plan, fetches_the_same_texels)
{
    struct tally tally = {0, 0, 0};
    blocks = sample_blocks_new();
    cr_assert_not_null(blocks);
    for (unsigned round = 0; round < 4000; round++) {
        struct surface s = any_surface();
        for (unsigned i = 0; i < 4; i++) {
            struct sample_req req = any_fetch();
            req.exec_mask &= req.lanes == 16 ? 0xffff : 0xff;
            compare_variants(&s, NULL, &req, round, &tally);
        }
        free(s.mem);
    }
    sample_blocks_free(blocks);
    if (is_supported(0))
        cr_expect_gt(tally.answered, tally.asked / 4);
}

/* Footprints of all shapes. */
Test(plan, filters_anisotropically_alike)
{
    struct tally tally = {0, 0, 0};
    for (unsigned round = 0; round < 3000; round++) {
        struct surface s = make_surface(
            SURFACE_2D, any(2) ? F_RGBA8 : F_RGBA32F, 64, 32, 1, 6, TILING_Y);
        for (uint64_t i = 0; i < s.limit_B; i++)
            s.mem[i] = i % 4 == 3 ? 0x3f : (uint8_t)any(256);
        struct sampler sp = any_sampler();
        sp.min_filter = FILTER_ANISOTROPIC;
        sp.mag_filter = any(2) ? FILTER_ANISOTROPIC : FILTER_LINEAR;
        sp.anisotropic_ewa = true;
        struct sample_req req = any_req();
        req.op = any(2) ? SAMPLE_PLAIN : SAMPLE_BIAS;
        req.offset[0] = 0;
        req.exec_mask &= req.lanes == 16 ? 0xffff : 0xff;
        float d[4];
        for (unsigned i = 0; i < 4; i++)
            d[i] = ldexpf((float)any(1024) - 512.0f, -(int)any(20));
        for (unsigned i = 0; i < 16 && any(8); i++) {
            req.u.f[i] = d[0] * (float)(i & 1) + d[1] * (float)(i >> 1 & 1);
            req.v.f[i] = d[2] * (float)(i & 1) + d[3] * (float)(i >> 1 & 1);
        }
        compare_variants(&s, &sp, &req, round, &tally);
        free(s.mem);
    }
    if (is_supported(0))
        cr_expect_gt(tally.answered, tally.asked / 8);
}

/* Trilinear samples of levels that are of one colour each tell the LOD. */
Test(plan, derives_the_same_lod)
{
    struct tally tally = {0, 0, 0};
    struct surface s = make_surface(SURFACE_2D, F_RGBA32F, 64, 64, 1, 7,
                                    TILING_LINEAR);
    for (unsigned l = 0; l < 7; l++)
        for (uint32_t i = 0; i < (64u >> l) * (64u >> l); i++)
            put_texel(&s, l, i % (64 >> l), i / (64 >> l), 0, (float)l, 0, 0,
                      1);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_LINEAR, GEN9_TCM_WRAP);
    for (unsigned round = 0; round < 100000; round++) {
        struct sample_req req = any_req();
        req.op = any(2) ? SAMPLE_PLAIN : SAMPLE_BIAS;
        req.offset[0] = 0;
        req.exec_mask &= req.lanes == 16 ? 0xffff : 0xff;
        float step = ldexpf((float)(1 + any(1 << 20)), -(int)any(28) - 1);
        for (unsigned i = 0; i < 16 && any(8); i++) {
            req.u.f[i] = step * (float)(i & 1);
            req.v.f[i] = step * (float)(i >> 1 & 1);
        }
        compare_variants(&s, &sp, &req, round, &tally);
    }
    free(s.mem);
    if (is_supported(0))
        cr_expect_gt(tally.answered, tally.asked / 2);
}

/* The stock driver's blits: coordinates in texels, never repeated. */
Test(plan, coordinates_in_texels)
{
    struct tally tally = {0, 0, 0};
    blocks = sample_blocks_new();
    cr_assert_not_null(blocks);
    for (unsigned round = 0; round < 4000; round++) {
        struct surface s = any_surface();
        struct sampler sp = any_sampler();
        sp.non_normalized = true;
        sp.wrap[0] = sp.wrap[1] = GEN9_TCM_CLAMP;
        struct sample_req req = any_req();
        req.op = SAMPLE_LZ;
        req.compare = false;
        req.reduction = 0;
        req.exec_mask &= req.lanes == 16 ? 0xffff : 0xff;
        memset(req.min_lod, 0, sizeof req.min_lod);
        for (unsigned i = 0; i < SAMPLE_LANES && round & 1; i++) {
            req.u.f[i] *= (float)s.width;
            req.v.f[i] *= (float)s.height;
        }
        compare_variants(&s, &sp, &req, round, &tally);
        free(s.mem);
    }
    sample_blocks_free(blocks);
    if (is_supported(0))
        cr_expect_gt(tally.answered, tally.asked / 8);
}

static float
any_reference(const struct surface *s)
{
    static const float special[] = {NAN,   -NAN, INFINITY, -INFINITY,
                                    -0.0f, 0.0f, 1e-40f,   -1e-40f,
                                    1.0f,  1.5f, -0.5f,    5.9604645e-8f};
    uint32_t n = any(4);
    switch (any(3)) {
    case 0: return special[any(ARRAY_SIZE(special))];
    case 1: return (float)n / (s->fmt->element_B == 2 ? 65535.0f : 16777215.0f);
    default: return (float)any(1 << 16) / (1 << 16);
    }
}

/* Many texels are equal, or zero, or next to that. */
Test(plan, compares_alike)
{
    static const unsigned format[] = {F_R32_FLOAT, 0x0d9 /* R24_UNORM_X8 */,
                                      0x10a /* R16_UNORM */};
    struct tally tally = {0, 0, 0};
    for (unsigned round = 0; round < 6000; round++) {
        struct surface s = make_surface(SURFACE_2D, format[any(3)], 1 + any(37),
                                        1 + any(37), 1, 1 + any(4), TILING_Y);
        bool few = any(2);
        if (few)
            fill_with_few_numbers(&s);
        else
            fill_with_any_bytes(&s);
        struct sampler sp = any_sampler();
        sp.shadow_func = (uint8_t)any(8);
        for (unsigned n = 0; n < 4; n++) {
            struct sample_req req = any_req();
            req.op = any(2) ? SAMPLE_PLAIN : SAMPLE_LZ;
            req.compare = true;
            req.exec_mask &= req.lanes == 16 ? 0xffff : 0xff;
            for (unsigned i = 0; i < 16; i++)
                req.ref.f[i] = any_reference(&s);
            compare_variants(&s, &sp, &req, round, &tally);
        }
        free(s.mem);
    }
    if (is_supported(0))
        cr_expect_gt(tally.answered, tally.asked / 4);
}

/* A block of 4x4 pixels anywhere on a surface: turned, mirrored, stretched,
 * now and then with a lane that is elsewhere. */
static struct sample_req
any_block(const struct surface *s)
{
    struct sample_req req = {
        .op = any(4)   ? SAMPLE_PLAIN
              : any(2) ? SAMPLE_LZ
                       : SAMPLE_LD,
        .lanes = 16,
        .exec_mask = 0xffff,
    };
    float at[2], d[4];
    for (unsigned i = 0; i < 2; i++)
        at[i] = any(16) ? (float)any(1 << 16) / (1 << 15) - 0.5f : any_coord();
    for (unsigned i = 0; i < 4; i++)
        d[i] = any(3) ? ((float)any(256) - 128.0f) / 128.0f
                      : (float)any(3) - 1.0f;
    /* A texel per pixel. */
    for (unsigned i = 0, one = any(8) == 0; i < 4 && one; i++)
        d[i] = i % 3 ? 0.0f : 1.0f;
    /* A picture that is made smaller or larger. */
    for (unsigned i = 0, upright = any(6) == 0; i < 4 && upright; i++)
        d[i] = i % 3 ? 0.0f : (float)any(256) / 64.0f;
    if (any(4) == 0)
        at[0] = floorf(at[0] * 64.0f) / 64.0f;
    for (unsigned i = 0; i < 16; i++) {
        float x = (float)((i >> 2 & 1) * 2 + (i & 1));
        float y = (float)((i >> 3) * 2 + (i >> 1 & 1));
        float tx = d[0] * x + d[1] * y, ty = d[2] * x + d[3] * y;
        req.u.f[i] = at[0] + tx / (float)s->width;
        req.v.f[i] = at[1] + ty / (float)s->height;
        if (req.op == SAMPLE_LD) {
            req.u.i[i] = sample_floor(at[0] * 64.0f + tx);
            req.v.i[i] = sample_floor(at[1] * 64.0f + ty);
        }
    }
    if (any(16) == 0)
        req.u.f[any(16)] = any_coord();
    if (any(16) == 0)
        req.v.f[any(16)] = any_coord();
    return req;
}

/* All modes of BC7 alike, and the reserved one. */
static void
fill_with_all_modes(struct surface *s)
{
    for (uint64_t i = 0; i < s->limit_B; i += 16) {
        unsigned mode = any(9);
        s->mem[i] = (uint8_t)((s->mem[i] | 1) << mode);
    }
}

/* Edges, all levels, the common address modes. */
Test(plan, patches_have_the_same_bits)
{
    static const unsigned format[] = {
        F_RGBA8,
        0x0c0 /* BGRA8 */,
        F_BGRX8,
        0x186 /* BC1 */,
        0x1a2 /* BC7 */,
        0x1aa /* ETC2 */,
        0x1a9 /* ETC1 */,
        0x191 /* DXT1_RGB */,
        0x18b /* BC1 sRGB */,
        0x188 /* BC3 */,
        0x18d /* BC3 sRGB */,
        0x199 /* BC4 signed */,
        0x1a1 /* BC6H signed */,
        0x1a4 /* BC6H */,
        0x1af /* ETC2 sRGB */,
        F_RGBA32F,
        0x084 /* RGBA16F */,
        0x0c8 /* RGBA8_SRGB */,
        0x0c1 /* BGRA8_SRGB */,
        F_R8_UNORM,
        0x144 /* A8 */,
        F_R32_FLOAT,
        F_R32_UINT,
        0x0d3 /* R11G11B10F */,
        0x0d9 /* R24_UNORM_X8 */,
    };
    struct tally tally = {0, 0, 0};
    blocks = sample_blocks_new();
    cr_assert_not_null(blocks);
    for (unsigned round = 0; round < 8000; round++) {
        struct surface s = make_surface(
            SURFACE_2D, format[any(ARRAY_SIZE(format))], 8 + any(120),
            8 + any(120), 1, 1 + any(5), TILING_Y);
        bool few = any(4) == 0;
        if (few)
            fill_with_few_numbers(&s);
        else
            fill_with_any_bytes(&s);
        if (few && (s.fmt->compression == FORMAT_ETC1 ||
                    s.fmt->compression == FORMAT_ETC2))
            fill_with_equal_blocks(&s);
        if (s.fmt->compression == FORMAT_BC7)
            fill_with_all_modes(&s);
        for (unsigned i = 0; i < 4 && any(4) == 0; i++)
            s.swizzle[i] = (uint8_t)any(8);
        struct sampler sp = make_sampler(any(2), any(2) ? any(2) : MIP_LINEAR,
                                         0);
        for (unsigned i = 0; i < 2; i++)
            sp.wrap[i] = any(2) ? GEN9_TCM_WRAP : GEN9_TCM_CLAMP;
        sp.rounding_enable = any(4) ? 0x3f : (uint8_t)any(64);
        sp.shadow_func = (uint8_t)any(8);
        for (unsigned n = 0; n < 16; n++) {
            struct sample_req req = any_block(&s);
            bool depth = s.fmt->can_shadow && req.op != SAMPLE_LD;
            req.compare = depth && any(2);
            for (unsigned i = 0; i < 16 && req.compare; i++)
                req.ref.f[i] = any_reference(&s);
            compare_variants(&s, req.op == SAMPLE_LD ? NULL : &sp, &req, n,
                             &tally);
        }
        free(s.mem);
    }
    sample_blocks_free(blocks);
    cr_log_info("%u of %u messages patches", tally.patches, tally.asked);
    if (has_patches())
        cr_expect_gt(tally.patches, tally.asked / 16);
    if (cpu_selected() == CPU_AVX512 && has_patches())
        cr_expect_gt(halves, tally.patches / 32);
}

/* Rarely the largest there is, in one direction. */
static struct surface
any_bytes4(void)
{
    static const unsigned format[] = {F_RGBA8, 0x0c0 /* BGRA8 */, F_BGRX8};
    uint32_t size[2];
    for (unsigned i = 0; i < 2; i++)
        size[i] = 1 + any(any(2) ? 3 : 90);
    if (any(64) == 0)
        size[any(2)] = 16384 - any(40);
    struct surface s = make_surface(SURFACE_2D, format[any(ARRAY_SIZE(format))],
                                    size[0], size[1], 1, 1 + any(3), TILING_Y);
    fill_with_any_bytes(&s);
    return s;
}

/* Lanes that have nothing to do with each other, of surfaces down to one texel:
 * texels of four bytes are loaded one by one. */
Test(plan, gathers_what_lies_anywhere)
{
    struct tally tally = {0, 0, 0};
    for (unsigned round = 0; round < 4000; round++) {
        struct surface s = any_bytes4();
        for (unsigned i = 0; i < 4 && any(4) == 0; i++)
            s.swizzle[i] = (uint8_t)any(8);
        struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, 0);
        for (unsigned i = 0; i < 2; i++)
            sp.wrap[i] = any(2) ? GEN9_TCM_WRAP : GEN9_TCM_CLAMP;
        sp.rounding_enable = any(2) ? 0x3f : 0;
        for (unsigned n = 0; n < 4; n++) {
            struct sample_req req = {
                .op = SAMPLE_PLAIN, .lanes = 16, .exec_mask = 0xffff};
            for (unsigned i = 0; i < 16; i++) {
                req.u.f[i] = any(32) ? any_coord() : -INFINITY;
                req.v.f[i] = any(32) ? any_coord() : -NAN;
            }
            compare_variants(&s, &sp, &req, n, &tally);
        }
        free(s.mem);
    }
    if (has_patches())
        cr_expect_eq(tally.patches, tally.asked);
}

/* Half the sums are in the middle between two bytes. */
Test(plan, rounds_pixels_between_texels)
{
    static const unsigned format[] = {F_RGBA8, F_BGRX8, 0x186 /* BC1 */,
                                      0x1aa /* ETC2 */};
    struct tally tally = {0, 0, 0};
    blocks = sample_blocks_new();
    cr_assert_not_null(blocks);
    for (unsigned round = 0; round < 400; round++) {
        struct surface s = make_surface(SURFACE_2D,
                                        format[any(ARRAY_SIZE(format))], 64, 64,
                                        1, 1, TILING_Y);
        fill_with_any_bytes(&s);
        struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, 0);
        sp.rounding_enable = 0x3f;
        for (unsigned n = 0; n < 16; n++) {
            struct sample_req req = {
                .op = SAMPLE_PLAIN, .lanes = 16, .exec_mask = 0xffff};
            float x = (float)any(128) / 2.0f, y = (float)any(128) / 2.0f;
            for (unsigned i = 0; i < 16; i++) {
                req.u.f[i] = (x + (float)(i & 3)) / 64.0f;
                req.v.f[i] = (y + (float)(i >> 2)) / 64.0f;
            }
            compare_variants(&s, &sp, &req, n, &tally);
        }
        free(s.mem);
    }
    sample_blocks_free(blocks);
    if (has_patches())
        cr_expect_gt(tally.patches, tally.asked / 4);
}
