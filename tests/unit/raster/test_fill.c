/* test_fill.c: coverage: the fill rule, rectangles, clipping, points and lines.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "engine/geom/geom.h"
#include "rig.h"

static uint32_t
next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Adds one to the red channel of every pixel drawn. */
static void
use_additive(struct rig *rig)
{
    struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
    e->color_buffer_blend_enable = true;
    e->source_blend_factor = GEN9_BLENDFACTOR_ONE;
    e->destination_blend_factor = GEN9_BLENDFACTOR_ONE;
    for (unsigned c = 0; c < 4; c++)
        rig->color[c] = 1.0f / 255;
}

static unsigned
hits(struct rig *rig, unsigned x, unsigned y)
{
    return rig_texel(rig, 0, x, y, 0)[0];
}

#define GRID 9
#define CELL 14.0f

/* A grid of randomly moved vertices, two triangles per cell: every pixel of the
 * fixed outline must be hit exactly once. */
static void
draw_mesh(struct rig *rig, uint32_t seed)
{
    float px[GRID + 1][GRID + 1], py[GRID + 1][GRID + 1];
    for (unsigned j = 0; j <= GRID; j++) {
        for (unsigned i = 0; i <= GRID; i++) {
            bool border = !i || !j || i == GRID || j == GRID;
            /* Multiples of 1/4 put many vertices and edges on centres. */
            float dx = (float)(next_random(&seed) % 25) / 4 - 3;
            float dy = (float)(next_random(&seed) % 25) / 4 - 3;
            px[j][i] = (float)i * CELL + (border ? 0 : dx);
            py[j][i] = (float)j * CELL + (border ? 0 : dy);
        }
    }
    struct prim prims[GRID * GRID * 2];
    unsigned n = 0;
    for (unsigned j = 0; j < GRID; j++) {
        for (unsigned i = 0; i < GRID; i++) {
            float a[6] = {px[j][i],     py[j][i],     px[j][i + 1],
                          py[j][i + 1], px[j + 1][i], py[j + 1][i]};
            float b[6] = {px[j][i + 1], py[j][i + 1],     px[j + 1][i],
                          py[j + 1][i], px[j + 1][i + 1], py[j + 1][i + 1]};
            prims[n++] = rig_triangle(rig, a, 0);
            prims[n++] = rig_triangle(rig, b, 0);
        }
    }
    rig_draw(rig, prims, n);
}

Test(fill, shared_edges_are_hit_once)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        struct rig *rig = rig_create(0);
        use_additive(rig);
        draw_mesh(rig, seed * 7919);
        for (unsigned y = 0; y < RIG_PX; y++) {
            for (unsigned x = 0; x < RIG_PX; x++) {
                unsigned want = x < GRID * CELL && y < GRID * CELL;
                cr_assert_eq(hits(rig, x, y), want, "seed %u (%u,%u): %u", seed,
                             x, y, hits(rig, x, y));
            }
        }
        rig_destroy(rig);
    }
}

Test(fill, shared_edges_are_hit_once_per_sample)
{
    struct rig *rig = rig_create(0);
    use_additive(rig);
    rig_target(rig, 0, 0x0c7, 4, 4);
    rig->draw.samples = 4;
    rig->draw.raster.dx_multisample_rasterization_enable = true;
    static const uint8_t sx[4] = {6, 14, 2, 10}, sy[4] = {2, 6, 10, 14};
    memcpy(rig->draw.sample_x, sx, 4);
    memcpy(rig->draw.sample_y, sy, 4);
    draw_mesh(rig, 4711);
    for (unsigned y = 0; y < RIG_PX; y++) {
        for (unsigned x = 0; x < RIG_PX; x++) {
            for (unsigned s = 0; s < 4; s++) {
                unsigned want = x < GRID * CELL && y < GRID * CELL;
                cr_assert_eq(rig_texel(rig, 0, x, y, s)[0], want);
            }
        }
    }
    rig_destroy(rig);
}

