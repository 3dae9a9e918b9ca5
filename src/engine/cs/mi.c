/* mi.c: handlers of MI commands that touch only registers, memory and the flow
 * of the batch. KBL PRM vol 6, "Memory Interface Commands"; layouts: vol 2d.
 *
 * In an unprivileged batch a command with "Use Global GTT" is a no-op (vol 6,
 * "User Mode Privileged Commands"). */
#include "engine/cs/cs.h"

#define USE_GLOBAL_GTT (1u << 22)

void
mi_set_predicate(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    unsigned enable = bits_get(dw[0], 0, 3);
    if (enable >= 5 && enable <= 7) {
        /* Execute when one, two, three slices are enabled: GT2 has one. */
        enable = enable == 5 ? 0 : 15;
    }
    cs->hw->set_predicate = enable;
}

void
mi_batch_buffer_end(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (cs->second_level) {
        cs->second_level = false;
        cs->pc = cs->return_pc;
    } else {
        cs->done = true;
    }
}

/* Whether the batch has jumped to the same place for as long as a hang. */
static bool
is_endless(struct cs *cs, gpu_va to)
{
    const unsigned least = 1000;
    cs->loops = to == cs->loop_va ? cs->loops + 1 : 0;
    cs->loop_va = to;
    return cs->loops >= least && hang_is_late(&cs->ctx->hang, cs->begun_ns);
}

void
mi_batch_buffer_start(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    bool predicated = bits_get(dw[0], 15, 15);
    bool call = bits_get(dw[0], 22, 22);
    /* Guess: the same predicate as for 3DPRIMITIVE. */
    if (predicated && !cs_predicate(cs->hw))
        return;
    gpu_va to = cs_va(dw[1], dw[2]) & ~UINT64_C(3);
    if (cs->jumps_left-- == 0 || is_endless(cs, to)) {
        cs_fail(cs, "batch jumps for ever");
        return;
    }
    /* From a second-level batch only chaining is possible. */
    if (call && !cs->second_level) {
        cs->second_level = true;
        cs->return_pc = cs->pc;
    }
    cs->pc = to;
}

void
mi_conditional_batch_buffer_end(struct cs *cs, const uint32_t *dw,
                                unsigned len_dw)
{
    if (dw[0] & USE_GLOBAL_GTT)
        return;
    gpu_va va = cs_va(dw[2], dw[3]) & ~UINT64_C(7);
    uint32_t value = vm_read32(cs->vm, va);
    if (bits_get(dw[0], 19, 19)) {
        /* Compare Mask Mode: the qword is a value and a mask. */
        value &= vm_read32(cs->vm, va + 4);
    }
    /* The batch goes on while memory is greater than the inline data. */
    if (value > dw[1])
        return;
    cs->second_level = false;
    cs->done = true;
}

void
mi_predicate(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    uint32_t *reg = cs->hw->reg;
    uint64_t src0, src1, data;
    memcpy(&src0, &reg[REG_MI_PREDICATE_SRC0 / 4], 8);
    memcpy(&src1, &reg[REG_MI_PREDICATE_SRC1 / 4], 8);
    memcpy(&data, &reg[REG_MI_PREDICATE_DATA / 4], 8);
    /* Guess: DELTAS_EQUAL takes MI_PREDICATE_DATA for the delta. */
    const bool compare[4] = {true, false, src0 == src1, src0 - src1 == data};
    bool value = compare[bits_get(dw[0], 0, 1)];
    bool state = cs_predicate(cs->hw);
    switch (bits_get(dw[0], 3, 4)) {
    case 1: value = state && value; break;
    case 2: value = state || value; break;
    case 3: value = state != value; break;
    }
    switch (bits_get(dw[0], 6, 7)) {
    case 2: reg[REG_MI_PREDICATE_RESULT / 4] = value; break;
    case 3: reg[REG_MI_PREDICATE_RESULT / 4] = !value; break;
    }
}

void
mi_math(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (!alu_run(cs->hw, dw + 1, len_dw - 1))
        cs->failed = true;
}

void
mi_load_register_imm(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    /* Byte Write Disables, one bit per byte. */
    uint32_t keep = 0;
    for (unsigned i = 0; i < 4; i++)
        if (dw[0] >> (8 + i) & 1)
            keep |= 0xffu << i * 8;
    for (unsigned i = 1; i + 1 < len_dw; i += 2) {
        uint32_t offset = dw[i] & 0x7ffffc, value = dw[i + 1];
        if (keep)
            value = (reg_read(cs, offset) & keep) | (value & ~keep);
        reg_write(cs, offset, value);
    }
}

void
mi_load_register_mem(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (!(dw[0] & USE_GLOBAL_GTT))
        reg_write(cs, dw[1] & 0x7ffffc,
                  vm_read32(cs->vm, cs_va(dw[2], dw[3]) & ~UINT64_C(3)));
}

void
mi_load_register_reg(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    reg_write(cs, dw[2] & 0x7ffffc, reg_read(cs, dw[1] & 0x7ffffc));
}

void
mi_store_register_mem(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    bool predicated = bits_get(dw[0], 21, 21);
    if (dw[0] & USE_GLOBAL_GTT || (predicated && !cs_predicate(cs->hw)))
        return;
    cs_write32(cs, cs_va(dw[2], dw[3]) & ~UINT64_C(3),
               reg_read(cs, dw[1] & 0x7ffffc));
}

void
mi_store_data_imm(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (dw[0] & USE_GLOBAL_GTT)
        return;
    /* Observed: the qword flag is not always set; the length always tells. One
     * store writes a qword, because a CPU may poll it. */
    gpu_va va = cs_va(dw[1], dw[2]) & ~UINT64_C(3);
    if (len_dw == 5 && !(va & 7)) {
        uint64_t value = (uint64_t)dw[4] << 32 | dw[3];
        atomic_store((_Atomic uint64_t *)cs_write_ptr(cs, va, 8), value);
        return;
    }
    for (unsigned i = 3; i < len_dw; i++)
        cs_write32(cs, va + (i - 3) * 4, dw[i]);
}

void
mi_copy_mem_mem(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (dw[0] & (USE_GLOBAL_GTT | 1u << 21))
        return;
    gpu_va dst = cs_va(dw[1], dw[2]) & ~UINT64_C(3);
    gpu_va src = cs_va(dw[3], dw[4]) & ~UINT64_C(3);
    cs->work++;
    cs_write32(cs, dst, vm_read32(cs->vm, src));
}
