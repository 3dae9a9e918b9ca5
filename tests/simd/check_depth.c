/* check_depth.c: the depth test of blocks (depth_kernels.h) against its
 * definition in double precision: one block, lists, lists of several
 * primitives, and scans for one depth. */
#include "check.h"

#include <math.h>

#include "engine/raster/depth/depth.h"
#include "engine/raster/setup/setup.h"

enum { ROUNDS = 20000, PX = 16, ROW_B = 64, PITCHES = 3 };

/* Depths and slopes: ordinary, huge, tiny, infinite, none. */
static double
any_number(void)
{
    static const double special[] = {0,     -0.0,        1,        0.5,
                                     1e300, 1e-300,      1e-40,    0x1p-24,
                                     -1e30, (double)NAN, INFINITY, -INFINITY};
    unsigned kind = check_random() % 8;
    if (kind == 0)
        return special[check_random() % (sizeof special / sizeof *special)];
    double v = check_random() * 0x1p-32;
    return kind < 5 ? v : kind == 5 ? v * 0x1p-8 : kind == 6 ? v * 4 - 2 : 0;
}

struct fixture {
    struct depth_in in;
    enum depth_kind kind;
    unsigned func;
    float lo, hi; /* depth range of the viewport */
    uint8_t old[ROW_B * 4], want[ROW_B * 4], got[ROW_B * 4];
};

static float
depth_at(const struct fixture *f, unsigned i)
{
    const struct depth_in *in = &f->in;
    double dx = in->x + (double)(i & 3), dy = in->y + (double)(i >> 2);
    float z = (float)(in->c + in->dx * dx + in->dy * dy);
    z = z > f->lo ? z : f->lo;
    return z > f->hi ? f->hi : z;
}

static bool
test_one(struct fixture *f, unsigned i)
{
    unsigned size_B = f->kind == DEPTH_U16 ? 2 : 4;
    uint8_t *p = f->want + (i >> 2) * f->in.pitch_B + (i & 3) * size_B;
    float z = depth_at(f, i);
    uint32_t old = 0, new;
    memcpy(&old, p, size_B);
    bool pass;
    if (f->kind == DEPTH_F32) {
        new = bits_from_float(z);
        pass = depth_compare(f->func, z, float_from_bits(old));
    } else {
        uint32_t max = f->kind == DEPTH_U16 ? 0xffff : 0xffffff;
        double v = !(z > 0) ? 0 : z > 1 ? 1 : z;
        new = (uint32_t)(v * max + 0.5);
        pass = depth_compare(f->func, new, old & max);
        new |= old & ~max;
    }
    if (pass && f->in.write)
        memcpy(p, &new, size_B);
    return pass;
}

static void
randomise_fixture(struct fixture *f)
{
    static const uint8_t pass[8] = {15, 0, 1, 2, 3, 4, 13, 6};
    static const uint32_t pitch_B[PITCHES] = {16, 64, 20};
    struct depth_in *in = &f->in;
    f->kind = DEPTH_F32 + check_random() % 3;
    f->func = check_random() % 8;
    *in = (struct depth_in){
        .c = any_number(),
        .dx = any_number(),
        .dy = any_number(),
        .x = check_random() % 64 - 32 + 0.5,
        .y = check_random() % 64 - 32 + 0.5,
        .pitch_B = pitch_B[check_random() % PITCHES],
        .mask = check_random() % 2 ? 0xffff : (uint16_t)check_random(),
        .pass = pass[f->func],
        .write = check_random() % 4};
    f->lo = check_random() % 4 ? 0 : (float)any_number();
    f->hi = check_random() % 4 ? 1 : (float)any_number();
    const struct depth_state ds = {.kind = f->kind};
    const struct gen9_cc_viewport cc = {f->lo, f->hi};
    depth_limits(&ds, &cc, &in->lo, &in->hi);
    if (check_random() % 4 == 0)
        in->dx = in->dy = 0;
    for (unsigned i = 0; i < sizeof f->old; i++)
        f->old[i] = (uint8_t)check_random();
    /* Often the stored depth is the new one, or next to it. */
    unsigned size_B = f->kind == DEPTH_U16 ? 2 : 4;
    for (unsigned i = 0; i < PX; i++) {
        float z = depth_at(f, i);
        uint32_t v = bits_from_float(z);
        if (f->kind != DEPTH_F32)
            v = (uint32_t)(CLAMP(z, 0, 1) *
                           (f->kind == DEPTH_U16 ? 65535.0 : 16777215.0));
        v += check_random() % 3 - 1;
        if (check_random() % 2)
            memcpy(f->old + (i >> 2) * in->pitch_B + (i & 3) * size_B, &v,
                   size_B);
    }
}

