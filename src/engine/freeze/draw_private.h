/* draw_private.h: makes draws and dispatches from hw_state. Shared by the files
 * of freeze/ only. Runs in the thread that executes the batch and holds the
 * ring. */
#ifndef ENGINE_FREEZE_DRAW_PRIVATE_H
#define ENGINE_FREEZE_DRAW_PRIVATE_H

#include "engine/freeze/freeze.h"
#include "eu/summary/summary.h"
#include "engine/state/dispatch.h"
#include "engine/state/stage_cache.h"

#define PUSH_MAX_GRF EU_GRF_COUNT
#define KERNEL_SLOTS 256
/* Ranges per merged draw. */
#define DRAW_MAX_RANGES 1024
/* Registers of constants for all ranges of a draw. */
#define DRAW_VARIED_GRF 512
/* Deferred draws with different pixel state. */
#define DRAW_SLOTS 16

/* Copy of the indirect state that the current draw was made from. */
struct pixel_memory {
    uint32_t sf[DRAW_MAX_VIEWPORTS][gen9_SF_CLIP_VIEWPORT_len_dw];
    uint32_t cc[DRAW_MAX_VIEWPORTS][gen9_CC_VIEWPORT_len_dw];
    uint32_t scissor[DRAW_MAX_VIEWPORTS][gen9_SCISSOR_RECT_len_dw];
    uint32_t blend[1 + DRAW_MAX_RT * 2];
    uint32_t color_calc[gen9_COLOR_CALC_STATE_len_dw];
};

/* The kernel last found at an address, with a copy of its code: comparing bytes
 * is cheaper than a lookup by content. */
struct kernel_slot {
    gpu_va va;
    const struct eu_kernel *kernel;
    uint8_t *code;
    size_t size_B;
    bool counted; /* see eu_kernel_get_counted() */
    /* Of a pixel shader with this payload; simd 0: no summary yet. */
    unsigned simd, grf_start;
    struct kernel_summary summary;
};

/* The fields of a 3DPRIMITIVE. */
struct draw_primitive {
    unsigned topology;
    bool indexed;
    uint32_t vertex_count, start_vertex;
    uint32_t instance_count, start_instance;
    int32_t base_vertex;
};

struct media_queue;

/* A draw with the data that its pixel shader refers to. */
struct draw_slot {
    struct draw draw;
    struct stage_cache cache;
    uint32_t push[PUSH_MAX_GRF * 8];
};

/* Memory that a context reuses from draw to draw. */
struct draw_memory {
    /* slot[at] is the current draw; pixels of those before it may be
     * deferred. */
    struct draw_slot *slot[DRAW_SLOTS];
    unsigned at;
    struct draw_range range[DRAW_MAX_RANGES];
    /* Constants of the draw's ranges, except the first one's. */
    uint32_t varied[DRAW_VARIED_GRF * 8];
    unsigned varied_grf;
    struct pixel_memory pixel;
    /* The depth buffer whose clear blocks are filled, and the generation for
     * which that stays valid. */
    struct surface bound_depth;
    uint64_t bound;
    struct raster *raster;
    struct geom_kept *geom;
    struct pixels *pixels;
    struct media_queue *media_queue; /* media_queue.c; NULL: none yet */
    struct stage_cache cache[STAGE_COUNT];
    uint32_t push[STAGE_COUNT][PUSH_MAX_GRF * 8];
    struct kernel_slot kernels[KERNEL_SLOTS];
};

/* Creates it on first use. NULL: out of memory. */
struct draw_memory *draw_memory_get(struct engine_context *ctx);

static inline struct draw *
draw_now(const struct draw_memory *m)
{
    return &m->slot[m->at]->draw;
}

/* NULL after a guest error. */
const struct eu_kernel *draw_find_kernel(struct engine_context *ctx, gpu_va va);
/* The same, but the caller owns a reference. */
const struct eu_kernel *draw_get_kernel(struct engine_context *ctx, gpu_va va);
/* Summary of the kernel last found at va; NULL: none. */
const struct kernel_summary *draw_find_summary(struct engine_context *ctx,
                                               gpu_va va, unsigned simd,
                                               unsigned grf_start);

