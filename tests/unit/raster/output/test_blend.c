/* test_blend.c: blending against its definition in double precision, logic
 * operations, masks, dual sources, targets. */
#include <criterion/criterion.h>
#include <math.h>

#include "eu/summary/summary.h"
#include "rig.h"

enum { RGBA8_UNORM = 0x0c7, RGBA8_UINT = 0x0cb, RGBA32_FLOAT = 0x000 };

static const double src[4] = {0.2, 0.5, 0.9, 0.6};
static const double src1[4] = {0.7, 0.1, 0.3, 0.25};
static const double dst[4] = {0.4, 0.8, 0.1, 0.75};
static const double con[4] = {0.15, 0.35, 0.55, 0.95};

/* BLENDFACTOR_x of the PRM, by code; inverses are 16 higher. */
static double
want_factor(unsigned code, unsigned c)
{
    if (code >= 17)
        return 1 - (code == 17 ? 1 : want_factor(code - 16, c));
    switch (code) {
    case 1: return 1;
    case 2: return src[c];
    case 3: return src[3];
    case 4: return dst[3];
    case 5: return dst[c];
    case 6: return c == 3 ? 1 : fmin(src[3], 1 - dst[3]);
    case 7: return con[c];
    case 8: return con[3];
    case 9: return src1[c];
    case 10: return src1[3];
    default: return NAN;
    }
}

static double
want_blend(unsigned func, unsigned c, unsigned sf, unsigned df)
{
    double s = src[c] * want_factor(sf, c), d = dst[c] * want_factor(df, c);
    switch (func) {
    case 0: return s + d;
    case 1: return s - d;
    case 2: return d - s;
    case 3: return fmin(src[c], dst[c]);
    default: return fmax(src[c], dst[c]);
    }
}

static void
to_lanes(const double v[4], float out[4][16])
{
    for (unsigned n = 0; n < 64; n++)
        out[n / 16][n % 16] = (float)v[n / 16];
}

Test(blend, all_factors_and_functions)
{
    static const uint8_t code[] = {1,  2,  3,  4,  5,  6,  7,  8,  9, 10,
                                   17, 18, 19, 20, 21, 23, 24, 25, 26};
    const struct format_info *fmt = format_info(RGBA32_FLOAT);
    for (unsigned n = 0; n < 5 * sizeof code * sizeof code; n++) {
        unsigned func = n % 5, sf = code[n / 5 % sizeof code];
        unsigned df = code[n / 5 / sizeof code];
        struct blend_state b = {.enabled = true,
                                .src = {(uint8_t)sf, (uint8_t)df},
                                .dst = {(uint8_t)df, (uint8_t)sf},
                                .func = {(uint8_t)func, (uint8_t)func}};
        for (unsigned c = 0; c < 4; c++)
            b.constant[c] = (float)con[c];
        struct blend_lanes in;
        struct blend_range range;
        float out[4][16];
        to_lanes(src, in.src);
        to_lanes(src1, in.src1);
        to_lanes(dst, in.dst);
        blend_range_init(&range, &b, fmt);
        blend_run(&b, &range, &in, out);
        for (unsigned c = 0; c < 4; c++) {
            double want = c == 3 ? want_blend(func, c, df, sf)
                                 : want_blend(func, c, sf, df);
            cr_assert_float_eq(out[c][n % 16], want, 2e-6,
                               "function %u factors %u %u channel %u", func, sf,
                               df, c);
        }
    }
}

Test(blend, logic_operations_by_name)
{
    const uint32_t s = 0x0c, d = 0x0a; /* all four pairs of bits */
    static const uint8_t want[16] = {
        [GEN9_LOGICOP_CLEAR] = 0x0,        [GEN9_LOGICOP_NOR] = 0x1,
        [GEN9_LOGICOP_AND_INVERTED] = 0x2, [GEN9_LOGICOP_COPY_INVERTED] = 0x3,
        [GEN9_LOGICOP_AND_REVERSE] = 0x4,  [GEN9_LOGICOP_INVERT] = 0x5,
        [GEN9_LOGICOP_XOR] = 0x6,          [GEN9_LOGICOP_NAND] = 0x7,
        [GEN9_LOGICOP_AND] = 0x8,          [GEN9_LOGICOP_EQUIV] = 0x9,
        [GEN9_LOGICOP_NOOP] = 0xa,         [GEN9_LOGICOP_OR_INVERTED] = 0xb,
        [GEN9_LOGICOP_COPY] = 0xc,         [GEN9_LOGICOP_OR_REVERSE] = 0xd,
        [GEN9_LOGICOP_OR] = 0xe,           [GEN9_LOGICOP_SET] = 0xf,
    };
    for (unsigned f = 0; f < 16; f++)
        cr_assert_eq(blend_logic_op(f, s, d) & 15, want[f], "%u", f);
}

