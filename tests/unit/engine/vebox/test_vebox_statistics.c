/* test_vebox_statistics.c: the statistics surface and the histogram of ACE,
 * beside sums of a model that reads each pixel by itself. */
#include "vebox_bench.h"

#include <math.h>
#include <stdlib.h>

TestSuite(vebox_statistics, .init = bench_init, .fini = bench_finish,
          .timeout = 120);

#define WIDTH 72u /* half a block at the right */
#define HEIGHT 44u
#define PITCH_B 128u
#define SUMS_AT (PITCH_B * (HEIGHT / 4))
#define STATISTICS_VA (RIG_VA + 0x15000)
#define HISTOGRAM_VA (RIG_VA + 0x18000)
#define TOP_FIRST (1u << 3)
#define NO_BLOCKS (1u << 17)
#define MOVED 40

static struct model_surface in, previous;

static void
run_flags(uint32_t flags)
{
    in = model_surface(11, MODEL_LINEAR, WIDTH, HEIGHT, IN_VA);
    previous = in;
    previous.va = PREVIOUS_VA;
    memset(rig_dw(&rig, STATISTICS_VA), 0xcc, 0x2000);
    memset(rig_dw(&rig, HISTOGRAM_VA), 0xcc, 0x3000);
    rig_at(&rig, RIG_BATCH);
    emit_state(flags | F_AVERAGE);
    model_emit_surface(&rig, &in, 0);
    model_emit_surface(&rig, &in, 1);
    cr_assert_eq(run_with_statistics(WIDTH, STATISTICS_VA, HISTOGRAM_VA),
                 ENGINE_OK);
}

/* In 12 bits; beyond the frame a row of the same field, a column beside. */
static int
luma(const struct model_surface *s, int x, int y)
{
    x = x < (int)WIDTH ? x : (int)WIDTH - 1;
    while (y >= (int)HEIGHT)
        y -= 2;
    return (int)model_read(&rig, s, (uint32_t)x, (uint32_t)y).v[0] * 16;
}

static uint32_t
dword_of(uint32_t at_B)
{
    return *rig_dw(&rig, STATISTICS_VA + at_B);
}

static unsigned
field(uint32_t dw, unsigned from, unsigned bits)
{
    return dw >> from & ((1u << bits) - 1);
}

/* The manual's code. */
static unsigned
unpacked(unsigned mantissa, unsigned shift)
{
    return shift ? ((0x100 | mantissa) << shift) >> 7 : mantissa;
}

static void
check_packed(unsigned mantissa, unsigned shift, int want, const char *name)
{
    int step = shift > 7 ? 1 << (shift - 7) : 1;
    int got = (int)unpacked(mantissa, shift);
    if (want > 130816)
        want = 130816;
    cr_assert(got <= want && want - got < step, "%s: %d, %d", name, got, want);
}

/* ---- variances ---- */

struct variances {
    int v[11];
};

/* Of a pair of rows, y even. */
static void
add_pixel(struct variances *s, int x, int y, bool history)
{
    int ct = luma(&in, x, y), cb = luma(&in, x, y + 1);
    int pt = luma(&previous, x, y), pb = luma(&previous, x, y + 1);
    int ctct = abs(ct - luma(&in, x, y + 2));
    int cbcb = abs(cb - luma(&in, x, y + 3));
    int ptpt = abs(pt - luma(&previous, x, y + 2));
    int pbpb = abs(pb - luma(&previous, x, y + 3));
    int ctpt = abs(ct - pt), cbpb = abs(cb - pb);
    int ctpb = abs(ct - pb), cbpt = abs(cb - pt);
    if (!history) {
        ctpt = cbpb = ctpb = cbpt = 4095;
        ptpt = pbpb = 0;
    }
    int add[11] = {ctpt,
                   cbpb,
                   abs(ct - cb),
                   ctpb,
                   cbpt,
                   ctct,
                   cbcb,
                   (ctpt / 16 > MOVED) + (cbpb / 16 > MOVED),
                   abs(ct - cb) > ctct + cbcb,
                   ctpb > ctct + pbpb,
                   cbpt > ptpt + cbcb};
    for (unsigned i = 0; i < 11; i++)
        s->v[i] += add[i];
}

