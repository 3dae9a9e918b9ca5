/* lower_flow.c: branches, and leaving the code.
 *
 * The interpreter's functions move the channels; what is compiled is where to
 * go on: in the full copy while every channel is on, else in the masked one. */
#include "eu/jit/code.h"
#include "eu/jit/x86_gpr.h"

#include <stdlib.h>

#define MASK_AT offsetof(struct eu_thread, mask)

bool
jit_grow(struct jit *j, void **array, uint32_t *capacity, uint32_t need,
         size_t item_B)
{
    bool ok = jit_scratch_grow(j->x.memory, array, capacity, need, item_B);
    j->failed |= !ok;
    return ok;
}

struct jit_jump
jit_jump_from(const struct jit *j, uint32_t at, uint32_t op)
{
    uint32_t loop = j->loop ? (uint32_t)(j->loop - j->loops) + 1 : 0;
    return (struct jit_jump){at, op, j->here, loop};
}

static void
cross(struct jit *j, uint32_t at, uint32_t op)
{
    if (jit_grow(j, (void **)&j->crossings, &j->crossing_capacity,
                 j->crossing_count + 1, sizeof *j->crossings))
        j->crossings[j->crossing_count++] = jit_jump_from(j, at, op);
}

void
jit_jump_to(struct jit *j, enum x86_cc cc, uint32_t op, bool masked)
{
    uint32_t at = x86_jump(&j->x, cc);
    assert(j->full || masked);
    if (j->full && masked) {
        cross(j, at, op);
        return;
    }
    if (jit_grow(j, (void **)&j->jumps, &j->jump_capacity, j->jump_count + 1,
                 sizeof *j->jumps))
        j->jumps[j->jump_count++] = jit_jump_from(j, at, op);
}

void
jit_return(struct jit *j, enum x86_cc cc)
{
    uint32_t at = x86_jump(&j->x, cc);
    if (jit_grow(j, (void **)&j->returns, &j->return_capacity,
                 j->return_count + 1, sizeof *j->returns))
        j->returns[j->return_count++] = at;
}

void
jit_call_op(struct jit *j, const struct eu_op *op)
{
    eu_op_fn fn = jit_is_send(op) ? op->fn : eu_op_interpreted;
    x86_vzeroupper(&j->x);
    x86_mov_reg(&j->x, X86_RDI, X86_RBX);
    x86_mov_imm(&j->x, X86_RSI, (uintptr_t)jit_lasting_op(j, op));
    x86_call(&j->x, (const void *)fn);
    jit_forget(j);
}

/* Goes on at op, in the copy that fits the mask. */
static void
continue_at(struct jit *j, uint32_t op)
{
    if (j->full) {
        x86_load(&j->x, X86_RCX, MASK_AT, 4);
        x86_alu_imm(&j->x, X86_AND, X86_RCX, j->need, false);
        x86_alu_imm(&j->x, X86_CMP, X86_RCX, j->need, false);
        jit_jump_to(j, X86_CC_E, op, false);
    }
    jit_jump_to(j, X86_ALWAYS, op, true);
}

static void
branch(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    uint32_t next = index + 1, skip;
    uint32_t target[2] = {index + (uint32_t)op->jip, index + (uint32_t)op->uip};
    bool two = op->insn->opcode == EU_OP_GOTO;
    jit_call_op(j, op);
    x86_mov_imm(&j->x, X86_RCX, (uintptr_t)(op + 1));
    x86_alu_reg(&j->x, X86_CMP, X86_RAX, X86_RCX, true);
    skip = x86_jump(&j->x, X86_CC_NE);
    continue_at(j, next);
    x86_patch(&j->x, skip, j->x.size);
    if (two) {
        x86_mov_imm(&j->x, X86_RCX, (uintptr_t)&j->k->ops[target[0]]);
        x86_alu_reg(&j->x, X86_CMP, X86_RAX, X86_RCX, true);
        skip = x86_jump(&j->x, X86_CC_NE);
        continue_at(j, target[0]);
        x86_patch(&j->x, skip, j->x.size);
    }
    continue_at(j, target[two]);
}

/* ---- branches without a call ---- */

/* Their channels move without the interpreter. */
static bool
is_native(const struct eu_op *op)
{
    switch (op->insn->opcode) {
    case EU_OP_WHILE:
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT: break;
    case EU_OP_IF:
    case EU_OP_GOTO:
        if (op->insn->branch_ctrl)
            return false;
        break;
    default: return false;
    }
    return op->chan + op->lanes <= 32u &&
           (op->pred != 1 || op->flag_shift + op->lanes <= 32u);
}

bool
jit_flow_is_native(const struct eu_op *op)
{
    switch (op->insn->opcode) {
    case EU_OP_ELSE:
    case EU_OP_ENDIF: return true;
    case EU_OP_GOTO: return false;
    default: return is_native(op);
    }
}

