/* test_payload.c: the payload of pixel shader threads. */
#include <criterion/criterion.h>
#include <math.h>

#include "rig.h"

#define MAX_SEEN 64

struct seen {
    unsigned count;
    struct eu_thread thread[MAX_SEEN];
};

static void
shade_recording(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    struct seen *seen = rig->user;
    if (seen->count < MAX_SEEN)
        seen->thread[seen->count++] = *t;
    rig_shade_constant(rig, t, env);
}

static struct seen seen; /* each test is a process */

static struct rig *
make(unsigned simd)
{
    struct rig *rig = rig_create(0);
    rig->shader = shade_recording;
    rig->user = &seen;
    rig->draw.stage[STAGE_PS].simd = simd;
    return rig;
}

static float
grf_f(const struct eu_thread *t, unsigned grf, unsigned i)
{
    float f;
    memcpy(&f, t->grf + grf * EU_GRF_B + i * 4, 4);
    return f;
}

static uint32_t
grf_u(const struct eu_thread *t, unsigned grf, unsigned i)
{
    return bits_from_float(grf_f(t, grf, i));
}

/* Finds a thread by its first subspan: threads of a primitive run in any order.
 */
static const struct eu_thread *
thread_at(unsigned x, unsigned y)
{
    unsigned n = 0;
    while (n < seen.count && grf_u(&seen.thread[n], 1, 2) != (x | y << 16))
        n++;
    cr_assert_lt(n, seen.count);
    return &seen.thread[n];
}

Test(payload, headers_of_a_block)
{
    struct rig *rig = make(16);
    struct prim p = rig_rect(rig, 8, 4, 11, 8, 0); /* 3 of 4 columns */
    p.layer = 1;
    p.viewport = 2;
    rig_draw(rig, &p, 1);
    cr_assert_eq(seen.count, 1);
    const struct eu_thread *t = &seen.thread[0];
    cr_assert_neq(grf_u(t, 0, 0) & 31, 0); /* topology */
    cr_assert_eq(grf_u(t, 0, 0) >> 15 & 1, 0);
    cr_assert_eq(grf_u(t, 0, 0) >> 16 & 0x7ff, 1);
    cr_assert_eq(grf_u(t, 0, 0) >> 27, 2);
    /* x in the low, y in the high half: quads in Z order */
    cr_assert_eq(grf_u(t, 1, 2), 0x00040008);
    cr_assert_eq(grf_u(t, 1, 3), 0x0004000a);
    cr_assert_eq(grf_u(t, 1, 4), 0x00060008);
    cr_assert_eq(grf_u(t, 1, 5), 0x0006000a);
    cr_assert_eq(grf_u(t, 1, 7) & 0xffff, 0x5f5f);
    cr_assert_eq(t->sr0[2], 0x5f5f);
    cr_assert_eq(t->sr0[3], 0xffff); /* helper lanes */
    rig_destroy(rig);
}

/* Three live quads are enough for a thread of the block; the fourth quad is
 * included. */
Test(payload, block_with_an_unlit_quad)
{
    struct rig *rig = make(16);
    static const float xy[6] = {0, 0, 4, 0, 0, 4};
    struct prim p = rig_triangle(rig, xy, 0);
    rig_draw(rig, &p, 1);
    cr_assert_eq(seen.count, 1);
    const struct eu_thread *t = &seen.thread[0];
    cr_assert_eq(grf_u(t, 1, 5), 0x00020002);
    cr_assert_eq(t->sr0[2] >> 12, 0);
    cr_assert_eq(t->sr0[2] & 15, 15);
    cr_assert_neq(t->sr0[2] >> 4 & 15, 0);
    cr_assert_neq(t->sr0[2] >> 8 & 15, 0);
    cr_assert_eq(t->sr0[3], 0xffff);
    cr_assert_eq(rig_rgba8(rig, 2, 2), 0);
    cr_assert_neq(rig_rgba8(rig, 2, 0), 0);
    rig_destroy(rig);
}

