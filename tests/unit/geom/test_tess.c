/* test_tess.c: the tessellator: known counts and positions, and properties of
 * any level: the mesh covers the domain exactly once and is mirror
 * symmetric. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "engine/geom/stages/tess.h"
#include "gen9_pack.h"

enum { QUAD = 0, TRI = 1, ISOLINE = 2 };
enum { INTEGER = 0, ODD = 1, EVEN = 2 };
enum { POINT = 0, LINE = 1, TRI_CW = 2, TRI_CCW = 3 };

static struct tess_mesh mesh;

static void
run(unsigned domain, unsigned partitioning, unsigned topology, float o0,
    float o1, float o2, float o3, float i0, float i1)
{
    struct tess_params p = {domain, partitioning, topology, 63, 64};
    struct tess_levels l = {{o0, o1, o2, o3}, {i0, i1}};
    tess_run(&p, &l, &mesh);
}

/* Twice the signed area, in units of the domain. */
static double
tri_area(unsigned i)
{
    const struct tess_point *a = &mesh.point[mesh.index[i]];
    const struct tess_point *b = &mesh.point[mesh.index[i + 1]];
    const struct tess_point *c = &mesh.point[mesh.index[i + 2]];
    return ((double)(b->u - a->u) * (c->v - a->v) -
            (double)(c->u - a->u) * (b->v - a->v)) /
           TESS_ONE / TESS_ONE;
}

static double
check_area(double sign)
{
    double sum = 0;
    for (unsigned i = 0; i < mesh.index_count; i += 3) {
        double a = tri_area(i) * sign;
        /* Rounding to 1/65536 may reverse slivers by as much. */
        cr_expect_geq(a, -1.0 / TESS_ONE, "triangle %u", i / 3);
        sum += a;
    }
    return sum;
}

/* Counts border edges: directed edges without a partner in reverse. Two
 * triangles share every inner edge. */
static unsigned
border_edges(void)
{
    static int8_t seen[TESS_MAX_POINTS][TESS_MAX_POINTS];
    unsigned n = 0;
    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; i < mesh.index_count; i += 3)
        for (unsigned k = 0; k < 3; k++)
            seen[mesh.index[i + k]][mesh.index[i + (k + 1) % 3]]++;
    for (unsigned a = 0; a < mesh.point_count; a++)
        for (unsigned b = 0; b < mesh.point_count; b++) {
            cr_expect_leq(seen[a][b], 1);
            n += seen[a][b] && !seen[b][a];
        }
    return n;
}

static bool
has_point(int32_t u, int32_t v)
{
    for (unsigned i = 0; i < mesh.point_count; i++)
        if (mesh.point[i].u == u && mesh.point[i].v == v)
            return true;
    return false;
}

Test(tess, level_one_is_one_triangle)
{
    run(TRI, INTEGER, TRI_CW, 1, 1, 1, 0, 1, 0);
    cr_assert_eq(mesh.index_count, 3);
    cr_assert_eq(mesh.point_count, 3);
    cr_assert_float_eq(check_area(1), 1, 1e-9);
}

Test(tess, level_one_quad_is_two_triangles)
{
    run(QUAD, INTEGER, TRI_CW, 1, 1, 1, 1, 1, 1);
    cr_assert_eq(mesh.index_count, 6);
    cr_assert_float_eq(check_area(1), 2, 1e-9);
}

Test(tess, ccw_turns_the_other_way)
{
    run(QUAD, INTEGER, TRI_CCW, 3, 3, 3, 3, 3, 3);
    cr_assert_float_eq(check_area(-1), 2, 1e-9);
}

Test(tess, uniform_quad_has_2_n_squared_triangles)
{
    for (unsigned n = 2; n <= 64; n++) {
        run(QUAD, INTEGER, TRI_CW, n, n, n, n, n, n);
        cr_expect_eq(mesh.index_count, 6 * n * n, "level %u", n);
        cr_expect_eq(mesh.point_count, (n + 1) * (n + 1));
        cr_expect_float_eq(check_area(1), 2, 1e-6);
    }
}

