/* check_footprint.c: sampler kernels for lanes near each other, row by row of
 * kernel_select.c: edges, all levels, the common address modes. Each answer has
 * the bits of sampler_sample(). */
#include "near_request.h"
#include "sample_bench.h"
#include "sample_compare.h"

/* The kernel of one row of kernel_select(), if the plan may have it. */
static bool
take_kernel(struct sample_plan *plan, unsigned row)
{
    return plan->texel != SAMPLE_TEXELS &&
           kernel_select(plan, ~(1u << row)) == row;
}

/* A row's tables: one for each kind of texel, or one. */
struct kernel {
    enum check_isa isa;
    const char *name;
    const sample_footprint_fn (*table)[SAMPLE_MODES];
    unsigned texels;
};

/* Messages that each kernel of a table answered. */
typedef unsigned answers[SAMPLE_TEXELS][SAMPLE_MODES];

static void
compare_message(const struct surface *s, const struct sampler *sp,
                const struct sample_req *req, unsigned row, unsigned round,
                struct tally *tally, answers answered)
{
    struct sample_shape shape = shape_of(req);
    struct sample_plan plan;
    uint32_t plain[4][SAMPLE_LANES];
    unsigned before = tally->footprints;
    sample_plan_init(&plan, s, sp, &shape);
    if (!take_kernel(&plan, row))
        return;
    plan.gathers = round & 2;
    memset(plain, 0xcc, sizeof plain);
    sampler_sample(s, sp, req, plain);
    tally->asked++;
    compare_footprint(&plan, s, req, plain, round, tally);
    answered[plan.texel][plan.mode] += tally->footprints - before;
}

static unsigned
sum_of_mode(answers answered, unsigned mode)
{
    unsigned n = 0;
    for (unsigned t = 0; t < SAMPLE_TEXELS; t++)
        n += answered[t][mode];
    return n;
}

/* No kernel of the table may go untested. */
static void
check_answers(const struct kernel *k, answers answered)
{
    for (unsigned t = 0; t < k->texels; t++) {
        for (unsigned m = 0; m < SAMPLE_MODES; m++) {
            unsigned n = k->texels == 1 ? sum_of_mode(answered, m)
                                        : answered[t][m];
            check_that(n || !k->table[t][m], "%s: texel %u mode %u", k->name, t,
                       m);
        }
    }
}

static void
compare_kernel(const struct kernel *k, const uint16_t *format, unsigned formats)
{
    struct tally tally = begin_tally(k->isa);
    answers answered = {{0}};
    unsigned row = 0;
    while (row < KERNEL_ROWS && strcmp(kernel_row_name(row), k->name))
        row++;
    check_that(row < KERNEL_ROWS, "no row %s", k->name);
    for (unsigned round = 0; round < 2000; round++) {
        struct surface s = any_near_surface(format, formats);
        struct sampler sp = any_near_sampler();
        for (unsigned n = 0; n < 16; n++) {
            struct sample_req req = any_near_request(&s);
            compare_message(&s, req.op == SAMPLE_LD ? NULL : &sp, &req, row, n,
                            &tally, answered);
        }
        free(s.mem);
    }
    check_answers(k, answered);
    end_tally(&tally, 16, tally.footprints);
    if (k->isa == CHECK_VBMI)
        check_gt(tally.halves, tally.footprints / 32);
}

/* All rows left out: no footprint kernel remains. */
static void
check_none(void)
{
    const struct sample_shape shape = {.op = SAMPLE_PLAIN};
    struct surface s = any_near_surface(near_format, 1);
    struct sampler sp = any_near_sampler();
    struct sample_plan plan;
    sample_plan_init(&plan, &s, &sp, &shape);
    check_eq(kernel_select(&plan, ~0u), KERNEL_ROWS);
    check_that(!plan.footprint && !plan.to_unorm8);
    free(s.mem);
}

/* As plans select them, and the kernels for any lanes beside them. */
static void
compare_selected(enum check_isa isa)
{
    struct tally tally = begin_tally(isa);
    check_none();
    for (unsigned round = 0; round < 2000; round++) {
        struct surface s = any_near_surface(near_format,
                                            ARRAY_SIZE(near_format));
        struct sampler sp = any_near_sampler();
        for (unsigned n = 0; n < 16; n++) {
            struct sample_req req = any_near_request(&s);
            compare_variants(&s, req.op == SAMPLE_LD ? NULL : &sp, &req, n,
                             &tally);
        }
        free(s.mem);
    }
    if (isa == CHECK_VBMI)
        check_gt(tally.halves, tally.footprints / 32);
    end_tally(&tally, 16, tally.footprints);
}

