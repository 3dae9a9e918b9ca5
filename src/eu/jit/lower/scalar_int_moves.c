/* scalar_int_moves.c: the lanes of a move, and runs of stores to private
 * arrays.
 *
 * Observed: IGC keeps a private array in registers. A store is an SMOV for each
 * channel, or for bytes a MOV whose predicate it sets to a constant with one
 * bit. */
#include "eu/jit/lower/scalar_int.h"

#include "eu/interp/alu.h"

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define FLAG_DISTANCE 64u /* ops between a flag's constant and its use */
#define LEAST_STORES 3    /* for which a run pays */
#define K_OUTSIDE 5u

/* ---- lanes of a move ---- */

/* Whether the op is a MOV whose result is the source's bits. */
static bool
moves_bits(const struct jit *j, const struct eu_insn *insn)
{
    const struct eu_operand *s = &insn->src[0], *d = &insn->dst;
    return insn->opcode == EU_OP_MOV && s->type == d->type &&
           eu_type_is_float((enum eu_type)d->type) && !insn->saturate &&
           !insn->cmod && !insn->acc_wr && !s->abs && !s->negate &&
           s->file != EU_FILE_ARF && d->file == EU_FILE_GRF &&
           !(j->f->flags & EU_JIT_ALT);
}

/* *mov_op := the MOV of the channels that the SMOV chooses, as in
 * interp/alu.c. */
static bool
choose_lanes(struct scalar_int *l, struct eu_op *mov_op, struct eu_insn *mov)
{
    const struct eu_operand *chosen = &l->op->insn->src[1];
    if (chosen->file != EU_FILE_IMM || l->op->insn->cmod ||
        (chosen->type != EU_TYPE_UW && chosen->type != EU_TYPE_UD))
        return false;
    l->lanes &= chosen->type == EU_TYPE_UW ? (uint16_t)chosen->imm
                                           : (uint32_t)chosen->imm;
    *mov = *l->op->insn;
    mov->opcode = EU_OP_MOV;
    mov->src_count = 1;
    *mov_op = *l->op;
    mov_op->insn = mov;
    l->op = mov_op;
    return true;
}

/* Whether the op sets whole flags, or bits of them, to a constant. */
static bool
sets_constant(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    return op->slow == eu_op_general && insn->opcode == EU_OP_MOV &&
           op->lanes == 1 && op->no_mask && !op->pred && !insn->saturate &&
           insn->src[0].file == EU_FILE_IMM && !insn->src[0].abs &&
           !insn->src[0].negate &&
           (insn->src[0].type == EU_TYPE_UW ||
            insn->src[0].type == EU_TYPE_UD) &&
           (insn->dst.type == EU_TYPE_UW || insn->dst.type == EU_TYPE_UD);
}

static bool
sets_flag(const struct eu_op *op)
{
    const struct eu_operand *d = &op->insn->dst;
    return sets_constant(op) && d->file == EU_FILE_ARF && !d->indirect &&
           (d->reg & 0xf0) == EU_ARF_F;
}

static bool
writes_flag(const struct eu_op *op, unsigned reg)
{
    const struct eu_operand *d = &op->insn->dst;
    if (d->file == EU_FILE_ARF && (d->reg & 0xf0) == EU_ARF_F)
        return (d->reg & 1) <= reg; /* f0 may extend into f1 */
    return op->slow != eu_op_general || eu_begins_macro(op->insn) ||
           (op->insn->cmod && op->flag_reg == reg);
}

