/* lower_f64.c: DF instructions, four or eight channels at a time.
 *
 * DF keeps denormals unless cr0 says otherwise; F usually does not. So a run of
 * DF instructions switches the float mode. Code with DF does not run while cr0
 * flushes DF. */
#include "eu/jit/lower/f64_vec.h"

#include "eu/interp/alu.h"
#include "eu/jit/analysis/analysis.h"
#include "eu/jit/x86/encode_gpr.h"

#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))
#define SCRATCH_AT(lane) (offsetof(struct eu_thread, scratch) + (lane)*8u)
#define MAX_PARTS 4

/* Up to 8 (AVX-512) or 4 (AVX2) lanes. */
struct part {
    struct jit_part p; /* AVX2: its mask is one of dwords */
    unsigned len;      /* of vectors of qwords */
    unsigned mask;     /* AVX2: of qwords */
};

void
jit_set_float_mode(struct jit *j, bool keeps_denorms)
{
    size_t at = keeps_denorms ? offsetof(struct eu_thread, mxcsr_keep)
                              : offsetof(struct eu_thread, mxcsr);
    uint8_t ldmxcsr[7] = {0x0f, 0xae, 0x93};
    uint32_t disp = (uint32_t)at;
    memcpy(ldmxcsr + 3, &disp, 4);
    x86_bytes(&j->x, ldmxcsr, sizeof ldmxcsr);
    j->keeps_denorms = keeps_denorms;
}

/* ---- supported forms ---- */

static bool
source_ok(const struct jit *j, const struct eu_operand *o)
{
    uint32_t v = (uint32_t)o->imm;
    switch (eu_operand_type(o)) {
    case EU_TYPE_DF:
    case EU_TYPE_D: break;
    case EU_TYPE_UD:
        if (!j->f->evex)
            return false;
        break;
    case EU_TYPE_F:
        if (o->type == EU_TYPE_VF)
            return false;
        break;
    default: return false;
    }
    if (o->file == EU_FILE_IMM)
        return o->type != EU_TYPE_F || !(v << 1) || (v & 0x7f800000);
    return o->file == EU_FILE_GRF && !o->indirect;
}

static bool
dst_ok(const struct jit *j, const struct eu_insn *insn)
{
    const struct eu_operand *o = &insn->dst;
    if (insn->align16 && o->writemask != 15)
        return false;
    if (o->file == EU_FILE_ARF && (o->reg & 0xf0) == EU_ARF_NULL)
        return o->type == EU_TYPE_DF || o->type == EU_TYPE_F;
    if (o->file != EU_FILE_GRF || o->indirect)
        return false;
    switch (o->type) {
    case EU_TYPE_DF: return true;
    case EU_TYPE_UD:
        return j->f->evex && insn->opcode != EU_OP_CMP && !insn->cmod;
    case EU_TYPE_D: return insn->opcode != EU_OP_CMP && !insn->cmod;
    case EU_TYPE_F: return insn->opcode != EU_OP_CMP;
    default: return false;
    }
}

static bool
is_compare(unsigned cmod)
{
    return (cmod >= EU_CMOD_Z && cmod <= EU_CMOD_LE) || cmod == EU_CMOD_U;
}

static bool
is_covered(const struct jit *j, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    bool converts = eu_exec_class(insn) != EXEC_DOUBLE;
    if (op->slow != eu_op_general || insn->acc_wr ||
        (converts && insn->opcode != EU_OP_MOV) || !jit_masks_fit(op) ||
        op->lanes > 16 || !dst_ok(j, insn))
        return false;
    for (unsigned s = 0; s < insn->src_count; s++)
        if (!source_ok(j, &insn->src[s]))
            return false;
    switch (insn->opcode) {
    case EU_OP_CMP: return is_compare(insn->cmod);
    case EU_OP_SEL: return true;
    case EU_OP_MOV:
    case EU_OP_ADD:
    case EU_OP_MUL:
    case EU_OP_MAD:
    case EU_OP_MADM: return !insn->cmod || is_compare(insn->cmod);
    case EU_OP_MATH: return eu_begins_macro(insn);
    default: return false;
    }
}

