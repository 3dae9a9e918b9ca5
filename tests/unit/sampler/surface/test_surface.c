/* test_surface.c: RENDER_SURFACE_STATE and the places of texels. */
#include <criterion/criterion.h>

#include "sampler/surface/tiling.h"
#include "surface_pack.h"

enum {
    R32G32B32A32_FLOAT = 0x000,
    R8G8B8A8_UNORM = 0x0c7,
    R32_UINT = 0x0d7,
    R8_UINT = 0x143,
    BC1_UNORM = 0x186,
    RAW = 0x1ff,
};

static uint8_t arena[1 << 22];

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
decode(const struct gen9_render_surface_state *rss)
{
    uint32_t dw[16] = {0};
    struct surface s;
    gen9_render_surface_state_pack(rss, dw);
    cr_assert(surface_decode(&s, dw, 9));
    s.mem = arena;
    s.limit_B = sizeof arena;
    return s;
}

Test(surface, decodes_fields)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R8G8B8A8_UNORM,
                                                 100, 50, 7);
    rss.tile_mode = TILING_Y;
    rss.surface_pitch = 511;
    rss.surface_qpitch = 16;
    rss.surface_horizontal_alignment = 3;
    rss.surface_vertical_alignment = 2;
    rss.minimum_array_element = 3;
    rss.render_target_view_extent = 6;
    rss.mip_count_lod = 4;
    rss.surface_min_lod = 2;
    rss.surface_base_address = 0x123456789000;
    rss.shader_channel_select_red = 6;
    rss.shader_channel_select_alpha = 1;
    rss.x_offset = 3;
    rss.y_offset = 2;
    rss.blue_clear_color = 0x3f800000;
    struct surface s = decode(&rss);
    cr_assert_eq(s.type, SURFACE_2D);
    cr_assert_eq(s.fmt, format_info(R8G8B8A8_UNORM));
    cr_assert(s.width == 100 && s.height == 50 && s.depth == 7);
    cr_assert(s.tiling == TILING_Y && s.is_array);
    cr_assert_eq(s.row_pitch_B, 512);
    cr_assert_eq(s.qpitch_el_rows, 64);
    cr_assert(s.halign_el == 16 && s.valign_el == 8);
    cr_assert(s.min_array == 3 && s.view_extent_minus1 == 6);
    cr_assert(s.mip_count_minus1 == 4 && s.min_lod == 2);
    cr_assert_eq(s.base_va, 0x123456789000);
    cr_assert(s.swizzle[0] == 6 && s.swizzle[3] == 1);
    cr_assert(s.x_offset == 12 && s.y_offset == 8);
    cr_assert_eq(s.clear_color.f[2], 1.0f);
}

/* Written by hand, because fields of planar formats share these bits. */
Test(surface, decodes_auxiliary_surface)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R8G8B8A8_UNORM, 64,
                                                 64, 1);
    uint32_t dw[16] = {0};
    struct surface s;
    gen9_render_surface_state_pack(&rss, dw);
    dw[6] = AUX_CCS_E | 2 << 3 | 4 << 16;
    dw[10] = 0x55000;
    dw[11] = 0x12;
    cr_assert(surface_decode(&s, dw, 9));
    cr_assert_eq(s.aux, AUX_CCS_E);
    cr_assert_eq(s.aux_va, 0x1200055000);
    cr_assert_eq(s.aux_row_pitch_B, 3 * 128);
    cr_assert_eq(s.aux_qpitch_el_rows, 16);
    dw[6] = 2; /* append buffers: not supported */
    cr_assert(surface_decode(&s, dw, 9));
    cr_assert_eq(s.aux, AUX_NONE);
}

Test(surface, bad_state_becomes_null)
{
    uint32_t dw[16] = {0};
    struct surface s;
    struct gen9_render_surface_state rss = image(SURFACE_2D, 0x1fe, 1, 1, 1);
    gen9_render_surface_state_pack(&rss, dw);
    cr_assert(!surface_decode(&s, dw, 9));
    cr_assert_eq(s.type, SURFACE_NULL);
    cr_assert_not_null(s.fmt);
    rss = image(6, R32_UINT, 1, 1, 1);
    gen9_render_surface_state_pack(&rss, dw);
    cr_assert(!surface_decode(&s, dw, 9));
    rss = image(SURFACE_2D, R32_UINT, 1, 1, 1);
    rss.number_of_multisamples = 7;
    gen9_render_surface_state_pack(&rss, dw);
    cr_assert(!surface_decode(&s, dw, 9));
}

