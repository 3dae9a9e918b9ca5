/* small_triangle.c: coverage of triangles of a few pixels, found at setup: the
 * reference. */
#include "base/cpu.h"
#include "engine/raster/scene.h"

void
setup_small_ref(const struct edge edge[3], struct small *sm)
{
    memset(sm->square, 0, sizeof sm->square);
    for (int32_t py = sm->y0; py < sm->y1; py++) {
        for (int32_t px = sm->x0; px < sm->x1; px++) {
            int64_t x = (int64_t)px * SUBPIXEL + SUBPIXEL / 2;
            int64_t y = (int64_t)py * SUBPIXEL + SUBPIXEL / 2;
            bool in = true;
            for (unsigned e = 0; e < 3; e++)
                in &= edge[e].a * x + edge[e].b * y + edge[e].c >= 0;
            unsigned column = (unsigned)((px >> 2) - (sm->x0 >> 2));
            unsigned row = (unsigned)((py >> 2) - (sm->y0 >> 2));
            unsigned shift = 16 * ((column & 1) | (row & 1) << 1);
            if (in)
                sm->square[column >> 1 | (row & 2)] |=
                    (uint64_t)cover_pixels(1u << (px & 3), 1u << (py & 3))
                    << shift;
        }
    }
}

typedef int32_t ivec __attribute__((vector_size(16)));

/* Pixels of a 4x4 block whose centres lie inside. v: edges at the first centre;
 * a, b: steps from one pixel to the next. */
static inline unsigned
block_mask(const int32_t v[3], const int32_t a[3], const int32_t b[3])
{
    const ivec column = {0, 1, 2, 3};
    static const uint8_t row_shift[4] = {0, 2, 8, 10};
    ivec e0 = v[0] + a[0] * column;
    ivec e1 = v[1] + a[1] * column;
    ivec e2 = v[2] + a[2] * column;
    ivec bits = {1 << 0, 1 << 1, 1 << 4, 1 << 5}, mask = {0};
    for (unsigned row = 0; row < 4; row++) {
        mask |= ((e0 | e1 | e2) >= 0) & (bits << row_shift[row]);
        e0 += b[0];
        e1 += b[1];
        e2 += b[2];
    }
    return (unsigned)(mask[0] | mask[1] | mask[2] | mask[3]);
}

/* Three edges at the first pixel of a square of four blocks, and their steps.
 * All values in the square fit into 32 bits. */
struct square {
    int32_t v[3], a[3], b[3];
};

static uint64_t
find_square(const struct square *s)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < 4; i++) {
        int32_t at[3];
        for (unsigned e = 0; e < 3; e++)
            at[e] = s->v[e] + (i & 1 ? 4 * s->a[e] : 0) +
                    (i >> 1 ? 4 * s->b[e] : 0);
        all |= (uint64_t)block_mask(at, s->a, s->b) << 16 * i;
    }
    return all;
}

static uint64_t
square_at(const struct edge edge[3], const struct small *sm, int32_t x,
          int32_t y, bool clipped)
{
    struct square s;
    for (unsigned e = 0; e < 3; e++) {
        s.a[e] = (int32_t)edge[e].a * SUBPIXEL;
        s.b[e] = (int32_t)edge[e].b * SUBPIXEL;
        s.v[e] = (int32_t)(edge[e].a * (x * SUBPIXEL + SUBPIXEL / 2) +
                           edge[e].b * (y * SUBPIXEL + SUBPIXEL / 2) +
                           edge[e].c);
    }
    uint64_t in = clipped ? small_in_box(sm->x0, sm->y0, sm->x1, sm->y1, x, y)
                          : UINT64_MAX;
    return in & find_square(&s);
}

bool
setup_small(const struct edge edge[3], struct small *sm, bool clipped)
{
    int32_t bx = sm->x0 & ~3, by = sm->y0 & ~3;
    unsigned wide = sm->x1 > bx + SMALL_SQUARE_PX;
    unsigned tall = sm->y1 > by + SMALL_SQUARE_PX;
    uint64_t any = 0;
    memset(sm->square, 0, sizeof sm->square);
    for (unsigned row = 0; row <= tall; row++) {
        for (unsigned column = 0; column <= wide; column++)
            any |= sm->square[column | row << 1] = square_at(
                edge, sm, bx + (int32_t)column * SMALL_SQUARE_PX,
                by + (int32_t)row * SMALL_SQUARE_PX, clipped);
    }
    return any;
}

/* ---- many --------------------------------------------------------------- */