static struct variances
variances_of(uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1, bool history)
{
    struct variances s = {{0}};
    for (uint32_t y = y0; y < y1; y += 2)
        for (uint32_t x = x0; x < x1; x++)
            add_pixel(&s, (int)x, (int)y, history);
    return s;
}

static void
check_block(uint32_t column, uint32_t row, bool top_first, bool history)
{
    uint32_t at = row * PITCH_B + column * 16, dw[4], end = column * 16 + 16;
    struct variances want = variances_of(column * 16, end < WIDTH ? end : WIDTH,
                                         row * 4, row * 4 + 4, history);
    for (unsigned i = 0; i < 4; i++)
        dw[i] = dword_of(at + i * 4);
    cr_assert_eq(field(dw[0], 24, 8), (unsigned)want.v[8]);
    cr_assert_eq(field(dw[0], 16, 8), (unsigned)want.v[top_first ? 9 : 10]);
    cr_assert_eq(field(dw[0], 8, 8), (unsigned)want.v[7]);
    check_packed(field(dw[3], 0, 8), field(dw[1], 16, 4), want.v[0], "cTpT");
    check_packed(field(dw[2], 24, 8), field(dw[1], 12, 4), want.v[1], "cBpB");
    check_packed(field(dw[2], 16, 8), field(dw[1], 8, 4), want.v[2], "cTcB");
    check_packed(field(dw[2], 8, 8), field(dw[1], 4, 4), want.v[3], "cTpB");
    check_packed(field(dw[2], 0, 8), field(dw[1], 0, 4), want.v[4], "cBpT");
    cr_assert_eq(dw[3] >> 8, 0); /* no denoising */
    cr_assert_eq(dw[1] >> 20, 0);
}

/* Noise beside a still area, so that sums differ in size. */
static void
quiet_pictures(void)
{
    for (uint32_t i = 0; i < 0x4000; i++) {
        rig.mem[IN_VA - RIG_VA + i] %= i % 128 < 40 ? 3 : 256;
        if (i % 128 >= 20 && i % 128 < 50)
            rig.mem[PREVIOUS_VA - RIG_VA + i] = rig.mem[IN_VA - RIG_VA + i];
    }
}

Test(vebox_statistics, blocks_and_frame_have_variances)
{
    quiet_pictures();
    for (unsigned n = 0; n < 4; n++) {
        bool history = n & 1, top_first = n & 2;
        rig_dw(&rig, DNDI_VA)[15] = MOVED;
        rig_dw(&rig, DNDI_VA)[16] = top_first ? TOP_FIRST : 0;
        run_flags(F_DI | F_CURRENT | (history ? 0 : F_FIRST));
        for (uint32_t row = 0; row < HEIGHT / 4; row++)
            for (uint32_t column = 0; column < 5; column++)
                check_block(column, row, top_first, history);
        /* The previous frame's dwords are reserved; the current one's next. */
        struct variances want = variances_of(0, WIDTH, 0, HEIGHT, history);
        for (unsigned i = 0; i < 32; i++) {
            cr_assert_eq(dword_of(SUMS_AT + i * 4), 0);
            cr_assert_eq(dword_of(SUMS_AT + 128 + i * 4),
                         i < 11 ? (uint32_t)want.v[i] : 0, "dword %u", i);
            cr_assert_eq(dword_of(SUMS_AT + 384 + i * 4), 0);
        }
        cr_assert_eq(dword_of(SUMS_AT + 512), 0xcccccccc);
    }
}

/* ---- noise ---- */

