/* check_rt.c: render target kernels (rt_kernels.h), alone and as epilogues of
 * one or two threads, against rt_pack(), format_unpack() and blend_run(). Bit
 * for bit, on hostile numbers. */
#include "check.h"

#include <immintrin.h>
#include <stdio.h>

#include "base/fpmode.h"
#include "engine/raster/output/output.h"

enum { LANES = 16, MEM_B = 8192, ROUNDS = 60 };

static const struct rt_routine (*const routine[CHECK_ISAS])[RT_MODES] = {
    [CHECK_AVX2] = rt_routine_avx2, [CHECK_AVX512] = rt_routine_avx512};

/* Special numbers, values next to the steps of every conversion, and random
 * bits. */
static uint32_t
hostile_bits(void)
{
    static const uint32_t special[] = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
        0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f800000, 0xff800000,
        0x7fc00000, 0x7f800001, 0xffc12345, 0xff812345, 0x7f7fffff, 0x477fe000,
        0x477fefff, 0x477ff000, 0x47800000, 0x387fffff, 0x38800000, 0x33000000,
        0x33000001, 0x35800000, 0x36000001, 0x477effff, 0x477f0000,
    };
    static const unsigned max[] = {3, 31, 63, 255, 1023, 65535};
    uint32_t step, m;
    switch (check_random() % 4) {
    case 0: return special[check_random() % (sizeof special / sizeof *special)];
    case 1: return check_random();
    case 2: /* the middle between two codes, or a neighbour */
        m = max[check_random() % 6];
        step = bits_from_float((float)((check_random() % m + 0.5) / m));
        return step + check_random() % 3 - 1;
    default: return bits_from_float((float)(check_random() >> 8) * 0x1p-24f);
    }
}

static const unsigned surface_formats[] = {
    0x000, 0x001, 0x002, 0x080, 0x084, 0x085, 0x086, 0x087,
    0x0c0, 0x0c2, 0x0c7, 0x0cc, 0x0d0, 0x0d1, 0x0d3, 0x0d6,
    0x0d7, 0x0d8, 0x0e9, 0x100, 0x106, 0x10a, 0x10e, 0x140,
};

struct layout {
    uint32_t pitch_B, column_B;
};
static const struct layout layouts[] = {{16, 512}, {512, 16}, {208, 16}};

static size_t
offset_B(const struct layout *l, unsigned element_B, unsigned lane)
{
    unsigned x = (lane >> 2 & 1) * 2 + (lane & 1);
    unsigned y = (lane >> 3) * 2 + (lane >> 1 & 1);
    unsigned row_B = x * element_B;
    return row_B / 16 * l->column_B + y * l->pitch_B + row_B % 16;
}

struct fixture {
    enum check_isa isa;
    struct blend_state b;
    struct target t;
    uint32_t c[4][LANES];
    alignas(64) uint8_t old[MEM_B], want[MEM_B], got[MEM_B];
};

static void
write_one(struct fixture *f, const struct layout *l, unsigned lane)
{
    const struct format_info *fmt = f->t.fmt;
    uint8_t *at = f->want + offset_B(l, f->t.element_B, lane), packed[16];
    union color v;
    for (unsigned c = 0; c < 4; c++)
        v.u[c] = f->c[c][lane];
    if (f->b.enabled && !fmt->is_int) {
        struct blend_lanes in;
        float out[4][16];
        union color dst;
        memset(&in, 0, sizeof in);
        format_unpack(fmt, at, &dst);
        for (unsigned c = 0; c < 4; c++) {
            memcpy(&in.src[c][lane], &v.u[c], 4);
            memcpy(&in.dst[c][lane], &dst.u[c], 4);
        }
        blend_run(&f->b, &f->t.range, &in, out);
        for (unsigned c = 0; c < 4; c++)
            v.f[c] = out[c][lane];
    }
    fmt->rt_pack(fmt, &v, packed);
    for (unsigned i = 0; i < f->t.element_B; i++)
        at[i] = (uint8_t)((at[i] & ~f->t.mask[i]) | (packed[i] & f->t.mask[i]));
}

static void
make_target(struct fixture *f, unsigned format)
{
    memset(&f->t, 0, sizeof f->t);
    f->t.fmt = format_info(format);
    f->t.element_B = f->t.fmt->element_B;
    f->t.entry = -1;
    target_use_entry(&f->t, &f->b, 0);
}

/* Epilogues, as compiled code calls them. */
typedef void (*tail_avx512_fn)(__m512, __m512, __m512, __m512,
                               const struct eu_chain_entry *,
                               const struct rt_block *, uint32_t);
