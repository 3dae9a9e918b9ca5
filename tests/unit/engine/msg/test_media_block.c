/* test_media_block.c: media block messages: rectangles of bytes between
 * surfaces and registers, inside and outside of the surface's edges. */
#include <criterion/criterion.h>

#include "engine/msg/dataport/dataport.h"

enum { W_B = 64, H = 8, PITCH_B = 128, R8 = 0x143, R16 = 0x10d, R32 = 0x0d7 };
enum { YCRCB_NORMAL = 0x182, YCRCB_SWAPY = 0x190 };

static uint8_t memory[PITCH_B * H];
static struct surface surface;

const struct surface *
stage_surface(const struct shader_stage *stage, unsigned bti)
{
    return &surface;
}

const struct surface *
stage_surface_bindless(const struct shader_stage *stage, uint32_t offset_B)
{
    return &surface;
}

static struct eu_message message;
static uint32_t payload[128][8], answer[128][8];
static struct thread_env env;

static void
begin(unsigned format, int x_B, int y, unsigned width_B, unsigned height)
{
    surface = (struct surface){.type = SURFACE_2D,
                               .format = (uint16_t)format,
                               .fmt = format_info(format),
                               .mem = memory,
                               .limit_B = sizeof memory,
                               .width = W_B / 4,
                               .height = H,
                               .depth = 1,
                               .samples = 1,
                               .halign_el = 4,
                               .valign_el = 4,
                               .row_pitch_B = PITCH_B};
    surface_layout(&surface);
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)(i * 7 + i / PITCH_B);
    memset(payload, 0, sizeof payload);
    memset(answer, 0xcc, sizeof answer);
    payload[0][0] = (uint32_t)x_B;
    payload[0][1] = (uint32_t)y;
    payload[0][2] = (width_B - 1) | (height - 1) << 16;
    message = (struct eu_message){.header = true,
                                  .mlen_grf = 1,
                                  .rlen_grf = 64,
                                  .src0 = payload[0],
                                  .dst = answer[0]};
}

static uint8_t
answered(unsigned at)
{
    return ((const uint8_t *)answer)[at];
}

/* Pixels of every size; rows have a power-of-two pitch. */
Test(media_block, reads_go_on_at_the_edges)
{
    static const struct {
        unsigned format, pixel_B;
    } row[] = {{R8, 1}, {R16, 2}, {R32, 4}};
    for (unsigned n = 0; n < 600; n++) {
        int pixel_B = (int)row[n % 3].pixel_B;
        int x_B = ((int)(n * 37 % 160) - 48) / pixel_B * pixel_B;
        int y = (int)(n * 11 % 24) - 8;
        unsigned width_B = (n * 13 % 32 / (unsigned)pixel_B + 1) *
                           (unsigned)pixel_B;
        unsigned height = n % 8 + 1, pitch_B = 4;
        width_B = MIN2(width_B, 32u);
        while (pitch_B < width_B)
            pitch_B *= 2;
        begin(row[n % 3].format, x_B, y, width_B, height);
        cr_assert_eq(media_block(&env, &message, false), EU_MSG_OK);
        for (unsigned i = 0; i < width_B * height; i++) {
            int at = x_B + (int)(i % width_B), line = y + (int)(i / width_B);
            line = CLAMP(line, 0, H - 1);
            while (at < 0)
                at += pixel_B;
            while (at >= W_B)
                at -= pixel_B;
            cr_assert_eq(answered(i / width_B * pitch_B + i % width_B),
                         memory[line * PITCH_B + at], "case %u, byte %u", n, i);
        }
        cr_assert_eq(answered((height - 1) * pitch_B + width_B), 0xcc);
    }
}

/* The shape of a standard tile depends on the element, although blocks are
 * bytes. */
