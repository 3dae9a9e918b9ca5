/* Cycles per sampler message of 16 lanes, for each routine.
 *
 * usage: sampler [NAME...]
 * The lanes are a block of 4x4 pixels that moves over the texture as the
 * rasteriser's do. Variants of one case alternate; the least of many samples
 * counts. Cycles are the core's, as in kernels.c. */
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#include "sampler/plan.h"
#include "surface_pack.h"

#define SAMPLES 61
#define MESSAGES 256
#define SIZE 256
#define CHAIN 20000
#define IMUL_CYCLES 3

static double core_per_tick;
static struct sample_blocks *blocks;

struct bench_case {
    const char *name;
    unsigned format;
    uint8_t filter, mip, wrap;
    float scale, turn; /* texels per pixel, 0: anywhere; rotation */
    float stretch;     /* in y, if not 0 */
};

#define RGBA8 0x0c7
#define R8 0x140
#define RGBA8_SRGB 0x0c8
#define RGBA16F 0x084
#define RGBA32F 0x000
#define R11G11B10F 0x0d3
#define BC1 0x186
#define BC3 0x188
#define BC7 0x1a2
#define ETC2 0x1aa
#define D24 0x0d9

static const struct bench_case cases[] = {
    {"nearest_1to1", RGBA8, 0, 0, 0, 1.0f, 0.0f, 0.0f},
    {"bilinear_1to1", RGBA8, 1, 0, 0, 1.0f, 0.0f, 0.0f},
    {"bilinear_mip0", RGBA8, 1, 1, 0, 1.0f, 0.0f, 0.0f},
    {"bilinear_mag4", RGBA8, 1, 0, 0, 0.23f, 0.0f, 0.0f},
    {"bilinear_rot", RGBA8, 1, 0, 0, 0.93f, 0.6f, 0.0f},
    {"bilinear_clamp", RGBA8, 1, 0, 2, 0.93f, 0.0f, 0.0f},
    {"bilinear_random", RGBA8, 1, 0, 0, 0.0f, 0.0f, 0.0f},
    {"mipnearest", RGBA8, 1, 1, 0, 1.7f, 0.3f, 0.0f},
    {"trilinear", RGBA8, 1, 3, 0, 1.7f, 0.3f, 0.0f},
    {"trilinear_1.5", RGBA8, 1, 3, 0, 1.5f, 0.0f, 0.0f},
    {"mipnearest_1.5", RGBA8, 1, 1, 0, 1.5f, 0.0f, 0.0f},
    {"r8_bilinear", R8, 1, 0, 0, 0.93f, 0.1f, 0.0f},
    {"aniso8", RGBA8, 2, 3, 0, 1.0f, 0.0f, 8.0f},
    {"trilinear_srgb", RGBA8_SRGB, 1, 3, 0, 1.7f, 0.3f, 0.0f},
    {"trilinear_srgb_1.5", RGBA8_SRGB, 1, 3, 0, 1.5f, 0.0f, 0.0f},
    {"rgba16f_bilinear", RGBA16F, 1, 0, 0, 1.0f, 0.0f, 0.0f},
    {"rgba32f_bilinear", RGBA32F, 1, 0, 0, 1.0f, 0.0f, 0.0f},
    {"r11g11b10f_bilinear", R11G11B10F, 1, 0, 0, 1.0f, 0.0f, 0.0f},
    {"bc1_bilinear", BC1, 1, 0, 0, 1.0f, 0.0f, 0.0f},
    {"bc1_trilinear", BC1, 1, 3, 0, 1.7f, 0.3f, 0.0f},
    {"bc3_bilinear", BC3, 1, 0, 0, 1.0f, 0.0f, 0.0f},
    {"bc7_bilinear", BC7, 1, 0, 0, 1.0f, 0.0f, 0.0f},
    {"etc2_bilinear", ETC2, 1, 0, 0, 1.0f, 0.0f, 0.0f},
    {"shadow_bilinear", D24, 1, 0, 2, 1.0f, 0.0f, 0.0f},
};

static struct surface
make_surface(const struct bench_case *b)
{
    struct surface s = {
        .type = SURFACE_2D,
        .format = (uint16_t)b->format,
        .fmt = format_info(b->format),
        .tiling = TILING_Y,
        .halign_el = 4,
        .valign_el = 4,
        .width = SIZE,
        .height = SIZE,
        .depth = 1,
        .samples = 1,
        .mip_count_minus1 = b->mip ? 8 : 0,
        .swizzle = {4, 5, 6, 7},
    };
    s.row_pitch_B = ALIGN_POT(SIZE * 2 * s.fmt->element_B, 512);
    s.limit_B = (uint64_t)s.row_pitch_B * SIZE * 2;
    s.mem = aligned_alloc(4096, s.limit_B);
    uint32_t seed = 1;
    for (uint64_t i = 0; i < s.limit_B; i++) {
        seed = seed * 1664525 + 1013904223;
        s.mem[i] = (uint8_t)(seed >> 24);
        /* Usual numbers. */
        if (b->format == RGBA32F && i % 4 == 3)
            s.mem[i] = 0x3f;
        if (b->format == RGBA16F && i % 2 == 1)
            s.mem[i] &= 0x3b;
    }
    surface_layout(&s);
    return s;
}

static struct sampler
make_sampler(const struct bench_case *b)
{
    return (struct sampler){
        .min_filter = b->filter,
        .mag_filter = b->filter,
        .mip_filter = b->mip,
        .wrap = {b->wrap, b->wrap, b->wrap},
        .max_lod = 14.0f,
        .lod_preclamp = 2,
        .max_anisotropy = 8,
        .shadow_func = GEN9_COMPAREFUNCTION_LESS,
        .anisotropic_ewa = true,
        .rounding_enable = b->filter ? 0x3f : 0,
    };
}

