/* test_blt.c: blits with literal results, state that lasts, and what broken
 * batches get. test_blt_model.c has all commands against a model. */
#include "rig.h"

#include <criterion/criterion.h>

static struct rig rig;
static uint8_t *data; /* RIG_DATA */

#define DST RIG_DATA
#define SRC (RIG_DATA + 0x8000)
#define NOWHERE UINT64_C(0x700000000)
#define XY(x, y) ((uint32_t)(y) << 16 | ((x)&0xffff))
#define DEPTH_8 0u
#define DEPTH_32 (3u << 24)
#define ALL_BYTES (3u << 20)
#define COLOR_BLT(flags, br13, x1, y1, x2, y2, va, color)                 \
    0x54000005 | (flags), (br13), XY(x1, y1), XY(x2, y2), LO(va), HI(va), \
        (color)
#define COPY_BLT(flags, br13, x1, y1, x2, y2, va, sx, sy, pitch, src)     \
    0x54c00008 | (flags), (br13), XY(x1, y1), XY(x2, y2), LO(va), HI(va), \
        XY(sx, sy), (pitch), LO(src), HI(src)
#define SWCTRL(value) LRI(0x22200, value)

static void
set_up(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9, .hang_limit_ms = 1000});
    data = (uint8_t *)rig_dw(&rig, RIG_DATA);
    memset(data, 0x11, 0x20000);
}

static void
clean_up(void)
{
    rig_finish(&rig);
}

TestSuite(blt, .init = set_up, .fini = clean_up, .timeout = 60);

static enum engine_result
run(void)
{
    EMIT(&rig, BBE);
    return rig_run(&rig, rig.ctx, ENGINE_BCS);
}

static void
expect(const void *bytes, unsigned at, unsigned size_B)
{
    const uint8_t *want = bytes;
    for (unsigned i = 0; i < size_B; i++)
        cr_assert_eq(data[at + i], want[i], "byte %u is %02x, not %02x", at + i,
                     data[at + i], want[i]);
}

/* ---- literal results ---- */

Test(blt, fills_pixels_between_left_top_and_right_bottom)
{
    EMIT(&rig, COLOR_BLT(0, 0xf00000 | DEPTH_8 | 8, 2, 1, 5, 3, DST, 0xab));
    cr_assert_eq(run(), ENGINE_OK);
    expect("\x11\x11\x11\x11\x11\x11\x11\x11"
           "\x11\x11\xab\xab\xab\x11\x11\x11"
           "\x11\x11\xab\xab\xab\x11\x11\x11"
           "\x11\x11\x11\x11\x11\x11\x11\x11",
           0, 32);
}

/* The two fills of the i965 VA driver for an NV12 surface. */
Test(blt, fills_two_bytes_a_pixel)
{
    EMIT(&rig, COLOR_BLT(0, 0xf00000 | 1u << 24 | 8, 0, 0, 4, 2, DST, 0x8182));
    cr_assert_eq(run(), ENGINE_OK);
    expect("\x82\x81\x82\x81\x82\x81\x82\x81"
           "\x82\x81\x82\x81\x82\x81\x82\x81\x11",
           0, 17);
}

Test(blt, writes_only_the_bytes_of_the_mask)
{
    EMIT(&rig,
         COLOR_BLT(1u << 20, 0xf00000 | DEPTH_32 | 8, 0, 0, 1, 1, DST,
                   0xaabbccdd),
         COLOR_BLT(1u << 21, 0xf00000 | DEPTH_32 | 8, 1, 0, 2, 1, DST,
                   0xaabbccdd),
         COLOR_BLT(0, 0xf00000 | DEPTH_32 | 8, 0, 1, 2, 2, DST, 0));
    cr_assert_eq(run(), ENGINE_OK);
    expect("\xdd\xcc\xbb\x11\x11\x11\x11\xaa\x11\x11\x11\x11", 0, 12);
}

Test(blt, tile_x_has_rows_of_512_bytes)
{
    EMIT(&rig, COLOR_BLT(1u << 11 | ALL_BYTES, 0xf00000 | DEPTH_32 | 256, 130,
                         9, 131, 10, DST, 0x22334455));
    cr_assert_eq(run(), ENGINE_OK);
    /* The second tile of the second row of tiles. */
    expect("\x55\x44\x33\x22\x11", 3 * 4096 + 512 + 8, 5);
    expect("\x11\x11\x11\x11", 3 * 4096 + 512 + 4, 4);
}

