/* raster.h: the inside of raster/, also seen by msg_render.c and msg_pi.c.
 *
 * setup*.c turns primitives into struct setup (edges, planes, attribute
 * deltas), list.c collects those, waiting.c keeps them for some draws,
 * bins.c sorts them into tiles,
 * hidden.c finds those that are not seen, cover*.c
 * the samples that a setup covers in a tile, quad.c queues 2x2
 * quads and 4x4 blocks, payload.c and payload_block.c start pixel shader
 * threads with the help of plane.c, late.c, blend.c and target.c do what comes
 * after the shader. Where nothing but colours comes of a thread, caught.c runs
 * a batch of them and block.c writes all of its colours. One worker owns a tile
 * while it draws it. */
#ifndef ENGINE_RASTER_RASTER_H
#define ENGINE_RASTER_RASTER_H

#include "base/arena.h"
#include "base/fpmode.h"
#include "engine/msg/msg.h"
#include "engine/prim.h"
#include "engine/raster/cover.h"
#include "engine/raster/depth_lanes.h"
#include "engine/raster/plane.h"
#include "engine/raster/rt.h"

/* For loops over lanes: the same arithmetic for every CPU (no contraction),
 * in its widest registers. Not with clang 14, which gives the dispatcher a
 * name that other files do not find, nor with TSan, whose runtime is not yet
 * there when the dispatcher runs. */
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define RASTER_LANES __attribute__((target_clones("avx2", "default")))
#else
#define RASTER_LANES
#endif

/* Without the instruction, which the oldest x86-64 lacks, the builtin is a
 * call. */
