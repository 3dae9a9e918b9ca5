/* test_media_sampler.c: sample_8x8 and sample_unorm against a scalar model that
 * finds each sample by itself: copies are exact in every format and tiling, and
 * random filters are sums of all 64 taps. */
#include "media_sampler_bench.h"

TestSuite(media_sampler, .init = set_up, .fini = tear_down);

/* ------------------------------------------------------------------------ */

static void
check_copy(const struct format *f, unsigned tiling, bool halves, int x0, int y0,
           unsigned block)
{
    put_surface(f, tiling);
    put_state(2, halves ? SHUFFLE : 0);
    put_copy();
    send((float)x0 / W, (float)y0 / H, 1.0f / W, 1.0f / H, block, 0, 0, 16);
    for (unsigned c = 0; c < 4; c++)
        for (unsigned i = 0; i < 64; i++) {
            int x = x0 + (int)(i % 16);
            int y = y0 + (int)(block * 4 + i / 16);
            unsigned want = c == 3 ? 0xff00 : 0;
            if (is_sub(f, c) && (x % 2 || (f->nv12 && y % 2)))
                continue; /* between samples: a phase of its own */
            if (is_sub(f, c))
                x /= 2, y /= f->nv12 ? 2 : 1;
            if (f->at_B[c] >= 0)
                want = sample_of(f, tiling, c, x, y) << 8;
            unsigned got = answered(c, 4, i % 16, i / 16, halves);
            cr_assert_eq(got, want, "%s, tiling %u, channel %u, %d,%d: %x, %x",
                         f->name, tiling, c, x, y, got, want);
        }
}

Test(media_sampler, copies_are_exact)
{
    static const unsigned tilings[] = {LINEAR, X_TILED, Y_TILED};
    for (unsigned n = 0; n < ARRAY_SIZE(formats) * 3; n++)
        for (unsigned i = 0; i < 20; i++)
            check_copy(&formats[n / 3], tilings[n % 3], i & 1,
                       rand() % 40 * 2 - 10, rand() % 20 * 2 - 8,
                       (unsigned)rand() % 4);
}

/* All taps of both axes, one after the other. */
static unsigned
filtered(const struct format *f, unsigned channel, int u_32, int v_32,
         bool eight)
{
    /* Places in 1/32 sample. */
    int x0 = (int)floor(u_32 / 32.0) - 3, y0 = (int)floor(v_32 / 32.0) - 3;
    const int8_t *across = phase((unsigned)u_32 & 31);
    const int8_t *down = phase((unsigned)v_32 & 31);
    int64_t sum = 0;
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++) {
            int cx = eight            ? across[2 * i]
                     : i < 2 || i > 5 ? 0
                                      : across[16 + i];
            int cy = eight            ? down[2 * j + 1]
                     : j < 2 || j > 5 ? 0
                                      : down[24 + j];
            sum += cx * cy *
                   (int64_t)(sample_of(f, Y_TILED, channel, x0 + i, y0 + j)
                             << 8);
        }
    sum = (sum + 2048) >> 12;
    return (unsigned)CLAMP(sum, 0, 0xff00);
}

Test(media_sampler, random_filters_are_sums_of_taps)
{
    static const unsigned shape_w[] = {16, 8, 16, 4}, shape_h[] = {4, 4, 8, 4};
    for (unsigned n = 0; n < 400; n++) {
        const struct format *f = &formats[n % ARRAY_SIZE(formats)];
        unsigned mode = (unsigned)rand() % 4, shape = (unsigned)rand() % 4;
        int u0 = rand() % (W * 32), v0 = rand() % (H * 32);
        int du = rand() % 96 * 2, dv = rand() % 96 * 2;
        unsigned c = (unsigned)rand() % 3, w = shape_w[shape];
        if (f->at_B[c] < 0)
            continue;
        put_surface(f, Y_TILED);
        put_state(mode, 0);
        for (unsigned p = 0; p < 32; p++)
            for (unsigned i = 0; i < 32; i++)
                phase(p)[i] = (int8_t)(rand() % (n % 2 ? 256 : 24) - 8);
        u0 &= ~1, v0 &= ~1;
        send((float)u0 / (W * 32), (float)v0 / (H * 32), (float)du / (W * 32),
             (float)dv / (H * 32), 0, shape, 0xf & ~(1u << c), 8);
        bool sub_x = is_sub(f, c), sub_y = sub_x && f->nv12;
        bool eight = c == 1 || mode & 2;
        for (unsigned i = 0; i < w * shape_h[shape]; i++) {
            int u = u0 + du * (int)(i % w), v = v0 + dv * (int)(i / w);
            unsigned got = ((const uint16_t *)answer)[i];
            unsigned want = filtered(f, c, sub_x ? u / 2 : u, sub_y ? v / 2 : v,
                                     eight);
            cr_assert_eq(got, want, "case %u, %s, channel %u, %u: %x, %x", n,
                         f->name, c, i, got, want);
        }
    }
}