Test(fill, threads_do_not_change_a_byte)
{
    struct rig *one = rig_create(0), *many = rig_create(3);
    use_additive(one);
    use_additive(many);
    draw_mesh(one, 99);
    draw_mesh(many, 99);
    cr_assert_eq(
        memcmp(one->memory[0], many->memory[0], one->target[0].limit_B), 0);
    rig_destroy(one);
    rig_destroy(many);
}

static void
expect_box(struct rig *rig, unsigned x0, unsigned y0, unsigned x1, unsigned y1)
{
    for (unsigned y = 0; y < RIG_PX; y++) {
        for (unsigned x = 0; x < RIG_PX; x++) {
            bool want = x >= x0 && x < x1 && y >= y0 && y < y1;
            cr_assert_eq(rig_rgba8(rig, x, y) != 0, want, "(%u,%u)", x, y);
        }
    }
}

Test(fill, rectangle_is_half_open)
{
    struct rig *rig = rig_create(0);
    struct prim p = rig_rect(rig, 3, 5, 70, 66, 0);
    rig_draw(rig, &p, 1);
    expect_box(rig, 3, 5, 70, 66);
    cr_assert_eq(rig->stats.ps_depth_count, 67 * 61);
    cr_assert_eq(rig->stats.ps_invocations, 67 * 61);
    rig_destroy(rig);
}

Test(fill, rectangle_edges_on_centres)
{
    struct rig *rig = rig_create(0);
    struct prim p = rig_rect(rig, 3.5f, 5.5f, 10.5f, 12.5f, 0);
    rig_draw(rig, &p, 1);
    expect_box(rig, 3, 5, 10, 12);
    rig_destroy(rig);
}

Test(fill, scissor_and_drawing_rectangle_are_inclusive)
{
    struct rig *rig = rig_create(0);
    struct draw *d = &rig->draw;
    d->raster.scissor_rectangle_enable = true;
    d->scissor[0] = (struct gen9_scissor_rect){10, 20, 29, 39};
    d->drawing_rect.clipped_drawing_rectangle_x_max = 25;
    struct prim p = rig_rect(rig, -50, -50, 500, 500, 0);
    rig_draw(rig, &p, 1);
    expect_box(rig, 10, 20, 26, 40);
    rig_destroy(rig);
}

Test(fill, empty_scissor_draws_nothing)
{
    struct rig *rig = rig_create(0);
    rig->draw.raster.scissor_rectangle_enable = true;
    rig->draw.scissor[0] = (struct gen9_scissor_rect){1, 1, 0, 0};
    struct prim p = rig_rect(rig, 0, 0, 128, 128, 0);
    rig_draw(rig, &p, 1);
    expect_box(rig, 0, 0, 0, 0);
    rig_destroy(rig);
}

Test(fill, culling_follows_winding)
{
    static const float ccw[6] = {10, 10, 10, 50, 50, 10}; /* as seen */
    for (unsigned cull = 0; cull < 4; cull++) {
        struct rig *rig = rig_create(0);
        rig->draw.raster.cull_mode = cull;
        struct prim p = rig_triangle(rig, ccw, 0);
        rig_draw(rig, &p, 1);
        bool want = cull == GEN9_3DSTATE_RASTER_CULL_MODE_NONE ||
                    cull == GEN9_3DSTATE_RASTER_CULL_MODE_BACK;
        cr_assert_eq(rig_rgba8(rig, 20, 20) != 0, want, "mode %u", cull);
        rig_destroy(rig);
    }
}

Test(fill, hostile_coordinates_end)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 0};
    struct rig *rig = rig_create(0);
    rig->draw.raster.front_face_fill_mode = 1;
    for (unsigned i = 0; i < 216; i++) {
        float xy[6] = {bad[i % 6], bad[i / 6 % 6],   bad[i / 36],
                       64,         bad[(i + 1) % 6], 100};
        struct prim p = rig_triangle(rig, xy, bad[i % 5]);
        p.kind = (uint8_t)(i % 4);
        p.point_width = bad[i % 6];
        rig_draw(rig, &p, 1);
    }
    rig_destroy(rig);
}

static struct prim
make_line(struct rig *rig, float x0, float y0, float x1, float y1)
{
    const float xy[6] = {x0, y0, x1, y1, 0, 0};
    struct prim p = rig_triangle(rig, xy, 0);
    p.kind = PRIM_LINE;
    return p;
}

