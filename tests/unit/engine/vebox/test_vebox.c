/* test_vebox.c: VEB_DI_IECP from batches, beside a model in doubles: formats
 * and tilings, color processing. */
#include "vebox_bench.h"

#include <math.h>

TestSuite(vebox, .init = bench_init, .fini = bench_finish, .timeout = 120);

static const unsigned yuv[] = {0, 1, 2, 3, 4, 5, 6, 9, 10, 12};
static const unsigned rgb[] = {7, 8, 13};

static struct model_pixel want[200 * 100];

static uint32_t *
iecp(unsigned dw)
{
    return rig_dw(&rig, IECP_VA) + dw;
}

/* What is stored for v of 256, of so many bits, as 256 again. */
static double
quantized(double v, unsigned bits)
{
    double levels = exp2(bits), units = floor(v / 256 * levels + 0.5);
    return fmin(fmax(units, 0), levels - 1) * 256 / levels;
}

/* Chroma that pixel (x, y) of the output has: the average of those that share
 * it. */
static double
shared(const struct model_pixel *pixels, const struct model_surface *out,
       uint32_t x, uint32_t y, unsigned c)
{
    unsigned sx = c == 1 || c == 2 ? model_sharing_x(out->format) : 1;
    unsigned sy = c == 1 || c == 2 ? model_sharing_y(out->format) : 1;
    uint32_t x0 = x / sx * sx, y0 = y / sy * sy;
    double sum = 0;
    for (unsigned j = 0; j < sy; j++)
        for (unsigned i = 0; i < sx; i++) {
            uint32_t px = x0 + i < out->width ? x0 + i : out->width - 1;
            uint32_t py = y0 + j < out->height ? y0 + j : out->height - 1;
            sum += pixels[py * out->width + px].v[c];
        }
    return sum / (sx * sy);
}

/* Compares the output surface with wanted pixels, to a step of its format. */
static void
compare(const struct model_surface *out, const struct model_pixel *want,
        double tolerance)
{
    for (uint32_t y = 0; y < out->height; y++) {
        for (uint32_t x = 0; x < out->width; x++) {
            struct model_pixel got = model_read(&rig, out, x, y);
            for (unsigned c = 0; c < 4; c++) {
                unsigned bits = model_bits(out->format, c);
                if (!bits)
                    continue;
                double v = quantized(shared(want, out, x, y, c), bits);
                double step = tolerance * 256 / exp2(bits) + 1.0 / 128;
                if (c == 3 && bits == 2)
                    step = 256;
                cr_assert(fabs(got.v[c] - v) <= step,
                          "format %u, channel %u of (%u, %u): %f, not %f",
                          out->format, c, x, y, got.v[c], v);
            }
        }
    }
}

static void
read_frame(const struct model_surface *s)
{
    for (uint32_t y = 0; y < s->height; y++)
        for (uint32_t x = 0; x < s->width; x++)
            want[y * s->width + x] = model_read(&rig, s, x, y);
}

/* ---- formats ---- */

static void
convert(unsigned from, unsigned to, uint32_t width, uint32_t height)
{
    struct model_surface in = model_surface(from, random_32() % 3, width,
                                            height, IN_VA);
    struct model_surface out = model_surface(to, random_32() % 3, width, height,
                                             OUT_VA);
    cr_assert_leq(model_size_B(&in), 0x30000);
    cr_assert_leq(model_size_B(&out), 0x30000);
    read_frame(&in);
    rig_at(&rig, RIG_BATCH);
    emit_state(F_IECP | F_AVERAGE | F_CURRENT);
    model_emit_surface(&rig, &in, 0);
    model_emit_surface(&rig, &out, 1);
    cr_assert_eq(run_frame(width), ENGINE_OK);
    compare(&out, want, from == to ? 0 : 1);
}

Test(vebox, converts_every_yuv_format_to_every_other)
{
    for (unsigned i = 0; i < ARRAY_SIZE(yuv); i++)
        for (unsigned j = 0; j < ARRAY_SIZE(yuv); j++)
            convert(yuv[i], yuv[j], 20 + random_32() % 50,
                    8 + random_32() % 40);
}

Test(vebox, converts_rgb_formats_and_gray)
{
    static const unsigned gray[] = {11, 15};
    for (unsigned i = 0; i < ARRAY_SIZE(rgb); i++)
        for (unsigned j = 0; j < ARRAY_SIZE(rgb); j++)
            convert(rgb[i], rgb[j], 33, 21);
    for (unsigned i = 0; i < 2; i++) {
        convert(gray[i], gray[1 - i], 33, 21);
        convert(gray[i], 4, 30, 20);
        convert(4, gray[i], 30, 20);
    }
}

