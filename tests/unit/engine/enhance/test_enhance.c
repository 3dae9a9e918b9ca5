/* test_enhance.c: the adaptive filter's choice, the image enhancement filter
 * and skin tones beside models in doubles. */
#include "engine/enhance/enhance.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"

TestSuite(enhance, .timeout = 60);

static double
random_to(double most)
{
    return rand() / (RAND_MAX + 1.0) * most;
}

/* ---- adaptive ---- */

static double
ramp(double v, double from, double width)
{
    return fmin(fmax((v - from) / width, 0), 1);
}

static double
model_sharpness(const struct adaptive *a, const uint16_t tap[8])
{
    double inner = 0, outer = 0;
    for (int i = 0; i < 7; i++) {
        double step = fabs(tap[i + 1] / 256.0 - tap[i] / 256.0);
        outer = fmax(outer, step);
        if (i >= 2 && i < 5)
            inner = fmax(inner, step);
    }
    double edge = ramp(inner, a->max_derivative_4, pow(2, a->transition_4));
    double rough = ramp(outer, a->max_derivative_8, pow(2, a->transition_8));
    return 255 * fmax(edge, 1 - rough);
}

Test(enhance, adaptive_follows_the_model)
{
    for (unsigned n = 0; n < 20000; n++) {
        struct adaptive a = {.max_derivative_4 = (uint8_t)random_to(256),
                             .max_derivative_8 = (uint8_t)random_to(256),
                             .transition_4 = (uint8_t)random_to(8),
                             .transition_8 = (uint8_t)random_to(8)};
        uint16_t tap[8];
        for (unsigned i = 0; i < 8; i++)
            tap[i] = (uint16_t)random_to(n % 2 ? 65536 : 8000);
        cr_assert_float_eq(adaptive_sharpness(&a, tap),
                           model_sharpness(&a, tap), 1.01);
    }
}

/* Values of iHD: sharp at edges and in calm areas, smooth beside an edge. */
Test(enhance, adaptive_is_smooth_beside_edges)
{
    const struct adaptive a = {.max_derivative_4 = 7,
                               .max_derivative_8 = 20,
                               .transition_4 = 4,
                               .transition_8 = 5};
    const uint16_t low = 0x4000, high = 0xc000;
    const uint16_t flat[8] = {low, low, low, low, low, low, low, low};
    const uint16_t edge[8] = {low, low, low, low, high, high, high, high};
    const uint16_t beside[8] = {high, low, low, low, low, low, low, low};
    cr_assert_eq(adaptive_sharpness(&a, flat), 255);
    cr_assert_eq(adaptive_sharpness(&a, edge), 255);
    cr_assert_eq(adaptive_sharpness(&a, beside), 0);
    cr_assert_eq(adaptive_blend(1000, 10, 255), 1000);
    cr_assert_eq(adaptive_blend(1000, 10, 0), 10);
}

/* ---- skin tones ---- */

/* Defaults of the manual. */
static const struct skin_tone defaults = {
    .u_mid = 110,
    .v_mid = 154,
    .sat_max = 31,
    .hue_max = 14,
    .margin = 3,
    .cos_a = 79,
    .sin_a = 101,
    .diamond_du = 2,
    .diamond_dv = 0,
    .diamond_th = 35,
    .diamond_alpha = 100,
    .diamond_margin = 4,
    .y_point = {46, 47, 254, 255},
    .y_slope = {31, 31},
    .lower = {{46, 216, 236, 236}, {133, 130, 130, 130}, {-5, 0, 0, 0}, 3300},
    .upper = {{46, 66, 150, 236},
              {143, 163, 200, 140},
              {256, 113, -179, 0},
              1600},
};

static double
score_of(const struct skin_tone *s, unsigned y, unsigned u, unsigned v)
{
    uint16_t wide[3] = {(uint16_t)(y << 8), (uint16_t)(u << 8),
                        (uint16_t)(v << 8)};
    return skin_score(s, wide[0], wide[2], skin_place(s, wide[1], wide[2]));
}

Test(enhance, skin_is_in_rectangle_and_rhombus)
{
    cr_assert_float_eq(score_of(&defaults, 120, 110, 154), 1, 1e-9);
    cr_assert_float_eq(score_of(&defaults, 120, 128, 128), 0, 1e-9);
    cr_assert_float_eq(score_of(&defaults, 120, 154, 110), 0, 1e-9);
    for (unsigned n = 0; n < 5000; n++) {
        double u = floor(random_to(256)), v = floor(random_to(256));
        double sat = ((u - 110) * 79 + (v - 154) * 101) / 128;
        double hue = ((v - 154) * 79 - (u - 110) * 101) / 128;
        double box = ramp(fmin(31 - fabs(sat), 14 - fabs(hue)), 0, 3);
        double rhombus = ramp(35 - fabs(sat - 2) - 100 / 64.0 * fabs(hue), 0,
                              4);
        cr_assert_float_eq(score_of(&defaults, 100, (unsigned)u, (unsigned)v),
                           fmin(box, rhombus), 1e-6);
    }
}

/* The limits of V by Y: dark pixels and those beyond the limits are not skin.
 */
