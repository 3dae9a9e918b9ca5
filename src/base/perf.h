/* perf.h: what SOFTLAKE_PERF=no_... leaves out, to measure what it costs or
 * gains: fast ways, which draws the same, and stages, which does not. Any
 * thread. */
#ifndef BASE_PERF_H
#define BASE_PERF_H

#include <stdbool.h>

enum perf_way {
    PERF_RECTS,   /* no_rects: rectangles without threads, raster/rects.c */
    PERF_WAIT,    /* no_wait: each draw ends before the next one begins */
    PERF_HIDDEN,  /* no_hidden: what later primitives hide is shaded too */
    PERF_CLEARED, /* no_cleared: clears write what holds their value, too */
    PERF_RASTER,  /* no_raster: nothing is inside of the clip rectangle */
    PERF_FS,      /* no_fs: no pixel shader threads */
    PERF_DEPTH,   /* no_depth: neither depth nor stencil buffer */
    PERF_BLEND,   /* no_blend: blending and logic operations are off */
    PERF_TEX,     /* no_tex: sampled textures are white; fetches go on */
    PERF_WAYS
};

bool perf_leaves_out(enum perf_way way);
/* Whether a word of SOFTLAKE_PERF, n bytes, is one of these. */
bool perf_is_way(const char *word, unsigned n);

#endif
