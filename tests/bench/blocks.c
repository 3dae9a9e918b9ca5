/* blocks.c: core cycles that render target writes and depth tests of a 4x4
 * block take, alone or (depth) in a tile's list, format by format and
 * instruction set by instruction set, with data in the nearest cache. `blocks
 * lane` adds the same lane by lane, through format_pack() and blend_run(),
 * which is what they are compared with.
 *
 * The time stamp counter is calibrated against dependent multiplications. */
#include <stdio.h>
#include <x86intrin.h>

#include "base/cpu.h"
#include "engine/raster/raster.h"

enum {
    LANES = 16,
    RUNS = 1024,
    BLOCKS = 8,
    TRIES = 200,
    CHAIN = 30000,
    IMUL_CYCLES = 3
};

static double core_per_tick;

static void
calibrate(void)
{
    for (unsigned r = 0; r < TRIES; r++) {
        uint64_t x = r + 3, from = __rdtsc();
        for (unsigned i = 0; i < CHAIN; i++)
            __asm__ volatile("imul %0, %0" : "+r"(x));
        double v = CHAIN * (double)IMUL_CYCLES / (double)(__rdtsc() - from);
        core_per_tick = MAX2(core_per_tick, v);
    }
}

struct job {
    uint8_t *mem;
    rt_write_fn write;
    struct rt_plane plane;
    struct rt_block block;
    depth_fn depth;
    depth_list_fn list;
    depth_mixed_fn mixed;
    struct depth_in in;
    const struct target *target;
    const struct blend_state *blend;
};

/* One block through the scalar code. */
static void
write_lane_by_lane(const struct job *j)
{
    const struct format_info *fmt = j->target->fmt;
    struct blend_lanes in = {0};
    union {
        float f[4][LANES];
        uint32_t u[4][LANES];
    } v;
    for (unsigned c = 0; c < 4; c++)
        memcpy(v.u[c], j->block.c[c], sizeof v.u[c]);
    for (unsigned i = 0; j->blend->enabled && i < LANES; i++) {
        union color d;
        format_unpack(fmt, j->block.plane->at + i * fmt->element_B, &d);
        for (unsigned c = 0; c < 4; c++)
            in.dst[c][i] = d.f[c];
    }
    if (j->blend->enabled) {
        memcpy(in.src, v.f, sizeof in.src);
        blend_run(j->blend, &j->target->range, &in, v.f);
    }
    for (unsigned i = 0; i < LANES; i++) {
        const union color c = {
            .u = {v.u[0][i], v.u[1][i], v.u[2][i], v.u[3][i]}};
        format_pack(fmt, &c, j->block.plane->at + i * fmt->element_B);
    }
}

static void
run(struct job *j, unsigned n)
{
    /* Not always the same memory: blocks do not wait for each other. */
    uint8_t *at = j->mem + n % BLOCKS * 64;
    if (j->depth) {
        j->in.at = at;
        j->depth(&j->in);
        return;
    }
    j->plane.at = at;
    if (j->write)
        j->write(&j->block);
    else
        write_lane_by_lane(j);
}

enum { TILE = 64 };

/* Blocks of a tile one below the other, again and again, as one list. */
static void
run_list(struct job *j)
{
    static uint64_t x_B[TILE], y_B[TILE];
    static struct cover_block block[RUNS];
    static uint16_t lit[RUNS];
    static struct setup setup = {.z = {0.5, 1e-4, 1e-4}, .z_hi = 1};
    static struct setup *const prim = &setup;
    static struct cover_mixed m = {.setup = &prim};
    const struct depth_places to = {j->mem, x_B, y_B};
    for (unsigned i = 0; i < COVER_MIXED_BLOCKS; i++)
        block[i] = (struct cover_block){(uint8_t)(i / 16 * 4),
                                        (uint8_t)(i % 16 * 4), 0xffff};
    for (unsigned i = 0; i < TILE; i++)
        y_B[i] = i / 4 % BLOCKS * 64;
    for (unsigned n = 0; n < RUNS; n += COVER_MIXED_BLOCKS) {
        if (j->list)
            j->list(&j->in, &to, block, COVER_MIXED_BLOCKS, lit);
        else
            j->mixed(&j->in, &to, &m, block, COVER_MIXED_BLOCKS, lit);
    }
}

static void
run_all(struct job *j)
{
    if (j->list || j->mixed) {
        run_list(j);
        return;
    }
    for (unsigned i = 0; i < RUNS; i++)
        run(j, i);
}

static double
cycles(struct job *j)
{
    double best = 1e30;
    for (unsigned t = 0; t < TRIES; t++) {
        uint64_t from = __rdtsc();
        run_all(j);
        best = MIN2(best, (double)(__rdtsc() - from) / RUNS);
    }
    return best * core_per_tick;
}

