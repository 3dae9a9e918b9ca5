/* test_sfc.c: the SFC after the VEBOX: rotation and crop exactly, scaling and
 * color beside a model in doubles. */
#include "vebox_bench.h"

#include <math.h>

TestSuite(sfc, .init = bench_init, .fini = bench_finish, .timeout = 120);

#define FORMATS 7

/* Output formats as VEBOX formats with the same bytes; 3, R5G6B5, has none. */
static const unsigned same_format[FORMATS] = {5, 8, 7, 0, 4, 0, 3};

struct job {
    unsigned format, rotation;
    uint32_t in_w, in_h, x, y, w, h; /* the region */
    uint32_t out_w, out_h;           /* scaled */
    uint32_t at_x, at_y;             /* in the output frame */
    uint32_t flags;                  /* of dword 4; adaptive: bits 8 and 9 */
    uint32_t avs[2];                 /* SFC_AVS_STATE; 0: sharp */
    unsigned input;                  /* format */
};

static struct model_surface in, out;

static void
emit_sfc(const struct job *j)
{
    uint32_t dw[34] = {0x75010020};
    dw[1] = 1 | 4 << 4;
    dw[2] = (j->in_h - 1) << 16 | (j->in_w - 1);
    dw[3] = j->format;
    dw[4] = (j->flags ^ 3u << 8) | j->rotation << 16;
    dw[5] = (j->h - 1) << 16 | (j->w - 1);
    dw[6] = j->y << 16 | j->x;
    dw[7] = (out.height - 1) << 16 | (out.width - 1);
    dw[8] = (j->out_h - 1) << 16 | (j->out_w - 1);
    dw[9] = j->at_y << 16 | j->at_x;
    dw[10] = 0x2a0 << 16 | 0x120;
    dw[11] = 0x080 << 16 | 0x3fc;
    dw[13] = 0x3fc;
    dw[14] = (uint32_t)(((uint64_t)j->h << 17) / j->out_h);
    dw[15] = (uint32_t)(((uint64_t)j->w << 17) / j->out_w);
    dw[17] = LO(out.va);
    dw[29] = (out.pitch_B - 1) << 3 | 1u << 27 |
             (out.tiling == MODEL_LINEAR ? 0
              : out.tiling == MODEL_X    ? 2
                                         : 3);
    dw[30] = out.chroma_row;
    rig_emit(&rig, dw, 34);
}

static void
run_job(const struct job *j, enum model_tiling tiling)
{
    bool turned = j->rotation & 1;
    in = model_surface(j->input, MODEL_Y, j->in_w, j->in_h, IN_VA);
    out = model_surface(same_format[j->format], tiling,
                        j->at_x + (turned ? j->out_h : j->out_w),
                        j->at_y + (turned ? j->out_w : j->out_h), OUT_VA);
    cr_assert_leq(model_size_B(&out), 0x30000);
    rig_at(&rig, RIG_BATCH);
    emit_state(F_IECP | F_AVERAGE | F_CURRENT);
    model_emit_surface(&rig, &in, 0);
    model_emit_surface(&rig, &in, 1);
    EMIT(&rig, 0x75000000, 1);
    emit_sfc(j);
    EMIT(&rig, 0x75020001, j->avs[0] | j->avs[1] ? j->avs[0] : 0xff000000,
         j->avs[1], 0x75040000, 0);
    cr_assert_eq(run_frame(j->in_w), ENGINE_OK);
}

/* Where pixel (x, y) of the scaled region is in the output. */
static struct model_pixel
rotated(const struct job *j, uint32_t x, uint32_t y)
{
    uint32_t to_x = x, to_y = y;
    if (j->rotation == 1)
        to_x = j->out_h - 1 - y, to_y = x;
    else if (j->rotation == 2)
        to_x = j->out_w - 1 - x, to_y = j->out_h - 1 - y;
    else if (j->rotation == 3)
        to_x = y, to_y = j->out_w - 1 - x;
    return model_read(&rig, &out, j->at_x + to_x, j->at_y + to_y);
}

/* ---- 1:1 ---- */

Test(sfc, rotates_exactly)
{
    for (unsigned n = 0; n < 48; n++) {
        struct job j = {.rotation = n % 4, .input = 5, .flags = 0};
        j.in_w = j.w = j.out_w = 20 + random_32() % 60;
        j.in_h = j.h = j.out_h = 20 + random_32() % 60;
        j.at_x = random_32() % 20;
        j.at_y = random_32() % 20;
        run_job(&j, n % 3);
        for (uint32_t y = 0; y < j.h; y++)
            for (uint32_t x = 0; x < j.w; x++)
                for (unsigned c = 0; c < 3; c++)
                    cr_assert_eq(rotated(&j, x, y).v[c],
                                 model_read(&rig, &in, x, y).v[c],
                                 "rotation %u, (%u, %u)", j.rotation, x, y);
    }
}

