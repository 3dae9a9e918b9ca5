/* sample_bench.h: benches of sampler messages of sixteen lanes: a block of 4x4
 * pixels that moves over a texture like the rasteriser's blocks. */
#ifndef TEST_SIMD_SAMPLE_BENCH_H
#define TEST_SIMD_SAMPLE_BENCH_H

#include "check.h"

#include "sampler/plan/kernels.h"
#include "surface_pack.h"

enum { BENCH_MESSAGES = 256, BENCH_PX = 256 };
enum { BENCH_D24 = 0x0d9, BENCH_RGBA32F = 0x000, BENCH_RGBA16F = 0x084 };

/* scale: texels per pixel, 0: anywhere; turn: rotation; stretch: in y. */
struct bench_case {
    const char *name;
    unsigned format;
    uint8_t filter, mip, wrap;
    float scale, turn, stretch;
};

static const struct bench_case bench_cases[] = {
    {"nearest_1to1", 0x0c7, 0, 0, 0, 1.0f, 0.0f, 1.0f},
    {"bilinear_1to1", 0x0c7, 1, 0, 0, 1.0f, 0.0f, 1.0f},
    {"bilinear_mip0", 0x0c7, 1, 1, 0, 1.0f, 0.0f, 1.0f},
    {"bilinear_mag4", 0x0c7, 1, 0, 0, 0.23f, 0.0f, 1.0f},
    {"bilinear_rot", 0x0c7, 1, 0, 0, 0.93f, 0.6f, 1.0f},
    {"bilinear_clamp", 0x0c7, 1, 0, 2, 0.93f, 0.0f, 1.0f},
    {"bilinear_random", 0x0c7, 1, 0, 0, 0.0f, 0.0f, 1.0f},
    {"mipnearest", 0x0c7, 1, 1, 0, 1.7f, 0.3f, 1.0f},
    {"trilinear", 0x0c7, 1, 3, 0, 1.7f, 0.3f, 1.0f},
    {"trilinear_1.5", 0x0c7, 1, 3, 0, 1.5f, 0.0f, 1.0f},
    {"mipnearest_1.5", 0x0c7, 1, 1, 0, 1.5f, 0.0f, 1.0f},
    {"r8_bilinear", 0x140, 1, 0, 0, 0.93f, 0.1f, 1.0f},
    {"aniso8", 0x0c7, 2, 3, 0, 1.0f, 0.0f, 8.0f},
    {"trilinear_srgb", 0x0c8, 1, 3, 0, 1.7f, 0.3f, 1.0f},
    {"trilinear_srgb_1.5", 0x0c8, 1, 3, 0, 1.5f, 0.0f, 1.0f},
    {"rgba16f_bilinear", BENCH_RGBA16F, 1, 0, 0, 1.0f, 0.0f, 1.0f},
    {"rgba32f_bilinear", BENCH_RGBA32F, 1, 0, 0, 1.0f, 0.0f, 1.0f},
    {"r11g11b10f_bilinear", 0x0d3, 1, 0, 0, 1.0f, 0.0f, 1.0f},
    {"bc1_bilinear", 0x186, 1, 0, 0, 1.0f, 0.0f, 1.0f},
    {"bc1_trilinear", 0x186, 1, 3, 0, 1.7f, 0.3f, 1.0f},
    {"bc3_bilinear", 0x188, 1, 0, 0, 1.0f, 0.0f, 1.0f},
    {"bc7_bilinear", 0x1a2, 1, 0, 0, 1.0f, 0.0f, 1.0f},
    {"etc2_bilinear", 0x1aa, 1, 0, 0, 1.0f, 0.0f, 1.0f},
    {"shadow_bilinear", BENCH_D24, 1, 0, 2, 1.0f, 0.0f, 1.0f},
};

/* run: NULL for the reference. footprint: tried first, or NULL. */
struct sample_bench {
    struct surface s;
    struct sampler sp;
    struct sample_plan plan;
    struct block_cache *blocks;
    sample_plan_fn run;
    sample_footprint_fn footprint;
    struct sample_req req[BENCH_MESSAGES];
    uint32_t coord[BENCH_MESSAGES][2][SAMPLE_LANES]; /* as kernels get them */
};