/* Follows the predicate to a constant in the same basic block. */
static void
know_predicate(struct scalar_int *l)
{
    const struct eu_op *op = l->op, *ops = l->j->f->k->ops;
    uint32_t i = l->op_index, last = i - MIN2(i, FLAG_DISTANCE);
    /* Some ops are not the kernel's. */
    if (op->pred != 1 || op->insn->cmod || op->insn->opcode == EU_OP_SEL ||
        i < l->j->here || i >= l->j->f->k->op_count)
        return;
    do {
        if ((l->j->f->start[i] & JIT_START) || i == last)
            return;
        i--;
    } while (!writes_flag(&ops[i], op->flag_reg));
    const struct eu_insn *insn = ops[i].insn;
    unsigned size_B = eu_type_size_B((enum eu_type)insn->dst.type);
    unsigned from = insn->dst.subreg_B * 8u, end = from + size_B * 8;
    if (!sets_constant(&ops[i]) || (insn->dst.reg & 1) != op->flag_reg ||
        op->flag_shift < from || op->flag_shift + op->lanes > end)
        return;
    uint32_t bits = (uint32_t)insn->src[0].imm;
    if (insn->src[0].type == EU_TYPE_UW)
        bits = (uint16_t)bits;
    bits = bits >> (op->flag_shift - from);
    l->lanes &= op->pred_inv ? ~bits : bits;
    l->knows_pred = true;
}

bool
scalar_int_choose(struct scalar_int *l, struct eu_op *mov_op,
                  struct eu_insn *mov)
{
    if (l->op->insn->opcode == EU_OP_SMOV && !choose_lanes(l, mov_op, mov))
        return false;
    l->moves_bits = moves_bits(l->j, l->op->insn);
    if (eu_exec_class(l->op->insn) != EXEC_INT && !l->moves_bits)
        return false;
    know_predicate(l);
    return true;
}

/* ---- runs of stores ---- */

/* A store of one element to the place that an address word gives. */
struct private_store {
    unsigned word;
    uint32_t add_B, last_B; /* added to the word; the last place inside */
};

static bool
is_plain_move(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *s = &insn->src[0], *d = &insn->dst;
    bool direct = (s->file == EU_FILE_GRF && !s->indirect) ||
                  s->file == EU_FILE_IMM;
    return op->slow == eu_op_general && op->chan + op->lanes <= 32u &&
           (insn->opcode == EU_OP_MOV || insn->opcode == EU_OP_SMOV) &&
           d->file == EU_FILE_GRF && d->indirect && direct && !insn->saturate &&
           !insn->cmod && !insn->acc_wr && !insn->align16 &&
           (op->no_mask || j->f->unmasked) &&
           /* The interpreter knows the op as it was. */
           j->f->origin->ops[i].pred == op->pred;
}

static bool
find_store(struct jit *j, uint32_t i, struct private_store *store)
{
    struct scalar_int l = {.j = j, .op = &j->f->k->ops[i], .op_index = i};
    const struct eu_operand *d = &l.op->insn->dst;
    struct eu_op mov_op;
    struct eu_insn mov;
    l.lanes = l.op->full;
    if (!is_plain_move(j, i) || !scalar_int_choose(&l, &mov_op, &mov) ||
        (l.op->pred && !l.knows_pred) || !l.lanes || l.lanes & (l.lanes - 1) ||
        (eu_type_is_float((enum eu_type)d->type) && !l.moves_bits))
        return false;
    unsigned size_B = eu_type_size_B((enum eu_type)d->type);
    unsigned lane = (unsigned)__builtin_ctz(l.lanes);
    store->word = d->addr_subreg & 15;
    store->add_B = (uint32_t)d->addr_imm_B + lane * d->hstride * size_B;
    store->last_B = EU_GRF_FILE_B - size_B;
    return true;
}

struct private_run {
    uint32_t last; /* op */
    unsigned stores;
    uint32_t add_B[16], last_B[16]; /* of each address word */
};

/* Stores from op `first` on in the same basic block, and constants of flags
 * between them. Nothing changes an address. */