typedef void (*two_avx512_fn)(__m512, __m512, __m512, __m512, __m512, __m512,
                              __m512, __m512, const struct eu_chain_entry *,
                              const struct rt_block *);
typedef void (*tail_avx2_fn)(__m256, __m256, __m256, __m256, __m256, __m256,
                             __m256, __m256, const struct eu_chain_entry *,
                             const struct rt_block *, uint32_t);

__attribute__((target("avx512f"))) static void
call_avx512(rt_epilogue_fn fn, const uint32_t (*c)[LANES],
            const struct eu_chain_entry *row, const struct rt_block *b,
            uint32_t mask)
{
    __m512 v[4];
    for (unsigned i = 0; i < 4; i++)
        v[i] = _mm512_loadu_ps(c[i]);
    ((tail_avx512_fn)fn)(v[0], v[1], v[2], v[3], row, b, mask);
}

/* Writes the block and another one, in either order. */
__attribute__((target("avx512f"))) static void
call_two(rt_epilogue_fn fn, const uint32_t (*c)[LANES], uint8_t *got,
         const struct rt_block *b, uint32_t mask)
{
    alignas(64) static uint8_t elsewhere[MEM_B];
    const unsigned at = check_random() & 1;
    const uint32_t masks[4] = {0xffff, 0xffff, 0, check_random() & 0xffff};
    struct eu_chain_entry row[2 + ROWS_AHEAD] = {0};
    __m512 v[2][4];
    row[at] = (struct eu_chain_entry){.captured = got, .captured_mask = mask};
    row[!at] = (struct eu_chain_entry){
        .captured = elsewhere,
        .captured_mask = masks[b->whole ? 0 : check_random() % 4]};
    for (unsigned i = 0; i < 4; i++) {
        v[at][i] = _mm512_loadu_ps(c[i]);
        v[!at][i] = _mm512_loadu_ps(c[3 - i]);
    }
    ((two_avx512_fn)fn)(v[0][0], v[0][1], v[0][2], v[0][3], v[1][0], v[1][1],
                        v[1][2], v[1][3], row, b);
}

__attribute__((target("avx2"))) static void
call_avx2(rt_epilogue_fn fn, const uint32_t (*c)[LANES],
          const struct eu_chain_entry *row, const struct rt_block *b,
          uint32_t mask)
{
    __m256 v[8];
    for (unsigned i = 0; i < 8; i++)
        v[i] = (__m256)_mm256_loadu_si256(
            (const __m256i *)(const void *)&c[i / 2][i % 2 * 8]);
    ((tail_avx2_fn)fn)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], row, b,
                       mask);
}

enum way { ROUTINE, TAIL, TAIL_OF_TWO };
static const char *const way_names[] = {"routine", "tail", "tail of two"};

static void
run_routine(struct fixture *f, struct rt_routine fn, enum way way,
            const struct layout *l, uint32_t mask)
{
    const struct rt_plane plane = {f->got, mask};
    struct rt_block block = {
        .state = &f->t.rt, .pitch_B = l->pitch_B, .column_B = l->column_B};
    if (way != ROUTINE) {
        const struct eu_chain_entry row[1 + ROWS_AHEAD] = {
            {.captured = f->got}};
        block.lines = f->t.mask_all && l->pitch_B == 16 && check_random() % 8;
        block.streams = check_random() & 1;
        block.fetches_ahead = block.lines && !block.streams &&
                              check_random() & 1;
        block.whole = block.fetches_ahead && mask == 0xffff &&
                      check_random() % 4;
        if (way == TAIL_OF_TWO)
            call_two(fn.two, f->c, f->got, &block, mask);
        else
            (f->isa == CHECK_AVX512 ? call_avx512 : call_avx2)(
                fn.tail, f->c, row, &block, mask);
        return;
    }
    for (unsigned c = 0; c < 4; c++)
        block.c[c] = f->c[c];
    block.count = block.planes = 1;
    block.plane = &plane;
    fn.write(&block);
}

static void
compare(struct fixture *f, struct rt_routine fn, enum way way,
        const struct layout *l, uint32_t mask)
{
    memcpy(f->got, f->old, sizeof f->got);
    uint32_t before = fpmode_enter(BLEND_FP_MODE);
    run_routine(f, fn, way, l, mask);
    fpmode_leave(BLEND_FP_MODE, before);
    if (!memcmp(f->got, f->want, sizeof f->got))
        return;
    for (unsigned i = 0; i < MEM_B; i++)
        check_eq(f->got[i], f->want[i],
                 "%s %s mode %u (%u %u %u) mask %04x pitch %u, byte %u: %02x, "
                 "not %02x",
                 way_names[way], f->t.fmt->name, f->t.rt.mode, f->b.src[0],
                 f->b.dst[0], f->b.func[0], mask, l->pitch_B, i, f->got[i],
                 f->want[i]);
}

