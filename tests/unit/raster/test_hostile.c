/* test_hostile.c: random state, primitives and messages: no access outside of
 * the rig's memory, and every draw must end. Most useful under a sanitizer. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "rig.h"

static uint64_t state = 0x243f6a8885a308d3;

static uint32_t
rnd(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 32);
}

/* Random dwords with few bits set or many, as fuzzers make them. */
static void
fill(uint32_t *dw, unsigned count)
{
    unsigned style = rnd() % 3;
    for (unsigned i = 0; i < count; i++)
        dw[i] = style == 0 ? rnd() & rnd() & rnd()
                           : (style == 1 ? rnd() : rnd() | rnd());
}

#define RANDOM_PACKET(name, member)                   \
    do {                                              \
        uint32_t dw_[16];                             \
        fill(dw_, 16);                                \
        gen9_##name##_unpack(&rig->draw.member, dw_); \
    } while (0)

static void
randomise(struct rig *rig)
{
    struct draw *d = &rig->draw;
    RANDOM_PACKET(3dstate_sf, sf);
    RANDOM_PACKET(3dstate_raster, raster);
    RANDOM_PACKET(3dstate_sbe, sbe);
    RANDOM_PACKET(3dstate_sbe_swiz, sbe_swiz);
    RANDOM_PACKET(3dstate_wm, wm);
    RANDOM_PACKET(3dstate_ps, ps);
    RANDOM_PACKET(3dstate_ps_extra, ps_extra);
    RANDOM_PACKET(3dstate_ps_blend, ps_blend);
    RANDOM_PACKET(3dstate_wm_depth_stencil, wm_ds);
    RANDOM_PACKET(3dstate_line_stipple, line_stipple);
    RANDOM_PACKET(blend_state, blend);
    RANDOM_PACKET(color_calc_state, cc);
    RANDOM_PACKET(sf_clip_viewport, viewport[0]);
    RANDOM_PACKET(scissor_rect, scissor[0]);
    for (unsigned i = 0; i < DRAW_MAX_RT; i++)
        RANDOM_PACKET(blend_state_entry, blend_entry[i]);
    for (unsigned i = 0; i < 16; i++) {
        d->sample_x[i] = (uint8_t)(rnd() & 15);
        d->sample_y[i] = (uint8_t)(rnd() & 15);
    }
    d->raster.cull_mode = rnd() % 5 ? 1 : d->raster.cull_mode;
    d->raster.scissor_rectangle_enable &= rnd() % 4 == 0;
    d->sf.viewport_transform_enable &= rnd() % 4 == 0;
    d->sample_mask = rnd() % 4 ? 0xffff : rnd() & 0xffff;
    d->samples = 1u << rnd() % 5;
    d->fast_clear = rnd() % 16 == 0;
    static const unsigned simd[] = {8, 16, 32, 16, 0, 7};
    d->stage[STAGE_PS].simd = simd[rnd() % 6];
    d->stage[STAGE_PS].grf_start = rnd() % 4 ? rnd() % 32 : rnd();
    static const uint32_t push[8 * 64];
    d->stage[STAGE_PS].push = push;
    d->stage[STAGE_PS].push_grf = rnd() % 65;
}

static void
random_surfaces(struct rig *rig)
{
    static const unsigned colors[][2] = {{0x0c7, 4}, {0x000, 16}, {0x0cb, 4},
                                         {0x100, 2}, {0x143, 1},  {0x197, 32}};
    static const unsigned depths[] = {0x0d8, 0x0d9, 0x10a};
    unsigned c = rnd() % 6, samples = 1u << rnd() % 5;
    rig_target(rig, 0, colors[c][0], colors[c][1], samples);
    struct surface *s = &rig->target[0];
    if (samples > 1 && rnd() % 2) {
        free(rig->mcs);
        s->aux = AUX_MCS;
        s->aux_row_pitch_B = RIG_PX * 8;
        s->aux_qpitch_el_rows = RIG_PX;
        s->aux_limit_B = (uint64_t)s->aux_row_pitch_B * RIG_PX;
        s->aux_mem = rig->mcs = calloc(1, s->aux_limit_B);
        memset(rig->mcs, (int)rnd(), s->aux_limit_B);
    }
    s->limit_B >>= rnd() % 3;
    s->mip_count_minus1 = rnd() % 8 ? 0 : rnd() & 15;
    s->view_extent_minus1 = rnd() & 7;
    if (rnd() % 2)
        rig_depth(rig, depths[rnd() % 3], rig->draw.samples);
    if (rnd() % 2)
        rig_stencil(rig, rig->draw.samples);
    rig->draw.depth.limit_B >>= rnd() % 3;
}

