/* oa.h: the observation architecture (OA): the counters that performance
 * queries read, by MI_REPORT_PERF_COUNT, by registers and by reports.
 *
 * While a stream is enabled, draws and dispatches are counted: they carry a
 * pointer to the counters, take the general paths, and send all messages.
 * Without a stream the pointer is NULL, and nothing else differs. Counts only
 * grow, so that clients subtract two reports.
 *
 * Lives as long as the engine. oa_add(): any worker; the rest: any thread.
 * Source of the layout: the kernel's i915_drm.h (report format 10) and the
 * formulas of stock drivers. */
#ifndef ENGINE_OA_OA_H
#define ENGINE_OA_OA_H

#include "engine/core/core.h"

#include <stdalign.h>

/* What draws and dispatches count, besides threads. */
enum oa_event {
    OA_PIXELS_RASTERIZED,
    OA_PIXELS_FAILED_EARLY, /* depth and stencil tests before the shader */
    OA_PIXELS_KILLED,       /* by the shader */
    OA_PIXELS_FAILED_LATE,  /* alpha, coverage, depth, stencil after it */
    OA_SAMPLES_WRITTEN,
    OA_SAMPLES_BLENDED,
    OA_QUADS,       /* of pixels, that were shaded */
    OA_QUAD_PIXELS, /* lit pixels of them */
    OA_PS_THREADS,
    OA_PIXEL_EVENTS,             /* all before: counted by raster/ */
    OA_SETUPS = OA_PIXEL_EVENTS, /* primitives that raster/ has kept */
    OA_TEXELS,                   /* lanes of sampler messages */
    OA_SLM_READ_B,
    OA_SLM_WRITTEN_B,
    OA_MEMORY_MESSAGES, /* of the data ports, without local memory */
    OA_ATOMIC_MESSAGES,
    OA_BARRIER_MESSAGES,
    OA_EVENTS
};

#define OA_CELLS 16
#define OA_TARGETS 8

struct surface;

struct oa {
    /* By worker, so that workers do not share cache lines. */
    struct {
        alignas(64) _Atomic uint64_t event[OA_EVENTS];
    } cell[OA_CELLS];
    atomic_uint streams; /* enabled */
    pthread_mutex_t lock;
    engine_oa_sample_fn sample;
    _Atomic uint32_t flex[ENGINE_OA_FLEX]; /* see oa_flex.c */
    atomic_bool rings;                     /* see struct engine_oa_set */
    /* Samples of the colour targets that were written, by their entry of the
     * binding table; 0: not written. */
    _Atomic uint64_t target_samples[OA_TARGETS];
    /* Where writes of the target's pixels are counted, by layer and row of its
     * level; NULL: nowhere. Any worker. */
    uint16_t *(*find_map)(const struct surface *target);
    /* Ticks of the timestamp with a batch on some ring. */
    unsigned batches;
    uint64_t busy_since, busy;
};

/* The counters for a draw or dispatch that begins; NULL: nothing counts. */
static inline struct oa *
oa_counting(const struct engine *engine)
{
    struct oa *oa = atomic_load_explicit(&engine->oa, memory_order_acquire);
    return oa && atomic_load_explicit(&oa->streams, memory_order_relaxed)
               ? oa
               : NULL;
}

static inline void
oa_add(struct oa *oa, unsigned worker, enum oa_event event, uint64_t n)
{
    if (n)
        atomic_fetch_add_explicit(&oa->cell[worker % OA_CELLS].event[event], n,
                                  memory_order_relaxed);
}

/* The sum of an event. */
uint64_t oa_sum(struct oa *oa, enum oa_event event);
/* Counters of their own, for oa_free(). NULL: no memory. */
struct oa *oa_create(void);

/* A batch of the context begins or ends: tells the stream. last_report: the
 * number of the last MI_REPORT_PERF_COUNT of a batch that ends, or 0. */
void oa_batch(struct engine *engine, uint32_t context_id, bool begins,
              uint32_t last_report);
/* The registers 0x2800 to 0x295f; the even dword of a pair is the low one. */
#define OA_REG_FIRST 0x2800u
#define OA_REG_END 0x2960u
uint32_t oa_register(struct engine *engine, uint32_t offset);

/* oa_flex.c: the counters A7 to A20, which a metric set chooses. */
#define OA_FLEX_FIRST 7
#define OA_FLEX_COUNTERS (2 * ENGINE_OA_FLEX)
void oa_flex_read(const uint32_t flex[ENGINE_OA_FLEX],
                  uint64_t a[OA_FLEX_COUNTERS]);

void oa_free(struct oa *oa);
void oa_after_fork(struct engine *engine);

#endif
