/* fuzz_media.c: any bytes as media commands and the state they find.
 *
 * An input is a list of steps: a byte for the kind, then what it takes.
 * Objects, walkers, groups and root threads run kernels that write what they
 * were given, or send one message, to the sampler or to data port 1, with
 * header, payload and descriptor from their inline data, or to VME and CRE with
 * more phases from constants, or spawn threads and write to each other. Other
 * steps change dwords of state. */
#include "fuzz.h"
#include "fuzz_engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BASE_VA UINT64_C(0x100000)
#define SIZE_B 0x100000u
#define BATCH_DW 8192u
#define STEP_DW 64u
#define STEPS 64
#define HANG_LIMIT_MS 1
/* After the batch: state that steps change, kernels, pictures. */
#define STATE_B 0x10000u
#define STATE_SIZE_B 0x4000u
#define SURFACES_B (STATE_B + 0x000u)
#define TABLE_B (STATE_B + 0x200u)
#define DESCRIPTORS_B (STATE_B + 0x300u)
#define CURBE_B (STATE_B + 0x500u)
#define SAMPLERS_B (STATE_B + 0x800u)
#define KERNELS_B 0x20000u
#define KERNEL_B 0x400u
#define PICTURE_B 0x30000u

/* Writes r0 to r3 side by side to row r2.0 of a surface. */
static const uint32_t writes[] = {
    0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00600001, 0x2e00060c,
    0x00000000, 0x00000000, 0x00000001, 0x2e04020c, 0x00000040, 0x00000000,
    0x00000001, 0x2e08060c, 0x00000000, 0x0000001f, 0x00600001, 0x2e20020c,
    0x008d0000, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x00000001, 0x2e00060c, 0x00000000, 0x00000020, 0x00600001, 0x2e20020c,
    0x008d0020, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x00000001, 0x2e00060c, 0x00000000, 0x00000040, 0x00600001, 0x2e20020c,
    0x008d0040, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x00000001, 0x2e00060c, 0x00000000, 0x00000060, 0x00600001, 0x2e20020c,
    0x008d0060, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x07600031, 0x20000204, 0x06000fe0, 0x82000010,
};
/* Sends r2 and r3 with the descriptor r4.0: to the sampler, and to the data
 * port. */
static const uint32_t samples[] = {
    0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00600001, 0x2200020c,
    0x008d0040, 0x00000000, 0x00600001, 0x2220020c, 0x008d0060, 0x00000000,
    0x00000001, 0x22000204, 0x00000080, 0x00000000, 0x02600031, 0x2800020c,
    0x00000200, 0x00000200, 0x07600031, 0x20000204, 0x06000fe0, 0x82000010,
};
static const uint32_t accesses[] = {
    0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00600001, 0x2200020c,
    0x008d0040, 0x00000000, 0x00600001, 0x2220020c, 0x008d0060, 0x00000000,
    0x00000001, 0x22000204, 0x00000080, 0x00000000, 0x0c600031, 0x2800020c,
    0x00000200, 0x00000200, 0x07600031, 0x20000204, 0x06000fe0, 0x82000010,
};

/* Sends r9, r10 and the constants r1 to r8 with the descriptor r11.0. */
#define MOTION(send)                                                          \
    {                                                                         \
        0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00600001,           \
            0x2200020c, 0x008d0120, 0x00000000, 0x00600001, 0x2220020c,       \
            0x008d0140, 0x00000000, 0x00600001, 0x2240020c, 0x008d0020,       \
            0x00000000, 0x00600001, 0x2260020c, 0x008d0040, 0x00000000,       \
            0x00600001, 0x2280020c, 0x008d0060, 0x00000000, 0x00600001,       \
            0x22a0020c, 0x008d0080, 0x00000000, 0x00600001, 0x22c0020c,       \
            0x008d00a0, 0x00000000, 0x00600001, 0x22e0020c, 0x008d00c0,       \
            0x00000000, 0x00600001, 0x2300020c, 0x008d00e0, 0x00000000,       \
            0x00600001, 0x2320020c, 0x008d0100, 0x00000000, 0x00000001,       \
            0x22000204, 0x00000160, 0x00000000, send, 0x2800020c, 0x00000200, \
            0x00000200, 0x07600031, 0x20000204, 0x06000fe0, 0x82000010        \
    }
