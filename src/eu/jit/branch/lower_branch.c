/* lower_branch.c: branches, and exits from compiled code.
 *
 * Native branches move channels in compiled code; the interpreter's functions
 * do it for the others. The unmasked variant continues while every channel is
 * on, otherwise the masked one. */
#include "eu/jit/branch/branch.h"

#include "eu/jit/analysis/analysis.h"
#include "eu/jit/jit_code.h"
#include "eu/jit/operand/operand.h"
#include "eu/jit/x86/encode_gpr.h"

#include <stdlib.h>

#define MASK_AT offsetof(struct eu_thread, mask)
#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))

void
jit_call_op(struct jit *j, const struct eu_op *op)
{
    bool counts = (j->f->flags & EU_JIT_LANES) && eu_parts_channels(op->insn);
    eu_op_fn fn = jit_is_send(op) ? op->fn
                  : counts        ? eu_op_counted_branch
                                  : eu_op_interpreted;
    x86_vzeroupper(&j->x);
    x86_mov_reg(&j->x, X86_RDI, X86_RBX);
    x86_mov_imm(&j->x, X86_RSI, (uintptr_t)jit_lasting_op(j, op));
    x86_call(&j->x, (const void *)fn);
    jit_forget(j);
}

/* Continues at op, in the variant that fits the mask. */
static void
continue_at(struct jit *j, uint32_t op)
{
    if (j->f->unmasked) {
        x86_load(&j->x, X86_RCX, MASK_AT, 4);
        x86_alu_imm(&j->x, X86_AND, X86_RCX, j->f->required_mask, false);
        x86_alu_imm(&j->x, X86_CMP, X86_RCX, j->f->required_mask, false);
        jit_jump_to(j, X86_CC_E, op, false);
    }
    jit_jump_to(j, X86_ALWAYS, op, true);
}

static void
called_branch(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    /* The interpreter returns ops of its own. */
    const struct eu_op *there = j->f->origin->ops;
    uint32_t next = index + 1, skip;
    uint32_t target[2] = {index + (uint32_t)op->jip, index + (uint32_t)op->uip};
    bool two = op->insn->opcode == EU_OP_GOTO;
    jit_call_op(j, op);
    x86_mov_imm(&j->x, X86_RCX, (uintptr_t)&there[next]);
    x86_alu_reg(&j->x, X86_CMP, X86_RAX, X86_RCX, true);
    skip = x86_jump(&j->x, X86_CC_NE);
    continue_at(j, next);
    x86_patch(&j->x, skip, j->x.size);
    if (two) {
        x86_mov_imm(&j->x, X86_RCX, (uintptr_t)&there[target[0]]);
        x86_alu_reg(&j->x, X86_CMP, X86_RAX, X86_RCX, true);
        skip = x86_jump(&j->x, X86_CC_NE);
        continue_at(j, target[0]);
        x86_patch(&j->x, skip, j->x.size);
    }
    continue_at(j, target[two]);
}

/* ---- while every channel is on ---- */

/* Unmasked variant: the branch's channels; all thread channels if they equal
 * the mask. */
static uint32_t
op_channels(const struct eu_op *op)
{
    return op->full << op->chan;
}

/* Jumps unless the predicate is true in all channels, or in none. */
static uint32_t
test_pred(struct jit *j, const struct eu_op *op, bool in_all)
{
    struct x86 *x = &j->x;
    bool no_flag = in_all == op->pred_inv;
    unsigned kept = jit_flags_kept(j, op);
    if (kept) {
        x86_kortest(x, kept, kept);
        return x86_jump(x, no_flag ? X86_CC_NE : X86_CC_AE);
    }
    jit_load_flags(j, op, X86_RAX);
    x86_alu_imm(x, X86_AND, X86_RAX, op->full, false);
    if (!no_flag)
        x86_alu_imm(x, X86_CMP, X86_RAX, op->full, false);
    return x86_jump(x, X86_CC_NE);
}

/* Jumps unless the op's channels are all active channels or, with independent
 * lanes, a superset. */
static uint32_t
test_channels(struct jit *j, const struct eu_op *op)
{
    if (j->f->in.lane_independent) {
        x86_load(&j->x, X86_RCX, MASK_AT, 4);
        x86_alu_imm(&j->x, X86_AND, X86_RCX, ~op_channels(op), false);
    } else {
        x86_alu_mem_imm(&j->x, X86_CMP, MASK_AT, op_channels(op));
    }
    return x86_jump(&j->x, X86_CC_NE);
}