Test(fill, thin_line_leaves_out_its_last_pixel)
{
    struct rig *rig = rig_create(0);
    rig->draw.sf.line_width = 1;
    struct prim p = make_line(rig, 2.5f, 8.5f, 12.5f, 8.5f);
    rig_draw(rig, &p, 1);
    expect_box(rig, 2, 8, 12, 9);
    rig_destroy(rig);
}

Test(fill, connected_thin_lines_do_not_overlap)
{
    struct rig *rig = rig_create(0);
    use_additive(rig);
    rig->draw.sf.line_width = 1;
    /* A closed polygon with corners on centres. */
    static const float c[5][2] = {{10.5f, 10.5f},
                                  {90.5f, 30.5f},
                                  {100.5f, 80.5f},
                                  {20.5f, 110.5f},
                                  {10.5f, 10.5f}};
    struct prim p[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = make_line(rig, c[i][0], c[i][1], c[i + 1][0], c[i + 1][1]);
    rig_draw(rig, p, 4);
    unsigned total = 0;
    for (unsigned y = 0; y < RIG_PX; y++) {
        for (unsigned x = 0; x < RIG_PX; x++) {
            cr_assert_leq(hits(rig, x, y), 1, "(%u,%u)", x, y);
            total += hits(rig, x, y);
        }
    }
    cr_assert_eq(total, 80 + 50 + 80 + 100);
    rig_destroy(rig);
}

Test(fill, wide_line_has_its_width_in_every_column)
{
    struct rig *rig = rig_create(0);
    use_additive(rig);
    rig->draw.sf.line_width = 5;
    struct prim p = make_line(rig, 10, 20, 90, 47);
    rig_draw(rig, &p, 1);
    for (unsigned x = 10; x < 90; x++) {
        unsigned n = 0;
        for (unsigned y = 0; y < RIG_PX; y++)
            n += hits(rig, x, y);
        cr_assert_eq(n, 5, "column %u has %u", x, n);
    }
    rig_destroy(rig);
}

Test(fill, line_stipple_repeats)
{
    struct rig *rig = rig_create(0);
    struct draw *d = &rig->draw;
    d->sf.line_width = 1;
    d->wm.line_stipple_enable = true;
    d->line_stipple.line_stipple_pattern = 0x00ff;
    d->line_stipple.line_stipple_repeat_count = 2;
    struct prim p = make_line(rig, 0.5f, 4.5f, 100.5f, 4.5f);
    rig_draw(rig, &p, 1);
    for (unsigned x = 0; x < 100; x++)
        cr_assert_eq(rig_rgba8(rig, x, 4) != 0, x % 32 < 16, "%u", x);
    rig_destroy(rig);
}

Test(fill, points_are_squares)
{
    struct rig *rig = rig_create(0);
    rig->draw.sf.point_width = 6;
    rig->draw.sf.point_width_source = GEN9_3DSTATE_SF_POINT_WIDTH_SOURCE_STATE;
    struct prim p = make_line(rig, 20, 30, 0, 0);
    p.kind = PRIM_POINT;
    rig_draw(rig, &p, 1);
    expect_box(rig, 17, 27, 23, 33);
    rig_destroy(rig);
}

Test(fill, one_pixel_point_on_a_corner_follows_the_rule)
{
    struct rig *rig = rig_create(0);
    rig->draw.wm.point_rasterization_rule =
        GEN9_3DSTATE_WM_POINT_RASTERIZATION_RULE_RASTRULE_UPPER_RIGHT;
    struct prim p = make_line(rig, 20, 30, 0, 0);
    p.kind = PRIM_POINT;
    p.point_width = 1;
    rig_draw(rig, &p, 1);
    expect_box(rig, 20, 29, 21, 30);
    rig_destroy(rig);
}

Test(fill, wireframe_draws_marked_edges_only)
{
    struct rig *rig = rig_create(0);
    rig->draw.raster.front_face_fill_mode = 1;
    rig->draw.raster.back_face_fill_mode = 1;
    rig->draw.sf.line_width = 1;
    static const float xy[6] = {10.5f, 10.5f, 10.5f, 50.5f, 50.5f, 10.5f};
    struct prim p = rig_triangle(rig, xy, 0);
    p.edge_mask = 1;
    rig_draw(rig, &p, 1);
    expect_box(rig, 10, 10, 11, 50);
    rig_destroy(rig);
}

Test(fill, polygon_stipple_takes_rows_and_columns)
{
    struct rig *rig = rig_create(0);
    rig->draw.wm.polygon_stipple_enable = true;
    for (unsigned i = 0; i < 32; i++)
        rig->draw.poly_stipple[i] = i == 3 ? 0x80000001 : 0;
    static const float xy[6] = {-10, -10, 300, -10, -10, 300};
    struct prim p = rig_triangle(rig, xy, 0);
    rig_draw(rig, &p, 1);
    for (unsigned y = 0; y < 64; y++) {
        for (unsigned x = 0; x < 64; x++) {
            bool want = y % 32 == 3 && (x % 32 == 0 || x % 32 == 31);
            cr_assert_eq(rig_rgba8(rig, x, y) != 0, want);
        }
    }
    rig_destroy(rig);
}

/* How far (x, y) lies inside of edge i of a clockwise triangle. */
static double
inside(const float xy[6], unsigned i, double x, double y)
{
    const float *p = &xy[2 * i], *q = &xy[2 * ((i + 1) % 3)];
    return ((double)q[0] - (double)p[0]) * (y - (double)p[1]) -
           ((double)q[1] - (double)p[1]) * (x - (double)p[0]);
}

/* Twice the area that the triangle shares with a pixel, grown by `grow`: clips
 * the pixel's polygon at each edge. */
static double
common_area(const float xy[6], unsigned px, unsigned py, double grow)
{
    double x0 = px - grow, x1 = px + 1 + grow;
    double y0 = py - grow, y1 = py + 1 + grow;
    double x[2][16] = {{x0, x1, x1, x0}}, y[2][16] = {{y0, y0, y1, y1}};
    unsigned n = 4, at = 0;
    for (unsigned e = 0; e < 3; e++) {
        unsigned m = 0;
        for (unsigned i = 0; i < n; i++) {
            unsigned k = (i + 1) % n;
            double a = inside(xy, e, x[at][i], y[at][i]);
            double b = inside(xy, e, x[at][k], y[at][k]), t = a / (a - b);
            if (a >= 0) {
                x[!at][m] = x[at][i];
                y[!at][m++] = y[at][i];
            }
            if ((a >= 0) != (b >= 0)) {
                x[!at][m] = x[at][i] + t * (x[at][k] - x[at][i]);
                y[!at][m++] = y[at][i] + t * (y[at][k] - y[at][i]);
            }
        }
        n = m;
        at = !at;
    }
    double area = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned k = (i + 1) % n;
        area += x[at][i] * y[at][k] - x[at][k] * y[at][i];
    }
    return area;
}

