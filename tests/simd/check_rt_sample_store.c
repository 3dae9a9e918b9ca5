/* check_rt_sample_store.c: sample stores (rt_choose_sample_store()), epilogues
 * that store what a plan's to_unorm8() returns. The plan is a stub that returns
 * random pixels, declines, or leaves them to finish(). */
#include "check.h"

#include <immintrin.h>

#include "engine/raster/output/output.h"
#include "sampler/plan/kernel_types.h"

enum { LANES = 16 };

static struct sampled {
    uint32_t pixel[LANES];
    bool blue_first;
    enum sample_state state;
} sampled;

/* Returns no pixels if sampling has only begun. */
__attribute__((target("avx512f"))) static __m512i
begin_sample(const struct sample_plan *plan, __m512 u, __m512 v,
             struct block_cache *blocks, bool blue_first,
             struct sample_begun *begun)
{
    sampled.blue_first = blue_first;
    begun->state = sampled.state;
    begun->x = _mm512_loadu_si512(sampled.pixel);
    return sampled.state == SAMPLE_DONE ? begun->x : _mm512_setzero_si512();
}

__attribute__((target("avx512f"))) static __m512i
finish_sample(const struct sample_plan *plan, const struct sample_begun *begun,
              bool blue_first)
{
    check_eq(sampled.blue_first, blue_first);
    return begun->x;
}

__attribute__((target("avx2"))) static bool
sample_two_halves(const struct sample_plan *plan, __m256 u0, __m256 u1,
                  __m256 v0, __m256 v1, struct block_cache *blocks,
                  bool blue_first, __m256i out[2])
{
    sampled.blue_first = blue_first;
    memcpy(out, sampled.pixel, sizeof sampled.pixel);
    return sampled.state == SAMPLE_DONE;
}

__attribute__((target("avx2"))) static bool
run_copy_avx2(rt_epilogue_fn copy, const struct eu_chain_entry *row,
              const struct rt_block *b, uint32_t mask)
{
    typedef bool (*copy_fn)(__m256, __m256, __m256, __m256,
                            const struct eu_chain_entry *,
                            const struct rt_block *, uint32_t);
    __m256 zero = _mm256_setzero_ps();
    return ((copy_fn)copy)(zero, zero, zero, zero, row, b, mask);
}

__attribute__((target("avx512f"))) static bool
run_copy_avx512(rt_epilogue_fn copy, const struct eu_chain_entry *row,
                const struct rt_block *b, uint32_t mask)
{
    typedef bool (*copy_fn)(__m512, __m512, const struct eu_chain_entry *,
                            const struct rt_block *, uint32_t);
    __m512 zero = _mm512_setzero_ps();
    return ((copy_fn)copy)(zero, zero, row, b, mask);
}

/* The bytes that a sample store must leave. */
static void
want_copy(enum rt_format format, uint32_t pitch_B, uint32_t mask, uint8_t *want)
{
    for (unsigned i = 0; i < LANES; i++) {
        sampled.pixel[i] = check_random();
        uint32_t v = sampled.pixel[i] | (format == RT_BGRX8 ? 0xff000000 : 0);
        unsigned x = (i >> 2 & 1) * 2 + (i & 1), y = i / 8 * 2 + (i >> 1 & 1);
        if (mask >> i & 1 && sampled.state != SAMPLE_LEFT_OUT)
            memcpy(want + y * pitch_B + x * 4, &v, 4);
    }
}

/* Blocks that overlap: the last one must win. */
static void
check_copies(enum rt_format format, uint32_t pitch_B, uint32_t mask,
             bool halves)
{
    static alignas(64) uint8_t got[1024], want[1024];
    const struct sample_plan plan = {
        .to_unorm8 = cpu_selected() == CPU_AVX2
                         ? (sample_to_unorm8_fn)sample_two_halves
                         : (sample_to_unorm8_fn)begin_sample,
        .finish = (sample_finish_fn)finish_sample};
    const struct rt_state st = {.format = (uint8_t)format, .mask_all = true};
    unsigned declined = 0, left_out = 0;
    struct rt_begun begun = {.at = NULL};
    const struct rt_block b = {.state = &st,
                               .pitch_B = pitch_B,
                               .plan = &plan,
                               .declined = &declined,
                               .begun = &begun};
    for (unsigned i = 0; i < sizeof got; i++)
        want[i] = got[i] = (uint8_t)check_random();
    for (unsigned n = check_random() % 5; n < 5; n++) {
        unsigned at = 64 + check_random() % 2 * 64;
        const struct eu_chain_entry row = {.captured = got + at};
        sampled.state = (enum sample_state)(check_random() % (halves ? 3 : 2));
        want_copy(format, pitch_B, mask, want + at);
        rt_epilogue_fn copy = rt_choose_sample_store(&st, halves);
        bool done = cpu_selected() == CPU_AVX2
                        ? run_copy_avx2(copy, &row, &b, mask)
                        : run_copy_avx512(copy, &row, &b, mask);
        check_eq(done, sampled.state != SAMPLE_LEFT_OUT);
        left_out += sampled.state == SAMPLE_LEFT_OUT;
        check_eq(declined, left_out);
        check_eq(sampled.blue_first, format != RT_RGBA8);
        /* No other block may be pending: a declined thread stores by other
         * means. */
        check_eq(begun.at != NULL, sampled.state == SAMPLE_BEGUN);
        mask = mask == 0xffff ? mask : check_random() & 0xffff;
    }
    rt_finish_sample_store(&b);
    check_that(!memcmp(got, want, sizeof got), "format %u, pitch %u, mask %x",
               format, pitch_B, mask);
}

/* No sample store fits these targets. */
static void
check_declined(void)
{
    const struct rt_state none[] = {
        {.format = RT_RGBA8}, /* not all bits */
        {.format = RT_RGBA8, .mask_all = true, .mode = RT_SRC_OVER},
        {.format = RT_RGBA16, .mask_all = true},
    };
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(none); i++)
        check_that(!rt_choose_sample_store(&none[i / 2], i % 2));
}

static void
compare_stores(enum check_isa isa)
{
    const enum rt_format format[] = {RT_RGBA8, RT_BGRA8, RT_BGRX8};
    check_declined();
    for (unsigned n = 0; n < 3000; n++) {
        check_copies(format[n % 3], n % 2 ? 16 : 64 + check_random() % 8 * 16,
                     n % 4 ? check_random() & 0xffff : 0xffff,
                     isa == CHECK_AVX512 && check_random() % 2);
    }
}

static const struct check_row rows[] = {
    {"rt_sample_store", "pixels one by one", "rt_sample_store_avx2", CHECK_AVX2,
     compare_stores, NULL},
    {"rt_sample_store", "pixels one by one", "rt_sample_store_avx512",
     CHECK_AVX512, compare_stores, NULL},
};

CHECK_FAMILY(rt_sample_store, rows);