/* Whether it is a predicated branch with all channels on. */
static bool
is_plain_branch(const struct jit *j, const struct eu_op *op)
{
    return j->f->unmasked && !op->no_mask && op->pred == 1;
}

static void
defer_code(struct jit *j, uint32_t at, uint32_t op)
{
    if (jit_grow(j, (void **)&j->out_of_line, &j->out_of_line_capacity,
                 j->out_of_line_count + 1, sizeof *j->out_of_line))
        j->out_of_line[j->out_of_line_count++] = (struct jit_out_of_line){
            jit_jump_from(j, at, op), j->x.size};
}

static void
native_while(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    struct x86 *x = &j->x;
    uint32_t head = index + (uint32_t)op->jip;
    if (j->f->unmasked && !op->no_mask && op->pred < 2) {
        uint32_t other = test_channels(j, op), some = 0;
        if (op->pred)
            some = test_pred(j, op, true);
        jit_jump_to(j, X86_ALWAYS, head, false);
        x86_patch(x, other, x->size);
        if (op->pred)
            x86_patch(x, some, x->size);
    }
    jit_load_taken(j, op);
    x86_test(x, X86_RAX);
    jit_jump_to(j, X86_CC_E, index + 1, !j->f->unmasked);
    x86_load(x, X86_RDX, MASK_AT, 4);
    x86_alu_reg(x, X86_XOR, X86_RDX, X86_RAX, false);
    jit_jump_to(j, X86_CC_E, head, !j->f->unmasked);
    jit_park(j, op, op->next_B);
    jit_jump_to(j, X86_ALWAYS, head, true);
}

/* Where the diverging channels wait. */
static uint32_t
place_of(const struct eu_op *op)
{
    return op->insn->opcode == EU_OP_IF ? op->jip_B : op->uip_B;
}

/* Parks the diverging channels, in edx. */
static void
part_channels(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    jit_park(j, op, place_of(op));
    x86_alu_mem_imm(&j->x, X86_CMP, MASK_AT, 0);
    jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, true);
    jit_jump_to(j, X86_ALWAYS, index + 1, true);
}

/* eax := the channels that take the branch, edx := the channels that diverge;
 * sets the CPU's flags by edx. */
static void
find_parting(struct jit *j, const struct eu_op *op)
{
    struct x86 *x = &j->x;
    jit_load_taken(j, op);
    x86_mov_reg(x, X86_RDX, X86_RAX);
    if (op->insn->opcode == EU_OP_IF || op->insn->opcode == EU_OP_GOTO)
        x86_alu_reg(x, X86_XOR, X86_RDX, X86_RCX, false);
    else
        x86_alu_imm(x, X86_CMP, X86_RDX, 0, false);
}

/* Out of line: some or all channels diverge. */
static void
out_of_line_branch(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    struct x86 *x = &j->x;
    bool is_if = op->insn->opcode == EU_OP_IF;
    if (jit_counts(j, index, 1))
        jit_counter_flags(j, op);
    find_parting(j, op);
    if (is_if ? jit_stays_together(j->f, index + (uint32_t)op->jip)
              : jit_leaves_loop(j->f, index)) {
        x86_gop(x, X86_G_CMP, false, X86_RDX, x86_g_thread(MASK_AT));
        uint32_t some = x86_jump(x, X86_CC_NE);
        uint32_t other = test_channels(j, op);
        if (!is_if) { /* the skipped WHILE counts as an instruction */
            x86_alu_imm(x, X86_SUB, X86_R12, 1, true);
            jit_count_skipped(j, index + (uint32_t)op->jip);
        }
        jit_jump_to(j, X86_ALWAYS,
                    is_if ? index + (uint32_t)op->jip : jit_place_op(j->f, op),
                    false);
        x86_patch(x, some, x->size);
        x86_patch(x, other, x->size);
    }
    part_channels(j, index);
}

static void
native_branch(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    struct x86 *x = &j->x;
    bool is_if = op->insn->opcode == EU_OP_IF;
    if (is_plain_branch(j, op) && op->insn->opcode != EU_OP_GOTO &&
        (!j->loop || j->loop == jit_loop_at(j, index + 1))) {
        defer_code(j,
                   jit_counts(j, index, 1) ? jit_test_counter(j)
                                           : test_pred(j, op, is_if),
                   index);
        return; /* on to the next op */
    }
    find_parting(j, op);
    /* A thread without channels has none to park, but must not continue. */
    if (j->f->unmasked) {
        jit_jump_to(j, X86_CC_E, index + 1, false);
        part_channels(j, index);
        return;
    }
    defer_code(j, x86_jump(x, X86_CC_NE), index);
    x86_alu_mem_imm(x, X86_CMP, MASK_AT, 0);
    jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, true);
    if (j->loop && j->loop != jit_loop_at(j, index + 1))
        jit_jump_to(j, X86_ALWAYS, index + 1, true);
}

