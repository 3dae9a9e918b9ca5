/* plane.h: what payloads are made with: planes at the pixels of four quads
 * (barycentric weights, depth, w), and copies into the register file.
 * plane.c is the reference; x86/ has the same bit for bit, for planes whose
 * numbers are numbers or the processor's own NaN (see setup_settle()). */
#ifndef ENGINE_RASTER_PLANE_H
#define ENGINE_RASTER_PLANE_H

#include "engine/raster/cover.h"
#include "eu/eu.h"

/* value(x, y) = c + dx * (x - ref_x) + dy * (y - ref_y), pixels; reference
 * points are whole subpixels */
struct plane {
    double c, dx, dy;
};

/* Upper left corners of four quads, from the reference point. */
struct lane_quads {
    double x[4], y[4];
};

#define PLANE_GRF_B EU_GRF_B

/* Registers from one place for each of many threads. */
struct grf_copy {
    const uint8_t *from;
    uint16_t stride_B; /* from a thread's data to the next one's */
    uint8_t grf, count;
};

/* One SIMD16 thread's pixels: a 4x4 block, or up to four quads from anywhere.
 */
struct batch_block {
    int32_t x, y;
    uint16_t lit, full; /* full: for the input coverage mask */
    uint16_t helped;
    bool scattered;
    bool partly; /* some pixels have only some of their samples */
};

/* Blocks of a list that get a thread each if they have anything; no more than
 * fit in `set`. */
struct block_put {
    const struct cover_block *list;
    const uint16_t *lit; /* of each block, or NULL: what is covered */
    unsigned count;      /* in memory that has COVER_ROOM of either */
    int32_t tile_x, tile_y;
    bool covers; /* threads are told what is covered, not what is lit */
    /* Which of them got one, bit i for block i; how many, and their pixels. */
    uint64_t set;
    unsigned blocks, pixels;
};

/* Pixels of 4x4 blocks, from the planes' reference point. */
struct block_places {
    const struct batch_block *block; /* none of them scattered */
    unsigned count;
    double ref_x, ref_y;
};

/* Weights that a thread's registers get as it begins, for blocks none of which
 * is scattered; planes as for weights(). */
struct run_weights {
    const struct plane *b1, *b2, *q;
    double ref_x, ref_y;
    uint8_t grf; /* the first of four */
};

/* Registers from so many bytes behind what a primitive has of its own. */
struct grf_own {
    uint16_t offset_B;
    uint8_t grf, count;
};

/* Registers that threads of a row do not find in it: tails copy the next
 * thread's. The first's are there. */
struct row_copies {
    const struct grf_copy *copy;
    unsigned copies, first; /* the number of row's block */
    const struct eu_row *row;
    uint8_t *grf;
    /* Of rows of several primitives: what row->next points to is that of the
     * thread behind it, or NULL: as before. */
    const struct grf_own *own;
    unsigned owns;
};

/* The number of a row's block. */
static inline unsigned
row_block(const struct row_copies *r, const struct eu_row *row)
{
    return (unsigned)(row - r->row) + r->first;
}

/* The target's part in a tile, at pixel (x, y): mem + x_B[x - tile_x] +
 * y_B[y - tile_y]. It is fetched before it is written: so many lines of 64
 * bytes of each block, step_B apart. */
struct target_places {
    uint8_t *mem;
    const uint64_t *x_B, *y_B;
    int32_t tile_x, tile_y;
    unsigned lines;
    uint32_t step_B;
};

/* Threads one after the other, all arrays with one element for each. */
struct thread_run {
    const struct eu_launch *launch;
    struct eu_thread *thread;
    const struct grf_copy *copy; /* what differs between them */
    unsigned copies;
    const struct run_weights *weights; /* or NULL */
    const struct batch_block *block;
    struct eu_row *row;       /* room for as many */
    uint32_t (*color)[4][16]; /* where their colours go, */
    uint16_t *mask;           /* and which lanes have one */
    /* How they go to the target instead, where that can be; `stored` gets how
     * many of the first threads have done so. */
    struct eu_tail tail;
    unsigned *stored;
    struct row_copies *rest; /* for the tail */
    struct target_places to;
    struct tile_centres *centres; /* any tile's */
};

/* A batch's primitive, and its first block. */
struct batch_prim {
    const struct setup *setup;
    unsigned first;
};