static void
check_block(struct fixture *f, const struct layout *l, uint32_t mask)
{
    for (unsigned i = 0; i < MEM_B; i += 4) {
        uint32_t v = hostile_bits();
        memcpy(f->old + i, &v, 4);
    }
    for (unsigned i = 0; i < 4 * LANES; i++)
        f->c[i / LANES][i % LANES] = hostile_bits();
    memcpy(f->want, f->old, sizeof f->want);
    for (unsigned i = 0; i < LANES; i++) {
        if (mask >> i & 1)
            write_one(f, l, i);
    }
    unsigned format = f->t.rt.format, mode = f->t.rt.mode;
    for (enum way way = ROUTINE; way <= TAIL_OF_TWO; way++) {
        if (f->isa == CHECK_AVX512 || way != TAIL_OF_TWO)
            compare(f, routine[f->isa][format][mode], way, l, mask);
    }
}

static void
check_formats(struct fixture *f)
{
    for (unsigned i = 0; i < sizeof surface_formats / sizeof(unsigned); i++) {
        make_target(f, surface_formats[i]);
        if (f->t.mask_none)
            continue;
        struct rt_state st;
        check_that(rt_state_init(&st, &f->t, &f->b), "%s", f->t.fmt->name);
        for (unsigned k = 0; k < 3; k++)
            check_block(f, &layouts[k],
                        check_random() % 3 ? check_random() & 0xffff : 0xffff);
    }
}

static void
compare_stores(enum check_isa isa)
{
    static struct fixture f;
    f.isa = isa;
    for (unsigned n = 0; n < ROUNDS; n++) {
        f.b = (struct blend_state){.write_mask = n % 3 ? 15
                                                       : check_random() & 15};
        check_formats(&f);
    }
}

/* Every mask of a block, with every size of element. */
static void
compare_masks(enum check_isa isa)
{
    static const unsigned shape[] = {0x140, 0x106, 0x0c7, 0x084, 0x000};
    static struct fixture f;
    f.isa = isa;
    f.b = (struct blend_state){.write_mask = 15};
    for (unsigned i = 0; i < 5; i++) {
        make_target(&f, shape[i]);
        for (uint32_t mask = 0; mask < 1u << LANES;
             mask += 1 + check_random() % 97)
            check_block(&f, &layouts[mask % 3], mask);
    }
}

static void
random_blend(struct blend_state *b)
{
    static const uint8_t factor[] = {1,  2,  3,  4,  5,  6,  7,  8,
                                     17, 18, 19, 20, 21, 23, 24, 0};
    *b = (struct blend_state){
        .enabled = true,
        .write_mask = check_random() % 4 ? 15 : check_random() & 15,
        .pre_clamp = check_random() & 1,
        .post_clamp = check_random() & 1,
        .clamp_range = (uint8_t)(check_random() % 3)};
    for (unsigned i = 0; i < 2; i++) {
        b->src[i] = factor[check_random() % 16];
        b->dst[i] = factor[check_random() % 16];
        b->func[i] = (uint8_t)(check_random() % 5);
    }
    for (unsigned c = 0; c < 4; c++)
        b->constant[c] = float_from_bits(hostile_bits());
    if (check_random() % 3)
        return;
    b->func[0] = b->func[1] = GEN9_BLENDFUNCTION_ADD;
    b->src[0] = b->src[1] = GEN9_BLENDFACTOR_SRC_ALPHA;
    b->dst[0] = b->dst[1] = GEN9_BLENDFACTOR_INV_SRC_ALPHA;
}

static void
compare_blends(enum check_isa isa)
{
    static struct fixture f;
    f.isa = isa;
    for (unsigned n = 0; n < 8 * ROUNDS; n++) {
        random_blend(&f.b);
        check_formats(&f);
    }
}

static void
run_in_mode(struct fixture *f, uint32_t mode)
{
    const struct rt_plane plane = {f->got, 0xffff};
    const struct rt_block block = {.c = {f->c[0], f->c[1], f->c[2], f->c[3]},
                                   .state = &f->t.rt,
                                   .count = 1,
                                   .planes = 1,
                                   .plane = &plane,
                                   .pitch_B = layouts[0].pitch_B,
                                   .column_B = layouts[0].column_B};
    rt_write_fn fn = rt_choose(&f->t.rt);
    memcpy(f->got, f->old, sizeof f->got);
    fpmode_set(mode);
    fn(&block);
    fpmode_set(FPMODE_DEFAULT);
    check_that(!memcmp(f->got, f->want, sizeof f->got), "%s mode %u in %04x",
               f->t.fmt->name, f->t.rt.mode, mode);
}