#define UNTOUCHED 0xabababab

static void
shade_spoiling_registers(struct rig *rig, struct eu_thread *t,
                         struct thread_env *env)
{
    shade_recording(rig, t, env);
    memset(t->grf, 0xab, sizeof t->grf);
}

/* Parts that the kernel does not read are not built. */
Test(payload, dead_registers_are_left_alone)
{
    struct rig *rig = make(16);
    struct draw *d = &rig->draw;
    rig->shader = shade_spoiling_registers;
    d->wm.barycentric_interpolation_mode =
        GEN9_3DSTATE_WM_BARYCENTRIC_INTERPOLATION_MODE_BIM_PERSPECTIVE_PIXEL |
        GEN9_3DSTATE_WM_BARYCENTRIC_INTERPOLATION_MODE_BIM_LINEAR_PIXEL;
    d->stage[STAGE_PS].grf_start = 12;
    static const uint32_t push[24] = {1, [8] = 2, [16] = 3};
    d->stage[STAGE_PS].push = push;
    d->stage[STAGE_PS].push_grf = 3;
    d->sbe.number_of_sf_output_attributes = 1;
    rig->vue[0][0] = bits_from_float(7);
    memset(rig->live_in, 0, sizeof rig->live_in);
    /* a weight of the second mode, two constants, half an attribute, g40 */
    rig->live_in[0] = 1u << 7 | 1u << 12 | 1u << 14 | 1u << 15;
    rig->live_in[1] = 1u << 8;
    static const float xy[6] = {0, 0, 64, 0, 0, 64};
    struct prim p = rig_triangle(rig, xy, 0);
    rig_draw(rig, &p, 1);
    const struct eu_thread *t = &seen.thread[1];
    cr_assert_eq(grf_u(t, 0, 0), UNTOUCHED);
    cr_assert_eq(grf_u(t, 1, 7), UNTOUCHED);
    cr_assert_eq(grf_u(t, 2, 0), UNTOUCHED);
    cr_assert_eq(grf_f(t, 7, 2), 1.5f / 64);
    cr_assert_eq(grf_u(t, 12, 0), 1);
    cr_assert_eq(grf_u(t, 13, 0), UNTOUCHED);
    cr_assert_eq(grf_u(t, 14, 0), 3);
    cr_assert_eq(grf_f(t, 15, 3), 7);
    cr_assert_eq(grf_u(t, 40, 0), 0);
    rig_destroy(rig);
}

Test(payload, back_facing_bit)
{
    struct rig *rig = make(16);
    static const float cw[6] = {0, 0, 4, 0, 0, 4};
    struct prim p = rig_triangle(rig, cw, 0);
    rig_draw(rig, &p, 1);
    cr_assert_eq(grf_u(&seen.thread[0], 0, 0) >> 15 & 1, 1);
    rig_destroy(rig);
}

Test(payload, simd8_takes_two_quads)
{
    struct rig *rig = make(8);
    struct prim p = rig_rect(rig, 0, 0, 4, 4, 0);
    rig_draw(rig, &p, 1);
    cr_assert_eq(seen.count, 2);
    cr_assert_eq(grf_u(&seen.thread[1], 1, 2), 0x00020000);
    cr_assert_eq(seen.thread[0].sr0[2], 0xff);
    rig_destroy(rig);
}

Test(payload, simd32_has_two_headers)
{
    struct rig *rig = make(32);
    struct prim p = rig_rect(rig, 0, 0, 8, 4, 0);
    rig_draw(rig, &p, 1);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(grf_u(&seen.thread[0], 1, 2), 0);
    cr_assert_eq(grf_u(&seen.thread[0], 2, 2), 4);
    cr_assert_eq(seen.thread[0].sr0[2], 0xffffffff);
    for (unsigned x = 0; x < 8; x++)
        cr_assert_neq(rig_rgba8(rig, x, 3), 0);
    rig_destroy(rig);
}

