/* test_mfx.c: the video ring's commands, from batches; the inverse DCT and the
 * windows of references beside plain ones. */
#include "engine/mfx/mfx_fetch.h"
#include "engine/mfx/mfx_idct.h"
#include "rig.h"

#include <criterion/criterion.h>
#include <math.h>

static struct rig rig;

static void
setup(void)
{
    rig_init(&rig, &(struct engine_config){
                       .gen = 9, .threads = 1, .hang_limit_ms = 2000});
}

static void
teardown(void)
{
    rig_finish(&rig);
}

TestSuite(mfx, .init = setup, .fini = teardown, .timeout = 60);

#define TARGET (RIG_VA + 0x80000)
#define STREAM (RIG_VA + 0x70000)
#define OUTPUT (RIG_VA + 0x78000)

static enum engine_result
run(void)
{
    return rig_run(&rig, rig.ctx, ENGINE_VCS);
}

/* A packet of zeros but for some dwords. */
static void
emit_packet(uint32_t opcode, unsigned len_dw, const uint32_t (*set)[2],
            unsigned count)
{
    uint32_t dw[70] = {opcode << 16 | (len_dw - 2)};
    for (unsigned i = 0; i < count; i++)
        dw[set[i][0]] = set[i][1];
    rig_emit(&rig, dw, len_dw);
}

#define PACKET(opcode, len_dw, ...)                                 \
    emit_packet(opcode, len_dw, (const uint32_t[][2]){__VA_ARGS__}, \
                sizeof((const uint32_t[][2]){__VA_ARGS__}) / 8)

/* ---- commands ------------------------------------------------------------ */

Test(mfx, wait_is_one_dword_and_status_is_zero)
{
    memset(rig_dw(&rig, RIG_DATA), 0xee, 32);
    EMIT(&rig, 0x68000000, 0x68000100, SRM(0x12800, RIG_DATA),
         SRM(0x12868, RIG_DATA + 4), SRM(0x12850, RIG_DATA + 8),
         SRM(0x1e904, RIG_DATA + 12), SRM(0xd000, RIG_DATA + 16),
         SDI(RIG_DATA + 20, 0xff), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    for (unsigned i = 0; i < 5; i++)
        cr_assert_eq(*rig_dw(&rig, RIG_DATA + i * 4), 0, "%u", i);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 20), 0xff);
}

