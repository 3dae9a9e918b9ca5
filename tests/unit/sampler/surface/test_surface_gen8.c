/* test_surface_gen8.c: surface layouts of Broadwell. */
#include <criterion/criterion.h>

#include "sampler/surface/image.h"
#include "sampler/surface/tiling.h"
#include "surface_pack.h"

enum {
    R32G32B32A32_UINT = 0x002,
    R8G8B8A8_UNORM = 0x0c7,
    R8G8B8A8_UINT = 0x0cb,
    R32_UINT = 0x0d7,
    R16_UINT = 0x10d,
    R8_UINT = 0x143,
    BC1_UNORM = 0x186,
    FXT1 = 0x192,
};

static uint8_t arena[1 << 24];
static uint8_t taken[sizeof arena];

static struct gen9_render_surface_state
image(unsigned type, unsigned format, unsigned w, unsigned h, unsigned d)
{
    return (struct gen9_render_surface_state){
        .surface_type = type,
        .surface_format = format,
        .width = w - 1,
        .height = h - 1,
        .depth = d - 1,
        .surface_array = type != SURFACE_3D,
        .surface_horizontal_alignment = 1,
        .surface_vertical_alignment = 1,
    };
}

static struct surface
decode(const struct gen9_render_surface_state *rss, unsigned gen)
{
    uint32_t dw[16] = {0};
    struct surface s;
    gen9_render_surface_state_pack(rss, dw);
    cr_assert(surface_decode(&s, dw, gen));
    s.mem = arena;
    s.limit_B = sizeof arena;
    return s;
}

/* 20 x 12 x 5 in texels of 4 x 4 alignment; the pitch is 256 bytes. */
Test(surface_gen8, levels_of_3d_surfaces_are_grids_of_slices)
{
    struct gen9_render_surface_state rss = image(SURFACE_3D, R32_UINT, 20, 12,
                                                 5);
    rss.surface_pitch = 255;
    struct surface s = decode(&rss, 8);
    cr_expect_eq(surface_offset_B(&s, 0, 3, 2, 0, 0), 2 * 256 + 3 * 4);
    cr_expect_eq(surface_offset_B(&s, 0, 0, 0, 3, 0), 36 * 256);
    /* Level 1: 10 x 6, one grid row of two slices, below five slices of 12. */
    cr_expect_eq(surface_offset_B(&s, 1, 0, 0, 0, 0), 60 * 256);
    cr_expect_eq(surface_offset_B(&s, 1, 1, 5, 1, 0), 65 * 256 + 13 * 4);
    /* Level 2: 5 x 3, one slice; level 1 took 8 rows. */
    cr_expect_eq(surface_offset_B(&s, 2, 4, 2, 0, 0), 70 * 256 + 4 * 4);
    cr_expect_eq(surface_offset_B(&s, 3, 0, 0, 0, 0), 72 * 256);
}

Test(surface_gen8, a_grid_has_more_rows_where_slices_are_many)
{
    struct gen9_render_surface_state rss = image(SURFACE_3D, R8G8B8A8_UNORM, 16,
                                                 16, 9);
    rss.surface_pitch = 127;
    rss.tile_mode = TILING_Y;
    rss.surface_horizontal_alignment = 3;
    struct surface s = decode(&rss, 8);
    /* Level 1: four slices of 8 x 8 at 16 texels, two to a row. */
    cr_expect_eq(surface_offset_B(&s, 1, 0, 0, 3, 0),
                 tiling_offset_y_B(16 * 4, 9 * 16 + 8, 128));
    cr_expect_eq(surface_offset_B(&s, 2, 0, 0, 1, 0),
                 tiling_offset_y_B(16 * 4, 9 * 16 + 2 * 8, 128));
}

Test(surface_gen8, one_dimension_is_two_with_one_row)
{
    struct gen9_render_surface_state rss = image(SURFACE_1D, R8G8B8A8_UNORM,
                                                 100, 1, 3);
    rss.surface_pitch = 1023;
    rss.surface_qpitch = 12 / 4;
    struct surface s = decode(&rss, 8);
    cr_expect_eq(surface_offset_B(&s, 0, 5, 0, 0, 0), 20);
    cr_expect_eq(surface_offset_B(&s, 0, 5, 0, 2, 0), 24 * 1024 + 20);
    cr_expect_eq(surface_offset_B(&s, 1, 0, 0, 1, 0), (12 + 4) * 1024);
    cr_expect_eq(surface_offset_B(&s, 2, 0, 0, 0, 0), 4 * 1024 + 52 * 4);
}