/* Weights and attribute deltas together must give the attribute's plane, with
 * and without perspective. */
Test(payload, attributes_interpolate)
{
    struct rig *rig = make(16);
    struct draw *d = &rig->draw;
    d->wm.barycentric_interpolation_mode =
        GEN9_3DSTATE_WM_BARYCENTRIC_INTERPOLATION_MODE_BIM_PERSPECTIVE_PIXEL |
        GEN9_3DSTATE_WM_BARYCENTRIC_INTERPOLATION_MODE_BIM_LINEAR_PIXEL;
    d->sbe.number_of_sf_output_attributes = 1;
    d->sbe.vertex_urb_entry_read_offset = 1;
    d->stage[STAGE_PS].grf_start = 12;
    static const float xy[6] = {0, 0, 40, 0, 0, 40};
    static const float value[3] = {5, 11, -3}, winv[3] = {1, 0.25f, 0.5f};
    struct prim p = rig_triangle(rig, xy, 0);
    for (unsigned i = 0; i < 3; i++) {
        rig->vue[i][2 * 4 + 1] = bits_from_float(value[i]); /* slot 2, y */
        p.v[i].w_inv = winv[i];
    }
    rig_draw(rig, &p, 1);
    const struct eu_thread *t = &seen.thread[5];
    float d0 = grf_f(t, 12, 4), d1 = grf_f(t, 12, 5), a0 = grf_f(t, 12, 7);
    cr_assert_eq(a0, 5);
    for (unsigned lane = 0; lane < 16; lane++) {
        uint32_t xyq = grf_u(t, 1, 2 + lane / 4);
        double x = (xyq & 0xffff) + (lane & 1) + 0.5;
        double y = (xyq >> 16) + (lane >> 1 & 1) + 0.5;
        double b1 = x / 40, b2 = y / 40, b0 = 1 - b1 - b2;
        double q = b0 * winv[0] + b1 * winv[1] + b2 * winv[2];
        double persp = (b0 * winv[0] * value[0] + b1 * winv[1] * value[1] +
                        b2 * winv[2] * value[2]) /
                       q;
        double linear = b0 * value[0] + b1 * value[1] + b2 * value[2];
        unsigned g = lane / 8 * 2, i = lane & 7;
        cr_assert_float_eq(a0 + d0 * grf_f(t, 2 + g, i) +
                               d1 * grf_f(t, 3 + g, i),
                           persp, 1e-4);
        cr_assert_float_eq(a0 + d0 * grf_f(t, 6 + g, i) +
                               d1 * grf_f(t, 7 + g, i),
                           linear, 1e-4);
    }
    rig_destroy(rig);
}

/* A triangle cut from a larger one must interpolate on the larger one's plane.
 */
Test(payload, cut_triangle_interpolates_like_the_whole)
{
    struct rig *rig = make(16);
    struct draw *d = &rig->draw;
    d->wm.barycentric_interpolation_mode =
        GEN9_3DSTATE_WM_BARYCENTRIC_INTERPOLATION_MODE_BIM_PERSPECTIVE_PIXEL |
        GEN9_3DSTATE_WM_BARYCENTRIC_INTERPOLATION_MODE_BIM_LINEAR_PIXEL;
    d->sbe.number_of_sf_output_attributes = 1;
    d->stage[STAGE_PS].grf_start = 12;
    static const float xy[6] = {0, 0, 20, 0, 0, 40}; /* of 0,0 40,0 0,40 */
    static const float value[3] = {5, 11, -3};
    const float winv[3] = {1, (1 + 0.25f) / 2, 0.5f};
    struct prim p = rig_triangle(rig, xy, 0);
    struct prim_cut cut = {.vue = {rig->vue[0], rig->vue[1], rig->vue[2]},
                           .persp = {{0, 0}, {0.2f, 0}, {0, 1}},
                           .linear = {{0, 0}, {0.5f, 0}, {0, 1}}};
    uint32_t wrong[64] = {0};
    for (unsigned i = 0; i < 3; i++) {
        rig->vue[i][0] = bits_from_float(value[i]);
        p.v[i].w_inv = winv[i];
        p.v[i].vue = wrong;
    }
    p.cut = &cut;
    rig_draw(rig, &p, 1);
    const struct eu_thread *t = thread_at(0, 0);
    double x = 0.5 / 40, q = (1 - 2 * x) + x * 0.25 + x * 0.5;
    double persp = ((1 - 2 * x) * 5 + x * 0.25 * 11 + x * 0.5 * -3) / q;
    double linear = (1 - 2 * x) * 5 + x * 11 + x * -3;
    float d0 = grf_f(t, 12, 0), d1 = grf_f(t, 12, 1), a0 = grf_f(t, 12, 3);
    cr_assert_float_eq(a0 + d0 * grf_f(t, 2, 0) + d1 * grf_f(t, 3, 0), persp,
                       1e-4);
    cr_assert_float_eq(a0 + d0 * grf_f(t, 6, 0) + d1 * grf_f(t, 7, 0), linear,
                       1e-4);
    rig_destroy(rig);
}

