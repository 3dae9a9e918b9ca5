/* fuzz_blt.c: any bytes as blits.
 *
 * Each eight bytes are a blit: command, raster operation, tilings and a seed of
 * all else (blt_maker.h makes the packet), then how many changes follow. A
 * change of eight bytes is a dword of the packet and what becomes of it. The
 * blits of an input are one batch. */
#include "blt_maker.h"
#include "fuzz.h"
#include "fuzz_engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_VA MODEL_VA
#define BATCH_DW (0x10000u / 4)
#define BLIT_B 8
#define PACKETS_DW 600u /* of a blit, with its setup, at most */
#define HANG_LIMIT_MS 1

static struct fuzz_engine fuzz;

/* The batch of the input, and the dwords of the last blit in it. */
static uint32_t *next, *first_of_blit;

static void
put_packet(const uint32_t *dw, unsigned len_dw)
{
    memcpy(next, dw, len_dw * 4);
    next += len_dw;
}

static void
set_up(void)
{
    struct blt_maker g = {1, put_packet};
    fuzz = fuzz_engine_create(
        &(struct engine_config){.gen = 9, .hang_limit_ms = HANG_LIMIT_MS},
        MODEL_VA, MODEL_B);
    for (unsigned i = 0; i < MODEL_B; i += 4) {
        uint32_t v = blt_random(&g);
        memcpy(fuzz.mem + i, &v, 4);
    }
}

static uint32_t
changed(const uint8_t *change, uint32_t old)
{
    static const uint32_t edges[] = {
        0,     1,          0x7fff,     0x8000,     0xffff,     0x10000,
        0xfff, 0x7fffffff, 0x80000000, 0xfffff000, UINT32_MAX, 0x80008000,
        0x7f0, 0xff000000, 0x00ff0000, 0x0000ffff,
    };
    uint32_t value;
    memcpy(&value, change + 4, 4);
    switch (change[2] % 6) {
    case 0: return value;
    case 1: return old ^ 1u << change[3] % 32;
    case 2: return old + (uint32_t)(int8_t)change[3];
    case 3: return edges[change[3] % ARRAY_SIZE(edges)];
    case 4: return (old & 0xffff0000) | (value & 0xffff);
    default: return (old & 0xffff) | value << 16;
    }
}

/* Lengths stay mostly: a wrong one ends the batch. */
static void
change_blit(const uint8_t *change)
{
    uint32_t count = (uint32_t)(next - first_of_blit);
    uint32_t *dw = first_of_blit + (change[0] | change[1] << 8) % count;
    uint32_t v = changed(change, *dw);
    bool is_command = *dw >> 29 == 2;
    if (is_command && change[2] < 224)
        v = (v & 0x003fff00) | (*dw & ~UINT32_C(0x003fff00));
    *dw = v;
}

static size_t
make_blit(const uint8_t *data, size_t size_B)
{
    struct blt_maker g = {0, put_packet};
    struct blt_choice c = {.opcode = blt_opcodes[data[0] % BLT_OPCODES],
                           .rop = data[1]};
    bool bytes = c.opcode == 0x40 || c.opcode == 0x43, fast = c.opcode == 0x42;
    unsigned tilings = bytes ? 1 : fast ? 5 : 3;
    c.log2_B = data[2] % (fast ? 5u : 3u);
    c.dst = data[3] % tilings;
    c.src = data[4] % tilings;
    c.one_surface = data[2] & 0x80 && c.src == c.dst;
    g.state = 1 + data[5] + data[6] * UINT64_C(257) +
              data[0] * UINT64_C(0x9e3779b97f4a7c15);
    first_of_blit = next;
    blt_make(&g, &c);
    size_t used_B = BLIT_B;
    for (unsigned n = data[7] % 4; n && size_B - used_B >= BLIT_B; n--) {
        change_blit(data + used_B);
        used_B += BLIT_B;
    }
    return used_B;
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
    bool done = false;
    unsigned blits = 0;
    pthread_once(&once, set_up);
    next = (uint32_t *)(void *)fuzz.mem;
    const uint32_t *last = next + BATCH_DW - PACKETS_DW;
    for (size_t at = 0; size_B - at >= BLIT_B && next < last; blits++)
        at += make_blit(data + at, size_B - at);
    *next = 0x05000000; /* MI_BATCH_BUFFER_END */
    struct engine_context *ctx = engine_context_create(fuzz.engine, fuzz.vm);
    if (!ctx)
        return 0;
    engine_submit(fuzz.engine, &(struct engine_submit){.ctx = ctx,
                                                       .ring = ENGINE_BCS,
                                                       .batch_va = BATCH_VA,
                                                       .batch_B = BATCH_DW * 4,
                                                       .done = on_done,
                                                       .data = &done});
    engine_idle(fuzz.engine);
    if (!done)
        abort();
    engine_context_destroy(ctx);
    fuzz_count("blits", blits);
    return 0;
}