static void
draw_box(struct rig *rig)
{
    struct prim p = rig_rect(rig, 0, 0, 16, 16, 0);
    rig_draw(rig, &p, 1);
}

static void
set_color(struct rig *rig, float r, float g, float b, float a)
{
    const float c[4] = {r, g, b, a};
    memcpy(rig->color, c, sizeof c);
}

Test(blend, write_mask_keeps_channels)
{
    struct rig *rig = rig_create(0);
    set_color(rig, 0.2f, 0.4f, 0.6f, 0.8f);
    draw_box(rig);
    cr_assert_eq(rig_rgba8(rig, 1, 1), 0xcc996633);
    rig->draw.blend_entry[0].write_disable_green = true;
    rig->draw.blend_entry[0].write_disable_alpha = true;
    set_color(rig, 1, 1, 1, 1);
    draw_box(rig);
    cr_assert_eq(rig_rgba8(rig, 1, 1), 0xccff66ff);
    rig_destroy(rig);
}

Test(blend, xor_of_target_bits)
{
    struct rig *rig = rig_create(0);
    struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
    e->logic_op_enable = true;
    e->logic_op_function = GEN9_LOGICOP_XOR;
    set_color(rig, 1, 0, 1, 0);
    draw_box(rig);
    cr_assert_eq(rig_rgba8(rig, 1, 1), 0x00ff00ff);
    draw_box(rig);
    cr_assert_eq(rig_rgba8(rig, 1, 1), 0);
    rig_destroy(rig);
}

Test(blend, separate_alpha_only_when_independent)
{
    for (unsigned split = 0; split < 2; split++) {
        struct rig *rig = rig_create(0);
        rig->draw.blend.independent_alpha_blend_enable = split;
        struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
        e->color_buffer_blend_enable = true;
        e->source_blend_factor = GEN9_BLENDFACTOR_ONE;
        e->destination_blend_factor = GEN9_BLENDFACTOR_ZERO;
        e->source_alpha_blend_factor = GEN9_BLENDFACTOR_ZERO;
        e->destination_alpha_blend_factor = GEN9_BLENDFACTOR_ZERO;
        set_color(rig, 1, 1, 1, 1);
        draw_box(rig);
        cr_assert_eq(rig_rgba8(rig, 1, 1), split ? 0x00ffffff : 0xffffffff);
        rig_destroy(rig);
    }
}

Test(blend, dual_source_covers_both_halves)
{
    struct rig *rig = rig_create(0);
    struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
    e->color_buffer_blend_enable = true;
    e->source_blend_factor = GEN9_BLENDFACTOR_SRC1_COLOR;
    e->destination_blend_factor = GEN9_BLENDFACTOR_ZERO;
    rig->dual = true;
    set_color(rig, 1, 1, 1, 1);
    rig->src1[0] = 0.2f;
    rig->src1[3] = 1;
    draw_box(rig);
    for (unsigned y = 0; y < 16; y++) {
        for (unsigned x = 0; x < 16; x++)
            cr_assert_eq(rig_rgba8(rig, x, y), 0xff000033, "(%u,%u)", x, y);
    }
    rig_destroy(rig);
}

Test(blend, integer_targets_saturate_and_never_blend)
{
    struct rig *rig = rig_create(0);
    rig_target(rig, 0, RGBA8_UINT, 4, 1);
    struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
    e->color_buffer_blend_enable = true;
    e->source_blend_factor = GEN9_BLENDFACTOR_ZERO;
    const uint32_t v[4] = {1, 200, 256, 0xffffffff};
    memcpy(rig->color, v, sizeof v);
    draw_box(rig);
    cr_assert_eq(rig_rgba8(rig, 3, 3), 0xffffc801);
    rig_destroy(rig);
}

Test(blend, conversion_rounds_and_clamps)
{
    static const struct {
        float f;
        uint8_t want;
    } t[] = {{0, 0},
             {1, 255},
             {-1, 0},
             {2, 255},
             {NAN, 0},
             {0.5f, 128},
             {1.0f / 255, 1},
             {0.499f / 255, 0},
             {0.501f / 255, 0}, /* 128.754 of 65536 */
             {0.503f / 255, 1},
             {254.6f / 255, 255},
             {INFINITY, 255}};
    for (unsigned i = 0; i < ARRAY_SIZE(t); i++) {
        struct rig *rig = rig_create(0);
        set_color(rig, t[i].f, 0, 0, 0);
        draw_box(rig);
        cr_assert_eq(rig_rgba8(rig, 2, 2), t[i].want, "%u", i);
        rig_destroy(rig);
    }
}

