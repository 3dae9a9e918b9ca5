/* draw_private.h: making draws and dispatches from hw_state. Shared by the
 * draw*.c files and dispatch.c only; streamer thread, ring held. */
#ifndef ENGINE_DRAW_PRIVATE_H
#define ENGINE_DRAW_PRIVATE_H

#include "engine/raster/meaning.h"
#include "engine/stage_cache.h"
#include "engine/state.h"

#define PUSH_MAX_GRF EU_GRF_COUNT
#define KERNEL_SLOTS 256
/* 3DPRIMITIVEs that one draw may stand for. */
#define DRAW_MAX_RANGES 1024
/* Registers of constants that ranges of one draw may have. */
#define DRAW_VARIED_GRF 512
/* Draws of different pixel state that may wait. */
#define DRAW_SLOTS 16

/* State that the draw being made has from memory, as it was there. */
struct pixel_memory {
    uint32_t sf[DRAW_MAX_VIEWPORTS][gen9_SF_CLIP_VIEWPORT_len_dw];
    uint32_t cc[DRAW_MAX_VIEWPORTS][gen9_CC_VIEWPORT_len_dw];
    uint32_t scissor[DRAW_MAX_VIEWPORTS][gen9_SCISSOR_RECT_len_dw];
    uint32_t blend[1 + DRAW_MAX_RT * 2];
    uint32_t color_calc[gen9_COLOR_CALC_STATE_len_dw];
};

/* A kernel as last found at an address, with the bytes it was made from:
 * comparing them is cheaper than looking it up by content. */
struct kernel_slot {
    gpu_va va;
    const struct eu_kernel *kernel;
    uint8_t *code;
    size_t size_B;
    /* Of a pixel shader with this payload; simd 0: not asked for yet. */
    unsigned simd, grf_start;
    struct meaning meaning;
};

/* What a 3DPRIMITIVE says. */
struct draw_primitive {
    unsigned topology;
    bool indexed;
    uint32_t vertex_count, start_vertex;
    uint32_t instance_count, start_instance;
    int32_t base_vertex;
};

/* A draw, with what its pixel shader refers to. */
struct draw_slot {
    struct draw draw;
    struct stage_cache cache;
    uint32_t push[PUSH_MAX_GRF * 8];
};

/* What a context reuses from draw to draw. */
struct draw_memory {
    /* The draw being made is slot[at]; pixels of those before it may wait. */
    struct draw_slot *slot[DRAW_SLOTS];
    unsigned at;
    struct draw_range range[DRAW_MAX_RANGES];
    /* What the ranges of the draw have, but for the first one. */
    uint32_t varied[DRAW_VARIED_GRF * 8];
    unsigned varied_grf;
    struct pixel_memory pixel;
    struct raster *raster;
    struct geom_kept *geom;
    struct stage_cache cache[STAGE_COUNT];
    uint32_t push[STAGE_COUNT][PUSH_MAX_GRF * 8];
    struct kernel_slot kernels[KERNEL_SLOTS];
};

/* Makes it when first used; NULL: out of memory. */
struct draw_memory *draw_memory_get(struct engine_context *ctx);

static inline struct draw *
draw_now(const struct draw_memory *m)
{
    return &m->slot[m->at]->draw;
}

/* NULL after a guest error. */
const struct eu_kernel *draw_find_kernel(struct engine_context *ctx, gpu_va va);
/* What the kernel last found at va draws. */
const struct meaning *draw_find_meaning(struct engine_context *ctx, gpu_va va,
                                        unsigned simd, unsigned grf_start);

/* draw_merge.c: whether others may join, and whether this one does. */
bool draw_merge_possible(const struct draw *draw);
/* Whether those may that have other constants for the vertex shader. */
bool draw_merge_varied_possible(const struct draw *draw);
bool draw_merge(struct engine_context *ctx, const struct draw_primitive *prim);
/* Whether its vertices write no memory, as far as can be told without the pixel
 * shader nor do its pixels but what they draw to. */
bool draw_only_draws(const struct draw *draw);
/* Whether its vertices may be done while pixels of draws before it wait, and
 * its own pixels wait, as far as can be told without the pixel shader. */
bool draw_may_wait(const struct draw *draw);

/* draw_stage.c: fill draw->stage[] and the packets behind them. False after
 * a guest error. */
void draw_stage_common(struct engine_context *ctx, struct shader_stage *stage,
                       enum stage_kind kind);
/* Those of the parts (enum hw_part). */
bool draw_stage_all(struct engine_context *ctx, struct draw *draw,
                    unsigned parts);
/* Constants for the stage as the packets have them now, slots 0..3 one after
 * the other; returns how many registers, -1 if they are more than there is room
 * for. */
int draw_stage_push(struct engine_context *ctx,
                    const struct shader_stage *stage, uint32_t *push,
                    unsigned max_grf);

/* draw_input.c: vertex fetch and stream output. */
void draw_input_vertices(struct engine_context *ctx, struct draw *draw);
void draw_input_streamout(struct engine_context *ctx, struct draw *draw);

/* draw_pixel.c: viewports, set-up, blend, depth and stencil. */
void draw_pixel_state(struct engine_context *ctx, struct draw *draw);
/* Whether that would find the same, if no packet has changed. */
bool draw_pixel_is_same(struct engine_context *ctx, const struct draw *draw);
void draw_pixel_depth(const struct hw_state *hw, struct engine_vm *vm,
                      unsigned samples, struct surface *depth,
                      struct surface *stencil, unsigned *level);

#endif
