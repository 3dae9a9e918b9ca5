/* coverage_simd.h: coverage of a tile, 16 values of 32 bits at a time: the body
 * of coverage_avx2.c and coverage_avx512.c, which define the type `sixteen` and
 * the functions declared here. No vector may be wider than a register:
 * compilers pass wider ones through memory in pieces. */
#include "engine/raster/coverage/coverage.h"

#define EDGES COVER_EDGE_COUNT
/* Fewer edges are padded with edges that have everything inside: loops of
 * constant length are unrolled. */
#define FEW_EDGES 3
#define COVER_INLINE static inline __attribute__((always_inline))

COVER_INLINE sixteen sixteen_all(int32_t v);
COVER_INLINE sixteen sixteen_from(const int32_t v[16]);
COVER_INLINE void sixteen_put(int32_t to[16], sixteen v);
/* Whole-vector copies: some compilers copy the struct through memory. */
COVER_INLINE sixteen sixteen_load(const sixteen *v);
COVER_INLINE void sixteen_store(sixteen *to, sixteen v);
COVER_INLINE sixteen sixteen_add(sixteen a, int32_t b);
COVER_INLINE sixteen sixteen_sum(sixteen a, sixteen b);
COVER_INLINE sixteen sixteen_multiply(sixteen a, int32_t b);
COVER_INLINE sixteen sixteen_shift(sixteen a, int32_t left);
COVER_INLINE sixteen sixteen_or(sixteen a, sixteen b);
/* Bit i: value i is negative. */
COVER_INLINE unsigned sixteen_signs(sixteen v);

/* Order of a small primitive's blocks, 4 * row + column. Blocks are in order of
 * their 16x16 squares, row by row within each. Index i: 4 - i % 4 columns and 4
 * - i / 4 rows of blocks lie in the first square. */
static const uint8_t small_order[16][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15},
    {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15},
    {0, 4, 8, 12, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 2, 4, 5, 6, 8, 9, 10, 3, 7, 11, 12, 13, 14, 15},
    {0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11, 12, 13, 14, 15},
    {0, 4, 8, 1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 2, 4, 5, 6, 3, 7, 8, 9, 10, 12, 13, 14, 11, 15},
    {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15},
    {0, 4, 1, 2, 3, 5, 6, 7, 8, 12, 9, 10, 11, 13, 14, 15},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14, 7, 11, 15},
    {0, 1, 2, 3, 4, 5, 8, 9, 12, 13, 6, 7, 10, 11, 14, 15},
    {0, 1, 2, 3, 4, 8, 12, 5, 6, 7, 9, 10, 11, 13, 14, 15},
};

struct narrow {
    const struct cover_job *job;
    unsigned samples;
    int32_t a[EDGES], b[EDGES];
    int32_t hi[EDGES], lo[EDGES];   /* greatest and least of c */
    int32_t up[EDGES], down[EDGES]; /* change per pixel along the diagonal */
    sixteen grid[EDGES];            /* a * x + b * y of 4x4 places */
    sixteen blocks[EDGES];          /* of 4x4 blocks */
    /* a * x + b * y of a block's pixels, plus a sample's c. */
    sixteen quads[EDGES][COVER_SAMPLES];
};

/* Coordinates of a 4x4 grid in row order, and of a block's pixels in lane
 * order. */
