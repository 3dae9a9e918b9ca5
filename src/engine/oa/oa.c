/* oa.c: streams, the clock, and reports made of the counters. */
#include "engine/oa/oa.h"

#include <stdlib.h>

/* The GPU's clock goes with the host's time, at the frequency that sysfs and
 * RPSTAT0 show as the actual one. */
#define CLOCK_HZ UINT64_C(1150000000)

#define A_COUNTERS 36
#define A_WIDE 32 /* the first ones have 40 bits in a report */
#define BC_COUNTERS 16

/* Dwords of a report. */
enum {
    DW_REASON,
    DW_TIMESTAMP,
    DW_CONTEXT,
    DW_CLOCK,
    DW_A,
    DW_A_HIGH = DW_A + A_COUNTERS,
    DW_BC = DW_A_HIGH + A_WIDE / 4
};
static_assert(DW_BC + BC_COUNTERS == ENGINE_OA_REPORT_DW, "format 10");

/* ---- counters ------------------------------------------------------------ */

/* Threads by stage, in the order of A1 to A6. */
static const enum stat_id threads[] = {STAT_threads_vs, STAT_threads_hs,
                                       STAT_threads_ds, STAT_threads_cs,
                                       STAT_threads_gs, STAT_threads_ps};

/* The other counters: the hardware counts quads of pixels and lines of 64
 * bytes, and clients multiply. Counters without a row stay 0. */
static const struct {
    uint8_t counter, event, divisor;
} events[] = {
    {21, OA_PIXELS_RASTERIZED, 4},
    {23, OA_PIXELS_FAILED_EARLY, 4},
    {24, OA_PIXELS_KILLED, 4},
    {25, OA_PIXELS_FAILED_LATE, 4},
    {26, OA_SAMPLES_WRITTEN, 4},
    {27, OA_SAMPLES_BLENDED, 4},
    {28, OA_TEXELS, 4},
    {30, OA_SLM_READ_B, 64},
    {31, OA_SLM_WRITTEN_B, 64},
    {32, OA_MEMORY_MESSAGES, 1},
    {34, OA_ATOMIC_MESSAGES, 1},
    {35, OA_BARRIER_MESSAGES, 1},
};

uint64_t
oa_sum(struct oa *oa, enum oa_event event)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < OA_CELLS; i++)
        sum += atomic_load_explicit(&oa->cell[i].event[event],
                                    memory_order_relaxed);
    return sum;
}

/* Clocks per tick of the timestamp, rounded down: clients divide the two, and
 * the frequency must not exceed the one that they know as the highest. */
static uint64_t
clocks(const struct engine *engine, uint64_t ticks)
{
    return ticks * (CLOCK_HZ / engine->config.timestamp_hz);
}

static uint64_t
busy_ticks(struct oa *oa, uint64_t now)
{
    pthread_mutex_lock(&oa->lock);
    uint64_t ticks = oa->busy;
    if (oa->batches)
        ticks += (now - oa->busy_since) & ENGINE_TIMESTAMP_MASK;
    pthread_mutex_unlock(&oa->lock);
    return ticks;
}

/* now: the timestamp that the clocks belong to. */
static void
read_counters(struct engine *engine, uint64_t now, uint64_t a[A_COUNTERS])
{
    struct oa *oa = atomic_load(&engine->oa);
    memset(a, 0, A_COUNTERS * sizeof *a);
    for (unsigned i = 0; i < ARRAY_SIZE(threads); i++)
        a[1 + i] = stats_get(threads[i]);
    if (!oa)
        return;
    a[0] = clocks(engine, busy_ticks(oa, now));
    uint32_t flex[ENGINE_OA_FLEX];
    for (unsigned i = 0; i < ENGINE_OA_FLEX; i++)
        flex[i] = atomic_load_explicit(&oa->flex[i], memory_order_relaxed);
    oa_flex_read(flex, a + OA_FLEX_FIRST);
    for (unsigned i = 0; i < ARRAY_SIZE(events); i++)
        a[events[i].counter] = oa_sum(oa, events[i].event) / events[i].divisor;
}

/* The only ring that executes anything is the render ring. */
static bool
counts_rings(const struct engine *engine)
{
    struct oa *oa = atomic_load(&engine->oa);
    return oa && atomic_load(&oa->rings);
}