static bool
holds_pixel(const float xy[6], unsigned x, unsigned y)
{
    for (unsigned e = 0; e < 3; e++)
        for (unsigned i = 0; i < 4; i++)
            if (inside(xy, e, x + (i & 1), y + (i >> 1)) < 0)
                return false;
    return true;
}

static void
random_clockwise(float xy[6], uint32_t *seed)
{
    for (unsigned i = 0; i < 6; i++)
        xy[i] = (float)(next_random(seed) % (RIG_PX * 16)) / 16;
    if (inside(xy, 0, (double)xy[4], (double)xy[5]) < 0) {
        float x = xy[0], y = xy[1];
        xy[0] = xy[2];
        xy[1] = xy[3];
        xy[2] = x;
        xy[3] = y;
    }
}

Test(fill, conservative_triangles_take_what_they_touch)
{
    uint32_t seed = 4;
    for (unsigned round = 0; round < 8; round++) {
        struct rig *rig = rig_create(0);
        float xy[6];
        random_clockwise(xy, &seed);
        rig->draw.raster.conservative_rasterization_enable = true;
        use_additive(rig);
        struct prim p = rig_triangle(rig, xy, 0);
        rig_draw(rig, &p, 1);
        for (unsigned y = 0; y < RIG_PX; y++)
            for (unsigned x = 0; x < RIG_PX; x++)
                /* For pixels that only touch, the fill rule decides. */
                cr_assert(hits(rig, x, y) ? common_area(xy, x, y, 1e-6) > 0
                                          : common_area(xy, x, y, 0) < 1e-9,
                          "triangle %u at %u, %u", round, x, y);
        rig_destroy(rig);
    }
}

