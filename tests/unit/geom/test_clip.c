/* test_clip.c: the clipper against results computed by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "rig.h"

TestSuite(clip, .fini = rig_finish);

static double
area(void)
{
    double sum = 0;
    for (unsigned i = 0; i < rig.prim_count; i++) {
        const struct rig_prim *r = &rig.prim[i];
        sum += ((double)r->x[1] - r->x[0]) * ((double)r->y[2] - r->y[0]) -
               ((double)r->x[2] - r->x[0]) * ((double)r->y[1] - r->y[0]);
    }
    return sum / 2;
}

static void
triangle(void)
{
    rig_init(GEN9_3DPRIM_TRILIST, 3);
    rig_clip();
    rig_vertex(0, -1, -1, 0, 1, 0);
    rig_vertex(1, 1, -1, 0, 1, 1);
    rig_vertex(2, -1, 1, 0, 1, 2);
}

Test(clip, inside_is_left_alone)
{
    triangle();
    rig_draw();
    cr_assert_eq(rig.prim_count, 1);
    cr_expect_eq(rig.prim[0].x[1], 100);
    cr_expect_eq(rig.prim[0].y[2], 100);
    cr_expect_eq(rig.prim[0].z[0], 0.5f);
    cr_expect_null(rig.prim[0].p.flat_vue);
    cr_expect_eq(rig.prim[0].flat[0], 2);
    cr_expect_eq(rig.stats.cl_invocations, 1);
    cr_expect_eq(rig.stats.cl_primitives, 1);
}

Test(clip, far_plane_halves_an_edge)
{
    triangle();
    rig_vertex(2, -1, 1, 2, 1, 2); /* z = 1 half way up */
    rig_draw();
    cr_assert_eq(rig.prim_count, 2);
    cr_expect_float_eq(area(), 5000 * 0.75, 1e-3);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 3; k++)
            cr_expect_leq(rig.prim[i].z[k], 1.0f);
    /* The provoking vertex was cut away, its attributes were not. */
    cr_expect_eq(rig.prim[0].flat[0], 2);
    cr_expect_eq(rig.prim[1].flat[0], 2);
    cr_expect_eq(rig.stats.cl_primitives, 2);
}

Test(clip, cut_attributes_are_linear_in_clip_space)
{
    triangle();
    /* w goes from 1 to 3: in the middle of the edge z = w = 2. */
    rig_vertex(2, -1, 1, 4, 3, 2);
    rig_vertex(0, -1, -1, 0, 1, 0);
    rig_draw();
    cr_assert_eq(rig.prim_count, 2);
    bool found = false;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 3; k++)
            /* Between vertices 0 and 2: x = -1, y = 0, w = 2. */
            if (rig.prim[i].x[k] == 25 && rig.prim[i].y[k] == 50) {
                found = true;
                cr_expect_float_eq(rig.prim[i].attr[k][0], 1, 1e-6);
                cr_expect_float_eq(rig.prim[i].p.v[k].w_inv, 0.5, 1e-6);
            }
    cr_expect(found);
}

Test(clip, near_plane_of_both_conventions)
{
    triangle();
    for (unsigned i = 0; i < 3; i++)
        rig_vertex(i, i == 1 ? 1 : -1, i == 2 ? 1 : -1, -0.5f, 1, 0);
    rig_draw();
    cr_expect_eq(rig.prim_count, 1, "OGL: -w <= z");
    rig.prim_count = 0;
    rig.draw.clip.api_mode = GEN9_3DSTATE_CLIP_API_MODE_APIMODE_D3D;
    rig_draw();
    cr_expect_eq(rig.prim_count, 0, "D3D: 0 <= z");
    rig.draw.raster.viewport_z_near_clip_test_enable = false;
    rig_draw();
    cr_expect_eq(rig.prim_count, 1, "depth clamp");
}

