/* shade/shade.h: pixel shading: takes quads and blocks from coverage, runs
 * threads of the pixel shader, and passes their colours to output. Called by
 * coverage and bin. Any worker, for its own tile. */
#ifndef ENGINE_RASTER_SHADE_SHADE_H
#define ENGINE_RASTER_SHADE_SHADE_H

#include "engine/raster/pixel_group.h"

/* ---- shade_path.c ---- */

/* Chooses the shade paths for the worker's scene. */
void shade_choose_paths(struct worker *w);
/* Tests and shades the blocks of s in w->cover. samples: how many per pixel the
 * list distinguishes. */
void shade_primitive(struct worker *w, const struct setup *s, unsigned samples);

/* ---- quad.c ---- */

/* Adds a quad. masks[i]: pixels TL TR BL BR that sample i covers. */
void quad_emit(struct worker *w, const struct setup *s, int32_t x, int32_t y,
               const uint8_t masks[MAX_SAMPLES]);
/* Adds the quads of a 4x4 block; masks as in cover_list.sample. */
void quad_emit_samples(struct worker *w, const struct setup *s, int32_t x,
                       int32_t y, const uint16_t *masks);
/* Adds a 4x4 block of a draw with one sample and no stencil. full: covered
 * pixels; live: pixels that passed early tests. */
void quad_emit_block(struct worker *w, const struct setup *s, int32_t x,
                     int32_t y, uint16_t full, uint16_t live);
/* Counts the blocks of such a draw without a shader. live: as in shade_path.c.
 */
void quad_count_list(struct worker *w, const struct cover_list *list,
                     const uint16_t *live);
/* Adds part of such a block as quads, which share threads. */
void quad_emit_some(struct worker *w, const struct setup *s, int32_t x,
                    int32_t y, uint16_t mask, uint16_t full);
/* Adds a 4x4 block all of whose samples are covered. Only for draws without
 * early tests and per-sample threads (scene.ms_no_sample_tests). */
void quad_emit_covered(struct worker *w, const struct setup *s, int32_t x,
                       int32_t y);
/* The primitive has no more blocks or quads in this tile. */
void quad_end_primitive(struct worker *w, const struct setup *s);
/* Runs all blocks and quads that the worker has queued. */
void quad_flush(struct worker *w);

/* ---- payload.c, block_batch.c, block_list.c ---- */

/* Prepares launch and payload layout that all threads share. Called once all
 * else of the scene is known. */
void payload_launch_init(struct scene *scene);
void payload_layout_init(struct scene *scene);
/* Whether the only effect of threads on memory is to write one colour target.
 */
bool payload_only_draws(const struct scene *scene);
/* Prepares the worker's launch and its paths for its scene. */
void payload_prepare(struct worker *w);
/* Runs a thread for the group's quads. */
void payload_dispatch(struct worker *w);
/* g0 for all threads of a primitive. */
void payload_header(const struct worker *w, const struct setup *s,
                    uint32_t g0[8]);
/* Appends copies for the layout's runs with this `stay`. Returns the new count
 * of copies. */
unsigned payload_runs(const struct worker *w, const struct setup *s, bool stay,
                      struct grf_copy *copy, unsigned count);
/* Adds a 4x4 block for a SIMD16 shader to the batch; bits of live and full as
 * in block_layout.h. The thread may run later. */
void payload_add_block(struct worker *w, const struct setup *s, int32_t x,
                       int32_t y, uint16_t live, uint16_t full);
/* Adds a quad of a draw with w->cross_prim_batches; quads of a primitive share
 * threads. */
void payload_add_quad(struct worker *w, const struct setup *s, int32_t x,
                      int32_t y, unsigned live, unsigned full);
/* The primitive has no more quads. */
void payload_end_quads(struct worker *w, const struct setup *s);
/* Runs the threads of the batch and empties it. */
void payload_run_blocks(struct worker *w);
/* Adds all blocks of a list, with w->list_shading. live: pixels of each block
 * that passed early tests; NULL: covered pixels. */
