/* interpolate.h: kernels for payloads: planes at the pixels of four quads
 * (barycentric weights, depth, w), copies into the register file, and filling
 * of chains. interpolate.c is the reference; x86/ gives the same bits, for
 * planes whose NaNs are the processor's own (see setup_settle()). Called by
 * shade; any worker, for its own threads. */
#ifndef ENGINE_RASTER_SHADE_INTERPOLATE_H
#define ENGINE_RASTER_SHADE_INTERPOLATE_H

#include "engine/raster/block_layout.h"
#include "engine/raster/chain.h"
#include "engine/raster/plane.h"

/* The pixels of a SIMD16 thread: a 4x4 block, or up to four scattered quads. */
struct batch_block {
    int32_t x, y;
    uint16_t live, input_coverage;
    uint16_t helper;
    bool scattered;
    bool partial_ms; /* some pixels have some but not all samples */
};

/* Compaction of a list: blocks with live pixels get a thread each. At most as
 * many blocks as `set` has bits. */
struct block_put {
    const struct cover_block *list;
    const uint16_t *live; /* per block; NULL: the covered pixels */
    unsigned count;       /* in arrays with COVER_ROOM elements */
    int32_t tile_x, tile_y;
    bool covers; /* input coverage is the covered pixels, not the live ones */
    /* Results: set has bit i if block i got a thread; counts of threads and of
     * live pixels. */
    uint64_t set;
    unsigned blocks, pixels;
};

/* Places of 4x4 blocks relative to the planes' reference point. */
struct block_places {
    const struct batch_block *block; /* none of them scattered */
    unsigned count;
    double ref_x, ref_y;
};

/* The target's memory in a tile: pixel (x, y) lies at
 * mem + x_B[x - tile_x] + y_B[y - tile_y].
 * Prefetch for writing: `lines` cache lines of each block, step_B apart. */
struct target_places {
    uint8_t *mem;
    const uint64_t *x_B, *y_B;
    int32_t tile_x, tile_y;
    unsigned lines;
    uint32_t step_B;
};

/* A run of threads; arrays have one element per thread. */
struct thread_run {
    const struct eu_launch *launch;
    struct eu_thread *thread;
    const struct grf_copy *copy; /* registers that differ between threads */
    unsigned copies;
    const struct run_weights *weights; /* NULL: none */
    const struct batch_block *block;
    struct eu_chain_entry *row; /* room for one entry per thread */
    uint32_t (*color)[4][16];   /* captured colours */
    uint16_t *mask;             /* lanes with a colour */
    /* Epilogue that stores colours to the target instead, if fn is not NULL.
     * *stored: how many of the first threads have done so. */
    struct eu_epilogue tail;
    unsigned *stored;
    struct row_copies *rest; /* for the epilogue */
    struct target_places to;
    struct tile_centres *centres; /* of any tile */
};

/* A batch's primitive, and its first block. */
struct batch_prim {
    const struct setup *setup;
    unsigned first;
};

/* Primitives of one chain: block n of the batch belongs to prim[of[n]]; of[]
 * has one element more, equal to the last. linear: weights without perspective.
 */
struct row_prims {
    const struct batch_prim *prim;
    const uint8_t *of;
    bool linear;
};

#define ROW_COLUMNS (COVER_TILE_PX / 4)
#define ROWS_KEPT 4 /* rows of blocks; the height of a square of cover_list */

/* Private to interpolate_ops: pixel centres of a tile. x: per column of blocks,
 * lanes of two quads side by side; y: per row of blocks and half, lanes of a
 * quad. x_px, y_px: the tile's corner, a multiple of its size; or -1. */
struct tile_centres {
    int32_t x_px, y_px;
    alignas(64) double x[ROW_COLUMNS][8];
    alignas(64) double y[ROW_COLUMNS][2][4];
};

/* Private to each set of interpolate_ops: a plane's shares of the tile's
 * columns, and of four rows of blocks. */
struct row_parts {
    uint8_t kind[2];
    uint8_t rows_y; /* first row in row[], pixels */
    alignas(64) double column[3][ROW_COLUMNS][8];
    alignas(64) double row[3][ROWS_KEPT][2][8];
};

/* Filling of chains from a tile's list of blocks. The threads differ only in
 * weights or positions, live lanes, and the address of their colours. */
struct row_fill {
    const struct cover_block *block;
    const uint16_t *live;  /* per block; NULL: the covered pixels */
    uint16_t *rest;        /* per block: live pixels without an entry */
    unsigned count, next;  /* blocks in all, and handled so far */
    unsigned pixels, left; /* live pixels of entries; not zero if rest[] is */
    const struct run_weights *weights; /* NULL: positions */
    const uint8_t *begin; /* payload without weights; positions are replaced */
    bool some;            /* partial blocks get entries too */
    bool vector_mask; /* threads begin with all lanes, not with the live ones */
    /* Epilogues prefetch the lines of the entry ROWS_AHEAD further. Prefetching
     * all lines while entries are filled takes as long as filling them, and
     * leaves memory idle while threads compute. Entries after the last one have
     * room, and get the addresses of the next blocks. */
    bool tails_fetch;
    struct target_places to;
    struct row_parts *parts;
};

