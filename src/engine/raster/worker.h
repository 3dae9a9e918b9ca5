/* worker.h: the data of a worker while it draws a tile: target addresses, quads
 * and blocks queued for threads, the EU thread. Data header of raster/. Each
 * worker has its own instance. */
#ifndef ENGINE_RASTER_WORKER_H
#define ENGINE_RASTER_WORKER_H

#include "engine/oa/oa.h"
#include "engine/raster/output/rt_kernels.h"
#include "engine/raster/scene.h"
#include "engine/raster/shade/interpolate.h"
#include "sampler/surface/aux_codes.h"

/* Addresses of one level, layer and sample of a surface within the tile. In
 * every tiling an address is the sum of a part that depends on x and a part
 * that depends on y. */
struct view {
    uint8_t *mem;
    uint64_t limit_B;
    unsigned width, height; /* valid part of the tile, pixels */
    unsigned element_B;
    bool safe; /* the whole valid part lies within limit_B */
    /* All 4x4 blocks have one layout: rows pitch_B apart, each further 16 bytes
     * of a row column_B further. */
    bool blocks;
    uint32_t pitch_B, column_B;
    /* The tables were made for a place, perhaps in another tile; mem is moved
     * by the distance from there. */
    bool tabled;
    struct axes_place place;
    uint64_t x_B[TILE_PX], y_B[TILE_PX];
};

static inline uint8_t *
view_at(const struct view *v, unsigned x, unsigned y)
{
    if (x >= v->width || y >= v->height)
        return NULL;
    uint64_t off = v->x_B[x] + v->y_B[y];
    return v->safe || off + v->element_B <= v->limit_B ? v->mem + off : NULL;
}

/* Addresses of a tile's MCS entries, per block: the sum of an x and a y part.
 */
struct mcs_places {
    bool ready, scanned; /* see mcs_scan_tile() */
    uint64_t x_B[TILE_PX / 4], y_B[TILE_PX / 4];
};

struct target {
    bool ready; /* for this scene */
    bool known; /* all but the entry is valid if surf is still the scene's
                   surface */
    bool null;
    struct surface surf;
    const struct format_info *fmt;
    enum pack_kind pack;
    unsigned level, layers, samples, element_B;
    bool has_mcs;
    bool rounds_mcs; /* entries of whole blocks: PERF_MCS_BLOCKS */
    bool has_codes;  /* CCS, which may mark blocks as clear */
    bool ends_clear; /* clear blocks of the tile are yet to be ended */
    int codes_layer; /* layer of `codes`; -1: none */
    struct aux_codes codes;
    unsigned mcs_B;
    /* Bit per block of the tile: all entries are known to be zero; each
     * sample's colour is known to be in its own plane, whatever the entries
     * are. */
    uint64_t mcs_first[COVER_BLOCKS / 64], mcs_all[COVER_BLOCKS / 64];
    struct mcs_places mcs_places;
    /* of the blend entry used last */
    int entry;
    struct blend_state blend;
    bool settled; /* the members below are made from blend */
    bool mask_all, mask_none;
    alignas(16) uint8_t mask[16]; /* bits of an element that are written */
    struct blend_range range;
    rt_write_fn write;   /* for blocks; NULL: lane by lane */
    rt_epilogue_fn tail; /* likewise */
    rt_epilogue_fn tail_of_two;
    struct rt_state rt;
    uint32_t views_ready; /* bit per sample */
    int layer;
    /* Of counted draws: oa.find_map(), or NULL. */
    uint16_t *map;
    uint32_t map_width, map_height;
    struct view view[MAX_SAMPLES];
};

struct quad {
    int32_t x, y; /* upper left pixel */
    uint8_t sample;
    uint16_t cover[4];          /* live samples of TL TR BL BR */
    uint16_t input_coverage[4]; /* for the input coverage mask */
    float aa[4];
};

/* The quads of one pixel shader thread. */
struct ps_group {
    struct worker *worker;
    const struct setup *setup;
    unsigned quads, lanes;
    /* Quads 0..3 are TL TR BL BR of one 4x4 block, aligned to 4 pixels; some
     * may have no live pixel. */
    bool block;
    struct quad quad[MAX_QUADS];
    uint32_t live;   /* lanes with coverage at dispatch */
    uint32_t helper; /* live, and the other lanes of their quads */
    uint32_t alive;  /* live lanes that still have coverage */
    uint32_t tested; /* lanes that have had their late tests */
    /* How many planes its colours go to, if MCS entries are settled; else 0. */
    unsigned settled_planes;
};

struct batch_quads {
    unsigned count, live, input_coverage;
    int32_t x[4], y[4];
};

/* Block batch: blocks and their threads' payload, queued for the shader. For
 * draws that shade blocks, single-sampled or not (see quad_emit_covered() and
 * payload_add_sample_list()). With w->cross_prim_batches a batch holds several
 * primitives, in order. */
