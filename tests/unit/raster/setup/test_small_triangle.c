/* test_small_triangle.c: the reference of small triangles covers the pixels
 * whose centres lie inside. */
#include <criterion/criterion.h>

#include "any_triangles.h"
#include "rig.h"

/* Makes the triangle clockwise; false if it has no area. */
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

/* Counts covered pixels in a box that holds every small triangle. */
static unsigned
count_pixels(const struct cull_rules *r, const struct edge edge[3], int32_t x0,
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

/* Of each small triangle the reference finds no pixel, or all of its pixels. */
Test(shapes, those_that_are_seen_have_pixels)
{
    unsigned known = 0, gone = 0;
    for (unsigned n = 0; n < 3000; n++) {
        struct fixture f;
        struct small_triangles s;
        random_fixture(&f);
        f.rules.squares = f.rules.up;
        small_triangles_find_ref(&f.rules, &f.mesh, f.tri, f.count, f.which,
                                 &s);
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