/* Gen9 counts blocks where Gen8 counts pixels. */
Test(surface_gen8, alignments_and_qpitch_are_pixels)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, BC1_UNORM, 64, 64,
                                                 4);
    rss.surface_pitch = 127;
    rss.surface_qpitch = 128 / 4;
    struct surface s = decode(&rss, 8);
    cr_expect(s.halign_el == 1 && s.valign_el == 1);
    cr_expect_eq(s.qpitch_el_rows, 32);
    cr_expect_eq(surface_offset_B(&s, 3, 0, 0, 1, 0),
                 (32 + 16 + 4) * 128 + 8 * 8);
    cr_expect_eq(decode(&rss, 9).qpitch_el_rows, 128);
    cr_expect_eq(decode(&rss, 9).halign_el, 4);
    rss.surface_format = FXT1; /* blocks of 8 x 4 */
    rss.surface_horizontal_alignment = 2;
    s = decode(&rss, 8);
    cr_expect(s.halign_el == 1 && s.valign_el == 1);
    rss.surface_format = R32_UINT;
    rss.surface_horizontal_alignment = 3;
    s = decode(&rss, 8);
    cr_expect(s.halign_el == 16 && s.qpitch_el_rows == 128);
}

Test(surface_gen8, clear_colours_have_a_bit_a_channel)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R8G8B8A8_UNORM, 8,
                                                 8, 1);
    uint32_t dw[16] = {0};
    struct surface s;
    gen9_render_surface_state_pack(&rss, dw);
    dw[7] |= 0xb0000000; /* red, blue, alpha */
    dw[12] = dw[13] = 0x40000000;
    cr_assert(surface_decode(&s, dw, 8));
    cr_expect(s.clear_color.f[0] == 1.0f && s.clear_color.f[1] == 0.0f &&
              s.clear_color.f[2] == 1.0f && s.clear_color.f[3] == 1.0f);
    rss.surface_format = R8G8B8A8_UINT;
    memset(dw, 0, sizeof dw);
    gen9_render_surface_state_pack(&rss, dw);
    dw[7] |= 0x40000000; /* green */
    cr_assert(surface_decode(&s, dw, 8));
    cr_expect(s.clear_color.u[0] == 0 && s.clear_color.u[1] == 1 &&
              s.clear_color.u[2] == 0 && s.clear_color.u[3] == 0);
}

Test(surface_gen8, has_no_16_samples)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R32_UINT, 8, 8, 1);
    uint32_t dw[16] = {0};
    struct surface s;
    rss.number_of_multisamples = 4;
    gen9_render_surface_state_pack(&rss, dw);
    cr_expect(!surface_decode(&s, dw, 8));
    cr_expect(surface_decode(&s, dw, 9));
    rss.number_of_multisamples = 3;
    memset(dw, 0, sizeof dw);
    gen9_render_surface_state_pack(&rss, dw);
    cr_expect(surface_decode(&s, dw, 8));
}

static unsigned state = 1;

static unsigned
any(unsigned n)
{
    state = state * 1103515245 + 12345;
    return (state >> 8) % n;
}

static struct surface
any_3d(void)
{
    static const uint16_t formats[] = {R8_UINT, R16_UINT, R32_UINT,
                                       R32G32B32A32_UINT, BC1_UNORM};
    static const uint8_t tilings[] = {TILING_LINEAR, TILING_X, TILING_Y,
                                      TILING_W};
    struct gen9_render_surface_state rss = image(
        SURFACE_3D, formats[any(5)], 1 + any(40), 1 + any(40), 1 + any(20));
    rss.tile_mode = tilings[any(4)];
    if (rss.tile_mode == TILING_W)
        rss.surface_format = R8_UINT;
    rss.surface_horizontal_alignment = 1 + any(3);
    rss.surface_vertical_alignment = 1 + any(3);
    /* At most 20 slices side by side, of 48 texels at level 0 and fewer. */
    rss.surface_pitch = 8191;
    return decode(&rss, 8);
}

/* Elements do not share bytes, and all functions find the same places. */
static void
check_slice(const struct surface *s, unsigned level, uint32_t z)
{
    struct image im;
    uint32_t w = surface_level_width(s, level);
    uint32_t h = surface_level_height(s, level);
    unsigned block_w = s->fmt->block_w, block_h = s->fmt->block_h;
    uint64_t x_B[64], y_B[64];
    cr_assert(image_init(&im, s, level, z, 0));
    surface_axes(s, level, 0, 0, z, 0, w, h, x_B, y_B);
    for (uint32_t y = 0; y < h; y += block_h) {
        for (uint32_t x = 0; x < w; x += block_w) {
            uint8_t *p = surface_ptr(s, level, x, y, z, 0);
            cr_assert_not_null(p);
            cr_assert_eq(p, image_at(&im, x / block_w, y / block_h));
            if (s->tiling != TILING_W)
                cr_assert_eq(p, s->mem + x_B[x] + y_B[y]);
            for (unsigned i = 0; i < s->fmt->element_B; i++)
                cr_assert_eq(taken[p - arena + i]++, 0);
        }
    }
}

Test(surface_gen8, elements_of_3d_surfaces_are_apart)
{
    for (unsigned n = 0; n < 60; n++) {
        struct surface s = any_3d();
        memset(taken, 0, sizeof taken);
        for (unsigned level = 0; level < 6; level++)
            for (uint32_t z = 0; z < surface_level_depth(&s, level); z++)
                check_slice(&s, level, z);
    }
}
