/* check_coverage.c: coverage of tiles (coverage.h): random edges near a tile,
 * and small primitives inside of it, across its borders and outside. */
#include "check.h"

#include "raster/coverage/any_cover_job.h"

static cover_find_fn *const find_kernel[CHECK_ISAS] = {
    cover_find_ref, cover_find_avx2, cover_find_avx512};
static cover_small_fn *const small_kernel[CHECK_ISAS] = {
    cover_small_ref, cover_small_avx2, cover_small_avx512};

/* Members of blocks past the samples may differ, nothing else. */
static void
compare_lists(cover_find_fn *find, const struct cover_job *job, unsigned n)
{
    static struct cover_list want, got;
    memset(&want, 0xcc, sizeof want);
    memset(&got, 0x33, sizeof got);
    want.count = got.count = 0;
    cover_find_ref(job, &want);
    find(job, &got);
    /* Again, appended to the list. */
    if (want.count < COVER_BLOCKS / 2) {
        cover_find_ref(job, &want);
        find(job, &got);
    }
    check_eq(want.count, got.count, "job %u: %u blocks, not %u", n, got.count,
             want.count);
    for (unsigned i = 0; i < want.count; i++) {
        const struct cover_block *w = &want.block[i], *g = &got.block[i];
        check_that(w->x == g->x && w->y == g->y && w->mask == g->mask,
                   "job %u block %u: (%u,%u) %04x, not (%u,%u) %04x", n, i,
                   g->x, g->y, g->mask, w->x, w->y, w->mask);
        for (unsigned k = 0; job->samples > 1 && k < job->samples; k++)
            check_eq(want.sample[i][k], got.sample[i][k],
                     "job %u block %u sample %u", n, i, k);
    }
}

/* Values beyond 32 bits: cover_find() must take the reference. */
static void
compare_wide_edge(void)
{
    struct cover_job job = {.edges = 1, .samples = 1};
    job.columns = job.rows = UINT64_MAX;
    job.a[0] = INT64_C(1) << 28;
    job.b[0] = (INT64_C(1) << 28) + 1;
    job.c[0][0] = -(job.a[0] + job.b[0]) * 31;
    check_that(cover_reject_edges(&job));
    check_eq(job.edges, 1);
    compare_lists(cover_find, &job, 0);
}

static void
compare_find(enum check_isa isa)
{
    unsigned seen = 0, whole = 0;
    state = check_seed();
    compare_wide_edge();
    for (unsigned n = 0; n < 20000; n++) {
        struct cover_job job = random_job();
        if (!cover_reject_edges(&job))
            continue;
        compare_lists(find_kernel[isa], &job, n);
        compare_lists(cover_find, &job, n);
        seen++;
        whole += !job.edges;
    }
    check_gt(seen, 5000);
    check_gt(whole, 100);
}

static void
random_squares(uint64_t square[4])
{
    uint16_t mask[16];
    for (unsigned i = 0; i < 16; i++)
        mask[i] = between(0, 1) ? 0 : (uint16_t)between(0, 0xffff);
    memcpy(square, mask, sizeof mask);
}

static void
compare_small(enum check_isa isa)
{
    static struct cover_list want, got;
    int64_t some = 0;
    state = check_seed() + 2;
    want.count = got.count = 0;
    for (unsigned n = 0; n < 50000; n++) {
        int32_t x = (int32_t)between(-6, 18) * 4;
        int32_t y = (int32_t)between(-6, 18) * 4;
        uint64_t square[4];
        random_squares(square);
        /* Appends to the lists' earlier blocks. */
        if (want.count > COVER_BLOCKS - COVER_SMALL_BLOCKS || !between(0, 3))
            want.count = got.count = 0;
        some -= want.count;
        cover_small_ref(square, x, y, &want);
        small_kernel[isa](square, x, y, &got);
        check_eq(want.count, got.count, "list %u: %u blocks, not %u", n,
                 got.count, want.count);
        check_bytes(want.block, got.block, want.count * sizeof *want.block,
                    "list %u at (%d,%d)", n, x, y);
        some += want.count;
    }
    check_gt(some, 10000);
}

/* ---- benches ---- */

enum { JOBS = 64 };

struct bench {
    enum check_isa isa;
    struct cover_job job[JOBS];
    struct cover_list list;
};

static void
run_find(void *arg)
{
    struct bench *b = arg;
    for (unsigned i = 0; i < JOBS; i++) {
        b->list.count = 0;
        find_kernel[b->isa](&b->job[i], &b->list);
    }
}

/* Triangles that cut the tile. */
static void
bench_find(enum check_isa isa)
{
    static struct bench b;
    static const char *const name[] = {"1 sample", "2 samples", "4 samples",
                                       "8 samples", "16 samples"};
    b.isa = isa;
    state = check_seed();
    for (unsigned log2 = 0; log2 < ARRAY_SIZE(name); log2++) {
        for (unsigned n = 0; n < JOBS;) {
            struct cover_job job = {.edges = 3, .samples = 1u << log2};
            job.columns = job.rows = UINT64_MAX;
            for (unsigned e = 0; e < job.edges; e++)
                random_edge(&job, e);
            if (cover_reject_edges(&job) && job.edges)
                b.job[n++] = job;
        }
        check_time(name[log2], run_find, &b, JOBS);
    }
}

static void
run_small(void *arg)
{
    static const uint64_t square[4] = {0xffffffffffff0000, 0x00ff0000ffff,
                                       0xffff, 0x1200000000000000};
    struct bench *b = arg;
    for (unsigned i = 0; i < JOBS; i++) {
        b->list.count = 0;
        small_kernel[b->isa](square, (int32_t)i % 12 * 4, 8, &b->list);
    }
}

static void
bench_small(enum check_isa isa)
{
    static struct bench b;
    b.isa = isa;
    check_time("", run_small, &b, JOBS);
}

static const struct check_row rows[] = {
    {"cover_find", "cover_find_ref", "coverage_avx2", CHECK_AVX2, compare_find,
     bench_find},
    {"cover_find", "cover_find_ref", "coverage_avx512", CHECK_AVX512,
     compare_find, bench_find},
    {"cover_small", "cover_small_ref", "coverage_avx2", CHECK_AVX2,
     compare_small, bench_small},
    {"cover_small", "cover_small_ref", "coverage_avx512", CHECK_AVX512,
     compare_small, bench_small},
};

CHECK_FAMILY(coverage, rows);