static void
native_jump(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    jit_pred_bits(j, op, X86_RAX);
    if (j->f->flags & EU_JIT_LANES) {
        x86_alu_imm(&j->x, X86_AND, X86_RAX, 1, false);
        x86_mov_imm(&j->x, X86_RCX, 1);
        jit_count_taken(j, op);
    }
    x86_alu_imm(&j->x, X86_AND, X86_RAX, 1, false);
    jit_jump_to(j, X86_CC_E, index + 1, !j->f->unmasked);
    jit_jump_to(j, X86_ALWAYS, index + (uint32_t)op->jip, !j->f->unmasked);
}

static void
native_else(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    struct x86 *x = &j->x;
    if (j->f->unmasked && !op->no_mask && !op->insn->branch_ctrl &&
        jit_stays_together(j->f, index + (uint32_t)op->jip)) {
        /* No channel waits to replace the parked ones. */
        uint32_t other = test_channels(j, op);
        x86_alu_mem_imm(x, X86_CMP, offsetof(struct eu_thread, live),
                        UINT32_MAX);
        jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, false);
        x86_patch(x, other, x->size);
    }
    x86_load(x, X86_RDX, MASK_AT, 4);
    x86_alu_imm(x, X86_AND, X86_RDX, op->full << op->chan, false);
    uint32_t none = x86_jump(x, X86_CC_E);
    jit_park(j, op, op->insn->branch_ctrl ? op->uip_B : op->jip_B);
    x86_patch(x, none, x->size);
    /* Channels that failed the IF wait after this instruction. */
    jit_wake(j, op->next_B);
    x86_alu_mem_imm(x, X86_CMP, MASK_AT, 0);
    jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, true);
    continue_at(j, index + 1);
}

bool
jit_wait_is_native(const struct eu_op *op)
{
    const struct eu_operand *o = &op->insn->src[0];
    return op->fn == eu_op_wait && o->file == EU_FILE_ARF &&
           (o->reg & 0xf0) == EU_ARF_N && o->subreg_B / 4 <= 2;
}

/* Returns from compiled code until the thread is notified, then continues
 * here. */
void
jit_lower_wait(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    unsigned n = op->insn->src[0].subreg_B / 4;
    bool joins = index && j->f->k->ops[index - 1].fn == eu_op_join;
    struct x86 *x = &j->x;
    size_t at = offsetof(struct eu_thread, n0) + n * 4;
    jit_flush(j, &j->f->live[!j->f->unmasked][index]);
    uint32_t again = x->size;
    x86_alu_mem_imm(x, X86_CMP, at, 0);
    uint32_t go = x86_jump(x, X86_CC_NE);
    x86_lea_code(x, X86_RAX, again);
    x86_store(x, X86_RAX, offsetof(struct eu_thread, waits_at), 8);
    x86_store_imm(x, offsetof(struct eu_thread, status), EU_WAITING);
    x86_store_imm(x, offsetof(struct eu_thread, ip), op->ip);
    x86_vzeroupper(x);
    jit_leave(j);
    x86_patch(x, go, x->size);
    x86_alu_mem_imm(x, X86_SUB, at, 1);
    jit_count_block(j, index - joins);
}

/* The next entry finds the interpreter's op through the thread's ip. */
static void
dynamic_branch(struct jit *j, const struct eu_op *op)
{
    jit_call_op(j, op);
    x86_test(&j->x, X86_RAX);
    jit_return(j, X86_CC_E);
    x86_load_from_rax(&j->x, X86_RCX, offsetof(struct eu_op, ip));
    x86_store(&j->x, X86_RCX, offsetof(struct eu_thread, ip), 4);
    jit_return(j, X86_ALWAYS);
}

