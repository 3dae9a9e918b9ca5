/* test_depth_test.c: depth and stencil: operations, formats, early against late
 * tests. */
#include <criterion/criterion.h>
#include <math.h>

#include "rig.h"

enum { R32_FLOAT = 0x0d8, R24_UNORM_X8 = 0x0d9, R16_UNORM = 0x10a };

Test(depth, compare_functions)
{
    /* results for a < b, a == b, a > b */
    static const uint8_t want[8][3] = {
        [GEN9_COMPAREFUNCTION_ALWAYS] = {1, 1, 1},
        [GEN9_COMPAREFUNCTION_NEVER] = {0, 0, 0},
        [GEN9_COMPAREFUNCTION_LESS] = {1, 0, 0},
        [GEN9_COMPAREFUNCTION_EQUAL] = {0, 1, 0},
        [GEN9_COMPAREFUNCTION_LEQUAL] = {1, 1, 0},
        [GEN9_COMPAREFUNCTION_GREATER] = {0, 0, 1},
        [GEN9_COMPAREFUNCTION_NOTEQUAL] = {1, 0, 1},
        [GEN9_COMPAREFUNCTION_GEQUAL] = {0, 1, 1},
    };
    for (unsigned f = 0; f < 8; f++) {
        for (int i = 0; i < 3; i++)
            cr_assert_eq(depth_compare(f, i, 1), want[f][i], "%u %d", f, i);
    }
}

Test(depth, stencil_operations)
{
    /* value 0, 1, 254, 255 with reference 0x5a */
    static const uint8_t value[4] = {0, 1, 254, 255};
    static const uint8_t want[8][4] = {
        [GEN9_STENCILOP_KEEP] = {0, 1, 254, 255},
        [GEN9_STENCILOP_ZERO] = {0, 0, 0, 0},
        [GEN9_STENCILOP_REPLACE] = {0x5a, 0x5a, 0x5a, 0x5a},
        [GEN9_STENCILOP_INCRSAT] = {1, 2, 255, 255},
        [GEN9_STENCILOP_DECRSAT] = {0, 0, 253, 254},
        [GEN9_STENCILOP_INCR] = {1, 2, 255, 0},
        [GEN9_STENCILOP_DECR] = {255, 0, 253, 254},
        [GEN9_STENCILOP_INVERT] = {255, 254, 1, 0},
    };
    for (unsigned op = 0; op < 8; op++) {
        for (unsigned i = 0; i < 4; i++)
            cr_assert_eq(depth_stencil_op(op, value[i], 0x5a), want[op][i]);
    }
}

static void
use_depth(struct rig *rig, unsigned format, unsigned func)
{
    rig_depth(rig, format, 1);
    rig->draw.wm_ds.depth_test_enable = true;
    rig->draw.wm_ds.depth_buffer_write_enable = true;
    rig->draw.wm_ds.depth_test_function = func;
}

static uint32_t
depth_at(struct rig *rig, unsigned x, unsigned y)
{
    uint32_t v = 0;
    memcpy(&v, surface_ptr(&rig->draw.depth, 0, x, y, 0, 0),
           rig->draw.depth.fmt->block_bits / 8);
    return v;
}

static void
draw_at(struct rig *rig, float z)
{
    struct prim p = rig_rect(rig, 4, 4, 20, 20, z);
    rig_draw(rig, &p, 1);
}

static uint32_t seed;

static float
random_unit(void)
{
    seed = seed * 1664525 + 1013904223;
    return (float)(seed >> 8) * 0x1p-24f;
}

/* Rectangles of constant depth and sloped triangles, large and small. */
static void
random_prims(struct rig *rig, struct prim *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        float size = random_unit() < 0.5f ? 300 : 40;
        float x = random_unit() * 90 - 20, y = random_unit() * 90 - 20;
        float z = random_unit();
        const float xy[6] = {x, y, x, y + size, x + size, y};
        if (random_unit() < 0.4f) {
            p[i] = rig_rect(rig, floorf(x), floorf(y), floorf(x + size),
                            floorf(y + size), z);
            continue;
        }
        p[i] = rig_triangle(rig, xy, z);
        p[i].v[1].z = random_unit() * 1.4f - 0.2f;
        p[i].v[2].z = random_unit() < 0.5f ? z : random_unit();
    }
}

enum { HEAP = 24 };

