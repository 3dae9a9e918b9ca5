/* test_media_rotation.c: sample_unorm, and replies that surfaces turn: each
 * pixel is the one that a picture turned clockwise has there. */
#include "media_sampler_bench.h"

TestSuite(media_rotation, .init = set_up, .fini = tear_down);

/* Column and row, in the block, of pixel (x, y) of the turned block, which has
 * `width` columns. */
static unsigned
turned_x(unsigned rotation, unsigned x, unsigned y, unsigned width,
         unsigned height)
{
    const unsigned at[4] = {x, y, width - 1 - x, height - 1 - y};
    return at[rotation];
}

static unsigned
turned_y(unsigned rotation, unsigned x, unsigned y, unsigned width,
         unsigned height)
{
    const unsigned at[4] = {y, width - 1 - x, height - 1 - y, x};
    return at[rotation];
}

static void
check_turned(const struct format *f, unsigned rotation, bool halves,
             unsigned shape)
{
    static const unsigned widths[4] = {16, 8, 16, 4};
    unsigned width = widths[shape], height = 4;
    put_surface(f, LINEAR);
    rig_dw(&rig, RIG_VA + SURFACE_B)[0] = rotation << 30;
    put_state(2, halves ? SHUFFLE : 0);
    put_copy();
    send(8.0f / W, 4.0f / H, 1.0f / W, 1.0f / H, 0, shape, 0xd, 4);
    for (unsigned i = 0; i < width * height; i++) {
        unsigned x = i % width, y = i / width;
        unsigned from_x = 8 + turned_x(rotation, x, y, width, height);
        unsigned from_y = 4 + turned_y(rotation, x, y, width, height);
        unsigned got = width == 16 ? answered(0, 1, x, y, halves)
                                   : ((const uint16_t *)answer)[i];
        cr_assert_eq(got,
                     sample_of(f, LINEAR, 1, (int)from_x, (int)from_y) << 8,
                     "%s, rotation %u, shape %u, (%u, %u)", f->name, rotation,
                     shape, x, y);
    }
}

Test(media_rotation, blocks_are_turned)
{
    static const unsigned shapes[3] = {0, 1, 3};
    for (unsigned n = 0; n < 4 * 3 * 3; n++) {
        check_turned(&formats[9], n % 4, n & 4, shapes[n / 12]);
        check_turned(&formats[4], n % 4, n & 4, shapes[n / 12]);
        check_turned(&formats[6], n % 4, n & 4, shapes[n / 12]);
    }
}

/* All channels of a block that is scaled: as without rotation. */
Test(media_rotation, scaled_blocks_are_turned)
{
    uint16_t plain[4][16];
    for (unsigned rotation = 1; rotation < 4; rotation += 2) {
        put_surface(&formats[6], Y_TILED);
        put_state(3, 0);
        for (unsigned p = 0; p < 32; p++)
            for (unsigned i = 0; i < 32; i++)
                phase(p)[i] = (int8_t)(rand() % 24 - 4);
        rig_dw(&rig, RIG_VA + STATE_B)[153] = 2;
        for (unsigned block = 0; block < 4; block++) {
            send(8.0f / W, 4.0f / H, 0.5f / W, 0.5f / H, block, 3, 0xd, 4);
            memcpy(plain[block], answer, sizeof plain[0]);
        }
        rig_dw(&rig, RIG_VA + SURFACE_B)[0] = rotation << 30;
        send(8.0f / W, 4.0f / H, 0.5f / W, 0.5f / H, 0, 0, 0xd, 4);
        for (unsigned i = 0; i < 64; i++) {
            unsigned x = turned_x(rotation, i % 16, i / 16, 16, 4);
            unsigned y = turned_y(rotation, i % 16, i / 16, 16, 4);
            cr_assert_eq(((const uint16_t *)answer)[i],
                         plain[y / 4][y % 4 * 4 + x]);
        }
    }
}

static void
check_unorm(unsigned rotation)
{
    uint32_t *dw = rig_dw(&rig, RIG_VA + SURFACE_B);
    memset(dw, 0, 64);
    /* R8G8B8A8_UNORM, linear; its sampler is zero: nearest, wrap. */
    dw[0] = 1u << 29 | 0xc7u << 18 | 1u << 16 | 1u << 14;
    dw[2] = (H - 1) << 16 | (W - 1);
    dw[3] = PITCH_B - 1;
    dw[4] = rotation << 29;
    dw[7] = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
    dw[8] = (uint32_t)(RIG_VA + PICTURE_B);
    memset(rig.mem + STATE_B, 0, 16);
    memset(payload, 0, sizeof payload);
    payload[0][3] = STATE_B;
    payload[1][2] = bits_of(3.5f / W);
    payload[1][3] = bits_of(2.5f / H);
    payload[1][4] = bits_of(1.0f / W);
    payload[1][5] = bits_of(1.0f / H);
    struct eu_message m = {.header = true,
                           .mlen_grf = 2,
                           .rlen_grf = 8,
                           .desc = 12u << 12 | 3u << 17,
                           .src0 = payload[0],
                           .dst = answer[0]};
    cr_assert_eq(media_sampler_message(&env, &m, payload[0]), EU_MSG_OK);
    for (unsigned i = 0; i < 128; i++) {
        unsigned x = 3 + turned_x(rotation, i % 8, i % 32 / 8, 8, 4);
        unsigned y = 2 + turned_y(rotation, i % 8, i % 32 / 8, 8, 4);
        cr_assert_eq(((const uint16_t *)answer)[i],
                     byte_of(LINEAR, x * 4 + i / 32, y) << 8);
    }
}

Test(media_rotation, unorm_is_a_sample)
{
    for (unsigned rotation = 0; rotation < 4; rotation++)
        check_unorm(rotation);
}

/* Any descriptor, payload and state of both messages is answered or refused,
 * within the reply. */
Test(media_rotation, hostile_messages)
{
    uint32_t guard[24][8];
    vm_thread_enter(); /* as workers do */
    for (unsigned n = 0; n < 4000; n++) {
        for (unsigned i = 0; i < 32; i++) {
            rig_dw(&rig, RIG_VA + SURFACE_B)[i] = (uint32_t)mrand48();
            ((uint32_t *)payload)[i % 16] = (uint32_t)mrand48();
        }
        for (unsigned i = 0; i < 280; i++)
            rig_dw(&rig, RIG_VA + STATE_B)[i] = (uint32_t)mrand48();
        /* Half of the surfaces are this rig's. */
        if (n & 1)
            put_surface(&formats[n / 2 % ARRAY_SIZE(formats)], LINEAR);
        rig_dw(&rig, RIG_VA + SURFACE_B)[n & 1 ? 0 : 4] = (uint32_t)mrand48();
        payload[0][3] = STATE_B;
        memset(guard, 0xcc, sizeof guard);
        struct eu_message m = {.header = true,
                               .mlen_grf = 2,
                               .rlen_grf = (uint8_t)(n / 4 % 17),
                               .desc = (n & 2 ? 11u : 12u) << 12 | 3u << 17 |
                                       (n & 8 ? (uint32_t)mrand48() & 0xff : 0),
                               .src0 = payload[0],
                               .dst = guard[0]};
        cr_assert_eq(media_sampler_message(&env, &m, payload[0]), EU_MSG_OK);
        for (unsigned i = m.rlen_grf * 8u; i < 24 * 8; i++)
            cr_assert_eq(((uint32_t *)guard)[i], 0xcccccccc, "message %u", n);
    }
    vm_thread_leave();
}
