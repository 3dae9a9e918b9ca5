/* pair.c: code for two threads of a row in lockstep, or for four; and for two
 * of a group (pair_group.c).
 *
 * Many shaders are a chain of instructions that wait for each other, which
 * takes longer than the host looks ahead. Here every instruction is there
 * twice, for one thread of a row and for the next one: each computes while the
 * other waits. Each has half of the vector registers, and a mask register for
 * its flags; what of the second one is in memory is in a thread of its own
 * right behind the first one (x86.bias). Four of them have eight registers
 * each, if no value of theirs needs more, in their order or in another one
 * (sink.c), and wait less still. This is for kernels that go straight on, but
 * for loops that count (counters.c), and send nothing but what is caught and
 * samples, which one asks for after the other. It is made when many threads of
 * one have run. Where two do not stay together they are run once more, each
 * alone: they have done nothing yet. */
#include "eu/jit/code.h"
#include "eu/jit/lower_send.h"
#include "eu/jit/pair.h"
#include "eu/jit/show.h"
#include "eu/jit/x86_gpr.h"

#include <stdlib.h>

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define ROW_AT(nth, member) \
    ((nth) * sizeof(struct eu_row) + offsetof(struct eu_row, member))
#define STEP_B (2 * EU_GRF_B)

void
jit_get_side(const struct jit *j, struct jit_side *s)
{
    s->v = j->v;
    memcpy(s->flag_at, j->flag_at, sizeof s->flag_at);
    s->loops = j->loops;
    s->loop = j->loop;
}

void
jit_set_side(struct jit *j, const struct jit_side *s)
{
    j->v = s->v;
    memcpy(j->flag_at, s->flag_at, sizeof s->flag_at);
    j->loops = s->loops;
    j->loop = s->loop;
}

void
jit_turn(struct jit *j)
{
    jit_get_side(j, &j->side[j->nth]);
    jit_address(j, (j->nth + 1) % j->threads);
    jit_set_side(j, &j->side[j->nth]);
}

/* rax := the first thread's place in the row */
static void
load_row(struct jit *j)
{
    int32_t bias = j->x.bias;
    j->x.bias = 0;
    x86_load(&j->x, X86_RAX, THREAD_AT(row), 8);
    j->x.bias = bias;
}

static void
restore_grfs(struct jit *j)
{
    struct jit_set keeps = jit_pair_keeps(j);
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
take_payload(struct jit *j)
{
    unsigned r[EU_ROW_GRF * EU_GRF_B / STEP_B];
    if (!jit_set_has(&j->live[0][0], j->row_grf * EU_GRF_B,
                     EU_ROW_GRF * EU_GRF_B))
        return;
    for (unsigned i = 0; i < ARRAY_SIZE(r); i++) {
        r[i] = jit_temp(j);
        x86_vop(&j->x, X86_MOVUPS_LD, 2, r[i], 0,
                x86_at_rax(ROW_AT(j->nth, payload) + i * STEP_B), 0);
    }
    jit_bind_payload(j, r[0], r[1]);
}

/* rax: the first thread's place in the row */
static void
begin_thread(struct jit *j)
{
    struct x86 *x = &j->x;
    /* Only messages ask for it. */
    if (j->in.sfids) {
        x86_load_from_rax(x, X86_RCX, ROW_AT(j->nth, mask));
        x86_store(x, X86_RCX, THREAD_AT(mask), 4);
    }
    if (j->in.leaves != EU_LEAVES_NONE && j->finds_flags) {
        unsigned zero = jit_temp(j);
        x86_vop(x, X86_PXOR, 0, zero, zero, x86_reg(zero), 0);
        x86_vop(x, X86_MOVUPS_ST, 1, zero, 0, x86_thread(THREAD_AT(a0)), 0);
        x86_vop(x, X86_MOVQ_ST, 0, zero, 0, x86_thread(THREAD_AT(f)), 0);
        jit_release(j, zero);
    }
    restore_grfs(j);
    if (j->in.own_lit) {
        x86_load_from_rax(x, X86_RCX, ROW_AT(j->nth, lit));
        x86_store(x, X86_RCX, THREAD_AT(grf) + EU_LIT_B, 4);
    }
    take_payload(j);
    jit_unlock_but(j, 0);
}

/* The payloads of the last messages in registers, and who has which lanes. */
static void
end_threads(struct jit *j, const struct eu_op *op, struct jit_caught *c)
{
    struct x86 *x = &j->x;
    struct jit_send s;
    jit_describe_send(&s, op);
    for (unsigned n = 0; n < j->threads; n++, jit_turn(j)) {
        jit_read_caught(j, &s, &c[n]);
        if (op->pred)
            jit_pred_bits(j, op, X86_RDX);
        load_row(j);
        x86_load_from_rax(x, X86_RCX, ROW_AT(n, dispatch_mask));
        if (op->pred)
            x86_alu_reg(x, X86_AND, X86_RDX, X86_RCX, false);
        else
            x86_mov_reg(x, X86_RDX, X86_RCX);
        x86_store_at_rax(x, X86_RDX, ROW_AT(n, caught_mask));
    }
}

/* Threads n and n + 1. rdi, rsi: of the tail */
static void
call_tail(struct jit *j, unsigned n)
{
    struct x86 *x = &j->x;
    load_row(j);
    x86_lea(x, X86_RDI, X86_RAX, (int32_t)(n * sizeof(struct eu_row)));
    x86_load(x, X86_RSI, THREAD_AT(tail.arg), 8);
    x86_call_at(x, THREAD_AT(tail.two));
}

static size_t
kept_payload(unsigned n)
{
    return KEPT_PAYLOAD + (n - 1) * sizeof(struct eu_thread);
}

static void
call_tails(struct jit *j, struct jit_caught *c)
{
    const unsigned vectors = EU_CATCH_GRF / 2;
    struct x86 *x = &j->x;
    for (unsigned n = 2; n < j->threads; n++) {
        x86_lea(x, X86_RAX, X86_RBX, (int32_t)kept_payload(n));
        jit_store_caught(j, &c[n]);
    }
    jit_pass_caught(j, c, 2);
    call_tail(j, 0);
    for (unsigned n = 2; n < j->threads; n += 2) {
        for (unsigned i = 0; i < 2 * vectors; i++)
            x86_vop(x, X86_MOVUPS_LD, 2, i, 0,
                    x86_thread(kept_payload(n + i / vectors) +
                               i % vectors * STEP_B),
                    0);
        call_tail(j, n);
    }
}

static void
take_payloads(struct jit *j, const struct eu_op *op)
{
    struct x86 *x = &j->x;
    struct jit_caught c[JIT_MOST_THREADS];
    end_threads(j, op, c);
    x86_load(x, X86_RAX, THREAD_AT(tail.fn), 8);
    x86_test(x, X86_RAX);
    uint32_t none = x86_jump(x, X86_CC_E);
    call_tails(j, c);
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, none, x->size);
    for (unsigned n = 0; n < j->threads; n++) {
        load_row(j);
        x86_load_at_rax(x, X86_RAX, ROW_AT(n, caught));
        jit_store_caught(j, &c[n]);
    }
    x86_patch(x, done, x->size);
}