/* Rarely the largest possible size, in one direction. */
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

/* Scattered lanes, on surfaces down to one texel: texels of four bytes are
 * gathered. */
static void
compare_scattered(enum check_isa isa)
{
    struct tally tally = begin_tally(isa);
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
    check_eq(tally.footprints, tally.asked);
    end_tally(&tally, 2, tally.footprints);
}

/* Half of the sums are halfway between two bytes. */
static void
compare_roundings(enum check_isa isa)
{
    static const unsigned format[] = {F_RGBA8, F_BGRX8, 0x186 /* BC1 */,
                                      0x1aa /* ETC2 */};
    struct tally tally = begin_tally(isa);
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
    end_tally(&tally, 4, tally.footprints);
}

/* ---- rows ---- */

static void
bench_kernel(enum check_isa isa, const char *name)
{
    unsigned row = 0;
    while (strcmp(kernel_row_name(row), name))
        row++;
    for (unsigned i = 0; i < ARRAY_SIZE(bench_cases); i++) {
        struct sample_bench *b = begin_bench(&bench_cases[i]);
        if (take_kernel(&b->plan, row)) {
            if (isa != CHECK_SCALAR) {
                b->run = b->plan.run;
                b->footprint = b->plan.footprint;
            }
            check_time(bench_cases[i].name, run_bench_messages, b,
                       BENCH_MESSAGES);
        }
        end_bench(b);
    }
}

/* ...: formats of its texels. */
#define KERNEL(name, from, count, ...)                     \
    static void compare_##name(enum check_isa isa)         \
    {                                                      \
        static const uint16_t format[] = {__VA_ARGS__};    \
        const struct kernel k = {isa, #name, from, count}; \
        compare_kernel(&k, format, ARRAY_SIZE(format));    \
    }                                                      \
    static void bench_##name(enum check_isa isa)           \
    {                                                      \
        bench_kernel(isa, #name);                          \
    }
#define BY_TEXEL(name, ...) \
    KERNEL(name, sample_footprint_##name, SAMPLE_TEXELS, __VA_ARGS__)
#define ONE_TABLE(name, ...) \
    KERNEL(name, &sample_footprint_##name, 1, __VA_ARGS__)

BY_TEXEL(grid_avx2, F_RGBA32F, 0x084)
BY_TEXEL(avx2, NEAR_FORMATS)
BY_TEXEL(grid, F_RGBA32F, 0x084)
BY_TEXEL(dwords, F_R32_FLOAT, F_R32_UINT, 0x0d3, 0x0d9)
BY_TEXEL(vbmi, NEAR_FORMATS)
ONE_TABLE(bc1, 0x186, 0x191)
ONE_TABLE(bc1_srgb, 0x18b)
ONE_TABLE(bc3, 0x188, 0x18d)
ONE_TABLE(etc, 0x1a9, 0x1aa)

#define ROW(name, unit, isa)                                             \
    {                                                                    \
        "footprint." #name, "sampler_sample", unit, isa, compare_##name, \
            bench_##name                                                 \
    }

static const struct check_row rows[] = {
    ROW(grid_avx2, "footprint_grid_avx2", CHECK_AVX2),
    ROW(avx2, "footprint_avx2", CHECK_AVX2),
    ROW(grid, "footprint_grid", CHECK_AVX512),
    ROW(dwords, "footprint_dwords", CHECK_AVX512),
    ROW(vbmi, "footprint_vbmi", CHECK_VBMI),
    ROW(bc1, "footprint_vbmi", CHECK_VBMI),
    ROW(bc1_srgb, "footprint_vbmi", CHECK_VBMI),
    ROW(bc3, "footprint_vbmi", CHECK_VBMI),
    ROW(etc, "footprint_vbmi", CHECK_VBMI),
    {"footprint.selected", "sampler_sample", "footprint_avx2", CHECK_AVX2,
     compare_selected, NULL},
    {"footprint.selected", "sampler_sample", "footprint_vbmi", CHECK_VBMI,
     compare_selected, NULL},
    {"footprint.scattered", "sampler_sample", "footprint_avx2", CHECK_AVX2,
     compare_scattered, NULL},
    {"footprint.scattered", "sampler_sample", "footprint_vbmi", CHECK_VBMI,
     compare_scattered, NULL},
    {"footprint.rounding", "sampler_sample", "footprint_avx2", CHECK_AVX2,
     compare_roundings, NULL},
    {"footprint.rounding", "sampler_sample", "footprint_vbmi", CHECK_VBMI,
     compare_roundings, NULL},
};

CHECK_FAMILY(footprint, rows);
