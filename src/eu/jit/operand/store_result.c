/* store_result.c: stores vectors of 32-bit lanes to an instruction's
 * destination.
 *
 * Whole dwords are bound to their registers, or merged with the registers'
 * values; narrow types and strides are written to memory under a mask. */
#include "eu/jit/operand/operand.h"

#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))

bool
jit_dst_ok(const struct jit *j, const struct eu_op *op)
{
    const struct eu_operand *o = &op->insn->dst;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    if (op->fn != op->slow && !(op->post & EU_POST_STORE))
        return true;
    if (size_B == 8 || (o->type == EU_TYPE_HF && !jit_f16_ok(j, op->insn)))
        return false;
    if (o->file == EU_FILE_ARF)
        return (o->reg & 0xf0) == EU_ARF_NULL || jit_writes_addresses(op);
    if (o->file != EU_FILE_GRF || o->indirect ||
        (o->type == EU_TYPE_HF && op->insn->opcode == EU_OP_CMP))
        return false;
    if (op->insn->align16 && o->writemask != 15)
        return false;
    unsigned step_B = o->hstride * size_B;
    if (size_B == 4)
        return o->hstride == 1 || op->lanes == 1 || j->f->evex;
    if (op->lanes == 1)
        return true;
    if (!j->f->evex && op->lanes < 8)
        return false;
    return (o->hstride == 1 && (j->f->evex || size_B == 2)) ||
           (step_B == 4 && o->subreg_B % size_B == 0) ||
           (step_B == 2 && op->lanes >= 8);
}

static void
store_dwords(struct jit *j, const struct eu_op *op, const struct jit_part *p,
             unsigned reg, unsigned off_B)
{
    unsigned len_B = p->lanes * 4;
    if (p->mask.all) {
        if (j->v.reg[reg].kind != JIT_TEMP) {
            unsigned d = jit_temp(j);
            x86_vop(&j->x, X86_MOVAPS, p->len, d, 0, x86_reg(reg), 0);
            reg = d;
        }
        jit_bind(j, reg, off_B, len_B);
        return;
    }
    unsigned old = jit_vec_exact(j, off_B, len_B);
    if (j->f->evex) {
        x86_vop(&j->x, X86_MOVAPS, p->len, old, 0, x86_reg(reg), p->mask.k);
    } else {
        x86_vop_imm(&j->x, X86_BLENDVPS, p->len, old, old, x86_reg(reg), 0,
                    (uint8_t)(p->mask.k << 4));
    }
    jit_bind(j, old, off_B, len_B);
}

/* k5 := the mask, for elements of which every `step`-th belongs to a lane. */
static void
spread_mask(struct jit *j, const struct jit_part *p, unsigned step,
            unsigned phase)
{
    uint64_t every = step == 2 ? UINT64_C(0x5555555555555555)
                               : UINT64_C(0x1111111111111111);
    unsigned bits = p->lanes * step;
    if (bits < 64)
        every &= (UINT64_C(1) << bits) - 1;
    every <<= phase;
    x86_mov_imm(&j->x, X86_RCX, every);
    if (!p->mask.all) {
        x86_kmov_to_gpr(&j->x, X86_RAX, p->mask.k);
        x86_pdep(&j->x, X86_RCX, X86_RAX, X86_RCX);
    }
    x86_kmov_from_gpr(&j->x, 5, X86_RCX, true);
}

/* Words or bytes a dword apart. */
static void
store_spread(struct jit *j, const struct jit_part *p, unsigned reg,
             unsigned off_B, unsigned size_B)
{
    unsigned at = off_B & 3;
    jit_sync_drop(j, off_B - at, p->lanes * 4);
    if (at) {
        unsigned d = jit_temp(j);
        x86_vop_imm(&j->x, X86_PSHIFTD_IMM, p->len, 6, d, x86_reg(reg), 0,
                    (uint8_t)(at * 8));
        reg = d;
    }
    spread_mask(j, p, 4 / size_B, at / size_B);
    x86_vop(&j->x, size_B == 2 ? X86_MOVDQU16_ST : X86_MOVDQU8_ST, p->len, reg,
            0, x86_thread(GRF_AT(off_B - at)), 5);
}

