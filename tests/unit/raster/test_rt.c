/* Routines for blocks of a target (rt.h), each instruction set that the
 * processor has against format_pack(), format_unpack() and blend_run(), bit
 * for bit, on numbers chosen to hurt. */
#include <criterion/criterion.h>
#include <immintrin.h>

#include "base/cpu.h"
#include "rig.h"
#include "sampler/pixels.h"

enum { LANES = 16, MEM_B = 8192, ROUNDS = 60 };

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t
rnd(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 32);
}

/* Special numbers, values next to the steps of every conversion, and any. */
static uint32_t
hostile(void)
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
    switch (rnd() % 4) {
    case 0: return special[rnd() % (sizeof special / sizeof *special)];
    case 1: return rnd();
    case 2: /* the middle between two codes, or one beside it */
        m = max[rnd() % 6];
        step = bits_from_float((float)((rnd() % m + 0.5) / m));
        return step + rnd() % 3 - 1;
    default: return bits_from_float((float)(rnd() >> 8) * 0x1p-24f);
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
    format_pack(fmt, &v, packed);
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

/* As compiled code calls tails. */
typedef void (*tail_avx512_fn)(__m512, __m512, __m512, __m512,
                               const struct eu_row *, const struct rt_block *,
                               uint32_t);
typedef void (*two_avx512_fn)(__m512, __m512, __m512, __m512, __m512, __m512,
                              __m512, __m512, const struct eu_row *,
                              const struct rt_block *);
typedef void (*tail_avx2_fn)(__m256, __m256, __m256, __m256, __m256, __m256,
                             __m256, __m256, const struct eu_row *,
                             const struct rt_block *, uint32_t);

__attribute__((target("avx512f"))) static void
call_avx512(rt_tail_fn fn, const uint32_t (*c)[LANES], const struct eu_row *row,
            const struct rt_block *b, uint32_t mask)
{
    __m512 v[4];
    for (unsigned i = 0; i < 4; i++)
        v[i] = _mm512_loadu_ps(c[i]);
    ((tail_avx512_fn)fn)(v[0], v[1], v[2], v[3], row, b, mask);
}

/* The block and another one, in any order. */
__attribute__((target("avx512f"))) static void
call_two(rt_tail_fn fn, const uint32_t (*c)[LANES], uint8_t *got,
         const struct rt_block *b, uint32_t mask)
{
    alignas(64) static uint8_t elsewhere[MEM_B];
    const unsigned at = rnd() & 1;
    const uint32_t masks[4] = {0xffff, 0xffff, 0, rnd() & 0xffff};
    struct eu_row row[2 + ROWS_AHEAD] = {0};
    __m512 v[2][4];
    row[at] = (struct eu_row){.caught = got, .caught_mask = mask};
    row[!at] = (struct eu_row){.caught = elsewhere,
                               .caught_mask = masks[b->whole ? 0 : rnd() % 4]};
    for (unsigned i = 0; i < 4; i++) {
        v[at][i] = _mm512_loadu_ps(c[i]);
        v[!at][i] = _mm512_loadu_ps(c[3 - i]);
    }
    ((two_avx512_fn)fn)(v[0][0], v[0][1], v[0][2], v[0][3], v[1][0], v[1][1],
                        v[1][2], v[1][3], row, b);
}

__attribute__((target("avx2"))) static void
call_avx2(rt_tail_fn fn, const uint32_t (*c)[LANES], const struct eu_row *row,
          const struct rt_block *b, uint32_t mask)
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
run_routine(struct fixture *f, struct rt_routine fn, enum way way, bool is_512,
            const struct layout *l, uint32_t mask)
{
    const struct rt_plane plane = {f->got, mask};
    struct rt_block block = {
        .state = &f->t.rt, .pitch_B = l->pitch_B, .column_B = l->column_B};
    if (way != ROUTINE) {
        const struct eu_row row[1 + ROWS_AHEAD] = {{.caught = f->got}};
        block.lines = f->t.mask_all && l->pitch_B == 16 && rnd() % 8;
        block.streams = rnd() & 1;
        block.fetches_ahead = block.lines && !block.streams && rnd() & 1;
        block.whole = block.fetches_ahead && mask == 0xffff && rnd() % 4;
        if (way == TAIL_OF_TWO)
            call_two(fn.two, f->c, f->got, &block, mask);
        else
            (is_512 ? call_avx512 : call_avx2)(fn.tail, f->c, row, &block,
                                               mask);
        return;
    }
    for (unsigned c = 0; c < 4; c++)
        block.c[c] = f->c[c];
    block.count = block.planes = 1;
    block.plane = &plane;
    fn.write(&block);
}

static void
compare(struct fixture *f, struct rt_routine fn, enum way way, bool is_512,
        const struct layout *l, uint32_t mask)
{
    memcpy(f->got, f->old, sizeof f->got);
    uint32_t before = fpmode_enter(BLEND_FP_MODE);
    run_routine(f, fn, way, is_512, l, mask);
    fpmode_leave(BLEND_FP_MODE, before);
    if (!memcmp(f->got, f->want, sizeof f->got))
        return;
    for (unsigned i = 0; i < MEM_B; i++)
        cr_assert_eq(f->got[i], f->want[i],
                     "%s %s %s mode %u (%u %u %u) mask %04x pitch %u, byte %u: "
                     "%02x, not %02x",
                     is_512 ? "avx512" : "avx2", way_names[way], f->t.fmt->name,
                     f->t.rt.mode, f->b.src[0], f->b.dst[0], f->b.func[0], mask,
                     l->pitch_B, i, f->got[i], f->want[i]);
}

static void
check(struct fixture *f, const struct layout *l, uint32_t mask)
{
    for (unsigned i = 0; i < MEM_B; i += 4) {
        uint32_t v = hostile();
        memcpy(f->old + i, &v, 4);
    }
    for (unsigned i = 0; i < 4 * LANES; i++)
        f->c[i / LANES][i % LANES] = hostile();
    memcpy(f->want, f->old, sizeof f->want);
    for (unsigned i = 0; i < LANES; i++) {
        if (mask >> i & 1)
            write_one(f, l, i);
    }
    unsigned format = f->t.rt.format, mode = f->t.rt.mode;
    for (enum way way = ROUTINE; way <= TAIL_OF_TWO; way++) {
        if (cpu_selected() >= CPU_AVX2 && way != TAIL_OF_TWO)
            compare(f, rt_routine_avx2[format][mode], way, false, l, mask);
        if (cpu_selected() >= CPU_AVX512)
            compare(f, rt_routine_avx512[format][mode], way, true, l, mask);
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
        cr_assert(rt_state_init(&st, &f->t, &f->b), "%s", f->t.fmt->name);
        for (unsigned k = 0; k < 3; k++)
            check(f, &layouts[k], rnd() % 3 ? rnd() & 0xffff : 0xffff);
    }
}

Test(rt, stores)
{
    static struct fixture f;
    for (unsigned n = 0; n < ROUNDS; n++) {
        f.b = (struct blend_state){.write_mask = n % 3 ? 15 : rnd() & 15};
        check_formats(&f);
    }
}

/* Every mask of a block, in every shape of element. */
Test(rt, masks)
{
    static struct fixture f;
    static const unsigned shape[] = {0x140, 0x106, 0x0c7, 0x084, 0x000};
    f.b = (struct blend_state){.write_mask = 15};
    for (unsigned i = 0; i < 5; i++) {
        make_target(&f, shape[i]);
        for (uint32_t mask = 0; mask < 1u << LANES; mask += 1 + rnd() % 97)
            check(&f, &layouts[mask % 3], mask);
    }
}

static void
random_blend(struct blend_state *b)
{
    static const uint8_t factor[] = {1,  2,  3,  4,  5,  6,  7,  8,
                                     17, 18, 19, 20, 21, 23, 24, 0};
    *b = (struct blend_state){.enabled = true,
                              .write_mask = rnd() % 4 ? 15 : rnd() & 15,
                              .pre_clamp = rnd() & 1,
                              .post_clamp = rnd() & 1,
                              .clamp_range = (uint8_t)(rnd() % 3)};
    for (unsigned i = 0; i < 2; i++) {
        b->src[i] = factor[rnd() % 16];
        b->dst[i] = factor[rnd() % 16];
        b->func[i] = (uint8_t)(rnd() % 5);
    }
    for (unsigned c = 0; c < 4; c++)
        b->constant[c] = float_from_bits(hostile());
    if (rnd() % 3)
        return;
    b->func[0] = b->func[1] = GEN9_BLENDFUNCTION_ADD;
    b->src[0] = b->src[1] = GEN9_BLENDFACTOR_SRC_ALPHA;
    b->dst[0] = b->dst[1] = GEN9_BLENDFACTOR_INV_SRC_ALPHA;
}

Test(rt, blends)
{
    static struct fixture f;
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
    cr_assert(!memcmp(f->got, f->want, sizeof f->got), "%s mode %u in %04x",
              f->t.fmt->name, f->t.rt.mode, mode);
}

/* Where fp_bits says so, kernels' float modes do not matter. */
Test(rt, float_modes_that_do_not_show)
{
    static struct fixture f;
    unsigned tried = 0;
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
            check(&f, &layouts[0], 0xffff);
            uint32_t mode = fpmode_make(1 + n % 3, n & 8);
            mode = (mode & free_bits) | (BLEND_FP_MODE & ~free_bits);
            run_in_mode(&f, mode);
            tried += f.b.enabled;
        }
    }
    cr_assert(tried || cpu_selected() == CPU_SSE4);
}