Test(sfc, rotates_nv12_exactly)
{
    for (unsigned n = 0; n < 16; n++) {
        struct job j = {.rotation = n % 4, .input = 4, .format = 4};
        j.in_w = j.w = j.out_w = 16 + random_32() % 30 * 2;
        j.in_h = j.h = j.out_h = 16 + random_32() % 30 * 2;
        j.at_x = n & 4 ? 6 : 0;
        run_job(&j, n % 3);
        for (uint32_t y = 0; y < j.h; y++)
            for (uint32_t x = 0; x < j.w; x++)
                for (unsigned c = 0; c < 3; c++)
                    cr_assert_eq(rotated(&j, x, y).v[c],
                                 model_read(&rig, &in, x, y).v[c]);
    }
}

Test(sfc, crops_exactly_into_every_format)
{
    for (unsigned format = 0; format < FORMATS; format++) {
        if (format == 3)
            continue;
        struct job j = {.format = format, .input = 8, .in_w = 70, .in_h = 50};
        j.x = 11, j.y = 7, j.w = j.out_w = 40, j.h = j.out_h = 30;
        run_job(&j, format % 3);
        for (uint32_t y = 0; y < j.h; y++)
            for (uint32_t x = 0; x < j.w; x++)
                for (unsigned c = 0; c < (format < 3 ? 3 : 1); c++) {
                    double v = model_read(&rig, &in, j.x + x, j.y + y).v[c];
                    unsigned to = format == 2 ? 2 - c : c; /* red is high */
                    cr_assert_eq(model_read(&rig, &out, x, y).v[to], v);
                }
    }
}

Test(sfc, fills_around_the_region)
{
    struct job j = {.input = 5, .in_w = 16, .in_h = 16, .flags = 1u << 18};
    j.w = j.h = j.out_w = j.out_h = 16;
    j.at_x = 9, j.at_y = 5;
    run_job(&j, MODEL_LINEAR);
    cr_assert_eq(*rig_dw(&rig, OUT_VA), 0xffa84820, "%08x",
                 *rig_dw(&rig, OUT_VA));
    cr_assert_eq(model_read(&rig, &out, 8, 20).v[0], 0xa8);
    cr_assert_eq(model_read(&rig, &out, 9, 5).v[0],
                 model_read(&rig, &in, 0, 0).v[0]);
}

/* ---- scaling ---- */

static double
clamp_read(double at, uint32_t first, uint32_t count)
{
    return first + fmin(fmax(at, 0), count - 1);
}

/* Bilinear, with the fraction in 32 steps. */
static double
bilinear(const struct job *j, uint32_t x, uint32_t y, unsigned c)
{
    double step_x = floor((double)j->w * 131072 / j->out_w) / 131072;
    double step_y = floor((double)j->h * 131072 / j->out_h) / 131072;
    double sx = floor(((x + 0.5) * step_x - 0.5) * 32 + 0.5) / 32;
    double sy = floor(((y + 0.5) * step_y - 0.5) * 32 + 0.5) / 32;
    double v[2][2], fx = sx - floor(sx), fy = sy - floor(sy);
    for (int b = 0; b < 2; b++)
        for (int a = 0; a < 2; a++)
            v[b][a] = model_read(
                          &rig, &in,
                          (uint32_t)clamp_read(floor(sx) + a, j->x, j->w),
                          (uint32_t)clamp_read(floor(sy) + b, j->y, j->h))
                          .v[c];
    return (v[0][0] * (1 - fx) + v[0][1] * fx) * (1 - fy) +
           (v[1][0] * (1 - fx) + v[1][1] * fx) * fy;
}

static void
check_scaling(uint32_t flags)
{
    for (unsigned n = 0; n < 20; n++) {
        struct job j = {.input = 5, .in_w = 90, .in_h = 70};
        j.flags = flags;
        j.rotation = n % 4;
        j.x = random_32() % 20, j.y = random_32() % 20;
        j.w = 20 + random_32() % 40, j.h = 20 + random_32() % 30;
        j.out_w = 16 + random_32() % 90, j.out_h = 16 + random_32() % 90;
        run_job(&j, n % 3);
        for (uint32_t y = 0; y < j.out_h; y++)
            for (uint32_t x = 0; x < j.out_w; x++)
                for (unsigned c = 0; c < 3; c++)
                    cr_assert_float_eq(rotated(&j, x, y).v[c],
                                       bilinear(&j, x, y, c), 1.01,
                                       "%u x %u to %u x %u, (%u, %u)", j.w, j.h,
                                       j.out_w, j.out_h, x, y);
    }
}

