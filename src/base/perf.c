/* perf.c: the words no_... of SOFTLAKE_PERF. */
#include "base/perf.h"
#include "base/base.h"

#include <stdlib.h>

static const char *const words[PERF_WAYS] = {
    [PERF_RECTS] = "no_rects", [PERF_RASTER] = "no_raster",
    [PERF_FS] = "no_fs",       [PERF_DEPTH] = "no_depth",
    [PERF_BLEND] = "no_blend", [PERF_TEX] = "no_tex",
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

static unsigned
read_ways(void)
{
    unsigned ways = 0;
    const char *s = getenv("SOFTLAKE_PERF");
    while (s && *s) {
        unsigned n = (unsigned)strcspn(s, ",");
        ways |= 1u << find(s, n);
        s += n;
        s += *s == ',';
    }
    return ways;
}

/* Every thread reads the same environment: which one stores is all the same.
 * The top bit: read. */
bool
perf_leaves_out(enum perf_way way)
{
    static atomic_uint known;
    unsigned ways = atomic_load_explicit(&known, memory_order_relaxed);
    if (!ways) {
        ways = read_ways() | 1u << 31;
        atomic_store_explicit(&known, ways, memory_order_relaxed);
    }
    return ways >> way & 1;
}
