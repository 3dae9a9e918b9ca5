/* counted_loops.c: counted loops: a vector counts up to a limit.
 *
 * mov v 0; loop: cmp.ge f v 128; (f) break; ...; add v v 1; while
 *
 * The limit may also be a dword in the GRF, if the loop does not change it.
 * While all channels are on, all lanes of v are equal: the first lane, in a
 * general register, decides whether all channels leave. No other op in the loop
 * reads the flags, so compiled code writes them only on exit.
 *
 * Channels may also leave after other comparisons that write these flags. The
 * channels that stay continue in the masked variant, which never branches back
 * into the loop. */
#include "eu/jit/analysis/analysis.h"

static bool
is_int(const struct eu_operand *o)
{
    return o->type == EU_TYPE_D || o->type == EU_TYPE_UD;
}

static bool
is_whole(const struct eu_op *op)
{
    return op->fn != op->slow && op->slow == eu_op_general && !op->pred &&
           !(op->post & ~EU_POST_NULL & ~EU_POST_CMOD);
}

/* op v v imm, or mov v imm, all of v */
static bool
sets_counter(const struct eu_op *op, unsigned opcode,
             const struct jit_counter *c)
{
    return op->insn->opcode == opcode && is_whole(op) && !op->post &&
           is_int(&op->insn->dst) && is_int(&op->insn->src[0]) &&
           op->dst_off_B == c->off_B && op->lanes * 4 == c->len_B;
}

static bool
is_start(const struct eu_op *op, const struct jit_counter *c)
{
    return sets_counter(op, EU_OP_MOV, c) &&
           (op->src[0].cls == EU_SRC_IMM || op->src[0].cls == EU_SRC_SCALAR);
}

static bool
is_step(const struct eu_op *op, const struct jit_counter *c)
{
    return sets_counter(op, EU_OP_ADD, c) && is_int(&op->insn->src[1]) &&
           op->src[0].cls == EU_SRC_VEC && op->src[0].off_B == c->off_B &&
           op->src[1].cls == EU_SRC_IMM;
}

static bool
reads_flags(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    bool flags = op->pred || op->cmod || insn->pred_ctrl;
    for (unsigned i = 0; i < insn->src_count; i++)
        flags |= insn->src[i].file == EU_FILE_ARF;
    return flags || (insn->dst.file == EU_FILE_ARF && insn->dst.reg);
}

/* Whether the op certainly does not write the vector. */
static bool
leaves_alone(const struct jit_facts *f, uint32_t i, unsigned off_B,
             unsigned len_B)
{
    const struct eu_op *op = &f->k->ops[i];
    struct jit_moved m;
    unsigned from_B = op->dst_off_B, size_B = op->lanes * 4u;
    if (op->insn->dst.indirect ||
        (jit_is_send(op) && !(f->start[i] & JIT_MEMORY)) ||
        (op->insn->opcode == EU_OP_MATH && op->insn->dst.type != EU_TYPE_F))
        return false;
    if (f->start[i] & JIT_MEMORY) {
        jit_memory_moves(op, &m);
        for (unsigned n = 0; n < m.count; n++)
            if (m.part[n].written && m.part[n].off_B < off_B + len_B &&
                off_B < m.part[n].off_B + m.part[n].len_B)
                return false;
        return true;
    }
    if (!jit_set_has(&f->regs[i].all, off_B, len_B))
        return true;
    return is_whole(op) &&
           ((op->post & EU_POST_NULL) || from_B >= off_B + len_B ||
            from_B + size_B <= off_B);
}

static bool
spares_counter(const struct jit_facts *f, uint32_t i,
               const struct jit_counter *c)
{
    return leaves_alone(f, i, c->off_B, c->len_B);
}

static bool
spares_limit(const struct jit_facts *f, uint32_t i, const struct jit_counter *c)
{
    return !c->limit_in_grf || leaves_alone(f, i, c->limit, 4);
}

/* False: not a limit. */
static bool
find_limit(const struct eu_op_src *src, struct jit_counter *c)
{
    bool scalar = src->cls == EU_SRC_SCALAR;
    c->limit_in_grf = scalar;
    c->limit = scalar ? src->off_B : src->imm;
    return src->cls == EU_SRC_IMM ||
           (scalar && src->and_mask == UINT32_MAX && !src->xor_mask);
}

/* A BREAK of the channels for which the comparison held, or did not. */
static bool
is_way_out(const struct eu_op *out, const struct eu_op *cmp)
{
    return out->insn->opcode == EU_OP_BREAK && out->pred == 1 &&
           !out->no_mask && jit_flow_is_native(out) &&
           out->lanes == cmp->lanes && out->chan == cmp->chan &&
           out->flag_shift % 8 == 0 && out->flag_reg == cmp->flag_reg &&
           out->flag_shift == cmp->flag_shift;
}

enum x86_cc
jit_int_condition(unsigned cmod, bool is_unsigned)
{
    static const enum x86_cc conditions[2][16] = {
        {[EU_CMOD_Z] = X86_CC_E,
         [EU_CMOD_NZ] = X86_CC_NE,
         [EU_CMOD_G] = X86_CC_G,
         [EU_CMOD_GE] = X86_CC_GE,
         [EU_CMOD_L] = X86_CC_L,
         [EU_CMOD_LE] = X86_CC_LE},
        {[EU_CMOD_Z] = X86_CC_E,
         [EU_CMOD_NZ] = X86_CC_NE,
         [EU_CMOD_G] = X86_CC_A,
         [EU_CMOD_GE] = X86_CC_AE,
         [EU_CMOD_L] = X86_CC_B,
         [EU_CMOD_LE] = X86_CC_BE},
    };
    return conditions[is_unsigned][cmod & 15];
}

