/* test_vme.c: VME and CRE messages by hand: what drivers' built-ins do not
 * reach, wrong payloads, and random ones. tests/client/programs/motion*.c have
 * the rest. */
#include "rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "engine/msg/msg.h"
#include "engine/msg/vme/vme.h"
#include "engine/state/stage_cache.h"

#define TABLE_VA (RIG_VA + 0x1000)
#define SURFACE_B 0x2000u
#define PICTURE_B 0x10000u
#define PICTURE_STEP_B 0x4000u
#define W 128
#define H 96
#define MB_X 48
#define MB_Y 32

enum { SOURCE, FORWARD, BACKWARD, PICTURES };

static struct rig rig;
static struct stage_cache cache;
static struct shader_stage stage;
static struct thread_env env;
static uint32_t in[VME_IN_PHASES][8], out[VME_OUT_PHASES][8];

static uint8_t *
pixel(unsigned picture, int x, int y)
{
    return rig.mem + PICTURE_B + picture * PICTURE_STEP_B + y * W + x;
}

static void
put_surface(unsigned i)
{
    uint32_t *dw = rig_dw(&rig, RIG_VA + SURFACE_B + i * 64);
    memset(dw, 0, 64);
    dw[1] = (W - 1) << 4 | (H - 1) << 18;
    dw[2] = 5u << 27 | (W - 1) << 3; /* Y8_UNORM_VA, linear */
    dw[6] = (uint32_t)(RIG_VA + PICTURE_B + i * PICTURE_STEP_B);
    rig_dw(&rig, TABLE_VA)[i] = SURFACE_B + i * 64;
}

static void
set_up(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9});
    stage_cache_init(&cache, NULL);
    stage = (struct shader_stage){.kind = STAGE_CS,
                                  .enabled = true,
                                  .gen = 9,
                                  .vm = rig.vm,
                                  .surface_base_va = RIG_VA,
                                  .dynamic_base_va = RIG_VA,
                                  .binding_table_offset = 0x1000,
                                  .cache = &cache};
    env = (struct thread_env){.stage = &stage, .vm = rig.vm};
    srand(5);
    for (unsigned i = 0; i < PICTURES; i++) {
        put_surface(i);
        for (int at = 0; at < W * H; at++)
            *pixel(i, at % W, at / W) = (uint8_t)(rand() >> 3);
    }
    memset(in, 0, sizeof in);
}

static void
tear_down(void)
{
    stage_cache_finish(&cache);
    rig_finish(&rig);
}

TestSuite(vme, .init = set_up, .fini = tear_down);

static enum eu_msg_result
send(enum vme_type type, unsigned streams, unsigned phases)
{
    struct eu_message m = {.header = true,
                           .mlen_grf = (uint8_t)phases,
                           .rlen_grf = VME_OUT_PHASES,
                           .desc = (uint32_t)type << 13 | streams << 15,
                           .src0 = in[0],
                           .dst = out[0]};
    memset(out, 0xcc, sizeof out);
    return msg_vme(&env, NULL, &m);
}

/* A search of w x h pixels around the macroblock, along a raster of units. */
static void
put_search(int x, int y, unsigned w, unsigned h, unsigned units)
{
    uint8_t *path = (uint8_t *)in[4];
    unsigned across = (w - 16) / 4;
    in[0][0] = (uint16_t)x | (uint32_t)(uint16_t)y << 16;
    in[0][2] = MB_X | MB_Y << 16;
    in[0][3] = 0x7eu << 24; /* 16x16 */
    in[0][5] = w << 16 | h << 24;
    in[1][1] = 16;
    in[1][2] = units | units << 8;
    for (unsigned i = 0; i < 56; i++)
        path[i] = (i + 1) % across == 0       ? 0x10
                  : (i + 1) / across % 2 == 0 ? 0x01
                                              : 0x0f;
}

/* The forward picture has the macroblock at (dx, dy) from its place. */
static void
plant(unsigned picture, int dx, int dy)
{
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            *pixel(picture, MB_X + x + dx,
                   MB_Y + y + dy) = *pixel(SOURCE, MB_X + x, MB_Y + y);
}

static uint32_t
quarters(int dx, int dy)
{
    return (uint16_t)(dx * 4) | (uint32_t)(uint16_t)(dy * 4) << 16;
}

/* ------------------------------------------------------------------------ */

Test(vme, search_covers_its_window)
{
    for (int n = 0; n < 60; n++) {
        int dx = rand() % 32 - 16, dy = rand() % 24 - 12;
        plant(FORWARD, dx, dy);
        put_search(-16, -12, 48, 40, 48);
        cr_assert_eq(send(VME_IME, 0, 6), EU_MSG_OK);
        cr_assert_eq(out[1][0], quarters(dx, dy), "%d,%d: %08x", dx, dy,
                     out[1][0]);
        cr_assert_eq(out[5][0] & 0xffff, 0);
        *pixel(FORWARD, MB_X + dx, MB_Y + dy) ^= 255;
    }
}