static const uint32_t searches[] = MOTION(0x08600031);
static const uint32_t refinements[] = MOTION(0x0d600031);
/* Sends r2 to the gateway with the descriptor r4.0, r3 to the thread spawner
 * with r4.1, r2 to the gateway with r4.2, and waits unless r4.3 is 0. */
static const uint32_t relatives[] = {
    0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00600001, 0x2200020c,
    0x008d0040, 0x00000000, 0x00600001, 0x2220020c, 0x008d0060, 0x00000000,
    0x00600001, 0x2240020c, 0x008d0040, 0x00000000, 0x00000001, 0x22000204,
    0x00000080, 0x00000000, 0x03600031, 0x2800020c, 0x00000200, 0x00000200,
    0x00000001, 0x22000204, 0x00000084, 0x00000000, 0x07600031, 0x2800020c,
    0x00000220, 0x00000200, 0x00000001, 0x22000204, 0x00000088, 0x00000000,
    0x03600031, 0x2800020c, 0x00000240, 0x00000200, 0x01000010, 0x20000204,
    0x0600008c, 0x00000000, 0x00010020, 0x34000824, 0x0e001400, 0x00000010,
    0x00000030, 0x32000004, 0x00001200, 0x00000000, 0x07600031, 0x20000204,
    0x06000fe0, 0x82000010,
};
/* Spawns its like until r0.6 is 0. */
static const uint32_t chain[] = {
    0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00600001, 0x2180020c,
    0x008d0000, 0x00000000, 0x00600001, 0x2c80060c, 0x00000000, 0x00000000,
    0x00000001, 0x2c80060c, 0x00000000, 0x00000000, 0x00000001, 0x2c84020c,
    0x00000018, 0x00000000, 0x00000001, 0x2c88060c, 0x00000000, 0x0000001f,
    0x00600001, 0x2ca0020c, 0x008d0000, 0x00000000, 0x0c600031, 0x20000204,
    0x06000c80, 0x040a8000, 0x05000010, 0x20000204, 0x06000018, 0x00000001,
    0x00010020, 0x34000824, 0x0e001400, 0x00000030, 0x00000040, 0x2198020c,
    0x06000018, 0xffffffff, 0x00000001, 0x2190060c, 0x00000000, 0x00000000,
    0x07600031, 0x20000204, 0x06000180, 0x02000001, 0x07600031, 0x20000204,
    0x06000fe0, 0x82000012,
};
/* Four threads of a group exchange values through local memory. */
static const uint32_t exchange[] = {
    0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00000001, 0x2060120c,
    0x00000004, 0x00000000, 0x00000001, 0x2064120c, 0x00000006, 0x00000000,
    0x00000005, 0x2068020c, 0x06000008, 0x0000000f, 0x00000009, 0x2080020c,
    0x06000064, 0x00000008, 0x00000009, 0x2084020c, 0x06000060, 0x00000002,
    0x00000040, 0x2080020c, 0x02000080, 0x00000084, 0x00000040, 0x2080020c,
    0x02000080, 0x00000068, 0x00000040, 0x2080020c, 0x02000080, 0x00000020,
    0x00600001, 0x2dc0060c, 0x00000000, 0x00000000, 0x00600001, 0x2de0060c,
    0x00000000, 0x00000000, 0x00000001, 0x2dc0020c, 0x00000068, 0x00000000,
    0x00000001, 0x2de0020c, 0x00000080, 0x00000000, 0x0a000031, 0x20000204,
    0x06000dc0, 0x0402c2fe, 0x00600001, 0x2e00060c, 0x00000000, 0x00000000,
    0x03600031, 0x20000204, 0x06000e00, 0x02000004, 0x00000030, 0x32000004,
    0x00001200, 0x00000000, 0x00000040, 0x2088020c, 0x06000068, 0x00000001,
    0x00000005, 0x2088020c, 0x06000088, 0x00000003, 0x00600001, 0x2dc0060c,
    0x00000000, 0x00000000, 0x00000001, 0x2dc0020c, 0x00000088, 0x00000000,
    0x0a000031, 0x2e40020c, 0x06000dc0, 0x0210c2fe, 0x00000040, 0x20a0020c,
    0x02000084, 0x00000068, 0x00000009, 0x20a0020c, 0x060000a0, 0x00000002,
    0x00600001, 0x2c80060c, 0x00000000, 0x00000000, 0x00000001, 0x2c80020c,
    0x000000a0, 0x00000000, 0x00000001, 0x2c84020c, 0x00000064, 0x00000000,
    0x00000001, 0x2c88060c, 0x00000000, 0x00000003, 0x00600001, 0x2ca0060c,
    0x00000000, 0x00000000, 0x00000001, 0x2ca0020c, 0x00000e40, 0x00000000,
    0x0c600031, 0x20000204, 0x06000c80, 0x040a8000, 0x07600031, 0x20000204,
    0x06000fe0, 0x82000010,
};
#define KERNELS 8
/* Interface descriptors; those with many constants, and those of families. */
#define DESCRIPTORS 16
#define FIRST_MOTION 4
#define FIRST_FAMILY 8
#define FAMILY_DW 20u /* inline */
#define MOTION_BTI 2u

