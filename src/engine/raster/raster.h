/* raster.h: the inside of raster/, also seen by msg_render.c and msg_pi.c.
 *
 * setup*.c turns primitives into struct setup (edges, planes, attribute
 * deltas), shapes.c knows which pixels small ones cover, list.c collects those,
 * waiting.c keeps them for some draws, sort.c sorts a list by tiles, bins.c
 * gives those to the workers, hidden.c finds those that are not seen, cover*.c
 * the samples that a setup covers in a tile, quad.c queues 2x2 quads and 4x4
 * blocks, payload.c and payload_block.c start pixel shader threads with the
 * help of plane.c, late.c, blend.c and target.c do what comes after the shader.
 * Where nothing but colours comes of a thread, caught.c runs a batch of them,
 * planes.c says where its samples are and block.c writes all of its colours.
 * One worker owns a tile while it draws it. setup.h, scene.h and worker.h have
 * the data, this header the functions.
 */
#ifndef ENGINE_RASTER_RASTER_H
#define ENGINE_RASTER_RASTER_H

#include "base/fpmode.h"
#include "engine/raster/worker.h"

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

/* Of four blocks. */
static inline unsigned
count_four_blocks(uint64_t v)
{
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) +
        (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return v * UINT64_C(0x0101010101010101) >> 56;
}

/* ---- rects.c ----------------------------------------------------------- */

/* Draws what has been collected without threads; false if it needs them. */
bool rects_draw(struct raster *r);

/* ---- bins.c ------------------------------------------------------------ */

void bins_draw(struct raster *r);

/* ---- cover.c, cover_line.c --------------------------------------------- */

/* A small primitive takes less time than to get it from where another core has
 * left it, or from a cache far away: its attributes are right behind it. */
static inline void
cover_fetch_ahead(struct setup *const *setup, unsigned left, unsigned ahead)
{
    enum { AHEAD_B = 512 };
    if (left <= ahead)
        return;
    const char *p = (const char *)setup[ahead];
    for (unsigned at_B = 0; at_B < AHEAD_B; at_B += 64)
        __builtin_prefetch(p + at_B);
}

/* Draws s in the worker's tile. */
void cover_setup(struct worker *w, const struct setup *s);
/* Draws the first of some primitives, if they have few blocks each and the
 * scene is one whose primitives can be mixed: each step takes longer to begin
 * than what one of them needs. Returns how many. */
unsigned cover_mixed_setups(struct worker *w, struct setup *const *setup,
                            unsigned count);
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
/* The same for a 4x4 block; masks as in cover_list.sample. */
void quad_emit_samples(struct worker *w, const struct setup *s, int32_t x,
                       int32_t y, const uint16_t *masks);
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

/* ---- payload.c, payload_block.c, payload_list.c ------------------------- */

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
/* The same of several primitives of one layer, where blocks have threads of
 * their own. */
void payload_add_mixed(struct worker *w, const struct cover_mixed *m,
                       const struct cover_list *list);
/* The same of a draw of several samples that takes parts (w->parts). */
void payload_add_sample_list(struct worker *w, const struct setup *s,
                             const struct cover_list *list);

/* ---- caught.c ------------------------------------------------------------ */

/* Whether the draw's threads send nothing but colours for one target at their
 * end, which the batch can have instead. */
bool caught_fits(const struct scene *scene);
struct caught {
    struct target *target;
    struct rt_block block; /* what those of the target have in common */
    struct eu_tail tail;   /* of threads that write their colours themselves */
    unsigned written;      /* blocks */
    unsigned caught, declined;
    int64_t left; /* of the budget */
};
/* False if the target has no routine for a batch of colours. */
bool caught_begin(struct worker *w, struct caught *c, int layer);
/* Runs the threads of a primitive's blocks, whose payload is ready. */
void caught_run(struct worker *w, struct caught *c, unsigned first,
                unsigned end);
/* What threads of a batch's blocks have in common; *stored: see struct
 * thread_run. */
struct thread_run caught_threads(struct worker *w, struct caught *c,
                                 unsigned *stored);
/* Writes the colours of blocks before `end` that have not been written. */
void caught_write_until(struct worker *w, struct caught *c, unsigned end);
/* As many pixels have been stored; as many threads of a row have stored what
 * they leave. */
void caught_count_pixels(struct worker *w, unsigned pixels);
void caught_count_stored(struct worker *w, const struct eu_row *row,
                         unsigned count);
/* A thread that compiled code did not finish sends its colours itself, after
 * those of the blocks before. */
void caught_finish_apart(struct worker *w, struct caught *c, unsigned n);
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
bool caught_alike(struct worker *w, const struct setup *s,
                  struct caught_list *l);
/* For a primitive whose threads may be in rows: runs those of whole blocks, and
 * of others if that is cheap, which store their colours themselves. As above.
 */
bool caught_rows(struct worker *w, const struct setup *s,
                 struct caught_list *l);

/* ---- joined.c ------------------------------------------------------------ */

/* Whether rows of this scene may have threads of several primitives. */
void joined_plan(struct worker *w);
/* Runs the threads of the batch's primitives from the k-th on, if several of
 * them are small: returns the first that is left. */
unsigned joined_run(struct worker *w, struct caught *c, unsigned k);

/* ---- batches ------------------------------------------------------------- */

/* Makes the group that of the batch's block. */
void payload_use_block(struct worker *w, unsigned n);
/* Of that no more than where its quads are. */
void payload_use_place(struct worker *w, unsigned n);