/* Byte for byte, with odd sizes; what is not of the frame is kept. */
Test(vebox, keeps_frames_of_one_format)
{
    for (unsigned n = 0; n < 40; n++) {
        unsigned format = yuv[random_32() % ARRAY_SIZE(yuv)];
        enum model_tiling tiling = random_32() % 3;
        struct model_surface s = model_surface(
            format, tiling, 20 + random_32() % 60, 9 + random_32() % 30, IN_VA);
        uint32_t size_B = model_size_B(&s);
        uint8_t *in = (uint8_t *)rig_dw(&rig, IN_VA);
        uint8_t *out = (uint8_t *)rig_dw(&rig, OUT_VA);
        memcpy(out, in, size_B + 64);
        rig_at(&rig, RIG_BATCH);
        emit_state(F_IECP | F_AVERAGE | F_CURRENT);
        model_emit_surface(&rig, &s, 0);
        model_emit_surface(&rig, &s, 1);
        cr_assert_eq(run_frame(s.width), ENGINE_OK);
        if (s.width % 2 && format != 5 && format != 9)
            continue; /* the other half of the last pair */
        cr_assert(!memcmp(in, out, size_B + 64), "format %u", format);
    }
}

Test(vebox, drops_chroma_if_told_to)
{
    struct model_surface in = model_surface(5, MODEL_LINEAR, 16, 8, IN_VA);
    struct model_surface out = model_surface(4, MODEL_Y, 16, 8, OUT_VA);
    emit_state(F_IECP | F_CURRENT);
    model_emit_surface(&rig, &in, 0);
    model_emit_surface(&rig, &out, 1);
    cr_assert_eq(run_frame(16), ENGINE_OK);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 16; x++)
            cr_assert_eq(model_read(&rig, &out, x, y).v[1],
                         model_read(&rig, &in, x & ~1u, y & ~1u).v[1]);
}

Test(vebox, writes_columns_between_start_and_end)
{
    struct model_surface s = model_surface(8, MODEL_LINEAR, 16, 4, IN_VA);
    struct model_surface out = s;
    out.va = OUT_VA;
    memset(rig_dw(&rig, OUT_VA), 0x77, 64 * 4);
    emit_state(F_IECP | F_CURRENT);
    model_emit_surface(&rig, &s, 0);
    model_emit_surface(&rig, &out, 1);
    EMIT(&rig, 0x74030016, 4u << 16 | 7, LO(IN_VA), 0, 0, 0, 0, 0, 0, 0, 0, 0,
         LO(OUT_VA), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, BBE);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_VECS), ENGINE_OK);
    for (unsigned x = 0; x < 16; x++)
        cr_assert_eq(*rig_dw(&rig, OUT_VA + x * 4),
                     x >= 4 && x < 8 ? *rig_dw(&rig, IN_VA + x * 4)
                                     : 0x77777777u);
}

/* ---- color ---- */

#define COLOR_SIZE 40, 24

static void
run_color(unsigned from, unsigned to, void (*model)(double v[4]),
          double tolerance)
{
    struct model_surface in = model_surface(from, MODEL_Y, COLOR_SIZE, IN_VA);
    struct model_surface out = model_surface(to, MODEL_X, COLOR_SIZE, OUT_VA);
    read_frame(&in);
    for (unsigned i = 0; i < in.width * in.height; i++)
        model(want[i].v);
    rig_at(&rig, RIG_BATCH);
    emit_state(F_IECP | F_AVERAGE | F_CURRENT | 1u << 21);
    model_emit_surface(&rig, &in, 0);
    model_emit_surface(&rig, &out, 1);
    cr_assert_eq(run_frame(in.width), ENGINE_OK);
    compare(&out, want, tolerance);
}

static double
clamped(double v)
{
    return fmin(fmax(v, 0), 65535 / 256.0);
}

/* A table that changes nothing, for the gamma of run_color(). */
static void
flat_gamma(void)
{
    for (unsigned i = 0; i < 256; i++) {
        uint32_t v = i == 255 ? 0xffff : i * 256;
        rig_dw(&rig, GAMMA_VA)[i * 2] = v | v << 16;
        rig_dw(&rig, GAMMA_VA)[i * 2 + 1] = v | v << 16;
    }
}

static double brightness, contrast, hue, saturation;

static void
model_procamp(double v[4])
{
    double u = v[1] - 128, w = v[2] - 128;
    v[0] = clamped((v[0] - 16) * contrast + 16 + brightness);
    double factor = contrast * saturation;
    v[1] = clamped((u * cos(hue) + w * sin(hue)) * factor + 128);
    v[2] = clamped((w * cos(hue) - u * sin(hue)) * factor + 128);
}

