/* perf.c: parses the words no_... of SOFTLAKE_PERF. */
#include "base/perf.h"
#include "base/base.h"

#include <stdatomic.h>
#include <stdlib.h>

static const char *const words[PERF_WAYS] = {
    [PERF_RECTS] = "no_rects",
    [PERF_RECT_BUFFERS] = "no_rect_buffers",
    [PERF_MERGE] = "no_merge",
    [PERF_WAIT] = "no_wait",
    [PERF_HIDDEN] = "no_hidden",
    [PERF_CLEARED] = "no_cleared",
    [PERF_RASTER] = "no_raster",
    [PERF_FS] = "no_fs",
    [PERF_DEPTH] = "no_depth",
    [PERF_BLEND] = "no_blend",
    [PERF_TEX] = "no_tex",
    [PERF_BLOCK_LIST] = "no_block_list",
    [PERF_SAMPLE_LIST] = "no_sample_list",
    [PERF_DEPTH_ONLY] = "no_depth_only",
    [PERF_BLOCK] = "no_block",
    [PERF_COVERED] = "no_covered",
    [PERF_MULTI_PRIM] = "no_multi_prim",
    [PERF_UNIFORM] = "no_uniform",
    [PERF_CHAIN] = "no_chain",
    [PERF_RT_BATCH] = "no_rt_batch",
    [PERF_MCS_BLOCKS] = "no_mcs_blocks",
    [PERF_TEX_GRID] = "no_tex_grid",
    [PERF_TEX_DWORDS] = "no_tex_dwords",
    [PERF_TEX_BC1] = "no_tex_bc1",
    [PERF_TEX_BC1_SRGB] = "no_tex_bc1_srgb",
    [PERF_TEX_BC3] = "no_tex_bc3",
    [PERF_TEX_ETC] = "no_tex_etc",
    [PERF_TEX_FOOTPRINT] = "no_tex_footprint",
    [PERF_TEX_LANES] = "no_tex_lanes",
    [PERF_BLT_FILL] = "no_blt_fill",
    [PERF_BLT_COPY] = "no_blt_copy",
    [PERF_TYPED_LANES] = "no_typed_lanes",
    [PERF_TYPED_LINES] = "no_typed_lines",
    [PERF_GROUP_SERIES] = "no_group_series",
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

#define KNOWN (UINT64_C(1) << 63)
static_assert(PERF_WAYS < 63, "unknown words have a bit, too");

/* Out of line, so that later calls need only a load. */
static __attribute__((noinline, cold)) uint64_t
read_ways(void)
{
    uint64_t ways = KNOWN;
    const char *s = getenv("SOFTLAKE_PERF");
    while (s && *s) {
        unsigned n = (unsigned)strcspn(s, ",");
        ways |= UINT64_C(1) << find(s, n);
        s += n;
        s += *s == ',';
    }
    return ways;
}

/* All threads read the same words, so races are harmless. */
bool
perf_leaves_out(enum perf_way way)
{
    static _Atomic uint64_t known;
    uint64_t ways = atomic_load_explicit(&known, memory_order_relaxed);
    if (!ways) {
        ways = read_ways();
        atomic_store_explicit(&known, ways, memory_order_relaxed);
    }
    return ways >> way & 1;
}