Test(clip, vertices_behind_the_eye_are_cut_off)
{
    triangle();
    rig.draw.raster.viewport_z_near_clip_test_enable = false;
    rig.draw.raster.viewport_z_far_clip_test_enable = false;
    rig_vertex(2, 0, 3, 0, -1, 2);
    rig_draw();
    cr_assert_gt(rig.prim_count, 0);
    for (unsigned i = 0; i < rig.prim_count; i++)
        for (unsigned k = 0; k < 3; k++) {
            cr_expect_gt(rig.prim[i].p.v[k].w_inv, 0);
            /* The guard band is 8 viewports wide. */
            cr_expect_leq(fabsf(rig.prim[i].x[k] - 50), 400.01f);
            cr_expect_leq(fabsf(rig.prim[i].y[k] - 50), 400.01f);
        }
}

Test(clip, all_behind_the_eye_is_nothing)
{
    triangle();
    for (unsigned i = 0; i < 3; i++)
        rig_vertex(i, i, 1, 0, -1, 0);
    rig_draw();
    cr_expect_eq(rig.prim_count, 0);
}

Test(clip, guard_band_saves_work_and_its_edge_cuts)
{
    triangle();
    rig_vertex(1, 7, -1, 0, 1, 1); /* outside of the view, inside the band */
    rig_draw();
    cr_expect_eq(rig.prim_count, 1);
    cr_expect_eq(rig.prim[0].x[1], 400);
    rig.prim_count = 0;
    rig_vertex(1, 15, -1, 0, 1, 1);
    rig_draw();
    cr_expect_gt(rig.prim_count, 1);
    for (unsigned i = 0; i < rig.prim_count; i++)
        for (unsigned k = 0; k < 3; k++)
            cr_expect_leq(rig.prim[i].x[k], 450.01f);
    /* The part outside the band is a similar triangle, 7 / 16 as long. */
    double whole = 0.5 * 16 * 50 * 2 * 50, cut = 7.0 / 16 * 7 / 16;
    cr_expect_float_eq(area(), whole * (1 - cut), 1);
}

Test(clip, without_guard_band_the_view_cuts)
{
    triangle();
    rig.draw.clip.guardband_clip_test_enable = false;
    rig_vertex(1, 3, -1, 0, 1, 1);
    rig_draw();
    cr_expect_eq(rig.prim_count, 2);
    cr_expect_float_eq(area(), 0.5 * 200 * 100 * 0.75, 1e-2);
}

Test(clip, outside_of_one_plane_is_rejected)
{
    triangle();
    for (unsigned i = 0; i < 3; i++)
        rig_vertex(i, 2 + (float)i, i == 2, 0, 1, 0);
    rig_draw();
    cr_expect_eq(rig.prim_count, 0);
    cr_expect_eq(rig.stats.cl_invocations, 1);
    cr_expect_eq(rig.stats.cl_primitives, 0);
}

Test(clip, points_and_lines_without_xy_test_stay)
{
    rig_init(GEN9_3DPRIM_POINTLIST, 1);
    rig_clip();
    rig_vertex(0, 1.1f, 0, 0, 1, 0);
    rig_draw();
    cr_expect_eq(rig.prim_count, 0);
    rig.draw.clip.viewport_xy_clip_test_enable = false;
    rig_draw();
    cr_expect_eq(rig.prim_count, 1);
    rig_vertex(0, 1.1f, 0, 1.1f, 1, 0);
    rig_draw();
    cr_expect_eq(rig.prim_count, 1, "still cut by z");
}

Test(clip, lines_are_cut_at_both_ends)
{
    rig_init(GEN9_3DPRIM_LINELIST, 2);
    rig_clip();
    rig_vertex(0, 0, 0, -2, 1, 0);
    rig_vertex(1, 0, 1, 2, 1, 4);
    rig_draw();
    cr_assert_eq(rig.prim_count, 1);
    cr_expect_float_eq(rig.prim[0].y[0], 62.5, 1e-4);
    cr_expect_float_eq(rig.prim[0].y[1], 87.5, 1e-4);
    cr_expect_float_eq(rig.prim[0].attr[0][0], 1, 1e-6);
    cr_expect_float_eq(rig.prim[0].attr[1][0], 3, 1e-6);
    cr_expect_eq(rig.prim[0].flat[0], 4);
}