static void
compare_block(struct fixture *f, depth_fn fn, unsigned pass)
{
    memcpy(f->got, f->old, sizeof f->got);
    f->in.at = f->got;
    unsigned got = fn(&f->in);
    check_eq(got, pass, "kind %u function %u: %04x, not %04x", f->kind, f->func,
             got, pass);
    check_that(!memcmp(f->got, f->want, sizeof f->got),
               "kind %u function %u pitch %u", f->kind, f->func, f->in.pitch_B);
}

/* As a list: some of the block's pixels, then the others. */
static void
compare_list(struct fixture *f, depth_list_fn fn, unsigned pass)
{
    enum { SIZE = 64 };
    const uint8_t x = check_random() % 16 * 4, y = check_random() % 16 * 4;
    uint64_t x_B[SIZE] = {0}, y_B[SIZE] = {0};
    const struct depth_places to = {f->got - 7, x_B, y_B};
    struct depth_in in = f->in;
    struct cover_block block[2];
    uint16_t live[2];
    x_B[x] = 3;
    y_B[y] = 4;
    in.x -= x;
    in.y -= y;
    for (unsigned i = 0; i < 2; i++)
        block[i] = (struct cover_block){
            x, y, depth_transpose(f->in.mask) & (i ? 0x3cc3 : 0xc33c)};
    memcpy(f->got, f->old, sizeof f->got);
    fn(&in, &to, block, 2, live);
    check_eq(depth_transpose(live[0] | live[1]), pass, "kind %u: list",
             f->kind);
    check_eq(live[0] & 0x3cc3, 0);
    check_that(!memcmp(f->got, f->want, sizeof f->got), "kind %u: list",
               f->kind);
}

/* As blocks of two primitives: one of the other primitive, which hides no
 * pixel, then twice the block, with some of its pixels and with the others. */
static void
compare_mixed(struct fixture *f, depth_mixed_fn fn, unsigned pass)
{
    enum { SIZE = 64 };
    const uint8_t x = check_random() % 16 * 4, y = check_random() % 16 * 4;
    uint64_t x_B[SIZE] = {0}, y_B[SIZE] = {0};
    const struct depth_places to = {f->got - 7, x_B, y_B};
    const int32_t tile_x = (int32_t)(check_random() % 128 * 64);
    const struct depth_in *in = &f->in;
    struct setup other = {.z = {any_number(), any_number(), any_number()},
                          .z_hi = 1};
    struct setup one = {.z = {in->c, in->dx, in->dy},
                        .ref_x = tile_x + 0.5 + x - in->x,
                        .ref_y = 0.5 + y - in->y,
                        .z_lo = in->lo,
                        .z_hi = in->hi};
    struct setup *const setup[2] = {&other, &one};
    const struct cover_multi_prim m = {
        .setup = setup, .count = 2, .first = {0, 1, 3}, .of = {0, 1, 1}};
    const struct depth_in mixed = {.x = tile_x + 0.5,
                                   .y = 0.5,
                                   .pitch_B = in->pitch_B,
                                   .pass = in->pass,
                                   .write = in->write};
    uint16_t mask = depth_transpose(in->mask), live[3];
    const struct cover_block block[3] = {
        {x, y, 0}, {x, y, mask & 0xc33c}, {x, y, mask & 0x3cc3}};
    x_B[x] = 3;
    y_B[y] = 4;
    memcpy(f->got, f->old, sizeof f->got);
    fn(&mixed, &to, &m, block, 3, live);
    check_eq(live[0], 0);
    check_eq(depth_transpose(live[1] | live[2]), pass, "kind %u: mixed",
             f->kind);
    check_eq(live[1] & 0x3cc3, 0);
    check_that(!memcmp(f->got, f->want, sizeof f->got), "kind %u: mixed",
               f->kind);
}

static const depth_fn *const block_kernel[CHECK_ISAS] = {
    [CHECK_AVX2] = depth_avx2, [CHECK_AVX512] = depth_avx512};
static const depth_list_fn *const list_kernel[CHECK_ISAS] = {
    [CHECK_AVX2] = depth_list_avx2, [CHECK_AVX512] = depth_list_avx512};
