/* lockstep.c: code for two or four threads of a chain in lockstep, or for two
 * of a group (lockstep_group.c).
 *
 * Many shaders are one dependency chain, longer than the host's out-of-order
 * window. Lockstep code has every instruction once for each thread: one thread
 * computes while another waits. Each of two threads has half of the vector
 * registers, and a mask register for its flags. The second thread's memory is
 * the next struct eu_thread (x86.bias). Four threads have eight registers each
 * and wait even less, if eight are enough in the ops' order or reordered
 * (sink.c).
 *
 * With AVX2 two threads have eight registers each, and send no messages but the
 * last one.
 *
 * Lockstep supports kernels without branches except counted loops
 * (counted_loops.c), and without messages except captured ones and samples,
 * which the threads send one after another. Lockstep code is made after many
 * threads of a kernel have run. Threads that diverge run again, each alone:
 * they have had no effect yet. */
#include "eu/jit/lockstep/lockstep_threads.h"

#include "eu/jit/ext_math/ext_math.h"
#include "eu/jit/listing/listing.h"
#include "eu/jit/lower/lower.h"
#include "eu/jit/sends/sends.h"
#include "eu/jit/session/session.h"

#include <stdlib.h>

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define ENTRY_AT(nth, member)                \
    ((nth) * sizeof(struct eu_chain_entry) + \
     offsetof(struct eu_chain_entry, member))
#define STEP_B (2 * EU_GRF_B)

/* rax := the first thread's chain entry */
static void
load_row(struct jit *j)
{
    int32_t bias = j->x.bias;
    j->x.bias = 0;
    x86_load(&j->x, X86_RAX, THREAD_AT(chain), 8);
    j->x.bias = bias;
}

static void
restore_grfs(struct jit *j)
{
    struct jit_set keeps = jit_lockstep_keeps(j);
    size_t from = KEPT_GRFS - (size_t)j->x.bias;
    unsigned r = jit_temp(j);
    for (unsigned w = 0; w < 2; w++) {
        for (uint64_t left = keeps.w[w]; left; left &= left - 1) {
            unsigned g = w * 64 + (unsigned)__builtin_ctzll(left);
            x86_vop(&j->x, X86_MOVUPS_LD, 1, r, 0, x86_thread(from), 0);
            jit_store_len(j, r, g * EU_GRF_B, EU_GRF_B);
            from += EU_GRF_B;
        }
    }
    jit_release(j, r);
}

static void
take_payload_vex(struct jit *j)
{
    for (unsigned i = 0; i < EU_CHAIN_GRF; i++) {
        unsigned r = jit_temp(j);
        size_t part = eu_chain_place(j->f->weights_grf, i) * EU_GRF_B;
        x86_vop(&j->x, X86_MOVUPS_LD, 1, r, 0,
                x86_at_rax(ENTRY_AT(j->nth, payload) + part), 0);
        jit_bind(j, r, (j->chain_grf + i) * EU_GRF_B, EU_GRF_B);
    }
}

static void
take_payload(struct jit *j)
{
    unsigned r[EU_CHAIN_GRF * EU_GRF_B / STEP_B];
    if (!jit_set_has(&j->f->live[0][0], j->chain_grf * EU_GRF_B,
                     EU_CHAIN_GRF * EU_GRF_B))
        return;
    if (!j->f->evex) {
        take_payload_vex(j);
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(r); i++) {
        r[i] = jit_temp(j);
        x86_vop(&j->x, X86_MOVUPS_LD, 2, r[i], 0,
                x86_at_rax(ENTRY_AT(j->nth, payload) + i * STEP_B), 0);
    }
    jit_bind_payload(j, r[0], r[1]);
}

/* rax: the first thread's chain entry */
static void
begin_thread(struct jit *j)
{
    struct x86 *x = &j->x;
    /* Only messages read it. */
    if (j->f->in.sfids || j->f->flags & EU_JIT_LANES) {
        x86_load_from_rax(x, X86_RCX, ENTRY_AT(j->nth, mask));
        x86_store(x, X86_RCX, THREAD_AT(mask), 4);
    }
    if (j->f->flags & EU_JIT_LANES)
        jit_lockstep_need_lanes(j);
    if (j->f->in.clobbers != EU_CLOBBERS_NONE && j->f->finds_flags) {
        unsigned zero = jit_temp(j);
        x86_vop(x, X86_PXOR, 0, zero, zero, x86_reg(zero), 0);
        x86_vop(x, X86_MOVUPS_ST, 1, zero, 0, x86_thread(THREAD_AT(a0)), 0);
        x86_vop(x, X86_MOVQ_ST, 0, zero, 0, x86_thread(THREAD_AT(f)), 0);
        jit_release(j, zero);
    }
    restore_grfs(j);
    if (j->f->in.chain_sets_mask) {
        x86_load_from_rax(x, X86_RCX, ENTRY_AT(j->nth, live));
        x86_store(x, X86_RCX, THREAD_AT(grf) + EU_LIVE_B, 4);
    }
    take_payload(j);
    jit_unlock_but(j, 0);
}

