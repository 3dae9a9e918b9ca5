/* small_triangle_simd.h: culling and coverage of LANES triangles at a time: the
 * body of small_triangle_avx2.c and small_triangle_avx512.c, which define the
 * vector types and the functions declared here. */
#include "engine/raster/setup/small_triangle.h"

/* Separates (x, y) pairs, two in each input vector. */
static inline void unzip(ivec *x, ivec *y, const __m128i in[LANES / 2]);
static inline ivec least(ivec a, ivec b);
static inline ivec most(ivec a, ivec b);
/* Bit i: value i is negative. */
static inline uint32_t signs(ivec v);
/* Vectors for half a square: two blocks side by side, 32 pixels. */
#define PARTS (16 / LANES)
/* Offsets of these pixels from column 4, row 2. */
static const int16_t half_x[PARTS][2 * LANES], half_y[PARTS][2 * LANES];
/* v * n */
static inline words words_times(words v, int32_t n);
/* Saturating v + twice, which holds the addend in both halves. */
static inline words words_plus(words v, int32_t twice);
static inline words words_any(words a, words b, words c); /* a | b | c */
/* Bit of each pixel in the square: its value is negative. */
static inline uint32_t half_signs(const words v[PARTS]);

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

/* Lanes without a triangle repeat the last one. Stays in registers: a vector
 * load after narrow stores would stall store forwarding. */
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
    ivec side;           /* the larger side of the whole box, subpixels */
};

static inline struct boxes
find_boxes(const struct cull_rules *r, const ivec x[3], const ivec y[3])
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

/* Exact for small triangles, undefined for others. */
static inline ivec
find_areas(const ivec x[3], const ivec y[3])
{
    uvec dx1 = (uvec)(x[1] - x[0]), dy1 = (uvec)(y[1] - y[0]);
    uvec dx2 = (uvec)(x[2] - x[0]), dy2 = (uvec)(y[2] - y[0]);
    return (ivec)(dx1 * dy2 - dx2 * dy1);
}

/* Triangles that cover nothing, as far as a cheap test can tell. */
static inline uint32_t
find_gone(const struct cull_rules *r, const struct boxes *b, ivec area)
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

/* Triangles whose pixels find_squares() can find. */
static inline uint32_t
find_small(const struct boxes *b)
{
    ivec columns = ((b->x1 - 1) >> 2) - (b->x0 >> 2);
    ivec rows = ((b->y1 - 1) >> 2) - (b->y0 >> 2);
    return find_narrow(b) &
           signs((columns - SMALL_BLOCKS) & (rows - SMALL_BLOCKS));
}

/* Edges as steps per pixel, and their values at the first pixel of the first
 * block. The fraction is dropped: it is the same at all pixels. ab: a in the
 * lower, b in the upper sixteen bits. */
struct edges {
    alignas(64) int32_t a[3][LANES], b[3][LANES], ab[3][LANES], v[3][LANES];
};

/* setup_edge() in 32 bits. */
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
        uvec ab = ((uvec)a & 0xffff) | (uvec)b << 16;
        ivec pixels = (ivec)v >> 8;
        memcpy(out->a[e], &a, sizeof a);
        memcpy(out->b[e], &b, sizeof b);
        memcpy(out->ab[e], &ab, sizeof ab);
        memcpy(out->v[e], &pixels, sizeof pixels);
    }
}

/* A triangle's edges. middle: values at the middle of each half square, row by
 * row, stored twice and clamped to sixteen bits. pixel: offsets from there to
 * the half's pixels, at most 4 * 4096 + 2 * 4096, so that a clamped sum keeps
 * its sign. */
struct halves {
    alignas(32) int32_t middle[3][2 * SMALL_BLOCKS];
    words pixel[3][PARTS];
};

