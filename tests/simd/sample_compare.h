/* sample_compare.h: compares the kernels of a plan with sampler_sample(): the
 * kernels for any lanes, footprint kernels, and their variants that take
 * vectors or return pixels. For check_*.c of the sampler, in the process of one
 * instruction set. */
#ifndef TEST_SIMD_SAMPLE_COMPARE_H
#define TEST_SIMD_SAMPLE_COMPARE_H

#include "check.h"

#include "base/fpmode.h"
#include "sampler/any_request.h"
#include "sampler/plan/kernel_types.h"
#include "sampler/plan/kernels.h"
#include "upper_halves.h"

/* What one row asked, and which kernels answered. */
struct tally {
    enum check_isa isa;
    struct block_cache *blocks;
    unsigned asked, answered, footprints;
    unsigned halves; /* messages with a second stage */
};

static inline struct tally
begin_tally(enum check_isa isa)
{
    struct tally tally = {.isa = isa, .blocks = block_cache_new()};
    check_that(tally.blocks);
    seed = check_seed();
    return tally;
}

/* The comparison is only meaningful if kernels answer. */
static inline void
end_tally(struct tally *tally, unsigned part, unsigned of)
{
    block_cache_free(tally->blocks);
    check_gt(of, tally->asked / part, "%u of %u messages", of, tally->asked);
}

static inline struct sample_shape
shape_of(const struct sample_req *req)
{
    struct sample_shape shape = {
        .op = req->op, .compare = req->compare, .reduction = req->reduction};
    memcpy(shape.offset, req->offset, sizeof shape.offset);
    return shape;
}

static inline void
check_same_bits(const struct surface *s, const struct sample_req *req,
                uint32_t got[4][SAMPLE_LANES], uint32_t want[4][SAMPLE_LANES],
                const char *path)
{
    for (unsigned i = 0; i < 64; i++) {
        uint32_t x = got[i / 16][i % 16], y = want[i / 16][i % 16];
        check_eq(x, y,
                 "%s type %u tiling %u op %u channel %u lane %u %s: %08x, not "
                 "%08x",
                 s->fmt->name, s->type, s->tiling, req->op, i / 16, i % 16,
                 path, x, y);
    }
}

/* Half of the answers overwrite the parameters, as messages do. */
static inline bool
run_plan(const struct sample_plan *plan, const struct sample_req *req,
         sample_plan_fn run, bool overlap, struct block_cache *blocks,
         uint32_t out[4][SAMPLE_LANES])
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

__attribute__((target("avx2"))) static inline bool
run_pixels_avx2(const struct sample_plan *plan, const struct sample_req *req,
                struct tally *tally, bool blue_first,
                uint32_t out[SAMPLE_LANES])
{
    __m256i pixels[2];
    bool done = ((sample_to_unorm8_avx2_fn)plan->to_unorm8)(
        plan, _mm256_loadu_ps(req->u.f), _mm256_loadu_ps(req->u.f + 8),
        _mm256_loadu_ps(req->v.f), _mm256_loadu_ps(req->v.f + 8), tally->blocks,
        blue_first, pixels);
    memcpy(out, pixels, sizeof pixels);
    return done;
}

__attribute__((target("avx512f"))) static inline bool
run_pixels_avx512(const struct sample_plan *plan, const struct sample_req *req,
                  struct tally *tally, bool blue_first,
                  uint32_t out[SAMPLE_LANES])
{
    static const enum sample_state hints[] = {
        SAMPLE_DONE, SAMPLE_BEGUN, SAMPLE_BEGUN_GATHER, SAMPLE_BEGUN_ROTATED};
    struct sample_begun begun = {.state = hints[any(4)]};
    __m512i pixels = ((sample_to_unorm8_avx512_fn)plan->to_unorm8)(
        plan, _mm512_loadu_ps(req->u.f), _mm512_loadu_ps(req->v.f),
        tally->blocks, blue_first, &begun);
    tally->halves += begun.state >= SAMPLE_BEGUN;
    if (begun.state >= SAMPLE_BEGUN)
        pixels = ((sample_finish_avx512_fn)plan->finish)(plan, &begun,
                                                         blue_first);
    _mm512_storeu_si512(out, pixels);
    return begun.state != SAMPLE_LEFT_OUT;
}

/* Wherever footprint() answers, to_unorm8() does, too, with the bytes that a
 * UNORM8 target makes of the colours. */
static inline void
compare_pixels(const struct sample_plan *plan, const struct sample_req *req,
               uint32_t plain[4][SAMPLE_LANES], bool answered,
               struct tally *tally)
{
    uint32_t out[SAMPLE_LANES];
    bool blue_first = any(2);
    fpmode_set(FPMODE_DEFAULT |
               (plan->footprint_any_denormals ? FPMODE_FLUSH : 0));
    bool done = tally->isa == CHECK_AVX2
                    ? run_pixels_avx2(plan, req, tally, blue_first, out)
                    : run_pixels_avx512(plan, req, tally, blue_first, out);
    fpmode_set(FPMODE_DEFAULT);
    check_that(done || !answered);
    for (unsigned i = 0; i < SAMPLE_LANES && done; i++) {
        uint32_t want = 0;
        for (unsigned c = 0; c < 4; c++) {
            float v = fminf(fmaxf(float_from_bits(plain[c][i]), 0.0f), 1.0f);
            unsigned at = blue_first && c != 1 && c != 3 ? 2 - c : c;
            double places = floor((double)v * 65536.0);
            want |= (uint32_t)floor(places * 255.0 / 65536.0 + 0.5) << 8 * at;
        }
        check_eq(out[i], want, "lane %u: %08x, not %08x", i, out[i], want);
    }
}