/* Below the texture's size. */
static float
any_texel(void)
{
    return (float)(rand() % (SIZE * 256)) / 256.0f;
}

/* Lanes of the quads of a 4x4 block. */
static void
make_lanes(const struct bench_case *b, struct sample_req *req)
{
    for (unsigned m = 0; m < MESSAGES; m++) {
        for (unsigned i = 0; i < 16; i++) {
            unsigned x = m % 32 * 4 + (i >> 2 & 1) * 2 + (i & 1);
            unsigned y = m / 32 * 4 + (i >> 3) * 2 + (i >> 1 & 1);
            float px = ((float)x + 0.5f) * b->scale;
            float py = ((float)y + 0.5f) * b->scale;
            if (b->stretch != 0.0f)
                py *= b->stretch;
            if (b->scale == 0.0f) {
                px = any_texel();
                py = any_texel();
            }
            /* Off the edges, and off the middle of texels. */
            req[m].u.f[i] = (px + b->turn * py + 8.05f) / SIZE;
            req[m].v.f[i] = (py - b->turn * px + 8.05f) / SIZE;
            req[m].ref.f[i] = 0.5f;
        }
        req[m].lanes = 16;
        req[m].exec_mask = 0xffff;
    }
}

/* run: what is done with a message, or with what patches leave out, if they are
 * asked first, as for messages of the usual form. */
static uint64_t
time_plan(const struct sample_plan *plan, const struct sample_req *req,
          sample_plan_fn run, bool patches)
{
    static const int16_t at_dw[4] = {0, 16, 32, 48};
    static uint32_t out[4][SAMPLE_LANES];
    /* Kernels have their coordinates in the cache. */
    static uint32_t coord[MESSAGES][2][SAMPLE_LANES];
    for (unsigned m = 0; m < MESSAGES; m++) {
        memcpy(coord[m][0], req[m].u.u, sizeof coord[m][0]);
        memcpy(coord[m][1], req[m].v.u, sizeof coord[m][1]);
    }
    uint64_t begin = __rdtsc();
    for (unsigned m = 0; m < MESSAGES; m++) {
        struct sample_pair pair = {coord[m][0], coord[m][1], req->ref.u,
                                   blocks};
        if (patches && plan->patch(plan, &pair, out[0], at_dw))
            continue;
        struct sample_lanes in = {
            .u = coord[m][0],
            .v = coord[m][1],
            .r = req->r.u,
            .lod = req->lod.u,
            .ref = req->ref.u,
            .lanes = 16,
            .exec_mask = 0xffff,
            .out = {out[0], out[1], out[2], out[3]},
            .whole = true,
            .blocks = blocks,
        };
        if (!run(plan, &in))
            abort();
    }
    return __rdtsc() - begin;
}

static uint64_t
time_general(const struct surface *s, const struct sampler *sp,
             const struct sample_req *req)
{
    static uint32_t out[4][SAMPLE_LANES];
    uint64_t begin = __rdtsc();
    for (unsigned m = 0; m < MESSAGES; m++)
        sampler_sample(s, sp, &req[m], out);
    return __rdtsc() - begin;
}

static void
run_case(const struct bench_case *b)
{
    static struct sample_req req[MESSAGES];
    static const struct sample_routines *const variant[] = {&sample_avx512,
                                                            &sample_avx2};
    bool wide = __builtin_cpu_supports("avx512bw");
    struct surface s = make_surface(b);
    struct sampler sp = make_sampler(b);
    struct sample_shape shape = {.op = SAMPLE_PLAIN,
                                 .compare = b->format == D24};
    struct sample_plan plan;
    uint64_t best[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    memset(req, 0, sizeof req);
    make_lanes(b, req);
    sample_plan_init(&plan, &s, &sp, &shape);
    for (unsigned i = 0; i < SAMPLES; i++) {
        for (unsigned v = 0; v < 2 && plan.texel != SAMPLE_TEXELS; v++) {
            if (v < 1 && !wide)
                continue;
            uint64_t t = time_plan(&plan, req,
                                   variant[v]->fn[plan.texel][plan.way], false);
            best[v] = MIN2(best[v], t);
        }
        uint64_t t = time_general(&s, &sp, req);
        best[2] = MIN2(best[2], t);
        if (plan.patch)
            best[3] = MIN2(best[3], time_plan(&plan, req, plan.run, true));
    }
    printf("%-20s", b->name);
    for (unsigned v = 0; v < 4; v++) {
        if (best[v] == UINT64_MAX)
            printf("%14s", "-");
        else
            printf("%14.1f", (double)best[v] * core_per_tick / MESSAGES);
    }
    printf("\n");
    free(s.mem);
}

static void
calibrate(void)
{
    uint64_t best = UINT64_MAX, x = 3;
    for (unsigned i = 0; i < 50; i++) {
        uint64_t begin = __rdtsc();
        for (unsigned n = 0; n < CHAIN; n++)
            __asm__ volatile("imul %0, %0" : "+r"(x));
        uint64_t ticks = __rdtsc() - begin;
        best = MIN2(best, ticks);
    }
    core_per_tick = (double)CHAIN * IMUL_CYCLES / (double)best;
}

int
main(int argc, char **argv)
{
    calibrate();
    blocks = sample_blocks_new();
    printf("%-20s%14s%14s%14s%14s\n", "cycles/message", "avx512", "avx2",
           "general", "patch");
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        bool wanted = argc < 2;
        for (int a = 1; a < argc; a++)
            wanted |= !strcmp(argv[a], cases[i].name);
        if (wanted)
            run_case(&cases[i]);
    }
    sample_blocks_free(blocks);
    return 0;
}