/* Jumps away from the last of the row. rax: of which thread n is. */
static uint32_t
test_more(struct jit *j, unsigned n)
{
    x86_load_from_rax(&j->x, X86_RCX, ROW_AT(n, more));
    x86_test(&j->x, X86_RCX);
    return x86_jump(&j->x, X86_CC_E);
}

/* As many threads behind them begin, or the code is left: with thread->row at
 * the first one that is left over, or at the last. */
static void
go_on(struct jit *j)
{
    struct x86 *x = &j->x;
    const unsigned last = j->threads - 1;
    const int32_t row_B = sizeof(struct eu_row);
    uint32_t few[JIT_MOST_THREADS];
    load_row(j);
    uint32_t all = test_more(j, last);
    x86_alu_imm(x, X86_ADD, X86_RAX, (uint32_t)row_B * j->threads, true);
    x86_store(x, X86_RAX, THREAD_AT(row), 8);
    for (unsigned n = 0; n < last; n++)
        few[n] = test_more(j, n);
    x86_patch(x, x86_jump(x, X86_ALWAYS), j->row_at);
    x86_patch(x, all, x->size);
    x86_alu_imm(x, X86_ADD, X86_RAX, (uint32_t)row_B * last, true);
    x86_store(x, X86_RAX, THREAD_AT(row), 8);
    x86_store_imm(x, THREAD_AT(status), EU_FINISHED);
    for (unsigned n = 0; n < last; n++)
        x86_patch(x, few[n], x->size);
    x86_vzeroupper(x);
    jit_leave(j);
}

#define LEFT_AT THREAD_AT(chan_ip) /* of the budget, as the two began */

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

/* Ops that every thread executes once. */
static void
spend_outside(struct jit *j, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < end; i++)
        n += jit_loop_at(j, i) ? 0 : jit_count_ops(j, i, i + 1);
    jit_spend(j, n);
}

/* Vector registers of thread n. */
static uint32_t
vregs_of(const struct jit *j, unsigned n)
{
    unsigned count = JIT_VREGS / j->threads;
    return ((UINT32_C(1) << count) - 1) << n * count;
}

