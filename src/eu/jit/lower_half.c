/* lower_half.c: HF, which is computed in F and rounded once more, as the
 * interpreter does it (alu_float.c).
 *
 * The host's conversions are those of half.h: exact from HF, denormals
 * included; to HF as MXCSR rounds, but denormals of F count as zero where F
 * flushes them. Code with HF in it does not run while cr0 wants HF flushed. */
#include "eu/jit/lower_half.h"

#include "eu/interp/alu.h"
#include "eu/jit/words.h"

#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))

/* As MXCSR says, in the immediate of VCVTPS2PH. */
#define ROUND_AS_MXCSR 4

bool
jit_half_ok(const struct jit *j, const struct eu_insn *insn)
{
    return !insn->half_pairs && !(j->flags & EU_JIT_ALT);
}

/* Of half as many bytes. */
static unsigned
half_len(unsigned len)
{
    return len ? len - 1 : 0;
}

/* ---- sources ---- */

/* The low words of dwords, the high ones of which are zero. */
static unsigned
pack(struct jit *j, unsigned len, unsigned reg)
{
    unsigned d = jit_temp(j);
    if (j->evex)
        x86_vop(&j->x, X86_PMOVDW, len, reg, 0, x86_reg(d), 0);
    else
        jit_pack_words_vex(j, X86_PACKUSDW, d, reg);
    return d;
}

static unsigned
broadcast(struct jit *j, unsigned off_B, unsigned len)
{
    jit_sync(j, off_B, 2);
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_PBROADCASTW, len, d, 0, x86_thread(GRF_AT(off_B)), 0);
    return d;
}

/* Instructions with two types have eight lanes: a vector of sixteen halves was
 * often written as two, and two stores are not forwarded to one load. */
static unsigned
read_packed(struct jit *j, unsigned off_B, unsigned len_B)
{
    int low, high;
    if (len_B != EU_GRF_B || jit_find(j, JIT_GRF, off_B, len_B) >= 0)
        return jit_vec(j, off_B, len_B);
    low = jit_find(j, JIT_GRF, off_B, len_B / 2);
    high = jit_find(j, JIT_GRF, off_B + len_B / 2, len_B / 2);
    if (low < 0 || high < 0)
        return jit_vec(j, off_B, len_B);
    unsigned d = jit_temp(j);
    x86_vop_imm(&j->x, X86_INSERTF128, 1, d, (unsigned)low,
                x86_reg((unsigned)high), 0, 1);
    return d;
}

/* A region's words, as they are; len: of the dwords that they become. */
static unsigned
read_region(struct jit *j, const struct jit_region *r, const struct jit_part *p,
            unsigned len)
{
    if (r->shape == JIT_SHAPE_VECTOR)
        return read_packed(j, r->off_B, p->lanes * 2);
    if (r->shape == JIT_SHAPE_SCALAR)
        return broadcast(j, r->off_B, half_len(len));
    return pack(j, len, jit_read_narrow(j, r, p, false));
}

/* A source's. */
static unsigned
read_halves(struct jit *j, const struct eu_op *op, unsigned s,
            const struct jit_part *p)
{
    const struct eu_operand *o = &op->insn->src[s];
    struct jit_region r;
    if (o->file == EU_FILE_IMM) {
        uint32_t twice = ((uint32_t)o->imm & 0xffff) * 0x10001;
        return jit_in_reg(j, jit_dword(j, twice), half_len(p->len));
    }
    jit_describe(&r, op->insn, o, p);
    return read_region(j, &r, p, p->len);
}

unsigned
jit_halves_to_float(struct jit *j, unsigned len, unsigned halves)
{
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_CVTPH2PS, len, d, 0, x86_reg(halves), 0);
    return d;
}