Test(payload, flat_attributes_are_bits_of_the_provoking_vertex)
{
    struct rig *rig = make(16);
    struct draw *d = &rig->draw;
    d->sbe.number_of_sf_output_attributes = 1;
    d->sbe.constant_interpolation_enable = 1;
    static const float xy[6] = {0, 0, 40, 0, 0, 40};
    struct prim p = rig_triangle(rig, xy, 0);
    p.provoking = 2;
    rig->vue[2][3] = 0xffffffff; /* a NaN as float */
    rig_draw(rig, &p, 1);
    const struct eu_thread *t = &seen.thread[0];
    cr_assert_eq(grf_u(t, 8 + 1, 7), 0xffffffff);
    cr_assert_eq(grf_u(t, 8 + 1, 4), 0);
    uint32_t other[16] = {1, 2, 3, 4};
    p.flat_vue = other;
    seen.count = 0;
    rig_draw(rig, &p, 1);
    cr_assert_eq(grf_u(t, 8 + 1, 7), 4);
    cr_assert_eq(grf_u(t, 8, 3), 1);
    rig_destroy(rig);
}

Test(payload, swizzles_and_overrides)
{
    struct rig *rig = make(16);
    struct draw *d = &rig->draw;
    d->sbe.number_of_sf_output_attributes = 2;
    d->sbe.constant_interpolation_enable = 3;
    d->sbe.attribute_swizzle_enable = true;
    d->sbe.primitive_id_override_attribute_select = 1;
    d->sbe.primitive_id_override_component_x = true;
    struct gen9_sf_output_attribute_detail *a = d->sbe_swiz.attribute;
    a[0].source_attribute = 2;
    a[0].swizzle_select =
        GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_SWIZZLE_SELECT_INPUTATTR_FACING;
    a[0].component_override_w = true;
    a[0].constant_source =
        GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_CONSTANT_SOURCE_CONST_0001_FLOAT;
    a[1].source_attribute = 1;
    static const float cw[6] = {0, 0, 4, 0, 0, 4}; /* back-facing */
    struct prim p = rig_triangle(rig, cw, 0);
    p.primitive_id = 0x1234;
    for (unsigned i = 0; i < 16; i++)
        rig->vue[0][i] = 100 + i;
    rig_draw(rig, &p, 1);
    const struct eu_thread *t = &seen.thread[0];
    cr_assert_eq(grf_u(t, 8, 3), 112); /* slot 3: next to slot 2 */
    cr_assert_eq(grf_u(t, 9, 7), 0x3f800000);
    cr_assert_eq(grf_u(t, 10, 3), 0x1234);
    cr_assert_eq(grf_u(t, 10, 7), 105);
    rig_destroy(rig);
}

