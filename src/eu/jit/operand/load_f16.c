/* load_f16.c: HF operands. The host's conversions from HF are exact, denormals
 * included. Code with HF does not run while cr0 flushes HF. */
#include "eu/jit/operand/operand.h"

#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))

bool
jit_f16_ok(const struct jit *j, const struct eu_insn *insn)
{
    return !insn->half_pairs && !(j->f->flags & EU_JIT_ALT);
}

/* Packs the low words of dwords; the high words are zero. */
static unsigned
pack_words(struct jit *j, unsigned len, unsigned reg)
{
    unsigned d = jit_temp(j);
    if (j->f->evex)
        x86_vop(&j->x, X86_PMOVDW, len, reg, 0, x86_reg(d), 0);
    else
        jit_pack_words_vex(j, X86_PACKUSDW, d, reg);
    return d;
}

static unsigned
broadcast_word(struct jit *j, unsigned off_B, unsigned len)
{
    jit_sync(j, off_B, 2);
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_PBROADCASTW, len, d, 0, x86_thread(GRF_AT(off_B)), 0);
    return d;
}

/* Instructions with two types have eight lanes: sixteen halves were often
 * written in two stores. The host does not forward two stores to one load. */
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

/* A region's unconverted words; len: of the dwords that they will become. */
static unsigned
read_region(struct jit *j, const struct jit_region *r, const struct jit_part *p,
            unsigned len)
{
    if (r->shape == JIT_SHAPE_VECTOR)
        return read_packed(j, r->off_B, p->lanes * 2);
    if (r->shape == JIT_SHAPE_SCALAR)
        return broadcast_word(j, r->off_B, jit_f16_len(len));
    return pack_words(j, len, jit_read_narrow(j, r, p, JIT_ZERO_EXTENDED));
}

/* A source's unconverted words. */
unsigned
jit_read_f16(struct jit *j, const struct eu_op *op, unsigned s,
             const struct jit_part *p)
{
    const struct eu_operand *o = &op->insn->src[s];
    struct jit_region r;
    if (o->file == EU_FILE_IMM) {
        uint32_t twice = ((uint32_t)o->imm & 0xffff) * 0x10001;
        return jit_in_reg(j, jit_dword(j, twice), jit_f16_len(p->len));
    }
    jit_describe(&r, op->insn, o, p);
    return read_region(j, &r, p, p->len);
}

unsigned
jit_widen_f16(struct jit *j, unsigned len, unsigned halves)
{
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_CVTPH2PS, len, d, 0, x86_reg(halves), 0);
    return d;
}

unsigned
jit_f16_to_float(struct jit *j, const struct eu_op *op, unsigned s,
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
    /* A scalar fills any vector length. */
    unsigned len = scalar ? jit_full_len(j) : p->len;
    unsigned words = read_region(j, &r, p, len);
    unsigned d = jit_widen_f16(j, len, words);
    if (scalar)
        jit_release(j, words);
    if (kept)
        jit_note(j, d, kind, r.off_B, len_B);
    return d;
}