Test(vebox, procamp)
{
    flat_gamma();
    for (unsigned n = 0; n < 20; n++) {
        brightness = (int)(random_32() % 200) - 100;
        contrast = (random_32() % 1024) / 128.0;
        saturation = (random_32() % 300) / 100.0;
        hue = (random_32() % 360) * 3.14159265358979 / 180;
        double factor = contrast * saturation * 256;
        *iecp(53) = 1 | ((uint32_t)(int)(brightness * 16) & 0xfff) << 1 |
                    (uint32_t)(contrast * 128) << 17;
        *iecp(54) = ((uint32_t)(int)lround(factor * cos(hue)) & 0xffff) << 16 |
                    ((uint32_t)(int)lround(factor * sin(hue)) & 0xffff);
        run_color(5, 5, model_procamp, 2);
    }
}

static double matrix[9], offset_in[3], offset_out[3];
static bool swapped;

static void
model_csc(double v[4])
{
    double to[3];
    for (unsigned i = 0; i < 3; i++) {
        to[i] = offset_out[i];
        for (unsigned j = 0; j < 3; j++)
            to[i] += matrix[i * 3 + j] * (v[j] + offset_in[j]);
    }
    for (unsigned i = 0; i < 3; i++)
        v[swapped ? 2 - i : i] = clamped(to[i]);
}

/* Random matrices, at both ends of the pipe. */
Test(vebox, csc)
{
    flat_gamma();
    for (unsigned n = 0; n < 20; n++) {
        unsigned at = n % 2 ? 79 : 55;
        memset(iecp(0), 0, 91 * 4);
        swapped = n % 4 == 2;
        for (unsigned i = 0; i < 9; i++) {
            int32_t c = (int32_t)(random_32() % 0x40000) - 0x20000;
            matrix[i] = c / 65536.0;
            *iecp(at + i) = (uint32_t)c & 0x7ffff;
        }
        *iecp(at) |= 1u << 31 | (uint32_t)swapped << 30;
        for (unsigned i = 0; i < 3; i++) {
            int16_t in = (int16_t)random_32(), out = (int16_t)random_32();
            offset_in[i] = in / 128.0;
            offset_out[i] = out / 128.0;
            *iecp(at + 9 + i) = (uint16_t)in | (uint32_t)(uint16_t)out << 16;
        }
        run_color(13, n % 3 ? 13 : 8, model_csc, 2);
    }
}

static void
model_ccm(double v[4])
{
    double r = v[0], g = v[1], b = v[2];
    v[0] = clamped((2792 * r + 1141 * g + 34 * b) / 4096);
    v[1] = clamped((71 * r + 3363 * g - 52 * b) / 4096);
    v[2] = clamped((-12 * r + 168 * g + 3434 * b) / 4096);
}

/* The matrix of the manual's defaults. */
Test(vebox, color_correction_matrix)
{
    static const uint32_t ccm[9] = {0x80000475, 0xae8, 0x47,    0x22, 0x1ffcc,
                                    0xd23,      0xa8,  0x1fff4, 0xd6a};
    flat_gamma();
    memcpy(iecp(70), ccm, sizeof ccm);
    run_color(13, 13, model_ccm, 2);
}

static void
model_gamma(double v[4])
{
    for (unsigned c = 0; c < 3; c++)
        v[c] = clamped(v[c] / 2 + 10 * (c + 1));
}

Test(vebox, forward_gamma)
{
    for (unsigned i = 0; i < 256; i++) {
        uint32_t at = i * 256, to[3];
        for (unsigned c = 0; c < 3; c++)
            to[c] = at / 2 + 2560 * (c + 1);
        rig_dw(&rig, GAMMA_VA)[i * 2] = at | to[0] << 16;
        rig_dw(&rig, GAMMA_VA)[i * 2 + 1] = to[1] | to[2] << 16;
    }
    run_color(13, 13, model_gamma, 256);
    run_color(8, 8, model_gamma, 1);
}

static void
model_ace(double v[4])
{
    static const double point[] = {16, 40, 80, 235}, bias[] = {16, 60, 90};
    static const double slope[] = {1.5, 0.75, 0.25};
    if (v[0] < point[0] || v[0] > point[3])
        return;
    unsigned i = v[0] >= point[2] ? 2 : v[0] >= point[1];
    v[0] = clamped(bias[i] + slope[i] * (v[0] - point[i]));
}

