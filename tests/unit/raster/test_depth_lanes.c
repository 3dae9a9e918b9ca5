/* The depth test of blocks (depth_lanes.h) against its definition in double
 * precision, each instruction set that the processor has. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/cpu.h"
#include "rig.h"

enum { ROUNDS = 20000, PX = 16, ROW_B = 64, PITCHES = 3 };

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t
rnd(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 32);
}

/* Depths and slopes: ordinary, huge, tiny, infinite, none. */
static double
number(void)
{
    static const double special[] = {0,     -0.0,        1,        0.5,
                                     1e300, 1e-300,      1e-40,    0x1p-24,
                                     -1e30, (double)NAN, INFINITY, -INFINITY};
    unsigned kind = rnd() % 8;
    if (kind == 0)
        return special[rnd() % (sizeof special / sizeof *special)];
    double v = rnd() * 0x1p-32;
    return kind < 5 ? v : kind == 5 ? v * 0x1p-8 : kind == 6 ? v * 4 - 2 : 0;
}

struct fixture {
    struct depth_in in;
    enum depth_kind kind;
    unsigned func;
    float lo, hi; /* of the viewport */
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
randomise(struct fixture *f)
{
    static const uint8_t pass[8] = {15, 0, 1, 2, 3, 4, 13, 6};
    static const uint32_t pitch_B[PITCHES] = {16, 64, 20};
    struct depth_in *in = &f->in;
    f->kind = DEPTH_F32 + rnd() % 3;
    f->func = rnd() % 8;
    *in = (struct depth_in){.c = number(),
                            .dx = number(),
                            .dy = number(),
                            .x = rnd() % 64 - 32 + 0.5,
                            .y = rnd() % 64 - 32 + 0.5,
                            .pitch_B = pitch_B[rnd() % PITCHES],
                            .mask = rnd() % 2 ? 0xffff : (uint16_t)rnd(),
                            .pass = pass[f->func],
                            .write = rnd() % 4};
    f->lo = rnd() % 4 ? 0 : (float)number();
    f->hi = rnd() % 4 ? 1 : (float)number();
    const struct depth_state ds = {.kind = f->kind};
    const struct gen9_cc_viewport cc = {f->lo, f->hi};
    depth_limits(&ds, &cc, &in->lo, &in->hi);
    if (rnd() % 4 == 0)
        in->dx = in->dy = 0;
    for (unsigned i = 0; i < sizeof f->old; i++)
        f->old[i] = (uint8_t)rnd();
    /* Often the depth that is there already, or one next to it. */
    unsigned size_B = f->kind == DEPTH_U16 ? 2 : 4;
    for (unsigned i = 0; i < PX; i++) {
        float z = depth_at(f, i);
        uint32_t v = bits_from_float(z);
        if (f->kind != DEPTH_F32)
            v = (uint32_t)(CLAMP(z, 0, 1) *
                           (f->kind == DEPTH_U16 ? 65535.0 : 16777215.0));
        v += rnd() % 3 - 1;
        if (rnd() % 2)
            memcpy(f->old + (i >> 2) * in->pitch_B + (i & 3) * size_B, &v,
                   size_B);
    }
}

static void
compare(struct fixture *f, depth_fn fn, const char *isa, unsigned pass)
{
    memcpy(f->got, f->old, sizeof f->got);
    f->in.at = f->got;
    unsigned got = fn(&f->in);
    cr_assert_eq(got, pass, "%s kind %u function %u: %04x, not %04x", isa,
                 f->kind, f->func, got, pass);
    cr_assert(!memcmp(f->got, f->want, sizeof f->got),
              "%s kind %u function %u pitch %u", isa, f->kind, f->func,
              f->in.pitch_B);
}

/* As a list: some of its pixels, then the others. */
static void
compare_list(struct fixture *f, depth_list_fn fn, const char *isa,
             unsigned pass)
{
    enum { SIZE = 64 };
    const uint8_t x = rnd() % 16 * 4, y = rnd() % 16 * 4;
    uint64_t x_B[SIZE] = {0}, y_B[SIZE] = {0};
    const struct depth_places to = {f->got - 7, x_B, y_B};
    struct depth_in in = f->in;
    struct cover_block block[2];
    uint16_t lit[2];
    x_B[x] = 3;
    y_B[y] = 4;
    in.x -= x;
    in.y -= y;
    for (unsigned i = 0; i < 2; i++)
        block[i] = (struct cover_block){
            x, y, depth_transpose(f->in.mask) & (i ? 0x3cc3 : 0xc33c)};
    memcpy(f->got, f->old, sizeof f->got);
    fn(&in, &to, block, 2, lit);
    cr_assert_eq(depth_transpose(lit[0] | lit[1]), pass, "%s kind %u: list",
                 isa, f->kind);
    cr_assert_eq(lit[0] & 0x3cc3, 0);
    cr_assert(!memcmp(f->got, f->want, sizeof f->got), "%s kind %u: list", isa,
              f->kind);
}

/* As two primitives' blocks: some of the pixels of one, of which the other
 * hides nothing, then the others. */
static void
compare_mixed(struct fixture *f, depth_mixed_fn fn, const char *isa,
              unsigned pass)
{
    enum { SIZE = 64 };
    const uint8_t x = rnd() % 16 * 4, y = rnd() % 16 * 4;
    uint64_t x_B[SIZE] = {0}, y_B[SIZE] = {0};
    const struct depth_places to = {f->got - 7, x_B, y_B};
    const int32_t tile_x = (int32_t)(rnd() % 128 * 64);
    const struct depth_in *in = &f->in;
    struct setup other = {.z = {number(), number(), number()}, .z_hi = 1};
    struct setup one = {.z = {in->c, in->dx, in->dy},
                        .ref_x = tile_x + 0.5 + x - in->x,
                        .ref_y = 0.5 + y - in->y,
                        .z_lo = in->lo,
                        .z_hi = in->hi};
    struct setup *const setup[2] = {&other, &one};
    const struct cover_mixed m = {
        .setup = setup, .count = 2, .first = {0, 1, 3}, .of = {0, 1, 1}};
    const struct depth_in mixed = {.x = tile_x + 0.5,
                                   .y = 0.5,
                                   .pitch_B = in->pitch_B,
                                   .pass = in->pass,
                                   .write = in->write};
    uint16_t mask = depth_transpose(in->mask), lit[3];
    const struct cover_block block[3] = {
        {x, y, 0}, {x, y, mask & 0xc33c}, {x, y, mask & 0x3cc3}};
    x_B[x] = 3;
    y_B[y] = 4;
    memcpy(f->got, f->old, sizeof f->got);
    fn(&mixed, &to, &m, block, 3, lit);
    cr_assert_eq(lit[0], 0);
    cr_assert_eq(depth_transpose(lit[1] | lit[2]), pass, "%s kind %u: mixed",
                 isa, f->kind);
    cr_assert_eq(lit[1] & 0x3cc3, 0);
    cr_assert(!memcmp(f->got, f->want, sizeof f->got), "%s kind %u: mixed", isa,
              f->kind);
}

Test(depth_lanes, are_depth_of_pixels)
{
    static struct fixture f;
    unsigned some = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        randomise(&f);
        memcpy(f.want, f.old, sizeof f.want);
        unsigned pass = 0;
        for (unsigned i = 0; i < PX; i++)
            pass |= (unsigned)((f.in.mask >> i & 1) && test_one(&f, i)) << i;
        if (cpu_selected() >= CPU_AVX2)
            compare(&f, depth_avx2[f.kind], "avx2", pass);
        if (cpu_selected() >= CPU_AVX512)
            compare(&f, depth_avx512[f.kind], "avx512", pass);
        if (cpu_selected() >= CPU_AVX2)
            compare_list(&f, depth_list_avx2[f.kind], "avx2", pass);
        if (cpu_selected() >= CPU_AVX512)
            compare_list(&f, depth_list_avx512[f.kind], "avx512", pass);
        if (cpu_selected() >= CPU_AVX2)
            compare_mixed(&f, depth_mixed_avx2[f.kind], "avx2", pass);
        if (cpu_selected() >= CPU_AVX512)
            compare_mixed(&f, depth_mixed_avx512[f.kind], "avx512", pass);
        some += pass && pass != f.in.mask;
    }
    cr_assert(some > ROUNDS / 10);
}