static struct fuzz_engine fuzz;
static uint8_t state[STATE_SIZE_B]; /* before each input */

static uint32_t *
at_dw(uint8_t *memory, uint32_t offset_B)
{
    return (uint32_t *)(void *)(memory + offset_B);
}

/* A media surface, and one for blocks and samples. */
static void
make_surfaces(void)
{
    uint32_t *s = at_dw(state, SURFACES_B - STATE_B);
    const uint32_t picture = (uint32_t)BASE_VA + PICTURE_B;
    s[1] = 63u << 4 | 63u << 18;
    s[2] = 4u << 27 | 1u << 26 | 127u << 3 | 3;
    s[3] = 64;
    s[6] = picture;
    s[16] = 0x250d4000;
    s[18] = 63u << 16 | 31;
    s[19] = 127;
    s[23] = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
    s[24] = picture;
    at_dw(state, TABLE_B - STATE_B)[0] = SURFACES_B - STATE_B;
    at_dw(state, TABLE_B - STATE_B)[1] = SURFACES_B - STATE_B + 64;
    for (unsigned i = 0; i < 3; i++)
        at_dw(state, TABLE_B - STATE_B)[MOTION_BTI + i] = SURFACES_B - STATE_B;
    for (unsigned i = 0; i < 64; i++)
        at_dw(state, CURBE_B - STATE_B)[i] = i * UINT32_C(0x01030709);
}

