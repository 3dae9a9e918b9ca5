/* divergence.c: channels that take a branch, wait and reconverge.
 *
 * State is the interpreter's: a waiting channel is not live, and its chan_ip
 * says where it continues. */
#include "eu/jit/branch/branch.h"

#include "eu/jit/operand/operand.h"

void
jit_load_taken(struct jit *j, const struct eu_op *op)
{
    struct x86 *x = &j->x;
    x86_load(x, X86_RCX, offsetof(struct eu_thread, mask), 4);
    x86_alu_imm(x, X86_AND, X86_RCX, op->full << op->chan, false);
    if (op->pred) {
        jit_pred_bits(j, op, X86_RAX);
        if (op->chan)
            x86_shift_imm(x, true, X86_RAX, op->chan);
        x86_alu_reg(x, X86_AND, X86_RAX, X86_RCX, false);
    } else {
        x86_mov_reg(x, X86_RAX, X86_RCX);
    }
    jit_count_taken(j, op);
}

/* Merges in a register: find_waiting() soon loads what is stored, and a masked
 * store cannot forward to it. Observed: that costs dozens of cycles. */
static void
merge_ips_evex(struct x86 *x, uint32_t ip_B, size_t at)
{
    struct x86_rm ip = jit_as_memory(x86_dword_const(x, ip_B));
    x86_vop(x, X86_MOVUPS_LD, 2, 0, 0, x86_thread(at), 0);
    x86_vop(x, X86_PBROADCASTD, 2, 0, 0, ip, 5);
    x86_vop(x, X86_MOVUPS_ST, 2, 0, 0, x86_thread(at), 0);
}

static void
store_ips_evex(struct x86 *x, uint32_t ip_B, bool high)
{
    size_t at = offsetof(struct eu_thread, chan_ip);
    x86_kmov_from_gpr(x, 5, X86_RDX, false);
    merge_ips_evex(x, ip_B, at);
    if (!high)
        return;
    x86_mov_reg(x, X86_RCX, X86_RDX);
    x86_shift_imm(x, false, X86_RCX, 16);
    x86_kmov_from_gpr(x, 5, X86_RCX, false);
    merge_ips_evex(x, ip_B, at + 64);
}

static void
store_ips_vex(struct x86 *x, uint32_t ip_B, bool high)
{
    size_t at = offsetof(struct eu_thread, chan_ip);
    size_t scratch = offsetof(struct eu_thread, scratch);
    x86_vop(x, X86_PBROADCASTD, 1, 0, 0,
            jit_as_memory(x86_dword_const(x, ip_B)), 0);
    x86_store(x, X86_RDX, scratch, 4);
    for (unsigned g = 0; g < (high ? 4 : 2); g++) {
        uint32_t bit[8];
        for (unsigned i = 0; i < 8; i++)
            bit[i] = UINT32_C(1) << (g * 8 + i);
        struct x86_rm bits = x86_const(x, bit, 8);
        x86_vop(x, X86_PBROADCASTD, 1, 1, 0, x86_thread(scratch), 0);
        x86_vop(x, X86_PAND, 1, 1, 1, bits, 0);
        x86_vop(x, X86_PCMPEQD, 1, 1, 1, bits, 0);
        x86_vop(x, X86_MOVUPS_LD, 1, 2, 0, x86_thread(at + g * 32), 0);
        x86_vop_imm(x, X86_BLENDVPS, 1, 2, 2, x86_reg(0), 0, 1 << 4);
        x86_vop(x, X86_MOVUPS_ST, 1, 2, 0, x86_thread(at + g * 32), 0);
    }
}

void
jit_park(struct jit *j, const struct eu_op *op, uint32_t ip_B)
{
    struct x86 *x = &j->x;
    bool high = op->chan + op->lanes > 16 || op->insn->opcode == EU_OP_WHILE;
    if (j->f->evex)
        store_ips_evex(x, ip_B, high);
    else
        store_ips_vex(x, ip_B, high);
    x86_not(x, X86_RDX);
    x86_load(x, X86_RCX, offsetof(struct eu_thread, live), 4);
    x86_alu_reg(x, X86_AND, X86_RCX, X86_RDX, false);
    x86_store(x, X86_RCX, offsetof(struct eu_thread, live), 4);
    x86_load(x, X86_RCX, offsetof(struct eu_thread, mask), 4);
    x86_alu_reg(x, X86_AND, X86_RCX, X86_RDX, false);
    x86_store(x, X86_RCX, offsetof(struct eu_thread, mask), 4);
}

/* eax := channels that wait at ip_B. */
static void
find_waiting(struct x86 *x, uint32_t ip_B)
{
    size_t at = offsetof(struct eu_thread, chan_ip);
    unsigned len = x->evex ? 2 : 1, lanes = x->evex ? 16 : 8;
    x86_vop(x, X86_PBROADCASTD, len, 0, 0,
            jit_as_memory(x86_dword_const(x, ip_B)), 0);
    for (unsigned c = 0; c < 32; c += lanes) {
        unsigned to = c ? X86_RCX : X86_RAX;
        if (x->evex) {
            x86_vop_imm(x, X86_PCMPD, 2, 4, 0, x86_thread(at + c * 4), 0, 0);
            x86_kmov_to_gpr(x, to, 4);
        } else {
            x86_vop(x, X86_PCMPEQD, 1, 1, 0, x86_thread(at + c * 4), 0);
            x86_vop(x, X86_MOVMSKPS, 1, to, 0, x86_reg(1), 0);
        }
        if (!c)
            continue;
        x86_shift_imm(x, true, X86_RCX, (uint8_t)c);
        x86_alu_reg(x, X86_OR, X86_RAX, X86_RCX, false);
    }
}

void
jit_wake(struct jit *j, uint32_t ip_B)
{
    struct x86 *x = &j->x;
    find_waiting(x, ip_B);
    x86_load(x, X86_RCX, offsetof(struct eu_thread, live), 4);
    x86_alu_reg(x, X86_OR, X86_RAX, X86_RCX, false);
    x86_store(x, X86_RAX, offsetof(struct eu_thread, live), 4);
    x86_alu_reg(x, X86_AND, X86_RAX, X86_R13, false);
    x86_store(x, X86_RAX, offsetof(struct eu_thread, mask), 4);
}