static void
shade_anything(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    alignas(32) uint32_t payload[20 * 8], out[8 * 8];
    for (unsigned n = rnd() % 4; n; n--) {
        fill(payload, ARRAY_SIZE(payload));
        unsigned mlen = rnd() % 16, ex = rnd() % 5;
        struct eu_message m = {.sfid = EU_SFID_RENDER,
                               .header = rnd() & 1,
                               .exec_size = 16,
                               .chan_offset = rnd() % 4 * 8,
                               .mlen_grf = (uint8_t)mlen,
                               .ex_mlen_grf = (uint8_t)ex,
                               .rlen_grf = (uint8_t)(rnd() % 9),
                               .desc = (rnd() & 0x40003fff & ~0xf8u) |
                                       (12 + rnd() % 2) << 14,
                               .exec_mask = rnd() % 4 ? 0xffff : rnd(),
                               .src0 = payload,
                               .src1 = payload + mlen * 8,
                               .dst = out};
        if (rnd() % 4) {
            msg_render(env, t, &m);
        } else {
            m.desc = rnd();
            msg_pixel_interp(env, t, &m);
        }
    }
    t->insn_count = rnd() % 4;
}

static struct prim
random_prim(struct rig *rig)
{
    float xy[6];
    for (unsigned i = 0; i < 6; i++)
        xy[i] = rnd() % 16 ? (float)(rnd() % 40000) / 200 - 30
                           : float_from_bits(rnd());
    struct prim p = rig_triangle(rig, xy, float_from_bits(rnd()));
    p.kind = (uint8_t)(rnd() % 5);
    p.provoking = (uint8_t)(rnd() % 4);
    p.edge_mask = (uint8_t)rnd();
    p.viewport = rnd() % 8 ? 0 : (uint8_t)rnd();
    p.layer = rnd() % 8 ? 0 : (uint16_t)rnd();
    p.vue_slots = rnd() % 17;
    p.point_width = float_from_bits(rnd());
    for (unsigned i = 0; i < 3; i++)
        p.v[i].w_inv = rnd() % 4 ? 1 : float_from_bits(rnd());
    return p;
}

Test(hostile, random_draws_end)
{
    for (unsigned n = 0; n < 400; n++) {
        struct rig *rig = rig_create(0);
        rig->shader = shade_anything;
        randomise(rig);
        random_surfaces(rig);
        struct prim p[4];
        for (unsigned i = 0; i < 4; i++)
            p[i] = random_prim(rig);
        rig_draw(rig, p, 4);
        rig_destroy(rig);
    }
}

/* Surfaces of any pitch and place: no element of a `safe` view lies outside of
 * the memory. */
Test(hostile, safe_views_end_within_their_memory)
{
    static const unsigned tilings[] = {TILING_LINEAR, TILING_X, TILING_Y,
                                       TILING_YF, TILING_YS};
    static const unsigned formats[] = {0x0c7, 0x000, 0x140};
    unsigned safe = 0;
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t any[4];
        static struct view v;
        fill(any, 4);
        struct surface s = {.type = SURFACE_2D,
                            .tiling = (uint8_t)tilings[rnd() % 5],
                            .fmt = format_info(formats[rnd() % 3]),
                            .width = 256,
                            .height = 256,
                            .depth = 1,
                            .samples = 1,
                            .row_pitch_B = any[0] >> rnd() % 32,
                            .qpitch_el_rows = any[1] >> rnd() % 32,
                            .limit_B = (any[2] | UINT64_C(1) << 32) >>
                                       rnd() % 32};
        const unsigned slice = any[3] >> rnd() % 32;
        if (surface_is_std(&s))
            surface_layout(&s);
        for (unsigned tile = 0; tile < 4; tile++) {
            view_init(&v, &s, 0, slice, 0, s.fmt->element_B,
                      (int32_t)(rnd() % 4 * 64), (int32_t)(rnd() % 4 * 64));
            uint64_t from = (uintptr_t)v.mem - (uintptr_t)s.mem + v.element_B;
            for (unsigned i = 0; v.safe && i < 64; i++) {
                cr_assert_leq(from + v.x_B[i] + v.y_B[63], s.limit_B);
                cr_assert_leq(from + v.x_B[63] + v.y_B[i], s.limit_B);
            }
            safe += v.safe;
        }
    }
    cr_assert_gt(safe, 100);
}