/* Float modes outside of fp_bits do not change results. */
static void
compare_float_modes(enum check_isa isa)
{
    static struct fixture f;
    unsigned tried = 0;
    f.isa = isa;
    for (unsigned n = 0; n < 8 * ROUNDS; n++) {
        random_blend(&f.b);
        f.b.enabled = n % 2;
        f.b.clamp_range = n % 4 < 2 ? 2 : f.b.clamp_range;
        for (unsigned i = 0; i < sizeof surface_formats / sizeof(unsigned);
             i++) {
            make_target(&f, surface_formats[i]);
            uint32_t free_bits = ~f.t.rt.fp_bits & ~FPMODE_STATUS;
            if (f.t.mask_none || !free_bits || !rt_choose(&f.t.rt))
                continue;
            check_block(&f, &layouts[0], 0xffff);
            uint32_t mode = fpmode_make(1 + n % 3, n & 8);
            mode = (mode & free_bits) | (BLEND_FP_MODE & ~free_bits);
            run_in_mode(&f, mode);
            tried += f.b.enabled;
        }
    }
    check_that(tried);
}

/* ---- bench: core cycles per block of 16 pixels ---- */

enum { RUNS = 1024, BLOCKS = 8, BLOCK_B = 64 };

struct bench {
    enum check_isa isa;
    struct fixture *f;
    struct rt_plane plane;
    struct rt_block block;
};

/* Different memory each time, so that blocks do not wait for each other. */
static void
run_writes(void *arg)
{
    static const struct layout l = {16, 512};
    struct bench *b = arg;
    struct fixture *f = b->f;
    for (unsigned n = 0; n < RUNS; n++) {
        if (b->isa != CHECK_SCALAR) {
            b->plane.at = f->got + n % BLOCKS * BLOCK_B;
            routine[b->isa][f->t.rt.format][f->t.rt.mode].write(&b->block);
            continue;
        }
        for (unsigned i = 0; i < LANES; i++)
            write_one(f, &l, i);
    }
}

static void
bench_mode(enum check_isa isa, unsigned format, enum rt_mode mode)
{
    static const char *const mode_name[] = {"", " over", " blend"};
    static struct fixture f;
    struct bench b = {.isa = isa, .f = &f, .plane = {f.got, 0xffff}};
    char name[40];
    f.b = (struct blend_state){.enabled = mode != RT_NO_BLEND,
                               .write_mask = 15,
                               .pre_clamp = true,
                               .post_clamp = true,
                               .clamp_range = 2};
    for (unsigned i = 0; i < 2; i++) {
        f.b.src[i] = mode == RT_SRC_OVER ? GEN9_BLENDFACTOR_SRC_ALPHA
                                         : GEN9_BLENDFACTOR_ONE;
        f.b.dst[i] = GEN9_BLENDFACTOR_INV_SRC_ALPHA;
    }
    make_target(&f, format);
    for (unsigned i = 0; i < 4 * LANES; i++)
        f.c[i / LANES][i % LANES] = bits_from_float((float)i / 64);
    b.block = (struct rt_block){.c = {f.c[0], f.c[1], f.c[2], f.c[3]},
                                .state = &f.t.rt,
                                .count = 1,
                                .planes = 1,
                                .plane = &b.plane,
                                .pitch_B = 16,
                                .column_B = 512};
    snprintf(name, sizeof name, "%s%s", f.t.fmt->name, mode_name[mode]);
    check_time(name, run_writes, &b, RUNS);
}

static void
bench_formats(enum check_isa isa)
{
    static const unsigned code[] = {0x140, 0x106, 0x0c7, 0x0c0, 0x100,
                                    0x0c2, 0x0cc, 0x080, 0x10e, 0x0d0,
                                    0x084, 0x0d3, 0x0d8, 0x085, 0x000};
    for (unsigned i = 0; i < ARRAY_SIZE(code); i++)
        for (enum rt_mode mode = RT_NO_BLEND; mode < RT_MODES; mode++)
            bench_mode(isa, code[i], mode);
}

#define BOTH(kernel, reference, compare, bench)                      \
    {kernel, reference, "rt_avx2", CHECK_AVX2, compare, bench},      \
    {                                                                \
        kernel, reference, "rt_avx512", CHECK_AVX512, compare, bench \
    }

static const struct check_row rows[] = {
    BOTH("rt_write", "rt_pack", compare_stores, bench_formats),
    BOTH("rt_write.masks", "rt_pack", compare_masks, NULL),
    BOTH("rt_write.blends", "blend_run", compare_blends, NULL),
    BOTH("rt_write.float_modes", "blend_run", compare_float_modes, NULL),
};

CHECK_FAMILY(rt, rows);