static void
set_up(void)
{
    static const struct {
        const uint32_t *code;
        size_t size_B;
    } kernels[KERNELS] = {{writes, sizeof writes},
                          {samples, sizeof samples},
                          {accesses, sizeof accesses},
                          {searches, sizeof searches},
                          {refinements, sizeof refinements},
                          {relatives, sizeof relatives},
                          {chain, sizeof chain},
                          {exchange, sizeof exchange}};
    static const uint8_t kernel[DESCRIPTORS] = {0, 1, 2, 0, 3, 4, 3, 4,
                                                5, 5, 6, 7, 5, 5, 6, 7};
    fuzz = fuzz_engine_create(
        &(struct engine_config){.gen = 9, .hang_limit_ms = HANG_LIMIT_MS},
        BASE_VA, SIZE_B);
    for (unsigned i = 0; i < DESCRIPTORS; i++) {
        uint32_t *idd = at_dw(state, DESCRIPTORS_B - STATE_B) + i * 8;
        const uint32_t *code = kernels[kernel[i]].code;
        idd[0] = KERNELS_B + kernel[i] * KERNEL_B;
        idd[3] = SAMPLERS_B;
        idd[4] = TABLE_B - STATE_B;
        idd[5] = (i >= FIRST_MOTION && i < FIRST_FAMILY ? 8u : 1u) << 16;
        idd[6] = i >= FIRST_FAMILY ? 1u << 21 | 1u << 16 : 0;
        memcpy(fuzz.mem + idd[0], code, kernels[kernel[i]].size_B);
    }
    make_surfaces();
    for (unsigned i = 0; i < 0x8000; i++)
        fuzz.mem[PICTURE_B + i] = (uint8_t)(i * 7 + i / 128);
}

static uint32_t *
put(uint32_t *to, const uint32_t *dw, unsigned count)
{
    memcpy(to, dw, count * 4);
    return to + count;
}

static uint32_t *
put_state(uint32_t *dw)
{
    const uint32_t base = (uint32_t)BASE_VA | 1;
    const uint32_t packets[] = {0x69040301,
                                0x61010011,
                                base,
                                0,
                                0,
                                base + STATE_B, /* tables: 16 bits */
                                0,
                                base,
                                0,
                                base,
                                0,
                                base,
                                0,
                                0xfffff001,
                                0xfffff001,
                                0xfffff001,
                                0xfffff001,
                                1,
                                0,
                                0,
                                0x70000007,
                                0,
                                0,
                                0x00271000,
                                0,
                                0x00020020,
                                1u << 31 | 0xff,
                                0x0f,
                                0,
                                0x70010002,
                                0,
                                256,
                                CURBE_B,
                                0x70020002,
                                0,
                                DESCRIPTORS * 32,
                                DESCRIPTORS_B};
    return put(dw, packets, ARRAY_SIZE(packets));
}

/* Of the kernel that spawns: two headers, and descriptors. */
static void
fix_family(uint32_t *dw)
{
    dw[4] = (dw[4] & 7) << 16 | (dw[4] >> 8 & 1); /* thread, key */
    dw[10] = (dw[10] % DESCRIPTORS) * 32;
    if (dw[14] >> 24 != 0xff)
        dw[14] &= 0x1ff; /* a chain that ends */
    dw[16] = (dw[16] & 0x108003) | 1u << 25;
    dw[17] = (dw[17] & 0x13) | 1u << 25;
    dw[18] = (dw[18] & 0x108003) | 1u << 25;
    dw[19] = dw[0] & 1;
}

/* Inline data: mostly what a message could be. */
static unsigned
take_inline(struct fuzz_input *in, unsigned descriptor, uint32_t *dw)
{
    bool motion = descriptor >= FIRST_MOTION && descriptor < FIRST_FAMILY;
    static const uint32_t types[] = {11u << 12 | 3u << 17, 12u << 12 | 3u << 17,
                                     4u << 14, 10u << 14, 0};
    unsigned count = fuzz_take(in, 1) % 20;
    for (unsigned i = 0; i < count; i++)
        dw[i] = fuzz_take(in, 4);
    if (descriptor >= FIRST_FAMILY) {
        fix_family(dw);
        return FAMILY_DW;
    }
    if (count > 16 && motion)
        dw[16] = (dw[16] & 0x1e000) | (8u + (dw[16] >> 17) % 3) << 25 |
                 1u << 19 | (dw[16] >> 20) % 12 << 20 | MOTION_BTI;
    else if (count > 16)
        dw[16] = types[dw[16] % ARRAY_SIZE(types)] | 2u << 25 | 1u << 19 |
                 (dw[16] >> 8 & 0x1f) << 20 | (dw[16] >> 13 & 1);
    return count;
}

