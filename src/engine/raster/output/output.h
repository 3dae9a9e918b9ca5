/* output/output.h: the output merger: conversion of colours, blending, masks,
 * stores to render targets, and the MCS of multisampled targets. Called by bin,
 * blit, shade and messages. Any worker, within its own tile; mcs_clear_layer():
 * the streamer thread. */
#ifndef ENGINE_RASTER_OUTPUT_OUTPUT_H
#define ENGINE_RASTER_OUTPUT_OUTPUT_H

#include "base/fpmode.h"
#include "engine/raster/worker.h"
#include "sampler/surface/aux_codes.h"

/* General path: blends and stores the colours of live lanes, which must have
 * had late_tests(). bti: the target's binding table entry; entry: blend entry.
 */
void target_write(struct ps_group *group, const struct rt_colors *rt,
                  unsigned bti, unsigned entry);
/* Fast path of late_tests() and target_write(): sixteen lanes from `base` on
 * that send nothing but colours; c[channel] points at 16 values. False with
 * nothing done if the lanes need late_tests() and target_write(). */
bool target_write_colors(struct ps_group *group, const uint32_t *const c[4],
                         unsigned base, uint32_t mask, unsigned bti,
                         unsigned entry);
/* The target for target_write_colors(), or NULL if it needs target_write(). */
struct target *target_for_colors(struct worker *w, unsigned bti, int layer,
                                 unsigned entry);
/* Finds the planes of the batch's blocks: batch.planes and batch.plane[]. */
void target_place_batch(struct worker *w, struct target *t);
/* Whether the views of all samples are laid out in blocks within the tile. */
bool target_has_blocks(struct worker *w, struct target *t);
/* The target of a draw that captures render target writes, if it is
 * multisampled and laid out in blocks; else NULL. */
const struct target *target_of_planes(struct worker *w, int layer);
/* Prefetches the block at (x, y) of the tile for writing, all samples. */
static inline void
target_fetch(const struct target *t, uint32_t x, uint32_t y)
{
    for (unsigned s = 0; s < t->samples; s++) {
        const struct view *v = &t->view[s];
        __builtin_prefetch(v->mem + v->x_B[x] + v->y_B[y], 1);
    }
}
/* Writes colours to blocks first .. end - 1 of the batch. color: of block
 * `first`; each further block's are step_dw further, or the same with 0. All
 * samples of a pixel get its colour. */
void target_write_batch(struct worker *w, struct target *t,
                        uint32_t (*color)[16], unsigned step_dw, unsigned first,
                        unsigned end);
/* Writes one block's colours to all blocks of a list that lie in the surface.
 * First asks target_takes_list() whether the target has one sample, in blocks.
 */
bool target_takes_list(struct worker *w, struct target *t);
void target_write_list(struct worker *w, struct target *t,
                       uint32_t (*color)[16], struct block_list_run *l);
/* Reads the target back: out[channel][lane]. */
void target_read(struct ps_group *group, unsigned bti, unsigned base,
                 unsigned count, uint32_t out[4][16]);
/* The target of a binding table entry, set to a layer; NULL if nothing can be
 * drawn there. */
struct target *target_get(struct worker *w, unsigned bti, int layer);
/* The view of one sample, made on first use in a tile. */
struct view *target_view(struct worker *w, struct target *t, unsigned sample);
/* The worker has changed tiles. */
void target_forget_views(struct worker *w);
/* New flush. Since the last one, blocks may have become clear, and other
 * workers may have written to the tile: marks clear blocks as yet to be ended,
 * and forgets what is known about the MCS. */
void target_begin_flush(struct worker *w);
/* Selects a blend entry: masks and kernels of the target. */
void target_use_entry(struct target *t, const struct blend_state *b,
                      unsigned entry);

/* KBL PRM vol 2d, BLEND_STATE_ENTRY. */
void blend_state_init(struct blend_state *b, const struct draw *draw,
                      unsigned entry);
/* Blending flushes denormals, as D3D10 wants of arithmetic in single precision.
 * Most kernels do too, so that the mode rarely has to change. */
#define BLEND_FP_MODE (FPMODE_DEFAULT | FPMODE_FLUSH)
/* Colours to blend, structure of arrays. blend_run() clamps src, src1 and
 * constant in place. */