unsigned
jit_half_to_float(struct jit *j, const struct eu_op *op, unsigned s,
                  const struct jit_part *p)
{
    struct jit_region r;
    jit_describe(&r, op->insn, &op->insn->src[s], p);
    j->needs_halves = true;
    bool scalar = r.shape == JIT_SHAPE_SCALAR;
    bool kept = scalar || r.shape == JIT_SHAPE_VECTOR;
    enum jit_kind kind = scalar ? JIT_HALF : JIT_HALVES;
    unsigned len_B = scalar ? 2 : p->lanes * 2;
    int found = kept ? jit_find(j, kind, r.off_B, len_B) : -1;
    if (found >= 0)
        return (unsigned)found;
    /* Scalars for instructions of any length. */
    unsigned len = scalar ? jit_full_len(j) : p->len;
    unsigned words = read_region(j, &r, p, len);
    unsigned d = jit_halves_to_float(j, len, words);
    if (scalar)
        jit_release(j, words);
    if (kept)
        jit_note(j, d, kind, r.off_B, len_B);
    return d;
}

/* ---- results ---- */

/* An F that is not computed, but only moved, which differs from zero where that
 * is rounded away from it. Extended math might have one, too. */
static bool
may_be_denormal(const struct eu_insn *insn)
{
    bool moves = insn->opcode == EU_OP_MOV || insn->opcode == EU_OP_SEL ||
                 insn->opcode == EU_OP_CSEL;
    for (unsigned s = 0; moves && s < insn->src_count; s++)
        if (insn->src[s].type == EU_TYPE_F)
            return true;
    return insn->opcode == EU_OP_MATH;
}

unsigned
jit_float_to_half(struct jit *j, const struct eu_op *op, unsigned len,
                  unsigned r)
{
    unsigned d = jit_temp(j);
    j->needs_nearest |= may_be_denormal(op->insn);
    j->needs_halves = true;
    x86_vop_imm(&j->x, X86_CVTPS2PH, len, r, 0, x86_reg(d), 0, ROUND_AS_MXCSR);
    return d;
}

/* Of the two floats that the result lies between the odd one: if it is one of
 * them, both are the same. */
static unsigned
fuse_evex(struct jit *j, unsigned len, unsigned x, unsigned y, unsigned z)
{
    unsigned down = jit_copy(j, len, x86_reg(z)),
             up = jit_copy(j, len, x86_reg(z));
    unsigned d = jit_temp(j);
    x86_vop_rounded(&j->x, X86_FMADD231PS, down, y, x, X86_DOWN);
    x86_vop_rounded(&j->x, X86_FMADD231PS, up, y, x, X86_UP);
    x86_vop(&j->x, X86_PTESTMD, len, 2, down, jit_dword(j, 1), 0);
    x86_vop(&j->x, X86_BLENDMPS, len, d, up, x86_reg(down), 2);
    return d;
}

/* The product is exact, so is what its sum lost: if that is not zero, an even
 * sum gives way to its odd neighbour on that side. What NaNs lost is a NaN, so
 * they stay. */
static unsigned
fuse_vex(struct jit *j, unsigned len, unsigned x, unsigned y, unsigned z)
{
    struct x86 *a = &j->x;
    unsigned sum = jit_copy(j, len, x86_reg(z));
    unsigned p = jit_temp(j), t = jit_temp(j), lost = jit_temp(j);
    x86_vop(a, X86_FMADD231PS, len, sum, y, x86_reg(x), 0);
    x86_vop(a, X86_MULPS, len, p, y, x86_reg(x), 0);
    x86_vop(a, X86_SUBPS, len, t, sum, x86_reg(p), 0);
    x86_vop(a, X86_SUBPS, len, lost, sum, x86_reg(t), 0);
    x86_vop(a, X86_SUBPS, len, lost, p, x86_reg(lost), 0);
    x86_vop(a, X86_SUBPS, len, t, z, x86_reg(t), 0);
    x86_vop(a, X86_ADDPS, len, lost, lost, x86_reg(t), 0);
    /* t := one up or down, where anything is lost and the sum is even */
    x86_vop(a, X86_PXOR, len, t, lost, x86_reg(sum), 0);
    x86_vop_imm(a, X86_PSHIFTD_IMM, len, 4, t, x86_reg(t), 0, 31);
    x86_vop(a, X86_POR, len, t, t, jit_dword(j, 1), 0);
    x86_vop(a, X86_PXOR, 0, p, p, x86_reg(p), 0);
    x86_vop_imm(a, X86_CMPPS, len, lost, lost, x86_reg(p), 0, JIT_PRED_NE);
    x86_vop(a, X86_PAND, len, t, t, x86_reg(lost), 0);
    x86_vop(a, X86_PAND, len, p, sum, jit_dword(j, 1), 0);
    x86_vop(a, X86_PSUBD, len, p, p, jit_dword(j, 1), 0);
    x86_vop(a, X86_PAND, len, t, t, x86_reg(p), 0);
    x86_vop(a, X86_PADDD, len, t, t, x86_reg(sum), 0);
    return t;
}