Test(clip, user_distance_cuts)
{
    triangle();
    /* Slot 2, the attribute, holds the clip distances: negative beyond the
     * middle of the edges to vertex 2. */
    rig.draw.clip.force_user_clip_distance_clip_test_enable_bitmask = true;
    rig.draw.clip.user_clip_distance_clip_test_enable_bitmask = 1;
    rig_vertex(0, -1, -1, 0, 1, 1);
    rig_vertex(1, 1, -1, 0, 1, 1);
    rig_vertex(2, -1, 1, 0, 1, -1);
    rig_draw();
    cr_expect_eq(rig.prim_count, 2);
    cr_expect_float_eq(area(), 5000 * 0.75, 1e-3);
    rig.prim_count = 0;
    rig_vertex(2, -1, 1, 0, 1, NAN);
    rig_vertex(1, 1, -1, 0, 1, NAN);
    rig_vertex(0, -1, -1, 0, 1, NAN);
    rig_draw();
    cr_expect_eq(rig.prim_count, 0, "NaN is outside");
}

Test(clip, stage_mask_counts_when_not_forced)
{
    triangle();
    rig.draw.vs.user_clip_distance_clip_test_enable_bitmask = 1;
    rig_vertex(2, -1, 1, 0, 1, -1);
    rig_vertex(0, -1, -1, 0, 1, 1);
    rig_draw();
    cr_expect_eq(rig.prim_count, 2);
}

Test(clip, cull_distance_drops_only_the_wholly_negative)
{
    triangle();
    rig.draw.vs.user_clip_distance_cull_test_enable_bitmask = 1;
    rig_vertex(0, -1, -1, 0, 1, -1);
    rig_vertex(1, 1, -1, 0, 1, -1);
    rig_vertex(2, -1, 1, 0, 1, 1);
    rig_draw();
    cr_expect_eq(rig.prim_count, 1);
    cr_expect_float_eq(area(), 5000, 1e-3);
    rig_vertex(2, -1, 1, 0, 1, -1);
    rig_draw();
    cr_expect_eq(rig.prim_count, 1);
}

Test(clip, modes)
{
    triangle();
    rig.draw.clip.clip_mode = 3;
    rig_draw();
    cr_expect_eq(rig.prim_count, 0);
    cr_expect_eq(rig.stats.cl_invocations, 1);
    rig.draw.clip.clip_mode = 4;
    rig_vertex(2, -1, 1, 3, 1, 2);
    rig_draw();
    cr_expect_eq(rig.prim_count, 1);
    cr_expect_eq(rig.prim[0].z[2], 2);
}

Test(clip, nan_and_infinity_do_no_harm)
{
    triangle();
    rig_vertex(2, NAN, 1, 0, 1, 2);
    rig_draw();
    cr_expect_eq(rig.prim_count, 0);
    rig_vertex(2, INFINITY, 1, 0, 1, 2);
    rig_draw();
    rig_vertex(2, -1, 1, 0, INFINITY, 2);
    rig_draw();
    rig_vertex(2, -1, 1, 0, 0, 2);
    rig_draw();
    for (unsigned i = 0; i < rig.prim_count; i++)
        for (unsigned k = 0; k < 3; k++)
            cr_expect(isfinite(rig.prim[i].x[k]));
}

Test(clip, viewport_and_layer_come_from_the_header)
{
    triangle();
    for (unsigned i = 0; i < 3; i++) {
        uint32_t header[4] = {0, 5, 3, bits_from_float(7)};
        memcpy(rig.memory + i * 48, header, 16);
    }
    rig_draw();
    cr_assert_eq(rig.prim_count, 1);
    cr_expect_eq(rig.prim[0].p.viewport, 3);
    cr_expect_eq(rig.prim[0].p.layer, 5);
    cr_expect_eq(rig.prim[0].p.point_width, 7);
    cr_expect_eq(rig.prim[0].x[0], 300);
    rig.draw.clip.maximum_vp_index = 2;
    rig.draw.clip.force_zero_rta_index_enable = true;
    rig_draw();
    cr_expect_eq(rig.prim[1].p.viewport, 0);
    cr_expect_eq(rig.prim[1].p.layer, 0);
}

