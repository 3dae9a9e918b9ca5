/* Shapes of triangles: the vectors' are the reference's, whose pixels are those
 * that have their centres inside. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "base/cpu.h"
#include "engine/geom/geom.h"
#include "rig.h"

#define VERTS 40

static uint32_t seed = 1;

static int32_t
below(int32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (int32_t)((seed >> 8) % (uint32_t)n);
}

/* Also as far apart as it gets, in a line, and on centres of pixels. */
static int32_t
coordinate(int32_t near, int32_t side)
{
    static const int32_t odd[] = {0,
                                  127,
                                  128,
                                  129,
                                  255,
                                  256,
                                  -128,
                                  SMALL_MAX_SUBPX,
                                  SMALL_MAX_SUBPX + 1,
                                  SHAPE_MAX_SUBPX - 1,
                                  SHAPE_MAX_SUBPX,
                                  -SHAPE_MAX_SUBPX,
                                  SNAP_MAX_PX * SUBPIXEL,
                                  -SNAP_MAX_PX * SUBPIXEL};
    int32_t v = near + (below(16) ? below(side) : odd[below(ARRAY_SIZE(odd))]);
    return MIN2(MAX2(v, -SNAP_MAX_PX * SUBPIXEL), SNAP_MAX_PX * SUBPIXEL);
}

struct fixture {
    struct geom_vert vert[VERTS];
    struct prim_mesh mesh;
    struct prim_tri tri[PRIM_TRIS];
    struct shape_rules rules;
    unsigned count;
    uint32_t which;
};

static struct shape_rules
random_rules(int32_t x, int32_t y)
{
    bool centres = below(4), clips = !below(3);
    x /= SUBPIXEL;
    y /= SUBPIXEL;
    return (struct shape_rules){
        .cw = -below(2),
        .ccw = -(below(4) == 0),
        .up = centres ? SUBPIXEL / 2 - 1 : 0,
        .down = centres ? SUBPIXEL / 2 : 0,
        .x0 = clips ? x + below(6) : 0,
        .y0 = clips ? y + below(6) : 0,
        .x1 = clips ? x + below(16) : SCREEN_MAX_PX,
        .y1 = below(2) ? SCREEN_MAX_PX : y + below(16),
        .squares = centres && below(8),
    };
}

static void
random_fixture(struct fixture *f)
{
    int32_t x = below(SCREEN_MAX_PX * SUBPIXEL), y = below(2000);
    int32_t side = 16 << below(9), grid = below(3) ? 1 : 64;
    for (unsigned i = 0; i < VERTS; i++) {
        f->vert[i].p.x = coordinate(x, side) / grid * grid;
        f->vert[i].p.y = coordinate(y, side) / grid * grid;
    }
    f->mesh = (struct prim_mesh){.corner = &f->vert->p};
    for (unsigned i = 0; i < PRIM_TRIS; i++) {
        for (unsigned k = 0; k < 3; k++)
            f->tri[i].corner[k] = (uint16_t)below(VERTS);
    }
    f->rules = random_rules(x, y);
    f->count = 1 + (unsigned)below(PRIM_TRIS);
    uint32_t all = (1u << f->count) - 1;
    f->which = below(2) ? all : (uint32_t)below(1 << 16) & all;
}

static void
compare(const struct fixture *f, shapes_fn *fn)
{
    struct shapes want, got;
    shapes_find_ref(&f->rules, &f->mesh, f->tri, f->count, f->which, &want);
    fn(&f->rules, &f->mesh, f->tri, f->count, f->which, &got);
    cr_assert_eq(got.seen, want.seen, "%x, not %x", got.seen, want.seen);
    cr_assert_eq(got.narrow, want.narrow);
    cr_assert_eq(got.known, want.known, "%x, not %x", got.known, want.known);
    for (uint32_t m = want.seen; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        cr_assert(got.x0[i] == want.x0[i] && got.y0[i] == want.y0[i]);
        cr_assert(got.x1[i] == want.x1[i] && got.y1[i] == want.y1[i]);
        for (unsigned k = 0; want.known >> i & 1 && k < 4; k++)
            cr_assert_eq(got.square[i][k], want.square[i][k],
                         "%" PRIx64 ", not %" PRIx64, got.square[i][k],
                         want.square[i][k]);
    }
}