void
jit_lower_branch(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    jit_end_block(j, &j->f->live[!j->f->unmasked][index]);
    if (jit_lower_guarded(j, index))
        return;
    if (op->fn == eu_op_link) {
        jit_jump_to(j, X86_ALWAYS, index + (uint32_t)op->jip, !j->f->unmasked);
        return;
    }
    switch (op->fn == eu_op_bad ? EU_OP_RET : op->insn->opcode) {
    case EU_OP_JMPI:
        if (op->insn->src_count)
            dynamic_branch(j, op);
        else if (op->pred)
            native_jump(j, index);
        else
            jit_jump_to(j, X86_ALWAYS, index + (uint32_t)op->jip,
                        !j->f->unmasked);
        break;
    case EU_OP_ENDIF:
    case EU_OP_JOIN:
        /* A no-op while a channel is on. */
        if (!j->f->unmasked) {
            x86_alu_mem_imm(&j->x, X86_CMP, MASK_AT, 0);
            jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, true);
        }
        break;
    case EU_OP_ELSE: native_else(j, index); break;
    case EU_OP_IF:
    case EU_OP_WHILE:
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT:
    case EU_OP_GOTO:
        if (!jit_branch_is_native(op))
            called_branch(j, index);
        else if (op->insn->opcode == EU_OP_WHILE)
            native_while(j, index);
        else
            native_branch(j, index);
        break;
    default: dynamic_branch(j, op); break;
    }
    jit_forget(j);
}

void
jit_lower_join(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    if (j->f->unmasked && (j->f->start[index] & JIT_GUARDED))
        return; /* no channel waits */
    x86_alu_mem_imm(&j->x, X86_CMP, offsetof(struct eu_thread, live),
                    UINT32_MAX);
    if (j->f->unmasked) {
        defer_code(j, x86_jump(&j->x, X86_CC_NE), index);
        return;
    }
    uint32_t skip = x86_jump(&j->x, X86_CC_E);
    jit_wake(j, op->ip);
    x86_patch(&j->x, skip, j->x.size);
    if (j->other->if_converted || /* its only entry is at its beginning */
        (j->other->places->start[index] & JIT_GUARDED))
        return;
    x86_load(&j->x, X86_RCX, MASK_AT, 4);
    x86_alu_imm(&j->x, X86_AND, X86_RCX, j->f->required_mask, false);
    x86_alu_imm(&j->x, X86_CMP, X86_RCX, j->f->required_mask, false);
    jit_cross(j, x86_jump(&j->x, X86_CC_E), index);
}

void
jit_lower_out_of_line(struct jit *j)
{
    jit_forget(j);
    for (uint32_t i = 0; i < j->out_of_line_count; i++) {
        const struct jit_out_of_line *c = &j->out_of_line[i];
        const struct eu_op *op = &j->f->k->ops[c->jump.op];
        j->here = c->jump.op;
        j->loop = c->jump.loop ? &j->loops[c->jump.loop - 1] : NULL;
        x86_patch(&j->x, c->jump.at, j->x.size);
        if (j->f->unmasked && op->fn != eu_op_join) {
            out_of_line_branch(j, c->jump.op);
            continue;
        }
        if (op->fn == eu_op_join)
            jit_wake(j, op->ip);
        else
            jit_park(j, op, place_of(op));
        x86_patch(&j->x, x86_jump(&j->x, X86_ALWAYS), c->back);
    }
}

/* Jumps if all channels leave. PEXTRD takes two micro-ops, but neither competes
 * with multiplications, as MOVD does. */
uint32_t
jit_test_counter(struct jit *j)
{
    const struct jit_counter *c = &j->loop->counter;
    struct x86 *x = &j->x;
    unsigned piece_B = MIN2(c->len_B, j->f->max_lanes * 4);
    int r = jit_find(j, JIT_GRF, c->off_B, piece_B);
    if (r >= 0) {
        x86_vop_imm(x, X86_PEXTRD, 0, (unsigned)r, 0, x86_reg(X86_RAX), 0, 0);
    } else {
        jit_sync(j, c->off_B, 4);
        x86_load(x, X86_RAX, GRF_AT(c->off_B), 4);
    }
    if (c->limit_in_grf) {
        jit_sync(j, c->limit, 4);
        x86_gop(x, X86_G_CMP, false, X86_RAX, x86_g_thread(GRF_AT(c->limit)));
    } else {
        x86_alu_imm(x, X86_CMP, X86_RAX, c->limit, false);
    }
    return x86_jump(x, c->cc);
}

/* Writes the flags of the counter's comparison. */
void
jit_counter_flags(struct jit *j, const struct eu_op *op)
{
    size_t at = offsetof(struct eu_thread, f) + op->flag_reg * 4u;
    x86_mov_imm(&j->x, X86_RAX, op->full);
    x86_store(&j->x, X86_RAX, at + op->flag_shift / 8, op->lanes / 8u);
}
