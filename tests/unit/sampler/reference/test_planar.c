/* test_planar.c: NV12. Every luma and chroma byte encodes its place. */
#include <criterion/criterion.h>

#include "sample_helper.h"
#include "sampler/surface/tiling.h"

enum { NV12 = 0x1a5, W = 24, H = 12, PITCH_B = 512, UV_X = 8, UV_Y = 40 };

static uint8_t memory[PITCH_B * 64];

static uint8_t
luma(uint32_t x, uint32_t y)
{
    return (uint8_t)(x * 7 + y * 13 + 1);
}

static uint8_t
chroma(uint32_t x, uint32_t y, unsigned which)
{
    return (uint8_t)(200 - (x / 2) * 5 - (y / 2) * 11 - which * 77);
}

/* A whole state, so that its fields are read as well. */
static struct surface
make_nv12(unsigned tiling)
{
    struct gen9_render_surface_state rss = {
        .surface_type = SURFACE_2D,
        .surface_format = NV12,
        .tile_mode = tiling,
        .width = W - 1,
        .height = H - 1,
        .surface_pitch = PITCH_B - 1,
        .surface_horizontal_alignment = 1,
        .surface_vertical_alignment = 1,
        .shader_channel_select_red = GEN9_SCS_RED,
        .shader_channel_select_green = GEN9_SCS_GREEN,
        .shader_channel_select_blue = GEN9_SCS_BLUE,
        .shader_channel_select_alpha = GEN9_SCS_ALPHA,
    };
    uint32_t dw[16] = {0};
    struct surface s;
    gen9_render_surface_state_pack(&rss, dw);
    dw[6] = UV_X << 16 | UV_Y; /* auxiliary fields of other formats */
    cr_assert(surface_decode(&s, dw, 9));
    s.mem = memory;
    s.limit_B = sizeof memory;
    memset(memory, 0, sizeof memory);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            memory[tiling_offset_B(tiling, x, y, PITCH_B)] = luma(x, y);
            memory[tiling_offset_B(tiling, UV_X + x, UV_Y + y / 2, PITCH_B)] =
                chroma(x, y, x % 2);
        }
    return s;
}

static void
expect_texel(const union color *c, uint32_t x, uint32_t y)
{
    near(c->f[0], (float)chroma(x, y, 1) / 255.0f); /* Cr */
    near(c->f[1], (float)luma(x, y) / 255.0f);
    near(c->f[2], (float)chroma(x, y, 0) / 255.0f); /* Cb */
    near(c->f[3], 1.0f);
}

static void
check_tiling(unsigned tiling)
{
    struct surface s = make_nv12(tiling);
    cr_assert_eq(s.aux, AUX_NONE); /* its fields are the chroma plane's */
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_CLAMP);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            struct sample_req req = {
                .op = SAMPLE_LD, .lanes = 8, .exec_mask = 1};
            req.u.u[0] = x;
            req.v.u[0] = y;
            union color c = sample_one(&s, NULL, &req);
            expect_texel(&c, x, y);
            req = make_req(SAMPLE_LZ, ((float)x + 0.5f) / W,
                           ((float)y + 0.5f) / H, 0);
            c = sample_one(&s, &sp, &req);
            expect_texel(&c, x, y);
        }
}

Test(planar, texels_of_both_planes_linear)
{
    check_tiling(TILING_LINEAR);
}

Test(planar, texels_of_both_planes_tiled)
{
    check_tiling(TILING_Y);
    check_tiling(TILING_X);
}

/* Between texels 3, 4 and rows 5, 6: a quarter of the way each. */
Test(planar, linear_filter)
{
    struct surface s = make_nv12(TILING_Y);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_LZ, 3.75f / W, 5.75f / H, 0);
    union color c = sample_one(&s, &sp, &req);
    const float weight[2] = {0.75f, 0.25f};
    float cr = 0, y = 0, cb = 0;
    for (unsigned j = 0; j < 2; j++)
        for (unsigned i = 0; i < 2; i++) {
            float w = weight[i] * weight[j];
            cr += w * (float)chroma(3 + i, 5 + j, 1);
            y += w * (float)luma(3 + i, 5 + j);
            cb += w * (float)chroma(3 + i, 5 + j, 0);
        }
    near(c.f[0], cr / 255.0f);
    near(c.f[1], y / 255.0f);
    near(c.f[2], cb / 255.0f);
    near(c.f[3], 1.0f);
}

Test(planar, chroma_behind_the_memory_is_zero)
{
    struct surface s = make_nv12(TILING_LINEAR);
    s.limit_B = UV_Y * PITCH_B; /* all of luma, none of chroma */
    struct sample_req req = {.op = SAMPLE_LD, .lanes = 8, .exec_mask = 1};
    union color c = sample_one(&s, NULL, &req);
    near(c.f[0], 0.0f);
    near(c.f[1], (float)luma(0, 0) / 255.0f);
    near(c.f[2], 0.0f);
}

Test(planar, separate_planes_are_refused)
{
    struct gen9_render_surface_state rss = {
        .surface_type = SURFACE_2D,
        .surface_format = NV12,
        .separate_uv_plane_enable = true,
    };
    uint32_t dw[16] = {0};
    struct surface s;
    gen9_render_surface_state_pack(&rss, dw);
    cr_assert_not(surface_decode(&s, dw, 9));
    cr_assert_eq(s.type, SURFACE_NULL);
}
