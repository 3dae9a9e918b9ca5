/* test_avc.c: H.264's tables, transforms, interpolation and bit readers beside
 * plain ones. Whole pictures: tests/media. */
#include "engine/mfx/avc/entropy/entropy.h"
#include "engine/mfx/avc/recon/recon.h"

#include <criterion/criterion.h>
#include <math.h>

static uint32_t seed = 1;

static unsigned
any(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* ---- scans and scaling ---- */

static void
check_scan(const uint8_t *scan, unsigned count)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < count; i++)
        seen |= UINT64_C(1) << scan[i];
    cr_assert_eq(seen, count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1);
    cr_assert_eq(scan[0], 0);
    cr_assert_eq(scan[count - 1], count - 1);
}

Test(avc, scans_visit_each_place)
{
    for (unsigned i = 0; i < 2; i++) {
        check_scan(avc_scan_4x4[i], 16);
        check_scan(avc_scan_8x8[i], 64);
    }
}

/* ---- transforms ---- */

/* The rows of the inverse transforms' matrices, as fractions. */
static const double basis_4[4][4] = {
    {1, 1, 1, 0.5}, {1, 0.5, -1, -1}, {1, -0.5, -1, 1}, {1, -1, 1, -0.5}};
static const double basis_8[8][8] = {
    {8, 12, 8, 10, 8, 6, 4, 3},     {8, 10, 4, -3, -8, -12, -8, -6},
    {8, 6, -4, -12, -8, 3, 8, 10},  {8, 3, -8, -6, 8, 10, -4, -12},
    {8, -3, -8, 6, 8, -10, -4, 12}, {8, -6, -4, 12, -8, -3, 8, -10},
    {8, -10, 4, 3, -8, 12, -8, 6},  {8, -12, 8, -10, 8, -6, 4, -3}};

static double
model(const int16_t *coef, unsigned size, unsigned x, unsigned y)
{
    double sum = 0;
    for (unsigned v = 0; v < size; v++)
        for (unsigned u = 0; u < size; u++)
            sum += coef[v * size + u] *
                   (size == 4 ? basis_4[y][v] * basis_4[x][u]
                              : basis_8[y][v] * basis_8[x][u] / 64);
    return 128 + floor((sum + 32) / 64);
}

/* Multiples of 64: no step of the integer transform rounds. */
static void
check_transform(unsigned size)
{
    int16_t coef[64], copy[64];
    uint8_t to[64];
    for (unsigned i = 0; i < size * size; i++)
        copy[i] = coef[i] = (int16_t)(any(4) ? 0 : ((int)any(9) - 4) * 64);
    memset(to, 128, sizeof to);
    if (size == 4)
        avc_recon_ref.add_4x4(to, 4, coef);
    else
        avc_recon_ref.add_8x8(to, 8, coef);
    for (unsigned i = 0; i < size * size; i++) {
        double want = model(copy, size, i % size, i / size);
        cr_assert_eq(to[i], CLAMP(want, 0, 255), "%u of %u", i, size);
        cr_assert_eq(coef[i], 0);
    }
}

Test(avc, transforms_are_products_of_matrices)
{
    for (unsigned i = 0; i < 2000; i++) {
        check_transform(4);
        check_transform(8);
    }
}

Test(avc, a_flat_matrix_scales_like_the_standards_example)
{
    static struct avc_scale s;
    uint8_t x4[6][16], x8[2][64];
    memset(x4, 16, sizeof x4);
    memset(x8, 16, sizeof x8);
    avc_scale_init(&s, x4, x8);
    cr_assert_eq(s.x4[0][0][0], 160);
    cr_assert_eq(s.x4[5][5][5], 464);
    cr_assert_eq(s.x8[1][0][0], 320);
    /* qP 28: LevelScale(4, 0, 0) = 256, by 2 ^ (4 - 4). */
    cr_assert_eq(avc_scale_4x4(-3, s.x4[0][28 % 6][0], 28), -768);
    cr_assert_eq(avc_scale_4x4(1, s.x4[0][0][0], 0), 10);
}

/* ---- interpolation ---- */

static struct avc_window window;

static int
tap(int a, int b, int c, int d, int e, int f)
{
    return a - 5 * b + 20 * c + 20 * d - 5 * e + f;
}

static int
sample_at(int x, int y)
{
    return window.bytes[y + 2][x + 2];
}

static int
across(int x, int y)
{
    return tap(sample_at(x - 2, y), sample_at(x - 1, y), sample_at(x, y),
               sample_at(x + 1, y), sample_at(x + 2, y), sample_at(x + 3, y));
}

static int
down(int x, int y)
{
    return tap(sample_at(x, y - 2), sample_at(x, y - 1), sample_at(x, y),
               sample_at(x, y + 1), sample_at(x, y + 2), sample_at(x, y + 3));
}

static int
clip(int v)
{
    return CLAMP(v, 0, 255);
}

