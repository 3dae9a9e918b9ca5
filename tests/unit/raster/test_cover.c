/* Every variant of cover_find() and of cover_small() gives the reference's
 * list.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "engine/raster/cover.h"

static uint32_t state;

static uint32_t
next_random(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 7;
}

static int64_t
between(int64_t lo, int64_t hi)
{
    uint64_t v = (uint64_t)next_random() << 24 ^ next_random();
    return lo + (int64_t)(v % (uint64_t)(hi - lo + 1));
}

/* An edge that passes near a point of the tile, of any steepness. */
static void
random_edge(struct cover_job *job, unsigned e)
{
    int64_t size = INT64_C(1) << between(0, 22);
    int64_t a = between(-size, size), b = between(-size, size);
    if (!between(0, 7))
        a = 0;
    if (!between(0, 7))
        b = 0;
    job->a[e] = a;
    job->b[e] = b;
    int64_t c = -a * between(-2, 65) - b * between(-2, 65) - between(0, 1);
    for (unsigned i = 0; i < job->samples; i++)
        job->c[e][i] = c + between(-(llabs(a) + llabs(b)) / 2,
                                   (llabs(a) + llabs(b)) / 2);
}

static uint64_t
random_range(void)
{
    if (between(0, 1))
        return UINT64_MAX;
    unsigned lo = (unsigned)between(0, 63), hi = (unsigned)between(lo, 63);
    return UINT64_MAX << lo & UINT64_MAX >> (63 - hi);
}

static void
compare(cover_find_fn *find, const struct cover_job *job, unsigned n)
{
    static struct cover_list want, got;
    memset(&want, 0xcc, sizeof want);
    memset(&got, 0x33, sizeof got);
    want.count = got.count = 0;
    cover_find_ref(job, &want);
    find(job, &got);
    /* Once more, behind what is there. */
    if (want.count < COVER_BLOCKS / 2) {
        cover_find_ref(job, &want);
        find(job, &got);
    }
    cr_assert_eq(want.count, got.count, "job %u: %u blocks, %u", n, got.count,
                 want.count);
    for (unsigned i = 0; i < want.count; i++) {
        const struct cover_block *w = &want.block[i], *g = &got.block[i];
        cr_assert(w->x == g->x && w->y == g->y && w->mask == g->mask,
                  "job %u block %u: (%u,%u) %04x, wanted (%u,%u) %04x", n, i,
                  g->x, g->y, g->mask, w->x, w->y, w->mask);
        for (unsigned k = 0; job->samples > 1 && k < job->samples; k++)
            cr_assert_eq(want.sample[i][k], got.sample[i][k],
                         "job %u block %u sample %u", n, i, k);
    }
}

static void
compare_all(cover_find_fn *find, enum cpu_level cpu)
{
    if (cpu_selected() < cpu)
        cr_skip("not on this processor");
    unsigned seen = 0, whole = 0;
    state = 1;
    for (unsigned n = 0; n < 20000; n++) {
        struct cover_job job = {.edges = (unsigned)between(0, 4),
                                .samples = 1u << between(0, 4),
                                .columns = random_range(),
                                .rows = random_range()};
        for (unsigned e = 0; e < job.edges; e++)
            random_edge(&job, e);
        if (!cover_trim(&job))
            continue;
        compare(find, &job, n);
        seen++;
        whole += !job.edges;
    }
    cr_assert_gt(seen, 5000);
    cr_assert_gt(whole, 100);
}

Test(cover, avx2)
{
    compare_all(cover_find_avx2, CPU_AVX2);
}

Test(cover, avx512)
{
    compare_all(cover_find_avx512, CPU_AVX512);
}

/* Blocks of small primitives, in the tile, across its sides and outside. */
static void
compare_small(cover_small_fn *fn, enum cpu_level cpu)
{
    static struct cover_list want, got;
    int64_t some = 0;
    if (cpu_selected() < cpu)
        cr_skip("not on this processor");
    state = 3;
    for (unsigned n = 0; n < 50000; n++) {
        int32_t x = (int32_t)between(-6, 18) * 4;
        int32_t y = (int32_t)between(-6, 18) * 4;
        uint64_t square[4];
        uint16_t mask[16];
        for (unsigned i = 0; i < 16; i++)
            mask[i] = between(0, 1) ? 0 : (uint16_t)between(0, 0xffff);
        memcpy(square, mask, sizeof square);
        /* Behind what the lists have. */
        if (want.count > COVER_BLOCKS - COVER_SMALL_BLOCKS || !between(0, 3))
            want.count = got.count = 0;
        some -= want.count;
        cover_small_ref(square, x, y, &want);
        fn(square, x, y, &got);
        cr_assert_eq(want.count, got.count, "list %u: %u blocks, not %u", n,
                     got.count, want.count);
        cr_assert(
            !memcmp(want.block, got.block, want.count * sizeof *want.block),
            "list %u at (%d,%d)", n, x, y);
        some += want.count;
    }
    cr_assert_gt(some, 10000);
}

Test(cover, small_avx2)
{
    compare_small(cover_small_avx2, CPU_AVX2);
}

Test(cover, small_avx512)
{
    compare_small(cover_small_avx512, CPU_AVX512);
}

/* Too large for 32 bits: the reference, whatever the processor. */
Test(cover, wide_edges)
{
    struct cover_job job = {.edges = 1, .samples = 1};
    job.columns = job.rows = UINT64_MAX;
    job.a[0] = INT64_C(1) << 28;
    job.b[0] = (INT64_C(1) << 28) + 1;
    job.c[0][0] = -(job.a[0] + job.b[0]) * 31;
    cr_assert(cover_trim(&job));
    cr_assert_eq(job.edges, 1);
    compare(cover_find, &job, 0);
}

/* The reference against its definition, pixel by pixel. */
Test(cover, reference)
{
    static struct cover_list list;
    state = 2;
    for (unsigned n = 0; n < 300; n++) {
        struct cover_job job = {.edges = (unsigned)between(0, 4),
                                .samples = 1u << between(0, 4),
                                .columns = random_range(),
                                .rows = random_range()};
        for (unsigned e = 0; e < job.edges; e++)
            random_edge(&job, e);
        const struct cover_job all = job;
        uint16_t got[64][64] = {{0}};
        list.count = 0;
        if (cover_trim(&job))
            cover_find_ref(&job, &list);
        for (unsigned i = 0; i < list.count; i++) {
            for (unsigned p = 0; p < 16; p++) {
                unsigned x = list.block[i].x + (p >> 2 & 1) * 2 + (p & 1);
                unsigned y = list.block[i].y + (p >> 3) * 2 + (p >> 1 & 1);
                for (unsigned k = 0; k < all.samples; k++)
                    got[y][x] |= (uint16_t)((list.sample[i][k] >> p & 1) << k);
                cr_assert_eq(list.block[i].mask >> p & 1, got[y][x] != 0);
            }
        }
        for (unsigned i = 0; i < 64 * 64 * all.samples; i++) {
            unsigned x = i & 63, y = i >> 6 & 63, k = i >> 12;
            bool in = (all.columns >> x & 1) && (all.rows >> y & 1);
            for (unsigned e = 0; e < all.edges; e++)
                in &= all.c[e][k] + all.a[e] * x + all.b[e] * y >= 0;
            cr_assert_eq(got[y][x] >> k & 1, in, "job %u (%u,%u) sample %u", n,
                         x, y, k);
        }
    }
}
