/* perf.h: features that SOFTLAKE_PERF=no_... switches off, to measure their
 * gain or cost. Without a fast path the image is the same; without a stage it
 * is not. Any thread. */
#ifndef BASE_PERF_H
#define BASE_PERF_H

#include <stdbool.h>

enum perf_way {
    PERF_RECTS, /* no_rects: rectangles without threads, rect_blit.c */
    /* no_rect_buffers: rectangles from and to buffers without threads */
    PERF_RECT_BUFFERS,
    PERF_MERGE,   /* no_merge: draws without commands between as one */
    PERF_WAIT,    /* no_wait: deferring of pixels to later draws */
    PERF_HIDDEN,  /* no_hidden: opaque culling */
    PERF_CLEARED, /* no_cleared: skipping of clears that change nothing */
    PERF_RASTER,  /* no_raster: rasterisation, by empty clip rectangles */
    PERF_FS,      /* no_fs: pixel shader threads */
    PERF_DEPTH,   /* no_depth: depth and stencil buffers */
    PERF_BLEND,   /* no_blend: blending and logic operations */
    PERF_TEX,     /* no_tex: sampling; it returns white, `ld` still reads */
    /* Rows of shade_path.c; without one, the next that fits is used. */
    PERF_BLOCK_LIST,  /* no_block_list: all blocks of a primitive at once */
    PERF_SAMPLE_LIST, /* no_sample_list: block lists with multisampling */
    PERF_DEPTH_ONLY,  /* no_depth_only: tests and counts without a shader */
    PERF_BLOCK,       /* no_block: whole blocks in batches */
    PERF_COVERED,     /* no_covered: whole blocks with multisampling */
    PERF_MULTI_PRIM,  /* no_multi_prim: blocks that mix primitives */
    PERF_UNIFORM,     /* no_uniform: one thread for a whole primitive */
    PERF_CHAIN,       /* no_chain: chained threads */
    PERF_RT_BATCH,    /* no_rt_batch: one store for the colours of a batch */
    PERF_MCS_BLOCKS,  /* no_mcs_blocks: equal MCS entries for 4x4 blocks */
    /* Kernels of the sampler; without one, the next that fits is used, see
     * kernel_select.c. */
    PERF_TEX_GRID,      /* no_tex_grid: blocks that sample a grid */
    PERF_TEX_DWORDS,    /* no_tex_dwords: footprints of depths and floats */
    PERF_TEX_BC1,       /* no_tex_bc1: BC1 by palettes in registers */
    PERF_TEX_BC1_SRGB,  /* no_tex_bc1_srgb: BC1 in sRGB by palettes */
    PERF_TEX_BC3,       /* no_tex_bc3 */
    PERF_TEX_ETC,       /* no_tex_etc */
    PERF_TEX_FOOTPRINT, /* no_tex_footprint: all other footprints */
    PERF_TEX_LANES,     /* no_tex_lanes: all kernels; the reference answers */
    /* Rows of blits, engine/blt/blt.c; without one, pixel by pixel. */
    PERF_BLT_FILL, /* no_blt_fill: one colour */
    PERF_BLT_COPY, /* no_blt_copy: plain copies */
    /* Rows of typed messages, typed_lanes.c; without one, lane by lane. */
    PERF_TYPED_LANES, /* no_typed_lanes: eight lanes at once */
    PERF_TYPED_LINES, /* no_typed_lines: blocks of Y tiles without gathers */
    /* Rows of group_path.c; without one, any group. */
    PERF_GROUP_SERIES, /* no_group_series: threads of many groups in series */
    PERF_WAYS
};

bool perf_leaves_out(enum perf_way way);
/* Whether a word of n bytes is a switch. */
bool perf_is_way(const char *word, unsigned n);

#endif