/* one_by_one: a stencil test that always passes forces tests pixel by pixel. */
static struct rig *
draw_heap(unsigned format, unsigned func, bool one_by_one)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, format, func);
    memset(rig->depth, func & 4 ? 0x30 : 0x3e, rig->draw.depth.limit_B);
    if (one_by_one) {
        rig_stencil(rig, 1);
        rig->draw.wm_ds.stencil_test_enable = true;
        rig->draw.wm_ds.stencil_test_function = GEN9_COMPAREFUNCTION_ALWAYS;
    }
    struct prim p[HEAP];
    random_prims(rig, p, HEAP);
    for (unsigned i = 0; i < HEAP; i++) {
        rig->color[0] = (float)(i + 1) / HEAP;
        rig_draw(rig, &p[i], 1);
    }
    return rig;
}

Test(depth, blocks_and_tiles_are_pixels)
{
    static const unsigned formats[] = {R32_FLOAT, R24_UNORM_X8, R16_UNORM};
    for (unsigned k = 0; k < 8 * 3 * 6; k++) {
        unsigned format = formats[k % 3], func = k / 3 % 8;
        seed = k;
        struct rig *a = draw_heap(format, func, true);
        seed = k;
        struct rig *b = draw_heap(format, func, false);
        cr_assert(!memcmp(a->depth, b->depth, a->draw.depth.limit_B),
                  "format %x function %u", format, func);
        cr_assert(!memcmp(a->memory[0], b->memory[0], a->target[0].limit_B),
                  "format %x function %u", format, func);
        cr_assert_eq(atomic_load(&a->stats.ps_depth_count),
                     atomic_load(&b->stats.ps_depth_count));
        rig_destroy(a);
        rig_destroy(b);
    }
}

Test(depth, formats_hold_the_nearest_value)
{
    static const struct {
        unsigned format;
        float z;
        uint32_t want;
    } t[] = {
        {R32_FLOAT, 0.3f, 0x3e99999a},  {R24_UNORM_X8, 1, 0xffffff},
        {R24_UNORM_X8, 0.5f, 0x800000}, {R24_UNORM_X8, 0, 0},
        {R16_UNORM, 0.25f, 0x4000},     {R16_UNORM, 1, 0xffff},
        {R16_UNORM, 7, 0xffff},         {R24_UNORM_X8, -2, 0},
        {R24_UNORM_X8, 0.1f, 1677722},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(t); i++) {
        struct rig *rig = rig_create(0);
        use_depth(rig, t[i].format, GEN9_COMPAREFUNCTION_ALWAYS);
        draw_at(rig, t[i].z);
        cr_assert_eq(depth_at(rig, 5, 6), t[i].want, "%u: %x", i,
                     depth_at(rig, 5, 6));
        cr_assert_eq(depth_at(rig, 21, 6), 0);
        rig_destroy(rig);
    }
}

Test(depth, upper_byte_of_d24_is_kept)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, R24_UNORM_X8, GEN9_COMPAREFUNCTION_ALWAYS);
    memset(rig->depth, 0xab, rig->draw.depth.limit_B);
    draw_at(rig, 0);
    cr_assert_eq(depth_at(rig, 5, 5), 0xab000000);
    rig_destroy(rig);
}

Test(depth, test_hides_and_counts)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, R32_FLOAT, GEN9_COMPAREFUNCTION_GREATER);
    draw_at(rig, 0.5f);
    rig->color[0] = 0;
    draw_at(rig, 0.25f);
    cr_assert_eq(rig_rgba8(rig, 5, 5), 0xffffffff);
    draw_at(rig, 0.75f);
    cr_assert_eq(rig_rgba8(rig, 5, 5), 0xffffff00);
    cr_assert_eq(rig->stats.ps_depth_count, 2 * 256);
    rig_destroy(rig);
}

Test(depth, statistics_off_counts_nothing)
{
    struct rig *rig = rig_create(0);
    rig->draw.wm.statistics_enable = false;
    draw_at(rig, 0.5f);
    cr_assert_eq(rig->stats.ps_depth_count, 0);
    cr_assert_eq(rig->stats.ps_invocations, 0);
    rig_destroy(rig);
}