/* ---- the adaptive and the enhancement filter ---- */

struct steps {
    double max_4, max_8, width_4, width_8;
};

static double
sharpness(const struct steps *s, const double tap[8])
{
    double inner = 0, outer = 0;
    for (int i = 0; i < 7; i++) {
        double step = fabs(tap[i + 1] - tap[i]);
        outer = fmax(outer, step);
        inner = i >= 2 && i < 5 ? fmax(inner, step) : inner;
    }
    double edge = fmin(fmax((inner - s->max_4) / s->width_4, 0), 1);
    double rough = fmin(fmax((outer - s->max_8) / s->width_8, 0), 1);
    return fmax(edge, 1 - rough);
}

/* Taps of a direction and their bilinear ones, by the samples of a guide. */
static double
adapted(const struct steps *s, const double v[8], const double guide[8],
        unsigned at_32, bool vertical)
{
    double sharp = 0, part = at_32 % 32 / 32.0;
    for (unsigned i = 0; i < 8; i++)
        sharp += phase(at_32 % 32)[2 * i + vertical] / 64.0 * v[i];
    double share = sharpness(s, guide);
    return share * sharp + (1 - share) * (v[3] * (1 - part) + v[4] * part);
}

/* luma: the guide is (R + 2G + B) / 4, or it is G. */
static double
adapted_pixel(const struct format *f, const struct steps *s, unsigned channel,
              unsigned u_32, unsigned v_32, bool luma)
{
    double sums[8], guides[8];
    for (int j = 0; j < 8; j++) {
        double v[8], guide[8];
        for (int i = 0; i < 8; i++) {
            int x = (int)(u_32 / 32) - 3 + i, y = (int)(v_32 / 32) - 3 + j;
            v[i] = sample_of(f, LINEAR, channel, x, y);
            guide[i] = sample_of(f, LINEAR, 1, x, y);
            if (luma)
                guide[i] = (sample_of(f, LINEAR, 0, x, y) + 2 * guide[i] +
                            sample_of(f, LINEAR, 2, x, y)) /
                           4;
        }
        sums[j] = adapted(s, v, guide, u_32, false);
        guides[j] = fmin(fmax(adapted(s, guide, guide, u_32, false), 0), 256);
    }
    return fmin(fmax(adapted(s, sums, guides, v_32, true), 0), 255);
}

static void
check_adapted(const struct format *f, unsigned channel, bool luma)
{
    const struct steps steps = {60, 90, 64, 128};
    unsigned u = (unsigned)(rand() % 32) * 32, v = (unsigned)(rand() % 16) * 32;
    unsigned du = (unsigned)rand() % 40, dv = (unsigned)rand() % 40;
    put_surface(f, LINEAR);
    put_state(3, 0);
    rig_dw(&rig, RIG_VA + STATE_B)[152] = 60 << 16 | 90 << 8 | 6 << 4 | 7;
    rig_dw(&rig, RIG_VA + STATE_B)[153] = 2 | luma;
    for (unsigned p = 0; p < 32; p++)
        for (unsigned i = 0; i < 16; i++)
            phase(p)[i] = (int8_t)(rand() % 24 - 4);
    send((float)u / (W * 32), (float)v / (H * 32), (float)du / (W * 32),
         (float)dv / (H * 32), 0, 0, 0xf & ~(1u << channel), 4);
    for (unsigned i = 0; i < 64; i++)
        cr_assert_float_eq(((const uint16_t *)answer)[i] / 256.0,
                           adapted_pixel(f, &steps, channel, u + du * (i % 16),
                                         v + dv * (i / 16), luma),
                           2, "%s, channel %u, %u", f->name, channel, i);
}