Test(media_block, standard_tilings)
{
    static const unsigned formats[] = {R8, R16, R32, YCRCB_NORMAL, 0x000};
    static uint8_t tiles[1 << 18], linear[H][W_B];
    for (unsigned n = 0; n < ARRAY_SIZE(formats) * 2; n++) {
        begin(formats[n / 2], 8, 2, 32, 5);
        unsigned element_B = surface.fmt->element_B;
        surface.tiling = n & 1 ? TILING_YS : TILING_YF;
        surface.mip_tail_start = 15;
        surface.row_pitch_B = 1024;
        surface.mem = tiles;
        surface.limit_B = sizeof tiles;
        surface.width = W_B / element_B * surface.fmt->block_w;
        surface_layout(&surface);
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < W_B; x += element_B) {
                for (unsigned b = 0; b < element_B; b++)
                    linear[y][x + b] = (uint8_t)(y * 64 + x + b + n);
                memcpy(surface_ptr(&surface, 0,
                                   x / element_B * surface.fmt->block_w, y, 0,
                                   0),
                       &linear[y][x], element_B);
            }
        surface.width = W_B / 4; /* blocks have widths in dwords */
        cr_assert_eq(media_block(&env, &message, false), EU_MSG_OK);
        for (unsigned i = 0; i < 32 * 5; i++)
            cr_assert_eq(answered(i), linear[2 + i / 32][8 + i % 32],
                         "case %u, byte %u", n, i);
    }
}

/* Outside, a pixel pair repeats the outer luma and both chromas. */
Test(media_block, pairs_of_pixels)
{
    begin(YCRCB_NORMAL, -4, 0, 4, 1);
    media_block(&env, &message, false);
    cr_expect_eq(answered(0), memory[0]);
    cr_expect_eq(answered(1), memory[1]);
    cr_expect_eq(answered(2), memory[0]);
    cr_expect_eq(answered(3), memory[3]);
    begin(YCRCB_NORMAL, W_B + 8, 0, 4, 1);
    media_block(&env, &message, false);
    cr_expect_eq(answered(0), memory[W_B - 2]);
    cr_expect_eq(answered(1), memory[W_B - 3]);
    cr_expect_eq(answered(2), memory[W_B - 2]);
    cr_expect_eq(answered(3), memory[W_B - 1]);
    begin(YCRCB_SWAPY, W_B, 0, 4, 1);
    media_block(&env, &message, false);
    cr_expect_eq(answered(0), memory[W_B - 4]);
    cr_expect_eq(answered(1), memory[W_B - 1]);
    cr_expect_eq(answered(2), memory[W_B - 2]);
    cr_expect_eq(answered(3), memory[W_B - 1]);
}

Test(media_block, writes_beyond_the_edges_are_dropped)
{
    for (unsigned n = 0; n < 200; n++) {
        int x_B = (int)(n * 29 % 40) * 4 - 48, y = (int)(n * 7 % 20) - 8;
        unsigned width_B = (n % 16 + 1) * 4, height = n % 8 + 1, pitch_B = 4;
        while (pitch_B < width_B)
            pitch_B *= 2;
        begin(R8, x_B, y, width_B, height);
        message.mlen_grf = 17;
        for (unsigned i = 0; i < 16 * 8; i++)
            payload[1 + i / 8][i % 8] = i * 0x9e3779b1u;
        uint8_t before[sizeof memory];
        memcpy(before, memory, sizeof before);
        cr_assert_eq(media_block(&env, &message, true), EU_MSG_OK);
        const uint8_t *data = (const uint8_t *)payload[1];
        for (int i = 0; i < (int)sizeof memory; i++) {
            int dx = i % PITCH_B - x_B, dy = i / PITCH_B - y;
            bool inside = i % PITCH_B < W_B && dx >= 0 && dx < (int)width_B &&
                          dy >= 0 && dy < (int)height;
            unsigned at = (unsigned)dy * pitch_B + (unsigned)dx;
            uint8_t want = inside && at < 16 * 32 ? data[at] : before[i];
            cr_assert_eq(memory[i], want, "case %u, byte %d", n, i);
        }
    }
}

/* With any header, no byte outside of surface and registers changes. */
Test(media_block, hostile_headers)
{
    static const uint32_t places[] = {0, INT32_MAX, 0x80000000, UINT32_MAX,
                                      W_B - 1};
    static const unsigned types[] = {SURFACE_2D, SURFACE_NULL, SURFACE_BUFFER,
                                     SURFACE_3D};
    for (unsigned n = 0; n < 400; n++) {
        begin(n % 3 ? R8 : 0x000 /* 16 bytes */, 0, 0, 64, 64);
        surface.type = (uint8_t)types[n / 25 % 4];
        surface.limit_B = n % 7 ? sizeof memory : 100;
        surface.width = n % 5 ? W_B / 4 : 1;
        payload[0][0] = places[n % 5];
        payload[0][1] = places[n / 5 % 5];
        message.rlen_grf = n % 4;
        message.mlen_grf = 1 + n % 3;
        uint8_t before[sizeof memory];
        memcpy(before, memory, sizeof before);
        media_block(&env, &message, n & 1);
        cr_assert_eq(answer[n % 4][0], 0xcccccccc);
        if (n & 1)
            cr_assert_eq(memcmp(memory + surface.limit_B,
                                before + surface.limit_B,
                                sizeof memory - surface.limit_B),
                         0);
        else
            cr_assert_eq(memcmp(memory, before, sizeof memory), 0);
    }
    begin(R8, 0, 0, 4, 1);
    message.header = false;
    cr_expect_eq(media_block(&env, &message, false), EU_MSG_ERROR);
}