/* ---- sources ---- */

static unsigned
immediate_lanes(struct jit *j, const struct eu_operand *o, unsigned len)
{
    double d;
    uint64_t bits = o->imm;
    if (o->type == EU_TYPE_F)
        d = (double)float_from_bits((uint32_t)o->imm);
    else if (o->type == EU_TYPE_D)
        d = (double)(int32_t)(uint32_t)o->imm;
    else
        d = (double)(uint32_t)o->imm;
    if (o->type != EU_TYPE_DF)
        memcpy(&bits, &d, sizeof bits);
    return jit_f64_broadcast(j, len, bits);
}

/* Gathers elements from any place into a vector. */
static unsigned
collect_elements(struct jit *j, const unsigned *at, unsigned lanes,
                 unsigned size_B)
{
    unsigned d;
    for (unsigned i = 0; i < lanes; i++) {
        jit_sync(j, at[i], size_B);
        x86_load(&j->x, X86_RAX, GRF_AT(at[i]), size_B);
        x86_store(&j->x, X86_RAX, SCRATCH_AT(0) + i * size_B, size_B);
    }
    d = jit_temp(j);
    x86_vop(&j->x, X86_MOVUPS_LD, jit_len(lanes * size_B), d, 0,
            x86_thread(SCRATCH_AT(0)), 0);
    return d;
}

static unsigned
load_lanes(struct jit *j, const struct eu_op *op, const struct eu_operand *o,
           const struct part *q)
{
    unsigned size_B = eu_type_size_B((enum eu_type)o->type), at[8] = {0}, d;
    unsigned base = o->reg * EU_GRF_B + o->subreg_B, lanes = q->p.lanes;
    bool same = true, packed = true;
    for (unsigned i = 0; i < lanes; i++) {
        at[i] = base + eu_region_offset_B(op->insn, o, q->p.first + i);
        same &= at[i] == at[0];
        packed &= at[i] == at[0] + i * size_B;
    }
    if (packed)
        return jit_vec(j, at[0], lanes * size_B);
    if (!same)
        return collect_elements(j, at, lanes, size_B);
    jit_sync(j, at[0], size_B);
    d = jit_temp(j);
    x86_vop(&j->x, size_B == 8 ? X86_PBROADCASTQ : X86_PBROADCASTD,
            MAX2(q->len, 1), d, 0, x86_thread(GRF_AT(at[0])), 0);
    return d;
}

/* Absolute value and negation of D at its own width: both leave INT32_MIN
 * unchanged. As modified_value() of interp/convert.c. */
static unsigned
modify_int(struct jit *j, const struct eu_operand *o, unsigned len, unsigned r)
{
    unsigned d;
    if (o->abs) {
        d = jit_temp(j);
        x86_vop(&j->x, X86_PABSD, len, d, 0, x86_reg(r), 0);
        r = d;
    }
    if (o->negate) {
        d = jit_temp(j);
        x86_vop(&j->x, X86_PXOR, len, d, r, x86_reg(r), 0);
        x86_vop(&j->x, X86_PSUBD, len, d, d, x86_reg(r), 0);
        r = d;
    }
    return r;
}

static unsigned
modify_double(struct jit *j, const struct eu_operand *o, unsigned len,
              unsigned r)
{
    unsigned d;
    if (o->abs) {
        d = jit_f64_broadcast(j, len, INT64_MAX);
        x86_vop(&j->x, X86_PAND, len, d, d, x86_reg(r), 0);
        r = d;
    }
    if (o->negate) {
        d = jit_f64_broadcast(j, len, UINT64_C(1) << 63);
        x86_vop(&j->x, X86_PXOR, len, d, d, x86_reg(r), 0);
        r = d;
    }
    return r;
}

