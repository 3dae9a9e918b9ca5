/* check_direct.c: sampler kernels that compiled code calls directly, with the
 * worker's block cache: the bits of sampler_sample(), or nothing while the
 * worker has no cache. */
#include "near_request.h"
#include "sample_compare.h"

#include "engine/msg/sampler_prepared.h"

struct direct {
    struct prepared_message message;
    struct stage_cache cache;
    struct shader_stage stage;
    struct thread_env env;
};

__attribute__((target("avx512f"))) static bool
call_avx512(struct direct *d, const uint32_t *const in[3], uint32_t *out,
            const int16_t at_dw[4])
{
    typedef bool (*direct_fn)(const void *, uint32_t *, const int16_t[4],
                              struct thread_env *, __m512, __m512, __m512);
    return ((direct_fn)sampler_direct_avx512)(
        &d->message, out, at_dw, &d->env, _mm512_loadu_ps(in[0]),
        _mm512_loadu_ps(in[1]), _mm512_loadu_ps(in[2]));
}

__attribute__((target("avx2"))) static bool
call_avx2(struct direct *d, const uint32_t *const in[3], uint32_t *out,
          const int16_t at_dw[4])
{
    typedef bool (*direct_fn)(const void *, uint32_t *, const int16_t[4],
                              struct thread_env *, __m256, __m256, __m256,
                              __m256, __m256, __m256);
    __m256 v[6];
    for (unsigned i = 0; i < 6; i++)
        v[i] = _mm256_loadu_ps((const float *)(const void *)in[i / 2] +
                               i % 2 * 8);
    return ((direct_fn)sampler_direct_avx2)(&d->message, out, at_dw, &d->env,
                                            v[0], v[1], v[2], v[3], v[4], v[5]);
}

/* Returns whether the kernel answered. */
static bool
compare_call(struct direct *d, const struct surface *s,
             const struct sampler *sp, const struct sample_req *req,
             struct tally *tally)
{
    static const int16_t at_dw[4] = {0, 16, 32, 48};
    const bool compare = d->message.plan.compare;
    const uint32_t *in[3] = {compare ? req->ref.u : req->u.u,
                             compare ? req->u.u : req->v.u,
                             compare ? req->v.u : req->ref.u};
    uint32_t out[4][SAMPLE_LANES], plain[4][SAMPLE_LANES];
    memset(out, 0xcc, sizeof out);
    memcpy(plain, out, sizeof plain);
    d->env.worker = any(2) ? 0 : any(2) ? 1 : STAGE_CACHE_WORKERS;
    bool done = tally->isa == CHECK_AVX2 ? call_avx2(d, in, out[0], at_dw)
                                         : call_avx512(d, in, out[0], at_dw);
    check_that(!done || !d->env.worker, "worker %u has no blocks",
               d->env.worker);
    if (done)
        sampler_sample(s, sp, req, plain);
    else if (d->env.worker)
        check_bytes(out, plain, sizeof out);
    if (done)
        check_same_bits(s, req, out, plain, "direct");
    return done;
}

static void
compare_direct(enum check_isa isa)
{
    static const uint16_t format[] = {F_RGBA8, 0x0d9, 0x186, 0x1a2, 0x1aa};
    static struct direct d;
    struct tally tally = begin_tally(isa);
    d.cache.common = &d.cache;
    d.cache.blocks[0] = tally.blocks;
    d.stage.cache = &d.cache;
    d.env.stage = &d.stage;
    for (unsigned round = 0; round < 1500; round++) {
        struct surface s = any_near_surface(format, ARRAY_SIZE(format));
        struct sampler sp = any_near_sampler();
        for (unsigned n = 0; n < 8; n++) {
            struct sample_req req = any_near_request(&s);
            struct sample_shape shape = shape_of(&req);
            const struct sampler *with = req.op == SAMPLE_LD ? NULL : &sp;
            sample_plan_init(&d.message.plan, &s, with, &shape);
            if (!d.message.plan.in_registers)
                continue;
            tally.asked++;
            tally.footprints += compare_call(&d, &s, with, &req, &tally);
        }
        free(s.mem);
    }
    check_gt(tally.asked, 1000);
    end_tally(&tally, 8, tally.footprints);
}

static const struct check_row rows[] = {
    {"sampler_direct", "sampler_sample", "direct_avx2", CHECK_AVX2,
     compare_direct, NULL},
    {"sampler_direct", "sampler_sample", "direct_avx512", CHECK_AVX512,
     compare_direct, NULL},
};

CHECK_FAMILY(direct, rows);
