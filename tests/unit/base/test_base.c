/* test_base.c: the pool, arenas and other helpers of base/. */
#include <criterion/criterion.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/fields.h"
#include "base/pool.h"

#include <pthread.h>

Test(fields, span_two_dwords)
{
    uint32_t dw[2] = {0xf0000000, 0x0000000a};
    cr_assert_eq(fields_get(dw, 28, 35), 0xaf);
    cr_assert_eq(fields_get(dw, 0, 63), 0xaf0000000ull);
    fields_put(dw, 28, 35, 0x5c);
    cr_assert_eq(dw[0], 0xc0000000);
    cr_assert_eq(dw[1], 0x00000005);
}

Test(fields, sign_extension)
{
    cr_assert_eq(fields_sext(0x7, 3), -1);
    cr_assert_eq(fields_sext(0x3, 3), 3);
    cr_assert_eq(fields_sext(UINT64_MAX, 64), -1);
}

Test(arena, memory_is_zero_and_aligned)
{
    struct arena a;
    arena_init(&a, 1000, 0);
    unsigned char *p = arena_alloc(&a, 10, 1);
    memset(p, 0xff, 10);
    unsigned char *q = arena_alloc(&a, 5000, 64);
    cr_assert_eq((uintptr_t)q % 64, 0);
    for (unsigned i = 0; i < 5000; i++)
        cr_assert_eq(q[i], 0);
    arena_reset(&a);
    p = arena_alloc(&a, 4000, 8);
    for (unsigned i = 0; i < 4000; i++)
        cr_assert_eq(p[i], 0);
    arena_finish(&a);
}

Test(arena, refuses_what_cannot_be)
{
    struct arena a;
    arena_init(&a, 1000, 0);
    cr_assert_null(arena_alloc(&a, SIZE_MAX - 8, 1));
    cr_assert_not_null(arena_alloc(&a, 8, 8));
    arena_finish(&a);
}

Test(arena, keeps_some_blocks)
{
    struct arena a;
    void *before[6], *after[3];
    arena_init(&a, 1000, 3000);
    for (unsigned i = 0; i < 6; i++)
        memset(before[i] = arena_alloc(&a, 900, 64), 0xff, 900);
    arena_reset(&a);
    for (unsigned i = 0; i < 3; i++) {
        unsigned char *p = after[i] = arena_alloc(&a, 900, 64);
        bool known = false;
        for (unsigned k = 0; k < 6; k++)
            known |= p == before[k];
        cr_assert(known, "block %u is new", i);
        for (unsigned k = 0; k < 900; k++)
            cr_assert_eq(p[k], 0);
    }
    cr_assert(after[0] != after[1] && after[1] != after[2] &&
              after[0] != after[2]);
    cr_assert_eq(a.used_B, 2700);
    arena_finish(&a);
}

struct tally {
    atomic_uint hits[1000];
    atomic_uint bad_worker;
    unsigned workers;
};

static void
count(void *ctx, unsigned index, unsigned worker)
{
    struct tally *t = ctx;
    atomic_fetch_add(&t->hits[index], 1);
    if (worker >= t->workers)
        atomic_fetch_add(&t->bad_worker, 1);
}

static void
every_index_once_in(struct pool *pool, unsigned threads)
{
    static struct tally t;
    memset(&t, 0, sizeof t);
    t.workers = pool_workers(pool);
    cr_assert_eq(t.workers, threads + 1);
    for (unsigned round = 0; round < 50; round++)
        pool_for(pool, 1000, count, &t);
    for (unsigned i = 0; i < 1000; i++)
        cr_assert_eq(t.hits[i], 50);
    cr_assert_eq(t.bad_worker, 0);
    pool_for(pool, 0, count, &t);
}

static void
every_index_once(unsigned threads)
{
    struct pool *pool = pool_create(threads);
    every_index_once_in(pool, threads);
    pool_destroy(pool);
}

struct small {
    atomic_bool over; /* pool_for() has returned */
    atomic_uint late, sum;
};

static void
note(void *ctx, unsigned index, unsigned worker)
{
    struct small *s = ctx;
    if (atomic_load(&s->over))
        atomic_fetch_add(&s->late, 1);
    atomic_fetch_add(&s->sum, index + 1);
}

/* Most threads wake late, without work left or in a later call. None may run an
 * index twice, or for a call that has returned. */
static void
calls_in_quick_succession(unsigned threads)
{
    enum { CALLS = 20000 };
    struct pool *pool = pool_create(threads);
    static struct small calls[CALLS];
    memset(calls, 0, sizeof calls);
    for (unsigned i = 0; i < CALLS; i++) {
        pool_for(pool, i % 4 + 1, note, &calls[i]);
        atomic_store(&calls[i].over, true);
    }
    pool_destroy(pool);
    for (unsigned i = 0; i < CALLS; i++) {
        unsigned n = i % 4 + 1;
        cr_assert_eq(calls[i].sum, n * (n + 1) / 2);
        cr_assert_eq(calls[i].late, 0);
    }
}

Test(pool, calls_in_quick_succession_of_five_threads)
{
    calls_in_quick_succession(5);
}

/* The one thread may spin for work before it sleeps, because it has a CPU. */
Test(pool, calls_in_quick_succession_of_one_thread)
{
    calls_in_quick_succession(1);
}

Test(pool, runs_every_index_once_without_threads)
{
    every_index_once(0);
}

Test(pool, runs_every_index_once_on_eight_threads)
{
    every_index_once(8);
}

Test(pool, destroys_null)
{
    pool_destroy(NULL);
}

Test(pool, without_a_pool_the_caller_runs_all)
{
    every_index_once_in(NULL, 0);
}

/* ---- counters ---- */

static void *
count_a_draw(void *cell)
{
    stats_add(STAT_draws, 1);
    *(const void **)cell = stats_mine;
    return NULL;
}

Test(stats, threads_reuse_the_cells_of_those_that_ended)
{
    const void *cell[100];
    for (unsigned i = 0; i < ARRAY_SIZE(cell); i++) {
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, count_a_draw, &cell[i]), 0);
        cr_assert_eq(pthread_join(thread, NULL), 0);
        cr_expect_eq(cell[i], cell[0]);
    }
    cr_expect_eq(stats_get(STAT_draws), ARRAY_SIZE(cell));
}
