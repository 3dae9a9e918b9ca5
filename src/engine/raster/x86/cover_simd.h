/* cover_simd.h: coverage of a tile in vectors of 16 values of 32 bits: the
 * body of cover_avx2.c and cover_avx512.c, which bring sign_bits(). */
#include "engine/raster/cover.h"

typedef int32_t i32x16 __attribute__((vector_size(64)));

/* Bit i: value i is negative. */
static inline unsigned sign_bits(const i32x16 *v);

#define EDGES COVER_EDGE_COUNT

struct narrow {
    const struct cover_job *job;
    int32_t a[EDGES], b[EDGES];
    int32_t lo[EDGES], hi[EDGES];     /* least and greatest of c */
    int32_t down[EDGES], up[EDGES];   /* change per pixel along the diagonal */
    i32x16 grid[EDGES], quads[EDGES]; /* a * x + b * y of 16 places */
};

static const i32x16 grid_x = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
static const i32x16 grid_y = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
static const i32x16 quad_x = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
static const i32x16 quad_y = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};

static inline void
narrow_init(struct narrow *n, const struct cover_job *job)
{
    n->job = job;
    for (unsigned e = 0; e < job->edges; e++) {
        int32_t a = (int32_t)job->a[e], b = (int32_t)job->b[e];
        int64_t lo = job->c[e][0], hi = lo;
        for (unsigned i = 1; i < job->samples; i++) {
            lo = MIN2(lo, job->c[e][i]);
            hi = MAX2(hi, job->c[e][i]);
        }
        n->a[e] = a;
        n->b[e] = b;
        n->lo[e] = (int32_t)lo;
        n->hi[e] = (int32_t)hi;
        n->down[e] = MIN2(a, 0) + MIN2(b, 0);
        n->up[e] = MAX2(a, 0) + MAX2(b, 0);
        n->grid[e] = grid_x * a + grid_y * b;
        n->quads[e] = quad_x * a + quad_y * b;
    }
}

/* Squares of 1 << shift pixels, 4x4 of them from (x, y) on: returns those
 * that no edge leaves out; bit i of cut[e]: edge e cuts square i. Edges that
 * are no bit of `edges` have all of it inside. */
static inline unsigned
classify(const struct narrow *n, unsigned edges, unsigned x, unsigned y,
         unsigned shift, unsigned cut[EDGES])
{
    unsigned out = 0;
    int32_t last = (1 << shift) - 1;
    for (; edges; edges &= edges - 1) {
        unsigned e = (unsigned)__builtin_ctz(edges);
        int32_t at = n->a[e] * (int32_t)x + n->b[e] * (int32_t)y;
        i32x16 v = n->grid[e] << (int32_t)shift;
        i32x16 hi = v + (at + n->hi[e] + last * n->up[e]);
        i32x16 lo = v + (at + n->lo[e] + last * n->down[e]);
        out |= sign_bits(&hi);
        cut[e] = sign_bits(&lo);
    }
    return ~out & 0xffff;
}

/* Of `edges`, those that cut square i. */
static inline unsigned
cutting(const unsigned cut[EDGES], unsigned edges, unsigned i)
{
    unsigned m = 0;
    for (unsigned left = edges; left; left &= left - 1) {
        unsigned e = (unsigned)__builtin_ctz(left);
        m |= (cut[e] >> i & 1) << e;
    }
    return m;
}

static inline unsigned
block_mask(const struct narrow *n, unsigned edges, unsigned x, unsigned y,
           unsigned sample)
{
    unsigned out = 0;
    for (; edges; edges &= edges - 1) {
        unsigned e = (unsigned)__builtin_ctz(edges);
        int32_t at = n->a[e] * (int32_t)x + n->b[e] * (int32_t)y +
                     (int32_t)n->job->c[e][sample];
        i32x16 v = n->quads[e] + at;
        out |= sign_bits(&v);
    }
    return ~out & 0xffff;
}

static inline void
add_block(const struct narrow *n, struct cover_list *list, unsigned edges,
          unsigned x, unsigned y)
{
    unsigned box = cover_box_mask(n->job, x, y), any = box;
    if (edges || n->job->samples > 1) {
        any = 0;
        for (unsigned i = 0; i < n->job->samples; i++) {
            unsigned m = box & block_mask(n, edges, x, y, i);
            list->sample[list->count][i] = (uint16_t)m;
            any |= m;
        }
    }
    list->block[list->count] = (struct cover_block){(uint8_t)x, (uint8_t)y,
                                                    (uint16_t)any};
    list->count += any != 0;
}

/* All blocks of a 16x16 square, whole. */
static inline void
add_square(const struct narrow *n, struct cover_list *list, unsigned x,
           unsigned y)
{
    const i32x16 first = (i32x16)((grid_x | grid_y << 8) * 4);
    i32x16 v = first + (int32_t)(0xffff0000 | y << 8 | x);
    memcpy(&list->block[list->count], &v, sizeof v);
    if (n->job->samples > 1)
        memset(list->sample[list->count], 0xff, 16 * sizeof list->sample[0]);
    list->count += 16;
}

/* Bit i of the result: square i of a 4x4 grid holds a column and a row; their
 * bits lie `step` apart. */
static inline unsigned
box_squares(uint64_t columns, uint64_t rows, unsigned step)
{
    const uint64_t part = (UINT64_C(1) << step) - 1;
    unsigned m = 0;
    for (unsigned i = 0; i < 4; i++) {
        m |= (unsigned)((columns >> (i * step) & part) != 0) * 0x1111 << i;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (!(rows >> (i * step) & part))
            m &= ~(0xfu << (4 * i));
    }
    return m;
}

static inline void
add_blocks(const struct narrow *n, struct cover_list *list, unsigned edges,
           unsigned x, unsigned y)
{
    unsigned columns = n->job->columns >> x & 0xffff;
    unsigned rows = n->job->rows >> y & 0xffff;
    unsigned cut[EDGES];
    if (!edges && columns == 0xffff && rows == 0xffff) {
        add_square(n, list, x, y);
        return;
    }
    unsigned live = box_squares(columns, rows, 4);
    live &= classify(n, edges, x, y, 2, cut);
    for (; live; live &= live - 1) {
        unsigned i = (unsigned)__builtin_ctz(live);
        add_block(n, list, cutting(cut, edges, i), x + (i & 3) * 4,
                  y + (i >> 2) * 4);
    }
}

static inline void
find(const struct cover_job *job, struct cover_list *list)
{
    struct narrow n;
    unsigned cut[EDGES], edges = (1u << job->edges) - 1;
    narrow_init(&n, job);
    list->count = 0;
    unsigned live = box_squares(job->columns, job->rows, 16);
    /* One square alone is looked at block by block at once. */
    bool alone = !(live & (live - 1));
    if (!alone)
        live &= classify(&n, edges, 0, 0, 4, cut);
    for (; live; live &= live - 1) {
        unsigned i = (unsigned)__builtin_ctz(live);
        add_blocks(&n, list, alone ? edges : cutting(cut, edges, i),
                   (i & 3) * 16, (i >> 2) * 16);
    }
}
