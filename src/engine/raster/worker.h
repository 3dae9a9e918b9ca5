/* worker.h: what a worker has while it draws a tile: where the targets are, the
 * quads and blocks that wait for threads, the thread. Each worker has its own.
 */
#ifndef ENGINE_RASTER_WORKER_H
#define ENGINE_RASTER_WORKER_H

#include "engine/raster/rt.h"
#include "engine/raster/scene.h"

/* Addresses of one level, layer and sample of a surface within the tile:
 * every tiling is a sum of a part that depends on x and one that depends on
 * y. */
struct view {
    uint8_t *mem;
    uint64_t limit_B;
    unsigned width, height; /* valid part of the tile, pixels */
    unsigned element_B;
    bool safe; /* all of the valid part lies within limit_B */
    /* 4x4 blocks are laid out alike: rows pitch_B apart, 16 bytes of a row
     * column_B from the next 16. */
    bool blocks;
    uint32_t pitch_B, column_B;
    /* The tables are those of another tile, perhaps, from which mem is as far
     * away as this one. */
    bool tabled;
    struct axes_place place;
    uint64_t x_B[TILE_PX], y_B[TILE_PX];
};

/* Fills pixels [x0, x1) x [y0, y1) with an element, which value repeats. */
void view_fill(const struct view *v, unsigned x0, unsigned y0, unsigned x1,
               unsigned y1, const uint8_t value[16]);

static inline uint8_t *
view_at(const struct view *v, unsigned x, unsigned y)
{
    if (x >= v->width || y >= v->height)
        return NULL;
    uint64_t off = v->x_B[x] + v->y_B[y];
    return v->safe || off + v->element_B <= v->limit_B ? v->mem + off : NULL;
}

/* A view that has been one before is made sooner; else not `tabled`. */
void view_init(struct view *v, const struct surface *s, unsigned level,
               unsigned slice, unsigned sample, unsigned element_B,
               int32_t tile_x, int32_t tile_y);

/* Where the entries of an MCS lie: that of a tile's blocks is a sum of two
 * parts, like that of elements. */
struct mcs_places {
    bool ready, scanned; /* see mcs_scan_tile() */
    uint64_t x_B[TILE_PX / 4], y_B[TILE_PX / 4];
};

struct target {
    bool ready; /* for this scene */
    bool known; /* all but the entry, if surf is what the scene has */
    bool null;
    struct surface surf;
    const struct format_info *fmt;
    enum pack_kind pack;
    unsigned level, layers, samples, element_B;
    bool has_mcs;
    unsigned mcs_B;
    /* Of the tile, a bit per block: all samples are known to be in plane 0, or
     * each in its own. */
    uint64_t mcs_first[COVER_BLOCKS / 64], mcs_all[COVER_BLOCKS / 64];
    struct mcs_places mcs_places;
    /* of the blend entry used last */
    int entry;
    struct blend_state blend;
    bool settled; /* blend is what the rest is made from */
    bool mask_all, mask_none;
    alignas(16) uint8_t mask[16]; /* bits of the element to be written */
    struct blend_range range;
    rt_write_fn write; /* for blocks; NULL: lane by lane */
    rt_tail_fn tail;   /* likewise */
    rt_tail_fn tail_of_two;
    struct rt_state rt;
    uint32_t views_ready; /* bit per sample */
    int layer;
    struct view view[MAX_SAMPLES];
};

struct quad {
    int32_t x, y; /* upper left pixel */
    uint8_t sample;
    uint16_t cover[4]; /* samples of TL TR BL BR still alive */
    uint16_t full[4];  /* for the input coverage mask */
    float aa[4];
};

/* What one pixel shader thread works on. */
struct ps_group {
    struct worker *worker;
    const struct setup *setup;
    unsigned quads, lanes;
    /* Quads 0..3 are TL TR BL BR of one 4x4 block, aligned to 4 pixels; some
     * may be unlit. */
    bool block;
    struct quad quad[MAX_QUADS];
    uint32_t lit;    /* lanes with coverage at dispatch */
    uint32_t helped; /* and the other lanes of their quads */
    uint32_t alive;  /* of them, those that still have some */
    uint32_t tested; /* lanes that have had their late tests */
};

struct batch_quads {
    unsigned count, lit, full;
    int32_t x[4], y[4];
};