/* Loads the payloads of the last messages, and stores each thread's lanes. */
static void
end_threads(struct jit *j, const struct eu_op *op, struct jit_captured *c)
{
    struct x86 *x = &j->x;
    struct jit_send s;
    jit_describe_send(&s, op);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j)) {
        jit_read_captured(j, &s, &c[n]);
        if (op->pred)
            jit_pred_bits(j, op, X86_RDX);
        load_row(j);
        x86_load_from_rax(x, X86_RCX, ENTRY_AT(n, dispatch_mask));
        if (op->pred)
            x86_alu_reg(x, X86_AND, X86_RDX, X86_RCX, false);
        else
            x86_mov_reg(x, X86_RDX, X86_RCX);
        x86_store_at_rax(x, X86_RDX, ENTRY_AT(n, captured_mask));
    }
}

/* Calls the epilogue of threads n and n + 1, with its arguments in rdi and
 * rsi. */
static void
call_epilogue(struct jit *j, unsigned n)
{
    struct x86 *x = &j->x;
    load_row(j);
    x86_lea(x, X86_RDI, X86_RAX, (int32_t)(n * sizeof(struct eu_chain_entry)));
    x86_load(x, X86_RSI, THREAD_AT(epilogue.arg), 8);
    x86_call_at(x, THREAD_AT(epilogue.store_pair));
}

static size_t
kept_payload(unsigned n)
{
    return KEPT_PAYLOAD + (n - 1) * sizeof(struct eu_thread);
}

/* With AVX2, one thread's payload fills the argument registers. */
static void
call_epilogues_vex(struct jit *j, struct jit_captured *c)
{
    struct x86 *x = &j->x;
    x86_lea(x, X86_RAX, X86_RBX, (int32_t)kept_payload(1));
    jit_store_captured(j, &c[1]);
    jit_pass_captured(j, c, 1);
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned i = 0; n && i < EU_CAPTURE_GRF; i++)
            x86_vop(x, X86_MOVUPS_LD, 1, i, 0,
                    x86_thread(kept_payload(1) + i * EU_GRF_B), 0);
        load_row(j);
        x86_load_from_rax(x, X86_RDX, ENTRY_AT(n, captured_mask));
        x86_lea(x, X86_RDI, X86_RAX,
                (int32_t)(n * sizeof(struct eu_chain_entry)));
        x86_load(x, X86_RSI, THREAD_AT(epilogue.arg), 8);
        x86_call_at(x, THREAD_AT(epilogue.fn));
    }
}

static void
call_epilogues(struct jit *j, struct jit_captured *c)
{
    const unsigned vectors = EU_CAPTURE_GRF / 2;
    struct x86 *x = &j->x;
    if (!j->f->evex) {
        call_epilogues_vex(j, c);
        return;
    }
    for (unsigned n = 2; n < j->f->threads; n++) {
        x86_lea(x, X86_RAX, X86_RBX, (int32_t)kept_payload(n));
        jit_store_captured(j, &c[n]);
    }
    jit_pass_captured(j, c, 2);
    call_epilogue(j, 0);
    for (unsigned n = 2; n < j->f->threads; n += 2) {
        for (unsigned i = 0; i < 2 * vectors; i++)
            x86_vop(x, X86_MOVUPS_LD, 2, i, 0,
                    x86_thread(kept_payload(n + i / vectors) +
                               i % vectors * STEP_B),
                    0);
        call_epilogue(j, n);
    }
}

static void
take_payloads(struct jit *j, const struct eu_op *op)
{
    struct x86 *x = &j->x;
    struct jit_captured c[JIT_MOST_THREADS];
    end_threads(j, op, c);
    x86_load(x, X86_RAX, THREAD_AT(epilogue.fn), 8);
    x86_test(x, X86_RAX);
    uint32_t none = x86_jump(x, X86_CC_E);
    call_epilogues(j, c);
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, none, x->size);
    for (unsigned n = 0; n < j->f->threads; n++) {
        load_row(j);
        x86_load_at_rax(x, X86_RAX, ENTRY_AT(n, captured));
        jit_store_captured(j, &c[n]);
    }
    x86_patch(x, done, x->size);
}

