/* check_sample.c: sampler kernels for any lanes, and the footprint kernels that
 * plans select: every message has the bits of sampler_sample(). */
#include "near_request.h"
#include "sample_bench.h"
#include "sample_compare.h"

static void
compare_plain(enum check_isa isa)
{
    struct tally tally = begin_tally(isa);
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
    end_tally(&tally, 8, tally.answered);
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

static void
compare_fetches(enum check_isa isa)
{
    struct tally tally = begin_tally(isa);
    for (unsigned round = 0; round < 4000; round++) {
        struct surface s = any_surface();
        for (unsigned i = 0; i < 4; i++) {
            struct sample_req req = any_fetch();
            req.exec_mask &= req.lanes == 16 ? 0xffff : 0xff;
            compare_variants(&s, NULL, &req, round, &tally);
        }
        free(s.mem);
    }
    end_tally(&tally, 4, tally.answered);
}

/* Footprints of all shapes. */
static void
compare_anisotropic(enum check_isa isa)
{
    struct tally tally = begin_tally(isa);
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
    end_tally(&tally, 8, tally.answered);
}

/* Trilinear samples of levels with one colour each reveal the LOD. */
static void
compare_lods(enum check_isa isa)
{
    struct tally tally = begin_tally(isa);
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
    end_tally(&tally, 2, tally.answered);
}

/* The stock driver's blits: coordinates in texels, never repeated. */
static void
compare_texels(enum check_isa isa)
{
    struct tally tally = begin_tally(isa);
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
    end_tally(&tally, 8, tally.answered);
}

/* Many texels are equal, zero, or adjacent to these. */
static void
compare_shadows(enum check_isa isa)
{
    static const unsigned format[] = {F_R32_FLOAT, 0x0d9 /* R24_UNORM_X8 */,
                                      0x10a /* R16_UNORM */};
    struct tally tally = begin_tally(isa);
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
    end_tally(&tally, 4, tally.answered);
}

/* ---- benches ---- */

static void
bench_any_lanes(enum check_isa isa)
{
    for (unsigned i = 0; i < ARRAY_SIZE(bench_cases); i++) {
        struct sample_bench *b = begin_bench(&bench_cases[i]);
        const struct sample_routines *from = isa == CHECK_AVX2 ? &sample_avx2
                                                               : &sample_avx512;
        if (isa != CHECK_SCALAR)
            b->run = from->fn[b->plan.texel][b->plan.mode];
        check_time(bench_cases[i].name, run_bench_messages, b, BENCH_MESSAGES);
        end_bench(b);
    }
}

#define BOTH(kernel, compare, bench)                                       \
    {kernel, "sampler_sample", "sample_avx2", CHECK_AVX2, compare, bench}, \
    {                                                                      \
        kernel, "sampler_sample", "sample_avx512", CHECK_AVX512, compare,  \
            bench                                                          \
    }

static const struct check_row rows[] = {
    BOTH("sample", compare_plain, bench_any_lanes),
    BOTH("sample.ld", compare_fetches, NULL),
    BOTH("sample.anisotropic", compare_anisotropic, NULL),
    BOTH("sample.lod", compare_lods, NULL),
    BOTH("sample.texel_coordinates", compare_texels, NULL),
    BOTH("sample.compare", compare_shadows, NULL),
};

CHECK_FAMILY(sample, rows);