Test(vebox, ace)
{
    flat_gamma();
    memset(iecp(29), 0, 13 * 4);
    *iecp(29) = 1;
    *iecp(30) = 16 | 40 << 8 | 80 << 16 | 235u << 24;
    *iecp(31) = *iecp(32) = 0xebebebeb;
    *iecp(33) = 60 | 90 << 8 | 0x81810000;
    *iecp(34) = *iecp(35) = 0x81818181;
    *iecp(36) = 1536 | 768 << 16;
    *iecp(37) = 256;
    run_color(5, 5, model_ace, 1);
}

/* The hue of each of six colors is kept and its saturation scaled. */
Test(vebox, tcc_scales_the_saturation_of_base_colors)
{
    static const unsigned color[6] = {145, 307, 483, 657, 819, 995};
    static const unsigned factor[6] = {64, 90, 128, 150, 200, 255};
    struct model_surface s = model_surface(9, MODEL_LINEAR, 24, 1, IN_VA);
    struct model_surface out = s;
    out.va = OUT_VA;
    *iecp(42) = 1u << 7 | factor[0] << 8 | factor[1] << 16 | factor[2] << 24;
    *iecp(43) = factor[3] << 8 | factor[4] << 16 | factor[5] << 24;
    *iecp(44) = color[0] | color[1] << 10 | color[2] << 20;
    *iecp(45) = color[3] | color[4] << 10 | color[5] << 20;
    *iecp(51) = 3u << 24;
    *iecp(52) = 448;
    uint16_t *in = (uint16_t *)rig_dw(&rig, IN_VA);
    for (unsigned i = 0; i < 6; i++) {
        double angle = color[i] * 6.283185307179586 / 1024;
        in[i * 4] = (uint16_t)lround(32768 + 8192 * cos(angle));
        in[i * 4 + 2] = (uint16_t)lround(32768 + 8192 * sin(angle));
    }
    emit_state(F_IECP | F_CURRENT);
    model_emit_surface(&rig, &s, 0);
    model_emit_surface(&rig, &out, 1);
    cr_assert_eq(run_frame(24), ENGINE_OK);
    for (unsigned i = 0; i < 6; i++) {
        struct model_pixel p = model_read(&rig, &out, i, 0);
        double u = p.v[1] - 128, v = p.v[2] - 128;
        cr_assert_float_eq(hypot(u, v), 32 * factor[i] / 128.0, 0.2);
        double turn = atan2(v, u) / 6.283185307179586 * 1024;
        cr_assert_float_eq(fmod(turn + 1024, 1024), color[i], 2);
    }
}

/* The manual's defaults, with the signs that make the curves continuous. */
Test(vebox, skin_tones_move_and_others_stay)
{
    static const uint32_t ste[29] = {
        0x9a6e39f3, 0x400d3c65, 0x000c9180, 0xfe2f2e00, 0x0003ffff, 0x00140000,
        0xd82e0640, 0x8285ecec, 0x07fb8282, 0,          0x02117000, 0xa38fec96,
        0x0100c8c8, 0x003a6871, 0x01478000, 0x7f07c37a, 0x1291f008, 0x00094855,
        0x1c1bd100, 0x038023f8, 0x0002a980, 0x00080180};
    struct model_surface s = model_surface(5, MODEL_LINEAR, 16, 1, IN_VA);
    struct model_surface out = s;
    out.va = OUT_VA;
    memcpy(iecp(0), ste, sizeof ste);
    rig_dw(&rig, IN_VA)[0] = 0xff80ff00; /* far from skin */
    rig_dw(&rig, IN_VA)[1] = 0xff806e9a; /* in its middle */
    rig_dw(&rig, IN_VA)[2] = 0xff806ea6; /* and a little beside it */
    emit_state(F_IECP | F_CURRENT);
    model_emit_surface(&rig, &s, 0);
    model_emit_surface(&rig, &out, 1);
    cr_assert_eq(run_frame(16), ENGINE_OK);
    cr_assert_eq(rig_dw(&rig, OUT_VA)[0], 0xff80ff00);
    cr_assert_eq(rig_dw(&rig, OUT_VA)[1], 0xff806e9a, "%08x",
                 rig_dw(&rig, OUT_VA)[1]);
    cr_assert_neq(rig_dw(&rig, OUT_VA)[2], 0xff806ea6);
}

Test(vebox, alpha_from_state)
{
    struct model_surface s = model_surface(0, MODEL_LINEAR, 16, 2, IN_VA);
    struct model_surface out = model_surface(5, MODEL_LINEAR, 16, 2, OUT_VA);
    *iecp(67) = 1u << 16 | 0x3400;
    emit_state(F_IECP | F_CURRENT);
    model_emit_surface(&rig, &s, 0);
    model_emit_surface(&rig, &out, 1);
    cr_assert_eq(run_frame(16), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, OUT_VA) >> 24, 0x34);
}