/* draw_merge.c: whether later primitives could join the draw; draw_merge()
 * joins one and tells whether it did. */
bool draw_merge_possible(const struct draw *draw);
/* Whether primitives with other vertex shader constants could join. */
bool draw_merge_varied_possible(const struct draw *draw);
bool draw_merge(struct engine_context *ctx, const struct draw_primitive *prim);
/* Whether the draw's only memory writes are to its targets, as far as known
 * without the pixel shader. */
bool draw_only_draws(const struct draw *draw);
/* Whether the draw may be deferred: its vertices are processed while pixels of
 * earlier draws and its own wait. As far as known without the pixel shader. */
bool draw_may_wait(const struct draw *draw);

/* draw_stage.c: fill draw->stage[] and the stages' packets. False after a guest
 * error. */
void draw_stage_base(struct engine_context *ctx, struct shader_stage *stage,
                     enum stage_kind kind); /* without its cache */
void draw_stage_common(struct engine_context *ctx, struct shader_stage *stage,
                       enum stage_kind kind);
/* Makes the stages in `parts` (enum hw_part) anew. */
bool draw_stage_all(struct engine_context *ctx, struct draw *draw,
                    unsigned parts);
/* Reads the stage's constants through the current packets, slots 0..3
 * concatenated. Returns the number of registers; -1: more than max_grf. */
int draw_stage_push(struct engine_context *ctx,
                    const struct shader_stage *stage, uint32_t *push,
                    unsigned max_grf);

/* dispatch.c: the interface descriptor into d->idd; then the stage, constants
 * and local memory from it and d->walker; then run(what), with its statistics
 * and profiles. False after a guest error. */
bool dispatch_begin(struct engine_context *ctx, struct dispatch *d,
                    unsigned descriptor);
bool dispatch_resolve(struct engine_context *ctx, struct dispatch *d);
/* For several kernels at once: d->stage has a cache of its own, and the caller
 * owns its reference to the kernel. */
bool dispatch_resolve_own(struct engine_context *ctx, struct dispatch *d,
                          struct stage_cache *cache);
void dispatch_execute(struct engine_context *ctx, const struct dispatch *d,
                      void (*run)(const void *), const void *what);

/* media_queue.c. NULL: does nothing. */
void media_queue_free(struct media_queue *queue);

/* media_objects.c: run the threads of a command, of a thread group, and of a
 * family. False after a guest error. */
struct media_command {
    const uint32_t *dw;
    unsigned len_dw;
};
bool media_run_one(struct engine_context *ctx,
                   const struct media_command *command);
bool media_run_group(struct engine_context *ctx,
                     const struct media_command *command, unsigned count);
bool media_run_commands(struct engine_context *ctx,
                        const struct media_command *command, unsigned count);

/* draw_input.c: vertex fetch and stream output. */
void draw_input_vertices(struct engine_context *ctx, struct draw *draw);
void draw_input_streamout(struct engine_context *ctx, struct draw *draw);

/* draw_pixel.c: viewports, set-up, blending, depth and stencil. */
void draw_pixel_state(struct engine_context *ctx, struct draw *draw);
/* Whether draw_pixel_state() would read the same memory contents, if no packet
 * has changed. */
bool draw_pixel_is_same(struct engine_context *ctx, const struct draw *draw);
void draw_pixel_depth(const struct engine_context *ctx, unsigned samples,
                      struct surface *depth, struct surface *stencil,
                      unsigned *level);
/* 3DSTATE_CLEAR_PARAMS' depth. */
float draw_pixel_clear_depth(const struct hw_state *hw);
/* Whether it differs from the draw's clear depth, if the depth buffer has
 * HiZ. */
bool draw_pixel_clears_anew(const struct hw_state *hw, const struct draw *draw);

#endif