struct places {
    alignas(64) int32_t x[16], y[16];
};
static const struct places grid = {
    {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
    {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3},
};
static const struct places pixels = {
    {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3},
    {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3},
};

COVER_INLINE sixteen
plane_at(const struct places *p, int32_t a, int32_t b)
{
    return sixteen_sum(sixteen_multiply(sixteen_from(p->x), a),
                       sixteen_multiply(sixteen_from(p->y), b));
}

COVER_INLINE void
narrow_edge(struct narrow *n, unsigned e)
{
    const struct cover_job *job = n->job;
    int32_t a = 0, b = 0, hi = 0, lo = 0;
    sixteen quads = sixteen_all(0);
    if (e < job->edges) {
        a = (int32_t)job->a[e];
        b = (int32_t)job->b[e];
        hi = lo = (int32_t)job->c[e][0];
        quads = plane_at(&pixels, a, b);
    }
    sixteen_store(&n->quads[e][0], sixteen_add(quads, hi));
    for (unsigned i = 1; i < n->samples; i++) {
        int32_t c = e < job->edges ? (int32_t)job->c[e][i] : 0;
        hi = MAX2(hi, c);
        lo = MIN2(lo, c);
        sixteen_store(&n->quads[e][i], sixteen_add(quads, c));
    }
    n->a[e] = a;
    n->b[e] = b;
    n->hi[e] = hi;
    n->lo[e] = lo;
    n->up[e] = MAX2(a, 0) + MAX2(b, 0);
    n->down[e] = MIN2(a, 0) + MIN2(b, 0);
    sixteen places = plane_at(&grid, a, b);
    sixteen_store(&n->grid[e], places);
    sixteen_store(&n->blocks[e], sixteen_shift(places, 2));
}

/* Values of edge e at a grid's places, 1 << shift pixels apart, plus c. */
COVER_INLINE sixteen
grid_at(const struct narrow *n, unsigned e, int32_t shift, int32_t c)
{
    return sixteen_add(sixteen_shift(sixteen_load(&n->grid[e]), shift), c);
}

/* Squares that no edge excludes, of a 4x4 grid of squares with sides of 1 <<
 * shift pixels. at[e]: edge e at the first square's corner, without c. */
COVER_INLINE unsigned
live_squares(const struct narrow *n, unsigned edges, const int32_t at[EDGES],
             int32_t shift)
{
    int32_t last = (1 << shift) - 1;
    sixteen v = sixteen_all(0);
    for (unsigned e = 0; e < edges; e++)
        v = sixteen_or(
            v, grid_at(n, e, shift, at[e] + n->hi[e] + last * n->up[e]));
    return ~sixteen_signs(v) & 0xffff;
}

/* Likewise the squares that lie inside of all edges. */
COVER_INLINE unsigned
whole_squares(const struct narrow *n, unsigned edges, const int32_t at[EDGES],
              int32_t shift)
{
    int32_t last = (1 << shift) - 1;
    sixteen v = sixteen_all(0);
    for (unsigned e = 0; e < edges; e++)
        v = sixteen_or(
            v, grid_at(n, e, shift, at[e] + n->lo[e] + last * n->down[e]));
    return ~sixteen_signs(v) & 0xffff;
}

static inline void
find_corner(const struct narrow *n, unsigned edges, unsigned x, unsigned y,
            int32_t at[EDGES])
{
    for (unsigned e = 0; e < edges; e++)
        at[e] = n->a[e] * (int32_t)x + n->b[e] * (int32_t)y;
}

/* Appends a block; an empty one is overwritten by the next. */
static inline void
put_block(struct cover_list *list, unsigned x, unsigned y, unsigned mask)
{
    uint32_t block = x | y << 8 | mask << 16;
    memcpy(&list->block[list->count], &block, sizeof block);
    list->count += mask != 0;
}

/* The pixels of a block whose sample is outside. at[e]: edge e at each block's
 * corner, without c. */
COVER_INLINE unsigned
outside(const struct narrow *n, unsigned edges, int32_t (*at)[16],
        unsigned block, unsigned sample)
{
    sixteen v = sixteen_all(0);
    for (unsigned e = 0; e < edges; e++)
        v = sixteen_or(
            v, sixteen_add(sixteen_load(&n->quads[e][sample]), at[e][block]));
    return sixteen_signs(v);
}

/* Stores the masks of all samples of a block; returns pixels with any sample.
 */
COVER_INLINE unsigned
put_samples(const struct narrow *n, unsigned edges, int32_t (*at)[16],
            unsigned block, unsigned box, uint16_t *out)
{
    unsigned any = 0;
    for (unsigned i = 0; i < n->samples; i++) {
        unsigned m = box & ~outside(n, edges, at, block, i);
        out[i] = (uint16_t)m;
        any |= m;
    }
    return any;
}

/* put_blocks() for four samples per pixel. Stores the four masks together, as
 * they will be loaded. */
COVER_INLINE void
put_fours(const struct narrow *n, struct cover_list *list, unsigned edges,
          int32_t (*at)[16], unsigned x, unsigned y, unsigned live, bool boxed)
{
    const uint64_t repeat = UINT64_C(0x0001000100010001);
    unsigned count = list->count;
    for (; live; live &= live - 1) {
        unsigned i = (unsigned)__builtin_ctz(live);
        unsigned bx = x + (i & 3) * 4, by = y + (i >> 2) * 4;
        uint64_t m = 0;
        for (unsigned s = 0; s < 4; s++)
            m |= (uint64_t)outside(n, edges, at, i, s) << 16 * s;
        m = ~m;
        if (boxed)
            m &= cover_box_mask(n->job, bx, by) * repeat;
        memcpy(list->sample[count], &m, sizeof m);
        unsigned any = (unsigned)m | (unsigned)(m >> 32);
        any = (any | any >> 16) & 0xffff;
        uint32_t block = bx | by << 8 | any << 16;
        memcpy(&list->block[count], &block, sizeof block);
        count += any != 0;
    }
    list->count = count;
}

/* Appends all blocks of a 16x16 square, completely covered. */
static inline void
add_square(const struct narrow *n, struct cover_list *list, unsigned x,
           unsigned y)
{
    static const alignas(64) int32_t places[16] = {
        0x000, 0x004, 0x008, 0x00c, 0x400, 0x404, 0x408, 0x40c,
        0x800, 0x804, 0x808, 0x80c, 0xc00, 0xc04, 0xc08, 0xc0c};
    const int32_t first = (int32_t)(0xffff0000 | y << 8 | x);
    alignas(64) int32_t blocks[16];
    sixteen_put(blocks, sixteen_add(sixteen_from(places), first));
    memcpy(&list->block[list->count], blocks, sizeof blocks);
    if (n->samples > 1)
        memset(list->sample[list->count], 0xff, 16 * sizeof list->sample[0]);
    list->count += 16;
}

/* Bit i of the result: the box has a column and a row in square i of a 4x4
 * grid. A multiplication without carries gathers the bits of four groups. */
static inline unsigned
box_squares(uint64_t columns, uint64_t rows)
{
    const uint64_t low = UINT64_C(0x7fff7fff7fff7fff);
    const uint64_t gather = UINT64_C(1) << 48 | UINT64_C(1) << 33 | 1u << 18 |
                            1u << 3;
    uint64_t c = (((columns & low) + low) | columns) >> 15 & ~low >> 15;
    uint64_t r = (((rows & low) + low) | rows) >> 15 & ~low >> 15;
    unsigned row = (unsigned)(r * gather >> 48) & 15;
    row = (row & 1) | (row & 2) << 3 | (row & 4) << 6 | (row & 8) << 9;
    return ((unsigned)(c * gather >> 48) & 15) * 0x1111 & row * 15;
}

/* box_squares() for the blocks of a square. */
static inline unsigned
box_blocks(unsigned columns, unsigned rows)
{
    unsigned c = columns | columns >> 1, r = rows | rows >> 1;
    c = (c | c >> 2) & 0x1111;
    r = (r | r >> 2) & 0x1111;
    return ((c * 0x1248 >> 12) & 15) * 0x1111 & r * 15;
}

/* Whether a block of a square lies only partly in these columns or rows. */
static inline bool
cuts_blocks(unsigned bits)
{
    return (bits ^ bits >> 1) & 0x7777;
}

/* Appends blocks of a square at (x, y), one sample per pixel. boxed: some lie
 * partly outside of the box. */
COVER_INLINE void
put_blocks(const struct narrow *n, struct cover_list *list, unsigned edges,
           int32_t (*at)[16], unsigned x, unsigned y, unsigned live, bool boxed)
{
    unsigned count = list->count;
    for (; live; live &= live - 1) {
        unsigned i = (unsigned)__builtin_ctz(live);
        unsigned bx = x + (i & 3) * 4, by = y + (i >> 2) * 4;
        unsigned m = ~outside(n, edges, at, i, 0) & 0xffff;
        if (boxed)
            m &= cover_box_mask(n->job, bx, by);
        uint32_t block = bx | by << 8 | m << 16;
        memcpy(&list->block[count], &block, sizeof block);
        count += m != 0;
    }
    list->count = count;
}

/* Appends the blocks of a 16x16 square that edges or the box cut. */
COVER_INLINE void
add_blocks(const struct narrow *n, struct cover_list *list, unsigned edges,
           unsigned x, unsigned y)
{
    unsigned columns = (unsigned)(n->job->columns >> x & 0xffff);
    unsigned rows = (unsigned)(n->job->rows >> y & 0xffff);
    int32_t corner[EDGES];
    alignas(64) int32_t at[EDGES][16];
    unsigned live = box_blocks(columns, rows), whole = 0;
    sixteen any = sixteen_all(0);
    find_corner(n, edges, x, y, corner);
    if (n->samples > 1 && n->samples != 4)
        whole = whole_squares(n, edges, corner, 2);
    for (unsigned e = 0; e < edges; e++) {
        sixteen v = sixteen_add(sixteen_load(&n->blocks[e]), corner[e]);
        sixteen_put(at[e], v);
        any = sixteen_or(any, sixteen_add(v, n->hi[e] + 3 * n->up[e]));
    }
    live &= ~sixteen_signs(any);
    bool boxed = cuts_blocks(columns) || cuts_blocks(rows);
    if (n->samples == 1) {
        put_blocks(n, list, edges, at, x, y, live, boxed);
        return;
    }
    if (n->samples == 4) {
        put_fours(n, list, edges, at, x, y, live, boxed);
        return;
    }
    for (; live; live &= live - 1) {
        unsigned i = (unsigned)__builtin_ctz(live);
        unsigned bx = x + (i & 3) * 4, by = y + (i >> 2) * 4;
        unsigned m = boxed ? cover_box_mask(n->job, bx, by) : 0xffff;
        uint16_t *sample = list->sample[list->count];
        if (m == 0xffff && whole >> i & 1)
            memset(sample, 0xff, sizeof list->sample[0]);
        else
            m = put_samples(n, edges, at, i, m, sample);
        put_block(list, bx, by, m);
    }
}

COVER_INLINE void
find_squares(const struct narrow *n, struct cover_list *list, unsigned edges)
{
    const struct cover_job *job = n->job;
    unsigned live = box_squares(job->columns, job->rows), whole = 0;
    /* A single square goes directly to the test of its blocks. */
    if (live & (live - 1)) {
        const int32_t corner[EDGES] = {0};
        live &= live_squares(n, edges, corner, 4);
        whole = whole_squares(n, edges, corner, 4);
    }
    for (; live; live &= live - 1) {
        unsigned i = (unsigned)__builtin_ctz(live);
        unsigned x = (i & 3) * 16, y = (i >> 2) * 16;
        if (whole >> i & 1 &&
            (job->columns >> x & job->rows >> y & 0xffff) == 0xffff)
            add_square(n, list, x, y);
        else
            add_blocks(n, list, edges, x, y);
    }
}

/* Inlined, so that the numbers of edges and samples are constants. */
COVER_INLINE void
find_with(const struct cover_job *job, struct cover_list *list, unsigned edges,
          unsigned samples)
{
    struct narrow n;
    n.job = job;
    n.samples = samples;
    for (unsigned e = 0; e < edges; e++)
        narrow_edge(&n, e);
    find_squares(&n, list, edges);
}

static inline void
find(const struct cover_job *job, struct cover_list *list)
{
    if (!job->edges)
        find_with(job, list, 0, job->samples);
    else if (job->edges > FEW_EDGES)
        find_with(job, list, EDGES, job->samples);
    else if (job->samples == 1)
        find_with(job, list, FEW_EDGES, 1);
    else if (job->samples == 4)
        find_with(job, list, FEW_EDGES, 4);
    else
        find_with(job, list, FEW_EDGES, job->samples);
}