/* Bytes a word apart, as OpenCL kernels compute with them. */
static void
store_bytes(struct jit *j, const struct jit_part *p, unsigned reg,
            unsigned off_B)
{
    unsigned at = off_B & 1, base_B = off_B - at, len_B = p->lanes * 2;
    unsigned words = jit_temp(j), old;
    if (at)
        x86_vop_imm(&j->x, X86_PSHIFTD_IMM, p->len, 6, words, x86_reg(reg), 0,
                    8);
    x86_vop(&j->x, X86_PMOVDW, p->len, at ? words : reg, 0, x86_reg(words), 0);
    spread_mask(j, p, 2, at);
    old = jit_vec_exact(j, base_B, len_B);
    x86_vop(&j->x, X86_MOVDQU8_ST, jit_len(len_B), words, 0, x86_reg(old), 5);
    jit_bind(j, old, base_B, len_B);
}

static void
store_packed(struct jit *j, const struct jit_part *p, unsigned reg,
             unsigned off_B, unsigned size_B)
{
    unsigned k = p->mask.all ? 0 : p->mask.k;
    jit_sync_drop(j, off_B, p->lanes * size_B);
    if (!k && p->lanes < 4) {
        x86_mov_imm(&j->x, X86_RAX, (1u << p->lanes) - 1);
        x86_kmov_from_gpr(&j->x, 5, X86_RAX, false);
        k = 5;
    }
    x86_vop(&j->x, size_B == 2 ? X86_PMOVDW : X86_PMOVDB, p->len, reg, 0,
            x86_thread(GRF_AT(off_B)), k);
}

/* Every other dword of a vector, a half of each qword: in registers if there is
 * room for all of it. */
static bool
store_every_other(struct jit *j, const struct jit_part *p, unsigned reg,
                  unsigned off_B, unsigned step_B)
{
    static const uint32_t from[16] = {0, 0, 1, 1, 2, 2, 3, 3,
                                      4, 4, 5, 5, 6, 6, 7, 7};
    unsigned phase = off_B / 4 % 2, base_B = off_B - phase * 4, d, old;
    if (p->lanes != 8 || step_B != 8 || off_B % 4 ||
        base_B + 64 > EU_GRF_FILE_B)
        return false;
    d = jit_temp(j);
    x86_vop(&j->x, X86_MOVUPS_LD, 2, d, 0, x86_const(&j->x, from, 16), 0);
    x86_vop(&j->x, X86_PERMD, 2, d, d, x86_reg(reg), 0);
    spread_mask(j, p, 2, phase);
    old = jit_vec_exact(j, base_B, 64);
    x86_vop(&j->x, X86_MOVAPS, 2, old, 0, x86_reg(d), 5);
    jit_bind(j, old, base_B, 64);
    return true;
}

static void
store_strided(struct jit *j, const struct jit_part *p, unsigned reg,
              unsigned off_B, unsigned step_B)
{
    uint32_t index[16];
    if (store_every_other(j, p, reg, off_B, step_B))
        return;
    jit_sync_drop(j, off_B, (p->lanes - 1) * step_B + 4);
    for (unsigned i = 0; i < 16; i++)
        index[i] = MIN2(i, p->lanes - 1) * step_B;
    unsigned at = jit_temp(j);
    x86_vop(&j->x, X86_MOVUPS_LD, p->len, at, 0,
            x86_const(&j->x, index, 4u << p->len), 0);
    if (p->mask.all) {
        x86_mov_imm(&j->x, X86_RAX, (UINT32_C(1) << p->lanes) - 1);
        x86_kmov_from_gpr(&j->x, 5, X86_RAX, false);
    } else {
        x86_kop(&j->x, X86_KOR, 5, p->mask.k, p->mask.k);
    }
    x86_scatter(&j->x, p->len, reg, at, (int32_t)GRF_AT(off_B), 5);
}