unsigned
jit_half_fused(struct jit *j, unsigned len, struct x86_rm x, struct x86_rm y,
               struct x86_rm z)
{
    unsigned rx = jit_in_reg(j, x, len), ry = jit_in_reg(j, y, len);
    unsigned rz = jit_in_reg(j, z, len);
    j->needs_nearest = true;
    return j->evex ? fuse_evex(j, len, rx, ry, rz)
                   : fuse_vex(j, len, rx, ry, rz);
}

/* ---- moves ---- */

bool
jit_moves_halves(const struct eu_insn *insn)
{
    return (insn->opcode == EU_OP_MOV || insn->opcode == EU_OP_SEL) &&
           !insn->saturate && eu_is_all_half(insn, true);
}

static unsigned
modified(struct jit *j, const struct eu_operand *o, unsigned len, unsigned r)
{
    enum x86_vop op = !o->abs ? X86_PXOR : o->negate ? X86_POR : X86_PAND;
    uint32_t bits = o->negate ? 0x80008000 : 0x7fff7fff;
    if (!o->abs && !o->negate)
        return r;
    unsigned d = jit_temp(j);
    x86_vop(&j->x, op, len, d, r, jit_dword(j, bits), 0);
    return d;
}

/* d := lanes of the mask of a, others of b */
static unsigned
blend(struct jit *j, unsigned len, unsigned mask, unsigned a, unsigned b)
{
    unsigned d = jit_temp(j), words;
    if (j->evex) {
        x86_vop(&j->x, X86_MOVAPS, len, d, 0, x86_reg(b), 0);
        x86_vop(&j->x, X86_MOVDQU16_ST, len, a, 0, x86_reg(d), mask);
        return d;
    }
    words = jit_temp(j);
    jit_pack_words_vex(j, X86_PACKSSDW, words, mask);
    x86_vop_imm(&j->x, X86_BLENDVB, len, d, b, x86_reg(a), 0,
                (uint8_t)(words << 4));
    return d;
}

static unsigned
select(struct jit *j, const struct eu_op *op, const struct jit_part *p,
       unsigned a, unsigned b)
{
    unsigned cmod = op->insn->cmod, len = half_len(p->len);
    if (!cmod) {
        struct jit_mask m = jit_op_pred(j, op, p);
        if (m.all)
            return jit_owned(j, len, x86_reg(a));
        return blend(j, len, m.k, m.inverted ? b : a, m.inverted ? a : b);
    }
    unsigned fa = jit_in_reg(j, jit_src_float(j, op, 0, p), p->len);
    unsigned fb = jit_in_reg(j, jit_src_float(j, op, 1, p), p->len);
    bool is_min = cmod == EU_CMOD_L || cmod == EU_CMOD_LE;
    return blend(j, len, jit_first_wins(j, p->len, fa, fb, is_min), a, b);
}

unsigned
jit_move_halves(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    const struct eu_insn *insn = op->insn;
    unsigned len = half_len(p->len), r[2] = {0};
    for (unsigned s = 0; s < insn->src_count; s++)
        r[s] = modified(j, &insn->src[s], len, read_halves(j, op, s, p));
    if (insn->opcode == EU_OP_SEL)
        return select(j, op, p, r[0], r[1]);
    return jit_owned(j, len, x86_reg(r[0]));
}