/* ---- while every channel is on ---- */

/* The full copy of a branch of its channels, which are all of the thread's
 * when mask is op_channels(). */
static uint32_t
op_channels(const struct eu_op *op)
{
    return op->full << op->chan;
}

/* Jumps away unless the predicate is true in all channels, or in none. */
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

/* Jumps away unless the op's channels are all that the thread has on, or where
 * lanes keep to themselves, all that may be on. */
static uint32_t
test_channels(struct jit *j, const struct eu_op *op)
{
    if (j->in.apart) {
        x86_load(&j->x, X86_RCX, MASK_AT, 4);
        x86_alu_imm(&j->x, X86_AND, X86_RCX, ~op_channels(op), false);
    } else {
        x86_alu_mem_imm(&j->x, X86_CMP, MASK_AT, op_channels(op));
    }
    return x86_jump(&j->x, X86_CC_NE);
}

/* The predicate of a branch whose channels are all on. */
static bool
is_plain_branch(const struct jit *j, const struct eu_op *op)
{
    return j->full && !op->no_mask && op->pred == 1;
}

/* Where channels wait that left a loop; behind the last op: not in the kernel.
 */
static uint32_t
place_op(const struct jit *j, const struct eu_op *op)
{
    const struct eu_kernel *k = j->k;
    return op->uip_B / 8 < k->size_B / 8 ? k->op_of[op->uip_B / 8] : EU_NO_OP;
}

/* Channels that all go there, where they would wait for each other, need not
 * part for it. One step at a time this can be seen. */
static bool
stays_together(const struct jit *j, uint32_t to)
{
    return to < j->k->op_count && j->k->ops[to].fn == eu_op_join &&
           !(j->flags & EU_JIT_STEP);
}

static void
defer(struct jit *j, uint32_t at, uint32_t op)
{
    if (jit_grow(j, (void **)&j->colds, &j->cold_capacity, j->cold_count + 1,
                 sizeof *j->colds))
        j->colds[j->cold_count++] = (struct jit_cold){jit_jump_from(j, at, op),
                                                      j->x.size};
}

static void
native_while(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    struct x86 *x = &j->x;
    uint32_t head = index + (uint32_t)op->jip;
    if (j->full && !op->no_mask && op->pred < 2) {
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
    jit_jump_to(j, X86_CC_E, index + 1, !j->full);
    x86_load(x, X86_RDX, MASK_AT, 4);
    x86_alu_reg(x, X86_XOR, X86_RDX, X86_RAX, false);
    jit_jump_to(j, X86_CC_E, head, !j->full);
    jit_park(j, op, op->next_B);
    jit_jump_to(j, X86_ALWAYS, head, true);
}

/* Where those wait that go elsewhere. */
static uint32_t
place_of(const struct eu_op *op)
{
    return op->insn->opcode == EU_OP_IF ? op->jip_B : op->uip_B;
}

/* The channels in edx go elsewhere. */
static void
part(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    jit_park(j, op, place_of(op));
    x86_alu_mem_imm(&j->x, X86_CMP, MASK_AT, 0);
    jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, true);
    jit_jump_to(j, X86_ALWAYS, index + 1, true);
}

/* eax := the channels that take the branch, edx := those that go elsewhere,
 * with the flags of that. */
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

bool
jit_leaves_loop(const struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    uint32_t end = index + (uint32_t)op->jip;
    if (op->insn->opcode != EU_OP_BREAK || op->fn == eu_op_bad ||
        !stays_together(j, place_op(j, op)))
        return false;
    end += j->k->ops[end].fn == eu_op_join;
    return j->k->ops[end].insn->opcode == EU_OP_WHILE &&
           j->k->ops[end].fn != eu_op_bad && place_op(j, op) == end + 1;
}

/* Some channels go elsewhere: all of them stay together, or they part. */
static void
cold_branch(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    struct x86 *x = &j->x;
    bool is_if = op->insn->opcode == EU_OP_IF;
    if (jit_counts(j, index, 1))
        jit_counter_flags(j, op);
    find_parting(j, op);
    if (is_if ? stays_together(j, index + (uint32_t)op->jip)
              : jit_leaves_loop(j, index)) {
        x86_gop(x, X86_G_CMP, false, X86_RDX, x86_g_thread(MASK_AT));
        uint32_t some = x86_jump(x, X86_CC_NE);
        uint32_t other = test_channels(j, op);
        if (!is_if) /* the loop's end, skipped, counts */
            x86_alu_imm(x, X86_SUB, X86_R12, 1, true);
        jit_jump_to(j, X86_ALWAYS,
                    is_if ? index + (uint32_t)op->jip : place_op(j, op), false);
        x86_patch(x, some, x->size);
        x86_patch(x, other, x->size);
    }
    part(j, index);
}

