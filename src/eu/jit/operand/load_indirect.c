/* load_indirect.c: operands whose place an address register gives.
 *
 * The register file is memory: such a source is a gather. An address outside of
 * the register file ends the thread with an error, as in the interpreter; lanes
 * that are off have any address. KBL PRM vol 7 "Execution Environment",
 * "Indirect addressing". */
#include "eu/jit/operand/operand.h"

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define K_LANES 5u /* of the gather */

/* ---- sources ---- */

bool
jit_indirect_ok(const struct jit *j, const struct eu_op *op, unsigned s)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *o = &insn->src[s];
    return insn->opcode == EU_OP_MOV && op->slow == eu_op_general &&
           !j->guard && j->f->threads == 1 && op->lanes >= 8 &&
           o->vstride == EU_VSTRIDE_VXH && o->width == 1 &&
           o->addr_subreg + op->lanes <= 16u;
}

/* A position of each lane, modulo 64 KiB. */
static unsigned
find_places(struct jit *j, const struct eu_operand *o, const struct jit_part *p)
{
    struct x86 *x = &j->x;
    unsigned at = jit_temp(j);
    x86_vop(x, X86_PMOVZXWD, p->len, at, 0,
            x86_thread(THREAD_AT(a0) + (o->addr_subreg + p->first) * 2u), 0);
    if (o->addr_imm_B) {
        struct x86_rm imm = jit_dword(j, (uint32_t)(int32_t)o->addr_imm_B);
        x86_vop(x, X86_PADDD, p->len, at, at, imm, 0);
        x86_vop(x, X86_PAND, p->len, at, at, jit_dword(j, 0xffff), 0);
    }
    return at;
}

/* Tests the lanes that are on, and returns their mask for the gather. */
static unsigned
check_places(struct jit *j, uint32_t op, const struct jit_part *p, unsigned at,
             unsigned last_B)
{
    struct x86 *x = &j->x;
    struct x86_rm last = jit_dword(j, last_B);
    if (j->f->evex) {
        unsigned k = p->mask.all ? 0 : p->mask.k;
        x86_vop_imm(x, X86_PCMPUD, p->len, K_LANES, at, last, k, 6);
        x86_kortest(x, K_LANES, K_LANES);
        jit_fail_outside(j, X86_CC_NE, op, op);
        if (k)
            x86_kop(x, X86_KOR, K_LANES, k, k);
        else
            x86_kop(x, X86_KXNOR, K_LANES, K_LANES, K_LANES);
        return K_LANES;
    }
    unsigned t = jit_temp(j);
    x86_vop(x, X86_PCMPGTD, p->len, t, at, last, 0);
    if (!p->mask.all)
        x86_vop(x, X86_PAND, p->len, t, t, x86_reg(p->mask.k), 0);
    x86_vop(x, X86_PTEST, p->len, t, 0, x86_reg(t), 0);
    jit_fail_outside(j, X86_CC_NE, op, op);
    if (p->mask.all)
        x86_vop(x, X86_PCMPEQD, p->len, t, t, x86_reg(t), 0);
    else
        x86_vop(x, X86_MOVAPS, p->len, t, 0, x86_reg(p->mask.k), 0);
    return t;
}

unsigned
jit_read_indirect(struct jit *j, const struct eu_op *op, unsigned s,
                  const struct jit_part *p)
{
    const struct eu_operand *o = &op->insn->src[s];
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    /* A narrow element at the end is read with bytes that follow. */
    static_assert(THREAD_AT(grf) + EU_GRF_FILE_B + 4 <=
                      sizeof(struct eu_thread),
                  "the register file is not last");
    jit_sync(j, 0, EU_GRF_FILE_B);
    unsigned at = find_places(j, o, p);
    unsigned mask = check_places(j, (uint32_t)(op - j->f->k->ops), p, at,
                                 EU_GRF_FILE_B - size_B);
    unsigned d = jit_temp(j);
    x86_gather(&j->x, p->len, d, at, THREAD_AT(grf), mask);
    return d;
}

/* ---- destinations ---- */

bool
jit_writes_addresses(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *o = &insn->dst;
    return o->file == EU_FILE_ARF && (o->reg & 0xf0) == EU_ARF_A &&
           (o->type == EU_TYPE_UW || o->type == EU_TYPE_W) && o->hstride == 1 &&
           !insn->align16 && !insn->cmod && op->slow == eu_op_general &&
           op->lanes >= 8 && o->subreg_B + op->lanes * 2u <= 32;
}

void
jit_store_addresses(struct jit *j, const struct eu_op *op,
                    const struct jit_part *p, unsigned reg)
{
    size_t at = THREAD_AT(a0) + op->insn->dst.subreg_B + p->first * 2;
    struct x86_rm place = x86_thread(at);
    if (j->f->evex)
        x86_vop(&j->x, X86_PMOVDW, p->len, reg, 0, place,
                p->mask.all ? 0 : p->mask.k);
    else
        jit_store_words_at_vex(j, p, reg, place);
}

/* ---- errors ---- */

void
jit_fail_outside(struct jit *j, enum x86_cc cc, uint32_t op, uint32_t last)
{
    uint32_t at = x86_jump(&j->x, cc);
    if (jit_grow(j, (void **)&j->outside, &j->outside_capacity,
                 j->outside_count + 1, sizeof *j->outside))
        j->outside[j->outside_count++] = (struct jit_outside){at, op, last};
}

/* Runs the ops before the error. */
static const struct eu_op *
op_outside(struct eu_thread *t, const struct eu_op *op, uint32_t more)
{
    for (; more; more--)
        if (!(op = op->slow(t, op)))
            return NULL;
    return eu_fail(t, op, "operand outside the registers");
}

void
jit_outside_errors(struct jit *j)
{
    struct x86 *x = &j->x;
    for (uint32_t i = 0; i < j->outside_count; i++) {
        const struct jit_outside *o = &j->outside[i];
        x86_patch(x, o->at, x->size);
        if (i + 1 < j->outside_count && o[1].op == o->op &&
            o[1].last == o->last)
            continue;
        x86_vzeroupper(x);
        x86_mov_reg(x, X86_RDI, X86_RBX);
        x86_mov_imm(x, X86_RSI,
                    (uintptr_t)jit_lasting_op(j, &j->f->k->ops[o->op]));
        x86_mov_imm(x, X86_RDX, o->last - o->op);
        x86_call(x, (const void *)op_outside);
        jit_return(j, X86_ALWAYS);
    }
}