Test(blt, tile_y_is_asked_for_by_bcs_swctrl)
{
    EMIT(&rig, SWCTRL(0x20002),
         COLOR_BLT(1u << 11 | ALL_BYTES, 0xf00000 | DEPTH_32 | 64, 37, 33, 38,
                   34, DST, 0x22334455));
    cr_assert_eq(run(), ENGINE_OK);
    expect("\x55\x44\x33\x22\x11", 3 * 4096 + 512 + 16 + 4, 5);
}

/* The register is masked, lasts, and belongs to the context. */
Test(blt, bcs_swctrl_is_state_of_the_context)
{
    struct engine_context *other = engine_context_create(rig.engine, rig.vm);
    EMIT(&rig, SWCTRL(0x20002));
    cr_assert_eq(run(), ENGINE_OK);
    EMIT(&rig, SWCTRL(0x10001), SWCTRL(0x10000), SRM(0x22200, SRC));
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, SRC), 2);
    EMIT(&rig, SRM(0x22200, SRC), BBE);
    cr_assert_eq(rig_run(&rig, other, ENGINE_BCS), ENGINE_OK);
    cr_assert_eq(*rig_dw(&rig, SRC), 0);
    engine_context_destroy(other);
}

Test(blt, setup_lasts_from_batch_to_batch)
{
    EMIT(&rig, 0x44400008 | ALL_BYTES, 0xf00000 | DEPTH_32 | 16 | 1u << 30,
         XY(0, 0), XY(3, 2), LO(DST), HI(DST), 0x01020304, 0x05060708, 0, 0);
    cr_assert_eq(run(), ENGINE_OK);
    /* Only the second pixel is within the clip rectangle. */
    EMIT(&rig, 0x40c00001, XY(1, 0), XY(3, 2), 0x49000000, XY(0, 0), 0x49000000,
         XY(2, 1));
    cr_assert_eq(run(), ENGINE_OK);
    expect("\x11\x11\x11\x11", 0, 4);
    expect("\x04\x03\x02\x01", 16 + 8, 4);
}

Test(blt, text_is_bits_from_the_left)
{
    EMIT(&rig, 0x40400008, 0xcc0000 | DEPTH_8 | 8 | 1u << 29, 0, XY(100, 100),
         LO(DST), HI(DST), 0xbb, 0xff, 0, 0);
    /* Two rows: 101..., 011...; the second begins at a byte. */
    EMIT(&rig, 0x4c410003, XY(1, 0), XY(4, 2), 0x000060a0, 0);
    cr_assert_eq(run(), ENGINE_OK);
    expect("\x11\xff\x11\xff\x11\x11\x11\x11"
           "\x11\x11\xff\xff\x11\x11\x11\x11",
           0, 16);
    /* Packed bits: the second row begins at the fourth bit. */
    EMIT(&rig, 0x4c400003, XY(4, 0), XY(7, 2), 0x000000ac, 0);
    cr_assert_eq(run(), ENGINE_OK);
    expect("\xff\x11\xff\x11\x11\xff\xff\x11", 4, 4);
    expect("\x11\xff\xff\x11", 12, 4);
}

Test(blt, overlapping_copies_keep_their_source)
{
    uint8_t want[4096];
    for (unsigned i = 0; i < sizeof want; i++)
        data[i] = (uint8_t)(i * 7 + i / 64);
    memcpy(want, data, sizeof want);
    for (unsigned y = 0; y < 20; y++)
        for (unsigned x = 0; x < 40; x++)
            want[(y + 3) * 64 + x + 5] = data[y * 64 + x];
    EMIT(&rig, COPY_BLT(0, 0xcc0000 | DEPTH_8 | 64, 5, 3, 45, 23, DST, 0, 0, 64,
                        DST));
    cr_assert_eq(run(), ENGINE_OK);
    expect(want, 0, sizeof want);
}