struct blend_lanes {
    alignas(64) float src[4][16], src1[4][16], dst[4][16];
    float constant[4];
};
void blend_range_init(struct blend_range *r, const struct blend_state *b,
                      const struct format_info *fmt);
/* The constant colour, clamped as factors use it. */
void blend_constant(const struct blend_state *b,
                    const struct blend_range *range, float constant[4]);
/* Blends sixteen lanes, in BLEND_FP_MODE. */
void blend_run(const struct blend_state *b, const struct blend_range *range,
               struct blend_lanes *in, float out[4][16]);
/* A logic operation on the bits of elements. */
uint32_t blend_logic_op(unsigned func, uint32_t src, uint32_t dst);

/* ---- mcs.c, mcs_block.c ---- */

/* Bytes of one MCS entry; 0: no MCS for this sample count. */
unsigned mcs_entry_B(unsigned samples);
/* The entry that maps each sample to its own plane; 0: no MCS. */
uint64_t mcs_identity(unsigned samples);
/* Whether what a write stores depends on what the target holds. */
static inline bool
target_reads(const struct target *t)
{
    return t->rt.reads || t->blend.logic_op;
}
/* Prepares a write to a pixel of a compressed target, whose colour goes to the
 * planes of all samples that it covers; partial: not all. Default float mode.
 */
void mcs_prepare_pixel(struct worker *w, struct target *t, int32_t x, int32_t y,
                       bool partial);
/* A write to a 4x4 block. */
struct mcs_write {
    uint16_t mask;    /* lanes to write */
    uint16_t partial; /* of them, lanes that cover some but not all samples */
    bool reads;       /* target_reads() */
    bool unsure;      /* a lane of the mask may not be written after all */
    bool copied;      /* out: colours of plane 0 have been copied */
};
/* The write of a batch's block. mask: lanes to write. */
static inline struct mcs_write
mcs_write_of(const struct worker *w, const struct target *t, unsigned n,
             uint16_t mask)
{
    const uint16_t *sample = w->batch.sample[n];
    unsigned full = mask;
    for (unsigned s = 0; w->batch.block[n].partial_ms && s < t->samples; s++)
        full &= sample[s];
    return (struct mcs_write){.mask = mask,
                              .partial = (uint16_t)(mask & ~full),
                              .reads = target_reads(t)};
}
/* mcs_prepare_pixel() for the lanes of the 4x4 block at (x, y), which must lie
 * in the surface. Returns the number of planes to write: one or all. 0 with
 * nothing done: unsure, or each pixel must be prepared alone. */
unsigned mcs_prepare_block(struct worker *w, struct target *t, uint32_t x,
                           uint32_t y, struct mcs_write *wr);
/* Scans the tile's entries once, into mcs_first and mcs_all, if that costs no
 * more than a few blocks one by one. */
void mcs_scan_tile(struct worker *w, struct target *t);
/* The block's bit number in mcs_first and mcs_all. */
static inline unsigned
mcs_block(const struct worker *w, int32_t x, int32_t y)
{
    return (unsigned)(y - w->tile_y) / 4 * (TILE_PX / 4) +
           (unsigned)(x - w->tile_x) / 4;
}
/* Whether mcs_prepare_block() moves no colours, whatever the entries are. */
static inline bool
mcs_has_all_planes(const struct target *t, unsigned block)
{
    return t->mcs_all[block / 64] >> block % 64 & 1;
}
/* What mcs_prepare_block() would return, if no entry changes and that is known
 * without a look at them; else 0. */
static inline unsigned
mcs_known_planes(const struct target *t, unsigned block,
                 const struct mcs_write *wr)
{
    if (!wr->partial && (t->mcs_first[block / 64] >> block % 64 & 1))
        return 1;
    bool whole = wr->mask == 0xffff && !wr->partial && !wr->reads;
    bool all = t->rounds_mcs && mcs_has_all_planes(t, block);
    return all && (!whole || wr->unsure) ? t->samples : 0;
}
/* Sets all entries of a layer to "clear". */
void mcs_clear_layer(const struct surface *s, unsigned level, unsigned slice);

#endif
