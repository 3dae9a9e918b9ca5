/* perf.c: the words no_... of SOFTLAKE_PERF. */
#include "base/perf.h"
#include "base/base.h"
#include "base/known.h"

#include <stdlib.h>

static const char *const words[PERF_WAYS] = {
    [PERF_RECTS] = "no_rects",   [PERF_WAIT] = "no_wait",
    [PERF_HIDDEN] = "no_hidden", [PERF_CLEARED] = "no_cleared",
    [PERF_RASTER] = "no_raster", [PERF_FS] = "no_fs",
    [PERF_DEPTH] = "no_depth",   [PERF_BLEND] = "no_blend",
    [PERF_TEX] = "no_tex",
};

static unsigned
find(const char *word, unsigned n)
{
    unsigned way = 0;
    while (way < PERF_WAYS &&
           (strlen(words[way]) != n || strncmp(word, words[way], n) != 0))
        way++;
    return way;
}

bool
perf_is_way(const char *word, unsigned n)
{
    return find(word, n) < PERF_WAYS;
}

static int
read_ways(void)
{
    int ways = 0;
    const char *s = getenv("SOFTLAKE_PERF");
    while (s && *s) {
        unsigned n = (unsigned)strcspn(s, ",");
        ways |= 1 << find(s, n);
        s += n;
        s += *s == ',';
    }
    return ways;
}

bool
perf_leaves_out(enum perf_way way)
{
    static atomic_int known;
    return known_int(&known, read_ways) >> way & 1;
}