/* Primitives whose threads are in one row: block n of the batch is of
 * prim[of[n]], the last of them once more; linear: weights are as they are, not
 * in perspective. */
struct row_prims {
    const struct batch_prim *prim;
    const uint8_t *of;
    bool linear;
};

#define ROW_COLUMNS (COVER_TILE_PX / 4)
#define ROWS_KEPT 4 /* of blocks, as high as a square of cover_list */
/* How long before it stores a thread's lines are fetched, in threads: as long
 * as a line takes that is not in the processor's own caches. */
#define ROWS_AHEAD 8

/* Private to plane_ops: pixel centres of a tile's columns of blocks, in upper
 * or in lower quads; of a quad in the upper and lower half of rows of blocks.
 * x_px, y_px: of the tile, which begins at a multiple of its size; or -1. */
struct tile_centres {
    int32_t x_px, y_px;
    alignas(64) double x[ROW_COLUMNS][8];
    alignas(64) double y[ROW_COLUMNS][2][4];
};

/* Private to each set of plane_ops: what planes have of a tile's columns, and
 * of four rows of blocks. */
struct row_parts {
    uint8_t kind[2];
    uint8_t rows_y; /* of the rows that row[] is for, pixels */
    alignas(64) double column[3][ROW_COLUMNS][8];
    alignas(64) double row[3][ROWS_KEPT][2][8];
};

/* Blocks of a tile's list on their way to rows of threads that differ in
 * nothing but their weights, or positions, and where their colours go. */
struct row_fill {
    const struct cover_block *block;
    const uint16_t *lit;   /* of each block, or NULL: what is covered */
    uint16_t *rest;        /* of each: what does not get a row */
    unsigned count, next;  /* how many there are, and have been looked at */
    unsigned pixels, left; /* those of the rows; not zero: something is left */
    const struct run_weights *weights; /* or NULL: */
    const uint8_t *begin; /* what rows have behind their positions, and those */
    bool some;            /* not only those that are lit as a whole */
    bool vector_mask;     /* what threads begin with, not what is lit */
    /* Tails fetch the lines of the row ROWS_AHEAD behind theirs: to fetch all
     * of them as rows are filled takes as long as to fill them, and nothing is
     * left to do for memory while threads compute. Rows behind the last have
     * room, and get the places of those that come next. */
    bool tails_fetch;
    struct target_places to;
    struct row_parts *parts;
};

/* What tails of the last rows fetch: lines of the blocks that come next, or of
 * the last one. */
static inline void
row_put_ahead(const struct row_fill *f, struct eu_row *row)
{
    for (unsigned i = 0; i < ROWS_AHEAD; i++) {
        const struct cover_block b = f->block[MIN2(f->next + i, f->count - 1)];
        row[i].caught = f->to.mem + f->to.y_B[b.y] + f->to.x_B[b.x];
    }
}

/* What a thread's header says of its lit lanes. */
static inline uint32_t
plane_lit_dword(uint16_t lit)
{
    return lit * 0x10001u;
}

/* What the header of a block's thread has of where its quads are. */
static inline void
plane_positions(int32_t x, int32_t y, uint16_t lit, uint32_t r[8])
{
    uint32_t at = ((uint32_t)x & 0xffff) | (uint32_t)y << 16;
    r[0] = r[1] = r[6] = 0;
    r[2] = at;
    r[3] = at + 2;
    r[4] = at + (2u << 16);
    r[5] = at + (2u << 16) + 2;
    r[7] = plane_lit_dword(lit);
}