Test(clip, clipper_off_passes_screen_coordinates)
{
    rig_init(GEN9_3DPRIM_RECTLIST, 3);
    rig_vertex(0, 640, 480, 0.25f, 1, 0);
    rig_vertex(1, 0, 480, 0.25f, 1, 0);
    rig_vertex(2, 0, 0, 0.25f, 1, 0);
    rig_draw();
    cr_assert_eq(rig.prim_count, 1);
    cr_expect_eq(rig.prim[0].p.kind, PRIM_RECT);
    cr_expect_eq(rig.prim[0].x[0], 640);
    cr_expect_eq(rig.prim[0].y[1], 480);
    cr_expect_eq(rig.prim[0].z[2], 0.25f);
    cr_expect_eq(rig.prim[0].p.v[0].w_inv, 1);
}

Test(clip, provoking_vertex_of_lists_strips_and_fans)
{
    /* Vertex that gives flat values to object 1 (odd, in a strip), by provoking
     * vertex select: strip order i, i + 1, i + 2. */
    static const struct {
        unsigned topology, select;
        float flat;
    } row[] = {
        {GEN9_3DPRIM_TRISTRIP, 0, 1},  {GEN9_3DPRIM_TRISTRIP, 1, 2},
        {GEN9_3DPRIM_TRISTRIP, 2, 3},  {GEN9_3DPRIM_TRIFAN, 0, 0},
        {GEN9_3DPRIM_TRIFAN, 1, 2},    {GEN9_3DPRIM_TRIFAN, 2, 3},
        {GEN9_3DPRIM_QUADLIST, 0, 3},  {GEN9_3DPRIM_QUADLIST, 2, 3},
        {GEN9_3DPRIM_POLYGON, 2, 0},   {GEN9_3DPRIM_LINESTRIP, 0, 1},
        {GEN9_3DPRIM_LINESTRIP, 1, 2},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        rig_init(row[i].topology, 4);
        for (unsigned k = 0; k < 4; k++)
            rig_vertex(k, (float)(k & 1), (float)(k / 2), 0, 1, (float)k);
        rig.draw.sf.triangle_strip_list_provoking_vertex_select = row[i].select;
        rig.draw.sf.triangle_fan_provoking_vertex_select = row[i].select;
        rig.draw.sf.line_strip_list_provoking_vertex_select = row[i].select;
        rig_draw();
        cr_assert_geq(rig.prim_count, 2);
        cr_expect_eq(rig.prim[1].flat[0], row[i].flat, "row %u", i);
        rig_finish();
    }
    rig_init(GEN9_3DPRIM_POINTLIST, 0);
}

Test(clip, strips_keep_one_winding)
{
    rig_init(GEN9_3DPRIM_TRISTRIP, 5);
    for (unsigned k = 0; k < 5; k++)
        rig_vertex(k, (float)(k / 2), (float)(k & 1), 0, 1, 0);
    rig_draw();
    cr_assert_eq(rig.prim_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct rig_prim *r = &rig.prim[i];
        float a = (r->x[1] - r->x[0]) * (r->y[2] - r->y[0]) -
                  (r->x[2] - r->x[0]) * (r->y[1] - r->y[0]);
        cr_expect_lt(a, 0);
    }
}

Test(clip, cut_edges_are_borders_and_inner_ones_are_not)
{
    triangle();
    rig_vertex(2, -1, 1, 3, 1, 2);
    rig_draw();
    cr_assert_eq(rig.prim_count, 2);
    unsigned borders = 0;
    for (unsigned i = 0; i < 2; i++)
        borders += (unsigned)__builtin_popcount(rig.prim[i].p.edge_mask);
    cr_expect_eq(borders, 4, "a quadrangle has four sides");
}