static const depth_mixed_fn *const mixed_kernel[CHECK_ISAS] = {
    [CHECK_AVX2] = depth_mixed_avx2, [CHECK_AVX512] = depth_mixed_avx512};
static const depth_scan_fn *const scan_kernel[CHECK_ISAS] = {
    [CHECK_AVX2] = depth_scan_avx2, [CHECK_AVX512] = depth_scan_avx512};

typedef void compare_fn(struct fixture *f, enum check_isa isa, unsigned pass);

static void
compare_many(enum check_isa isa, compare_fn *compare_kernel)
{
    static struct fixture f;
    unsigned some = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        randomise_fixture(&f);
        memcpy(f.want, f.old, sizeof f.want);
        unsigned pass = 0;
        for (unsigned i = 0; i < PX; i++)
            pass |= (unsigned)((f.in.mask >> i & 1) && test_one(&f, i)) << i;
        compare_kernel(&f, isa, pass);
        some += pass && pass != f.in.mask;
    }
    check_gt(some, ROUNDS / 10);
}

static void
compare_block_kernel(struct fixture *f, enum check_isa isa, unsigned pass)
{
    compare_block(f, block_kernel[isa][f->kind], pass);
}

static void
compare_list_kernel(struct fixture *f, enum check_isa isa, unsigned pass)
{
    compare_list(f, list_kernel[isa][f->kind], pass);
}

static void
compare_mixed_kernel(struct fixture *f, enum check_isa isa, unsigned pass)
{
    compare_mixed(f, mixed_kernel[isa][f->kind], pass);
}

static void
compare_blocks(enum check_isa isa)
{
    compare_many(isa, compare_block_kernel);
}

static void
compare_lists(enum check_isa isa)
{
    compare_many(isa, compare_list_kernel);
}

static void
compare_mixed_lists(enum check_isa isa)
{
    compare_many(isa, compare_mixed_kernel);
}

/* Scans blocks for one depth: whether it passes anywhere. */
static void
check_scan(enum check_isa isa, enum depth_kind kind, unsigned func,
           uint8_t pass)
{
    enum { SIZE = 16, PITCH_B = 80 };
    static uint8_t mem[SIZE * PITCH_B];
    uint64_t x_B[SIZE], y_B[SIZE];
    unsigned size_B = kind == DEPTH_U16 ? 2 : 4;
    uint32_t max = kind == DEPTH_U16 ? 0xffff : 0xffffff;
    for (unsigned i = 0; i < SIZE; i++) {
        x_B[i] = i * size_B;
        y_B[i] = i * PITCH_B;
    }
    uint32_t depth = bits_from_float((float)(check_random() % 64) / 64);
    if (kind != DEPTH_F32)
        depth = check_random() & max;
    struct depth_scan s = {
        mem, x_B,     y_B,   4,   0, 4 + check_random() % 4 * 4,
        8,   PITCH_B, depth, pass};
    bool want = false;
    for (unsigned y = 0; y < SIZE; y++) {
        for (unsigned x = 0; x < SIZE; x++) {
            uint32_t v = depth, old;
            if (check_random() % 40 == 0)
                v = check_random() % 4 ? depth + check_random() % 3 - 1
                                       : check_random();
            if (kind == DEPTH_U24)
                v = (v & max) | check_random() << 24;
            memcpy(mem + x_B[x] + y_B[y], &v, size_B);
            old = v & max;
            bool in = x >= s.x0 && x < s.x1 && y >= s.y0 && y < s.y1;
            want |= in && (kind == DEPTH_F32
                               ? depth_compare(func, float_from_bits(depth),
                                               float_from_bits(v))
                               : depth_compare(func, depth, old));
        }
    }
    check_eq(scan_kernel[isa][kind](&s), want, "kind %u function %u", kind,
             func);
}

static void
compare_scans(enum check_isa isa)
{
    static const uint8_t pass[8] = {15, 0, 1, 2, 3, 4, 13, 6};
    for (unsigned n = 0; n < ROUNDS / 4; n++)
        check_scan(isa, DEPTH_F32 + n % 3, n / 3 % 8, pass[n / 3 % 8]);
}

/* ---- benches, per block ---- */

enum { TILE = 64, RUNS = 1024, BLOCKS = 8 };

