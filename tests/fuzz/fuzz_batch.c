/* fuzz_batch.c: real batches of client scenes with some dwords changed.
 *
 * Any bytes are a choice of a recorded seed (batch_seed.h) and a list of
 * changes to what its submissions find in memory: commands, states, surfaces,
 * kernels, vertices, texels. FUZZ_BATCHES names the folder of seeds. A bit says
 * whether a second thread goes on to change memory while batches run, as a
 * client that breaks the rules may; another that few pixels are drawn. The
 * recording is submitted up to 32 times in one context, each time with the
 * changes at other places and without clearing memory between: so states meet
 * what other states have left.
 * FUZZ_WORKERS is the number of the engine's threads. */
#include "batch_seed.h"
#include "fuzz.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#ifndef FUZZ_BATCHES
#define FUZZ_BATCHES "batches"
#endif

#define CHANGE_B 8
#define CHANGES_MAX 64
#define HANG_LIMIT_MS 10

static struct engine *engine;
static struct seed *seeds;
static unsigned seed_count;

/* ------------------------------------------------------------------------
 * Changes */

/* One of them, as bytes of the input. */
struct change {
    uint8_t what;  /* commands or anything; which submission; operation */
    uint8_t extra; /* of the operation */
    uint16_t where;
    uint32_t value;
};
_Static_assert(sizeof(struct change) == CHANGE_B, "change");

static uint32_t
edge_value(unsigned n)
{
    static const uint32_t edges[] = {
        0,          1,          2,          3,          0x7f,
        0xff,       0x100,      0x3fff,     0x4000,     0x7fff,
        0xffff,     0x10000,    0xfffff,    0x7fffffff, 0x80000000,
        0xfffff000, 0xfffffffe, UINT32_MAX, 0x7f800000, 0xff800000,
        0x7fc00000, 0x3f800000, 0xbf800000, 0x00000800, 0x4b000000,
    };
    return edges[n % ARRAY_SIZE(edges)];
}

static uint32_t
changed(const struct seed *seed, const struct seed_submit *s,
        const struct change *c, uint32_t old)
{
    switch (c->what >> 5) {
    case 0: return c->value;
    case 1: return old ^ 1u << c->extra % 32;
    case 2: return old + (uint32_t)(int8_t)c->extra;
    case 3: return edge_value(c->extra);
    case 4: {
        const uint32_t *mem = (const uint32_t *)(const void *)seed->mem;
        return mem[s->dwords[c->value % s->dword_count]];
    }
    case 5: return (old & 0xffff0000) | (c->value & 0xffff);
    case 6: return (old & 0xffff) | c->value << 16;
    default: return old << c->extra % 32 | old >> (32 - c->extra % 32) % 32;
    }
}

static void
apply(const struct seed *seed, const struct seed_submit *s,
      const struct change *c)
{
    unsigned count = c->what & 1 && s->command_count ? s->command_count
                                                     : s->dword_count;
    if (!count)
        return;
    /* Few positions are dense, many are spread. */
    unsigned at = count <= 65536 ? c->where % count
                                 : (unsigned)((uint64_t)c->where * count >> 16);
    volatile uint32_t *dw = (uint32_t *)(void *)seed->mem + s->dwords[at];
    *dw = changed(seed, s, c, *dw);
    /* And dwords beside it, that may be zero in the recording. */
    if (c->what & 8 && s->dwords[at] + 1 < seed->mem_B / 4)
        dw[1] = changed(seed, s, c, dw[1]);
}

/* ------------------------------------------------------------------------
 * A thread that changes memory meanwhile */

static struct {
    sem_t begin, end;
    const struct seed *seed;
    struct change changes[CHANGES_MAX];
    unsigned count;
    atomic_bool stop;
} meddler;

static void *
meddle(void *unused)
{
    for (;;) {
        while (sem_wait(&meddler.begin))
            continue;
        for (unsigned n = 0; !atomic_load(&meddler.stop); n++)
            apply(meddler.seed, &meddler.seed->submits[0],
                  &meddler.changes[n % meddler.count]);
        sem_post(&meddler.end);
    }
    return unused;
}

static void
start_meddler(const struct seed *seed, const struct change *c, unsigned count)
{
    meddler.seed = seed;
    meddler.count = count;
    memcpy(meddler.changes, c, count * sizeof *c);
    atomic_store(&meddler.stop, false);
    sem_post(&meddler.begin);
}

