/* shapes_simd.h: shapes of LANES triangles at a time: the body of
 * shapes_avx2.c and shapes_avx512.c, which bring vectors of as many values and
 * what is declared here. */
#include "engine/raster/shapes.h"

/* Pairs apart, two in each of the vectors. */
static inline void unzip(ivec *x, ivec *y, const __m128i in[LANES / 2]);
static inline ivec least(ivec a, ivec b);
static inline ivec most(ivec a, ivec b);
/* Bit i: value i is negative. */
static inline uint32_t signs(ivec v);

/* Corner k of two triangles. */
static inline __m128i
two_corners(const struct prim_mesh *mesh, const struct prim_tri *a,
            const struct prim_tri *b, unsigned k)
{
    const __m64 *at[2] = {
        (const __m64 *)(const void *)&prim_corner(mesh, a, k)->x,
        (const __m64 *)(const void *)&prim_corner(mesh, b, k)->x};
    __m128 low = _mm_loadl_pi(_mm_setzero_ps(), at[0]);
    return _mm_castps_si128(_mm_loadh_pi(low, at[1]));
}

/* Lanes without a triangle repeat the last one. From register to register: what
 * is stored in pieces cannot be loaded as a whole without a wait. */
static inline void
load_corners(const struct prim_mesh *mesh, const struct prim_tri *tri,
             unsigned last, ivec x[3], ivec y[3])
{
    for (unsigned k = 0; k < 3; k++) {
        __m128i pair[LANES / 2];
        for (unsigned i = 0; i < LANES; i += 2)
            pair[i / 2] = two_corners(mesh, &tri[MIN2(i, last)],
                                      &tri[MIN2(i + 1, last)], k);
        unzip(&x[k], &y[k], pair);
    }
}

struct boxes {
    ivec x0, y0, x1, y1; /* pixels, clipped */
    ivec side;           /* the larger one of the whole box, subpixels */
};

static inline struct boxes
find_boxes(const struct shape_rules *r, const ivec x[3], const ivec y[3])
{
    const ivec zero = {0};
    ivec x0 = least(x[0], least(x[1], x[2])), x1 = most(x[0], most(x[1], x[2]));
    ivec y0 = least(y[0], least(y[1], y[2])), y1 = most(y[0], most(y[1], y[2]));
    return (struct boxes){
        .x0 = most((x0 + r->up) >> 8, zero + r->x0),
        .y0 = most((y0 + r->up) >> 8, zero + r->y0),
        .x1 = least(((x1 - r->down) >> 8) + 1, zero + r->x1),
        .y1 = least(((y1 - r->down) >> 8) + 1, zero + r->y1),
        .side = most(x1 - x0, y1 - y0),
    };
}

/* Of small ones; others may have any. */
static inline ivec
find_areas(const ivec x[3], const ivec y[3])
{
    uvec dx1 = (uvec)(x[1] - x[0]), dy1 = (uvec)(y[1] - y[0]);
    uvec dx2 = (uvec)(x[2] - x[0]), dy2 = (uvec)(y[2] - y[0]);
    return (ivec)(dx1 * dy2 - dx2 * dy1);
}

/* Those that draw nothing, as far as that is cheap to see. */
static inline uint32_t
find_gone(const struct shape_rules *r, const struct boxes *b, ivec area)
{
    ivec empty = (b->x1 - b->x0 - 1) | (b->y1 - b->y0 - 1);
    ivec negated = (ivec) - (uvec)area;
    ivec culled = (area & r->ccw) | (negated & r->cw) | ~(area | negated);
    return signs(empty | ((b->side - SHAPE_MAX_SUBPX) & culled));
}

static inline uint32_t
find_narrow(const struct boxes *b)
{
    return signs(b->side - (SMALL_MAX_SUBPX + 1));
}

/* Those whose pixels find_squares() can tell. */
static inline uint32_t
find_small(const struct boxes *b)
{
    ivec columns = ((b->x1 - 1) >> 2) - (b->x0 >> 2);
    ivec rows = ((b->y1 - 1) >> 2) - (b->y0 >> 2);
    return find_narrow(b) &
           signs((columns - SMALL_BLOCKS) & (rows - SMALL_BLOCKS));
}

/* Edges from one pixel to the next, and at the first pixel of the first block.
 */
struct edges {
    alignas(64) int32_t a[3][LANES], b[3][LANES], v[3][LANES];
};

/* As setup_edge() has them, in 32 bits. */
static inline void
find_edges(const struct boxes *box, ivec area, const ivec x[3], const ivec y[3],
           struct edges *out)
{
    const ivec turn = area >> 31; /* the other way */
    uvec first_x = (uvec)(box->x0 & ~3) * SUBPIXEL + SUBPIXEL / 2;
    uvec first_y = (uvec)(box->y0 & ~3) * SUBPIXEL + SUBPIXEL / 2;
    for (unsigned e = 0; e < 3; e++) {
        unsigned to = e == 2 ? 0 : e + 1;
        uvec dx = (uvec)x[to] - (uvec)x[e], dy = (uvec)y[to] - (uvec)y[e];
        ivec a = (ivec)(((uvec)turn ^ -dy) - (uvec)turn);
        ivec b = (ivec)(((uvec)turn ^ dx) - (uvec)turn);
        ivec top_left = (a > 0) | ((a == 0) & (b > 0));
        uvec v = (uvec)a * (first_x - (uvec)x[e]) +
                 (uvec)b * (first_y - (uvec)y[e]) + (uvec)~top_left;
        uvec step_x = (uvec)a * SUBPIXEL, step_y = (uvec)b * SUBPIXEL;
        memcpy(out->a[e], &step_x, sizeof step_x);
        memcpy(out->b[e], &step_y, sizeof step_y);
        memcpy(out->v[e], &v, sizeof v);
    }
}