Test(enhance, skin_is_in_the_vy_subspace)
{
    struct skin_tone s = defaults;
    s.by_luma = true;
    cr_assert_float_eq(score_of(&s, 20, 110, 154), 0, 1e-9);
    /* Limits at 150 are 131 and 200, and margins 65536 / 3300 and / 1600. */
    double low = (154 - (133 - 104 * 5 / 256.0)) * 3300 / 65536;
    double high = (200 - 154) * 1600 / 65536.0;
    cr_assert_float_eq(score_of(&s, 150, 110, 154), fmin(fmin(low, high), 1),
                       1e-6);
    low = (154 - 130) * 3300 / 65536.0;
    high = (140 - 154) * 1600 / 65536.0;
    cr_assert_float_eq(score_of(&s, 240, 110, 154), fmax(high, 0), 1e-9);
    cr_assert_gt(low, 0);
}

/* ---- the enhancement filter ---- */

#define WIDTH 24

/* The manual's defaults. */
#define FIRST (44u | 1 << 6 | 8 << 12 | 5 << 18 | 5 << 23)
#define WEIGHTS \
    (255u | 1 << 8 | 2 << 11 | 7 << 14 | 7 << 17 | 7 << 22 | 7u << 27)

static uint16_t luma[5][WIDTH + 4], u_row[WIDTH], v_row[WIDTH], to[WIDTH];
static const uint16_t *const rows[5] = {luma[0], luma[1], luma[2], luma[3],
                                        luma[4]};

static struct ief
manual_ief(void)
{
    const uint32_t dw[IEF_DW] = {FIRST,
                                 0,
                                 WEIGHTS,
                                 14u << 22 | 31 << 16 | 79 << 8 | 101,
                                 154u << 24 | 110 << 16 | 4 << 12,
                                 2u << 24 | 3 << 21 | 100 << 13 | 35 << 7,
                                 255u << 24 | 254 << 16 | 47 << 8 | 46,
                                 3300,
                                 216u << 24 | 46 << 16 | 1600,
                                 130u << 24 | 133 << 16 | 236 << 8 | 236,
                                 31u << 27 | (uint32_t)(-5 & 0x7ff) << 16 |
                                     130 << 8 | 130,
                                 0,
                                 31u << 27 | 66 << 19 | 46 << 11,
                                 163u << 24 | 143 << 16 | 236 << 8 | 150,
                                 256u << 16 | 140 << 8 | 200,
                                 (uint32_t)(-179 & 0x7ff) << 11 | 113};
    struct ief f = {0};
    ief_init(&f, FIRST, dw);
    return f;
}

static void
fill_rows(double most)
{
    for (unsigned j = 0; j < 5; j++)
        for (unsigned i = 0; i < WIDTH + 4; i++)
            luma[j][i] = (uint16_t)(0x4000 + random_to(most));
    for (unsigned i = 0; i < WIDTH; i++)
        u_row[i] = v_row[i] = 0x8000;
}

static double
model_luma(const struct ief *f, unsigned x, double skin)
{
    static const char ring[5][6] = {"xzczx", "zxcxz", "cc.cc", "zxcxz",
                                    "xzczx"};
    double center = luma[2][x + 2], detail = 0;
    double across = fabs(luma[2][x + 3] - luma[2][x + 1] + 0.0);
    double down = fabs(luma[3][x + 2] - luma[1][x + 2] + 0.0);
    double step = floor(fmax(across, down) / 256);
    double weight = step >= 8 ? 7 : step >= 1 ? 2 : 1;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) {
            bool inner = abs(i - 2) < 2 && abs(j - 2) < 2;
            if (ring[j][i] != '.' && (inner || !f->smooth))
                detail += (inner ? 5 : 7) * (center - luma[j][i + (int)x]);
        }
    if (f->skin_tuned)
        weight += ((f->hides_skin ? 0 : 7) - weight) * skin;
    if (f->smooth)
        weight -= 8;
    return fmin(fmax(center + detail / 128 * 44 / 64 * weight / 8, 0), 65535);
}

Test(enhance, layout_is_that_of_the_state)
{
    struct ief f = manual_ief();
    struct skin_tone s = defaults;
    cr_assert_eq(f.gain, 44);
    cr_assert_eq(f.skin.lower.slope[0], s.lower.slope[0]);
    cr_assert_eq(memcmp(&f.skin, &s, sizeof s), 0);
}

Test(enhance, ief_follows_the_model)
{
    for (unsigned n = 0; n < 400; n++) {
        struct ief f = manual_ief();
        f.smooth = n & 1;
        f.skin_tuned = n & 2;
        f.hides_skin = n & 4;
        fill_rows(n % 3 ? 0x400 : 0x8000);
        double skin = 0;
        if (n & 8) {
            skin = 1;
            for (unsigned i = 0; i < WIDTH; i++)
                u_row[i] = 110 << 8, v_row[i] = 154 << 8;
        }
        ief_row(&f, rows, u_row, v_row, to, WIDTH);
        for (unsigned x = 0; x < WIDTH; x++)
            cr_assert_float_eq(to[x], model_luma(&f, x, skin), 1.01,
                               "case %u, %u: %u", n, x, to[x]);
    }
}

Test(enhance, ief_keeps_flat_rows)
{
    struct ief f = manual_ief();
    fill_rows(1);
    ief_row(&f, rows, u_row, v_row, to, WIDTH);
    for (unsigned x = 0; x < WIDTH; x++)
        cr_assert_eq(to[x], 0x4000);
}
