/* flow.c: control flow with an instruction pointer per channel.
 *
 * A channel is either live (it executes at the thread's ip) or parked at
 * chan_ip. Channels outside the dispatch mask are never parked: they do not
 * affect any decision, but if the mask widens they execute at the thread's ip.
 * Parked channels wake at a join op, which kernel.c inserts before every
 * instruction where channels may wait. BDW PRM vol 7 "EU flow control"; KBL PRM
 * vol 2d "EU_INSTRUCTION_*". */
#include "eu/interp/alu.h"

static void
park_channels(struct eu_thread *t, uint32_t channels, uint32_t ip_B)
{
    t->live &= ~channels;
    t->mask &= ~channels;
    for (; channels; channels &= channels - 1)
        t->chan_ip[__builtin_ctz(channels)] = ip_B;
}

void
eu_wake_channels(struct eu_thread *t, uint32_t ip_B)
{
    uint32_t waiting = ~t->live;
    if (!waiting)
        return;
    for (; waiting; waiting &= waiting - 1) {
        unsigned k = (unsigned)__builtin_ctz(waiting);
        if (t->chan_ip[k] == ip_B)
            t->live |= UINT32_C(1) << k;
    }
    eu_thread_update_mask(t);
}

/* Returns the branch's own active channels, as thread channels. *taken: the
 * channels whose predicate is true. */
static uint32_t
active_channels(const struct eu_thread *t, const struct eu_op *op,
                uint32_t *taken)
{
    uint32_t a = t->mask & (op->full << op->chan);
    *taken = a & (eu_op_pred(t, op) << op->chan);
    return a;
}

const struct eu_op *
eu_op_join(struct eu_thread *t, const struct eu_op *op)
{
    eu_wake_channels(t, op->ip);
    return op[1].fn(t, op + 1);
}

const struct eu_op *
eu_op_join_slow(struct eu_thread *t, const struct eu_op *op)
{
    eu_wake_channels(t, op->ip);
    return op[1].slow(t, op + 1);
}

const struct eu_op *
eu_op_link(struct eu_thread *t, const struct eu_op *op)
{
    return op + op->jip;
}

const struct eu_op *
eu_op_bad(struct eu_thread *t, const struct eu_op *op)
{
    return eu_fail(t, op, "branch out of the kernel");
}

static const struct eu_op *
go_to(struct eu_thread *t, const struct eu_op *op, uint64_t target_B)
{
    const struct eu_kernel *k = t->kernel;
    if ((target_B & 7) || target_B >= k->size_B ||
        k->op_of[target_B / 8] == EU_NO_OP)
        return eu_op_bad(t, op);
    return &k->ops[k->op_of[target_B / 8]];
}

/* Single program flow: channels cannot diverge. A branch goes to the target of
 * its taken channels, never to a reconvergence point. Guess: it is taken if any
 * enabled channel takes it; compilers use size 1, or predicates that are equal
 * in all channels. */
static const struct eu_op *
single_flow(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    bool taken = eu_op_mask(t, op);
    switch (insn->opcode) {
    case EU_OP_IF:
        if (taken)
            return op + 1; /* fallthrough */
    case EU_OP_ELSE: return op + (insn->branch_ctrl ? op->uip : op->jip);
    case EU_OP_WHILE: return taken ? op + op->jip : op + 1;
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT: return taken ? go_to(t, op, op->uip_B) : op + 1;
    case EU_OP_GOTO: return taken == insn->branch_ctrl ? op + op->uip : op + 1;
    default: return op + 1; /* ENDIF, JOIN */
    }
}

static bool
is_single(const struct eu_thread *t)
{
    return t->cr0[0] & EU_CR0_SPF;
}

uint32_t
eu_branch_channels(const struct eu_thread *t, const struct eu_op *op,
                   uint32_t *taken)
{
    if (op->insn->opcode == EU_OP_JMPI) {
        *taken = eu_op_pred(t, op) & 1;
        return 1;
    }
    if (is_single(t)) {
        *taken = eu_op_mask(t, op);
        return eu_op_enabled(t, op);
    }
    return active_channels(t, op, taken);
}