/* SRC_COPY_BLT goes from right to left from its last byte on. */
Test(blt, bytes_are_copied_backwards)
{
    for (unsigned i = 0; i < 16; i++)
        data[i] = (uint8_t)i;
    EMIT(&rig, 0x50c00006, 0xcc0000 | DEPTH_8 | 64 | 1u << 30, XY(8, 1),
         LO(DST + 9), HI(DST), 64, LO(DST + 7), HI(DST));
    cr_assert_eq(run(), ENGINE_OK);
    expect("\x00\x01\x00\x01\x02\x03\x04\x05\x06\x07\x0a\x0b", 0, 12);
}

Test(blt, source_colors_in_the_range_are_not_drawn)
{
    uint32_t *src = rig_dw(&rig, SRC);
    src[0] = 0x00102030;
    src[1] = 0xff102030; /* in the range but for alpha */
    src[2] = 0x00502030;
    for (unsigned mode = 1; mode <= 3; mode += 2)
        EMIT(&rig, 0x5cc0000a | ALL_BYTES | mode << 17,
             0xcc0000 | DEPTH_32 | 64, XY(0, mode), XY(3, mode + 1), LO(DST),
             HI(DST), XY(0, 0), 64, LO(SRC), HI(SRC), 0x00101010, 0x00404040);
    cr_assert_eq(run(), ENGINE_OK);
    expect("\x11\x11\x11\x11\x11\x11\x11\x11\x30\x20\x50\x00", 64, 12);
    expect("\x11\x11\x11\x11\x30\x20\x10\xff\x30\x20\x50\x00", 192, 12);
}

/* ---- operands that are not named ---- */

/* XY_FULL_BLT with operands that are not there. */
static void
full_blt(uint32_t rop, uint64_t dst, uint64_t src, uint64_t pattern)
{
    EMIT(&rig, 0x5540000a | ALL_BYTES, rop << 16 | DEPTH_32 | 64, XY(0, 0),
         XY(2, 2), LO(dst), HI(dst), XY(0, 0), 64, LO(src), HI(src),
         LO(pattern), HI(pattern));
}

Test(blt, operands_without_a_name_are_not_fetched)
{
    uint64_t before = stats_get(STAT_guest_errors);
    full_blt(0xcc, DST, SRC, NOWHERE);
    full_blt(0xf0, DST, NOWHERE, SRC);
    full_blt(0x55, DST, NOWHERE, NOWHERE);
    full_blt(0x00, DST, NOWHERE, NOWHERE);
    cr_assert_eq(run(), ENGINE_OK);
    cr_assert_eq(stats_get(STAT_guest_errors), before);
}

Test(blt, operands_with_a_name_are_fetched)
{
    const uint32_t rops[3] = {0xc0, 0xa0, 0x0a};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t before = stats_get(STAT_guest_errors);
        full_blt(rops[i], i == 2 ? NOWHERE + 0x4000000 : DST,
                 i == 0 ? NOWHERE : SRC, i == 1 ? NOWHERE + 0x2000000 : SRC);
        run();
        cr_assert_gt(stats_get(STAT_guest_errors), before, "operand %u", i);
    }
}

/* ---- broken batches ---- */

Test(blt, an_unmapped_destination_is_a_guest_error)
{
    uint64_t before = stats_get(STAT_guest_errors);
    EMIT(&rig, COLOR_BLT(0, 0xf00000 | DEPTH_8 | 64, 0, 0, 64, 64, NOWHERE, 1),
         COLOR_BLT(0, 0xf00000 | DEPTH_8 | 8, 0, 0, 1, 1, DST, 0x77));
    run();
    cr_assert_gt(stats_get(STAT_guest_errors), before);
    cr_assert_eq(data[0], 0x77);
}

Test(blt, a_wrong_length_is_a_guest_error)
{
    EMIT(&rig, 0x54000004, 0xf00008, 0, XY(4, 4), LO(DST), HI(DST));
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    cr_assert_eq(data[0], 0x11);
}