Test(depth, clamped_to_the_viewport)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, R32_FLOAT, GEN9_COMPAREFUNCTION_ALWAYS);
    rig->draw.cc_viewport[0] = (struct gen9_cc_viewport){0.25f, 0.75f};
    draw_at(rig, 0.9f);
    cr_assert_eq(depth_at(rig, 5, 5), bits_from_float(0.75f));
    draw_at(rig, 0.1f);
    cr_assert_eq(depth_at(rig, 5, 5), bits_from_float(0.25f));
    rig_destroy(rig);
}

Test(depth, no_pixel_shader_still_writes_depth)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, R32_FLOAT, GEN9_COMPAREFUNCTION_ALWAYS);
    rig->draw.ps_extra.pixel_shader_valid = false;
    draw_at(rig, 0.5f);
    cr_assert_eq(depth_at(rig, 5, 5), bits_from_float(0.5f));
    cr_assert_eq(rig_rgba8(rig, 5, 5), 0);
    cr_assert_eq(rig->runs, 0);
    rig_destroy(rig);
}

/* Drops every other lane. */
static void
shade_killing(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    t->sr0[2] &= 0x5555;
    rig_shade_constant(rig, t, env);
}

Test(depth, killed_pixels_leave_no_trace)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, R32_FLOAT, GEN9_COMPAREFUNCTION_ALWAYS);
    rig_stencil(rig, 1);
    struct gen9_3dstate_wm_depth_stencil *ds = &rig->draw.wm_ds;
    ds->stencil_test_enable = ds->stencil_buffer_write_enable = true;
    ds->stencil_pass_depth_pass_op = GEN9_STENCILOP_INCR;
    ds->stencil_test_mask = ds->stencil_write_mask = 0xff;
    rig->draw.ps_extra.pixel_shader_kills_pixel = true;
    rig->shader = shade_killing;
    draw_at(rig, 0.5f);
    for (unsigned x = 4; x < 20; x++) {
        bool alive = x % 2 == 0;
        cr_assert_eq(depth_at(rig, x, 9), alive ? bits_from_float(0.5f) : 0);
        cr_assert_eq(*surface_ptr(&rig->draw.stencil, 0, x, 9, 0, 0), alive);
        cr_assert_eq(rig_rgba8(rig, x, 9) != 0, alive);
    }
    cr_assert_eq(rig->stats.ps_depth_count, 128);
    rig_destroy(rig);
}

Test(depth, forced_early_tests_ignore_the_kill)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, R32_FLOAT, GEN9_COMPAREFUNCTION_ALWAYS);
    rig->draw.ps_extra.pixel_shader_kills_pixel = true;
    rig->draw.wm.early_depth_stencil_control =
        GEN9_3DSTATE_WM_EARLY_DEPTH_STENCIL_CONTROL_EDSC_PREPS;
    rig->shader = shade_killing;
    draw_at(rig, 0.5f);
    cr_assert_eq(depth_at(rig, 5, 5), bits_from_float(0.5f));
    cr_assert_eq(rig_rgba8(rig, 5, 5), 0);
    cr_assert_eq(rig->stats.ps_depth_count, 128); /* as Kaby Lake counts */
    rig_destroy(rig);
}

/* Early and late tests of one scene must leave equal bytes. */
static void
draw_pile(struct rig *rig)
{
    static const float xy[3][6] = {{2, 3, 90, 20, 30, 100},
                                   {10, 90, 20, 5, 99, 50},
                                   {64, 1, 120, 120, 1, 70}};
    struct prim p[3];
    for (unsigned i = 0; i < 3; i++) {
        p[i] = rig_triangle(rig, xy[i], 0);
        for (unsigned k = 0; k < 3; k++)
            p[i].v[k].z = (float)((i + k) % 3) / 3 + 0.1f;
    }
    rig_draw(rig, p, 3);
}

static struct rig *
make_pile(bool late)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, R24_UNORM_X8, GEN9_COMPAREFUNCTION_GEQUAL);
    rig_stencil(rig, 1);
    struct gen9_3dstate_wm_depth_stencil *ds = &rig->draw.wm_ds;
    ds->stencil_test_enable = ds->stencil_buffer_write_enable = true;
    ds->double_sided_stencil_enable = true;
    ds->stencil_pass_depth_pass_op = GEN9_STENCILOP_INCR;
    ds->stencil_pass_depth_fail_op = GEN9_STENCILOP_DECR;
    ds->backface_stencil_pass_depth_pass_op = GEN9_STENCILOP_INVERT;
    ds->backface_stencil_pass_depth_fail_op = GEN9_STENCILOP_REPLACE;
    ds->backface_stencil_reference_value = 0x33;
    ds->stencil_test_mask = ds->backface_stencil_test_mask = 0xff;
    ds->stencil_write_mask = ds->backface_stencil_write_mask = 0x3f;
    rig->draw.ps_extra.pixel_shader_kills_pixel = late;
    draw_pile(rig);
    return rig;
}