Test(sfc, scales_bilinearly)
{
    check_scaling(1u << 7 | 2u << 4);
}

/* The polyphase filter with tables that are bilinear, then with the taps moved
 * by a pixel. */
static void
emit_tables(int move)
{
    uint32_t table_luma[129] = {0x7505007f}, table_chroma[65] = {0x7506003f};
    uint8_t *luma = (uint8_t *)(table_luma + 1);
    uint8_t *chroma = (uint8_t *)(table_chroma + 1);
    for (int p = 0; p < 32; p++) {
        for (int axis = 0; axis < 2; axis++) {
            luma[(p * 8 + 3 + move) * 2 + axis] = (uint8_t)(64 - p * 2);
            luma[(p * 8 + 4 + move) * 2 + axis] = (uint8_t)(p * 2);
            chroma[(p * 4 + 1) * 2 + axis] = (uint8_t)(64 - p * 2);
            chroma[(p * 4 + 2) * 2 + axis] = (uint8_t)(p * 2);
        }
    }
    rig_at(&rig, RIG_BATCH);
    rig_emit(&rig, table_luma, 129);
    rig_emit(&rig, table_chroma, 65);
    EMIT(&rig, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_VECS), ENGINE_OK);
}

Test(sfc, scales_by_tables)
{
    emit_tables(0);
    check_scaling(1u << 7 | 1u << 4);
}

Test(sfc, taps_are_columns_and_rows)
{
    emit_tables(2);
    struct job j = {.input = 5, .in_w = 40, .in_h = 40, .flags = 1u << 7};
    j.flags |= 1u << 4;
    j.w = j.h = j.out_w = j.out_h = 40;
    run_job(&j, MODEL_Y);
    for (uint32_t y = 0; y < 38; y++)
        for (uint32_t x = 0; x < 38; x++) {
            cr_assert_eq(model_read(&rig, &out, x, y).v[0],
                         model_read(&rig, &in, x + 2, y + 2).v[0]);
            cr_assert_eq(model_read(&rig, &out, x, y).v[1],
                         model_read(&rig, &in, x, y).v[1]);
        }
}

/* In x alone, with the sharp filter's taps moved by two pixels: luma is what
 * the steps around choose of both, chroma has no such taps. */
static double
adapted_luma(const struct job *j, uint32_t x, uint32_t y)
{
    double tap[8], inner = 0, outer = 0;
    for (int i = 0; i < 8; i++)
        tap[i] = model_read(&rig, &in,
                            (uint32_t)clamp_read((int)x + i - 3, 0, j->w), y)
                     .v[0];
    for (int i = 0; i < 7; i++) {
        double step = fabs(tap[i + 1] - tap[i]);
        outer = fmax(outer, step);
        inner = i >= 2 && i < 5 ? fmax(inner, step) : inner;
    }
    double edge = fmin(fmax((inner - 90) / 64, 0), 1);
    double rough = fmin(fmax((outer - 120) / 128, 0), 1);
    double sharp = fmax(edge, 1 - rough);
    return tap[5] * sharp + tap[3] * (1 - sharp);
}

Test(sfc, adapts_to_steps)
{
    emit_tables(2);
    for (unsigned n = 0; n < 4; n++) {
        struct job j = {.input = 5, .in_w = 60, .in_h = 40};
        j.flags = 1u << 7 | 1u << 4 | 2u << 8;
        j.flags |= n & 1 ? 1u << 6 : 0;
        j.avs[0] = 6 << 4 | 7;
        j.avs[1] = 90 << 16 | 120;
        j.w = j.out_w = 60, j.h = j.out_h = 40;
        run_job(&j, n % 3);
        for (uint32_t y = 0; y < 40; y++)
            for (uint32_t x = 0; x < 60; x++) {
                struct model_pixel p = model_read(&rig, &out, x, y);
                cr_assert_float_eq(p.v[0], adapted_luma(&j, x, y), 1.51,
                                   "(%u, %u)", x, y);
                cr_assert_eq(p.v[1], model_read(&rig, &in, x, y).v[1]);
            }
    }
}

/* ---- color and sharpness ---- */

/* Gray to RGB by the matrix of BT.601, and red in the low byte or in the high
 * one. */