struct bench {
    enum check_isa isa;
    enum depth_kind kind;
    struct depth_in in;
    struct depth_places to;
    struct cover_multi_prim prims;
    struct cover_block block[COVER_MIXED_BLOCKS];
    uint16_t live[COVER_MIXED_BLOCKS];
};

static const char *const kind_name[] = {
    [DEPTH_F32] = "D32F", [DEPTH_U24] = "D24", [DEPTH_U16] = "D16"};

/* Blocks of a tile one below the other, in little memory. */
static void
make_bench(struct bench *b, enum check_isa isa, enum depth_kind kind)
{
    alignas(64) static uint8_t mem[BLOCKS * 64];
    static uint64_t x_B[TILE], y_B[TILE];
    static struct setup setup = {.z = {0.5, 1e-4, 1e-4}, .z_hi = 1};
    static struct setup *const prim = &setup;
    *b = (struct bench){.isa = isa,
                        .kind = kind,
                        .to = {mem, x_B, y_B},
                        .prims = {.setup = &prim},
                        .in = {.c = 0.5,
                               .dx = 1e-4,
                               .dy = 1e-4,
                               .hi = 1,
                               .pitch_B = 16,
                               .mask = 0xffff,
                               .pass = 3,
                               .write = true}};
    for (unsigned i = 0; i < COVER_MIXED_BLOCKS; i++)
        b->block[i] = (struct cover_block){(uint8_t)(i / 16 * 4),
                                           (uint8_t)(i % 16 * 4), 0xffff};
    for (unsigned i = 0; i < TILE; i++)
        y_B[i] = i / 4 % BLOCKS * 64;
}

/* Different memory each time, so that blocks do not wait for each other. */
static void
run_blocks(void *arg)
{
    struct bench *b = arg;
    for (unsigned n = 0; n < RUNS; n++) {
        b->in.at = b->to.mem + n % BLOCKS * 64;
        block_kernel[b->isa][b->kind](&b->in);
    }
}

static void
run_lists(void *arg)
{
    struct bench *b = arg;
    for (unsigned n = 0; n < RUNS; n += COVER_MIXED_BLOCKS)
        list_kernel[b->isa][b->kind](&b->in, &b->to, b->block,
                                     COVER_MIXED_BLOCKS, b->live);
}

static void
run_mixed(void *arg)
{
    struct bench *b = arg;
    for (unsigned n = 0; n < RUNS; n += COVER_MIXED_BLOCKS)
        mixed_kernel[b->isa][b->kind](&b->in, &b->to, &b->prims, b->block,
                                      COVER_MIXED_BLOCKS, b->live);
}

/* The definition, pixel by pixel. */
static void
run_definition(void *arg)
{
    static struct fixture f;
    struct bench *b = arg;
    f.in = b->in;
    f.kind = b->kind;
    f.func = GEN9_COMPAREFUNCTION_LEQUAL;
    f.hi = 1;
    for (unsigned n = 0; n < RUNS; n++)
        for (unsigned i = 0; i < PX; i++)
            b->live[0] = test_one(&f, i);
}

static void
bench_kinds(enum check_isa isa, void (*run)(void *arg))
{
    static struct bench b;
    for (unsigned kind = DEPTH_F32; kind < ARRAY_SIZE(kind_name); kind++) {
        make_bench(&b, isa, (enum depth_kind)kind);
        check_time(kind_name[kind], isa == CHECK_SCALAR ? run_definition : run,
                   &b, RUNS);
    }
}

static void
bench_blocks(enum check_isa isa)
{
    bench_kinds(isa, run_blocks);
}

static void
bench_lists(enum check_isa isa)
{
    bench_kinds(isa, run_lists);
}

static void
bench_mixed(enum check_isa isa)
{
    bench_kinds(isa, run_mixed);
}

#define BOTH(kernel, compare, bench)                                        \
    {                                                                       \
        kernel, "definition in doubles", "depth_avx2", CHECK_AVX2, compare, \
        bench},                                                             \
    {                                                                       \
        kernel, "definition in doubles", "depth_avx512", CHECK_AVX512,      \
            compare, bench                                                  \
    }

static const struct check_row rows[] = {
    BOTH("depth", compare_blocks, bench_blocks),
    BOTH("depth_list", compare_lists, bench_lists),
    BOTH("depth_mixed", compare_mixed_lists, bench_mixed),
    BOTH("depth_scan", compare_scans, NULL),
};

CHECK_FAMILY(depth, rows);