Test(tess, uniform_triangle_has_the_specified_rings)
{
    /* GL 11.2.2.2: rings have n, n - 2, ... segments per side; the triangles
     * between two rings are as many as the segments of both. */
    for (unsigned n = 2; n <= 64; n++) {
        unsigned tris = n % 2, points = n % 2 ? 0 : 1;
        for (unsigned k = n; k >= 2; k -= 2)
            tris += 3 * (k + k - 2);
        for (unsigned k = n; k >= 1 && k <= n; k -= 2)
            points += 3 * k;
        run(TRI, INTEGER, TRI_CW, n, n, n, 0, n, 0);
        cr_expect_eq(mesh.index_count, 3 * tris, "level %u", n);
        cr_expect_eq(mesh.point_count, points, "level %u", n);
        cr_expect_float_eq(check_area(1), 1, 1e-6);
    }
}

Test(tess, triangle_level_two_has_its_centre)
{
    run(TRI, INTEGER, TRI_CW, 2, 2, 2, 0, 2, 0);
    cr_expect(has_point(TESS_ONE / 2, 0));
    cr_expect(has_point(0, TESS_ONE / 2));
    cr_expect(has_point(TESS_ONE / 2, TESS_ONE / 2));
    cr_expect(has_point(21846, 21846) || has_point(21845, 21845));
    cr_expect_eq(mesh.point_count, 7);
}

Test(tess, inner_ring_of_level_four_triangle)
{
    /* Perpendiculars at 1/4 meet at 1/6, 1/6, 2/3. */
    run(TRI, INTEGER, TRI_CW, 4, 4, 4, 0, 4, 0);
    bool found = false;
    for (unsigned i = 0; i < mesh.point_count; i++)
        found |= abs(mesh.point[i].u - TESS_ONE / 6) <= 1 &&
                 abs(mesh.point[i].v - TESS_ONE / 6) <= 1;
    cr_expect(found);
}

Test(tess, quad_levels_name_their_edges)
{
    /* outer 0..3: u = 0, v = 0, u = 1, v = 1; inner 0: along u. */
    run(QUAD, INTEGER, TRI_CW, 2, 3, 4, 5, 6, 7);
    unsigned on[4] = {0}, inside = 0;
    for (unsigned i = 0; i < mesh.point_count; i++) {
        struct tess_point p = mesh.point[i];
        on[0] += p.u == 0;
        on[1] += p.v == 0;
        on[2] += p.u == TESS_ONE;
        on[3] += p.v == TESS_ONE;
        inside += p.u && p.v && p.u != TESS_ONE && p.v != TESS_ONE;
    }
    cr_expect_eq(on[0], 3);
    cr_expect_eq(on[1], 4);
    cr_expect_eq(on[2], 5);
    cr_expect_eq(on[3], 6);
    cr_expect_eq(inside, 5 * 6);
    cr_expect(has_point((TESS_ONE + 3) / 6, (TESS_ONE + 3) / 7));
}

Test(tess, triangle_levels_name_their_edges)
{
    run(TRI, INTEGER, TRI_CW, 2, 3, 5, 0, 4, 0);
    unsigned on[3] = {0};
    for (unsigned i = 0; i < mesh.point_count; i++) {
        struct tess_point p = mesh.point[i];
        on[0] += p.u == 0;
        on[1] += p.v == 0;
        on[2] += p.u + p.v == TESS_ONE;
    }
    cr_expect_eq(on[0], 3);
    cr_expect_eq(on[1], 4);
    cr_expect_eq(on[2], 6);
}