Test(surface, buffers_of_gen8_are_known)
{
    struct gen9_render_surface_state rss = image(SURFACE_BUFFER, RAW, 128, 1,
                                                 1);
    uint32_t dw[16] = {0};
    struct surface s;
    uint64_t before = stats_get(STAT_unimp);
    gen9_render_surface_state_pack(&rss, dw);
    cr_assert(surface_decode(&s, dw, 8));
    cr_expect_eq(s.buffer_elements, 128);
    cr_expect_eq(stats_get(STAT_unimp), before);
}

Test(surface, null_surface_is_no_error)
{
    struct gen9_render_surface_state rss = image(SURFACE_NULL, R32_UINT, 64, 32,
                                                 1);
    struct surface s = decode(&rss);
    cr_assert_eq(s.type, SURFACE_NULL);
    cr_assert(s.width == 64 && s.height == 32);
}

/* Level 1 below 0, 2 right of 1, the others below 2, all aligned. */
Test(surface, mip_layout)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R8G8B8A8_UNORM, 37,
                                                 21, 1);
    rss.surface_pitch = 255;
    rss.mip_count_lod = 5;
    struct surface s = decode(&rss);
    static const struct {
        uint32_t x, y, w, h;
    } want[] = {
        {0, 0, 37, 21}, {0, 24, 18, 10}, {20, 24, 9, 5},
        {20, 32, 4, 2}, {20, 36, 2, 1},  {20, 40, 1, 1},
    };
    for (unsigned l = 0; l < ARRAY_SIZE(want); l++) {
        cr_assert_eq(surface_offset_B(&s, l, 0, 0, 0, 0),
                     want[l].y * 256 + want[l].x * 4, "level %u", l);
        cr_assert_eq(surface_level_width(&s, l), want[l].w);
        cr_assert_eq(surface_level_height(&s, l), want[l].h);
    }
    struct surface slow = s;
    slow.has_layout = false;
    for (unsigned l = 0; l < 6; l++)
        cr_assert_eq(surface_offset_B(&slow, l, 1, 1, 0, 0),
                     surface_offset_B(&s, l, 1, 1, 0, 0));
}

/* Alignment and QPitch of compressed surfaces count blocks. */
Test(surface, compressed_mips_and_slices)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, BC1_UNORM, 40, 40,
                                                 2);
    rss.surface_pitch = 127;
    rss.surface_qpitch = 7;
    struct surface s = decode(&rss);
    cr_assert_eq(surface_offset_B(&s, 0, 4, 8, 0, 0), 2 * 128 + 8);
    cr_assert_eq(surface_offset_B(&s, 0, 7, 11, 0, 0), 2 * 128 + 8);
    cr_assert_eq(surface_offset_B(&s, 1, 0, 0, 0, 0), 12 * 128);
    cr_assert_eq(surface_offset_B(&s, 2, 0, 0, 0, 0), 12 * 128 + 8 * 8);
    cr_assert_eq(surface_offset_B(&s, 0, 0, 0, 1, 0), 28 * 128);
    cr_assert_not_null(surface_ptr(&s, 3, 7, 7, 0, 0)); /* 5x5, two blocks */
    cr_assert_null(surface_ptr(&s, 3, 8, 0, 0, 0));
}

Test(surface, linear_1d_levels_lie_in_a_row)
{
    struct gen9_render_surface_state rss = image(SURFACE_1D, R8G8B8A8_UNORM,
                                                 100, 1, 3);
    rss.surface_qpitch = 320 / 4;
    struct surface s = decode(&rss);
    cr_assert_eq(surface_offset_B(&s, 0, 5, 0, 0, 0), 20);
    cr_assert_eq(surface_offset_B(&s, 1, 0, 0, 0, 0), 128 * 4);
    cr_assert_eq(surface_offset_B(&s, 2, 1, 0, 0, 0), (128 + 64 + 1) * 4);
    cr_assert_eq(surface_offset_B(&s, 0, 0, 0, 2, 0), 640 * 4);
}