Test(blend, float_target_is_not_clamped)
{
    struct rig *rig = rig_create(0);
    rig_target(rig, 0, RGBA32_FLOAT, 16, 1);
    set_color(rig, -3, 1000, 0.1f, 2);
    draw_box(rig);
    float v[4];
    memcpy(v, rig_texel(rig, 0, 7, 7, 0), sizeof v);
    for (unsigned c = 0; c < 4; c++)
        cr_assert_eq(v[c], rig->color[c]);
    rig_destroy(rig);
}

Test(blend, layer_outside_of_the_view_is_dropped)
{
    struct rig *rig = rig_create(0);
    struct prim p = rig_rect(rig, 0, 0, 16, 16, 0);
    p.layer = 1;
    rig_draw(rig, &p, 1);
    cr_assert_eq(rig_rgba8(rig, 1, 1), 0);
    cr_assert_eq(*surface_ptr(&rig->target[0], 0, 1, 1, 1, 0), 255);
    p.layer = RIG_LAYERS;
    memset(rig->memory[0], 0, rig->target[0].limit_B);
    rig_draw(rig, &p, 1);
    for (uint64_t i = 0; i < rig->target[0].limit_B; i++)
        cr_assert_eq(rig->memory[0][i], 0);
    rig_destroy(rig);
}

Test(blend, alpha_test_kills)
{
    struct rig *rig = rig_create(0);
    rig->draw.blend.alpha_test_enable = true;
    rig->draw.blend.alpha_test_function = GEN9_COMPAREFUNCTION_GREATER;
    rig->draw.cc.alpha_test_format =
        GEN9_COLOR_CALC_STATE_ALPHA_TEST_FORMAT_ALPHATEST_FLOAT32;
    rig->draw.cc.alpha_reference_value_as_float32 = 0.5f;
    set_color(rig, 1, 1, 1, 0.5f);
    draw_box(rig);
    cr_assert_eq(rig_rgba8(rig, 1, 1), 0);
    cr_assert_eq(rig->stats.ps_depth_count, 0);
    set_color(rig, 1, 1, 1, 0.51f);
    draw_box(rig);
    cr_assert_neq(rig_rgba8(rig, 1, 1), 0);
    rig_destroy(rig);
}

Test(blend, fast_clear_fills_the_layer_whatever_the_rectangle)
{
    struct rig *rig = rig_create(0);
    rig->draw.fast_clear = true;
    const union color c = {.f = {1, 0, 0.2f, 1}};
    rig->target[0].clear_color = c;
    struct prim p = rig_rect(rig, 0, 0, 2, 4, 0);
    rig_draw(rig, &p, 1);
    for (unsigned y = 0; y < RIG_PX; y++) {
        for (unsigned x = 0; x < RIG_PX; x++)
            cr_assert_eq(rig_rgba8(rig, x, y), 0xff3300ff);
    }
    cr_assert_eq(rig->runs, 0);
    rig_destroy(rig);
}

Test(blend, resolve_touches_nothing)
{
    struct rig *rig = rig_create(0);
    rig->draw.resolve = true;
    draw_box(rig);
    cr_assert_eq(rig_rgba8(rig, 1, 1), 0);
    rig_destroy(rig);
}

Test(blend, odd_target_formats_are_dropped_or_drawn)
{
    static const unsigned codes[] = {0x197 /* 256 bits */, 0x186 /* BC1 */,
                                     0x040 /* 96 bits */, 0x1ff /* RAW */};
    for (unsigned i = 0; i < ARRAY_SIZE(codes); i++) {
        struct rig *rig = rig_create(0);
        if (!format_info(codes[i])) {
            rig_destroy(rig);
            continue;
        }
        rig_target(rig, 0, codes[i], 32, 1);
        draw_box(rig);
        rig->draw.fast_clear = true;
        draw_box(rig);
        rig_destroy(rig);
    }
}