/* A batch has one layer: runs one of another. */
void payload_use_layer(struct worker *w, unsigned layer);
/* What is added to the batch from now on is of this primitive. */
void payload_use_primitive(struct worker *w, const struct setup *s);
/* From here on until eu_launch_end(), threads are those of blocks; returns what
 * that asks for. */
uint32_t payload_begin_blocks(struct worker *w);
/* The plan's parts for a primitive's blocks, and where their registers are to
 * be copied from. at_run: what can wait until a thread begins need not be
 * there before. */
void payload_make_parts(struct worker *w, const struct setup *s, unsigned first,
                        unsigned end, bool at_run);
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

/* ---- depth.c, depth_block.c -------------------------------------------- */

void depth_state_init(struct depth_state *ds, const struct draw *draw);
/* What depths of a viewport are clamped to: for integers, numbers from 0 to 1
 * with which as much is stored as with the viewport's own. */
void depth_limits(const struct depth_state *ds,
                  const struct gen9_cc_viewport *cc, float *lo, float *hi);
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
/* The same of several primitives of one layer. */
void depth_test_mixed(struct worker *w, const struct cover_mixed *m,
                      const struct cover_list *list, bool write, uint16_t *lit);
/* Whether no pixel of a box in the tile can pass, for draws of one sample that
 * test before the shader. A look that costs little where it says no. */
bool depth_hides(struct worker *w, const struct setup *s, int32_t x0,
                 int32_t y0, int32_t x1, int32_t y1);
/* Whether the scene's draws of one sample test before the shader whether depths
 * are less (perhaps equal), or greater, in a format that can be scanned. */
bool depth_is_ordered(const struct scene *scene);
/* Of such a scene's primitive in a box, as stored: what passes first, and what
 * passes last. False if that cannot be told. */
struct depth_range {
    uint32_t first, last;
};
bool depth_range(const struct setup *s, int32_t x0, int32_t y0, int32_t x1,
                 int32_t y1, struct depth_range *r);
/* Whether one depth passes against another, both as stored and no NaN. */
bool depth_passes(const struct depth_state *ds, uint32_t new, uint32_t old);
/* Whether a depth is known to pass against all that is stored in a box of the
 * tile. */
bool depth_passes_all(struct worker *w, const struct setup *s, int32_t x0,
                      int32_t y0, int32_t x1, int32_t y1, uint32_t depth);
const struct view *depth_view(struct worker *w, bool stencil, unsigned layer,
                              unsigned sample);
void depth_forget_views(struct worker *w);
bool depth_compare(unsigned func, double a, double b); /* a OP b */
uint8_t depth_stencil_op(unsigned op, uint8_t value, uint8_t ref);

/* ---- behind the shader: late, target, write, block, planes, blend -------- */

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
/* Whether the part of each view in the tile has blocks. */
bool target_has_blocks(struct worker *w, struct target *t);
/* The target of a draw that catches, if it has several samples, all in blocks;
 * else NULL. */
const struct target *target_of_planes(struct worker *w, int layer);
/* Fetches what of it is going to be written of a block. */
static inline void
target_fetch(const struct target *t, uint32_t x, uint32_t y)
{
    for (unsigned s = 0; s < t->samples; s++) {
        const struct view *v = &t->view[s];
        __builtin_prefetch(v->mem + v->x_B[x] + v->y_B[y], 1);
    }
}
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
/* What is about to be written of a block: all of it whatever is there, all
 * samples of some pixels alike, or anything. */
enum mcs_use { MCS_OVERWRITTEN, MCS_PIXELS, MCS_SAMPLES };
/* Which it is, of a batch's block and the lanes that are written. */
static inline enum mcs_use
mcs_use_of(const struct target *t, const struct batch_block *k, uint16_t mask)
{
    if (k->partly)
        return MCS_SAMPLES;
    return mask == 0xffff && !t->rt.reads ? MCS_OVERWRITTEN : MCS_PIXELS;
}
/* The same for the 4x4 block at (x, y), all of which lies in the surface.
 * Returns how many planes then have to be written, one or all; 0 with nothing
 * done if its pixels have to be looked at one by one. In the default float
 * mode. */
unsigned mcs_prepare_block(struct worker *w, struct target *t, uint32_t x,
                           uint32_t y, enum mcs_use use);
/* Finds mcs_first and mcs_all of the tile, once, where that takes no longer
 * than to look at a few blocks one by one. */
void mcs_scan_tile(struct worker *w, struct target *t);
/* The block's place in mcs_first and mcs_all. */
static inline unsigned
mcs_block(const struct worker *w, int32_t x, int32_t y)
{
    return (unsigned)(y - w->tile_y) / 4 * (TILE_PX / 4) +
           (unsigned)(x - w->tile_x) / 4;
}
/* What that would return if it has found so before, else 0. */
static inline unsigned
mcs_known_planes(const struct target *t, unsigned block, enum mcs_use use)
{
    if (use != MCS_SAMPLES && t->mcs_first[block / 64] >> block % 64 & 1)
        return 1;
    bool all = t->mcs_all[block / 64] >> block % 64 & 1;
    return use != MCS_OVERWRITTEN && all ? t->samples : 0;
}
/* Whether preparing it reads colours, all of which have to be there. */
static inline bool
mcs_reads_first(const struct target *t, unsigned block, enum mcs_use use)
{
    return use == MCS_SAMPLES && (t->mcs_first[block / 64] >> block % 64 & 1);
}
/* Sets a whole layer's entries to `clear`. */
void mcs_clear_layer(const struct surface *s, unsigned level, unsigned slice);
void clear_fast(struct scene *scene, unsigned layer);

#endif