/* Blocks on their way to the shader: of a simple draw, or of a multisampled one
 * (see quad_emit_covered() and payload_add_sample_list()). Those of several
 * primitives, in order, where the colours are caught (see caught.c). */
#define BATCH_BLOCKS 64
struct block_batch {
    unsigned count, prims;
    /* And one for those that turn out to have no blocks. */
    struct batch_prim prim[BATCH_BLOCKS + 1];
    struct batch_block block[BATCH_BLOCKS + 1]; /* see put_blocks() */
    /* Of blocks that are partly covered: the pixels of each sample. */
    uint16_t sample[BATCH_BLOCKS][MAX_SAMPLES];
    bool scattered; /* some are: */
    struct batch_quads quads[BATCH_BLOCKS];
    struct batch_quads pending;
    /* The coverage that the group's quads hold. */
    bool known;
    uint16_t known_lit, known_full;
    struct lane_quads at[BATCH_BLOCKS];
    alignas(32) uint32_t header[8], positions[8];
    alignas(32) uint32_t subspans[BATCH_BLOCKS][8], coverage[BATCH_BLOCKS][16];
    alignas(64) float weights[2][BATCH_BLOCKS][32]; /* perspective, linear */
    alignas(64) float z[BATCH_BLOCKS][16], w[BATCH_BLOCKS][16];
    /* What the threads leave: colours, and the lanes that have one. */
    alignas(64) uint32_t color[BATCH_BLOCKS][4][16];
    uint16_t mask[BATCH_BLOCKS];
    /* How many of the target's planes are written, if all blocks lie in it and
     * that is settled, else 0; and if there are several, which. */
    unsigned planes;
    struct rt_plane plane[BATCH_BLOCKS * MAX_SAMPLES];
    /* Where the threads' registers come from. */
    unsigned copies;
    struct grf_copy copy[PAYLOAD_PARTS + EU_GRF_COUNT];
    struct eu_row row[BATCH_BLOCKS + ROWS_AHEAD];
    struct row_parts parts; /* of a list's rows */
    struct tile_centres centres;
    struct rt_begun begun;
    bool weighs; /* and weights from here, not from weights[] */
    struct run_weights run_weights;
};

/* Behind the last block of its primitive k. */
static inline unsigned
batch_end(const struct block_batch *b, unsigned k)
{
    return k + 1 < b->prims ? b->prim[k + 1].first : b->count;
}

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
    const struct plane_ops *planes;
    uint32_t header[8];              /* g0 less the primitive's part */
    const struct payload_plan *plan; /* the scene's */
    bool catches; /* threads of blocks leave their colours in the batch */
    bool keeps;   /* blocks may wait while those of later primitives come */
    /* Threads of a primitive all leave the same with all lanes on, and with
     * any. */
    bool same, same_lanes;
    bool rows; /* those of whole blocks may be in rows: caught_rows() */
    /* NULL, or the weights of rows that may go on from primitive to primitive,
     * see joined.c; and what else differs between these. */
    const struct payload_part *joins;
    struct grf_own own[MAX_ATTRS];
    unsigned owns;
    bool cheap; /* a thread costs less than to share it with other blocks */
    bool parts; /* blocks that are partly covered go there, too */
    bool mixes; /* those of several primitives do so together */
    bool lists; /* blocks go from coverage to threads in lists */
    bool drawn_once; /* the tile, if those of its primitives do not overlap */
    unsigned batches_without_copies; /* left to come, see find_copy() */
    uint64_t depth_count, ps_count, threads, pixels;
    uint32_t depth_ready, stencil_ready; /* views, bit per sample */
    int depth_layer;
    struct target target[DRAW_MAX_RT];
    struct view depth[MAX_SAMPLES], stencil[MAX_SAMPLES];
    bool streams; /* something went past the caches since the last fence */
    uint64_t depth_sum, ps_sum; /* counted for queries since the last flush */
    struct cover_list cover;
    struct block_batch batch;
    /* See eu_launch_row(). */
    struct eu_thread thread, others[EU_ROW_THREADS - 1];
};
static_assert(offsetof(struct worker, others) ==
                  offsetof(struct worker, thread) + sizeof(struct eu_thread),
              "the others are right behind the thread");

#endif
