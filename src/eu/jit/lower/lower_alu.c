/* lower_alu.c: computing instructions: parts, masks, results. */
#include "eu/jit/lower/lower_ops.h"

#include "eu/interp/alu.h"
#include "eu/jit/analysis/analysis.h"

unsigned
jit_blend(struct jit *j, unsigned len, struct jit_mask m, struct x86_rm a,
          struct x86_rm b)
{
    unsigned d, rb;
    if (m.all) {
        d = jit_temp(j);
        rb = jit_in_reg(j, a, len);
        x86_vop(&j->x, X86_MOVAPS, len, d, 0, x86_reg(rb), 0);
        return d;
    }
    if (m.inverted) {
        struct x86_rm t = a;
        a = b;
        b = t;
    }
    rb = jit_in_reg(j, b, len);
    d = jit_temp(j);
    if (j->f->evex)
        x86_vop(&j->x, X86_BLENDMPS, len, d, rb, a, m.k);
    else
        x86_vop_imm(&j->x, X86_BLENDVPS, len, d, rb, a, 0, (uint8_t)(m.k << 4));
    return d;
}

static inline unsigned
compared_k(const struct jit_part *p)
{
    return p->flags ? p->flags : 2;
}

unsigned
jit_compare_float(struct jit *j, const struct jit_part *p, unsigned cmod,
                  unsigned a, struct x86_rm b)
{
    static const uint8_t predicates[16] = {
        [EU_CMOD_Z] = 0x00,  [EU_CMOD_NZ] = 0x04, [EU_CMOD_G] = 0x1e,
        [EU_CMOD_GE] = 0x1d, [EU_CMOD_L] = 0x11,  [EU_CMOD_LE] = 0x12,
        [EU_CMOD_U] = 0x03,
    };
    if (j->f->evex) {
        unsigned k = p->mask.all ? 0 : p->mask.k, d = compared_k(p);
        x86_vop_imm(&j->x, X86_CMPPS, p->len, d, a, b, k, predicates[cmod]);
        return d;
    }
    unsigned d = jit_temp(j);
    x86_vop_imm(&j->x, X86_CMPPS, p->len, d, a, b, 0, predicates[cmod]);
    return d;
}

static unsigned
compare_int_vex(struct jit *j, const struct jit_part *p, unsigned cmod,
                unsigned a, struct x86_rm b, bool is_signed)
{
    unsigned d = jit_temp(j), rb = jit_in_reg(j, b, p->len), t;
    bool invert = cmod == EU_CMOD_NZ || cmod == EU_CMOD_GE ||
                  cmod == EU_CMOD_LE;
    bool swap = cmod == EU_CMOD_L || cmod == EU_CMOD_GE;
    bool equal = cmod == EU_CMOD_Z || cmod == EU_CMOD_NZ;
    if (!is_signed && !equal) {
        struct x86_rm flip = jit_dword(j, 0x80000000);
        t = jit_temp(j);
        x86_vop(&j->x, X86_PXOR, p->len, d, a, flip, 0);
        x86_vop(&j->x, X86_PXOR, p->len, t, rb, flip, 0);
        a = d;
        rb = t;
    }
    x86_vop(&j->x, equal ? X86_PCMPEQD : X86_PCMPGTD, p->len, d, swap ? rb : a,
            x86_reg(swap ? a : rb), 0);
    if (invert) {
        struct x86_rm ones = jit_dword(j, UINT32_MAX);
        x86_vop(&j->x, X86_PXOR, p->len, d, d, ones, 0);
    }
    return d;
}

unsigned
jit_compare_int(struct jit *j, const struct jit_part *p, unsigned cmod,
                unsigned a, struct x86_rm b, bool is_signed)
{
    static const uint8_t predicates[16] = {
        [EU_CMOD_Z] = 0,  [EU_CMOD_NZ] = 4, [EU_CMOD_G] = 6,
        [EU_CMOD_GE] = 5, [EU_CMOD_L] = 1,  [EU_CMOD_LE] = 2,
    };
    if (!j->f->evex)
        return compare_int_vex(j, p, cmod, a, b, is_signed);
    unsigned d = compared_k(p);
    x86_vop_imm(&j->x, is_signed ? X86_PCMPD : X86_PCMPUD, p->len, d, a, b,
                p->mask.all ? 0 : p->mask.k, predicates[cmod]);
    return d;
}

unsigned
jit_ones_where(struct jit *j, const struct jit_part *p, unsigned k)
{
    unsigned d = jit_temp(j);
    if (!j->f->evex) {
        x86_vop(&j->x, X86_MOVAPS, p->len, d, 0, x86_reg(k), 0);
        return d;
    }
    x86_vop(&j->x, X86_PXOR, 0, d, d, x86_reg(d), 0);
    x86_vop_imm(&j->x, X86_PTERNLOGD, p->len, d, d, x86_reg(d), k, 0xff);
    return d;
}

