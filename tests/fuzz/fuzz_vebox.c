/* fuzz_vebox.c: any bytes as state of the VEBOX and the SFC.
 *
 * The input: flags, then pairs of a dword's index and its value, which change
 * plausible packets and tables, then the dwords of VEB_DI_IECP. Frames are
 * small, so that an input takes milliseconds. */
#include "fuzz.h"
#include "fuzz_engine.h"

#include "engine/vebox/vebox.h"

#include <stdlib.h>

#define MEM_VA UINT64_C(0x100000)
#define MEM_B 0x80000u
#define TABLES_B 0x5000u /* DNDI, IECP, gamut, gamma */
#define FRAME_VA (MEM_VA + 0x10000)
#define FRAME_B 0x10000u
#define CHANGES_MAX 24

static struct engine_context *ctx;
static uint8_t *mem;

static void
set_up(void)
{
    struct fuzz_engine f = fuzz_engine_create(
        &(struct engine_config){.gen = 9, .hang_limit_ms = 5000}, MEM_VA,
        MEM_B);
    mem = f.mem;
    ctx = engine_context_create(f.engine, f.vm);
    if (!ctx)
        abort();
    context_begin_work(ctx);
}

/* Y-tiled NV12 of 64 x 48, the SFC 1:1. */
static void
plausible_state(struct vebox_state *v, uint32_t flags)
{
    memset(v, 0, sizeof *v);
    v->state[1] = flags;
    for (unsigned i = 0; i < 5; i++)
        v->state[2 + i * 2] = (uint32_t)MEM_VA + i * 0x1000;
    v->state[14] = (uint32_t)MEM_VA + 0x3000;
    for (unsigned i = 0; i < 2; i++) {
        v->surface[i][2] = 47u << 18 | 63u << 4;
        v->surface[i][3] = 4u << 28 | 1u << 27 | 255u << 3 | 3;
        v->surface[i][4] = v->surface[i][5] = 64;
        v->surface[i][7] = 255;
    }
    v->sfc_lock[1] = 1;
    v->sfc[1] = 1 | 4 << 4;
    v->sfc[2] = v->sfc[5] = v->sfc[7] = v->sfc[8] = 47u << 16 | 63;
    v->sfc[3] = 4;
    v->sfc[14] = v->sfc[15] = 0x20000;
    v->sfc[17] = (uint32_t)FRAME_VA;
    v->sfc[29] = 255u << 3 | 3 | 1u << 27;
    v->sfc[30] = 64;
    v->sfc_started = flags >> 31;
}

/* Frames stay small, whatever the input says. */
static void
change_state(struct fuzz_input *in, struct vebox_state *v)
{
    unsigned count = fuzz_take(in, 1) % CHANGES_MAX;
    for (unsigned i = 0; i < count; i++) {
        uint32_t at = fuzz_take(in, 2) % (sizeof *v / 4);
        uint32_t value = fuzz_take(in, 4);
        memcpy((uint8_t *)v + at * 4, &value, 4);
    }
    for (unsigned i = 0; i < 2; i++)
        v->surface[i][2] &= 0x01fc07f0;
    v->sfc[7] &= 0x00ff00ff;
    v->sfc[8] &= 0x007f007f;
    v->sfc[9] &= 0x001f001f;
}

static void
change_tables(struct fuzz_input *in)
{
    memset(mem, 0, TABLES_B);
    unsigned count = fuzz_take(in, 2) % 400;
    for (unsigned i = 0; i < count; i++) {
        uint32_t at = fuzz_take(in, 2) % (TABLES_B / 4);
        uint32_t value = fuzz_take(in, 4);
        memcpy(mem + (size_t)at * 4, &value, 4);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    struct fuzz_input in = {data, data + size_B};
    if (!ctx)
        set_up();
    struct vebox_state *v = &ctx->hw->vebox;
    plausible_state(v, fuzz_take(&in, 4));
    change_state(&in, v);
    change_tables(&in);
    for (uint32_t i = TABLES_B, x = 1; i < MEM_B; i++)
        mem[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    uint32_t dw[24] = {0x74030016, 63};
    for (unsigned i = 2; i < 22; i += 2)
        dw[i] = (uint32_t)FRAME_VA + (i / 2 - 1) % 6 * FRAME_B;
    for (unsigned i = 0; i < 24 && in.at < in.end; i++) {
        uint32_t at = fuzz_take(&in, 1) % 24, value = fuzz_take(&in, 4);
        if (at)
            dw[at] = value;
    }
    vm_thread_enter();
    fuzz_count("frames", vebox_process(ctx, dw, 24));
    uint32_t convert[5] = {0, dw[2], dw[3], dw[12], dw[13]};
    vebox_convert_tiling(ctx, convert);
    vm_thread_leave();
    return 0;
}