Test(surface, slices_of_3d_surfaces_shrink)
{
    struct gen9_render_surface_state rss = image(SURFACE_3D, R8G8B8A8_UNORM, 16,
                                                 16, 8);
    rss.tile_mode = TILING_Y;
    rss.surface_pitch = 127;
    rss.surface_qpitch = 32 / 4;
    struct surface s = decode(&rss);
    cr_assert_eq(surface_offset_B(&s, 0, 0, 0, 3, 0), 3 * 4096);
    cr_assert_eq(surface_level_slices(&s, 1), 4);
    cr_assert_not_null(surface_ptr(&s, 1, 0, 0, 3, 0));
    cr_assert_null(surface_ptr(&s, 1, 0, 0, 4, 0));
}

Test(surface, cube_has_six_slices_each)
{
    struct gen9_render_surface_state rss = image(SURFACE_CUBE, R8G8B8A8_UNORM,
                                                 4, 4, 2);
    rss.surface_pitch = 63;
    rss.surface_qpitch = 1;
    rss.minimum_array_element = 1;
    struct surface s = decode(&rss);
    cr_assert_not_null(surface_ptr(&s, 0, 3, 3, 12, 0));
    cr_assert_null(surface_ptr(&s, 0, 3, 3, 13, 0));
}

Test(surface, samples_as_slices)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R8G8B8A8_UNORM, 8,
                                                 8, 2);
    rss.surface_pitch = 127;
    rss.tile_mode = TILING_Y;
    rss.surface_qpitch = 8;
    rss.number_of_multisamples = 2;
    struct surface s = decode(&rss);
    cr_assert_eq(s.samples, 4);
    cr_assert_eq(surface_offset_B(&s, 0, 0, 0, 1, 3), 7 * 4096);
    cr_assert_null(surface_ptr(&s, 0, 0, 0, 0, 4));
}

Test(surface, samples_interleaved)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R32_UINT, 5, 5, 1);
    rss.surface_pitch = 127;
    rss.number_of_multisamples = 2;
    rss.multisampled_surface_storage_format = 1;
    struct surface s = decode(&rss);
    /* Pixel (2, 3) of sample 3: x 4 + 2, y 4 + 1 + 2. */
    cr_assert_eq(surface_offset_B(&s, 0, 2, 3, 0, 3), 7 * 128 + 6 * 4);
    cr_assert_null(surface_ptr(&s, 0, 5, 0, 0, 0));
}

Test(surface, stencil_is_w_tiled)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R8_UINT, 100, 70,
                                                 1);
    rss.tile_mode = TILING_W;
    rss.surface_pitch = 255; /* two tiles */
    struct surface s = decode(&rss);
    cr_assert_eq(surface_offset_B(&s, 0, 64, 64, 0, 0), 3 * 4096);
    cr_assert_eq(surface_offset_B(&s, 0, 1, 1, 0, 0), 3);
    cr_assert_eq(surface_offset_B(&s, 0, 8, 0, 0, 0), 512);
}

Test(surface, three_dimensional_w_tiling_doubles_qpitch)
{
    struct gen9_render_surface_state rss = image(SURFACE_3D, R8_UINT, 64, 64,
                                                 2);
    rss.tile_mode = TILING_W;
    rss.surface_pitch = 127;
    rss.surface_qpitch = 32 / 4;
    struct surface s = decode(&rss);
    cr_assert_eq(surface_offset_B(&s, 0, 0, 0, 1, 0), 4096);
}

Test(surface, offsets_move_the_origin)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R8G8B8A8_UNORM, 8,
                                                 8, 1);
    rss.tile_mode = TILING_Y;
    rss.surface_pitch = 127;
    rss.x_offset = 2;
    rss.y_offset = 1;
    struct surface s = decode(&rss);
    cr_assert_eq(surface_offset_B(&s, 0, 0, 0, 0, 0), 2 * 512 + 4 * 16);
}

Test(surface, pointers_stay_inside)
{
    struct gen9_render_surface_state rss = image(SURFACE_2D, R32G32B32A32_FLOAT,
                                                 4, 4, 1);
    rss.surface_pitch = 63;
    struct surface s = decode(&rss);
    s.limit_B = 4 * 64;
    cr_assert_eq(surface_ptr(&s, 0, 3, 3, 0, 0), arena + 3 * 64 + 48);
    cr_assert_null(surface_ptr(&s, 0, 4, 0, 0, 0));
    cr_assert_null(surface_ptr(&s, 0, 0xffffffff, 0, 0, 0));
    cr_assert_null(surface_ptr(&s, 0, 0, 4, 0, 0));
    cr_assert_null(surface_ptr(&s, 0, 0, 0, 1, 0));
    cr_assert_null(surface_ptr(&s, 99, 0, 0, 0, 0));
    s.limit_B--;
    cr_assert_null(surface_ptr(&s, 0, 3, 3, 0, 0));
    s.mem = NULL;
    cr_assert_null(surface_ptr(&s, 0, 0, 0, 0, 0));
}