static void
compare_many(shapes_fn *fn, enum cpu_level cpu)
{
    if (cpu_selected() < cpu)
        cr_skip("not on this processor");
    for (unsigned n = 0; n < 20000; n++) {
        struct fixture f;
        random_fixture(&f);
        compare(&f, fn);
    }
}

Test(shapes, avx2)
{
    compare_many(shapes_find_avx2, CPU_AVX2);
}

Test(shapes, avx512)
{
    compare_many(shapes_find_avx512, CPU_AVX512);
}

/* ---- the reference ---- */

/* Turns it clockwise; false if it has no area. */
static bool
find_edges(const struct fixture *f, unsigned i, struct edge edge[3], bool *cw)
{
    int64_t x[3], y[3];
    for (unsigned k = 0; k < 3; k++) {
        x[k] = prim_corner(&f->mesh, &f->tri[i], k)->x;
        y[k] = prim_corner(&f->mesh, &f->tri[i], k)->y;
    }
    int64_t area = (x[1] - x[0]) * (y[2] - y[0]) -
                   (x[2] - x[0]) * (y[1] - y[0]);
    *cw = area > 0;
    for (unsigned k = 0; k < 3; k++) {
        unsigned next = (k + 1) % 3;
        unsigned from = *cw ? k : next, to = *cw ? next : k;
        setup_edge(&edge[k], x[from], y[from], x[to], y[to]);
    }
    return area;
}

/* In a box around everything that is small. */
static unsigned
count_pixels(const struct shape_rules *r, const struct edge edge[3], int32_t x0,
             int32_t y0)
{
    unsigned count = 0;
    for (int32_t y = MAX2(y0, r->y0); y < MIN2(y0 + 24, r->y1); y++) {
        for (int32_t x = MAX2(x0, r->x0); x < MIN2(x0 + 24, r->x1); x++) {
            bool in = true;
            for (unsigned e = 0; e < 3; e++)
                in &= edge[e].a * (x * SUBPIXEL + SUBPIXEL / 2) +
                          edge[e].b * (y * SUBPIXEL + SUBPIXEL / 2) +
                          edge[e].c >=
                      0;
            count += in;
        }
    }
    return count;
}

/* Small triangles are known to have no pixel, or the ones that they have. */
Test(shapes, those_that_are_seen_have_pixels)
{
    unsigned known = 0, gone = 0;
    for (unsigned n = 0; n < 3000; n++) {
        struct fixture f;
        struct shapes s;
        random_fixture(&f);
        f.rules.squares = f.rules.up;
        shapes_find_ref(&f.rules, &f.mesh, f.tri, f.count, f.which, &s);
        for (unsigned i = 0; i < f.count; i++) {
            struct edge edge[3];
            struct small px = {s.x0[i], s.y0[i], s.x1[i], s.y1[i], {0}};
            bool cw, area = find_edges(&f, i, edge, &cw);
            const struct prim_corner *p = prim_corner(&f.mesh, &f.tri[i], 0);
            if (!(f.which >> i & 1)) {
                cr_assert(!(s.seen >> i & 1));
            } else if (s.known >> i & 1) {
                setup_small_ref(edge, &px);
                cr_assert(area && !(cw ? f.rules.cw : f.rules.ccw));
                cr_assert_arr_eq(px.square, s.square[i], sizeof px.square);
                known++;
            } else if (!(s.seen >> i & 1) && area && f.rules.squares &&
                       !(cw ? f.rules.cw : f.rules.ccw)) {
                cr_assert_eq(count_pixels(&f.rules, edge, (p->x >> 8) - 12,
                                          (p->y >> 8) - 12),
                             0);
                gone++;
            }
        }
    }
    cr_expect_gt(known, 1000);
    cr_expect_gt(gone, 1000);
}
