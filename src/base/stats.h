/* stats.h: counters of executed work, printed by --stats. One row per counter:
 * name, help. Any thread: each adds to its own cell without a locked
 * instruction, and readers sum the cells. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdatomic.h>
#include <stdint.h>

#define STATS(X)                                                         \
    X(opens, "device opens")                                             \
    X(ioctls, "ioctls answered")                                         \
    X(submits, "batches executed")                                       \
    X(commands, "commands parsed")                                       \
    X(draws, "draws executed")                                           \
    X(cleared, "tiles that held what they were cleared to")              \
    X(waits, "draws whose pixels waited for those of later ones")        \
    X(dispatches, "compute dispatches executed")                         \
    X(vertices, "vertices fetched")                                      \
    X(prims_in, "primitives assembled")                                  \
    X(prims_raster, "primitives set up after clip and cull")             \
    X(prims_hidden, "primitives of tiles hidden by later ones")          \
    X(tiles, "tiles rasterised")                                         \
    X(threads_vs, "VS threads run")                                      \
    X(threads_hs, "HS threads run")                                      \
    X(threads_ds, "DS threads run")                                      \
    X(threads_gs, "GS threads run")                                      \
    X(threads_ps, "PS threads run")                                      \
    X(threads_cs, "compute threads run")                                 \
    X(groups_series, "thread groups run in series")                      \
    X(groups_any, "thread groups run one by one")                        \
    X(shade_block_list, "primitives of tiles shaded as lists of blocks") \
    X(shade_sample_list,                                                 \
      "primitives of tiles shaded as lists of sampled blocks")           \
    X(shade_depth_only, "primitives of tiles tested without a shader")   \
    X(shade_block, "primitives of tiles shaded block by block")          \
    X(shade_covered, "primitives of tiles shaded by covered blocks")     \
    X(shade_quad, "primitives of tiles shaded quad by quad")             \
    X(shade_multi_prim, "primitives of tiles shaded with others")        \
    X(tex_grid, "sampler plans for grids of texels")                     \
    X(tex_dwords, "sampler plans for footprints of dwords")              \
    X(tex_bc1, "sampler plans for footprints of BC1")                    \
    X(tex_bc1_srgb, "sampler plans for footprints of BC1 in sRGB")       \
    X(tex_bc3, "sampler plans for footprints of BC3")                    \
    X(tex_etc, "sampler plans for footprints of ETC")                    \
    X(tex_footprint, "sampler plans for other footprints")               \
    X(tex_lanes, "sampler plans for any lanes")                          \
    X(tex_reference, "sampler plans left to the reference")              \
    X(blt_fill, "blits that filled rows")                                \
    X(blt_copy, "blits that copied rows")                                \
    X(blt_any, "blits done pixel by pixel")                              \
    X(pixels, "pixels written to colour targets")                        \
    X(rects, "rectangles drawn without threads")                         \
    X(rect_buffers, "of these from or to buffers")                       \
    X(eu_insns, "EU instructions executed")                              \
    X(eu_interpreted, "of these by the interpreter")                     \
    X(messages, "EU messages executed")                                  \
    X(kernels, "EU kernels decoded")                                     \
    X(flips, "frames shown on the virtual display")                      \
    X(unimp, "unimplemented features hit")                               \
    X(guest_errors, "errors made by the client")                         \
    X(resets, "context resets")

enum stat_id {
#define X(name, help) STAT_##name,
    STATS(X)
#undef X
        STAT_COUNT
};

struct stats_cell {
    _Atomic uint64_t counter[STAT_COUNT];
    struct stats_cell *next; /* another thread's */
    atomic_bool owned;       /* by a thread that has not ended */
};

/* The calling thread's cell; NULL until its first stats_add(). */
extern __thread struct stats_cell *stats_mine
    __attribute__((tls_model("initial-exec")));

void stats_add_first(enum stat_id s, uint64_t n);

static inline void
stats_add(enum stat_id s, uint64_t n)
{
    struct stats_cell *cell = stats_mine;
    if (!cell) {
        stats_add_first(s, n);
        return;
    }
    uint64_t old = atomic_load_explicit(&cell->counter[s],
                                        memory_order_relaxed);
    atomic_store_explicit(&cell->counter[s], old + n, memory_order_relaxed);
}

uint64_t stats_get(enum stat_id s);
const char *stats_name(enum stat_id s);
const char *stats_help(enum stat_id s);

#endif