static inline void
find_halves(const struct edges *l, unsigned i, struct halves *out)
{
    static_assert(6 * SMALL_MAX_SUBPX < INT16_MAX, "a half has sixteen bits");
    const __m256i at = _mm256_setr_epi16(4, 2, 12, 2, 4, 6, 12, 6, 4, 10, 12,
                                         10, 4, 14, 12, 14);
    for (unsigned e = 0; e < 3; e++) {
        __m256i m = _mm256_madd_epi16(at, _mm256_set1_epi32(l->ab[e][i]));
        m = _mm256_add_epi32(m, _mm256_set1_epi32(l->v[e][i]));
        m = _mm256_packs_epi32(m, m);
        m = _mm256_unpacklo_epi16(m, m);
        memcpy(out->middle[e], &m, sizeof m);
        /* Broadcasts from memory are free in a load. Without this barrier
         * compilers keep the value in a register and shuffle. */
        __asm__("" : "+m"(out->middle[e]));
        for (unsigned p = 0; p < PARTS; p++) {
            words x, y;
            memcpy(&x, half_x[p], sizeof x);
            memcpy(&y, half_y[p], sizeof y);
            out->pixel[e][p] = words_times(x, l->a[e][i]) +
                               words_times(y, l->b[e][i]);
        }
    }
}

/* Pixels of half n inside of the triangle. */
static inline uint32_t
find_half(const struct halves *h, unsigned n)
{
    words out[PARTS];
    for (unsigned p = 0; p < PARTS; p++)
        out[p] = words_any(words_plus(h->pixel[0][p], h->middle[0][n]),
                           words_plus(h->pixel[1][p], h->middle[1][n]),
                           words_plus(h->pixel[2][p], h->middle[2][n]));
    return ~half_signs(out);
}

/* Pixels of the square in this column and row. */
static inline uint64_t
find_square(const struct halves *h, unsigned column, unsigned row)
{
    unsigned top = 4 * row + column;
    return find_half(h, top) | (uint64_t)find_half(h, top + 2) << 32;
}

/* Finds square[] of triangle `to` from lane i. False: it covers nothing. */
static inline bool
find_squares(const struct edges *l, unsigned i, bool clipped,
             struct small_triangles *out, unsigned to)
{
    const int32_t side = SMALL_SQUARE_PX;
    const int32_t x0 = out->x0[to] & ~3, y0 = out->y0[to] & ~3;
    uint64_t *square = out->square[to];
    const bool wide = out->x1[to] > x0 + side, tall = out->y1[to] > y0 + side;
    struct halves h;
    find_halves(l, i, &h);
    square[0] = find_square(&h, 0, 0);
    square[1] = square[2] = square[3] = 0;
    if (wide)
        square[1] = find_square(&h, 1, 0);
    if (tall)
        square[2] = find_square(&h, 0, 1);
    if (wide && tall)
        square[3] = find_square(&h, 1, 1);
    for (int32_t k = 0; clipped && k < 4; k++)
        square[k] &= small_in_box(out->x0[to], out->y0[to], out->x1[to],
                                  out->y1[to], x0 + (k & 1) * side,
                                  y0 + (k >> 1) * side);
    return square[0] | square[1] | square[2] | square[3];
}

static inline uint32_t
find_clipped(const struct cull_rules *r, const struct boxes *b)
{
    return signs((b->x0 == r->x0) | (b->y0 == r->y0) | (b->x1 == r->x1) |
                 (b->y1 == r->y1));
}

/* One vector of triangles, from `first` on. */
static inline void
find_some(const struct cull_rules *r, const struct prim_mesh *mesh,
          const struct prim_tri *tri, unsigned count, uint32_t which,
          unsigned first, struct small_triangles *out)
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
find_all(const struct cull_rules *r, const struct prim_mesh *mesh,
         const struct prim_tri *tri, unsigned count, uint32_t which,
         struct small_triangles *out)
{
    const uint32_t lanes = (1u << LANES) - 1;
    out->seen = out->narrow = out->known = 0;
    for (unsigned i = 0; i < count; i += LANES)
        find_some(r, mesh, tri + i, MIN2(count - i, LANES), which >> i & lanes,
                  i, out);
}