/* Small loops, or any. */
static void
take_walk(struct fuzz_input *in, uint32_t *dw)
{
    uint32_t mask = fuzz_take(in, 1) % 4 ? 0x000f000f : UINT32_MAX;
    for (unsigned i = 6; i < 17; i++)
        dw[i] = fuzz_take(in, 4) & mask;
}

static uint32_t *
put_command(struct fuzz_input *in, unsigned kind, uint32_t *dw)
{
    static const struct {
        uint32_t command;
        unsigned header_dw;
    } commands[] = {
        {0x71000000, 6}, {0x71030000, 17}, {0x71060000, 7}, {0x71020000, 4}};
    unsigned n = commands[kind].header_dw;
    memset(dw, 0, STEP_DW * 4);
    uint32_t bits = fuzz_take(in, 4);
    dw[1] = (bits & 3) | (bits >> 25 & 4) | (bits >> 23 & 8);
    dw[2] = bits & 0x81ffffff & ~UINT32_C(0x1ff00);
    dw[3] = kind == 3 ? 0 : fuzz_take(in, 2) << 4;
    if (kind == 1) {
        take_walk(in, dw);
        dw[5] = (bits >> 28 & 7) << 8 | (bits & 0xff); /* groups, scoreboard */
    }
    if (kind == 0 || kind == 2) {
        dw[4] = fuzz_take(in, 4);
        dw[5] = fuzz_take(in, 4);
        dw[6] = bits >> 30;
    }
    n = kind == 3 ? 16 : n + take_inline(in, dw[1], dw + n);
    if (kind == 3)
        take_inline(in, dw[1] >= FIRST_FAMILY ? dw[1] : 0, dw + 4);
    if (kind == 3)
        memset(dw + 16, 0, (STEP_DW - 16) * 4);
    dw[0] = commands[kind].command | (n - 2);
    return dw + n;
}

static uint32_t *
put_step(struct fuzz_input *in, uint32_t *dw)
{
    unsigned kind = fuzz_take(in, 1);
    uint32_t at;
    switch (kind % 8) {
    case 0:
    case 1:
    case 2:
    case 3: return put_command(in, kind % 4, dw);
    case 4: return put(dw, (const uint32_t[]){0x70040000, 0}, 2);
    case 5: /* constants and descriptors from anywhere */
        at = fuzz_take(in, 4);
        return put(dw,
                   (const uint32_t[]){kind & 8 ? 0x70010002 : 0x70020002, 0,
                                      at >> 16, at & 0x1ffff},
                   4);
    default: /* state in memory */
        at = fuzz_take(in, 2) % (STATE_SIZE_B / 4) * 4;
        *at_dw(fuzz.mem, STATE_B + at) ^= fuzz_take(in, 4);
        return dw;
    }
}

static void
on_done(void *data, enum engine_result result)
{
    (void)result;
    *(bool *)data = true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct fuzz_input in = {data, data + size_B};
    bool done = false;
    unsigned steps = 0;
    pthread_once(&once, set_up);
    memcpy(fuzz.mem + STATE_B, state, sizeof state);
    uint32_t *dw = put_state(at_dw(fuzz.mem, 0));
    for (; in.at < in.end && steps < STEPS; steps++)
        dw = put_step(&in, dw);
    *dw = 0x05000000; /* MI_BATCH_BUFFER_END */
    struct engine_context *ctx = engine_context_create(fuzz.engine, fuzz.vm);
    if (!ctx)
        return 0;
    engine_submit(fuzz.engine, &(struct engine_submit){.ctx = ctx,
                                                       .ring = ENGINE_RCS,
                                                       .batch_va = BASE_VA,
                                                       .batch_B = BATCH_DW * 4,
                                                       .done = on_done,
                                                       .data = &done});
    engine_idle(fuzz.engine);
    if (!done)
        abort();
    engine_context_destroy(ctx);
    fuzz_count("media commands", steps);
    return 0;
}