/* ---- copies ---- */

static struct sampled {
    uint32_t pixel[LANES];
    bool blue_first;
    enum sample_state state;
} sampled;

/* Pixels that are only begun are not here yet. */
__attribute__((target("avx512f"))) static __m512i
sample(const struct sample_plan *plan, __m512 u, __m512 v,
       struct sample_blocks *blocks, bool blue_first,
       struct sample_begun *begun)
{
    sampled.blue_first = blue_first;
    begun->state = sampled.state;
    begun->x = _mm512_loadu_si512(sampled.pixel);
    return sampled.state == SAMPLE_DONE ? begun->x : _mm512_setzero_si512();
}

__attribute__((target("avx512f"))) static __m512i
finish(const struct sample_plan *plan, const struct sample_begun *begun,
       bool blue_first)
{
    cr_assert_eq(sampled.blue_first, blue_first);
    return begun->x;
}

__attribute__((target("avx2"))) static bool
sample_two_halves(const struct sample_plan *plan, __m256 u0, __m256 u1,
                  __m256 v0, __m256 v1, struct sample_blocks *blocks,
                  bool blue_first, __m256i out[2])
{
    sampled.blue_first = blue_first;
    memcpy(out, sampled.pixel, sizeof sampled.pixel);
    return sampled.state == SAMPLE_DONE;
}