/* Checks the loop's first two ops. */
static bool
find_end(const struct jit_facts *f, const struct jit_loop *l,
         struct jit_counter *c)
{
    const struct eu_op *cmp = &f->k->ops[l->head], *out = cmp + 1;
    const struct eu_insn *insn = cmp->insn;
    if (insn->opcode != EU_OP_CMP || !is_whole(cmp) || cmp->no_mask ||
        !(cmp->post & EU_POST_NULL) || cmp->src[0].cls != EU_SRC_VEC ||
        !find_limit(&cmp->src[1], c) || !is_int(&insn->src[0]) ||
        insn->src[0].type != insn->src[1].type || !jit_masks_fit(cmp))
        return false;
    c->off_B = cmp->src[0].off_B;
    c->len_B = (uint16_t)(cmp->lanes * 4);
    c->cc = jit_int_condition(cmp->cmod, cmp->is_unsigned);
    return c->cc && (cmp->lanes == 8 || cmp->lanes == 16) && !out->pred_inv &&
           is_way_out(out, cmp);
}

static bool
is_inside(const struct jit_loop *l, uint32_t i)
{
    return i - l->head <= l->end - l->head;
}

/* Whether the loop is entered only at its head: from its end or from above. */
static bool
has_one_way_in(const struct jit_facts *f, const struct jit_loop *l)
{
    for (uint32_t i = 0; i < f->k->op_count; i++) {
        const struct eu_op *op = &f->k->ops[i];
        uint32_t to[2] = {i + (uint32_t)op->jip, i + (uint32_t)op->uip};
        if (!(f->start[i] & JIT_FLOW) || i == l->end)
            continue;
        if (to[0] == l->head || to[1] == l->head)
            return false;
        if (!is_inside(l, i) && (is_inside(l, to[0]) || is_inside(l, to[1])))
            return false;
    }
    return !f->has_dynamic && !f->has_modes;
}

/* Whether all lanes of v begin with one value, in the block that leads to the
 * loop. */
static bool
begins_alike(const struct jit_facts *f, const struct jit_loop *l,
             const struct jit_counter *c)
{
    for (uint32_t i = l->head; i-- > 0;) {
        if (f->start[i] & JIT_FLOW)
            return false;
        if (is_start(&f->k->ops[i], c))
            return true;
        if (!spares_counter(f, i, c) || (f->start[i] & JIT_START))
            return false;
    }
    return false;
}

/* Whether the op writes all flags of the loop's first comparison. */
static bool
replaces_flags(const struct eu_op *op, const struct eu_op *cmp)
{
    return op->insn->opcode == EU_OP_CMP && is_whole(op) && !op->no_mask &&
           jit_masks_fit(op) && op->lanes == cmp->lanes &&
           op->chan == cmp->chan && op->flag_reg == cmp->flag_reg &&
           op->flag_shift == cmp->flag_shift;
}

static bool
is_another_way_out(const struct eu_op *op, const struct eu_op *cmp)
{
    return replaces_flags(op - 1, cmp) && is_way_out(op, cmp);
}

void
jit_find_counter(const struct jit_facts *f, struct jit_loop *l)
{
    struct jit_counter c = {.len_B = 0};
    const struct eu_op *cmp = &f->k->ops[l->head];
    unsigned steps = 0;
    if (!f->unmasked || (f->flags & (EU_JIT_SPLIT | EU_JIT_STEP)) ||
        l->head + 3 > l->end || !find_end(f, l, &c) || f->k->ops[l->end].pred ||
        !begins_alike(f, l, &c) || !has_one_way_in(f, l))
        return;
    for (uint32_t i = l->head + 2; i < l->end; i++) {
        const struct eu_op *op = &f->k->ops[i];
        bool step = is_step(op, &c);
        if (is_another_way_out(op, cmp))
            continue;
        if ((f->start[i] & JIT_FLOW) || op->fn == eu_op_join ||
            (reads_flags(op) && !replaces_flags(op, cmp)) ||
            (!step && !spares_counter(f, i, &c)) || !spares_limit(f, i, &c))
            return;
        steps += step;
    }
    if (steps)
        l->counter = c;
}

/* Whether BREAK and WHILE belong to a counted loop. */
static bool
is_counted(const struct jit_facts *f, uint32_t out, uint32_t end)
{
    const struct eu_op *op = &f->k->ops[end];
    struct jit_loop l = {.head = out - 1, .end = end};
    if (op->insn->opcode != EU_OP_WHILE || end + (uint32_t)op->jip != l.head)
        return false;
    jit_find_counter(f, &l);
    return l.counter.len_B;
}

static uint32_t
next_flow(const struct jit_facts *f, uint32_t i)
{
    while (i < f->k->op_count &&
           (!(f->start[i] & JIT_FLOW) || jit_is_unreached(f, i)))
        i++;
    return i;
}

bool
jit_only_counts(const struct jit_facts *f)
{
    uint32_t n = f->k->op_count, out = next_flow(f, 0);
    if (f->has_modes || f->has_dynamic)
        return false;
    while (out < n) {
        uint32_t end = next_flow(f, out + 1);
        if (!out || end >= n || !is_counted(f, out, end))
            return false;
        out = next_flow(f, end + 1);
    }
    return true;
}