Test(tess, mixed_levels_leave_no_holes)
{
    static const float level[] = {1, 1.5f, 2, 3, 4.25f, 7, 8.8f, 64};
    srand(1);
    for (unsigned n = 0; n < 60; n++) {
        float l[6];
        for (unsigned i = 0; i < 6; i++)
            l[i] = level[(unsigned)rand() % 7];
        for (unsigned part = INTEGER; part <= EVEN; part++) {
            run(QUAD, part, TRI_CW, l[0], l[1], l[2], l[3], l[4], l[5]);
            cr_expect_float_eq(check_area(1), 2, 1e-6);
            unsigned outline = 0;
            for (unsigned i = 0; i < mesh.point_count; i++)
                outline += mesh.point[i].u == 0 || mesh.point[i].v == 0 ||
                           mesh.point[i].u == TESS_ONE ||
                           mesh.point[i].v == TESS_ONE;
            if (part == INTEGER)
                cr_expect_eq(border_edges(), outline);
            run(TRI, part, TRI_CW, l[0], l[1], l[2], 0, l[3], 0);
            cr_expect_float_eq(check_area(1), 1, 1e-6);
        }
    }
}

Test(tess, finest_levels_fit)
{
    for (unsigned part = INTEGER; part <= EVEN; part++) {
        run(QUAD, part, TRI_CW, 1e9f, 1e9f, 1e9f, 1e9f, 1e9f, 1e9f);
        cr_expect_float_eq(check_area(1), 2, 1e-6);
        run(TRI, part, TRI_CW, INFINITY, 1e9f, 1e9f, 0, 1e9f, 0);
        cr_expect_float_eq(check_area(1), 1, 1e-6);
        run(ISOLINE, part, LINE, 1e9f, 1e9f, 0, 0, 0, 0);
        cr_expect_leq(mesh.point_count, TESS_MAX_POINTS);
    }
}

Test(tess, zero_negative_and_nan_levels_cull)
{
    static const float bad[] = {0, -1, NAN};
    for (unsigned i = 0; i < 3; i++) {
        run(TRI, INTEGER, TRI_CW, 2, bad[i], 2, 0, 2, 0);
        cr_expect_eq(mesh.index_count, 0);
        run(QUAD, ODD, TRI_CW, 2, 2, 2, bad[i], 2, 2);
        cr_expect_eq(mesh.index_count, 0);
        /* Inner levels do not cull. */
        run(TRI, INTEGER, TRI_CW, 2, 2, 2, 0, bad[i], 0);
        cr_expect_neq(mesh.index_count, 0);
    }
    /* A triangle has no fourth outer level. */
    run(TRI, INTEGER, TRI_CW, 2, 2, 2, 0, 2, 0);
    cr_expect_neq(mesh.index_count, 0);
}

Test(tess, inner_level_one_opens_when_the_outside_is_finer)
{
    /* Integer: taken as 2. Odd: just above 1, that is 3 segments. */
    run(QUAD, INTEGER, TRI_CW, 2, 1, 1, 1, 1, 1);
    cr_expect_eq(mesh.point_count, 5 + 1);
    run(QUAD, ODD, TRI_CW, 3, 1, 1, 1, 1, 1);
    cr_expect_eq(mesh.point_count, 6 + 4);
    run(TRI, INTEGER, TRI_CW, 2, 1, 1, 0, 1, 0);
    cr_expect_eq(mesh.point_count, 4 + 1);
}

Test(tess, isolines_leave_out_v_one)
{
    run(ISOLINE, INTEGER, LINE, 2, 3, 0, 0, 0, 0);
    cr_assert_eq(mesh.object_verts, 2);
    cr_assert_eq(mesh.index_count, 2 * 2 * 3);
    cr_expect_eq(mesh.point_count, 2 * 4);
    cr_expect(has_point(0, TESS_ONE / 2));
    cr_expect(has_point(TESS_ONE, 0));
    cr_expect_not(has_point(0, TESS_ONE));
}