Test(depth, late_equals_early)
{
    struct rig *a = make_pile(false), *b = make_pile(true);
    cr_assert_eq(memcmp(a->depth, b->depth, a->draw.depth.limit_B), 0);
    cr_assert_eq(memcmp(a->stencil, b->stencil, a->draw.stencil.limit_B), 0);
    cr_assert_eq(memcmp(a->memory[0], b->memory[0], a->target[0].limit_B), 0);
    cr_assert_eq(a->stats.ps_depth_count, b->stats.ps_depth_count);
    cr_assert_gt(a->stats.ps_depth_count, 1000);
    rig_destroy(a);
    rig_destroy(b);
}

Test(depth, stencil_compares_reference_with_buffer)
{
    struct rig *rig = rig_create(0);
    rig_stencil(rig, 1);
    memset(rig->stencil, 0x17, rig->draw.stencil.limit_B);
    struct gen9_3dstate_wm_depth_stencil *ds = &rig->draw.wm_ds;
    ds->stencil_test_enable = true;
    ds->stencil_test_function = GEN9_COMPAREFUNCTION_LESS;
    ds->stencil_test_mask = 0x0f;
    ds->stencil_reference_value = 0xf6; /* 6 < 7 within the mask */
    draw_at(rig, 0);
    cr_assert_neq(rig_rgba8(rig, 5, 5), 0);
    rig->color[0] = 0;
    ds->stencil_reference_value = 0x07;
    draw_at(rig, 0);
    cr_assert_eq(rig_rgba8(rig, 5, 5), 0xffffffff);
    rig_destroy(rig);
}

Test(depth, hz_clear_stays_in_its_box)
{
    struct rig *rig = rig_create(1);
    rig_depth(rig, R16_UNORM, 1);
    rig_stencil(rig, 1);
    struct hz_op op = {.pool = rig->pool,
                       .depth_clear = true,
                       .stencil_clear = true,
                       .x_min = 3,
                       .y_min = 5,
                       .x_max = 70,
                       .y_max = 100,
                       .depth_value = 1,
                       .stencil_value = 0x42,
                       .samples = 1,
                       .sample_mask = 0xffff,
                       .depth = rig->draw.depth,
                       .stencil = rig->draw.stencil};
    raster_hz_op(&op);
    for (unsigned y = 0; y < RIG_PX; y++) {
        for (unsigned x = 0; x < RIG_PX; x++) {
            bool in = x >= 3 && x < 70 && y >= 5 && y < 100;
            cr_assert_eq(depth_at(rig, x, y), in ? 0xffff : 0);
            cr_assert_eq(*surface_ptr(&rig->draw.stencil, 0, x, y, 0, 0),
                         in ? 0x42 : 0);
        }
    }
    cr_assert_eq(*surface_ptr(&rig->draw.stencil, 0, 10, 10, 1, 0), 0);
    rig_destroy(rig);
}

Test(depth, bias_scales_with_slope)
{
    struct rig *rig = rig_create(0);
    use_depth(rig, R32_FLOAT, GEN9_COMPAREFUNCTION_ALWAYS);
    rig->draw.raster.global_depth_offset_enable_solid = true;
    rig->draw.raster.global_depth_offset_scale = 2;
    static const float xy[6] = {0, 0, 128, 0, 0, 128};
    struct prim p = rig_triangle(rig, xy, 0.25f);
    p.v[1].z = 0.5f; /* slope 1/512 a pixel */
    rig_draw(rig, &p, 1);
    float want = 0.25f + 0.5f / 512 + 2.0f / 512;
    cr_assert_float_eq(float_from_bits(depth_at(rig, 0, 0)), want, 1e-6);
    rig->draw.raster.global_depth_offset_clamp = 1.0f / 1024;
    rig_draw(rig, &p, 1);
    want = 0.25f + 0.5f / 512 + 1.0f / 1024;
    cr_assert_float_eq(float_from_bits(depth_at(rig, 0, 0)), want, 1e-6);
    rig_destroy(rig);
}