__attribute__((target("avx2"))) static inline bool
run_vectors_avx2(const struct sample_plan *plan, const struct sample_pair *in,
                 uint32_t *out, const int16_t at_dw[4])
{
    const uint32_t *from[3] = {in->ref, in->u, in->v};
    __m256 v[6];
    for (unsigned i = 0; i < 6; i++)
        v[i] = _mm256_loadu_ps(
            (const float *)(const void *)from[(i / 2 + !plan->compare) % 3] +
            i % 2 * 8);
    return ((sample_in_registers_avx2_fn)plan->in_registers)(
        plan, out, at_dw, in->blocks, v[0], v[1], v[2], v[3], v[4], v[5]);
}

__attribute__((target("avx512f"))) static inline bool
run_vectors_avx512(const struct sample_plan *plan, const struct sample_pair *in,
                   uint32_t *out, const int16_t at_dw[4])
{
    const uint32_t *from[3] = {in->ref, in->u, in->v};
    __m512 v[3];
    for (unsigned i = 0; i < 3; i++)
        v[i] = _mm512_loadu_ps(from[(i + !plan->compare) % 3]);
    return ((sample_in_registers_avx512_fn)plan->in_registers)(
        plan, out, at_dw, in->blocks, v[0], v[1], v[2]);
}

/* Half of the time calls the variant with vectors, if there is one. */
static inline bool
run_footprint(const struct sample_plan *plan, const struct sample_pair *in,
              uint32_t *out, const int16_t at_dw[4], enum check_isa isa)
{
    if (plan->in_registers && any(2))
        return isa == CHECK_AVX2 ? run_vectors_avx2(plan, in, out, at_dw)
                                 : run_vectors_avx512(plan, in, out, at_dw);
    bool ok = plan->footprint(plan, in, out, at_dw);
    check_that(upper_halves_are_clear());
    return ok;
}

/* Half of the answers overwrite the parameters. */
static inline void
compare_footprint(const struct sample_plan *plan, const struct surface *s,
                  const struct sample_req *req, uint32_t plain[4][SAMPLE_LANES],
                  unsigned round, struct tally *tally)
{
    uint32_t param[4][SAMPLE_LANES], out[4][SAMPLE_LANES];
    bool overlap = round & 1;
    static const uint32_t zeros[SAMPLE_LANES];
    bool more = memcmp(req->lod.u, zeros, sizeof zeros) ||
                (plan->layered && memcmp(req->r.u, zeros, sizeof zeros));
    if (!plan->footprint || req->lanes != 16 || req->exec_mask != 0xffff ||
        (req->op == SAMPLE_LD && more))
        return;
    memcpy(param[0], req->u.u, sizeof param[0]);
    memcpy(param[1], req->v.u, sizeof param[1]);
    memcpy(param[2], req->ref.u, sizeof param[2]);
    memset(out, 0xcc, sizeof out);
    fpmode_set(FPMODE_DEFAULT |
               (plan->footprint_any_denormals ? FPMODE_FLUSH : 0));
    int16_t at_dw[4] = {0, 16, 32, 48};
    unsigned left_out = any(8);
    if (left_out < 4 && !overlap)
        at_dw[left_out] = -1;
    struct sample_pair pair = {param[0], param[1], param[2], tally->blocks};
    bool ok = run_footprint(plan, &pair, overlap ? param[0] : out[0], at_dw,
                            tally->isa);
    fpmode_set(FPMODE_DEFAULT);
    if (plan->to_unorm8)
        compare_pixels(plan, req, plain, ok, tally);
    for (unsigned i = 0; i < 16 && left_out < 4 && !overlap; i++) {
        check_eq(out[left_out][i], 0xcccccccc);
        out[left_out][i] = plain[left_out][i];
    }
    if (ok) {
        check_same_bits(s, req, overlap ? param : out, plain, "footprint");
        tally->footprints++;
    } else {
        check_that(overlap || left_out == 3 || out[3][15] == 0xcccccccc);
    }
}

/* In the kernels' floating-point mode, if the plan allows it. */
static inline bool
run_any_lanes(const struct sample_plan *plan, const struct sample_req *req,
              bool as_any, unsigned round, struct tally *tally,
              uint32_t out[4][SAMPLE_LANES])
{
    const struct sample_routines *routines = tally->isa == CHECK_AVX2
                                                 ? &sample_avx2
                                                 : &sample_avx512;
    bool special = plan->mode == SAMPLE_FETCH ||
                   plan->mode == SAMPLE_ANISOTROPIC;
    enum sample_mode as = as_any && !special ? SAMPLE_ANY : plan->mode;
    fpmode_set(FPMODE_DEFAULT | (plan->any_denormals ? FPMODE_FLUSH : 0));
    memset(out, 0xcc, 4 * sizeof out[0]);
    bool ok = run_plan(plan, req, routines->fn[plan->texel][as], round & 1,
                       tally->blocks, out);
    fpmode_set(FPMODE_DEFAULT);
    return ok;
}

/* The kernels for any lanes, for the plan's mode and for any mode; then the
 * footprint kernels that the plan has. */
static inline void
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
    for (unsigned i = 0; i < 2; i++) {
        if (!run_any_lanes(&plan, req, i, round, tally, fast))
            continue;
        answered = true;
        check_same_bits(s, req, fast, plain, i ? "any mode" : "any lanes");
    }
    tally->answered += answered;
    compare_footprint(&plan, s, req, plain, round, tally);
}

#endif