/* Writes 0 to lanes whose coverage mask is empty. */
static void
shade_coverage(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    uint32_t color[8][8] = {{0}};
    const uint32_t *mask = eu_grf(t, 2);
    for (unsigned i = 0; i < 16; i++)
        color[i / 8][i % 8] = bits_from_float(mask[i] ? 1 : 0.5f);
    rig_rt_write(env, t, 0x1000, false, 0xffff, color[0], 8);
}

Test(fill, inner_coverage_is_of_whole_pixels)
{
    uint32_t seed = 5;
    for (unsigned round = 0; round < 8; round++) {
        struct rig *rig = rig_create(0);
        float xy[6];
        random_clockwise(xy, &seed);
        rig->draw.raster.conservative_rasterization_enable = round & 1;
        rig->draw.ps_extra.input_coverage_mask_state =
            GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_INNER_CONSERVATIVE;
        rig->shader = shade_coverage;
        struct prim p = rig_triangle(rig, xy, 0);
        rig_draw(rig, &p, 1);
        for (unsigned y = 0; y < RIG_PX; y++) {
            for (unsigned x = 0; x < RIG_PX; x++) {
                unsigned red = hits(rig, x, y);
                cr_assert_eq(red == 255, holds_pixel(xy, x, y),
                             "triangle %u at %u, %u", round, x, y);
            }
        }
        rig_destroy(rig);
    }
}

/* ---- triangles of a few pixels ------------------------------------------ */

/* Whether a point lies inside by the D3D rule; clockwise with y down, all in
 * 1/256. */
static bool
is_inside(const int32_t x[3], const int32_t y[3], int32_t px, int32_t py)
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned k = (i + 1) % 3;
        int32_t dx = x[k] - x[i], dy = y[k] - y[i];
        int32_t d = dx * (py - y[i]) - dy * (px - x[i]);
        bool owns = dy < 0 || (dy == 0 && dx > 0); /* left, top */
        if (d < 0 || (d == 0 && !owns))
            return false;
    }
    return true;
}

static struct prim
random_tiny(struct rig *rig, uint32_t *seed, int32_t x[3], int32_t y[3])
{
    float xy[6];
    int32_t side = 16 << next_random(seed) % 8; /* up to eight pixels */
    int32_t grid = next_random(seed) % 3 ? 1 : 128;
    int32_t x0 = (int32_t)(next_random(seed) % (20 * 256)) - 512;
    int32_t y0 = (int32_t)(next_random(seed) % (20 * 256)) - 512;
    for (unsigned i = 0; i < 3; i++) {
        x[i] = (x0 + (int32_t)next_random(seed) % side) / grid * grid;
        y[i] = (y0 + (int32_t)next_random(seed) % side) / grid * grid;
        xy[2 * i] = (float)x[i] / 256;
        xy[2 * i + 1] = (float)y[i] / 256;
    }
    return rig_triangle(rig, xy, 0);
}

static void
add_tri(struct prim_list *list, const struct prim *p)
{
    struct geom_vert v[3];
    const struct prim_tri tri = {.corner = {0, 1, 2}};
    const struct prim_mesh mesh = {.corner = &v->p, .vue_slots = p->vue_slots};
    for (unsigned i = 0; i < 3; i++)
        v[i].p = (struct prim_corner){p->v[i], prim_snap(p->v[i].x),
                                      prim_snap(p->v[i].y)};
    scene_add_triangles(list, &mesh, &tri, 1, 1);
}

static void
draw_run(struct rig *rig, const struct prim *p)
{
    struct scene *sc = scene_create(&rig->draw);
    add_tri(scene_list(sc, 0), p);
    scene_destroy(sc);
}