Test(blt, inline_data_must_suffice)
{
    EMIT(&rig, 0x5c800004 + 15, 0xf00000 | DEPTH_8 | 64, 0, XY(4, 4), LO(DST),
         HI(DST), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    EMIT(&rig, 0x5c400006 + 2, 0xcc0000 | DEPTH_8 | 64, 0, XY(17, 3), LO(DST),
         HI(DST), 0, 1, 0, 0);
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    EMIT(&rig, 0x4c400001, 0, XY(1, 1));
    cr_assert_eq(run(), ENGINE_GUEST_ERROR);
    cr_assert_eq(data[0], 0x11);
}

Test(blt, an_empty_rectangle_draws_nothing)
{
    EMIT(&rig, COLOR_BLT(0, 0xf00000 | 64, 5, 5, 5, 9, DST, 0x77),
         COLOR_BLT(0, 0xf00000 | 64, 5, 5, 2, 9, DST, 0x77),
         COLOR_BLT(0, 0xf00000 | 64, 0, 9, 9, -3, NOWHERE, 0x77));
    cr_assert_eq(run(), ENGINE_OK);
    for (unsigned i = 0; i < 1024; i++)
        cr_assert_eq(data[i], 0x11);
}

/* 4 GPixels of three operands would take minutes. */
Test(blt, a_blit_without_end_is_a_hang)
{
    struct rig slow;
    rig_init(&slow, &(struct engine_config){.gen = 9, .hang_limit_ms = 1});
    EMIT(&slow, 0x55400000 | 10 | ALL_BYTES, 0x960000 | DEPTH_32 | 64,
         XY(-32768, -32768), XY(32767, 32767), LO(RIG_DATA), HI(RIG_DATA),
         XY(0, 0), 64, LO(RIG_DATA), HI(RIG_DATA), LO(RIG_DATA), HI(RIG_DATA),
         BBE);
    cr_assert_eq(rig_run(&slow, slow.ctx, ENGINE_BCS), ENGINE_GUEST_ERROR);
    rig_finish(&slow);
}

Test(blt, fast_copy_came_with_gen9)
{
    struct rig old;
    rig_init(&old, &(struct engine_config){.gen = 8, .hang_limit_ms = 1000});
    EMIT(&old, 0x50800008, 64, 0, XY(1, 1), LO(DST), HI(DST), 0, 64, LO(SRC),
         HI(SRC), BBE);
    cr_assert_eq(rig_run(&old, old.ctx, ENGINE_BCS), ENGINE_GUEST_ERROR);
    rig_finish(&old);
}

/* Random dwords in every field: no crash, no access beyond the address space,
 * and an end. */
Test(blt, random_packets_do_no_harm)
{
    static const uint8_t lengths[0x78] = {
        [0x01] = 10, [0x03] = 3,  [0x11] = 10, [0x24] = 2,  [0x25] = 3,
        [0x26] = 5,  [0x31] = 40, [0x40] = 6,  [0x42] = 10, [0x43] = 8,
        [0x50] = 7,  [0x51] = 8,  [0x52] = 10, [0x53] = 10, [0x54] = 10,
        [0x55] = 12, [0x56] = 12, [0x57] = 14, [0x58] = 14, [0x59] = 8,
        [0x71] = 40, [0x72] = 70, [0x73] = 12, [0x74] = 74, [0x75] = 74,
        [0x76] = 10, [0x77] = 72,
    };
    struct rig hostile;
    uint64_t x = 88172645463325252u;
    rig_init(&hostile, &(struct engine_config){.gen = 9, .hang_limit_ms = 1});
    unsigned ended = 0;
    for (unsigned n = 0; n < 300; n++) {
        for (unsigned k = 0; k < 4; k++) {
            unsigned opcode = 0;
            uint32_t dw[80];
            while (!lengths[opcode]) {
                x = x * 6364136223846793005u + 1442695040888963407u;
                opcode = (unsigned)(x >> 33) % 0x78;
            }
            for (unsigned i = 0; i < lengths[opcode]; i++) {
                x = x * 6364136223846793005u + 1442695040888963407u;
                uint32_t v = (uint32_t)(x >> 32);
                dw[i] = v % 3 == 0   ? v
                        : v % 3 == 1 ? v & 0x007f007f
                                     : (uint32_t)RIG_DATA + (v & 0xffff);
            }
            dw[0] = (dw[0] & 0x3fff00) | 2u << 29 | opcode << 22 |
                    (lengths[opcode] - 2u);
            rig_emit(&hostile, dw, lengths[opcode]);
        }
        EMIT(&hostile, BBE);
        ended += rig_run(&hostile, hostile.ctx, ENGINE_BCS) == ENGINE_OK;
    }
    cr_assert_gt(ended, 0);
    rig_finish(&hostile);
}