Test(tess, isoline_density_is_rounded_up_whatever_the_spacing)
{
    run(ISOLINE, ODD, LINE, 1.5f, 3, 0, 0, 0, 0);
    cr_expect_eq(mesh.index_count, 2 * 2 * 3);
    run(ISOLINE, EVEN, LINE, 1, 3, 0, 0, 0, 0);
    cr_expect_eq(mesh.index_count, 1 * 2 * 4);
}

Test(tess, points_appear_once)
{
    run(QUAD, INTEGER, POINT, 4, 4, 4, 4, 4, 4);
    cr_expect_eq(mesh.object_verts, 1);
    cr_expect_eq(mesh.index_count, 25);
    for (unsigned i = 0; i < 25; i++)
        for (unsigned k = i + 1; k < 25; k++)
            cr_expect(mesh.point[i].u != mesh.point[k].u ||
                      mesh.point[i].v != mesh.point[k].v);
}

Test(tess_axis, is_mirrored_exactly_and_ascends)
{
    for (unsigned part = ODD; part <= EVEN; part++) {
        for (float f = part == EVEN ? 2 : 1; f <= 63; f += 0.37f) {
            struct tess_axis a;
            tess_axis_init(&a, part, f);
            cr_expect_eq(a.segs % 2, part == ODD);
            cr_expect_eq(tess_axis_at(&a, 0), 0);
            cr_expect_eq(tess_axis_at(&a, a.segs), TESS_ONE);
            for (unsigned i = 0; i < a.segs; i++) {
                int32_t p = tess_axis_at(&a, i);
                cr_expect_leq(p, tess_axis_at(&a, i + 1));
                cr_expect_eq(p + tess_axis_at(&a, a.segs - i), TESS_ONE);
            }
        }
    }
}

Test(tess_axis, fractional_level_has_two_shorter_segments)
{
    /* 4.5 even: six segments, four of the length 1/2 (1/4 + 1/6)... between
     * a cut in 4 and one in 6 at a quarter of the way. */
    struct tess_axis a;
    tess_axis_init(&a, EVEN, 4.5f);
    cr_assert_eq(a.segs, 6);
    double whole = 0.75 / 4 + 0.25 / 6, part = 0.25 / 6;
    unsigned wholes = 0, parts = 0;
    for (unsigned i = 0; i < 6; i++) {
        double len = (double)(tess_axis_at(&a, i + 1) - tess_axis_at(&a, i)) /
                     TESS_ONE;
        wholes += fabs(len - whole) < 1e-4;
        parts += fabs(len - part) < 1e-4;
    }
    cr_expect_eq(wholes, 4);
    cr_expect_eq(parts, 2);
}

Test(tess_axis, whole_fractional_levels_are_equal_cuts)
{
    struct tess_axis a;
    tess_axis_init(&a, ODD, 5);
    cr_assert_eq(a.segs, 5);
    cr_expect_eq(tess_axis_at(&a, 1), 13107);
    tess_axis_init(&a, EVEN, 8);
    cr_assert_eq(a.segs, 8);
    cr_expect_eq(tess_axis_at(&a, 3), 3 * TESS_ONE / 8);
}

Test(tess_levels, header_is_reversed_except_for_isolines)
{
    uint32_t h[8];
    struct tess_levels l;
    for (unsigned i = 0; i < 8; i++)
        h[i] = bits_from_float((float)i);
    tess_levels_read(&l, QUAD, h);
    cr_expect_eq(l.outer[0], 7);
    cr_expect_eq(l.outer[3], 4);
    cr_expect_eq(l.inner[0], 3);
    cr_expect_eq(l.inner[1], 2);
    tess_levels_read(&l, TRI, h);
    cr_expect_eq(l.outer[2], 5);
    cr_expect_eq(l.inner[0], 4);
    tess_levels_read(&l, ISOLINE, h);
    cr_expect_eq(l.outer[0], 6);
    cr_expect_eq(l.outer[1], 7);
}