static const struct eu_op *
op_nop(struct eu_thread *t, const struct eu_op *op)
{
    return op + 1;
}

static const struct eu_op *
op_if(struct eu_thread *t, const struct eu_op *op)
{
    if (is_single(t))
        return single_flow(t, op);
    uint32_t taken, a = active_channels(t, op, &taken);
    /* With BranchCtrl, JIP is the first join inside the block, where channels
     * may wait after a GOTO; UIP is where the other channels continue. */
    park_channels(t, a & ~taken, op->insn->branch_ctrl ? op->uip_B : op->jip_B);
    return t->mask ? op + 1 : op + op->jip;
}

static const struct eu_op *
op_else(struct eu_thread *t, const struct eu_op *op)
{
    if (is_single(t))
        return single_flow(t, op);
    uint32_t taken, a = active_channels(t, op, &taken);
    park_channels(t, a, op->insn->branch_ctrl ? op->uip_B : op->jip_B);
    /* Channels that failed the IF wait after this instruction. */
    eu_wake_channels(t, op->next_B);
    return t->mask ? op + 1 : op + op->jip;
}

/* ENDIF, JOIN */
static const struct eu_op *
op_endif(struct eu_thread *t, const struct eu_op *op)
{
    if (is_single(t))
        return single_flow(t, op);
    return t->mask ? op + 1 : op + op->jip;
}

static const struct eu_op *
op_while(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t taken;
    if (is_single(t))
        return single_flow(t, op);
    active_channels(t, op, &taken);
    if (!taken)
        return op + 1;
    park_channels(t, t->mask & ~taken, op->next_B);
    return op + op->jip;
}

/* BREAK, CONT, HALT */
static const struct eu_op *
op_leave(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t taken;
    if (is_single(t))
        return single_flow(t, op);
    active_channels(t, op, &taken);
    park_channels(t, taken, op->uip_B);
    return t->mask ? op + 1 : op + op->jip;
}

/* Before CNL a forward GOTO moves the channels whose predicate is false. */
static const struct eu_op *
op_goto(struct eu_thread *t, const struct eu_op *op)
{
    if (is_single(t))
        return single_flow(t, op);
    uint32_t taken, a = active_channels(t, op, &taken);
    if (!op->insn->branch_ctrl) {
        park_channels(t, a & ~taken, op->uip_B);
        return t->mask ? op + 1 : op + op->jip;
    }
    if (!taken)
        return op + 1;
    park_channels(t, t->mask & ~taken, op->next_B);
    return op + op->uip;
}

/* Reads the first elements of the source, whatever the execution size is. */
static bool
read_distances(struct eu_thread *t, const struct eu_op *op, unsigned count,
               int32_t *out)
{
    struct eu_insn insn = *op->insn;
    struct eu_op first = *op;
    wide_int v[EU_MAX_LANES];
    insn.exec_size = (uint8_t)count;
    first.insn = &insn;
    if (!eu_operand_fits(&insn, &insn.src[0], false) ||
        !eu_fetch_int(t, &first, 0, (1u << count) - 1, v))
        return false;
    for (unsigned i = 0; i < count; i++)
        out[i] = (int32_t)v[i];
    return true;
}

static const struct eu_op *
op_jmpi(struct eu_thread *t, const struct eu_op *op)
{
    if (!(eu_op_pred(t, op) & 1))
        return op + 1;
    if (!op->insn->src_count)
        return op + op->jip;
    int32_t offset;
    if (!read_distances(t, op, 1, &offset))
        return eu_op_bad(t, op);
    return go_to(t, op, op->next_B + (uint64_t)(int64_t)offset);
}