Test(fill, tiny_triangles_hit_the_centres_inside)
{
    struct rig *rig = rig_create(0);
    uint32_t seed = 5;
    unsigned expect[20][20] = {0};
    use_additive(rig);
    for (unsigned n = 0; n < 3000; n++) {
        int32_t x[3], y[3];
        struct prim p = random_tiny(rig, &seed, x, y);
        if (n % 2)
            draw_run(rig, &p);
        else
            rig_draw(rig, &p, 1);
        if ((x[1] - x[0]) * (y[2] - y[0]) < (x[2] - x[0]) * (y[1] - y[0])) {
            int32_t t = x[1];
            x[1] = x[2];
            x[2] = t;
            t = y[1];
            y[1] = y[2];
            y[2] = t;
        }
        bool area = (x[1] - x[0]) * (y[2] - y[0]) !=
                    (x[2] - x[0]) * (y[1] - y[0]);
        for (int32_t j = 0; j < 20; j++)
            for (int32_t i = 0; i < 20; i++)
                expect[j][i] += area &&
                                is_inside(x, y, i * 256 + 128, j * 256 + 128);
        for (unsigned j = 0; j < 20; j++)
            for (unsigned i = 0; i < 20; i++)
                cr_assert_eq(hits(rig, i, j), MIN2(expect[j][i], 255u),
                             "triangle %u pixel %u %u", n, i, j);
    }
    rig_destroy(rig);
}

static int32_t
random_below(uint32_t *seed, int32_t n)
{
    return (int32_t)(next_random(seed) % (uint32_t)n);
}

/* Anywhere on the largest surface, including corners on centres and edges. */
static void
random_small(uint32_t *seed, struct edge edge[3], struct small *sm)
{
    int32_t x[3], y[3];
    int32_t grid = random_below(seed, 3) ? 1 : 64;
    int32_t x0 = random_below(seed, SCREEN_MAX_PX * SUBPIXEL),
            y0 = random_below(seed, 20 * SUBPIXEL);
    int32_t side = 1 + random_below(seed, SMALL_MAX_SUBPX);
    for (unsigned i = 0; i < 3; i++) {
        x[i] = (x0 + random_below(seed, side)) / grid * grid;
        y[i] = (y0 + random_below(seed, side)) / grid * grid;
    }
    for (unsigned i = 0; i < 3; i++)
        setup_edge(&edge[i], x[i], y[i], x[(i + 1) % 3], y[(i + 1) % 3]);
    sm->x0 = x0 / SUBPIXEL + random_below(seed, 3);
    sm->y0 = y0 / SUBPIXEL + random_below(seed, 3);
    int32_t most = random_below(seed, 2) ? 9 : 17;
    int32_t width = random_below(seed, most), height = random_below(seed, most);
    sm->x1 = MIN2(sm->x0 + width, (sm->x0 & ~3) + 16);
    sm->y1 = MIN2(sm->y0 + height, (sm->y0 & ~3) + 16);
}

/* A triangle with area, and its complete box, limited to four blocks each way.
 */
static bool
random_whole(uint32_t *seed, struct edge edge[3], struct small *sm)
{
    int32_t x[3], y[3];
    int32_t grid = random_below(seed, 3) ? 1 : 64;
    int32_t x0 = random_below(seed, SCREEN_MAX_PX * SUBPIXEL);
    int32_t y0 = random_below(seed, 20 * SUBPIXEL);
    int32_t side = 1 + random_below(seed, SMALL_MAX_SUBPX);
    for (unsigned i = 0; i < 3; i++) {
        x[i] = (x0 + random_below(seed, side)) / grid * grid;
        y[i] = (y0 + random_below(seed, side)) / grid * grid;
    }
    int64_t area = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) -
                   (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    for (unsigned i = 0; i < 3; i++) {
        unsigned from = area < 0 ? (i + 1) % 3 : i;
        unsigned to = area < 0 ? i : (i + 1) % 3;
        setup_edge(&edge[i], x[from], y[from], x[to], y[to]);
    }
    sm->x0 = (MIN2(x[0], MIN2(x[1], x[2])) + 127) / SUBPIXEL;
    sm->y0 = (MIN2(y[0], MIN2(y[1], y[2])) + 127) / SUBPIXEL;
    sm->x1 = (MAX2(x[0], MAX2(x[1], x[2])) + 128) / SUBPIXEL;
    sm->y1 = (MAX2(y[0], MAX2(y[1], y[2])) + 128) / SUBPIXEL;
    return area && sm->x0 < sm->x1 && sm->y0 < sm->y1 &&
           sm->x1 <= (sm->x0 & ~3) + 16 && sm->y1 <= (sm->y0 & ~3) + 16;
}

