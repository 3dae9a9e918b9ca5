/* coverage.h: which pixels and samples of a tile a primitive covers, as 4x4
 * blocks. coverage_ref.c is the scalar reference and takes any edges. x86/
 * gives the same blocks in vectors, for edges whose values fit into 32 bits.
 * Called by bin. Any worker; cover_find() and cover_small() are pure. */
#ifndef ENGINE_RASTER_COVERAGE_COVERAGE_H
#define ENGINE_RASTER_COVERAGE_COVERAGE_H

#include "engine/raster/block_layout.h"

/* A sample is inside where c + a * x + b * y >= 0 for all edges and the box
 * holds its pixel. x, y: pixels from the tile's corner; box: bit x of columns,
 * bit y of rows. c is per sample; one sample stands for all that have its
 * position. */
struct cover_job {
    unsigned edges, samples;
    int64_t a[COVER_EDGE_COUNT], b[COVER_EDGE_COUNT];
    int64_t c[COVER_EDGE_COUNT][COVER_SAMPLES];
    uint64_t columns, rows;
    bool narrow; /* known: all values within the tile fit into 32 bits */
};

/* Edge rejection: keeps only edges that cut the tile; false if the tile is
 * outside. */
bool cover_reject_edges(struct cover_job *job);

/* Appends covered blocks to the list, which must have room for them. */
typedef void cover_find_fn(const struct cover_job *job,
                           struct cover_list *list);
cover_find_fn cover_find_ref, cover_find_avx2, cover_find_avx512;
/* The fastest for this job on this processor. */
cover_find_fn cover_find;

/* Appends the blocks of a small primitive, whose pixels are known: square[] of
 * struct small. x, y: from the tile's corner to the first block, pixels,
 * multiples of 4; may be negative. */
#define COVER_SMALL_BLOCKS 16
typedef void cover_small_fn(const uint64_t square[4], int32_t x, int32_t y,
                            struct cover_list *list);
cover_small_fn cover_small_ref, cover_small_avx2, cover_small_avx512;
cover_small_fn cover_small;

/* Pixels of the block at (x, y) within the box. */
static inline unsigned
cover_box_mask(const struct cover_job *job, unsigned x, unsigned y)
{
    return cover_pixels(job->columns >> x & 15, job->rows >> y & 15);
}

/* ---- tile_coverage.c, coverage_line.c ---- */

struct setup;
struct worker;

/* Prefetches the setup `ahead` places on and the attributes that follow it: a
 * small primitive is drawn in less time than a fetch from another core or a
 * distant cache takes. */
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

/* Finds the blocks of s in the worker's tile and passes them to tests and
 * shading. */
void cover_setup(struct worker *w, const struct setup *s);
/* Draws several small primitives together, because each step costs more to
 * begin than one of them needs. Takes the first ones with few blocks, if
 * w->multi_prim_batches. Returns how many, 0 if none. */
unsigned cover_multi_prim_setups(struct worker *w, struct setup *const *setup,
                                 unsigned count);
void cover_line(struct worker *w, const struct setup *s);
/* Finds the blocks of s, no line, into w->cover without drawing. Returns the
 * samples per pixel that the list distinguishes; 0 if s covers nothing. */
unsigned cover_blocks(struct worker *w, const struct setup *s);

#endif