static const struct eu_op *
op_call(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_operand *dst = &op->insn->dst;
    uint32_t taken, a = active_channels(t, op, &taken);
    int32_t offset;
    uint64_t target_B = op->jip_B;
    if (!taken && a)
        return op + 1;
    if (!taken && op->insn->pred_ctrl)
        return op + 1;

    if (op->insn->src_count) {
        if (!read_distances(t, op, 1, &offset))
            return eu_op_bad(t, op);
        target_B = op->insn->opcode == EU_OP_CALLA
                       ? (uint32_t)offset
                       : op->ip + (uint64_t)(int64_t)offset;
    }
    taken = is_single(t) ? a : taken;
    unsigned at = dst->reg * EU_GRF_B + dst->subreg_B;
    if (dst->file == EU_FILE_GRF && (dst->indirect || at + 8 > EU_GRF_FILE_B))
        return eu_fail(t, op, "CALL saves its return address nowhere");
    if (dst->file == EU_FILE_GRF) {
        memcpy(t->grf + at, &op->next_B, 4);
        memcpy(t->grf + at + 4, &taken, 4);
    }
    if (!is_single(t))
        park_channels(t, t->mask & ~taken, op->next_B);
    return go_to(t, op, target_B);
}

static const struct eu_op *
op_ret(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_operand *src = &op->insn->src[0];
    unsigned at = src->reg * EU_GRF_B + src->subreg_B;
    if (src->file != EU_FILE_GRF || src->indirect || at + 8 > EU_GRF_FILE_B)
        return eu_fail(t, op, "RET without a return address");
    uint32_t back_B, who, taken;
    memcpy(&back_B, t->grf + at, 4);
    memcpy(&who, t->grf + at + 4, 4);
    active_channels(t, op, &taken);
    if (is_single(t))
        return taken || !op->insn->pred_ctrl ? go_to(t, op, back_B) : op + 1;
    park_channels(t, taken & who, back_B);
    return t->mask ? op + 1 : go_to(t, op, back_B);
}

/* Diverging: the thread follows the channels that branch; the other channels
 * wait after the instruction, as for a backward GOTO. */
static const struct eu_op *
op_brd(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t taken;
    int32_t jip = op->insn->jip;
    active_channels(t, op, &taken);
    if (op->insn->src_count && !read_distances(t, op, 1, &jip))
        return eu_op_bad(t, op);
    if (!taken)
        return op + 1;
    if (!is_single(t))
        park_channels(t, t->mask & ~taken, op->next_B);
    return go_to(t, op, op->ip + (uint64_t)(int64_t)jip);
}

/* Converging: channels that branch wait at UIP. If no channel is left the
 * thread goes to JIP, as for HALT. */
static const struct eu_op *
op_brc(struct eu_thread *t, const struct eu_op *op)
{
    uint32_t taken;
    int32_t offset[2] = {op->insn->jip, op->insn->uip};
    active_channels(t, op, &taken);
    if (op->insn->src_count && !read_distances(t, op, 2, offset))
        return eu_op_bad(t, op);
    uint64_t jip_B = op->ip + (uint64_t)(int64_t)offset[0];
    uint64_t uip_B = op->ip + (uint64_t)(int64_t)offset[1];
    if (is_single(t))
        return taken ? go_to(t, op, uip_B) : op + 1;
    park_channels(t, taken, (uint32_t)uip_B);
    return t->mask ? op + 1 : go_to(t, op, jip_B);
}

const struct eu_op *
eu_op_set_ip(struct eu_thread *t, const struct eu_op *op)
{
    t->ip = op->next_B; /* unless the instruction writes it */
    return eu_op_general(t, op) ? go_to(t, op, t->ip) : NULL;
}

eu_op_fn
eu_flow_fn(unsigned opcode)
{
    switch (opcode) {
    case EU_OP_NOP: return op_nop;
    case EU_OP_IF: return op_if;
    case EU_OP_ELSE: return op_else;
    case EU_OP_ENDIF:
    case EU_OP_JOIN: return op_endif;
    case EU_OP_WHILE: return op_while;
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT: return op_leave;
    case EU_OP_GOTO: return op_goto;
    case EU_OP_JMPI: return op_jmpi;
    case EU_OP_CALL:
    case EU_OP_CALLA: return op_call;
    case EU_OP_RET: return op_ret;
    case EU_OP_BRD: return op_brd;
    case EU_OP_BRC: return op_brc;
    default: return NULL;
    }
}