static unsigned
load_source(struct jit *j, const struct eu_op *op, unsigned s,
            const struct part *q)
{
    const struct eu_operand *o = &op->insn->src[s];
    bool is_int = eu_exec_class(op->insn) == EXEC_INT;
    bool is_imm = o->file == EU_FILE_IMM;
    bool own_width = is_int && !is_imm && o->type == EU_TYPE_D;
    unsigned r = is_imm ? immediate_lanes(j, o, q->len)
                        : load_lanes(j, op, o, q);
    if (own_width)
        r = modify_int(j, o, q->len ? q->len - 1 : 0, r);
    if (o->type != EU_TYPE_DF && !is_imm)
        r = jit_f64_from(j, q->len, r, (enum eu_type)o->type);
    if (own_width)
        return r;
    r = modify_double(j, o, q->len, r);
    /* The integer has only one zero before its conversion to DF. */
    return is_int && o->negate ? jit_f64_positive_zero(j, q->len, r) : r;
}

/* ---- results ---- */

/* Lanes where the comparison holds: k2, or a vector of qwords. */
static unsigned
compare_lanes(struct jit *j, const struct part *q, unsigned cmod, unsigned a,
              unsigned b)
{
    static const uint8_t predicates[16] = {
        [EU_CMOD_Z] = 0x00,  [EU_CMOD_NZ] = 0x04, [EU_CMOD_G] = 0x1e,
        [EU_CMOD_GE] = 0x1d, [EU_CMOD_L] = 0x11,  [EU_CMOD_LE] = 0x12,
        [EU_CMOD_U] = 0x03,
    };
    unsigned d = j->f->evex ? 2 : jit_temp(j);
    unsigned k = j->f->evex && !q->p.mask.all ? q->p.mask.k : 0;
    x86_vop_imm(&j->x, X86_CMPPD, q->len, d, a, x86_reg(b), k,
                predicates[cmod]);
    return d;
}

static void
write_flags(struct jit *j, const struct eu_op *op, const struct part *q,
            unsigned k)
{
    unsigned shift = op->flag_shift + q->p.first;
    size_t at = offsetof(struct eu_thread, f) + op->flag_reg * 4u;
    struct x86 *x = &j->x;
    if (j->f->evex) {
        jit_write_flags(j, op, &q->p, k);
        return;
    }
    jit_forget_flag(j, op->flag_reg);
    x86_vop(x, X86_MOVMSKPD, q->len, X86_RAX, 0, x86_reg(k), 0);
    x86_mov_imm(x, X86_RCX, (1u << q->p.lanes) - 1);
    if (!q->p.mask.all) {
        x86_vop(x, X86_MOVMSKPD, q->len, X86_RDX, 0, x86_reg(q->mask), 0);
        x86_alu_reg(x, X86_AND, X86_RCX, X86_RDX, false);
    }
    x86_alu_reg(x, X86_AND, X86_RAX, X86_RCX, false);
    if (shift) {
        x86_shift_imm(x, true, X86_RAX, (uint8_t)shift);
        x86_shift_imm(x, true, X86_RCX, (uint8_t)shift);
    }
    x86_not(x, X86_RCX);
    x86_load(x, X86_RDX, at, 4);
    x86_alu_reg(x, X86_AND, X86_RDX, X86_RCX, false);
    x86_alu_reg(x, X86_OR, X86_RDX, X86_RAX, false);
    x86_store(x, X86_RDX, at, 4);
}

static unsigned
select_lanes(struct jit *j, const struct eu_op *op, const struct part *q,
             unsigned a, unsigned b)
{
    unsigned cmod = op->insn->cmod;
    if (cmod)
        return jit_f64_min_max(j, q->len, a, b,
                               cmod == EU_CMOD_L || cmod == EU_CMOD_LE);
    struct jit_mask m = jit_op_pred(j, op, &q->p);
    if (m.all)
        return jit_f64_copy(j, q->len, a);
    return jit_f64_blend(j, q->len,
                         j->f->evex ? m.k : jit_f64_widen_mask(j, q->len, m.k),
                         m.inverted ? b : a, m.inverted ? a : b);
}