/* Jumps if thread n has the chain's last entry. rax: thread 0's entry. */
static uint32_t
test_more(struct jit *j, unsigned n)
{
    x86_load_from_rax(&j->x, X86_RCX, ENTRY_AT(n, more));
    x86_test(&j->x, X86_RCX);
    return x86_jump(&j->x, X86_CC_E);
}

/* Begins as many threads again, or returns: with thread->chain at the first
 * remaining entry, or at the last entry if all have finished. */
static void
go_on(struct jit *j)
{
    struct x86 *x = &j->x;
    const unsigned last = j->f->threads - 1;
    const int32_t row_B = sizeof(struct eu_chain_entry);
    uint32_t few[JIT_MOST_THREADS];
    load_row(j);
    uint32_t all = test_more(j, last);
    x86_alu_imm(x, X86_ADD, X86_RAX, (uint32_t)row_B * j->f->threads, true);
    x86_store(x, X86_RAX, THREAD_AT(chain), 8);
    for (unsigned n = 0; n < last; n++)
        few[n] = test_more(j, n);
    x86_patch(x, x86_jump(x, X86_ALWAYS), j->chain_at);
    x86_patch(x, all, x->size);
    x86_alu_imm(x, X86_ADD, X86_RAX, (uint32_t)row_B * last, true);
    x86_store(x, X86_RAX, THREAD_AT(chain), 8);
    x86_store_imm(x, THREAD_AT(status), EU_FINISHED);
    for (unsigned n = 0; n < last; n++)
        x86_patch(x, few[n], x->size);
    x86_vzeroupper(x);
    jit_leave(j);
}

void
jit_lose(struct jit *j, uint32_t from)
{
    j->failed |= j->wrote;
    if (jit_grow(j, (void **)&j->returns, &j->return_capacity,
                 j->return_count + 1, sizeof *j->returns))
        j->returns[j->return_count++] = from;
}

static void
give_up(struct jit *j)
{
    struct x86 *x = &j->x;
    for (uint32_t i = 0; i < j->return_count; i++)
        x86_patch(x, j->returns[i], x->size);
    x86_load(x, X86_R12, LEFT_AT, 8);
    x86_vzeroupper(x);
    jit_leave(j);
}

/* Counts the ops outside loops, which every thread executes once. */
static void
spend_outside(struct jit *j, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < end; i++)
        n += jit_loop_at(j, i) ? 0 : jit_count_ops(j, i, i + 1);
    jit_spend(j, n);
}

/* How many vector registers each thread has. */
static unsigned
vreg_count(const struct jit *j)
{
    return (j->f->evex ? JIT_HOST_REGS : JIT_HOST_REGS / 2) / j->f->threads;
}

/* Vector registers of thread n. */
static uint32_t
vregs_of(const struct jit *j, unsigned n)
{
    unsigned count = vreg_count(j);
    return ((UINT32_C(1) << count) - 1) << n * count;
}

static void
compile_lockstep(struct jit *j)
{
    uint32_t messages = 0;
    j->v.all = vregs_of(j, 0);
    for (unsigned n = 1; n < j->f->threads; n++)
        j->side[n].v.all = vregs_of(j, n);
    jit_forget(j);
    j->chain_at = j->x.size;
    x86_store(&j->x, X86_R12, LEFT_AT, 8);
    jit_lockstep_clear_turns(j);
    if (!j->f->group)
        load_row(j);
    for (unsigned n = 0; n < j->f->threads; n++, jit_turn(j)) {
        if (!j->f->group) {
            begin_thread(j);
        } else if (j->f->flags & EU_JIT_LANES) {
            x86_load(&j->x, X86_RCX, THREAD_AT(mask), 4);
            jit_lockstep_need_lanes(j);
        }
    }
    uint32_t i = jit_lockstep_ops(j, &messages);
    j->here = i;
    spend_outside(j, i + 1);
    jit_lockstep_count(j, i + 1);
    messages += j->f->group;
    if (messages)
        x86_alu_mem_imm(&j->x, X86_ADD, THREAD_AT(message_count),
                        j->f->threads * messages);
    jit_float_mode(j, false);
    if (j->f->group) {
        jit_end_group(j);
    } else {
        take_payloads(j, &j->f->k->ops[i]);
        go_on(j);
    }
    for (; i < j->f->k->op_count; i++)
        j->at[i] = j->x.size;
    give_up(j);
}

/* The second thread pins its loops' registers in the other half. */
static bool
find_loops(struct jit *j)
{
    struct jit_side *second = &j->side[1];
    unsigned count = vreg_count(j);
    if (!jit_pin_loops(j))
        return false;
    second->loops = arena_take(j->x.memory,
                               (j->loop_count + 1) * sizeof *j->loops, 64);
    for (uint32_t i = 0; second->loops && i < j->loop_count; i++) {
        struct jit_loop *l = &second->loops[i];
        *l = j->loops[i];
        l->regs <<= count;
        for (unsigned p = 0; p < l->count; p++)
            l->pins[p].reg = (uint8_t)(l->pins[p].reg + count);
    }
    return second->loops;
}

