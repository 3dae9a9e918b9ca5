/* perf.h: fast ways that SOFTLAKE_PERF=no_... leaves out, so that what they
 * gain can be measured and what they draw be compared. Any thread. */
#ifndef BASE_PERF_H
#define BASE_PERF_H

#include <stdbool.h>

enum perf_way {
    PERF_RECTS, /* no_rects: rectangles without threads, raster/rects.c */
    PERF_WAYS
};

bool perf_leaves_out(enum perf_way way);
/* Whether a word of SOFTLAKE_PERF, n bytes, is one of these. */
bool perf_is_way(const char *word, unsigned n);

#endif