Test(payload, sprite_coordinates_span_the_point)
{
    struct rig *rig = make(16);
    struct draw *d = &rig->draw;
    d->wm.barycentric_interpolation_mode =
        GEN9_3DSTATE_WM_BARYCENTRIC_INTERPOLATION_MODE_BIM_PERSPECTIVE_PIXEL;
    d->sbe.number_of_sf_output_attributes = 1;
    d->sbe.point_sprite_texture_coordinate_enable = 1;
    d->sbe.point_sprite_texture_coordinate_origin =
        GEN9_3DSTATE_SBE_POINT_SPRITE_TEXTURE_COORDINATE_ORIGIN_LOWERLEFT;
    struct prim p = rig_rect(rig, 0, 0, 1, 1, 0);
    p.kind = PRIM_POINT;
    p.v[0].x = p.v[0].y = 8;
    p.point_width = 8;
    rig_draw(rig, &p, 1);
    const struct eu_thread *t = &seen.thread[0]; /* pixels (4,4)..(7,7) */
    float b1 = grf_f(t, 2, 0), b2 = grf_f(t, 3, 0);
    cr_assert_float_eq(grf_f(t, 8, 3) + grf_f(t, 8, 0) * b1 +
                           grf_f(t, 8, 1) * b2,
                       0.5 / 8, 1e-6);
    cr_assert_float_eq(grf_f(t, 8, 7) + grf_f(t, 8, 4) * b1 +
                           grf_f(t, 8, 5) * b2,
                       1 - 0.5 / 8, 1e-6);
    cr_assert_eq(grf_f(t, 9, 7), 1);
    rig_destroy(rig);
}

Test(payload, order_of_the_optional_parts)
{
    struct rig *rig = make(8);
    struct draw *d = &rig->draw;
    d->samples = 2;
    rig_target(rig, 0, 0x0c7, 4, 2);
    d->raster.dx_multisample_rasterization_enable = true;
    d->sample_x[0] = d->sample_y[0] = 12;
    d->sample_x[1] = d->sample_y[1] = 4;
    d->wm.barycentric_interpolation_mode =
        GEN9_3DSTATE_WM_BARYCENTRIC_INTERPOLATION_MODE_BIM_PERSPECTIVE_SAMPLE;
    d->ps_extra.pixel_shader_is_per_sample = true;
    d->ps_extra.pixel_shader_uses_source_depth = true;
    d->ps_extra.pixel_shader_uses_source_w = true;
    d->ps.position_xy_offset_select =
        GEN9_3DSTATE_PS_POSITION_XY_OFFSET_SELECT_POSOFFSET_SAMPLE;
    d->ps_extra.input_coverage_mask_state =
        GEN9_3DSTATE_PS_EXTRA_INPUT_COVERAGE_MASK_STATE_NORMAL;
    d->stage[STAGE_PS].grf_start = 9;
    static const uint32_t push[8] = {0xc0ffee};
    d->stage[STAGE_PS].push = push;
    d->stage[STAGE_PS].push_grf = 1;
    d->sbe.number_of_sf_output_attributes = 1;
    rig->vue[0][0] = bits_from_float(7);
    static const float xy[6] = {0, 0, 64, 0, 0, 64};
    struct prim p = rig_triangle(rig, xy, 0.5f);
    p.v[0].w_inv = p.v[1].w_inv = p.v[2].w_inv = 0.25f;
    rig_draw(rig, &p, 1);
    const struct eu_thread *t = &seen.thread[0];
    cr_assert_eq(grf_u(t, 1, 0), 0x10); /* slot 0 sample 0, slot 1 sample 1 */
    cr_assert_float_eq(grf_f(t, 2, 0), 0.75 / 64, 1e-6);
    cr_assert_float_eq(grf_f(t, 2, 4), 0.25 / 64, 1e-6);
    cr_assert_float_eq(grf_f(t, 3, 0), 0.75 / 64, 1e-6);
    cr_assert_eq(grf_f(t, 4, 3), 0.5f);
    cr_assert_eq(grf_f(t, 5, 3), 4.0f);
    cr_assert_eq(grf_u(t, 6, 0), 0x0c0c0c0c);
    cr_assert_eq(grf_u(t, 6, 2), 0x04040404);
    cr_assert_eq(grf_u(t, 7, 0), 3);
    cr_assert_eq(grf_u(t, 9, 0), 0xc0ffee);
    cr_assert_eq(grf_f(t, 10, 3), 7);
    rig_destroy(rig);
}