Test(media_sampler, adapts_to_steps)
{
    for (unsigned n = 0; n < 60; n++) {
        check_adapted(&formats[9], 1, false);
        check_adapted(&formats[6], n % 3, n & 1);
    }
}

/* Across blocks as within, at both channels' scale; RGB stays. */
static void
check_enhanced(const struct format *f, bool changes)
{
    uint16_t plain[64];
    put_surface(f, LINEAR);
    put_state(2, 0);
    put_copy();
    uint32_t *dw = rig_dw(&rig, RIG_VA + STATE_B);
    dw[0] = 63 | 1 << 6 | 8 << 12 | 16u << 23;
    dw[2] = 7 << 8 | 7 << 11 | 7 << 14;
    enhances = false;
    send(8.0f / W, 8.0f / H, 1.0f / W, 1.0f / H, 1, 0, 0xd, 4);
    memcpy(plain, answer, sizeof plain);
    enhances = true;
    send(8.0f / W, 8.0f / H, 1.0f / W, 1.0f / H, 1, 0, 0xd, 4);
    enhances = false;
    for (unsigned i = 0; i < 64; i++) {
        int x = 8 + (int)(i % 16), y = 12 + (int)(i / 16);
        double c = sample_of(f, LINEAR, 1, x, y), detail = 4 * c;
        detail -= sample_of(f, LINEAR, 1, x - 1, y) +
                  sample_of(f, LINEAR, 1, x + 1, y) +
                  sample_of(f, LINEAR, 1, x, y - 1) +
                  sample_of(f, LINEAR, 1, x, y + 1);
        double want = c + detail * 16 / 128 * 63 / 64 * 7 / 8;
        want = changes ? fmin(fmax(want, 0), 255) : plain[i] / 256.0;
        cr_assert_float_eq(((const uint16_t *)answer)[i] / 256.0, want, 0.01,
                           "%s, %u", f->name, i);
    }
}

Test(media_sampler, enhances_luma)
{
    check_enhanced(&formats[9], true); /* Y8 */
    check_enhanced(&formats[4], true); /* NV12 */
    check_enhanced(&formats[0], true); /* YUYV */
    check_enhanced(&formats[6], false);
}

/* A field has every second row. */
Test(media_sampler, fields)
{
    const struct format *f = &formats[9];
    put_surface(f, LINEAR);
    rig_dw(&rig, RIG_VA + SURFACE_B)[1] = (W - 1) << 4 | (H / 2 - 1) << 18;
    rig_dw(&rig, RIG_VA + SURFACE_B)[5] = 3u << 30;
    put_state(0, 0);
    put_copy();
    send(0, 0, 1.0f / W, 2.0f / H, 1, 0, 0xd, 4);
    for (unsigned i = 0; i < 64; i++)
        cr_assert_eq(
            answered(0, 1, i % 16, i / 16, false),
            sample_of(f, LINEAR, 1, (int)(i % 16), (int)(4 + i / 16) * 2 + 1)
                << 8);
}

/* Wild places, states and surfaces answer something. */
Test(media_sampler, hostile_messages_end)
{
    vm_thread_enter(); /* pictures are where nothing is mapped */
    for (unsigned n = 0; n < 3000; n++) {
        put_surface(&formats[n % ARRAY_SIZE(formats)], n % 4);
        for (unsigned i = 0; i < 4; i++)
            rig_dw(&rig, RIG_VA + SURFACE_B)[rand() % 8] ^= (uint32_t)rand()
                                                            << rand() % 20;
        for (unsigned i = 0; i < 1120; i++)
            rig.mem[STATE_B + i] = (uint8_t)rand();
        enhances = n & 1;
        send(n % 3 ? (float)rand() : NAN, (float)-rand(), INFINITY, 1e30f,
             (unsigned)rand(), (unsigned)rand() % 4, 0, (unsigned)rand() % 17);
    }
    vm_thread_leave();
}