struct plane_ops {
    /* Weights of v1 and v2 at pixel centres, as the payload has them: v1 of
     * lanes 0-7, v2 of lanes 0-7, the same of lanes 8-15. q: both are to be
     * divided by it, or NULL. */
    void (*weights)(const struct plane *b1, const struct plane *b2,
                    const struct plane *q, const struct lane_quads *at,
                    unsigned count, float (*out)[32]);
    /* A plane's value at pixel centres, or one over it. */
    void (*value)(const struct plane *p, bool invert,
                  const struct lane_quads *at, unsigned count,
                  float (*out)[16]);
    /* The same for blocks. */
    void (*block_weights)(const struct plane *b1, const struct plane *b2,
                          const struct plane *q, const struct block_places *at,
                          float (*out)[32]);
    void (*block_value)(const struct plane *p, bool invert,
                        const struct block_places *at, float (*out)[16]);
    /* Thread n's registers. */
    void (*copy)(uint8_t *grf, const struct grf_copy *copy, unsigned count,
                 unsigned n);
    /* Threads first .. end - 1 with one budget; returns the first that has
     * not finished, or end. */
    unsigned (*run)(const struct thread_run *r, unsigned first, unsigned end,
                    int64_t *left);
    /* Their rows, of which the last has no other one behind it, with weights
     * where rows have them. Returns how many pixels are lit; 0 if some thread
     * does not fit in a row. */
    unsigned (*fill)(const struct thread_run *r, unsigned first, unsigned end);
    /* The same for blocks of several primitives, with the attributes of those
     * that begin. */
    unsigned (*fill_joined)(const struct thread_run *r,
                            const struct row_prims *prims, unsigned first,
                            unsigned end);
    /* Before the first of a list; then rows for about as many as there is
     * room, which is for ROWS_KEPT^2 at least, besides ROWS_AHEAD: returns how
     * many, none only at the list's end, of which the last has no other one
     * behind it. */
    void (*begin_rows)(struct row_fill *f);
    unsigned (*fill_rows)(struct row_fill *f, struct eu_row *row,
                          unsigned room);
    /* How many lanes the rows' caught_mask has, of sixteen each. */
    unsigned (*count_caught)(const struct eu_row *row, unsigned rows);
    /* One after the other; there is room for one more than all. */
    void (*put_blocks)(struct block_put *put, struct batch_block *to);
};

/* Pairs in one piece, as compiled code loads them. */
static inline void
row_copy(uint8_t *to, const uint8_t *from, unsigned count)
{
    for (; count > 1; count -= 2, to += 64, from += 64)
        memcpy(to, from, 64);
    if (count)
        memcpy(to, from, PLANE_GRF_B);
}

/* What a primitive's threads find. */
static inline void
row_copy_own(const struct row_copies *r, const uint8_t *from)
{
    for (unsigned i = 0; i < r->owns; i++)
        row_copy(r->grf + r->own[i].grf * PLANE_GRF_B,
                 from + r->own[i].offset_B, r->own[i].count);
}

/* Whether there is anything to do for row_copy_next(). */
static inline bool
row_copies_next(const struct row_copies *r, const struct eu_row *row)
{
    return r->copies || (r->owns && row->next);
}

/* Before the thread behind the row's begins, if there is one. */
static inline void
row_copy_next(const struct row_copies *r, const struct eu_row *row)
{
    unsigned n = row_block(r, row) + 1;
    for (unsigned i = 0; row->more && i < r->copies; i++) {
        const struct grf_copy *c = &r->copy[i];
        row_copy(r->grf + c->grf * PLANE_GRF_B, c->from + n * c->stride_B,
                 c->count);
    }
    if (r->owns && row->next)
        row_copy_own(r, row->next);
}

extern const struct plane_ops plane_ops_ref, plane_ops_avx2, plane_ops_avx512;
const struct plane_ops *plane_ops_selected(void);

/* To its place, where nobody copies the header. */
static inline void
plane_put_lit(const struct eu_launch *l, struct eu_thread *t, uint16_t lit)
{
    uint32_t dword = plane_lit_dword(lit);
    if (l->own_lit)
        memcpy(t->grf + EU_LIT_B, &dword, sizeof dword);
}

/* Two stores, not one for each member. */
static inline void
payload_put_block(struct batch_block *to, int32_t x, int32_t y, uint16_t lit,
                  uint16_t full, bool partly)
{
    static_assert(offsetof(struct batch_block, y) == 4 &&
                      offsetof(struct batch_block, lit) == 8 &&
                      offsetof(struct batch_block, full) == 10 &&
                      offsetof(struct batch_block, helped) == 12 &&
                      offsetof(struct batch_block, partly) == 15 &&
                      sizeof *to == 16,
                  "a block is two qwords");
    const uint64_t helped = 0xffff;
    const uint64_t qw[2] = {(uint32_t)x | (uint64_t)(uint32_t)y << 32,
                            lit | (uint32_t)full << 16 | helped << 32 |
                                (uint64_t)partly << 56};
    memcpy(to, qw, sizeof *to);
}

static inline double
plane_at(const struct plane *p, double x, double y)
{
    return p->c + p->dx * x + p->dy * y;
}

#endif