/* The fast path of 8-bit targets against rt_pack() and format_unpack(). */
Test(blend, rgba8_short_cut_agrees_with_the_format)
{
    static const unsigned formats[2] = {RGBA8_UNORM, 0x0c0}; /* BGRA8_UNORM */
    for (unsigned n = 0; n < 2 * 512; n++) {
        struct rig *rig = rig_create(0);
        const struct format_info *fmt = format_info(formats[n & 1]);
        rig_target(rig, 0, formats[n & 1], 4, 1);
        struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
        e->color_buffer_blend_enable = n & 2;
        e->source_blend_factor = GEN9_BLENDFACTOR_ONE;
        e->destination_blend_factor = GEN9_BLENDFACTOR_ONE;
        /* Values around the ties. */
        union color c, dst, sum;
        for (unsigned k = 0; k < 4; k++)
            c.u[k] = bits_from_float(((float)((n * 4 + k) % 255) + 0.5f) /
                                     255) +
                     n % 7 - 3;
        memcpy(rig->color, c.f, sizeof c.f);
        uint32_t old = n * 0x9e3779b9, want;
        memcpy(rig_texel(rig, 0, 0, 0, 0), &old, 4);
        format_unpack(fmt, &old, &dst);
        for (unsigned k = 0; k < 4; k++)
            sum.f[k] = c.f[k] + dst.f[k];
        fmt->rt_pack(fmt, n & 2 ? &sum : &c, &want);
        struct prim p = rig_rect(rig, 0, 0, 1, 1, 0);
        rig_draw(rig, &p, 1);
        cr_assert_eq(rig_rgba8(rig, 0, 0), want, "%u: %08x, want %08x", n,
                     rig_rgba8(rig, 0, 0), want);
        rig_destroy(rig);
    }
}

/* A replicated write of rig->color. */
static void
shade_replicated(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    alignas(32) uint32_t payload[8];
    memcpy(payload, rig->color, sizeof rig->color);
    rig_rt_write(env, t, 1u << 8, false, t->sr0[2] & 0xffff, payload, 1);
}

Test(blend, constant_rectangles_are_filled_without_threads)
{
    struct rig *rig = rig_create(0);
    const struct kernel_summary constant = {.kind = SUMMARY_CLEAR};
    rig->shader = shade_replicated;
    rig->draw.stage[STAGE_PS].summary = &constant;
    set_color(rig, 0.2f, 0.4f, 0.6f, 0.8f);
    struct prim p = rig_rect(rig, 1, 2, 127, 126, 0);
    rig_draw(rig, &p, 1);
    for (unsigned y = 0; y < RIG_PX; y++) {
        for (unsigned x = 0; x < RIG_PX; x++) {
            bool in = x >= 1 && x < 127 && y >= 2 && y < 126;
            cr_assert_eq(rig_rgba8(rig, x, y), in ? 0xcc996633 : 0);
        }
    }
    cr_assert_eq(rig->runs, 1);
    cr_assert_eq(rig->stats.ps_invocations, 126 * 124);
    cr_assert_eq(rig->stats.ps_depth_count, 126 * 124);
    rig_destroy(rig);
}

/* Quads that form no block, with every size of element, stored and blended: the
 * same pixels as with the first format. */
Test(blend, small_triangles_in_all_formats)
{
    static const unsigned formats[][2] = {
        {RGBA8_UNORM, 4}, {0x0c0, 4}, {0x084, 8}, {0x000, 16},
        {0x100, 2},       {0x140, 1}, {0x080, 8}, {0x0d3, 4}};
    static uint8_t live[RIG_PX][RIG_PX];
    unsigned count = 0;
    for (unsigned k = 0; k < 16; k++) {
        const unsigned *f = formats[k / 2];
        struct rig *rig = rig_create(0);
        rig_target(rig, 0, f[0], f[1], 1);
        struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
        e->color_buffer_blend_enable = k % 2;
        e->source_blend_factor = GEN9_BLENDFACTOR_ONE;
        e->destination_blend_factor = GEN9_BLENDFACTOR_ONE;
        struct prim p[6];
        for (unsigned i = 0; i < 6; i++) {
            float x = (float)(10 + 21 * i), y = (float)(i < 5 ? 9 + i : 122);
            const float xy[6] = {x, y, x - 3, y + 9, x + 7, y + 3};
            p[i] = rig_triangle(rig, xy, 0);
        }
        rig_draw(rig, p, 6);
        uint8_t white[16], none[16] = {0};
        const union color one = {.f = {1, 1, 1, 1}};
        format_pack(rig->target[0].fmt, &one, white);
        for (unsigned i = 0; i < RIG_PX * RIG_PX; i++) {
            unsigned x = i % RIG_PX, y = i / RIG_PX;
            const uint8_t *at = rig_texel(rig, 0, x, y, 0);
            bool is = memcmp(at, none, f[1]) != 0;
            if (k == 0)
                count += live[y][x] = is;
            cr_assert_eq(is, live[y][x], "format %x (%u, %u)", f[0], x, y);
            cr_assert(!is || !memcmp(at, white, f[1]), "format %x (%u, %u)",
                      f[0], x, y);
        }
        rig_destroy(rig);
    }
    cr_assert(count > 150 && count < 400, "%u", count);
}