__attribute__((target("avx2"))) static bool
run_copy_avx2(rt_tail_fn copy, const struct eu_row *row,
              const struct rt_block *b, uint32_t mask)
{
    typedef bool (*copy_fn)(__m256, __m256, __m256, __m256,
                            const struct eu_row *, const struct rt_block *,
                            uint32_t);
    __m256 zero = _mm256_setzero_ps();
    return ((copy_fn)copy)(zero, zero, zero, zero, row, b, mask);
}

__attribute__((target("avx512f"))) static bool
run_copy_avx512(rt_tail_fn copy, const struct eu_row *row,
                const struct rt_block *b, uint32_t mask)
{
    typedef bool (*copy_fn)(__m512, __m512, const struct eu_row *,
                            const struct rt_block *, uint32_t);
    __m512 zero = _mm512_setzero_ps();
    return ((copy_fn)copy)(zero, zero, row, b, mask);
}

/* What a block that is sampled stores. */
static void
want_copy(enum rt_format format, uint32_t pitch_B, uint32_t mask, uint8_t *want)
{
    for (unsigned i = 0; i < LANES; i++) {
        sampled.pixel[i] = rnd();
        uint32_t v = sampled.pixel[i] | (format == RT_BGRX8 ? 0xff000000 : 0);
        unsigned x = (i >> 2 & 1) * 2 + (i & 1), y = i / 8 * 2 + (i >> 1 & 1);
        if (mask >> i & 1 && sampled.state != SAMPLE_LEFT_OUT)
            memcpy(want + y * pitch_B + x * 4, &v, 4);
    }
}