Test(clip, scene_flushes_between_the_parts_of_an_object)
{
    triangle();
    rig.draw.clip.guardband_clip_test_enable = false;
    rig_vertex(0, -3, -3, 0, 1, 3);
    rig_vertex(1, 3, -3, 0, 1, 3);
    rig_vertex(2, 0, 2, 0, 1, 3);
    rig.flush_every = 1;
    rig_draw();
    cr_expect_gt(rig.prim_count, 2);
    cr_expect_eq(rig.flush_count, rig.prim_count);
    for (unsigned i = 0; i < rig.prim_count; i++)
        for (unsigned k = 0; k < 3; k++)
            cr_expect_float_eq(rig.prim[i].attr[k][0], 3, 1e-5);
}

/* a[0] + w[0] * (a[1] - a[0]) + w[1] * (a[2] - a[0]) */
static float
weighted(const float w[2], float a0, float a1, float a2)
{
    return a0 + w[0] * (a1 - a0) + w[1] * (a2 - a0);
}

Test(clip, cut_vertices_know_both_kinds_of_weights)
{
    triangle();
    rig.draw.clip.non_perspective_barycentric_enable = true;
    /* On the screen 50, 50 / 3 wide: w = 3, so at x = -1 / 3, y = 1 / 3. */
    rig_vertex(2, -1, 1, 4, 3, 2);
    rig_draw();
    cr_assert_eq(rig.prim_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct rig_prim *r = &rig.prim[i];
        cr_assert_not_null(r->p.cut);
        for (unsigned k = 0; k < 3; k++) {
            const float *linear = r->cut.linear[k], *persp = r->cut.persp[k];
            cr_expect_float_eq(r->cut_attr[k], (float)k, 0);
            cr_expect_float_eq(weighted(linear, 0, 100, 50 - 50 / 3.0f),
                               r->x[k], 1e-4);
            cr_expect_float_eq(weighted(linear, 0, 0, 50 + 50 / 3.0f), r->y[k],
                               1e-4);
            cr_expect_float_eq(weighted(persp, 0, 1, 2), r->attr[k][0], 1e-5);
        }
    }
}

Test(clip, weights_reach_behind_the_eye)
{
    triangle();
    rig.draw.clip.non_perspective_barycentric_enable = true;
    rig.draw.raster.viewport_z_near_clip_test_enable = false;
    rig.draw.raster.viewport_z_far_clip_test_enable = false;
    /* Its screen position would be 50, -100. */
    rig_vertex(2, 0, 3, 0, -1, 2);
    rig_draw();
    cr_assert_gt(rig.prim_count, 0);
    for (unsigned i = 0; i < rig.prim_count; i++) {
        const struct rig_prim *r = &rig.prim[i];
        cr_assert_not_null(r->p.cut);
        for (unsigned k = 0; k < 3; k++) {
            const float *linear = r->cut.linear[k];
            cr_expect_float_eq(weighted(linear, 0, 100, 50), r->x[k], 1e-3);
            cr_expect_float_eq(weighted(linear, 0, 0, -100), r->y[k], 1e-3);
        }
    }
}

Test(clip, cut_lines_know_both_kinds_of_weights)
{
    rig_init(GEN9_3DPRIM_LINELIST, 2);
    rig_clip();
    rig.draw.clip.non_perspective_barycentric_enable = true;
    /* z = w where w = 7 / 4: a quarter of the way, 4 / 7 on the screen. */
    rig_vertex(0, -1, 0, 0, 1, 0);
    rig_vertex(1, 4, 0, 7, 4, 4);
    rig_draw();
    cr_assert_eq(rig.prim_count, 1);
    const struct rig_prim *r = &rig.prim[0];
    cr_assert_not_null(r->p.cut);
    for (unsigned k = 0; k < 2; k++) {
        cr_expect_float_eq(weighted(r->cut.linear[k], 0, 100, 0), r->x[k],
                           1e-4);
        cr_expect_float_eq(weighted(r->cut.persp[k], 0, 4, 0), r->attr[k][0],
                           1e-5);
    }
    cr_expect_lt(r->x[1], 90);
}

Test(clip, weights_are_left_out_when_nobody_needs_them)
{
    triangle();
    rig_vertex(2, -1, 1, 4, 3, 2);
    rig_draw();
    cr_assert_eq(rig.prim_count, 2);
    cr_expect_null(rig.prim[0].p.cut);
}