Test(sfc, converts_color)
{
    uint32_t ief[24] = {0x75030016};
    ief[16] = 1 | 1192 << 3;
    ief[17] = 1634;
    ief[17] |= 1192u << 13;
    ief[18] = (-401 & 0x1fff) | (uint32_t)(-832 & 0x1fff) << 13;
    ief[19] = 1192 | 2066u << 13;
    ief[21] = -64 & 0x7ff;
    ief[22] = ief[23] = -512 & 0x7ff;
    rig_at(&rig, RIG_BATCH);
    rig_emit(&rig, ief, 24);
    EMIT(&rig, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_VECS), ENGINE_OK);
    struct job j = {.input = 5, .in_w = 16, .in_h = 16, .flags = 1u << 19};
    j.w = j.h = j.out_w = j.out_h = 16;
    j.format = 1;
    run_job(&j, MODEL_LINEAR);
    for (uint32_t x = 0; x < 16; x++) {
        struct model_pixel a = model_read(&rig, &in, x, 3);
        struct model_pixel b = model_read(&rig, &out, x, 3);
        double y = 1.1641 * (a.v[0] - 16), u = a.v[1] - 128, v = a.v[2] - 128;
        const double rgb[3] = {y + 1.5957 * v, y - 0.3916 * u - 0.8125 * v,
                               y + 2.0176 * u};
        for (unsigned c = 0; c < 3; c++)
            cr_assert_float_eq(b.v[c], fmin(fmax(rgb[c], 0), 255), 1.01);
    }
}

Test(sfc, ief_sharpens_edges_and_keeps_flat_areas)
{
    struct job j = {.input = 11, .in_w = 64, .in_h = 32, .flags = 1};
    j.w = j.out_w = 64, j.h = j.out_h = 32;
    EMIT(&rig, 0x75030016, 44 | 1 << 6 | 8 << 12 | 5 << 18 | 5 << 23,
         255 | 1 << 8 | 2 << 11 | 7 << 14 | 7 << 17 | 7 << 22 | 7u << 27, 0, 0,
         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_VECS), ENGINE_OK);
    for (uint32_t i = 0; i < 0x2000; i++)
        rig.mem[IN_VA - RIG_VA + i] = i / 512 % 8 < 2 ? 100 : 140;
    run_job(&j, MODEL_LINEAR);
    cr_assert_eq(model_read(&rig, &out, 8, 9).v[0], 100);
    cr_assert_eq(model_read(&rig, &out, 56, 9).v[0], 140);
    cr_assert_lt(model_read(&rig, &out, 31, 9).v[0], 100);
    cr_assert_gt(model_read(&rig, &out, 32, 9).v[0], 140);
}

/* Vertical edges are sharpened, but for skin that shall not be revealed. */
Test(sfc, ief_leaves_skin_as_it_is)
{
    uint32_t ief[24] = {0x75030016,
                        44 | 1 << 6 | 8 << 12 | 5 << 18 | 5 << 23,
                        255 | 1 << 8 | 2 << 11 | 7 << 14 | 7 << 17 | 7 << 22 |
                            7u << 27,
                        14u << 22 | 31 << 16 | 79 << 8 | 101,
                        154u << 24 | 110 << 16 | 4 << 12,
                        1u << 31 | 2u << 24 | 3 << 21 | 100 << 13 | 35 << 7};
    struct job j = {.input = 5, .in_w = 32, .in_h = 16, .flags = 1};
    j.w = j.out_w = 32, j.h = j.out_h = 16;
    for (unsigned tuned = 0; tuned < 2; tuned++) {
        j.flags = 1 | tuned << 1;
        rig_at(&rig, RIG_BATCH);
        rig_emit(&rig, ief, 24);
        EMIT(&rig, BBE);
        cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_VECS), ENGINE_OK);
        /* One Y tile of V U Y A; skin below. */
        for (uint32_t i = 0; i < 32 * 16; i++) {
            uint32_t x_B = i % 32 * 4, y = i / 32;
            uint32_t luma = i % 32 < 16 ? 100 : 140;
            *rig_dw(&rig,
                    IN_VA + x_B / 16 * 512 + y * 16 +
                        x_B % 16) = luma << 16 |
                                    (y < 8 ? 128u << 8 | 128 : 110u << 8 | 154);
        }
        run_job(&j, MODEL_Y);
        cr_assert_gt(model_read(&rig, &out, 16, 4).v[0], 140);
        double skin = model_read(&rig, &out, 16, 12).v[0];
        if (tuned)
            cr_assert_eq(skin, 140, "%g", skin);
        else
            cr_assert_gt(skin, 140);
    }
}