struct corners {
    int32_t x[3], y[3];
};

/* Finds the clipped box in pixels; returns the larger side of the whole box in
 * subpixels. */
static int32_t
find_box(const struct cull_rules *r, const struct corners *c, struct small *px)
{
    int32_t x0 = MIN2(c->x[0], MIN2(c->x[1], c->x[2]));
    int32_t x1 = MAX2(c->x[0], MAX2(c->x[1], c->x[2]));
    int32_t y0 = MIN2(c->y[0], MIN2(c->y[1], c->y[2]));
    int32_t y1 = MAX2(c->y[0], MAX2(c->y[1], c->y[2]));
    px->x0 = MAX2((x0 + r->up) >> 8, r->x0);
    px->y0 = MAX2((y0 + r->up) >> 8, r->y0);
    px->x1 = MIN2(((x1 - r->down) >> 8) + 1, r->x1);
    px->y1 = MIN2(((y1 - r->down) >> 8) + 1, r->y1);
    return MAX2(x1 - x0, y1 - y0);
}

static int32_t
area_of(const struct corners *c)
{
    return (c->x[1] - c->x[0]) * (c->y[2] - c->y[0]) -
           (c->x[2] - c->x[0]) * (c->y[1] - c->y[0]);
}

static bool
find_blocks(const struct cull_rules *r, const struct corners *c, int32_t area,
            struct small *px)
{
    struct edge edge[3];
    for (unsigned i = 0; i < 3; i++) {
        unsigned next = i == 2 ? 0 : i + 1;
        unsigned from = area < 0 ? next : i, to = area < 0 ? i : next;
        setup_edge(&edge[i], c->x[from], c->y[from], c->x[to], c->y[to]);
    }
    bool clipped = px->x0 == r->x0 || px->y0 == r->y0 || px->x1 == r->x1 ||
                   px->y1 == r->y1;
    return setup_small(edge, px, clipped);
}

static void
find_one(const struct cull_rules *r, const struct corners *c, unsigned i,
         struct small_triangles *out)
{
    struct small px;
    int32_t side = find_box(r, c, &px);
    if (px.x0 >= px.x1 || px.y0 >= px.y1)
        return;
    out->x0[i] = px.x0;
    out->y0[i] = px.y0;
    out->x1[i] = px.x1;
    out->y1[i] = px.y1;
    int32_t area = side < SHAPE_MAX_SUBPX ? area_of(c) : 1;
    if (!area || (side < SHAPE_MAX_SUBPX && (area > 0 ? r->cw : r->ccw)))
        return;
    bool known = r->squares && side <= SMALL_MAX_SUBPX &&
                 ((px.x1 - 1) >> 2) - (px.x0 >> 2) < SMALL_BLOCKS &&
                 ((px.y1 - 1) >> 2) - (px.y0 >> 2) < SMALL_BLOCKS;
    if (known && !find_blocks(r, c, area, &px))
        return;
    out->seen |= 1u << i;
    out->narrow |= (uint32_t)(side <= SMALL_MAX_SUBPX) << i;
    out->known |= (uint32_t)known << i;
    if (known)
        memcpy(out->square[i], px.square, sizeof px.square);
}

void
small_triangles_find_ref(const struct cull_rules *rules,
                         const struct prim_mesh *mesh,
                         const struct prim_tri *tri, unsigned count,
                         uint32_t which, struct small_triangles *out)
{
    out->seen = out->narrow = out->known = 0;
    for (unsigned i = 0; i < count; i++) {
        struct corners c;
        for (unsigned k = 0; k < 3; k++) {
            const struct prim_corner *p = prim_corner(mesh, &tri[i], k);
            c.x[k] = p->x;
            c.y[k] = p->y;
        }
        if (which >> i & 1)
            find_one(rules, &c, i, out);
    }
}

void
small_triangles_find(const struct cull_rules *rules,
                     const struct prim_mesh *mesh, const struct prim_tri *tri,
                     unsigned count, uint32_t which,
                     struct small_triangles *out)
{
    enum { FEW = 3 }; /* fewer are slower in vectors */
    small_triangles_fn *fn = small_triangles_find_ref;
    if (cpu_selected() == CPU_AVX512)
        fn = small_triangles_find_avx512;
    else if (cpu_selected() == CPU_AVX2)
        fn = small_triangles_find_avx2;
    if (count < FEW)
        fn = small_triangles_find_ref;
    fn(rules, mesh, tri, count, which, out);
}
