/* interpret.c: the interpreter's loop, channel masks and the host's float
 * mode. */
#include "eu/interp/interp.h"

#include "base/fpmode.h"

enum cr0_bit {
    CR0_ALT = EU_CR0_ALT,
    CR0_SPF = EU_CR0_SPF,
    CR0_VMASK = 1 << 3,
    CR0_ROUNDING_SHIFT = 4,
    CR0_KEEP_DF = 1 << 6,
    CR0_KEEP_F = 1 << 7,
    CR0_KEEP_HF = 1 << 10,
};

void
eu_thread_update_mask(struct eu_thread *t)
{
    t->mask = eu_thread_live(t) & t->sr0[t->cr0[0] & CR0_VMASK ? 3 : 2];
}

static void
choose_mxcsr(struct eu_thread *t)
{
    t->mxcsr = fpmode_make(t->cr0[0] >> CR0_ROUNDING_SHIFT,
                           !(t->cr0[0] & CR0_KEEP_F));
    t->mxcsr_keep = fpmode_make(t->cr0[0] >> CR0_ROUNDING_SHIFT, false);
}

void
eu_thread_update_mxcsr(struct eu_thread *t)
{
    choose_mxcsr(t);
    fpmode_set(t->mxcsr);
}

/* sr0.0 names the EU and the slot that the thread runs in. The manuals at hand
 * do not document its fields, and the slot may differ from run to run: every
 * thread claims slot 0. */
static uint32_t
thread_slot(void)
{
    return 0;
}

static const struct mem_range nowhere;
static const struct mem_range *const no_surfaces[EU_SURFACES];
const struct eu_direct *const eu_no_direct[EU_DIRECTS];

void
eu_thread_init(struct eu_thread *t, const struct eu_start *start)
{
    memset(t->acc, 0, sizeof *t - offsetof(struct eu_thread, acc));
    t->kernel = start->kernel;
    t->send = start->send;
    t->ends_quietly = start->ends_quietly;
    t->surfaces = start->surfaces ? start->surfaces : no_surfaces;
    t->slm = start->slm ? start->slm : &nowhere;
    t->arrived = start->arrived;
    t->direct = start->direct ? start->direct : eu_no_direct;
    t->user = start->user;
    t->counts = start->counts;
    t->clock = start->clock;
    t->sr0[0] = thread_slot();
    t->sr0[2] = start->dispatch_mask;
    t->sr0[3] = start->vector_mask;
    /* State controls only F's denormals; DF and HF keep theirs. */
    t->cr0[0] = CR0_KEEP_DF | CR0_KEEP_HF | (start->alt_mode ? CR0_ALT : 0) |
                (start->single_program_flow ? CR0_SPF : 0) |
                (start->vector_mask_enable ? CR0_VMASK : 0) |
                (start->denorm_f_retain ? CR0_KEEP_F : 0) |
                (uint32_t)(start->rounding & 3) << CR0_ROUNDING_SHIFT |
                start->kernel->initial_cr0;
    t->live = UINT32_MAX;
    eu_thread_update_mask(t);
    choose_mxcsr(t);
    t->status = EU_RUNNING;
}

const struct eu_op *
eu_fail(struct eu_thread *t, const struct eu_op *op, const char *why)
{
    guest_error("kernel at 0x%x: %s", op->ip, why);
    t->status = EU_FAILED;
    t->ip = op->ip;
    return NULL;
}

static void
trace_step(const struct eu_thread *t, const struct eu_op *op)
{
    char text[256];
    eu_disasm(text, sizeof text, op->insn, t->kernel->gen);
    trace(eustep, "%6x [%08x f0 %08x f1 %08x] %s", op->ip, t->mask, t->f[0],
          t->f[1], text);
}

static void
trace_result(const struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_operand *dst = &op->insn->dst;
    if (dst->file != EU_FILE_GRF || dst->indirect || !op->lanes)
        return;
    const uint32_t *r = (const void *)(t->grf + dst->reg * EU_GRF_B);
    trace(eustep, "       r%u: %08x %08x %08x %08x %08x %08x %08x %08x",
          dst->reg, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
}

static const struct eu_op *
loop_fast(struct eu_thread *t, const struct eu_op *op, uint64_t *budget)
{
    uint64_t left = *budget;
    while (left) {
        left--;
        op = op->fn(t, op);
        if (!op)
            break;
    }
    *budget = left;
    return op;
}

static const struct eu_op *
loop_slow(struct eu_thread *t, const struct eu_op *op, uint64_t *budget)
{
    uint64_t *counts = eu_profile_counts(t);
    while (*budget) {
        const struct eu_op *now = op;
        bool step = trace_on(TRACE_eustep);
        --*budget;
        if (step)
            trace_step(t, now);
        op = counts || t->counts ? eu_profile_run(t, now, now->slow, counts)
                                 : now->slow(t, now);
        if (step)
            trace_result(t, now);
        if (!op)
            break;
    }
    return op;
}

/* For profiles. */
static const struct eu_op *
loop_profiled(struct eu_thread *t, const struct eu_op *op, uint64_t *budget)
{
    uint64_t *counts = eu_profile_counts(t);
    while (*budget && op) {
        --*budget;
        op = eu_profile_run(t, op, op->fn, counts);
    }
    return op;
}

/* Counts the instructions of kernels that are never compiled. */
static const struct eu_op *
loop_counted(struct eu_thread *t, const struct eu_op *op, uint64_t *budget)
{
    while (*budget && op) {
        --*budget;
        eu_fallback_count(t, op);
        op = op->fn(t, op);
    }
    return op;
}

void
eu_interpret(struct eu_thread *t, bool slow, uint64_t *left)
{
    const struct eu_kernel *k = t->kernel;
    const struct eu_op *op = &k->ops[k->op_count - 1]; /* the bad one */
    if (t->ip / 8 < k->size_B / 8 && k->op_of[t->ip / 8] != EU_NO_OP)
        op = &k->ops[k->op_of[t->ip / 8]];
    uint64_t before = *left;
    uint32_t messages = t->message_count;
    if (slow)
        op = loop_slow(t, op, left);
    else if (eu_profile_counts(t))
        op = loop_profiled(t, op, left);
    else if (k->interpreted)
        op = loop_counted(t, op, left);
    else
        op = loop_fast(t, op, left);
    if (op)
        t->ip = op->ip;
    /* A message counts as one instruction, in each tier. */
    t->interpreted_count += before - *left - (t->message_count - messages);
}

void
eu_thread_account(struct eu_thread *t, uint64_t insns)
{
    t->insn_count += insns;
    stats_add(STAT_eu_insns, insns);
    stats_add(STAT_messages, t->message_count);
    t->message_count = 0;
    if (t->interpreted_count)
        stats_add(STAT_eu_interpreted, t->interpreted_count);
    t->interpreted_count = 0;
}