/* A field has every second row, and edges of its own. */
Test(media_block, fields)
{
    for (unsigned n = 0; n < 2; n++) {
        begin(R8, -4, -1, 16, 6);
        message.desc = (6u + n) << 8;
        media_block(&env, &message, false);
        for (unsigned i = 0; i < 16 * 6; i++) {
            int x = MAX2((int)(i % 16) - 4, 0);
            int y = CLAMP((int)(i / 16) - 1, 0, H / 2 - 1);
            cr_assert_eq(answered(i), memory[(y * 2 + (int)n) * PITCH_B + x]);
        }
        begin(R8, 0, 2, 4, 3);
        message.desc = (6u + n) << 8;
        message.mlen_grf = 2;
        memset(payload[1], 0xee, 32);
        uint8_t before[sizeof memory];
        memcpy(before, memory, sizeof memory);
        media_block(&env, &message, true);
        for (unsigned i = 0; i < sizeof memory; i++) {
            unsigned x = i % PITCH_B, y = i / PITCH_B;
            bool in = x < 4 && y >= 4 && y % 2 == n;
            cr_assert_eq(memory[i], in ? 0xee : before[i], "%u,%u", x, y);
        }
    }
}

/* Four reads share registers: each row of 32 bytes has a part of each. */
Test(media_block, merged_reads)
{
    begin(R8, 0, 0, 8, 4);
    for (unsigned n = 0; n < 4; n++) {
        payload[0][0] = n * 12;
        payload[0][2] = 7 | 3u << 16 | n * 8 << 24 | 3u << 8;
        media_block(&env, &message, false);
    }
    for (unsigned i = 0; i < 4 * 32; i++)
        cr_assert_eq(answered(i),
                     memory[i / 32 * PITCH_B + i % 32 / 8 * 12 + i % 8]);
    cr_assert_eq(answered(4 * 32), 0xcc);
}

/* Which pixel each bit of a mask is: the order of squares in squares. */
static const uint8_t pixel_bit[4][8] = {{0, 1, 4, 5, 16, 17, 20, 21},
                                        {2, 3, 6, 7, 18, 19, 22, 23},
                                        {8, 9, 12, 13, 24, 25, 28, 29},
                                        {10, 11, 14, 15, 26, 27, 30, 31}};

static void
check_masked(unsigned mode, uint32_t mask, unsigned width_B, unsigned height)
{
    begin(R32, 32, 0, width_B, height);
    message.mlen_grf = 5;
    payload[0][2] |= mode << 30;
    payload[0][3] = mask;
    memset(payload[1], 0xee, 4 * 32);
    uint8_t before[sizeof memory];
    memcpy(before, memory, sizeof memory);
    media_block(&env, &message, true);
    for (unsigned i = 0; i < sizeof memory; i++) {
        unsigned x = i % PITCH_B - 32, y = i / PITCH_B;
        bool in = mode == 1 ? x < 32 && y < 4 &&
                                  mask >> pixel_bit[y % 4][x / 4 % 8] & 1
                            : x < width_B && y < height && mask >> x & 1;
        cr_assert_eq(memory[i], in ? 0xee : before[i], "mode %u, %08x: %u,%u",
                     mode, mask, x, y);
    }
}

Test(media_block, masked_writes)
{
    uint32_t mask = 1;
    for (unsigned n = 0; n < 64; n++) {
        check_masked(1, n < 32 ? 1u << n : mask, 4, 1);
        check_masked(2, n < 32 ? 1u << n : mask, 16, 4);
        check_masked(2, mask, 32, 4);
        mask = mask * 1664525 + 1013904223;
    }
}