static uint32_t
next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*seed >> 32);
}

/* Prefers small numbers. Returns false for invalid state. */
static bool
random_surface(struct surface *s, uint64_t *seed, uint32_t r[5])
{
    uint32_t dw[16];
    for (unsigned i = 0; i < 16; i++)
        dw[i] = next_random(seed);
    for (unsigned i = 0; i < 5; i++)
        r[i] = dw[11 + i] >> (dw[i] & 31);
    dw[5] &= ~(3u << 18);
    return surface_decode(s, dw, 9);
}

/* With any state, no pointer leaves the memory. */
Test(surface, random_state_never_escapes)
{
    uint64_t seed = 7;
    enum { LIMIT = 1 << 16 };
    for (unsigned n = 0; n < 100000; n++) {
        uint32_t r[5];
        struct surface s;
        if (!random_surface(&s, &seed, r))
            continue;
        s.mem = arena;
        s.limit_B = LIMIT;
        uint8_t *p = s.type == SURFACE_BUFFER
                         ? surface_buffer_ptr(&s, r[0])
                         : surface_ptr(&s, r[0] & 15, r[1], r[2], r[3], r[4]);
        cr_assert(!p || (p >= arena && p + s.fmt->element_B <= arena + LIMIT));
    }
}

/* If axes_step() says so, tables of one place differ by a constant from those
 * of another. */
Test(surface, axes_of_another_place)
{
    enum { N = 64 };
    uint64_t seed = 8, x_B[N], y_B[N], step_B;
    unsigned tried = 0;
    for (unsigned n = 0; n < 100000; n++) {
        struct axes_place from, to;
        struct surface s;
        uint32_t r[5], odd = next_random(&seed);
        if (!random_surface(&s, &seed, r) || s.type == SURFACE_BUFFER)
            continue;
        unsigned level = r[0] & 1;
        uint32_t x = r[1] * N + (odd & 1) * 4, y = r[2] * N + (odd & 2) * 4;
        uint32_t to_x = r[3] * N, to_y = r[4] * N, z = odd >> 2 & 3;
        if (!surface_axes_place(&s, level, x, y, 0, 0, &from) ||
            !surface_axes_place(&s, level, to_x, to_y, z, 0, &to) ||
            !axes_step(&from, &to, &step_B))
            continue;
        surface_axes(&s, level, x, y, 0, 0, N, N, x_B, y_B);
        for (unsigned i = 0; i < N; i++) {
            unsigned k = i * 5 % N;
            cr_assert_eq(x_B[i] + y_B[k] + step_B,
                         surface_offset_B(&s, level, to_x + i, to_y + k, z, 0));
        }
        tried++;
    }
    cr_assert_gt(tried, 1000, "%u", tried);
}

static struct surface
buffer(unsigned format, uint64_t count, uint32_t stride_B)
{
    struct gen9_render_surface_state rss = {
        .surface_type = SURFACE_BUFFER,
        .surface_format = format,
        .width = (count - 1) & 0x7f,
        .height = (count - 1) >> 7 & 0x3fff,
        .depth = (uint32_t)((count - 1) >> 21),
        .surface_pitch = stride_B - 1,
    };
    return decode(&rss);
}

Test(surface, buffer_size_is_split)
{
    struct surface s = buffer(RAW, UINT64_C(0x8abcdef1), 1);
    cr_assert_eq(s.buffer_elements, UINT64_C(0x8abcdef1));
    cr_assert_eq(s.buffer_stride_B, 1);
}

Test(surface, buffer_elements_end)
{
    struct surface s = buffer(R32G32B32A32_FLOAT, 10, 16);
    cr_assert_eq(surface_buffer_ptr(&s, 9), arena + 144);
    cr_assert_null(surface_buffer_ptr(&s, 10));
    cr_assert_null(surface_buffer_ptr(&s, UINT64_MAX));
    s.limit_B = 159;
    cr_assert_null(surface_buffer_ptr(&s, 9));
}