static inline void
make_bench_surface(struct surface *s, const struct bench_case *c)
{
    *s = (struct surface){
        .type = SURFACE_2D,
        .format = (uint16_t)c->format,
        .fmt = format_info(c->format),
        .tiling = TILING_Y,
        .halign_el = 4,
        .valign_el = 4,
        .width = BENCH_PX,
        .height = BENCH_PX,
        .depth = 1,
        .samples = 1,
        .mip_count_minus1 = c->mip ? 8 : 0,
        .swizzle = {4, 5, 6, 7},
    };
    s->row_pitch_B = ALIGN_POT(BENCH_PX * 2 * s->fmt->element_B, 512);
    s->limit_B = (uint64_t)s->row_pitch_B * BENCH_PX * 2;
    s->mem = aligned_alloc(4096, s->limit_B);
    check_that(s->mem);
    for (uint64_t i = 0; i < s->limit_B; i++) {
        s->mem[i] = (uint8_t)check_random();
        /* Floats of usual magnitude. */
        if (c->format == BENCH_RGBA32F && i % 4 == 3)
            s->mem[i] = 0x3f;
        if (c->format == BENCH_RGBA16F && i % 2 == 1)
            s->mem[i] &= 0x3b;
    }
    surface_layout(s);
}

static inline void
make_bench_sampler(struct sampler *sp, const struct bench_case *c)
{
    *sp = (struct sampler){
        .min_filter = c->filter,
        .mag_filter = c->filter,
        .mip_filter = c->mip,
        .wrap = {c->wrap, c->wrap, c->wrap},
        .max_lod = 14.0f,
        .lod_preclamp = 2,
        .max_anisotropy = 8,
        .shadow_func = GEN9_COMPAREFUNCTION_LESS,
        .anisotropic_ewa = true,
        .rounding_enable = c->filter ? 0x3f : 0,
    };
}

static inline float
any_bench_texel(void)
{
    return (float)check_below(BENCH_PX * 256) / 256.0f;
}

/* Lanes of the quads of a block, off the edges and off texel centres. */
static inline void
make_bench_lanes(struct sample_bench *b, const struct bench_case *c)
{
    for (unsigned m = 0; m < BENCH_MESSAGES; m++) {
        struct sample_req *req = &b->req[m];
        for (unsigned i = 0; i < 16; i++) {
            unsigned x = m % 32 * 4 + (i >> 2 & 1) * 2 + (i & 1);
            unsigned y = m / 32 * 4 + (i >> 3) * 2 + (i >> 1 & 1);
            float px = ((float)x + 0.5f) * c->scale;
            float py = ((float)y + 0.5f) * c->scale * c->stretch;
            if (c->scale == 0.0f) {
                px = any_bench_texel();
                py = any_bench_texel();
            }
            req->u.f[i] = (px + c->turn * py + 8.05f) / BENCH_PX;
            req->v.f[i] = (py - c->turn * px + 8.05f) / BENCH_PX;
            req->ref.f[i] = 0.5f;
        }
        req->compare = c->format == BENCH_D24;
        req->lanes = 16;
        req->exec_mask = 0xffff;
        memcpy(b->coord[m][0], req->u.u, sizeof b->coord[m][0]);
        memcpy(b->coord[m][1], req->v.u, sizeof b->coord[m][1]);
    }
}

static inline void
run_bench_messages(void *arg)
{
    static const int16_t at_dw[4] = {0, 16, 32, 48};
    static uint32_t out[4][SAMPLE_LANES];
    struct sample_bench *b = arg;
    for (unsigned m = 0; m < BENCH_MESSAGES; m++) {
        const uint32_t *u = b->coord[m][0], *v = b->coord[m][1];
        const struct sample_req *req = &b->req[0];
        struct sample_pair pair = {u, v, req->ref.u, b->blocks};
        if (b->footprint && b->footprint(&b->plan, &pair, out[0], at_dw))
            continue;
        struct sample_lanes in = {
            .u = u,
            .v = v,
            .r = req->r.u,
            .lod = req->lod.u,
            .ref = req->ref.u,
            .lanes = 16,
            .exec_mask = 0xffff,
            .out = {out[0], out[1], out[2], out[3]},
            .whole = true,
            .blocks = b->blocks,
        };
        if (b->run)
            check_that(b->run(&b->plan, &in));
        else
            sampler_sample(&b->s, &b->sp, &b->req[m], out);
    }
}

static inline struct sample_bench *
begin_bench(const struct bench_case *c)
{
    struct sample_shape shape = {.op = SAMPLE_PLAIN,
                                 .compare = c->format == BENCH_D24};
    struct sample_bench *b = calloc(1, sizeof *b);
    check_that(b);
    make_bench_surface(&b->s, c);
    make_bench_sampler(&b->sp, c);
    make_bench_lanes(b, c);
    sample_plan_init(&b->plan, &b->s, &b->sp, &shape);
    b->blocks = block_cache_new();
    check_that(b->blocks);
    return b;
}

static inline void
end_bench(struct sample_bench *b)
{
    block_cache_free(b->blocks);
    free(b->s.mem);
    free(b);
}

#endif