void
engine_oa_report(struct engine *engine, uint32_t reason, uint32_t context_id,
                 uint32_t report[ENGINE_OA_REPORT_DW])
{
    uint64_t a[A_COUNTERS], now = engine_timestamp(engine);
    read_counters(engine, now, a);
    memset(report, 0, ENGINE_OA_REPORT_DW * sizeof *report);
    report[DW_REASON] = reason;
    report[DW_TIMESTAMP] = (uint32_t)now;
    report[DW_CONTEXT] = context_id;
    report[DW_CLOCK] = (uint32_t)clocks(engine, now);
    for (unsigned i = 0; i < A_COUNTERS; i++)
        report[DW_A + i] = (uint32_t)a[i];
    if (counts_rings(engine))
        report[DW_BC] = report[DW_BC + BC_COUNTERS - 1] = (uint32_t)a[0];
    for (unsigned i = 0; i < A_WIDE; i++)
        report[DW_A_HIGH + i / 4] |= (uint32_t)(a[i] >> 32 & 0xff) << i % 4 * 8;
}

uint32_t
oa_register(struct engine *engine, uint32_t offset)
{
    const uint32_t narrow = OA_REG_FIRST + 8 * A_WIDE;
    const uint32_t clock = narrow + 4 * (A_COUNTERS - A_WIDE);
    uint64_t a[A_COUNTERS], now = engine_timestamp(engine);
    if (offset == clock)
        return (uint32_t)clocks(engine, now);
    if (offset > clock)
        return 0; /* B and C */
    read_counters(engine, now, a);
    if (offset >= narrow)
        return (uint32_t)a[A_WIDE + (offset - narrow) / 4];
    uint64_t wide = a[(offset - OA_REG_FIRST) / 8];
    return (uint32_t)(offset & 4 ? wide >> 32 & 0xff : wide);
}

/* ---- streams ------------------------------------------------------------- */

struct oa *
oa_create(void)
{
    struct oa *oa = aligned_alloc(alignof(struct oa), sizeof *oa);
    if (!oa)
        return NULL;
    memset(oa, 0, sizeof *oa);
    pthread_mutex_init(&oa->lock, NULL);
    return oa;
}

static struct oa *
make_oa(struct engine *engine)
{
    struct oa *oa = atomic_load(&engine->oa), *none = NULL;
    if (oa)
        return oa;
    oa = oa_create();
    if (!oa)
        return NULL;
    if (atomic_compare_exchange_strong(&engine->oa, &none, oa))
        return oa;
    oa_free(oa);
    return none;
}

bool
engine_oa_start(struct engine *engine, engine_oa_sample_fn sample)
{
    struct oa *oa = make_oa(engine);
    if (!oa)
        return false;
    pthread_mutex_lock(&oa->lock);
    oa->sample = sample;
    pthread_mutex_unlock(&oa->lock);
    atomic_store(&oa->streams, 1);
    return true;
}

bool
engine_oa_configure(struct engine *engine, const struct engine_oa_set *set)
{
    struct oa *oa = make_oa(engine);
    for (unsigned i = 0; oa && i < ENGINE_OA_FLEX; i++)
        atomic_store(&oa->flex[i], set->flex[i]);
    if (oa)
        atomic_store(&oa->rings, set->rings);
    return oa;
}

void
engine_oa_stop(struct engine *engine)
{
    struct oa *oa = atomic_load(&engine->oa);
    if (!oa)
        return;
    atomic_store(&oa->streams, 0);
    pthread_mutex_lock(&oa->lock);
    oa->sample = NULL;
    pthread_mutex_unlock(&oa->lock);
}

/* Batches of several contexts may run at once. A batch that began before the
 * stream was enabled has not been counted as begun. */
static void
note_busy_locked(struct oa *oa, uint64_t now, bool begins)
{
    if (oa->batches)
        oa->busy += (now - oa->busy_since) & ENGINE_TIMESTAMP_MASK;
    oa->busy_since = now;
    if (begins)
        oa->batches++;
    else if (oa->batches)
        oa->batches--;
}

void
oa_batch(struct engine *engine, uint32_t context_id, bool begins,
         uint32_t last_report)
{
    struct oa *oa = atomic_load_explicit(&engine->oa, memory_order_acquire);
    if (!oa)
        return;
    pthread_mutex_lock(&oa->lock);
    note_busy_locked(oa, engine_timestamp(engine), begins);
    engine_oa_sample_fn sample = oa->sample;
    pthread_mutex_unlock(&oa->lock);
    /* Observed: stock drivers give even numbers to the report that begins a
     * query, and the next one to the report that ends it. */
    if (sample)
        sample(context_id, begins            ? ENGINE_OA_BEGINS
                           : last_report & 1 ? ENGINE_OA_ENDS_QUERY
                                             : ENGINE_OA_ENDS);
}

void
oa_free(struct oa *oa)
{
    if (!oa)
        return;
    pthread_mutex_destroy(&oa->lock);
    free(oa);
}

void
oa_after_fork(struct engine *engine)
{
    struct oa *oa = atomic_load(&engine->oa);
    if (!oa)
        return;
    /* The parent's threads may have held it. */
    pthread_mutex_init(&oa->lock, NULL);
    atomic_store(&oa->streams, 0);
    oa->sample = NULL;
    oa->batches = 0;
}