/* Four threads have too few registers for loops and for values that are live
 * across messages. */
static bool
suits_four(const struct jit *j)
{
    return j->f->evex && !j->f->has_loop && !j->f->in.sfids;
}

/* With AVX2: from so many spills per op, or beyond the first-level instruction
 * cache, threads are faster one after another. */
#define MOST_SPILLS 3
#define MOST_CODE_B (32u << 10)

static bool
pays(const struct jit *j)
{
    return j->f->evex || (j->spills <= MOST_SPILLS * j->f->k->op_count &&
                          j->x.size <= MOST_CODE_B);
}

/* NULL: no memory, or an instruction needs more registers than a thread has. */
static void *
make_code(struct jit *j, struct jit_facts *f, const struct eu_jit *jit)
{
    if (!jit_allocate(j, f) || !jit_analyse(f, true) ||
        (f->threads > 2 && !suits_four(j)) || !find_loops(j) ||
        !jit_lockstep_counts_fit(j))
        return NULL;
    j->chain_grf = jit->chain_grf;
    jit_prologue(j);
    compile_lockstep(j);
    jit_memory_slow_paths(j);
    jit_math_helpers(j);
    jit_math_denorm_fixups(j);
    j->text_B = j->x.size;
    x86_place_pool(&j->x);
    bool as_alone = (!j->needs_nearest || jit->needs_nearest) &&
                    (!j->needs_flush || jit->needs_flush) &&
                    (!j->needs_halves || jit->needs_halves);
    if (j->x.failed || j->failed || j->out_of_registers || !as_alone ||
        !pays(j))
        return NULL;
    return eu_exec_publish(j->x.code, j->x.size);
}

/* sinks: ops may move if there are too few registers for their order. */
static struct jit_lockstep *
make_lockstep(const struct eu_jit *jit, unsigned threads, bool sinks)
{
    struct jit_lockstep *p = calloc(1, sizeof *p);
    struct jit_side side[JIT_MOST_THREADS] = {{.loops = NULL}};
    struct jit_facts f;
    struct jit j;
    jit_begin(&j, &f, jit->kernel, jit->cpu, jit->flags);
    for (unsigned n = 0; n < threads; n++)
        side[n].flag_at[0] = side[n].flag_at[1] = 0xff;
    f.unmasked = true;
    f.may_if_convert = jit->if_converted;
    f.threads = threads;
    f.sinks = sinks;
    f.group = jit->groups;
    j.side = side;
    void *code = p ? make_code(&j, &f, jit) : NULL;
    if (code) {
        struct jit_variant copy = {.kernel = jit->kernel,
                                   .code = code,
                                   .size_B = j.x.size,
                                   .text_B = j.text_B,
                                   .at = j.at,
                                   .order = f.order,
                                   .threads = threads};
        p->code = code;
        p->size_B = j.x.size;
        p->begin = j.chain_at;
        p->gdb = jit->announced ? eu_code_event_begin(&copy) : NULL;
        if (jit->announced && trace_on(TRACE_jit))
            eu_jit_list(jit, &copy);
    } else {
        free(p);
        p = NULL;
    }
    bool again = !code && threads > 2 && j.spills && !sinks;
    jit_finish(&j);
    return again ? make_lockstep(jit, threads, true) : p;
}

void
eu_jit_free_lockstep(struct jit_lockstep *p)
{
    if (!p)
        return;
    eu_code_event_end(p->gdb);
    eu_exec_release(p->code, p->size_B);
    free(p);
}

const struct jit_lockstep *
eu_jit_lockstep(const struct eu_jit *compiled, unsigned threads)
{
    struct eu_jit *jit = (struct eu_jit *)compiled;
    unsigned i = threads > 2;
    struct jit_lockstep *p = atomic_load_explicit(&jit->lockstep_code[i].code,
                                                  memory_order_acquire);
    if (p || atomic_load_explicit(&jit->lockstep_code[i].failed,
                                  memory_order_relaxed))
        return p;
    bool may = jit->lockstep || jit->groups;
    struct jit_lockstep *mine = may ? make_lockstep(jit, threads, false) : NULL;
    if (!mine)
        atomic_store_explicit(&jit->lockstep_code[i].failed, true,
                              memory_order_relaxed);
    else if (atomic_compare_exchange_strong(&jit->lockstep_code[i].code, &p,
                                            mine))
        return mine;
    eu_jit_free_lockstep(mine);
    return p;
}