static void
check_noise(uint32_t column, uint32_t row, bool history)
{
    uint32_t at = row * PITCH_B + column * 16;
    int stad = 0, shcm = 0, svcm = 0;
    for (uint32_t x0 = column * 16; x0 < column * 16 + 16 && x0 < WIDTH;
         x0 += 4) {
        int time = 0, across = 0, down = 0;
        for (uint32_t i = 0; i < 16; i++) {
            int x = (int)(x0 + i % 4), y = (int)(row * 4 + i / 4);
            int v = luma(&in, x, y);
            time += history ? abs(v - luma(&previous, x, y)) : 0;
            across += abs(v - luma(&in, x + 1, y));
            down += abs(v - luma(&in, x, y + 1));
        }
        stad += time >> 2, shcm += across >> 2, svcm += down >> 2;
    }
    uint32_t shifts = dword_of(at + 4), mantissas = dword_of(at + 12);
    check_packed(field(mantissas, 24, 8), field(shifts, 28, 4), stad, "STAD");
    check_packed(field(mantissas, 16, 8), field(shifts, 24, 4), shcm, "SHCM");
    check_packed(field(mantissas, 8, 8), field(shifts, 20, 4), svcm, "SVCM");
    cr_assert_eq(dword_of(at), 0);
    cr_assert_eq(dword_of(at + 8), 0);
}

Test(vebox_statistics, blocks_have_noise)
{
    quiet_pictures();
    for (unsigned history = 0; history < 2; history++) {
        run_flags(F_DN | (history ? 0 : F_FIRST));
        for (uint32_t row = 0; row < HEIGHT / 4; row++)
            for (uint32_t column = 0; column < 5; column++)
                check_noise(column, row, history);
        for (unsigned i = 0; i < 64; i++)
            cr_assert_eq(dword_of(SUMS_AT + i * 4), 0);
        cr_assert_eq(dword_of(SUMS_AT + 256), 0xcccccccc);
    }
}

/* Without them the frame's sums are at the beginning, as with neither filter.
 */
Test(vebox_statistics, blocks_can_be_left_out)
{
    run_flags(F_DN | F_FIRST | NO_BLOCKS);
    cr_assert_eq(dword_of(0), 0);
    cr_assert_eq(dword_of(256), 0xcccccccc);
    run_flags(F_IECP);
    cr_assert_eq(dword_of(252), 0);
    cr_assert_eq(dword_of(256), 0xcccccccc);
}

/* ---- the histogram ---- */

static void
check_histogram(uint32_t at_B, uint32_t x0, uint32_t x1, uint32_t y0,
                uint32_t y1)
{
    uint32_t want[256] = {0};
    for (uint32_t y = y0; y < y1; y++)
        for (uint32_t x = x0; x < x1; x++)
            want[luma(&in, (int)x, (int)y) / 16]++;
    for (unsigned i = 0; i < 256; i++)
        cr_assert_eq(rig_dw(&rig, HISTOGRAM_VA + at_B)[i], want[i], "%u", i);
}

Test(vebox_statistics, histogram_counts_luma_before_ace)
{
    uint32_t *iecp = rig_dw(&rig, IECP_VA);
    memset(iecp, 0, 91 * 4);
    iecp[29] = 1;
    iecp[30] = 0; /* all becomes black */
    iecp[32] = 0xff000000;
    iecp[67] = 1u << 17;
    iecp[68] = 31 << 16 | 8;
    iecp[69] = 23 << 16 | 4;
    run_flags(F_IECP);
    check_histogram(0x1c00, 0, WIDTH, 0, HEIGHT);
    iecp[67] = 0;
    run_flags(F_IECP);
    check_histogram(0x1c00, 8, 32, 4, 24);
    for (unsigned i = 0; i < 256; i++) {
        cr_assert_eq(rig_dw(&rig, HISTOGRAM_VA + 0x1800)[i], 0);
        cr_assert_eq(rig_dw(&rig, HISTOGRAM_VA + 0x2400)[i], 0);
    }
    iecp[29] = 0;
    run_flags(F_IECP);
    cr_assert_eq(rig_dw(&rig, HISTOGRAM_VA + 0x1c00)[0], 0xcccccccc);
}