static void
find_run(struct jit *j, uint32_t first, struct private_run *run)
{
    const struct jit_facts *f = j->f;
    struct private_store s;
    *run = (struct private_run){.last = first};
    memset(run->last_B, 0xff, sizeof run->last_B);
    for (uint32_t i = first; i < f->k->op_count; i++) {
        if (i > first && (f->start[i] & JIT_START))
            return;
        if (i > first && sets_flag(&f->k->ops[i]))
            continue;
        if (!find_store(j, i, &s))
            return;
        bool known = run->last_B[s.word] != UINT32_MAX;
        if (known &&
            (run->add_B[s.word] != s.add_B || run->last_B[s.word] != s.last_B))
            return;
        run->add_B[s.word] = s.add_B;
        run->last_B[s.word] = s.last_B;
        run->last = i;
        run->stores++;
    }
}

static bool
is_in_run(const struct jit *j, uint32_t op)
{
    return j->stores.checked && op > j->stores.first && op <= j->stores.last;
}

void
scalar_int_join_run(struct scalar_int *l)
{
    l->in_run = is_in_run(l->j, l->op_index);
}

/* Scratch memory: place of each address word. */
static void
check_words(struct scalar_int *l, const struct private_run *run, unsigned first,
            unsigned len)
{
    struct jit *j = l->j;
    struct x86 *x = &j->x;
    unsigned at = jit_temp(j), lanes = len * 8;
    struct x86_rm add = x86_const(x, run->add_B + first, lanes);
    struct x86_rm last = x86_const(x, run->last_B + first, lanes);
    x86_vop(x, X86_PMOVZXWD, len, at, 0, x86_thread(THREAD_AT(a0) + first * 2),
            0);
    x86_vop(x, X86_PADDD, len, at, at, add, 0);
    x86_vop(x, X86_PAND, len, at, at, jit_dword(j, 0xffff), 0);
    x86_vop(x, X86_MOVUPS_ST, len, at, 0,
            x86_thread(THREAD_AT(scratch) + first * 4), 0);
    if (j->f->evex) {
        x86_vop_imm(x, X86_PCMPUD, len, K_OUTSIDE, at, last, 0, 6);
        x86_kortest(x, K_OUTSIDE, K_OUTSIDE);
    } else {
        x86_vop(x, X86_PCMPGTD, len, at, at, last, 0);
        x86_vop(x, X86_PTEST, len, at, 0, x86_reg(at), 0);
    }
    jit_fail_outside(j, X86_CC_NE, l->op_index, run->last);
}

void
scalar_int_check_run(struct scalar_int *l)
{
    struct jit *j = l->j;
    struct private_run run;
    if (l->in_run || l->dst.kind != SCALAR_INDIRECT || l->op_index != j->here ||
        j->guard)
        return;
    j->stores.checked = false;
    find_run(j, l->op_index, &run);
    if (run.stores < LEAST_STORES)
        return;
    /* Signed comparisons: unused words have no limit. */
    for (unsigned i = 0; i < 16; i++)
        run.last_B[i] = MIN2(run.last_B[i], (uint32_t)INT32_MAX);
    unsigned len = j->f->evex ? 2 : 1;
    for (unsigned first = 0; first < 16; first += len * 8)
        check_words(l, &run, first, len);
    j->stores.first = l->op_index;
    j->stores.last = run.last;
    l->in_run = true;
}

void
scalar_int_end_run(const struct scalar_int *l)
{
    if (l->in_run && l->op_index == l->j->stores.first)
        l->j->stores.checked = true;
}

/* Whether both set the same bits. */
static bool
sets_same(const struct eu_insn *a, const struct eu_insn *b)
{
    return a->dst.reg == b->dst.reg && a->dst.subreg_B == b->dst.subreg_B &&
           eu_type_size_B((enum eu_type)a->dst.type) ==
               eu_type_size_B((enum eu_type)b->dst.type);
}

bool
scalar_int_skips_constant(const struct scalar_int *l)
{
    const struct eu_op *ops = l->j->f->k->ops;
    uint32_t i = l->op_index, last = l->j->stores.last;
    if (!is_in_run(l->j, i) || !sets_flag(&ops[i]))
        return false;
    while (++i < last)
        if (sets_flag(&ops[i]) && sets_same(ops[i].insn, l->op->insn))
            return true;
    return false;
}
