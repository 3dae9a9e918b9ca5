/* test_scanout.c: images of scan-out buffers and of the last colour target. */
#include "rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(target, .timeout = 20);

#define XR24 0x34325258u
#define AB24 0x34324241u
#define RG16 0x36314752u
#define XR30 0x30335258u

Test(target, linear_rows_keep_their_pitch)
{
    uint32_t mem[2][4] = {{0x00112233, 0xff445566}, {0x80778899, 0x00aabbcc}};
    uint8_t rgba[16];
    cr_assert(engine_detile_rgba(mem, sizeof mem, 2, 2, 16, 0, XR24, rgba));
    static const uint8_t want[16] = {0x11, 0x22, 0x33, 0xff, 0x44, 0x55,
                                     0x66, 0xff, 0x77, 0x88, 0x99, 0xff,
                                     0xaa, 0xbb, 0xcc, 0xff};
    cr_assert_arr_eq(rgba, want, 16);
}

Test(target, alpha_is_kept_where_there_is_one)
{
    uint32_t mem = 0x80332211;
    uint8_t rgba[4];
    cr_assert(engine_detile_rgba(&mem, 4, 1, 1, 64, 0, AB24, rgba));
    static const uint8_t want[4] = {0x11, 0x22, 0x33, 0x80};
    cr_assert_arr_eq(rgba, want, 4);
}

Test(target, narrow_and_deep_channels_are_scaled)
{
    uint16_t low = 31 << 11 | 0 << 5 | 31;
    uint32_t deep = 1023u << 20 | 0 << 10 | 512;
    uint8_t rgba[4];
    cr_assert(engine_detile_rgba(&low, 2, 1, 1, 64, 0, RG16, rgba));
    static const uint8_t magenta[4] = {255, 0, 255, 255};
    cr_assert_arr_eq(rgba, magenta, 4);
    cr_assert(engine_detile_rgba(&deep, 4, 1, 1, 64, 0, XR30, rgba));
    static const uint8_t want[4] = {255, 0, 128, 255};
    cr_assert_arr_eq(rgba, want, 4);
}

/* Offset of a byte in memory two tiles wide, from the PRM's address bits. */
static unsigned
tiled(unsigned tiling, unsigned x_B, unsigned y)
{
    if (tiling == 1) /* 512 B x 8 rows */
        return y / 8 * 8192 + x_B / 512 * 4096 + y % 8 * 512 + x_B % 512;
    return y / 32 * 8192 + x_B / 128 * 4096 + x_B % 128 / 16 * 512 +
           y % 32 * 16 + x_B % 16;
}

Test(target, tiled_buffers_are_straightened)
{
    for (unsigned tiling = 1; tiling <= 2; tiling++) {
        unsigned pitch_B = tiling == 1 ? 1024 : 256;
        unsigned width = pitch_B / 4, height = 40;
        uint8_t *mem = calloc(1, 64 * 1024);
        uint8_t *rgba = malloc(width * height * 4);
        for (unsigned y = 0; y < height; y++)
            for (unsigned x = 0; x < width; x++) {
                uint32_t v = 0xff000000 | y << 16 | x;
                memcpy(mem + tiled(tiling, x * 4, y), &v, 4);
            }
        cr_assert(engine_detile_rgba(mem, 64 * 1024, width, height, pitch_B,
                                     tiling, AB24, rgba));
        for (unsigned y = 0; y < height; y++)
            for (unsigned x = 0; x < width; x++) {
                const uint8_t *p = rgba + (y * width + x) * 4;
                cr_assert_eq(p[0], x & 255, "tiling %u at %u,%u", tiling, x, y);
                cr_assert_eq(p[2], y, "tiling %u at %u,%u", tiling, x, y);
            }
        free(mem);
        free(rgba);
    }
}

Test(target, short_memory_reads_as_black)
{
    uint32_t mem[2] = {0xffffffff, 0xffffffff};
    uint8_t rgba[16];
    cr_assert(engine_detile_rgba(mem, 4, 2, 2, 8, 0, XR24, rgba));
    static const uint8_t want[16] = {255, 255, 255, 255};
    cr_assert_arr_eq(rgba, want, 16);
}

Test(target, unknown_layouts_are_refused)
{
    uint32_t mem = 0;
    uint8_t rgba[4];
    cr_assert_not(engine_detile_rgba(&mem, 4, 1, 1, 64, 0, 0x12345678, rgba));
    cr_assert_not(engine_detile_rgba(&mem, 4, 1, 1, 64, 3, XR24, rgba));
    cr_assert_not(engine_detile_rgba(&mem, 4, 1, 1, 0, 0, XR24, rgba));
}

Test(target, last_target_of_a_draw)
{
    struct rig rig;
    rig_init(&rig, &(struct engine_config){.gen = 9});
    uint32_t width, height;
    uint8_t *rgba;
    cr_assert_not(engine_last_target(rig.engine, &width, &height, &rgba));
    struct gen9_render_surface_state rss = {
        .surface_type = SURFACE_2D,
        .surface_format = 0x0c7,
        .surface_horizontal_alignment = 1,
        .surface_vertical_alignment = 1,
        .width = 2,
        .height = 1,
        .surface_pitch = 63,
        .surface_base_address = RIG_DATA,
    };
    gen9_render_surface_state_pack(&rss, rig_dw(&rig, RIG_STATE + 0x40));
    *rig_dw(&rig, RIG_STATE) = 0x40;
    *rig_dw(&rig, RIG_DATA + 64 + 8) = 0x04030201;
    memset(rig_dw(&rig, RIG_KERNEL), 1, 64);
    rig_set_bases(&rig, RIG_STATE, 0, RIG_KERNEL);
    uint32_t ps[12] = {0};
    struct gen9_3dstate_ps s = {._16_pixel_dispatch_enable = true};
    gen9_3dstate_ps_pack(&s, ps);
    ps[0] = 0x7820000a;
    rig_emit(&rig, ps, 12);
    EMIT(&rig, 0x784f0000, 1u << 31, 0x7b000005, 0, 3, 0, 1, 0, 0, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_OK);
    cr_assert(engine_last_target(rig.engine, &width, &height, &rgba));
    cr_assert_eq(width, 3);
    cr_assert_eq(height, 2);
    static const uint8_t want[4] = {1, 2, 3, 4};
    cr_assert_arr_eq(rgba + (1 * 3 + 2) * 4, want, 4);
    free(rgba);
    rig_finish(&rig);
}