static struct blend_state
blend_of(unsigned mode)
{
    struct blend_state b = {.enabled = mode != RT_PLAIN,
                            .write_mask = 15,
                            .pre_clamp = true,
                            .post_clamp = true,
                            .clamp_range = 2};
    for (unsigned i = 0; i < 2; i++) {
        b.src[i] = mode == RT_OVER ? GEN9_BLENDFACTOR_SRC_ALPHA
                                   : GEN9_BLENDFACTOR_ONE;
        b.dst[i] = GEN9_BLENDFACTOR_INV_SRC_ALPHA;
    }
    return b;
}

static void
print_format(unsigned code, bool lane)
{
    alignas(64) static uint8_t mem[BLOCKS * 512];
    alignas(64) static uint32_t color[4][LANES];
    static const char *const mode_name[] = {"plain", "over", "blend"};
    for (unsigned i = 0; i < 4 * LANES; i++)
        color[i / LANES][i % LANES] = bits_from_float((float)i / 64);
    for (unsigned mode = RT_PLAIN; mode < RT_MODES; mode++) {
        struct blend_state b = blend_of(mode);
        struct target t = {.fmt = format_info(code), .entry = -1};
        t.element_B = t.fmt->element_B;
        target_use_entry(&t, &b, 0);
        struct job j = {.mem = mem,
                        .plane = {.mask = 0xffff},
                        .block = {.c = {color[0], color[1], color[2], color[3]},
                                  .state = &t.rt,
                                  .count = 1,
                                  .planes = 1,
                                  .plane = &j.plane,
                                  .pitch_B = 16,
                                  .column_B = 512},
                        .target = &t,
                        .blend = &b};
        printf("%-22s %-6s", t.fmt->name, mode_name[mode]);
        j.write = rt_routine_avx2[t.rt.format][mode].write;
        printf("%8.1f", cpu_selected() >= CPU_AVX2 ? cycles(&j) : 0);
        j.write = rt_routine_avx512[t.rt.format][mode].write;
        printf("%8.1f", cpu_selected() >= CPU_AVX512 ? cycles(&j) : 0);
        j.write = NULL;
        if (lane)
            printf("%8.1f", cycles(&j));
        printf("\n");
    }
}

static void
print_depth(enum depth_kind kind, const char *name)
{
    alignas(64) static uint8_t mem[BLOCKS * 64];
    struct job j = {.mem = mem,
                    .in = {.c = 0.5,
                           .dx = 1e-4,
                           .dy = 1e-4,
                           .hi = 1,
                           .pitch_B = 16,
                           .mask = 0xffff,
                           .pass = 3,
                           .write = true}};
    printf("%-22s %-6s", name, "test");
    j.depth = depth_avx2[kind];
    printf("%8.1f", cpu_selected() >= CPU_AVX2 ? cycles(&j) : 0);
    j.depth = depth_avx512[kind];
    printf("%8.1f\n", cpu_selected() >= CPU_AVX512 ? cycles(&j) : 0);
    printf("%-22s %-6s", name, "list");
    j.list = depth_list_avx2[kind];
    printf("%8.1f", cpu_selected() >= CPU_AVX2 ? cycles(&j) : 0);
    j.list = depth_list_avx512[kind];
    printf("%8.1f\n", cpu_selected() >= CPU_AVX512 ? cycles(&j) : 0);
    j.list = NULL;
    printf("%-22s %-6s", name, "mixed");
    j.mixed = depth_mixed_avx2[kind];
    printf("%8.1f", cpu_selected() >= CPU_AVX2 ? cycles(&j) : 0);
    j.mixed = depth_mixed_avx512[kind];
    printf("%8.1f\n", cpu_selected() >= CPU_AVX512 ? cycles(&j) : 0);
}

int
main(int argc, char **argv)
{
    static const unsigned code[] = {0x140, 0x106, 0x0c7, 0x0c0, 0x100,
                                    0x0c2, 0x0cc, 0x080, 0x10e, 0x0d0,
                                    0x084, 0x0d3, 0x0d8, 0x085, 0x000};
    bool lane = argc > 1 && !strcmp(argv[1], "lane");
    calibrate();
    printf("Core cycles per block of 16 pixels.\n%-22s %-6s%8s%8s%s\n",
           "format", "mode", "avx2", "avx512", lane ? "    lane" : "");
    for (unsigned i = 0; i < sizeof code / sizeof *code; i++)
        print_format(code[i], lane);
    print_depth(DEPTH_F32, "depth D32F");
    print_depth(DEPTH_U24, "depth D24");
    print_depth(DEPTH_U16, "depth D16");
    return 0;
}