/* Blocks over each other: the last one is on top. */
static void
check_copies(enum rt_format format, uint32_t pitch_B, uint32_t mask,
             bool halves)
{
    static alignas(64) uint8_t got[1024], want[1024];
    const struct sample_plan plan = {
        .pixels = cpu_selected() == CPU_AVX2
                      ? (sample_pixels_fn)sample_two_halves
                      : (sample_pixels_fn)sample,
        .finish = (sample_finish_fn)finish};
    const struct rt_state st = {.format = (uint8_t)format, .mask_all = true};
    unsigned declined = 0, left_out = 0;
    struct rt_begun begun = {.at = NULL};
    const struct rt_block b = {.state = &st,
                               .pitch_B = pitch_B,
                               .plan = &plan,
                               .declined = &declined,
                               .begun = &begun};
    for (unsigned i = 0; i < sizeof got; i++)
        want[i] = got[i] = (uint8_t)rnd();
    for (unsigned n = rnd() % 5; n < 5; n++) {
        unsigned at = 64 + rnd() % 2 * 64;
        const struct eu_row row = {.caught = got + at};
        sampled.state = (enum sample_state)(rnd() % (halves ? 3 : 2));
        want_copy(format, pitch_B, mask, want + at);
        rt_tail_fn copy = rt_choose_copy(&st, halves);
        bool done = cpu_selected() == CPU_AVX2
                        ? run_copy_avx2(copy, &row, &b, mask)
                        : run_copy_avx512(copy, &row, &b, mask);
        cr_assert_eq(done, sampled.state != SAMPLE_LEFT_OUT);
        left_out += sampled.state == SAMPLE_LEFT_OUT;
        cr_assert_eq(declined, left_out);
        cr_assert_eq(sampled.blue_first, format != RT_RGBA8);
        /* Nothing else waits: whoever is left out stores by other means. */
        cr_assert_eq(begun.at != NULL, sampled.state == SAMPLE_BEGUN);
        mask = mask == 0xffff ? mask : rnd() & 0xffff;
    }
    rt_finish_copy(&b);
    cr_assert(!memcmp(got, want, sizeof got), "format %u, pitch %u, mask %x",
              format, pitch_B, mask);
}

Test(rt, copies_store_pixels)
{
    const enum rt_format format[] = {RT_RGBA8, RT_BGRA8, RT_BGRX8};
    const struct rt_state none[] = {
        {.format = RT_RGBA8}, /* not all bits */
        {.format = RT_RGBA8, .mask_all = true, .mode = RT_OVER},
        {.format = RT_RGBA16, .mask_all = true},
    };
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(none); i++)
        cr_assert_null(rt_choose_copy(&none[i / 2], i % 2));
    for (unsigned n = 0; n < 3000 && cpu_selected() >= CPU_AVX2; n++) {
        check_copies(format[n % 3], n % 2 ? 16 : 64 + rnd() % 8 * 16,
                     n % 4 ? rnd() & 0xffff : 0xffff,
                     cpu_selected() == CPU_AVX512 && rnd() % 2);
    }
}