Test(mfx, commands_are_the_rings_own)
{
    /* MFX_PIPE_MODE_SELECT is MEDIA_VFE_STATE on RCS. */
    EMIT(&rig, 0x70000003, 0, 0, 0, 0, BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(rig_run(&rig, rig.ctx, ENGINE_RCS), ENGINE_GUEST_ERROR);
}

static void
emit_huc_copy(uint32_t size_B, uint32_t from, uint32_t to)
{
    PACKET(0x7580, 3, {1, 1u << 4 | 1u << 10});
    PACKET(0x7585, 11, {1, STREAM}, {6, OUTPUT});
    EMIT(&rig, 0x75a00003, size_B, from, to, 1u << 29 | 1u << 26, BBE);
}

Test(mfx, huc_copies_a_stream)
{
    uint8_t *from = (uint8_t *)rig_dw(&rig, STREAM);
    for (unsigned i = 0; i < 1000; i++)
        from[i] = (uint8_t)(i * 7);
    emit_huc_copy(777, 3, 100);
    cr_assert_eq(run(), ENGINE_OK);
    uint8_t *to = (uint8_t *)rig_dw(&rig, OUTPUT);
    cr_assert_eq(memcmp(to + 100, from + 3, 777), 0);
    cr_assert_eq(to[99], 0);
    cr_assert_eq(to[877], 0);
}

Test(mfx, huc_copy_beyond_memory_is_an_error)
{
    emit_huc_copy(0xfffffff0, 0, 0);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

/* ---- pictures ------------------------------------------------------------ */

#define PITCH_B 128u
#define U_ROW 32u

/* Of NV12 in Y tiles; by the address bits of a tile, unlike mfx_piece(). */
static uint8_t
sample_at(unsigned x, unsigned y)
{
    unsigned in_tile = (x & 15) | (y & 31) << 4 | (x >> 4 & 7) << 9;
    unsigned tile = y / 32 * (PITCH_B / 128) + x / 128;
    return ((uint8_t *)rig_dw(&rig, TARGET))[tile * 4096 + in_tile];
}

static void
emit_picture(uint32_t standard)
{
    PACKET(0x7000, 5, {1, 1u << 17 | 1u << 8 | standard});
    PACKET(0x7001, 6, {2, 31u << 18 | 31u << 4}, {3, (PITCH_B - 1) << 3 | 3},
           {4, U_ROW}, {5, U_ROW});
    PACKET(0x7002, 68, {1, TARGET});
    PACKET(0x7003, 26, {1, STREAM});
}

static void
set_stream(const char *bits)
{
    uint8_t *to = (uint8_t *)rig_dw(&rig, STREAM);
    unsigned n = 0;
    for (; *bits; bits++)
        if (*bits != ' ') {
            to[n / 8] |= (uint8_t)((*bits == '1') << (7 - n % 8));
            n++;
        }
}

/* One intra macroblock: DC 128 + 8 in luma, 128 - 8 in Cb; its skipped rest is
 * concealed grey. */
Test(mfx, mpeg2_slice_reaches_the_surface)
{
    set_stream("00001 0"     /* quantiser, no extra information */
               "1 1"         /* increment 1, intra */
               "110 1000 10" /* luma: DC of 4 bits, 8; end */
               "100 10 100 10 100 10"
               "1110 0111 10" /* Cb: DC of 4 bits, -8 */
               "00 10");
    emit_picture(0);
    PACKET(0x7300, 13, {1, 3u << 12 | 1u << 10 | 0xffff0000}, {2, 1u << 9},
           {3, 1});
    EMIT(&rig, 0x73280003, 64, 0, 6 | 2u << 8, 1u << 24, SRM(0x12868, RIG_DATA),
         SRM(0x12800, RIG_DATA + 4), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    uint32_t counts = *rig_dw(&rig, RIG_DATA);
    cr_assert_eq(counts, 1u << 16 | 1, "0x%x", counts);
    cr_assert_neq(*rig_dw(&rig, RIG_DATA + 4), 0);
    for (unsigned y = 0; y < 16; y++)
        for (unsigned x = 0; x < 32; x++) {
            unsigned want = x < 16 ? 136 : 128;
            cr_assert_eq(sample_at(x, y), want, "%u %u: %u", x, y,
                         sample_at(x, y));
        }
    for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 32; x++) {
            unsigned want = x < 16 && x % 2 == 0 ? 120 : 128;
            cr_assert_eq(sample_at(x, U_ROW + y), want, "%u %u: %u", x, y,
                         sample_at(x, U_ROW + y));
        }
}

/* Without tables a scan has no code at all. */
Test(mfx, jpeg_without_tables_is_grey_and_says_so)
{
    emit_picture(3);
    PACKET(0x7700, 3, {1, 1u << 8 | 1}, {2, 1u << 16 | 1});
    EMIT(&rig, 0x77280004, 64, 0, 0, 1u << 30 | 7u << 27 | 1, 0,
         SRM(0x12868, RIG_DATA), SRM(0x12800, RIG_DATA + 4), BBE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA + 4), 1u << 4);
    cr_assert_eq(sample_at(15, 15), 128);
    cr_assert_eq(sample_at(15, U_ROW + 7), 128);
}

Test(mfx, picture_wider_than_its_surface_is_an_error)
{
    emit_picture(0);
    PACKET(0x7300, 13, {1, 3u << 12}, {2, 1u << 9}, {3, 8});
    EMIT(&rig, 0x73280003, 64, 0, 6 | 9u << 8, 1u << 24, BBE);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
}

/* ---- workers ---- */

#define NOWHERE (RIG_VA + 0x40000000)
#define ROWS 64u

static void
emit_rows_nowhere(void)
{
    emit_picture(0);
    PACKET(0x7002, 68, {1, NOWHERE});
    PACKET(0x7300, 13, {1, 3u << 12 | 1u << 10 | 0xffff0000}, {2, 1u << 9},
           {3, 1 | (ROWS - 1) << 16});
    for (uint32_t row = 0; row < ROWS; row++)
        EMIT(&rig, 0x73280003, 64, 0, 6 | 2u << 8 | row << 16, 1u << 24);
}

/* Slices that are broken: all is concealed. */
static void
emit_slices_nowhere(void)
{
    emit_picture(2);
    PACKET(0x7002, 68, {1, NOWHERE});
    PACKET(0x7100, 21, {2, 1 | (ROWS - 1) << 16}, {4, 1u << 7 | 1u << 10});
    for (uint32_t row = 0; row < ROWS; row++) {
        PACKET(0x7103, 10, {1, 2}, {3, 26u << 16}, {4, row << 24},
               {5, (row + 1) << 16});
        EMIT(&rig, 0x71280004, 64, 0, 0, (row + 1 == ROWS) << 3, 0);
    }
}

/* The pool's threads, too, drop what they write where no memory is. */
Test(mfx, workers_may_write_beyond_memory)
{
    rig_finish(&rig);
    rig_init(&rig, &(struct engine_config){
                       .gen = 9, .threads = 4, .hang_limit_ms = 20000});
    for (unsigned i = 0; i < 8; i++) {
        rig_at(&rig, RIG_BATCH);
        emit_rows_nowhere();
        emit_slices_nowhere();
        EMIT(&rig, BBE);
        cr_assert_eq(run(), ENGINE_OK);
    }
}

/* ---- arithmetic ---- */

static void
exact_idct(const int16_t in[64], double out[64])
{
    const double pi = 3.14159265358979323846;
    for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 8; x++) {
            double sum = 0;
            for (unsigned v = 0; v < 8; v++)
                for (unsigned u = 0; u < 8; u++)
                    sum += in[v * 8 + u] * (u ? 1 : sqrt(0.5)) *
                           (v ? 1 : sqrt(0.5)) *
                           cos((2 * x + 1) * u * pi / 16) *
                           cos((2 * y + 1) * v * pi / 16);
            out[y * 8 + x] = sum / 4;
        }
}