void payload_add_list(struct worker *w, const struct setup *s,
                      const struct cover_list *list, const uint16_t *live);
/* Likewise for several primitives of one layer, with w->multi_prim_batches:
 * each block gets its own thread. */
void payload_add_mixed(struct worker *w, const struct cover_multi_prim *m,
                       const struct cover_list *list);
/* Likewise for a multisampled draw with w->batches_partial_blocks. */
void payload_add_sample_list(struct worker *w, const struct setup *s,
                             const struct cover_list *list);

/* ---- rt_batch.c ---- */

/* Whether the only render target write of the draw's threads is the last
 * message, colours for one target, which the batch can capture. */
bool rt_batch_fits(const struct scene *scene);
struct rt_batch {
    struct target *target;
    struct rt_block block; /* what all blocks share */
    struct eu_epilogue
        tail;         /* of threads that store their colours themselves */
    unsigned written; /* in blocks of the batch */
    unsigned captured, declined;
    int64_t left; /* budget left, instructions */
};
/* False if the target has no kernel for batches of colours. */
bool rt_batch_begin(struct worker *w, struct rt_batch *c, int layer);
/* Runs the threads of a primitive's blocks, whose payload is prepared. */
void rt_batch_run(struct worker *w, struct rt_batch *c, unsigned first,
                  unsigned end);
/* What the threads of a batch's blocks share; *stored: see struct thread_run.
 */
struct thread_run rt_batch_threads(struct worker *w, struct rt_batch *c,
                                   unsigned *stored);
/* Writes the colours of blocks before `end` that have not been written. */
void rt_batch_write_until(struct worker *w, struct rt_batch *c, unsigned end);
/* Counts pixels that have been stored, or the pixels of threads of a chain that
 * have stored their colours. */
void rt_batch_count_pixels(struct worker *w, unsigned pixels);
void rt_batch_count_stored(struct worker *w, const struct eu_chain_entry *row,
                           unsigned count);
/* Resumes a thread that compiled code did not finish. It sends its colours
 * itself, after all earlier blocks are written. */
void rt_batch_finish_alone(struct worker *w, struct rt_batch *c, unsigned n);
/* Writes the colours that have not been written. */
void rt_batch_end(struct worker *w, struct rt_batch *c);
/* Uniform path: runs one thread of a primitive and writes its colours to all
 * blocks that may have them. False with nothing done if that is impossible. */
bool uniform_run(struct worker *w, const struct setup *s,
                 struct block_list_run *l);
/* Chain path: runs threads of whole blocks as a chain, and of partial blocks if
 * they are cheap. Threads store their colours themselves. False with nothing
 * done if that is impossible. */
bool chain_run_list(struct worker *w, const struct setup *s,
                    struct block_list_run *l);

/* ---- thread_chain.c ---- */

/* Decides whether chains of this scene may continue across primitives. */
void chain_plan(struct worker *w);
/* Runs a chain for the batch's primitives from the k-th on, if several of them
 * are small. Returns the first primitive that is left. */
unsigned chain_run(struct worker *w, struct rt_batch *c, unsigned k);

/* ---- batches ---- */

/* Runs the batch if its layer is another one. */
void payload_use_layer(struct worker *w, unsigned layer);
/* Blocks added from now on belong to this primitive. */
void payload_use_primitive(struct worker *w, const struct setup *s);
/* Enters the state in which threads are those of blocks. Returns the argument
 * of eu_launch_end(), which leaves it. */
uint32_t payload_begin_blocks(struct worker *w);
/* Computes the layout's parts for a primitive's blocks, and the copies of their
 * registers. at_run: weights and positions may be left to the start of each
 * thread. */
void payload_make_parts(struct worker *w, const struct setup *s, unsigned first,
                        unsigned end, bool at_run);

#endif
