/* sync.c: handlers of synchronizing commands: semaphores, atomics, flushes and
 * their post-sync writes.
 *
 * Draws and dispatches return when their memory writes are done, so a flush has
 * nothing left to wait for. */
#include "engine/cs/cs.h"
#include "engine/oa/oa.h"

#include <time.h>

#define USE_GLOBAL_GTT (1u << 22)

/* ---- MI_SEMAPHORE_WAIT ------------------------------------------------ */

static bool
semaphore_passes(uint32_t memory, uint32_t data, unsigned compare)
{
    switch (compare) {
    case 0: return memory > data;
    case 1: return memory >= data;
    case 2: return memory < data;
    case 3: return memory <= data;
    case 4: return memory == data;
    case 5: return memory != data;
    default: return true;
    }
}

static uint64_t
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void
mi_semaphore_wait(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (dw[0] & USE_GLOBAL_GTT)
        return;
    unsigned compare = bits_get(dw[0], 12, 14);
    gpu_va va = cs_va(dw[2], dw[3]) & ~UINT64_C(3);
    /* The CPU signals, or a batch that needs this ring: release it while
     * waiting. */
    struct ring *ring = &cs->engine->ring[cs->ring];
    bool released = false;
    uint64_t limit_ms = 0;
    long pause_ns = 1000;
    while (!semaphore_passes(
        atomic_load((_Atomic uint32_t *)vm_ptr(cs->vm, va)), dw[1], compare)) {
        if (!released) {
            limit_ms = now_ms() + cs->engine->config.hang_limit_ms;
            ring_release(ring, cs->ctx->turn);
            released = true;
        } else if (now_ms() > limit_ms) {
            cs_fail(cs, "semaphore at 0x%llx is never signalled",
                    (unsigned long long)va);
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = MIN2(pause_ns * 2, 200000);
    }
    if (released) {
        cs->ctx->turn = ring_acquire(ring);
        atomic_fetch_add(&cs->engine->epoch, 1);
    }
}

/* ---- MI_ATOMIC --------------------------------------------------------- */

static uint64_t
atomic_result(unsigned op, unsigned width, uint64_t old, uint64_t a, uint64_t b)
{
    int64_t s_old = (int64_t)old, s_a = (int64_t)a;
    if (width == 32) {
        s_old = (int32_t)old;
        s_a = (int32_t)a;
    }
    switch (op) {
    case 1: return old & a;
    case 2: return old | a;
    case 3: return old ^ a;
    case 4: return a;
    case 5: return old + 1;
    case 6: return old - 1;
    case 7: return old + a;
    case 8: return old - a;
    case 9: return a - old;
    case 10: return s_old > s_a ? old : a;
    case 11: return s_old < s_a ? old : a;
    case 12: return MAX2(old, a);
    case 13: return MIN2(old, a);
    case 14: /* CMP_WR: write operand 1 if memory equals operand 2. Guess: which
                operand is which. */
        return old == b ? a : old;
    case 15: /* PREDEC returns the decremented value */ return old - 1;
    default: return old;
    }
}

static uint64_t
atomic_run(void *ptr, unsigned op, unsigned width, uint64_t a, uint64_t b)
{
    if (width == 32) {
        _Atomic uint32_t *p = ptr;
        uint32_t old = atomic_load(p), new;
        do
            new = (uint32_t)atomic_result(op, 32, old, (uint32_t)a,
                                          (uint32_t)b);
        while (!atomic_compare_exchange_weak(p, &old, new));
        return op == 15 ? new : old;
    }
    _Atomic uint64_t *p = ptr;
    uint64_t old = atomic_load(p), new;
    do
        new = atomic_result(op, 64, old, a, b);
    while (!atomic_compare_exchange_weak(p, &old, new));
    return op == 15 ? new : old;
}

void
mi_atomic(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (dw[0] & USE_GLOBAL_GTT)
        return;
    unsigned opcode = bits_get(dw[0], 8, 15);
    unsigned op = opcode & 15, width = opcode & 32 ? 64 : 32;
    if (opcode & ~47u || !op) {
        unimp("MI_ATOMIC operation %u", opcode);
        return;
    }
    /* Guess: without inline data the operands are in GPR0 and GPR1. */
    uint64_t a = reg_gpr(cs->hw, 0), b = reg_gpr(cs->hw, 1);
    if (bits_get(dw[0], 18, 18)) {
        if (len_dw < 7) {
            cs_fail(cs, "MI_ATOMIC with inline data has %u dwords", len_dw);
            return;
        }
        a = (uint64_t)dw[5] << 32 | dw[3];
        b = (uint64_t)dw[6] << 32 | dw[4];
    }
    gpu_va va = cs_va(dw[1], dw[2]) & ~(uint64_t)(width / 8 - 1);
    uint64_t old = atomic_run(cs_write_ptr(cs, va, width / 8), op, width, a, b);
    if (bits_get(dw[0], 16, 16)) {
        /* Guess: returned data goes to GPR4. */
        reg_set_gpr(cs->hw, 4, old);
    }
}

/* ---- flushes ----------------------------------------------------------- */

/* Clients poll the result: writes it with one store, after all earlier ones. */
static void
store_signal(void *to, uint64_t value)
{
    if ((uintptr_t)to & 7)
        memcpy(to, &value, 8);
    else
        atomic_store((_Atomic uint64_t *)to, value);
}

bool
cs_send_signal(struct engine_context *ctx)
{
    if (!ctx->signal.to)
        return false;
    vm_copy_users_out(ctx->vm, ctx->users, ctx->user_count, ctx->signal.va);
    store_signal(ctx->signal.to, ctx->signal.value);
    vm_copy_user_page_out(ctx->vm, ctx->users, ctx->user_count, ctx->signal.va);
    ctx->signal.to = NULL;
    return true;
}

static void
post_sync_write(struct cs *cs, gpu_va va, uint64_t value)
{
    struct engine_context *ctx = cs->ctx;
    void *to = cs_write_ptr(cs, va, 8);
    if (!ctx->user_count && !oa_counting(cs->engine)) {
        store_signal(to, value);
        return;
    }
    ctx->signal.to = to;
    ctx->signal.va = va;
    ctx->signal.value = value;
}

void
mi_flush_dw(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    bool global = bits_get(dw[1], 2, 2), index = bits_get(dw[0], 21, 21);
    video_end_picture(cs);
    if (global || index)
        return;
    gpu_va va = cs_va(dw[1], dw[2]) & ~UINT64_C(7);
    switch (bits_get(dw[0], 14, 15)) {
    case 1:
        if (len_dw >= 5)
            post_sync_write(cs, va, (uint64_t)dw[4] << 32 | dw[3]);
        else
            cs_write32(cs, va, dw[3]);
        break;
    case 3: post_sync_write(cs, va, engine_timestamp(cs->engine)); break;
    }
}

void
gfx_pipe_control(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    struct gen9_pipe_control pc;
    gen9_pipe_control_unpack(&pc, dw);
    if (cs->hw->hz_op_pending) {
        cs->hw->hz_op_pending = false;
        cs->work++;
        if (!cs->engine->config.noop)
            draw_hz_op(cs->ctx);
    }
    if (pc.global_snapshot_count_reset)
        atomic_store(&cs->hw->stats.ps_depth_count, 0);
    if (pc.destination_address_type || pc.store_data_index)
        return;
    if (pc.lri_post_sync_operation) {
        reg_write(cs, (uint32_t)pc.address & 0x7ffffc,
                  (uint32_t)pc.immediate_data);
        return;
    }
    switch (pc.post_sync_operation) {
    case GEN9_PIPE_CONTROL_POST_SYNC_OPERATION_WRITE_IMMEDIATE_DATA:
        post_sync_write(cs, pc.address, pc.immediate_data);
        break;
    case GEN9_PIPE_CONTROL_POST_SYNC_OPERATION_WRITE_PS_DEPTH_COUNT:
        post_sync_write(cs, pc.address,
                        atomic_load(&cs->hw->stats.ps_depth_count));
        break;
    case GEN9_PIPE_CONTROL_POST_SYNC_OPERATION_WRITE_TIMESTAMP:
        post_sync_write(cs, pc.address, engine_timestamp(cs->engine));
        break;
    }
}
