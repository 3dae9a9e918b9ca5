/* depth/depth.h: depth and stencil tests of samples, blocks and lists, before
 * the shader and after it. Reads and writes the depth and stencil buffers
 * within the worker's tile. Called by bin, coverage and shade; late_tests() by
 * messages. Any worker; float mode FPMODE_DEFAULT. KBL PRM vol 2d,
 * 3DSTATE_WM_DEPTH_STENCIL. */
#ifndef ENGINE_RASTER_DEPTH_DEPTH_H
#define ENGINE_RASTER_DEPTH_DEPTH_H

#include "engine/raster/worker.h"

void depth_state_init(struct depth_state *ds, const struct draw *draw);
/* ---- early_tests.c ---- */

/* Early tests of a list's blocks, for a draw with one sample and no stencil:
 * live[i] gets the pixels of block i that pass. Returns live, or NULL if the
 * draw has no early tests. */
const uint16_t *early_tests(struct worker *w, const struct setup *s,
                            const struct cover_list *list,
                            uint16_t live[COVER_ROOM]);
/* Likewise for several primitives of one layer. */
const uint16_t *early_tests_multi_prim(struct worker *w,
                                       const struct cover_multi_prim *m,
                                       const struct cover_list *list,
                                       uint16_t live[COVER_MIXED_BLOCKS]);
/* Early tests of a quad's samples: leaves samples that pass in q->cover, sets
 * q->input_coverage, and counts what passes. */
void early_tests_quad(struct worker *w, const struct setup *s, struct quad *q);

/* ---- depth_test.c, depth_test_block.c ---- */

/* Stencil and depth test of a pixel's samples in `cover`, with writes if
 * `write`. z: NULL for the interpolated depth, else one value for all samples;
 * stencil_ref: -1 for the state's. Returns the samples that pass. */
uint16_t depth_test(struct worker *w, const struct setup *s, int32_t x,
                    int32_t y, uint16_t cover, const float *z, int stencil_ref,
                    bool write);
/* Depth test of a 4x4 block, for a single-sampled draw without stencil. Bits of
 * `cover` and of the result as in block_layout.h. */
uint16_t depth_test_block(struct worker *w, const struct setup *s, int32_t x,
                          int32_t y, uint16_t cover, bool write);
/* Likewise for all blocks of a list: live[i] gets the pixels of block i that
 * pass. */
void depth_test_list(struct worker *w, const struct setup *s,
                     const struct cover_list *list, bool write, uint16_t *live);
/* Likewise for several primitives of one layer. */
void depth_test_mixed(struct worker *w, const struct cover_multi_prim *m,
                      const struct cover_list *list, bool write,
                      uint16_t *live);
/* Whether all pixels of a box in the tile fail, for single-sampled draws with
 * early tests. Cheap if the answer is no. */
bool depth_rejects_box(struct worker *w, const struct setup *s, int32_t x0,
                       int32_t y0, int32_t x1, int32_t y1);
/* Whether depth is ordered: single-sampled tests before the shader pass only
 * lesser depths, or only greater ones. Equal depths may pass. The format can be
 * scanned. */
bool depth_is_ordered(const struct scene *scene);
/* Depth range of a primitive in a box, as stored, for a scene with ordered
 * depth: `first` passes most easily, `last` least. False if unknown. */
struct depth_range {
    uint32_t first, last;
};
bool depth_range(const struct setup *s, int32_t x0, int32_t y0, int32_t x1,
                 int32_t y1, struct depth_range *r);
/* Whether a new depth passes against an old one, both as stored and no NaN. */
bool depth_passes(const struct depth_state *ds, uint32_t new, uint32_t old);
/* Whether a depth is known to pass against all stored depths of a box in the
 * tile. */
bool depth_accepts_box(struct worker *w, const struct setup *s, int32_t x0,
                       int32_t y0, int32_t x1, int32_t y1, uint32_t depth);
/* The view of one sample of the depth or stencil buffer. Ends clear blocks of
 * the tile first. */
const struct view *depth_view(struct worker *w, bool stencil, unsigned layer,
                              unsigned sample);
/* The worker has changed tiles. */
void depth_forget_views(struct worker *w);
bool depth_compare(unsigned func, double a, double b); /* a OP b */
uint8_t depth_stencil_op(unsigned op, uint8_t value, uint8_t ref);

/* Late tests: all that can drop a sample after the shader and before its colour
 * is stored. Updates the group's coverage; each lane is tested once. */
void late_tests(struct ps_group *group, const struct rt_colors *rt);

#endif