static inline unsigned
count_bits(uint32_t v)
{
    v -= v >> 1 & 0x55555555;
    v = (v & 0x33333333) + (v >> 2 & 0x33333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f;
    return v * 0x01010101 >> 24;
}

/* The same for 4x4 blocks, most of which are whole. */
static inline unsigned
count_block_bits(uint32_t v)
{
    return v == 0xffff ? 16 : count_bits(v);
}

/* Side of a tile; a multiple of a Y tile's height and of a W tile's side. */
#define TILE_PX COVER_TILE_PX
/* Largest surface: nothing is drawn beyond. */
#define SCREEN_MAX_PX 16384
#define MAX_SAMPLES COVER_SAMPLES
#define MAX_QUADS 8
#define MAX_LANES 32
#define MAX_ATTRS 32
#define ATTR_DW 16

/* ---- set-up primitives ------------------------------------------------ */

/* Inside where a * x + b * y + c >= 0, x and y in subpixels; the fill rule's
 * tie is in c. */
struct edge {
    int64_t a, b, c;
};

enum cover_kind {
    COVER_BOX,   /* all pixels of the bounding box, all samples */
    COVER_EDGES, /* inside of edge[] */
    COVER_LINE,  /* one pixel per step of the major axis */
};

struct setup_line {
    int32_t x0, y0, x1, y1; /* subpixels, v0 -> v1 */
    bool x_major;
    uint32_t stipple_start; /* steps since the pattern began */
};

struct setup {
    struct scene *scene;
    uint8_t cover, kind; /* enum cover_kind, enum prim_kind as drawn */
    uint8_t edge_count;
    uint8_t viewport;
    uint16_t layer;
    bool back, perspective;
    bool conservative; /* edge[] lets in every pixel that is touched */
    bool poly_stipple, line_stipple, last_pixel;
    /* Smooth points and lines scale alpha by coverage: distances in pixels
     * from (smooth_x, smooth_y), along (dir) and across. */
    bool smooth, round;
    bool small; /* what it covers is known: mask[] */
    /* The above are zero at first, what follows is not. */
    float smooth_x, smooth_y, dir_x, dir_y;
    float half_length, half_width;
    int32_t x0, y0, x1, y1; /* pixels, x1/y1 exclusive, clipped */
    /* Bits as in cover.c of the 4x4 block that has (x0, y0), and of those to
     * the right, below, and both. */
    uint16_t mask[4];
    struct edge edge[4];
    double ref_x, ref_y;
    /* Linear weights of v1 and v2, the same over w, 1/w, depth. */
    struct plane b1, b2, n1, n2, q, z;
    float z_lo, z_hi; /* CC_VIEWPORT */
    struct setup_line line;
    const uint32_t *attr; /* ATTR_DW dwords an attribute, as in the payload */
};

/* ---- per-draw constants ----------------------------------------------- */

enum depth_kind { DEPTH_NONE, DEPTH_F32, DEPTH_U24, DEPTH_U16 };

enum test_time {
    TEST_EARLY,  /* tests and writes before the shader */
    TEST_LATE,   /* at the first render target write */
    TEST_REJECT, /* late, but what fails the depth test is not shaded */
};

struct stencil_face {
    uint8_t func, fail, zfail, zpass, ref, test_mask, write_mask;
};

struct depth_state {
    enum depth_kind kind;
    unsigned depth_B;
    bool depth_test, depth_write, stencil_test, stencil_write;
    uint8_t func;
    uint8_t pass;   /* func as bits: less, equal, greater, unordered */
    depth_fn block; /* for 4x4 blocks, or NULL */
    depth_list_fn list;
    depth_scan_fn scan;
    struct stencil_face face[2]; /* front, back */
};

struct blend_state {
    bool enabled, logic_op;
    uint8_t logic_func;
    uint8_t src[2], dst[2], func[2]; /* colour, alpha */
    bool pre_clamp, pre_clamp_src_only, post_clamp;
    uint8_t clamp_range;
    uint8_t write_mask; /* bit 0 r .. bit 3 a: written */
    float constant[4];
};

/* Per channel; infinite where nothing is clamped. */
struct blend_range {
    float lo[4], hi[4];
    bool none;
};

enum pack_kind { PACK_GENERIC, PACK_RGBA8, PACK_BGRA8 };

/* The tiles that a setup's box touches, last ones inclusive. */
struct setup_ref {
    struct setup *setup;
    uint16_t tx0, ty0, tx1, ty1;
};

/* Primitives of one owner, see prim.h. */
struct prim_list {
    struct scene *scene;
    struct arena arena; /* of the setups and their attributes */
    struct setup_ref *ref;
    unsigned count, capacity;
    uint64_t pair_count; /* setups times tiles they may touch */
    uint64_t work_px;
    uint32_t stipple_pos; /* of the line strip now being drawn */
};

/* Where the payload of a draw's threads comes from, as far as the kernel
 * reads it: parts that differ from thread to thread, in order, then runs of
 * registers that do not within a primitive. See payload.c. */
enum payload_kind {
    PAYLOAD_HEADER,
    PAYLOAD_SUBSPANS,
    PAYLOAD_WEIGHTS,
    PAYLOAD_DEPTH,
    PAYLOAD_W,
    PAYLOAD_POSITIONS,
    PAYLOAD_COVERAGE,
};

struct payload_part {
    uint8_t kind; /* enum payload_kind */
    uint8_t mode; /* of the weights */
    uint8_t base; /* first of its lanes, 0 or 16 */
    uint8_t grf;
};

enum payload_source {
    PAYLOAD_ZERO,
    PAYLOAD_PUSH,
    PAYLOAD_ATTR,
    PAYLOAD_SOURCES
};

struct payload_run {
    uint8_t source; /* enum payload_source */
    uint8_t grf, count;
    bool stays;        /* no thread changes it */
    uint32_t offset_B; /* in the source */
};

#define PAYLOAD_PARTS 24

struct payload_plan {
    unsigned part_count, run_count;
    struct payload_part part[PAYLOAD_PARTS];
    struct payload_run run[EU_GRF_COUNT];
};

/* What a context keeps, see waiting.c. */
#define RASTER_SCENES 16
struct raster {
    struct worker **worker; /* NULL until needed */
    unsigned worker_count;
    /* The last one is being made, or has been; those before it wait. */
    struct scene *scene[RASTER_SCENES];
    unsigned scene_count;
    unsigned serial; /* of the last scene */

    struct prim_list **list;
    unsigned list_count;
    unsigned first_list; /* of the draw, when others before it wait */
    size_t list_max_B;   /* when a flush is due */
    unsigned flush;      /* which it is */

    /* bins of the flush now running */
    unsigned tile_count;
    struct bin *bin;
};

struct scene {
    struct raster *raster;
    const struct draw *draw;
    const struct shader_stage *ps; /* NULL: no pixel shader */
    struct eu_launch launch;       /* its threads */
    struct payload_plan plan;
    /* The colour target of a scene that may wait, or of those before it. */
    bool aims;
    struct surface target;
    unsigned serial;
    uint64_t pixel_serial; /* of the draw that all below is made from */
    int last_cleared_layer;

    unsigned samples;
    uint16_t all_samples; /* mask */
    bool ms_raster;       /* samples have positions of their own */
    bool per_sample;      /* a thread's slot is one sample */
    enum test_time test_time;
    struct depth_state ds;
    struct blend_state blend[DRAW_MAX_RT];
    bool simple;        /* one sample a pixel, no stencil, no inner coverage */
    bool plain_samples; /* see quad_emit_covered() */
    bool count_late;    /* forced early tests, but counted after the kill */
    /* Nothing between the shader and the blender can drop a sample. */
    bool plain_late;
    bool late_count_only; /* the same, but what is left must be counted */
    /* One of these, and messages are of colours that go to the blender as they
     * are, unless they say otherwise. */
    bool only_colors;
    bool can_hide, can_be_hidden; /* see hidden.c */
    bool may_wait;                /* see payload_only_draws() */
    bool count_depth, count_ps;
    /* Sample positions in subpixels; all centres without ms_raster. */
    uint8_t sample_x[MAX_SAMPLES], sample_y[MAX_SAMPLES];
    unsigned attr_count;
    /* Attribute i is slot attr_slot[i] of the vertex, all four components,
     * for triangles. */
    bool attr_plain;
    uint16_t attr_slot[MAX_ATTRS];
    unsigned attr_grf; /* where attribute setup starts */
    unsigned bary_modes;
    int32_t clip_x0[DRAW_MAX_VIEWPORTS], clip_y0[DRAW_MAX_VIEWPORTS];
    int32_t clip_x1[DRAW_MAX_VIEWPORTS], clip_y1[DRAW_MAX_VIEWPORTS];
};

struct bin {
    int32_t x, y; /* pixels */
    unsigned count;
    struct setup **setup;
};

/* ---- a worker and its tile -------------------------------------------- */

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

void view_init(struct view *v, const struct surface *s, unsigned level,
               unsigned slice, unsigned sample, unsigned element_B,
               int32_t tile_x, int32_t tile_y);

struct target {
    bool ready; /* for this scene */
    bool known; /* all but the entry, as far as surf is what the scene has */
    bool null;
    struct surface surf;
    const struct format_info *fmt;
    enum pack_kind pack;
    unsigned level, layers, samples, element_B;
    bool has_mcs;
    unsigned mcs_B;
    uint64_t mcs_done[COVER_BLOCKS / 64]; /* of the tile, bit per block: no more
                                           * to prepare */
    /* of the blend entry used last */
    int entry;
    struct blend_state blend;
    bool settled; /* blend is what the rest is made from */
    bool mask_all, mask_none;
    alignas(16) uint8_t mask[16]; /* bits of the element to be written */
    struct blend_range range;
    rt_write_fn write; /* for blocks; NULL: lane by lane */
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
     * may be unlit. With several samples, all are lit and whole. */
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

/* Blocks on their way to the shader: of a simple draw, or whole ones of a
 * multisampled draw. Those of several primitives, in order, where the colours
 * are caught (see caught.c). */
#define BATCH_BLOCKS 32
struct block_batch {
    unsigned count, prims;
    struct {
        const struct setup *setup;
        unsigned first; /* block */
    } prim[BATCH_BLOCKS];
    struct batch_block block[BATCH_BLOCKS];
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
    /* Where these go, if all blocks lie in a target of one sample. */
    bool placed;
    uint8_t *store_at[BATCH_BLOCKS];
    /* Where the threads' registers come from. */
    unsigned copies;
    struct grf_copy copy[PAYLOAD_PARTS + EU_GRF_COUNT];
    bool weighs; /* and weights from here, not from weights[] */
    struct run_weights run_weights;
};

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
    bool cheap; /* a thread costs less than to share it with other blocks */
    bool lists; /* blocks go from coverage to threads in lists */
    uint64_t depth_count, ps_count, threads, pixels;
    uint32_t depth_ready, stencil_ready; /* views, bit per sample */
    int depth_layer;
    struct target target[DRAW_MAX_RT];
    struct view depth[MAX_SAMPLES], stencil[MAX_SAMPLES];
    struct cover_list cover;
    struct block_batch batch;
    struct eu_thread thread;
};

/* ---- setup_small.c ------------------------------------------------------- */

/* Blocks of a primitive that reaches over no more than two each way. */
struct small {
    int32_t x0, y0, x1, y1; /* clipped, pixels */
    uint16_t mask[4];       /* as in struct setup */
};

/* Largest extent of such a primitive: the values of its edges all over its
 * blocks have 32 bits. */
#define SMALL_MAX_SUBPX (9 * SUBPIXEL)

/* Finds mask[] from three edges and the box: centres inside. False: none. */
bool setup_small(const struct edge edge[3], struct small *small);
/* The same, pixel by pixel. */
void setup_small_ref(const struct edge edge[3], struct small *small);

/* ---- scene.c ------------------------------------------------------------- */

void scene_init(struct scene *scene, struct raster *r, const struct draw *draw);

/* ---- list.c -------------------------------------------------------------- */

struct setup *setup_new(struct prim_list *list, const struct prim *prim);
/* Adds the finished and settled setup to the list unless its box is empty. */
void setup_finish(struct prim_list *list, struct setup *s);
/* Whether a flush is due. */
bool list_is_full(const struct prim_list *list);
void list_reset(struct prim_list *list);
void list_destroy(struct prim_list *list);

/* ---- setup.c, setup_line.c, attr.c ------------------------------------- */

void setup_box(const struct scene *scene, struct setup *s, int64_t x0,
               int64_t y0, int64_t x1, int64_t y1);
void setup_primitive(struct prim_list *list, const struct prim *prim);
/* bias is added to the depths. */
void setup_point(struct prim_list *list, const struct prim *prim,
                 const struct prim_vertex *v, float bias, bool back);
void setup_segment(struct prim_list *list, const struct prim *prim,
                   const struct prim_vertex *v0, const struct prim_vertex *v1,
                   float bias, bool back);
void setup_edge(struct edge *e, int64_t x0, int64_t y0, int64_t x1, int64_t y1);
/* Makes one NaN of all those in the planes. */
void setup_settle(struct setup *s);
/* Whether the pixel lies within all edges as a whole. */
bool setup_holds_pixel(const struct setup *s, int32_t x, int32_t y);
void setup_constant_planes(struct setup *s, const struct prim_vertex *v,
                           float bias);
/* What of it is the same for all primitives. */
void attr_plan(struct scene *scene);
/* Attribute deltas for v[0..count-1]; missing vertices count as v[0]. */
const uint32_t *attr_setup(struct prim_list *list, const struct prim *prim,
                           const struct prim_vertex *const v[3], unsigned count,
                           bool back, bool point);

/* ---- rects.c ----------------------------------------------------------- */

/* Draws what has been collected without threads; false if it needs them. */
bool rects_draw(struct raster *r);

/* ---- bins.c ------------------------------------------------------------ */

void bins_draw(struct raster *r);

/* ---- cover.c, cover_line.c --------------------------------------------- */

/* Draws s in the worker's tile. */
void cover_setup(struct worker *w, const struct setup *s);
void cover_line(struct worker *w, const struct setup *s);
/* Leaves what s, no line, has in the tile in w->cover. Returns how many samples
 * of a pixel that tells apart, 0 if there is nothing. */
unsigned cover_blocks(struct worker *w, const struct setup *s);

/* ---- hidden.c ------------------------------------------------------------ */

/* Finds out whether primitives of the scene may hide others, or be hidden. */
void hidden_init(struct scene *scene);
/* How many of the bin's primitives, from the first on, later ones hide. They
 * have been counted as if they were drawn. */
unsigned hidden_primitives(struct worker *w, const struct bin *bin);

/* ---- quad.c ------------------------------------------------------------ */

/* masks[i]: pixels TL TR BL BR that sample i covers. */
void quad_emit(struct worker *w, const struct setup *s, int32_t x, int32_t y,
               const uint8_t masks[MAX_SAMPLES]);
/* Whether the block has enough lit quads for a thread of its own. */
static inline bool
quad_fills_thread(unsigned mask)
{
    unsigned any = mask | mask >> 2;
    any = (any | any >> 1) & 0x1111; /* a bit for each quad */
    return mask == 0xffff || count_bits(any) >= 3;
}
/* A 4x4 block of a simple draw (see struct scene), bits as in cover.h. */
void quad_emit_block(struct worker *w, const struct setup *s, int32_t x,
                     int32_t y, uint16_t mask);
/* Blocks of a simple draw without a shader: depth and counts. */
void quad_test_list(struct worker *w, const struct setup *s,
                    const struct cover_list *list);
/* What passed early tests of such a block, as quads that share threads. */
void quad_emit_some(struct worker *w, const struct setup *s, int32_t x,
                    int32_t y, uint16_t mask, uint16_t full);
/* A 4x4 block all of whose samples are covered; for draws that test no sample
 * before the shader and have no slots of samples (scene.plain_samples). */
void quad_emit_covered(struct worker *w, const struct setup *s, int32_t x,
                       int32_t y);
/* Nothing more comes of this primitive in this tile. */
void quad_end_primitive(struct worker *w, const struct setup *s);
void quad_flush(struct worker *w);

/* ---- payload.c, payload_block.c ---------------------------------------- */

/* What all threads have in common, once all else of the scene is known. */
void payload_launch_init(struct scene *scene);
void payload_plan_init(struct scene *scene);
/* Whether all that threads do with memory is to read it, and to write one
 * colour target. */
bool payload_only_draws(const struct scene *scene);
void payload_prepare(struct worker *w);
/* Runs the shader for the group's quads. */
void payload_dispatch(struct worker *w);
/* g0 of all threads of a primitive. */
void payload_header(const struct worker *w, const struct setup *s,
                    uint32_t g0[8]);
/* Appends the copies of the plan's runs that stay, or that do not; returns how
 * many copies there are then. */
unsigned payload_runs(const struct worker *w, const struct setup *s, bool stay,
                      struct grf_copy *copy, unsigned count);
/* A 4x4 block for a SIMD16 shader, see struct block_batch; lit: bits as in
 * cover.h. The shader may run later. */
void payload_add_block(struct worker *w, const struct setup *s, int32_t x,
                       int32_t y, uint16_t lit, uint16_t full);
/* A quad of a draw that keeps blocks; those of a primitive share threads. */
void payload_add_quad(struct worker *w, const struct setup *s, int32_t x,
                      int32_t y, unsigned lit, unsigned full);
/* No more quads of this primitive. */
void payload_end_quads(struct worker *w, const struct setup *s);
void payload_run_blocks(struct worker *w);
/* Blocks of a worker that takes lists, before their early tests. */
void payload_add_list(struct worker *w, const struct setup *s,
                      const struct cover_list *list);
/* ---- caught.c ------------------------------------------------------------ */

/* Whether the draw's threads send nothing but colours for one target at their
 * end, which the batch can have instead. */
bool caught_fits(const struct scene *scene);
struct caught {
    struct target *target;
    unsigned written; /* blocks */
    unsigned caught;
    int64_t left; /* of the budget */
};
/* False if the target has no routine for a batch of colours. */
bool caught_begin(struct worker *w, struct caught *c, int layer);
/* Runs the threads of a primitive's blocks, whose payload is ready. */
void caught_run(struct worker *w, struct caught *c, unsigned first,
                unsigned end);
/* Writes the colours that have not been written. */
void caught_end(struct worker *w, struct caught *c);
/* Blocks that get one thread's colours. */
struct caught_list {
    const struct cover_list *list;
    const uint16_t *lit;     /* of each block, or NULL: what is covered */
    uint16_t *rest;          /* of each: what is left to be done */
    bool some;               /* not only those that are lit as a whole */
    uint16_t mask;           /* lanes that have a colour */
    unsigned blocks, pixels; /* done, lit */
    unsigned left;           /* not zero: something is */
};
/* For a primitive all of whose threads do the same: runs one of them, writes
 * its colours to what can have them. False with nothing done if that cannot
 * be. */
bool caught_draw(struct worker *w, const struct setup *s,
                 struct caught_list *l);
/* Makes the group that of the batch's block. */
void payload_use_block(struct worker *w, unsigned n);

/* Four bits to the coverage words of a quad's pixels. */
static inline void
payload_spread(uint16_t cover[4], unsigned bits)
{
    uint64_t v = (bits & 1) | (uint64_t)(bits & 2) << 15 |
                 (uint64_t)(bits & 4) << 30 | (uint64_t)(bits & 8) << 45;
    memcpy(cover, &v, sizeof v);
}
/* Barycentric weights of v1 and v2 at a pixel position. */
void payload_barycentrics(const struct setup *s, bool perspective, float x,
                          float y, float *b1, float *b2);
/* Where the centroid of a pixel lies, from its upper left corner. */
void payload_centroid(const struct scene *scene, uint16_t cover, float *x,
                      float *y);

/* ---- depth.c, depth_block.c
 * ------------------------------------------------------------ */

void depth_state_init(struct depth_state *ds, const struct draw *draw);
/* Stencil and depth test of the samples in cover, with writes if `write`.
 * z: NULL for the interpolated depth, else one value for all samples;
 * stencil_ref: -1 for the state's. Returns the samples that pass. */
uint16_t depth_test(struct worker *w, const struct setup *s, int32_t x,
                    int32_t y, uint16_t cover, const float *z, int stencil_ref,
                    bool write);
/* The same for a 4x4 block of a single-sampled draw without stencil; bits of
 * `cover` as in cover.h. */
uint16_t depth_test_block(struct worker *w, const struct setup *s, int32_t x,
                          int32_t y, uint16_t cover, bool write);
/* The same for all of a list's blocks: lit[i] gets what passes of block i. */
void depth_test_list(struct worker *w, const struct setup *s,
                     const struct cover_list *list, bool write, uint16_t *lit);
/* Whether no pixel of a box in the tile can pass, for draws of one sample that
 * test before the shader. A look that costs little where it says no. */
bool depth_hides(struct worker *w, const struct setup *s, int32_t x0,
                 int32_t y0, int32_t x1, int32_t y1);
const struct view *depth_view(struct worker *w, bool stencil, unsigned layer,
                              unsigned sample);
void depth_forget_views(struct worker *w);
bool depth_compare(unsigned func, double a, double b); /* a OP b */
uint8_t depth_stencil_op(unsigned op, uint8_t value, uint8_t ref);

/* ---- late.c, target.c, write.c, block.c, blend.c
 * ------------------------------------------ */

/* Colours of a render target write, structure of arrays. */
struct rt_colors {
    unsigned base, count; /* group lanes base .. base + count - 1 */
    uint32_t mask;        /* lanes enabled by the message, bit 0 = base */
    bool dual, has_src0_alpha, has_omask, has_depth, has_stencil;
    alignas(32) uint32_t c[4][16], src1[4][16], src0_alpha[16], depth[16];
    uint16_t omask[16];
    uint8_t stencil[16];
};

/* Everything that happens to a sample before its colour is stored; updates
 * the group's coverage. Once per lane. */
void late_tests(struct ps_group *group, const struct rt_colors *rt);
void target_write(struct ps_group *group, const struct rt_colors *rt,
                  unsigned bti, unsigned entry);
/* The same with late_tests(), for sixteen lanes from `base` on and nothing but
 * colours, c[channel] pointing at them. False, with nothing done, if this
 * needs the above. */
bool target_write_colors(struct ps_group *group, const uint32_t *const c[4],
                         unsigned base, uint32_t mask, unsigned bti,
                         unsigned entry);
/* The target for that, or NULL if it needs target_write(). */
struct target *target_for_colors(struct worker *w, unsigned bti, int layer,
                                 unsigned entry);
/* Finds out where the batch's blocks go. */
void target_place_batch(struct worker *w, struct target *t);
/* Colours for blocks first .. end - 1 of the batch, those of block `first` and
 * the others' step_dw further each; all samples of a pixel get its colour. */
void target_write_batch(struct worker *w, struct target *t,
                        uint32_t (*color)[16], unsigned step_dw, unsigned first,
                        unsigned end);
/* The colours of one block to all of a list that lie in the surface, if the
 * target has blocks. */
bool target_takes_list(struct worker *w, struct target *t);
void target_write_list(struct worker *w, struct target *t,
                       uint32_t (*color)[16], struct caught_list *l);
/* Reads the target back: out[channel][lane]. */
void target_read(struct ps_group *group, unsigned bti, unsigned base,
                 unsigned count, uint32_t out[4][16]);
bool target_format_ok(const struct format_info *fmt);
struct target *target_get(struct worker *w, unsigned bti, int layer);
struct view *target_view(struct worker *w, struct target *t, unsigned sample);
void target_forget_views(struct worker *w);
void target_use_entry(struct target *t, const struct blend_state *b,
                      unsigned entry);

void blend_state_init(struct blend_state *b, const struct draw *draw,
                      unsigned entry);
/* Blending flushes denormals, as D3D10 wants of arithmetic in single precision,
 * and as kernels mostly do: it mostly is the mode already. */
#define BLEND_FP_MODE (FPMODE_DEFAULT | FPMODE_FLUSH)
/* Colours to blend, structure of arrays; src, src1 and constant get clamped. */
struct blend_lanes {
    alignas(64) float src[4][16], src1[4][16], dst[4][16];
    float constant[4];
};
void blend_range_init(struct blend_range *r, const struct blend_state *b,
                      const struct format_info *fmt);
/* The constant colour as factors use it. */
void blend_constant(const struct blend_state *b,
                    const struct blend_range *range, float constant[4]);
void blend_run(const struct blend_state *b, const struct blend_range *range,
               struct blend_lanes *in, float out[4][16]);
uint32_t blend_logic_op(unsigned func, uint32_t src, uint32_t dst);

/* ---- mcs.c, clear.c ------------------------------------------------------ */

/* Bytes of one MCS entry; 0: no MCS for this sample count. */
unsigned mcs_entry_B(unsigned samples);
uint64_t mcs_identity(unsigned samples);
/* Before a pixel of a compressed target is written: gives every sample a
 * value of its own. */
void mcs_prepare_pixel(struct worker *w, struct target *t, int32_t x,
                       int32_t y);
/* The same for the 4x4 block at (x, y), all of which lies in the surface, and
 * all of whose samples are about to be overwritten or not. False with nothing
 * done if its pixels have to be looked at one by one. In the default float
 * mode. */
bool mcs_prepare_block(struct worker *w, struct target *t, uint32_t x,
                       uint32_t y, bool overwritten);
/* Sets a whole layer's entries to `clear`. */
void mcs_clear_layer(const struct surface *s, unsigned level, unsigned slice);
void clear_fast(struct scene *scene, unsigned layer);

#endif