/* Where the pixels of a block lie, bit by bit. */
static const int32_t block_x[16] = {0, 1, 0, 1, 2, 3, 2, 3,
                                    0, 1, 0, 1, 2, 3, 2, 3};
static const int32_t block_y[16] = {0, 0, 1, 1, 0, 0, 1, 1,
                                    2, 2, 3, 3, 2, 2, 3, 3};

/* What lies outside of lane i's triangle in the square (x, y) pixels from the
 * first one: LANES pixels of each of its four blocks, `from` on. */
static inline uint64_t
find_outside(const struct edges *l, unsigned i, int32_t x, int32_t y,
             unsigned from)
{
    ivec across, down, out[4] = {{0}};
    uint64_t all = 0;
    memcpy(&across, block_x + from, sizeof across);
    memcpy(&down, block_y + from, sizeof down);
    for (unsigned e = 0; e < 3; e++) {
        const int32_t a = l->a[e][i], b = l->b[e][i];
        ivec v = across * a + down * b + (l->v[e][i] + x * a + y * b);
        out[0] |= v;
        out[1] |= v + 4 * a;
        out[2] |= v + 4 * b;
        out[3] |= v + (4 * a + 4 * b);
    }
    for (unsigned k = 0; k < 4; k++)
        all |= (uint64_t)signs(out[k]) << (16 * k + from);
    return all;
}

/* What lies inside. */
static inline uint64_t
find_square(const struct edges *l, unsigned i, int32_t x, int32_t y)
{
    uint64_t all = 0;
    for (unsigned from = 0; from < 16; from += LANES)
        all |= find_outside(l, i, x, y, from);
    return ~all;
}

/* Shape `to` from lane i. False: it covers nothing. */
static inline bool
find_squares(const struct edges *l, unsigned i, bool clipped,
             struct shapes *out, unsigned to)
{
    const int32_t side = SMALL_SQUARE_PX;
    const int32_t x0 = out->x0[to] & ~3, y0 = out->y0[to] & ~3;
    uint64_t *square = out->square[to];
    const bool wide = out->x1[to] > x0 + side, tall = out->y1[to] > y0 + side;
    square[0] = find_square(l, i, 0, 0);
    square[1] = square[2] = square[3] = 0;
    if (wide)
        square[1] = find_square(l, i, side, 0);
    if (tall)
        square[2] = find_square(l, i, 0, side);
    if (wide && tall)
        square[3] = find_square(l, i, side, side);
    for (int32_t k = 0; clipped && k < 4; k++)
        square[k] &= small_in_box(out->x0[to], out->y0[to], out->x1[to],
                                  out->y1[to], x0 + (k & 1) * side,
                                  y0 + (k >> 1) * side);
    return square[0] | square[1] | square[2] | square[3];
}

static inline uint32_t
find_clipped(const struct shape_rules *r, const struct boxes *b)
{
    return signs((b->x0 == r->x0) | (b->y0 == r->y0) | (b->x1 == r->x1) |
                 (b->y1 == r->y1));
}

/* Those from `first` on. */
static inline void
find_some(const struct shape_rules *r, const struct prim_mesh *mesh,
          const struct prim_tri *tri, unsigned count, uint32_t which,
          unsigned first, struct shapes *out)
{
    struct edges l;
    ivec x[3], y[3];
    if (count >= LANES)
        load_corners(mesh, tri, LANES, x, y);
    else
        load_corners(mesh, tri, count - 1, x, y);
    const struct boxes b = find_boxes(r, x, y);
    const ivec area = find_areas(x, y);
    uint32_t seen = which & ~find_gone(r, &b, area);
    uint32_t known = r->squares ? seen & find_small(&b) : 0;
    memcpy(&out->x0[first], &b.x0, sizeof b.x0);
    memcpy(&out->y0[first], &b.y0, sizeof b.y0);
    memcpy(&out->x1[first], &b.x1, sizeof b.x1);
    memcpy(&out->y1[first], &b.y1, sizeof b.y1);
    if (known) {
        const uint32_t clipped = find_clipped(r, &b);
        uint32_t empty = 0;
        find_edges(&b, area, x, y, &l);
        for (uint32_t m = known; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            bool any = find_squares(&l, i, clipped >> i & 1, out, first + i);
            empty |= (uint32_t)!any << i;
        }
        seen &= ~empty;
        known &= ~empty;
    }
    out->seen |= seen << first;
    out->narrow |= (seen & find_narrow(&b)) << first;
    out->known |= known << first;
}

static inline void
find_all(const struct shape_rules *r, const struct prim_mesh *mesh,
         const struct prim_tri *tri, unsigned count, uint32_t which,
         struct shapes *out)
{
    const uint32_t lanes = (1u << LANES) - 1;
    out->seen = out->narrow = out->known = 0;
    for (unsigned i = 0; i < count; i += LANES)
        find_some(r, mesh, tri + i, MIN2(count - i, LANES), which >> i & lanes,
                  i, out);
}