/* Figure 8-4's letters: b, h and j of a place, from 8-241 on. */
static int
half_at(int x, int y, bool right, bool below)
{
    if (right && below)
        return clip((tap(across(x, y - 2), across(x, y - 1), across(x, y),
                         across(x, y + 1), across(x, y + 2), across(x, y + 3)) +
                     512) >>
                    10);
    if (right)
        return clip((across(x, y) + 16) >> 5);
    return below ? clip((down(x, y) + 16) >> 5) : sample_at(x, y);
}

/* A place in quarters: the mean of the two nearest halves, of which a diagonal
 * one is of b and h alone. */
static int
quarter_at(int x, int y, int qx, int qy)
{
    if (qx % 2 == 0 && qy % 2 == 0)
        return half_at(x, y, qx == 2, qy == 2);
    int ax, ay, bx, by;
    if (qx % 2 && qy % 2) {
        ax = 2, ay = qy == 3 ? 4 : 0;
        bx = qx == 3 ? 4 : 0, by = 2;
    } else {
        ax = qx % 2 ? qx - 1 : qx, ay = qy % 2 ? qy - 1 : qy;
        bx = qx % 2 ? qx + 1 : qx, by = qy % 2 ? qy + 1 : qy;
    }
    int a = half_at(x + ax / 4, y + ay / 4, ax % 4 == 2, ay % 4 == 2);
    int b = half_at(x + bx / 4, y + by / 4, bx % 4 == 2, by % 4 == 2);
    return (a + b + 1) >> 1;
}

Test(avc, luma_is_interpolated_as_figure_8_4_says)
{
    uint8_t to[256];
    for (unsigned i = 0; i < AVC_WINDOW_LINES; i++)
        for (unsigned j = 0; j < AVC_WINDOW_B; j++)
            window.bytes[i][j] = (uint8_t)(any(3) ? any(256) : any(2) * 255);
    for (int q = 0; q < 16; q++) {
        avc_recon_ref.luma(&window, &window.bytes[2][2], (unsigned)q % 4,
                           (unsigned)q / 4, 16, 16, to, 16);
        for (int i = 0; i < 256; i++)
            cr_assert_eq(to[i], quarter_at(i % 16, i / 16, q % 4, q / 4),
                         "quarter %d, sample %d", q, i);
    }
}

/* ---- entropy coding ---- */

/* Table 9-45 is transIdxLPS: states of a more even chance, at most. */
Test(avc, cabac_states_move_towards_even)
{
    for (unsigned s = 1; s < 63; s++) {
        cr_assert_leq(avc_next_lps[s], s);
        cr_assert_geq(avc_next_lps[s], avc_next_lps[s - 1]);
        for (unsigned q = 0; q < 4; q++) {
            cr_assert_leq(avc_range_lps[s][q], avc_range_lps[s - 1][q]);
            cr_assert_geq(avc_range_lps[s][q], 6);
        }
    }
}

/* Bypass bins against the bits they are: offset and range as 9.3.3.2.3. */
Test(avc, cabac_bypass_is_a_long_division)
{
    static struct avc_cabac c;
    uint8_t bytes[32 + AVC_PADDING_B] = {0};
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (uint8_t)any(256);
    bytes[0] &= 0x7f;
    avc_cabac_start(&c, bytes, bytes + 32);
    unsigned at = 9, offset = (unsigned)bytes[0] << 1 | bytes[1] >> 7;
    for (unsigned i = 0; i < 200; i++, at++) {
        offset = offset << 1 | (bytes[at / 8] >> (7 - at % 8) & 1);
        unsigned want = offset >= 510;
        offset -= want * 510;
        cr_assert_eq(avc_cabac_bypass(&c), want, "bin %u", i);
    }
    cr_assert_eq(avc_cabac_position(&c) - bytes, (at + 7) / 8);
}

Test(avc, exp_golomb_codes)
{
    uint8_t bytes[8 + AVC_PADDING_B] = {0xa6, 0x42, 0x98, 0xe2};
    struct avc_bits b = {.bytes = bytes, .end = 64};
    /* 1 010 011 00100 00101 00110 00111 0001... */
    for (unsigned i = 0; i < 7; i++)
        cr_assert_eq(avc_bits_ue(&b), i);
    b.at = 0;
    static const int want[] = {0, 1, -1, 2, -2, 3, -3};
    for (unsigned i = 0; i < 7; i++)
        cr_assert_eq(avc_bits_se(&b), want[i]);
    b.at = 32;
    cr_assert_eq(avc_bits_ue(&b), UINT32_MAX);
}

/* 9.2's example of many texts: 0, 3, -1, 0, 0, -1, 1, 0, 0, 0, ... */
Test(avc, a_cavlc_block)
{
    uint8_t bytes[8 + AVC_PADDING_B] = {0x08, 0xe5, 0xed};
    struct avc_bits b = {.bytes = bytes, .end = 24};
    struct avc_levels levels;
    int16_t level[16] = {0};
    static const int16_t want[16] = {0, 3, 0, 1, -1, -1, 0, 1};
    cr_assert_eq(avc_cavlc_block(&b, 0, 16, &levels), 5);
    for (unsigned i = 0; i < 5; i++)
        level[levels.at[i]] = levels.level[i];
    cr_assert_eq(memcmp(level, want, sizeof want), 0);
    cr_assert_eq(b.at, 24);
}
