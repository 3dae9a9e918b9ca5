/* test_vebox_capture.c: the capture pipe: Bayer patterns of known pictures
 * become these again, and corrections are exact where a color was sampled. */
#include "vebox_bench.h"

#include <math.h>

TestSuite(vebox_capture, .init = bench_init, .fini = bench_finish,
          .timeout = 120);

#define WIDTH 50u
#define HEIGHT 38u
#define PITCH_B 128u
#define DEMOSAIC (1u << 10)
#define CAPTURE_VA (RIG_VA + 0x14000)

static struct model_surface out;

/* 0 red, 1 green in red's row, 2 green in blue's, 3 blue. */
static unsigned
color_of(unsigned pattern, uint32_t x, uint32_t y)
{
    static const char *const tiles[4] = {"3210", "0123", "1032", "2301"};
    return (unsigned)(tiles[pattern][y % 2 * 2 + x % 2] - '0');
}

static void
run_pattern(unsigned pattern, bool wide)
{
    out = model_surface(8, MODEL_Y, WIDTH, HEIGHT, OUT_VA);
    rig_at(&rig, RIG_BATCH);
    EMIT(&rig, 0x7402000e, F_IECP | F_AVERAGE | DEMOSAIC, LO(DNDI_VA), 0,
         LO(IECP_VA), 0, 0, 0, 0, 0, LO(CAPTURE_VA), 0, 0, 0, 0, 0);
    EMIT(&rig, 0x74000007, 0, (HEIGHT - 1) << 18 | (WIDTH - 1) << 4,
         14u << 28 | pattern << 25 | (uint32_t)wide << 24 | (PITCH_B - 1) << 3,
         0, 0, 0, 0, 0);
    model_emit_surface(&rig, &out, 1);
    cr_assert_eq(run_frame(WIDTH), ENGINE_OK);
}

static void
put_sample(uint32_t x, uint32_t y, bool wide, double v)
{
    uint8_t *row = rig.mem + (IN_VA - RIG_VA) + y * PITCH_B;
    if (!wide) {
        row[x] = (uint8_t)v;
        return;
    }
    uint16_t word = (uint16_t)(v * 256);
    memcpy(row + x * 2, &word, 2);
}

static double
linear_color(unsigned channel, uint32_t x, uint32_t y)
{
    static const double at[3] = {20, 90, 170}, across[3] = {2, 1, 1},
                        down[3] = {1, 3, -2};
    return at[channel] + across[channel] * x + down[channel] * y;
}

Test(vebox_capture, keeps_linear_colors)
{
    static const uint8_t channel[4] = {0, 1, 1, 2};
    for (unsigned n = 0; n < 8; n++) {
        unsigned pattern = n % 4;
        bool wide = n >= 4;
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                put_sample(
                    x, y, wide,
                    linear_color(channel[color_of(pattern, x, y)], x, y));
        run_pattern(pattern, wide);
        for (uint32_t y = 2; y < HEIGHT - 2; y++)
            for (uint32_t x = 2; x < WIDTH - 2; x++)
                for (unsigned c = 0; c < 3; c++)
                    cr_assert_eq(model_read(&rig, &out, x, y).v[c],
                                 linear_color(c, x, y),
                                 "pattern %u, (%u, %u), channel %u", pattern, x,
                                 y, c);
        cr_assert_eq(model_read(&rig, &out, 5, 5).v[3], 255);
    }
}

/* Detail that the colors share, as pictures have it, and slow changes of color.
 */
static double
smooth_color(unsigned channel, uint32_t x, uint32_t y)
{
    return 128 + 60 * sin(x * 0.4) * cos(y * 0.3) +
           40 * sin((x + y) * 0.05 + channel * 2);
}

Test(vebox_capture, restores_smooth_pictures)
{
    static const uint8_t channel[4] = {0, 1, 1, 2};
    double error = 0;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            put_sample(x, y, false,
                       round(smooth_color(channel[color_of(1, x, y)], x, y)));
    run_pattern(1, false);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (unsigned c = 0; c < 3; c++) {
                double v = model_read(&rig, &out, x, y).v[c];
                error += pow(v - smooth_color(c, x, y), 2);
            }
    double psnr = 10 * log10(255 * 255 / (error / (WIDTH * HEIGHT * 3)));
    cr_assert_gt(psnr, 35, "%.2f dB", psnr);
}

/* Black point, then white balance, by the samples' own fields. */
Test(vebox_capture, corrects_samples)
{
    static const int black[4] = {-3, 5, 17, 30};
    static const double factor[4] = {1.5, 0.75, 1.25, 2};
    static const uint8_t channel[4] = {0, 1, 1, 2};
    uint32_t word[4], msb[4], *dw = rig_dw(&rig, CAPTURE_VA);
    for (unsigned i = 0; i < 4; i++) {
        word[i] = (uint32_t)(black[i] * 256) & 0xffff;
        msb[i] = black[i] < 0;
    }
    dw[2] = 3 | msb[0] << 7 | msb[1] << 6 | msb[3] << 5 | msb[2] << 4;
    dw[3] = word[0] << 16 | word[1];
    dw[4] = word[3] << 16 | word[2];
    dw[5] = (uint32_t)(factor[0] * 4096) << 16 | (uint32_t)(factor[1] * 4096);
    dw[6] = (uint32_t)(factor[3] * 4096) << 16 | (uint32_t)(factor[2] * 4096);
    for (unsigned pattern = 0; pattern < 4; pattern++) {
        run_pattern(pattern, false);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                unsigned color = color_of(pattern, x, y);
                double v = rig.mem[IN_VA - RIG_VA + y * PITCH_B + x];
                double want = fmin(fmax(v - black[color], 0), 255.99);
                want = fmin(want * factor[color], 255);
                cr_assert_float_eq(
                    model_read(&rig, &out, x, y).v[channel[color]], want, 0.51,
                    "pattern %u, (%u, %u)", pattern, x, y);
            }
    }
}