static void
native_branch(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    struct x86 *x = &j->x;
    bool is_if = op->insn->opcode == EU_OP_IF;
    if (is_plain_branch(j, op) && op->insn->opcode != EU_OP_GOTO &&
        (!j->loop || j->loop == jit_loop_at(j, index + 1))) {
        defer(j,
              jit_counts(j, index, 1) ? jit_test_counter(j)
                                      : test_pred(j, op, is_if),
              index);
        return; /* on to the next op */
    }
    find_parting(j, op);
    /* A thread without a channel has none to park, but must not go on. */
    if (j->full) {
        jit_jump_to(j, X86_CC_E, index + 1, false);
        part(j, index);
        return;
    }
    defer(j, x86_jump(x, X86_CC_NE), index);
    x86_alu_mem_imm(x, X86_CMP, MASK_AT, 0);
    jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, true);
    if (j->loop && j->loop != jit_loop_at(j, index + 1))
        jit_jump_to(j, X86_ALWAYS, index + 1, true);
}

static void
native_jump(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    jit_pred_bits(j, op, X86_RAX);
    x86_alu_imm(&j->x, X86_AND, X86_RAX, 1, false);
    jit_jump_to(j, X86_CC_E, index + 1, !j->full);
    jit_jump_to(j, X86_ALWAYS, index + (uint32_t)op->jip, !j->full);
}

static void
native_else(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    struct x86 *x = &j->x;
    if (j->full && !op->no_mask && !op->insn->branch_ctrl &&
        stays_together(j, index + (uint32_t)op->jip)) {
        /* Nobody waits to change places with those who are here. */
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
    /* Those that failed the IF wait behind this instruction. */
    jit_wake(j, op->next_B);
    x86_alu_mem_imm(x, X86_CMP, MASK_AT, 0);
    jit_jump_to(j, X86_CC_E, index + (uint32_t)op->jip, true);
    continue_at(j, index + 1);
}

/* Until somebody notifies the thread it is left, and comes back here. */
bool
jit_lower_wait(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    const struct eu_operand *o = &op->insn->src[0];
    unsigned n = o->subreg_B / 4;
    struct x86 *x = &j->x;
    if (o->file != EU_FILE_ARF || (o->reg & 0xf0) != EU_ARF_N || n > 2)
        return false;
    size_t at = offsetof(struct eu_thread, n0) + n * 4;
    jit_flush(j, &j->live[!j->full][index]);
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
    return true;
}

/* The op that the interpreter names is found again through the thread's ip. */
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
jit_lower_flow(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    jit_end_block(j, &j->live[!j->full][index]);
    if (op->fn == eu_op_link) {
        jit_jump_to(j, X86_ALWAYS, index + (uint32_t)op->jip, !j->full);
        return;
    }
    switch (op->fn == eu_op_bad ? EU_OP_RET : op->insn->opcode) {
    case EU_OP_JMPI:
        if (op->insn->src_count)
            dynamic_branch(j, op);
        else if (op->pred)
            native_jump(j, index);
        else
            jit_jump_to(j, X86_ALWAYS, index + (uint32_t)op->jip, !j->full);
        break;
    case EU_OP_ENDIF:
    case EU_OP_JOIN:
        /* Nothing happens while a channel is on. */
        if (!j->full) {
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
        if (!is_native(op))
            branch(j, index);
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
    const struct eu_op *op = &j->k->ops[index];
    x86_alu_mem_imm(&j->x, X86_CMP, offsetof(struct eu_thread, live),
                    UINT32_MAX);
    if (j->full) {
        defer(j, x86_jump(&j->x, X86_CC_NE), index);
        return;
    }
    uint32_t skip = x86_jump(&j->x, X86_CC_E);
    jit_wake(j, op->ip);
    x86_patch(&j->x, skip, j->x.size);
    if (j->other->flat)
        return; /* it can only be entered at its beginning */
    x86_load(&j->x, X86_RCX, MASK_AT, 4);
    x86_alu_imm(&j->x, X86_AND, X86_RCX, j->need, false);
    x86_alu_imm(&j->x, X86_CMP, X86_RCX, j->need, false);
    cross(j, x86_jump(&j->x, X86_CC_E), index);
}

void
jit_lower_colds(struct jit *j)
{
    jit_forget(j);
    for (uint32_t i = 0; i < j->cold_count; i++) {
        const struct jit_cold *c = &j->colds[i];
        const struct eu_op *op = &j->k->ops[c->jump.op];
        j->here = c->jump.op;
        j->loop = c->jump.loop ? &j->loops[c->jump.loop - 1] : NULL;
        x86_patch(&j->x, c->jump.at, j->x.size);
        if (j->full && op->fn != eu_op_join) {
            cold_branch(j, c->jump.op);
            continue;
        }
        if (op->fn == eu_op_join)
            jit_wake(j, op->ip);
        else
            jit_park(j, op, place_of(op));
        x86_patch(&j->x, x86_jump(&j->x, X86_ALWAYS), c->back);
    }
}