static void
compile_together(struct jit *j)
{
    uint32_t messages = 0;
    j->v.all = vregs_of(j, 0);
    for (unsigned n = 1; n < j->threads; n++)
        j->side[n].v.all = vregs_of(j, n);
    jit_forget(j);
    j->row_at = j->x.size;
    x86_store(&j->x, X86_R12, LEFT_AT, 8);
    if (!j->group) {
        load_row(j);
        for (unsigned n = 0; n < j->threads; n++, jit_turn(j))
            begin_thread(j);
    }
    uint32_t i = jit_pair_ops(j, &messages);
    j->here = i;
    spend_outside(j, i + 1);
    messages += j->group;
    if (messages)
        x86_alu_mem_imm(&j->x, X86_ADD, THREAD_AT(message_count),
                        j->threads * messages);
    jit_float_mode(j, false);
    if (j->group) {
        jit_end_group(j);
    } else {
        take_payloads(j, &j->k->ops[i]);
        go_on(j);
    }
    for (; i < j->k->op_count; i++)
        j->at[i] = j->x.size;
    give_up(j);
}

/* The registers of loops are the other half for the second thread. */
static bool
find_loops(struct jit *j)
{
    struct jit_side *second = &j->side[1];
    if (!jit_find_loops(j))
        return false;
    second->loops = arena_take(j->x.memory,
                               (j->loop_count + 1) * sizeof *j->loops, 64);
    for (uint32_t i = 0; second->loops && i < j->loop_count; i++) {
        struct jit_loop *l = &second->loops[i];
        *l = j->loops[i];
        l->regs <<= 16;
        for (unsigned p = 0; p < l->count; p++)
            l->pins[p].reg += 16;
    }
    return second->loops;
}

/* Four threads have too few registers for loops and for what is alive while
 * messages are answered. */
static bool
suits_four(const struct jit *j)
{
    return !j->has_loop && !j->in.sfids;
}

/* NULL without memory, and where an instruction needs more than there is for
 * each. */
static void *
make_code(struct jit *j, const struct eu_jit *jit)
{
    if (!jit_allocate(j) || !jit_analyse(j, true) ||
        (j->threads > 2 && !suits_four(j)) || !find_loops(j))
        return NULL;
    j->row_grf = jit->row_grf;
    jit_prologue(j);
    compile_together(j);
    jit_memory_misses(j);
    jit_math_helpers(j);
    jit_math_rescues(j);
    j->text_B = j->x.size;
    x86_place_pool(&j->x);
    bool as_alone = (!j->needs_nearest || jit->needs_nearest) &&
                    (!j->needs_flush || jit->needs_flush) &&
                    (!j->needs_halves || jit->needs_halves);
    if (j->x.failed || j->failed || !as_alone)
        return NULL;
    return eu_exec_publish(j->x.code, j->x.size);
}

/* sinks: ops may move, if there are not enough registers for their order. */
static struct jit_together *
make(const struct eu_jit *jit, unsigned threads, bool sinks)
{
    struct jit_together *p = calloc(1, sizeof *p);
    struct jit_side side[JIT_MOST_THREADS] = {{.loops = NULL}};
    struct jit j;
    jit_begin(&j, jit->kernel, jit->cpu, jit->flags);
    for (unsigned n = 0; n < threads; n++)
        side[n].flag_at[0] = side[n].flag_at[1] = 0xff;
    j.full = true;
    j.flattens = jit->flat;
    j.threads = threads;
    j.sinks = sinks;
    j.side = side;
    j.group = jit->groups;
    void *code = p ? make_code(&j, jit) : NULL;
    if (code) {
        struct jit_copy copy = {.kernel = jit->kernel,
                                .code = code,
                                .size_B = j.x.size,
                                .text_B = j.text_B,
                                .at = j.at,
                                .order = j.order,
                                .threads = threads};
        p->code = code;
        p->size_B = j.x.size;
        p->begin = j.row_at;
        p->gdb = jit->shown ? eu_show_begin(&copy) : NULL;
        if (jit->shown && trace_on(TRACE_jit))
            eu_jit_trace(jit, &copy);
    } else {
        free(p);
        p = NULL;
    }
    bool again = !code && threads > 2 && j.spills && !sinks;
    jit_finish(&j);
    return again ? make(jit, threads, true) : p;
}

void
eu_jit_free_together(struct jit_together *p)
{
    if (!p)
        return;
    eu_show_end(p->gdb);
    eu_exec_release(p->code, p->size_B);
    free(p);
}

const struct jit_together *
eu_jit_together(const struct eu_jit *compiled, unsigned threads)
{
    struct eu_jit *jit = (struct eu_jit *)compiled;
    unsigned i = threads > 2;
    struct jit_together *p = atomic_load_explicit(&jit->together[i].code,
                                                  memory_order_acquire);
    if (p ||
        atomic_load_explicit(&jit->together[i].failed, memory_order_relaxed))
        return p;
    bool may = jit->pairs || jit->groups;
    struct jit_together *mine = may ? make(jit, threads, false) : NULL;
    if (!mine)
        atomic_store_explicit(&jit->together[i].failed, true,
                              memory_order_relaxed);
    else if (atomic_compare_exchange_strong(&jit->together[i].code, &p, mine))
        return mine;
    eu_jit_free_together(mine);
    return p;
}