/* The bounds of IEEE 1180: 1 at most, 0.02 on average of squares. */
Test(mfx, idct_is_as_exact_as_the_standard_asks)
{
    uint32_t x = 1;
    double squares = 0;
    const unsigned blocks = 2000;
    for (unsigned n = 0; n < blocks; n++) {
        int16_t block[64];
        double want[64];
        for (unsigned i = 0; i < 64; i++) {
            x = x * 1664525 + 1013904223;
            block[i] = (int16_t)((int)(x >> 16) % 600 / (int)(1 + i / 4) -
                                 300 / (int)(1 + i / 4));
        }
        exact_idct(block, want);
        mfx_idct_ref(block);
        for (unsigned i = 0; i < 64; i++) {
            double error = block[i] - want[i];
            cr_assert_lt(fabs(error), 1.0, "block %u, %u: %d, not %f", n, i,
                         block[i], want[i]);
            squares += (block[i] - rint(want[i])) * (block[i] - rint(want[i]));
        }
    }
    cr_assert_lt(squares / blocks / 64, 0.02, "%f", squares / blocks / 64);
}

static uint8_t memory[3 * 4096 * 4];

static void
check_window(const struct mfx_view *view, int x_B, int y, unsigned width_B,
             unsigned lines)
{
    struct mfx_window w;
    int unit = (int)view->unit_B, columns = (int)view->width_B / unit;
    mfx_fetch(view, x_B, y, width_B, lines, &w);
    for (unsigned i = 0; i < lines; i++)
        for (unsigned j = 0; j < width_B; j++) {
            int line = CLAMP(y + (int)i, 0, (int)view->lines - 1);
            int column = CLAMP(x_B / unit + (int)j / unit, 0, columns - 1);
            uint32_t at = (uint32_t)(column * unit + (int)j % unit);
            uint32_t row = view->first_row + (uint32_t)line * view->row_step;
            uint8_t want = mfx_piece(view->surface, at, row)[at % 16];
            cr_assert_eq(w.bytes[i][w.offset + j], want, "%d %d, %u %u", x_B, y,
                         j, i);
        }
}

Test(mfx, windows_are_clamped_at_the_edges)
{
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)(i * 2654435761u >> 13);
    const struct mfx_surface tiled = {
        .base = memory, .pitch_B = 128, .tiling = TILING_Y};
    for (unsigned unit = 1; unit <= 2; unit++)
        for (unsigned field = 0; field < 2; field++) {
            const struct mfx_view view = {
                .surface = &tiled,
                .first_row = field,
                .row_step = 1 + field,
                .width_B = 48,
                .lines = 32,
                .unit_B = unit,
            };
            for (int y = -20; y < 36; y++)
                for (int x = -20; x < 60; x++) {
                    check_window(&view, x * (int)unit, y, 16 + unit, 17);
                    check_window(&view, x * (int)unit, y, 16, 4);
                }
        }
}

/* Against the bits of an address in each tiling. */
Test(mfx, pieces_are_where_tilings_have_them)
{
    uint8_t *base = memory;
    const struct mfx_surface y = {
        .base = base, .pitch_B = 256, .tiling = TILING_Y};
    const struct mfx_surface x = {
        .base = base, .pitch_B = 1024, .tiling = TILING_X};
    const struct mfx_surface linear = {.base = base, .pitch_B = 80};
    cr_assert_eq(mfx_piece(&y, 130, 33) - base, 3 * 4096 + 16);
    cr_assert_eq(mfx_piece(&y, 47, 2) - base, 2 * 512 + 32);
    cr_assert_eq(mfx_piece(&x, 530, 9) - base, 3 * 4096 + 512 + 16);
    cr_assert_eq(mfx_piece(&linear, 33, 2) - base, 160 + 32);
}