/* One depth against a field of blocks: whether it passes anywhere. */
static void
check_scan(enum depth_kind kind, unsigned func, uint8_t pass)
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
    uint32_t depth = bits_from_float((float)(rnd() % 64) / 64);
    if (kind != DEPTH_F32)
        depth = rnd() & max;
    struct depth_scan s = {mem, x_B,     y_B,   4,   0, 4 + rnd() % 4 * 4,
                           8,   PITCH_B, depth, pass};
    bool want = false;
    for (unsigned y = 0; y < SIZE; y++) {
        for (unsigned x = 0; x < SIZE; x++) {
            uint32_t v = depth, old;
            if (rnd() % 40 == 0)
                v = rnd() % 4 ? depth + rnd() % 3 - 1 : rnd();
            if (kind == DEPTH_U24)
                v = (v & max) | rnd() << 24;
            memcpy(mem + x_B[x] + y_B[y], &v, size_B);
            old = v & max;
            bool in = x >= s.x0 && x < s.x1 && y >= s.y0 && y < s.y1;
            want |= in && (kind == DEPTH_F32
                               ? depth_compare(func, float_from_bits(depth),
                                               float_from_bits(v))
                               : depth_compare(func, depth, old));
        }
    }
    if (cpu_selected() >= CPU_AVX2)
        cr_assert_eq(depth_scan_avx2[kind](&s), want, "kind %u %u", kind, func);
    if (cpu_selected() >= CPU_AVX512)
        cr_assert_eq(depth_scan_avx512[kind](&s), want, "kind %u %u", kind,
                     func);
}

Test(depth_lanes, scans)
{
    static const uint8_t pass[8] = {15, 0, 1, 2, 3, 4, 13, 6};
    for (unsigned n = 0; n < ROUNDS / 4; n++)
        check_scan(DEPTH_F32 + n % 3, n / 3 % 8, pass[n / 3 % 8]);
}