static void
stop_meddler(void)
{
    atomic_store(&meddler.stop, true);
    while (sem_wait(&meddler.end))
        continue;
}

/* ------------------------------------------------------------------------ */

static void
set_up(void)
{
    const char *folder = getenv("FUZZ_BATCHES");
    const char *workers = getenv("FUZZ_WORKERS");
    struct engine_config config = {
        .gen = 9,
        .threads = workers ? (unsigned)atoi(workers) : 0,
        .timestamp_hz = 12000000,
        .eu_threads_per_subslice = 56,
        .subslices = 3,
        .hang_limit_ms = HANG_LIMIT_MS,
    };
    pthread_t thread;
    log_init();
    seeds = seed_load_all(folder ? folder : FUZZ_BATCHES, &seed_count);
    engine = engine_create(&config);
    sem_init(&meddler.begin, 0, 0);
    sem_init(&meddler.end, 0, 0);
    if (!engine || !seed_count || pthread_create(&thread, NULL, meddle, NULL)) {
        log_printf("fuzz_batch: no seeds or no memory");
        abort();
    }
}

static void
on_done(void *data, enum engine_result result)
{
    unsigned *done = data;
    ++*done;
}

/* 3DSTATE_DRAWING_RECTANGLE to a corner of 16x16 pixels: the same paths, with a
 * tenth of the pixels. */
static void
shrink(const struct seed *seed, const struct seed_submit *s)
{
    uint32_t *mem = (uint32_t *)(void *)seed->mem;
    for (unsigned i = 0; i < s->command_count; i++)
        if (mem[s->dwords[i]] == 0x79000002 &&
            s->dwords[i] + 2 < seed->mem_B / 4)
            mem[s->dwords[i] + 2] = 15 << 16 | 15;
}

struct input {
    struct change changes[CHANGES_MAX];
    unsigned count, rounds;
    bool meddles, small;
};

/* The change as a round makes it; the first round makes it as it is. */
static struct change
change_of_round(const struct input *in, unsigned n, unsigned round)
{
    struct change c = in->changes[n];
    c.where = (uint16_t)(c.where + round * 0x9e37u);
    c.extra = (uint8_t)(c.extra + round);
    return c;
}

/* Each submission of the recording, changed. */
static void
submit_all(struct seed *seed, struct engine_context *ctx,
           const struct input *in, unsigned round)
{
    unsigned done = 0;
    for (unsigned i = 0; i < seed->submit_count; i++) {
        const struct seed_submit *s = &seed->submits[i];
        seed_write_pages(seed, i, !i && !round);
        if (in->small)
            shrink(seed, s);
        for (unsigned n = 0; n < in->count; n++) {
            struct change c = change_of_round(in, n, round);
            if ((c.what >> 1 & 3u) % seed->submit_count == i)
                apply(seed, s, &c);
        }
        engine_submit(engine, &(struct engine_submit){
                                  .ctx = ctx,
                                  .ring = s->ring,
                                  .batch_va = s->batch_va,
                                  .batch_B = BATCH_PAGE_B,
                                  .done = on_done,
                                  .data = &done,
                              });
        engine_idle(engine);
    }
    if (done != seed->submit_count)
        abort();
    fuzz_count("batches", done);
}

static void
read_input(struct input *in, const uint8_t *data, size_t size_B)
{
    in->count = (unsigned)MIN2((size_B - 4) / CHANGE_B, CHANGES_MAX);
    if (in->count)
        memcpy(in->changes, data + 4, in->count * sizeof in->changes[0]);
    in->meddles = data[2] >= 240 && in->count;
    in->small = data[3] < 248;
    in->rounds = in->count ? 1u + data[2] % 32 : 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct input in;
    pthread_once(&once, set_up);
    if (size_B < 4)
        return 0;
    struct seed *seed = &seeds[(data[0] | data[1] << 8) % seed_count];
    read_input(&in, data, size_B);
    if (!seed_prepare(seed, engine)) {
        log_printf("fuzz_batch: no memory for %s", seed->name);
        return 0;
    }
    struct engine_context *ctx = engine_context_create(engine, seed->vm);
    if (!ctx)
        return 0;
    seed_clear(seed);
    if (in.meddles)
        start_meddler(seed, in.changes, in.count);
    for (unsigned round = 0; round < in.rounds; round++)
        submit_all(seed, ctx, &in, round);
    if (in.meddles)
        stop_meddler();
    engine_context_destroy(ctx);
    return 0;
}