Test(fill, boxes_of_whole_triangles_leave_nothing_out)
{
    uint32_t seed = 4;
    unsigned some = 0;
    for (unsigned n = 0; n < 100000; n++) {
        struct edge edge[3];
        struct small a, b;
        if (!random_whole(&seed, edge, &a))
            continue;
        b = a;
        bool any = setup_small(edge, &a, false);
        setup_small_ref(edge, &b);
        cr_assert_arr_eq(a.square, b.square, sizeof a.square, "triangle %u", n);
        some += any;
    }
    cr_expect_gt(some, 10000);
}

/* A tile's blocks from setup and from coverage are equal, in the same order. */
static void
compare_lists(const struct edge edge[3], const struct small *sm)
{
    static struct worker w;
    static struct scene sc = {.samples = 1,
                              .sample_x = {128},
                              .sample_y = {128},
                              .clip_x1 = {SCREEN_MAX_PX},
                              .clip_y1 = {SCREEN_MAX_PX}};
    struct setup s = {.scene = &sc,
                      .cover = COVER_EDGES,
                      .kind = PRIM_TRIANGLE,
                      .edge_count = 3,
                      .small = true,
                      .x0 = sm->x0,
                      .y0 = sm->y0,
                      .x1 = sm->x1,
                      .y1 = sm->y1};
    memcpy(s.edge, edge, 3 * sizeof *edge);
    memcpy(s.square, sm->square, sizeof s.square);
    sc.clip_x0[0] = sm->x0;
    sc.clip_y0[0] = sm->y0;
    sc.clip_x1[0] = sm->x1;
    sc.clip_y1[0] = sm->y1;
    w.scene = &sc;
    for (unsigned tile = 0; tile < 4; tile++) {
        struct cover_block known[COVER_BLOCKS];
        w.tile_x = sm->x0 / TILE_PX * TILE_PX + (tile & 1 ? TILE_PX : 0);
        w.tile_y = sm->y0 / TILE_PX * TILE_PX + (tile & 2 ? TILE_PX : 0);
        s.small = true;
        unsigned count = cover_blocks(&w, &s) ? w.cover.count : 0;
        memcpy(known, w.cover.block, sizeof known);
        s.small = false;
        for (unsigned narrow = 0; narrow < 2; narrow++) {
            s.narrow = narrow;
            unsigned again = cover_blocks(&w, &s) ? w.cover.count : 0;
            cr_assert_eq(count, again, "%u blocks, not %u", count, again);
            cr_assert(!memcmp(known, w.cover.block, count * sizeof *known));
        }
    }
}

Test(fill, blocks_of_small_triangles_are_pixels)
{
    uint32_t seed = 3;
    unsigned some = 0;
    for (unsigned n = 0; n < 200000; n++) {
        struct edge edge[3];
        struct small a, b;
        random_small(&seed, edge, &a);
        b = a;
        bool any = setup_small(edge, &a, true);
        setup_small_ref(edge, &b);
        uint64_t all = b.square[0] | b.square[1] | b.square[2] | b.square[3];
        cr_assert_eq(any, all != 0);
        for (unsigned i = 0; i < 4; i++) {
            cr_assert_eq(a.square[i], b.square[i],
                         "triangle %u square %u: %" PRIx64 " %" PRIx64, n, i,
                         a.square[i], b.square[i]);
            some += a.square[i] != 0;
        }
        if (any)
            compare_lists(edge, &a);
    }
    cr_expect_gt(some, 10000);
}