/* Addresses for epilogues of the last entries to prefetch: of the next blocks,
 * or of the last one. */
static inline void
row_put_ahead(const struct row_fill *f, struct eu_chain_entry *row)
{
    for (unsigned i = 0; i < ROWS_AHEAD; i++) {
        const struct cover_block b = f->block[MIN2(f->next + i, f->count - 1)];
        row[i].captured = f->to.mem + f->to.y_B[b.y] + f->to.x_B[b.x];
    }
}

/* The dword of a thread's header that holds the live lanes. */
static inline uint32_t
plane_lit_dword(uint16_t live)
{
    return live * 0x10001u;
}

/* The second header of a block's thread: positions of its quads, and live
 * lanes. */
static inline void
plane_positions(int32_t x, int32_t y, uint16_t live, uint32_t r[8])
{
    uint32_t at = ((uint32_t)x & 0xffff) | (uint32_t)y << 16;
    r[0] = r[1] = r[6] = 0;
    r[2] = at;
    r[3] = at + 2;
    r[4] = at + (2u << 16);
    r[5] = at + (2u << 16) + 2;
    r[7] = plane_lit_dword(live);
}

struct interpolate_ops {
    /* Weights of v1 and v2 at pixel centres, in payload order: v1 of lanes 0-7,
     * v2 of lanes 0-7, the same of lanes 8-15. q: divides both, or NULL. */
    void (*weights)(const struct plane *b1, const struct plane *b2,
                    const struct plane *q, const struct lane_quads *at,
                    unsigned count, float (*out)[32]);
    /* A plane's value at pixel centres, or its reciprocal. */
    void (*value)(const struct plane *p, bool invert,
                  const struct lane_quads *at, unsigned count,
                  float (*out)[16]);
    /* Likewise for blocks. */
    void (*block_weights)(const struct plane *b1, const struct plane *b2,
                          const struct plane *q, const struct block_places *at,
                          float (*out)[32]);
    void (*block_value)(const struct plane *p, bool invert,
                        const struct block_places *at, float (*out)[16]);
    /* Copies the registers of thread n. */
    void (*copy)(uint8_t *grf, const struct grf_copy *copy, unsigned count,
                 unsigned n);
    /* Runs threads first .. end - 1 with one budget. Returns the first that has
     * not finished, or end. */
    unsigned (*run)(const struct thread_run *r, unsigned first, unsigned end,
                    int64_t *left);
    /* Fills chain entries for these threads; the last entry ends the chain.
     * Only for threads with weights. Returns the live pixels; 0 if some thread
     * does not fit a chain. */
    unsigned (*fill)(const struct thread_run *r, unsigned first, unsigned end);
    /* Likewise for blocks of several primitives; an entry before a new
     * primitive points to its attributes. */
    unsigned (*fill_joined)(const struct thread_run *r,
                            const struct row_prims *prims, unsigned first,
                            unsigned end);
    /* begin_rows() prepares a list. fill_rows() fills up to `room` entries,
     * which must be ROWS_KEPT^2 at least; the array has ROWS_AHEAD more.
     * Returns how many, 0 only at the list's end; the last entry ends the
     * chain. */
    void (*begin_rows)(struct row_fill *f);
    unsigned (*fill_rows)(struct row_fill *f, struct eu_chain_entry *row,
                          unsigned room);
    /* Sum of the lanes in the entries' captured_mask, sixteen each. */
    unsigned (*count_caught)(const struct eu_chain_entry *row, unsigned rows);
    /* Compacts blocks to `to`, which has room for one more. */
    void (*put_blocks)(struct block_put *put, struct batch_block *to);
};

extern const struct interpolate_ops interpolate_ops_ref, interpolate_ops_avx2,
    interpolate_ops_avx512;
const struct interpolate_ops *interpolate_ops_selected(void);

/* Stores the live lanes in the register file, if no copy of the header does. */
static inline void
plane_put_lit(const struct eu_launch *l, struct eu_thread *t, uint16_t live)
{
    uint32_t dword = plane_lit_dword(live);
    if (l->chain_sets_mask)
        memcpy(t->grf + EU_LIVE_B, &dword, sizeof dword);
}

/* Two stores instead of one for each member. */
static inline void
payload_put_block(struct batch_block *to, int32_t x, int32_t y, uint16_t live,
                  uint16_t full, bool partial_ms)
{
    static_assert(offsetof(struct batch_block, y) == 4 &&
                      offsetof(struct batch_block, live) == 8 &&
                      offsetof(struct batch_block, input_coverage) == 10 &&
                      offsetof(struct batch_block, helper) == 12 &&
                      offsetof(struct batch_block, partial_ms) == 15 &&
                      sizeof *to == 16,
                  "a block is two qwords");
    const uint64_t helper = 0xffff;
    const uint64_t qw[2] = {(uint32_t)x | (uint64_t)(uint32_t)y << 32,
                            live | (uint32_t)full << 16 | helper << 32 |
                                (uint64_t)partial_ms << 56};
    memcpy(to, qw, sizeof *to);
}

#endif