/* The correctly rounded quotient or root: see eu_finish_macro(). */
static unsigned
compute_macro(struct jit *j, const struct eu_op *op, const struct part *q,
              const unsigned *s)
{
    unsigned d = jit_temp(j);
    if (op->insn->math == EU_MATH_INVM)
        x86_vop(&j->x, X86_DIVPD, q->len, d, s[0], x86_reg(s[1]), 0);
    else
        x86_vop(&j->x, X86_SQRTPD, q->len, d, 0, x86_reg(s[0]), 0);
    return d;
}

static unsigned
compute_part(struct jit *j, const struct eu_op *op, const struct part *q,
             const unsigned *s)
{
    unsigned d;
    switch (op->insn->opcode) {
    case EU_OP_ADD:
    case EU_OP_MUL:
        d = jit_temp(j);
        x86_vop(&j->x, op->insn->opcode == EU_OP_ADD ? X86_ADDPD : X86_MULPD,
                q->len, d, s[0], x86_reg(s[1]), 0);
        return d;
    case EU_OP_MATH: return compute_macro(j, op, q, s);
    case EU_OP_MAD:
    case EU_OP_MADM:
        d = jit_f64_copy(j, q->len, s[0]);
        x86_vop(&j->x, X86_FMADD231PD, q->len, d, s[1], x86_reg(s[2]), 0);
        return d;
    case EU_OP_SEL: return select_lanes(j, op, q, s[0], s[1]);
    default: return jit_f64_copy(j, q->len, s[0]);
    }
}

static unsigned
finish_part(struct jit *j, const struct eu_op *op, const struct part *q,
            unsigned r)
{
    const struct eu_insn *insn = op->insn;
    enum eu_type type = (enum eu_type)insn->dst.type;
    if (insn->saturate && eu_type_is_float(type))
        r = jit_f64_clamp(j, q->len, r, 0.0, 1.0);
    if (type == EU_TYPE_D || type == EU_TYPE_UD)
        return jit_f64_to_int(j, q->len, r, type == EU_TYPE_D);
    if (type == EU_TYPE_F) {
        unsigned d = jit_temp(j);
        x86_vop(&j->x, X86_CVTPD2PS, q->len, d, 0, x86_reg(r), 0);
        r = d;
    }
    if (insn->cmod && insn->opcode != EU_OP_SEL) {
        /* Converts back from F: the condition tests the stored value. */
        unsigned v = type == EU_TYPE_F ? jit_f64_from(j, q->len, r, type) : r;
        write_flags(j, op, q,
                    compare_lanes(j, q, insn->cmod, v,
                                  jit_f64_broadcast(j, q->len, 0)));
    }
    return r;
}

static unsigned
lower_compare(struct jit *j, const struct eu_op *op, const struct part *q,
              const unsigned *s)
{
    unsigned k = compare_lanes(j, q, op->insn->cmod, s[0], s[1]), d = k;
    if (j->f->evex) {
        unsigned ones = jit_f64_broadcast(j, q->len, UINT64_MAX);
        d = jit_temp(j);
        x86_vop_z(&j->x, X86_MOVAPD, q->len, d, 0, x86_reg(ones), k);
    }
    write_flags(j, op, q, k);
    return d;
}

/* ---- destinations ---- */

/* rcx := the part's mask. */
static void
mask_to_gpr(struct jit *j, const struct part *q)
{
    if (j->f->evex)
        x86_kmov_to_gpr(&j->x, X86_RCX, q->p.mask.k);
    else
        x86_vop(&j->x, X86_MOVMSKPD, q->len, X86_RCX, 0, x86_reg(q->mask), 0);
}

static void
store_scattered(struct jit *j, const struct part *q, unsigned r, unsigned off_B,
                unsigned step_B, unsigned size_B)
{
    unsigned lanes = q->p.lanes;
    jit_sync_drop(j, off_B, (lanes - 1) * step_B + size_B);
    x86_vop(&j->x, X86_MOVUPS_ST, jit_len(lanes * size_B), r, 0,
            x86_thread(SCRATCH_AT(0)), 0);
    if (!q->p.mask.all)
        mask_to_gpr(j, q);
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t skip = 0;
        if (!q->p.mask.all) {
            x86_bit_test(&j->x, X86_RCX, i);
            skip = x86_jump(&j->x, X86_CC_AE);
        }
        x86_load(&j->x, X86_RAX, SCRATCH_AT(0) + i * size_B, size_B);
        x86_store(&j->x, X86_RAX, GRF_AT(off_B + i * step_B), size_B);
        if (!q->p.mask.all)
            x86_patch(&j->x, skip, j->x.size);
    }
}