/* One element of one, two or four bytes. */
static void
store_scalar(struct jit *j, const struct jit_part *p, unsigned reg,
             unsigned off_B, unsigned size_B)
{
    jit_sync_drop(j, off_B, size_B);
    x86_vop(&j->x, X86_MOVD_TO_GPR, 0, reg, 0, x86_reg(X86_RAX), 0);
    uint32_t skip = 0;
    if (!p->mask.all && j->f->evex) {
        x86_kmov_to_gpr(&j->x, X86_RCX, p->mask.k);
    } else if (!p->mask.all) {
        x86_vop(&j->x, X86_MOVMSKPS, 0, X86_RCX, 0, x86_reg(p->mask.k), 0);
    }
    if (!p->mask.all) {
        x86_alu_imm(&j->x, X86_AND, X86_RCX, 1, false);
        skip = x86_jump(&j->x, X86_CC_E);
    }
    x86_store(&j->x, X86_RAX, GRF_AT(off_B), size_B);
    if (!p->mask.all)
        x86_patch(&j->x, skip, j->x.size);
}

/* Words that the register already holds packed. */
static void
store_halves(struct jit *j, const struct jit_part *p, unsigned reg,
             unsigned off_B, bool packed)
{
    unsigned len_B = p->lanes * 2, len = jit_len(len_B), d;
    if (!packed || (!p->mask.all && !j->f->evex)) {
        d = jit_temp(j);
        x86_vop(&j->x, X86_PMOVZXWD, p->len, d, 0, x86_reg(reg), 0);
        if (packed)
            jit_store_words_vex(j, p, d, off_B);
        else if (!j->f->evex)
            jit_store_spread_vex(j, p, d, off_B, 2);
        else
            store_spread(j, p, d, off_B, 2);
        return;
    }
    if (!p->mask.all) {
        d = jit_vec_exact(j, off_B, len_B);
        x86_vop(&j->x, X86_MOVDQU16_ST, len, reg, 0, x86_reg(d), p->mask.k);
        reg = d;
    }
    jit_bind(j, reg, off_B, len_B);
}

bool
jit_bind_words(struct jit *j, const struct eu_op *op,
               const struct jit_part *part, const unsigned *reg, unsigned count)
{
    const struct eu_operand *o = &op->insn->dst;
    unsigned off_B = o->reg * EU_GRF_B + o->subreg_B, low, high;
    if (!j->f->evex || o->file != EU_FILE_GRF || o->hstride != 1 ||
        eu_type_size_B((enum eu_type)o->type) != 2 || o->type == EU_TYPE_HF ||
        off_B % EU_GRF_B || op->lanes != 16 * count || count > 2 ||
        !part[0].mask.all || !part[count - 1].mask.all)
        return false;
    low = jit_temp(j);
    x86_vop(&j->x, X86_PMOVDW, 2, reg[0], 0, x86_reg(low), 0);
    if (count == 2) {
        high = jit_temp(j);
        x86_vop(&j->x, X86_PMOVDW, 2, reg[1], 0, x86_reg(high), 0);
        x86_vop_imm(&j->x, X86_INSERTF64X4, 2, low, low, x86_reg(high), 0, 1);
    }
    jit_bind(j, low, off_B, op->lanes * 2u);
    return true;
}

void
jit_store_dst(struct jit *j, const struct eu_op *op, const struct jit_part *p,
              unsigned reg)
{
    const struct eu_operand *o = &op->insn->dst;
    if (o->file == EU_FILE_ARF && (o->reg & 0xf0) == EU_ARF_A)
        jit_store_addresses(j, op, p, reg);
    if (o->file != EU_FILE_GRF)
        return;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    unsigned step_B = o->hstride * size_B;
    unsigned off_B = o->reg * EU_GRF_B + o->subreg_B + p->first * step_B;
    if (size_B == 4 && (o->hstride == 1 || p->lanes == 1))
        store_dwords(j, op, p, reg, off_B);
    else if (p->lanes == 1)
        store_scalar(j, p, reg, off_B, size_B);
    else if (o->type == EU_TYPE_HF)
        store_halves(j, p, reg, off_B, o->hstride == 1);
    else if (size_B == 4)
        store_strided(j, p, reg, off_B, step_B);
    else if (!j->f->evex && o->hstride == 1)
        jit_store_words_vex(j, p, reg, off_B);
    else if (!j->f->evex && step_B == 2)
        jit_store_bytes_vex(j, p, reg, off_B);
    else if (!j->f->evex)
        jit_store_spread_vex(j, p, reg, off_B, size_B);
    else if (step_B == 2 && size_B == 1)
        store_bytes(j, p, reg, off_B);
    else if (o->hstride == 1)
        store_packed(j, p, reg, off_B, size_B);
    else
        store_spread(j, p, reg, off_B, size_B);
}