/* Words of 32 lanes without AVX-512: kernels compute pixel positions so. */
static bool
has_four_parts(const struct jit *j, const struct eu_op *op)
{
    return eu_type_size_B((enum eu_type)op->insn->dst.type) == 2 &&
           (jit_all_on(j) || op->no_mask) && !op->pred && !op->cmod;
}

static bool
is_covered(const struct jit *j, const struct eu_op *op, enum exec_class class)
{
    const struct eu_insn *insn = op->insn;
    if (op->slow != eu_op_general || insn->acc_wr || !jit_masks_fit(op) ||
        class == EXEC_DOUBLE || !jit_dst_ok(j, op) ||
        (!j->f->evex && op->lanes > 16 && !has_four_parts(j, op)))
        return false;
    return class == EXEC_FLOAT ? jit_float_ok(j, op) : jit_int_ok(j, op);
}

/* mov (1|M0) f0.1<1>:uw r1.14<0;1,0>:uw {NoMask}: the beginning of pixel
 * shaders with discard. */
static bool
is_flag_move(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *d = &insn->dst, *s = &insn->src[0];
    return op->slow == eu_op_general && insn->opcode == EU_OP_MOV &&
           op->lanes == 1 && op->no_mask && !insn->align16 && !op->pred &&
           !insn->cmod && !insn->saturate && !insn->acc_wr &&
           d->file == EU_FILE_ARF && (d->reg & 0xf0) == EU_ARF_F &&
           d->type == s->type &&
           (d->type == EU_TYPE_UW || d->type == EU_TYPE_UD) &&
           (d->reg & 1) * 4u + d->subreg_B +
                   eu_type_size_B((enum eu_type)d->type) <=
               8 &&
           !s->abs && !s->negate && s->file == EU_FILE_GRF && !s->indirect;
}

static void
move_to_flag(struct jit *j, const struct eu_op *op)
{
    const struct eu_operand *d = &op->insn->dst, *s = &op->insn->src[0];
    unsigned size_B = eu_type_size_B((enum eu_type)d->type);
    unsigned from = s->reg * EU_GRF_B + s->subreg_B;
    jit_sync(j, from, size_B);
    x86_load(&j->x, X86_RAX, offsetof(struct eu_thread, grf) + from, size_B);
    x86_store(&j->x, X86_RAX,
              offsetof(struct eu_thread, f) + (d->reg & 1) * 4u + d->subreg_B,
              size_B);
    jit_forget_flag(j, 0);
    jit_forget_flag(j, 1);
}

bool
jit_lower_alu(struct jit *j, const struct eu_op *op)
{
    enum exec_class class = eu_exec_class(op->insn);
    bool plain = op->fn != op->slow;
    if (!plain && is_flag_move(op)) {
        move_to_flag(j, op);
        return true;
    }
    if (!plain && (class == EXEC_DOUBLE || op->insn->dst.type == EU_TYPE_DF) &&
        jit_lower_f64(j, op))
        return true;
    if (j->out_of_registers)
        return false;
    if (class == EXEC_FLOAT || j->f->has_indirect)
        jit_float_mode(j, false);
    if (op->slow == eu_op_general && class == EXEC_INT &&
        jit_lower_words(j, op))
        return !j->out_of_registers;
    if (!is_covered(j, op, class))
        return !j->guard && jit_lower_scalar_int(j, op);

    bool selects = op->insn->opcode == EU_OP_SEL && !op->insn->cmod;
    unsigned n = op->lanes <= j->f->max_lanes ? 1 : op->lanes / j->f->max_lanes;
    struct jit_part part[4];
    unsigned reg[4];
    uint32_t keep = 0;
    for (unsigned i = 0; i < n; i++) {
        struct jit_part *p = &part[i];
        p->first = i * j->f->max_lanes;
        p->lanes = MIN2(op->lanes - p->first, j->f->max_lanes);
        p->len = jit_len(p->lanes * 4);
        p->mask = jit_op_mask(j, op, p, i, !selects);
        p->flags = (uint8_t)jit_flags_for(j, op, p);
        if (!j->f->evex && !p->mask.all)
            keep |= UINT32_C(1) << p->mask.k;
    }
    const struct jit_set dying = j->dying;
    for (unsigned i = 0; i < n; i++) {
        /* Another part may read the registers that this part overwrites. */
        j->dying = i + 1 < n ? (struct jit_set){{0}} : dying;
        reg[i] = class == EXEC_FLOAT ? jit_lower_float(j, op, &part[i])
                                     : jit_lower_int(j, op, &part[i]);
        if (reg[i] == JIT_NO_CODE)
            return false;
        keep |= UINT32_C(1) << reg[i];
        jit_unlock_but(j, keep);
    }
    if (jit_bind_words(j, op, part, reg, n))
        return !j->out_of_registers;
    bool flushes = op->insn->opcode == EU_OP_PLN ||
                   op->insn->opcode == EU_OP_LRP;
    for (unsigned i = 0; i < n; i++) {
        jit_store_dst(j, op, &part[i], reg[i]);
        if (flushes && part[i].mask.all && op->insn->dst.type == EU_TYPE_F)
            jit_note_normal(j, reg[i]);
    }
    return !j->out_of_registers;
}