static void
store_lanes(struct jit *j, const struct eu_op *op, const struct part *q,
            unsigned r)
{
    const struct eu_operand *o = &op->insn->dst;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type), old;
    unsigned step_B = o->hstride * size_B, len_B = q->p.lanes * size_B;
    unsigned off_B = o->reg * EU_GRF_B + o->subreg_B + q->p.first * step_B;
    if (o->file != EU_FILE_GRF)
        return;
    if (q->p.lanes > 1 && (o->hstride != 1 || (!q->p.mask.all && size_B < 8))) {
        store_scattered(j, q, r, off_B, step_B, size_B);
        return;
    }
    if (q->p.mask.all) {
        jit_bind(j, r, off_B, len_B);
        return;
    }
    if (q->p.lanes == 1) {
        store_scattered(j, q, r, off_B, step_B, size_B);
        return;
    }
    old = jit_vec_exact(j, off_B, len_B);
    if (j->f->evex)
        x86_vop(&j->x, X86_MOVAPD, q->len, old, 0, x86_reg(r), q->p.mask.k);
    else
        x86_vop_imm(&j->x, X86_BLENDVPS, q->len, old, old, x86_reg(r), 0,
                    (uint8_t)(q->mask << 4));
    jit_bind(j, old, off_B, len_B);
}

/* ---- an instruction ---- */

static unsigned
lower_part(struct jit *j, const struct eu_op *op, const struct part *q)
{
    unsigned s[3] = {0};
    for (unsigned i = 0; i < op->insn->src_count; i++)
        s[i] = load_source(j, op, i, q);
    if (op->insn->opcode == EU_OP_CMP)
        return lower_compare(j, op, q, s);
    if (eu_begins_macro(op->insn)) {
        if (!q->p.mask.all)
            mask_to_gpr(j, q);
        jit_set_flags(j, op, &q->p);
    }
    return finish_part(j, op, q, compute_part(j, op, q, s));
}

static uint32_t
make_part(struct jit *j, const struct eu_op *op, struct part *q, unsigned index)
{
    bool selects = op->insn->opcode == EU_OP_SEL && !op->insn->cmod;
    unsigned most = j->f->evex ? 8 : 4;
    uint32_t keep = 0;
    q->p.first = index * most;
    q->p.lanes = MIN2(op->lanes - q->p.first, most);
    q->p.len = jit_len(q->p.lanes * 4);
    q->len = jit_len(q->p.lanes * 8);
    q->p.mask = jit_op_mask(j, op, &q->p, index, !selects);
    if (!j->f->evex && !q->p.mask.all) {
        q->mask = jit_f64_widen_mask(j, q->len, q->p.mask.k);
        keep = UINT32_C(1) << q->mask;
    }
    return keep;
}

bool
jit_lower_f64(struct jit *j, const struct eu_op *op)
{
    struct part part[MAX_PARTS];
    unsigned reg[MAX_PARTS], n = DIV_ROUND_UP(op->lanes, j->f->evex ? 8u : 4u);
    uint32_t keep = 0;
    if (!is_covered(j, op))
        return false;
    j->needs_denorms = true;
    jit_float_mode(j, true);
    for (unsigned i = 0; i < n; i++) {
        keep |= make_part(j, op, &part[i], i);
        jit_unlock_but(j, keep);
    }
    for (unsigned i = 0; i < n; i++) {
        reg[i] = lower_part(j, op, &part[i]);
        keep |= UINT32_C(1) << reg[i];
        jit_unlock_but(j, keep);
    }
    for (unsigned i = 0; i < n; i++)
        store_lanes(j, op, &part[i], reg[i]);
    return !j->out_of_registers;
}