/* Asks the interpolator for the pixel centre moved by (-8, +4) sixteenths. */
static void
shade_interpolating(struct rig *rig, struct eu_thread *t,
                    struct thread_env *env)
{
    uint32_t out[32] = {0}, header[8] = {0};
    struct eu_message m = {.sfid = EU_SFID_PI,
                           .mlen_grf = 1,
                           .rlen_grf = 4,
                           .desc = 1u << 16 | 0x48,
                           .exec_mask = 0xffff,
                           .src0 = header,
                           .dst = out};
    msg_pixel_interp(env, t, &m);
    memcpy(rig->user, out, sizeof out);
}

Test(payload, interpolator_moves_by_sixteenths)
{
    struct rig *rig = make(16);
    float out[32];
    rig->user = out;
    rig->shader = shade_interpolating;
    static const float xy[6] = {0, 0, 64, 0, 0, 64};
    struct prim p = rig_triangle(rig, xy, 0);
    rig->draw.drawing_rect.clipped_drawing_rectangle_x_max = 3;
    rig->draw.drawing_rect.clipped_drawing_rectangle_y_max = 3;
    rig_draw(rig, &p, 1);
    cr_assert_float_eq(out[0], 0, 1e-6);
    cr_assert_float_eq(out[8], 0.75 / 64, 1e-6);
    cr_assert_float_eq(out[1], 1.0 / 64, 1e-6);
    cr_assert_float_eq(out[16 + 7], 3.0 / 64, 1e-6);
    cr_assert_float_eq(out[24 + 7], 3.75 / 64, 1e-6);
    rig_destroy(rig);
}

/* Likewise, but each lane brings its own offset: x of sixteen lanes, then y. */
static void
shade_interpolating_slots(struct rig *rig, struct eu_thread *t,
                          struct thread_env *env)
{
    uint32_t out[32] = {0}, offset[32];
    for (unsigned i = 0; i < 16; i++) {
        offset[i] = i & 7;
        offset[16 + i] = (uint32_t) - (int)(i / 2);
    }
    struct eu_message m = {.sfid = EU_SFID_PI,
                           .mlen_grf = 4,
                           .rlen_grf = 4,
                           .desc = 1u << 16 | 3u << 12,
                           .exec_mask = 0xffff,
                           .src0 = offset,
                           .dst = out};
    msg_pixel_interp(env, t, &m);
    memcpy(rig->user, out, sizeof out);
}

Test(payload, interpolator_takes_offsets_of_sixteen_lanes)
{
    struct rig *rig = make(16);
    float out[32];
    rig->user = out;
    rig->shader = shade_interpolating_slots;
    struct prim p = rig_triangle(rig, (const float[]){0, 0, 64, 0, 0, 64}, 0);
    rig->draw.drawing_rect.clipped_drawing_rectangle_x_max = 3;
    rig->draw.drawing_rect.clipped_drawing_rectangle_y_max = 3;
    rig_draw(rig, &p, 1);
    for (unsigned i = 0; i < 16; i++) {
        double x = (i >> 2 & 1) * 2 + (i & 1) + 0.5 + (i & 7) / 16.0;
        double y = (i >> 3) * 2 + (i >> 1 & 1) + 0.5 - (i / 2) / 16.0;
        cr_assert_float_eq(out[(i / 8) * 16 + (i & 7)], x / 64, 1e-6);
        cr_assert_float_eq(out[(i / 8) * 16 + 8 + (i & 7)], y / 64, 1e-6);
    }
    rig_destroy(rig);
}