/* LenSP counts the start. */
Test(vme, search_is_as_long_as_told)
{
    put_search(-16, -12, 48, 40, 1);
    plant(FORWARD, -12, -12); /* the first place of the second unit */
    send(VME_IME, 0, 6);
    cr_assert_neq(out[1][0], quarters(-12, -12));
    in[1][2] = 0x0202;
    send(VME_IME, 0, 6);
    cr_assert_eq(out[1][0], quarters(-12, -12));
}

/* EarlyIMESuccessEn, threshold 1 << 4; W0.6 bit 24. */
Test(vme, search_stops_when_good)
{
    put_search(-16, -12, 48, 40, 48);
    in[1][0] = 1u << 5 | 0x41u << 24;
    plant(FORWARD, -16, -12);
    plant(FORWARD, 8, 8);
    *pixel(FORWARD, MB_X - 16, MB_Y - 12) ^= 1;
    send(VME_IME, 0, 6);
    cr_assert_eq(out[1][0], quarters(-16, -12));
    cr_assert_eq(out[0][6] >> 24 & 1, 1);
    in[1][0] = 0;
    send(VME_IME, 0, 6);
    cr_assert_eq(out[1][0], quarters(8, 8));
    cr_assert_eq(out[0][6] >> 24 & 1, 0);
}

/* W0.1: left 1, right 2, top 4, bottom 8. */
Test(vme, borders_are_told)
{
    static const struct {
        int dx, dy;
        uint32_t bits;
    } cases[] = {{-4, 0, 1}, {3, 1, 2}, {1, -4, 4}, {0, 3, 8}, {-4, 3, 9}};
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        put_search(-4, -4, 24, 24, 4);
        plant(FORWARD, cases[i].dx, cases[i].dy);
        send(VME_IME, 0, 6);
        cr_assert_eq(out[1][0], quarters(cases[i].dx, cases[i].dy));
        cr_assert_eq(out[0][1], cases[i].bits, "case %u: %x", i, out[0][1]);
        *pixel(FORWARD, MB_X + cases[i].dx, MB_Y + cases[i].dy) ^= 255;
    }
}

/* AdaptiveEn goes on from the best unit. */
Test(vme, adaptive_search_follows_the_best)
{
    for (unsigned picture = 0; picture < 2; picture++)
        for (int at = 0; at < W * H; at++) {
            int x = at % W - (picture ? 9 : 0), y = at / W - (picture ? 6 : 0);
            *pixel(picture, at % W,
                   at / W) = (uint8_t)CLAMP(x * x / 70 + y * y / 50, 0, 255);
        }
    put_search(-16, -12, 48, 40, 1);
    in[1][0] = 2;
    in[1][2] = 1 | 40 << 8 | 4 << 16 | 3 << 20;
    send(VME_IME, 0, 6);
    cr_assert_eq(out[1][0], quarters(9, 6), "%08x", out[1][0]);
}

Test(vme, wrong_messages_answer_zeros_or_fail)
{
    put_search(-16, -12, 48, 40, 48);
    cr_assert_eq(send(VME_IME, 0, 5), EU_MSG_ERROR);
    in[0][5] = 64u << 16 | 64u << 24; /* more than 2048 pixels */
    cr_assert_eq(send(VME_IME, 0, 6), EU_MSG_OK);
    for (unsigned i = 0; i < 88; i++)
        cr_assert_eq(out[i / 8][i % 8], 0);
    put_search(-16, -12, 48, 40, 48);
    rig_dw(&rig, RIG_VA + SURFACE_B)[2] |= 31u << 27; /* no such format */
    cr_assert_eq(send(VME_IME, 0, 6), EU_MSG_OK);
    for (unsigned i = 0; i < 88; i++)
        cr_assert_eq(out[i / 8][i % 8], 0);
}

/* Whatever a payload says, a message ends, and its vectors lie in the window.
 */
Test(vme, random_messages_end)
{
    static const enum vme_type types[] = {VME_IME, VME_FBR, VME_SIC, VME_IDM};
    vm_thread_enter(); /* pictures may be where nothing is mapped */
    for (unsigned n = 0; n < 3000; n++) {
        for (unsigned i = 0; i < VME_IN_PHASES * 8; i++)
            in[i / 8][i % 8] = (uint32_t)rand() << 16 ^ (uint32_t)rand();
        if (n % 4)
            in[0][5] = 32u << 16 | 32u << 24;
        if (n % 3)
            in[1][6] = 0;
        cr_assert_eq(send(types[n / 2 % 4], n % 4, VME_IN_PHASES), EU_MSG_OK);
    }
    vm_thread_leave();
}