#define BATCH_BLOCKS 64
struct block_batch {
    unsigned count, prims;
    /* One more, for a last primitive that turns out to have no blocks. */
    struct batch_prim prim[BATCH_BLOCKS + 1];
    struct batch_block block[BATCH_BLOCKS + 1]; /* see put_blocks() */
    /* For partial_ms blocks: the pixels of each sample. */
    uint16_t sample[BATCH_BLOCKS][MAX_SAMPLES];
    bool scattered; /* some blocks are: */
    struct batch_quads quads[BATCH_BLOCKS];
    struct batch_quads pending;
    /* The coverage that the group's quads hold. */
    bool known;
    uint16_t known_live, known_input_coverage;
    struct lane_quads at[BATCH_BLOCKS];
    alignas(32) uint32_t header[8], positions[8];
    alignas(32) uint32_t subspans[BATCH_BLOCKS][8], coverage[BATCH_BLOCKS][16];
    alignas(64) float weights[2][BATCH_BLOCKS][32]; /* perspective, linear */
    alignas(64) float z[BATCH_BLOCKS][16], w[BATCH_BLOCKS][16];
    /* Captured colours, and the lanes that have one. */
    alignas(64) uint32_t color[BATCH_BLOCKS][4][16];
    uint16_t mask[BATCH_BLOCKS];
    /* How many planes of the target are written, if known and all blocks lie in
     * the target; else 0. With several, plane[] has the addresses. */
    unsigned planes;
    struct rt_plane plane[BATCH_BLOCKS * MAX_SAMPLES];
    uint8_t settled[BATCH_BLOCKS]; /* then, the planes of each block */
    /* Sources of the threads' registers. */
    unsigned copies;
    struct grf_copy copy[PAYLOAD_PARTS + EU_GRF_COUNT];
    struct eu_chain_entry row[BATCH_BLOCKS + ROWS_AHEAD];
    struct row_parts parts; /* of a list's chain entries */
    struct tile_centres centres;
    struct rt_begun begun;
    bool weighs; /* weights come from run_weights, not from weights[] */
    struct run_weights run_weights;
};

/* The end of the blocks of primitive k. */
static inline unsigned
batch_end(const struct block_batch *b, unsigned k)
{
    return k + 1 < b->prims ? b->prim[k + 1].first : b->count;
}

/* A render target write of a thread, structure of arrays. */
struct rt_colors {
    unsigned base, count; /* group lanes base .. base + count - 1 */
    uint32_t mask;        /* lanes enabled by the message, bit 0 = base */
    bool dual, has_src0_alpha, has_omask, has_depth, has_stencil;
    alignas(32) uint32_t c[4][16], src1[4][16], src0_alpha[16], depth[16];
    uint16_t omask[16];
    uint8_t stencil[16];
};

/* A list of blocks that a path without the batch draws. */
struct block_list_run {
    const struct cover_list *list;
    const uint16_t *live;    /* per block; NULL: the covered pixels */
    uint16_t *rest;          /* per block: pixels left over */
    bool some;               /* partial blocks, too */
    uint16_t mask;           /* lanes that have a colour */
    unsigned blocks, pixels; /* done; live */
    unsigned left;           /* not zero: some are left over */
};

struct shade_path;

struct worker {
    struct scene *scene;
    const struct draw *draw;
    unsigned index;
    unsigned serial; /* the scene's */
    unsigned flush;  /* of the tile drawn last */
    int32_t tile_x, tile_y;
    struct ps_group group;       /* of quads from anywhere */
    struct ps_group block_group; /* of a batch's block */
    struct thread_env env;
    struct eu_launch launch;
    const struct interpolate_ops *planes;
    uint32_t header[8];                /* g0 without the primitive's part */
    const struct payload_layout *plan; /* the scene's */
    bool captures_rt_write;            /* the batch captures colours */
    bool cross_prim_batches; /* batches hold blocks of several primitives */
    /* uniform: with all lanes on, every thread of a primitive writes the same
     * colours; uniform_masked: with any lanes on. */
    bool uniform, uniform_masked;
    bool chains; /* threads of whole blocks may form chains: chain_run_list() */
    /* The weights of chains that may continue across primitives, or NULL: see
     * thread_chain.c. own[]: the registers that differ between primitives. */
    const struct payload_part *chain_weights;
    struct grf_own own[MAX_ATTRS];
    unsigned owns;
    bool thread_per_block; /* a thread per block costs less than sharing threads
                            */
    bool batches_partial_blocks; /* batches take partial_ms blocks */
    bool multi_prim_batches;     /* lists hold several primitives */
    bool list_shading; /* coverage passes blocks to shading in lists */
    bool no_overdraw;  /* the bin's primitives are taken not to overlap */
    unsigned batches_without_sample_store; /* batches to come, see
                                              find_sample_store() */
    uint64_t depth_count, ps_count, threads, pixels;
    uint32_t depth_ready, stencil_ready; /* views, bit per sample */
    int depth_layer;
    int depth_ended; /* layer whose clear blocks in the tile have been ended */
    uint64_t oa[OA_PIXEL_EVENTS]; /* of counted draws */
    struct target target[DRAW_MAX_RT];
    struct view depth[MAX_SAMPLES], stencil[MAX_SAMPLES];
    bool streams; /* stores bypassed the caches since the last fence */
    uint64_t depth_sum, ps_sum; /* counted for queries since the last flush */
    unsigned tiles_done;        /* since the last flush */
    unsigned until_look; /* primitives until the next look at the clock */
    const struct shade_path *path[2]; /* see shade_path.c; several samples */
    struct cover_list cover;
    struct block_batch batch;
    /* See eu_launch_chain(). */
    struct eu_thread thread, others[EU_CHAIN_THREADS - 1];
};
static_assert(offsetof(struct worker, others) ==
                  offsetof(struct worker, thread) + sizeof(struct eu_thread),
              "the others are right behind the thread");

#endif
