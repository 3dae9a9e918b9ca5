/* test_urb.c: URB messages: offsets, masks, bounds. */
#include <criterion/criterion.h>

#include "engine/geom/vue_transpose.h"
#include "engine/msg/msg.h"

#define ENTRY_B 64
#define ENTRIES 16

static alignas(64) uint8_t memory[ENTRY_B * ENTRIES];
static uint32_t payload[16][8], answer[8][8];

enum { WRITE = 7, READ = 8 };
#define MASKED (1u << 15)
#define PER_SLOT (1u << 17)
#define AT(oword) ((oword) << 4)

static enum eu_msg_result
message(uint32_t desc, unsigned mlen, unsigned rlen, uint32_t exec_mask)
{
    struct thread_env env = {
        .urb = {memory, sizeof memory, geom_lanes_selected()->columns}};
    struct eu_message m = {
        .sfid = EU_SFID_URB,
        .exec_size = 8,
        .exec_mask = exec_mask,
        .desc = desc | 1u << 19,
        .mlen_grf = (uint8_t)mlen,
        .rlen_grf = (uint8_t)rlen,
        .src0 = payload[0],
        .dst = answer[0],
    };
    return msg_urb(&env, NULL, &m);
}

static uint32_t
dword(unsigned entry, unsigned dw)
{
    uint32_t v;
    memcpy(&v, memory + entry * ENTRY_B + dw * 4, 4);
    return v;
}

static void
setup(void)
{
    memset(memory, 0, sizeof memory);
    memset(answer, 0xaa, sizeof answer);
    for (unsigned r = 0; r < 16; r++)
        for (unsigned lane = 0; lane < 8; lane++)
            payload[r][lane] = r * 16 + lane;
    for (unsigned lane = 0; lane < 8; lane++)
        payload[0][lane] = lane * 2; /* every other entry */
}

TestSuite(urb, .init = setup);

Test(urb, write_puts_components_side_by_side)
{
    message(WRITE | AT(1), 1 + 8, 0, 0xff);
    for (unsigned lane = 0; lane < 8; lane++)
        for (unsigned c = 0; c < 8; c++)
            cr_expect_eq(dword(lane * 2, 4 + c), (c + 1) * 16 + lane);
    cr_expect_eq(dword(0, 3), 0);
    cr_expect_eq(dword(1, 0), 0);
}

Test(urb, write_honours_the_execution_mask)
{
    message(WRITE, 2, 0, 0x81);
    cr_expect_eq(dword(0, 0), 16);
    cr_expect_eq(dword(2, 0), 0);
    cr_expect_eq(dword(14, 0), 16 + 7);
}

/* Whole slots; a disabled lane may have any handle. */
Test(urb, lanes_that_are_off_write_nothing)
{
    for (unsigned count = 4; count <= 8; count += 4) {
        setup();
        payload[0][5] = 0x07ffffff;
        message(WRITE | AT(1), 1 + count, 0, 0x0f);
        for (unsigned lane = 0; lane < 8; lane++)
            for (unsigned c = 0; c < 8; c++)
                cr_expect_eq(dword(lane * 2, 4 + c),
                             lane < 4 && c < count ? (c + 1) * 16 + lane : 0);
    }
}

Test(urb, write_honours_channel_masks_and_slot_offsets)
{
    for (unsigned lane = 0; lane < 8; lane++) {
        payload[1][lane] = lane % 4;
        payload[2][lane] = lane == 1 ? 0x80000 : 0x50000;
    }
    message(WRITE | MASKED | PER_SLOT, 3 + 4, 0, 0xff);
    cr_expect_eq(dword(0, 0), 3 * 16);
    cr_expect_eq(dword(0, 1), 0);
    cr_expect_eq(dword(0, 2), 5 * 16);
    cr_expect_eq(dword(2, 4), 0);
    cr_expect_eq(dword(2, 7), 6 * 16 + 1);
    cr_expect_eq(dword(6, 12), 3 * 16 + 3);
}

Test(urb, read_returns_a_register_per_component)
{
    for (unsigned i = 0; i < sizeof memory / 4; i++)
        memcpy(memory + i * 4, &i, 4);
    message(READ | AT(2), 1, 4, 0x7f);
    for (unsigned c = 0; c < 4; c++) {
        cr_expect_eq(answer[c][0], 8 + c);
        cr_expect_eq(answer[c][3], 3 * 32 + 8 + c);
        cr_expect_eq(answer[c][7], 0xaaaaaaaa, "lane off");
    }
    cr_expect_eq(answer[4][0], 0xaaaaaaaa);
}

Test(urb, instance_bits_of_a_handle_are_ignored)
{
    payload[0][0] = 5u << 27 | 4;
    message(WRITE, 2, 0, 1);
    cr_expect_eq(dword(4, 0), 16);
}

Test(urb, outside_is_dropped_and_reads_zero)
{
    for (unsigned lane = 0; lane < 8; lane++)
        payload[0][lane] = ENTRIES - 1 + lane * 0x01234567;
    cr_expect_eq(message(WRITE | AT(0x7ff), 2, 0, 0xff), EU_MSG_OK);
    cr_expect_eq(message(WRITE | AT(3), 9, 0, 1), EU_MSG_OK);
    cr_expect_eq(dword(ENTRIES - 1, 12), 16);
    cr_expect_eq(message(READ | AT(4), 1, 8, 0xff), EU_MSG_OK);
    for (unsigned c = 0; c < 8; c++)
        cr_expect_eq(answer[c][0], 0);
    for (unsigned lane = 0; lane < 8; lane++)
        payload[1][lane] = UINT32_MAX;
    cr_expect_eq(message(WRITE | PER_SLOT, 3, 0, 0xff), EU_MSG_OK);
}

Test(urb, too_short_messages_are_errors)
{
    cr_expect_eq(message(WRITE | PER_SLOT, 1, 0, 0xff), EU_MSG_ERROR);
    cr_expect_eq(message(WRITE | PER_SLOT | MASKED, 2, 0, 0xff), EU_MSG_ERROR);
}

/* The fast path for whole slots must equal the path lane by lane, for any
 * handles. */
Test(urb, whole_slots_as_lane_by_lane)
{
    static uint8_t expected[sizeof memory];
    const uint32_t corner[] = {ENTRIES - 2, ENTRIES - 1, ENTRIES,    0x07ffffff,
                               0x08000003,  0xffffffff,  0x80000000, 0};
    uint32_t random = 1;
    for (unsigned n = 0; n < 4000; n++) {
        unsigned count = n & 1 ? 4 : 8, at = n / 2 % 6;
        uint32_t lanes = n % 3 ? 0xff : n / 3 & 0xff, data[8][8];
        for (unsigned i = 0; i < 8; i++) {
            random = random * 1664525 + 1013904223;
            payload[0][i] = n % 5 ? (random >> 8) % ENTRIES
                                  : corner[(random >> 8) % 8];
        }
        memcpy(data, payload[1], sizeof data);
        for (unsigned i = 0; i < 8; i++)
            payload[1][i] = 0xff0000;
        memcpy(payload[2], data, sizeof data);
        memset(memory, 0, sizeof memory);
        message(WRITE | MASKED | AT(at), 2 + count, 0, lanes);
        memcpy(expected, memory, sizeof memory);
        memcpy(payload[1], data, sizeof data);
        memset(memory, 0, sizeof memory);
        message(WRITE | AT(at), 1 + count, 0, lanes);
        cr_assert_arr_eq(memory, expected, sizeof memory, "case %u", n);
    }
}
