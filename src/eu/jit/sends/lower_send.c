/* lower_send.c: messages, assembled by compiled code.
 *
 * The constant part is copied into the thread's message; register addresses
 * and, if channels may be off, the mask are added. Live values are in the
 * register file during the call: no vector register survives a call. */
#include "eu/jit/sends/sends.h"

#include "eu/jit/analysis/memory_access.h"
#include "eu/jit/x86/encode_gpr.h"

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define MESSAGE_AT(member) \
    (THREAD_AT(message) + offsetof(struct eu_message, member))

/* One vector: the constant part, and the first address after it. */
#define TEMPLATE_DW 8
static_assert(offsetof(struct eu_message, exec_mask) < TEMPLATE_DW * 4 &&
                  sizeof(struct eu_message) >= TEMPLATE_DW * 4,
              "the constant part of a message is in one vector");

static void
store_address(struct jit *j, size_t at, bool used, unsigned grf_B)
{
    if (used)
        x86_lea(&j->x, X86_RAX, X86_RBX,
                j->x.bias + (int32_t)(THREAD_AT(grf) + grf_B));
    else
        x86_gop(&j->x, X86_G_XOR, false, X86_RAX, x86_g(X86_RAX));
    x86_store(&j->x, X86_RAX, at, 8);
}

/* Stores the mask: channels that are on and whose predicate is true. */
void
jit_store_send_mask(struct jit *j, const struct eu_op *op)
{
    struct x86 *x = &j->x;
    bool exec = !op->no_mask && (!j->f->unmasked || j->f->in.lane_independent);
    if (!exec && !op->pred)
        return;
    if (op->pred)
        jit_pred_bits(j, op, X86_RAX);
    if (exec) {
        x86_load(x, X86_RCX, THREAD_AT(mask), 4);
        if (op->chan)
            x86_shift_imm(x, false, X86_RCX, op->chan);
        if (op->pred)
            x86_alu_reg(x, X86_AND, X86_RAX, X86_RCX, false);
        else
            x86_mov_reg(x, X86_RAX, X86_RCX);
    }
    x86_alu_imm(x, X86_AND, X86_RAX, op->full, false);
    x86_store(x, X86_RAX, MESSAGE_AT(exec_mask), 4);
}

static void
store_message(struct jit *j, const struct eu_op *op, const struct jit_send *s)
{
    uint32_t dw[TEMPLATE_DW];
    memcpy(dw, &s->m, sizeof dw);
    struct x86_rm constant = x86_const(&j->x, dw, TEMPLATE_DW);
    x86_vop(&j->x, X86_MOVUPS_LD, 1, 0, 0, constant, 0);
    x86_vop(&j->x, X86_MOVUPS_ST, 1, 0, 0, x86_thread(THREAD_AT(message)), 0);
    jit_store_send_mask(j, op);
    store_address(j, MESSAGE_AT(src0), true, s->src_B[0]);
    store_address(j, MESSAGE_AT(src1), s->m.ex_mlen_grf, s->src_B[1]);
    store_address(j, MESSAGE_AT(dst), s->m.rlen_grf, s->dst_B);
}

/* Ends the thread: finished, or failed if the message failed. */
static void
finish_thread(struct jit *j)
{
    struct x86 *x = &j->x;
    static_assert(EU_FAILED == EU_FINISHED + 1, "an error adds one");
    x86_gop(x, X86_G_XOR, false, X86_RCX, x86_g(X86_RCX));
    x86_alu_imm(x, X86_CMP, X86_RAX, EU_MSG_ERROR, false);
    x86_setcc(x, X86_CC_E, X86_RCX);
    x86_alu_imm(x, X86_ADD, X86_RCX, EU_FINISHED, false);
    x86_store(x, X86_RCX, THREAD_AT(status), 4);
    jit_leave(j);
}

void
jit_pass_send(struct jit *j, const struct eu_op *op, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    store_message(j, op, s);
    x86_store_imm(x, THREAD_AT(ip), op->ip);
    x86_vzeroupper(x);
    if (x->bias)
        x86_lea(x, X86_RDI, X86_RBX, x->bias);
    else
        x86_mov_reg(x, X86_RDI, X86_RBX);
    x86_lea(x, X86_RSI, X86_RBX, x->bias + (int32_t)THREAD_AT(message));
    x86_call_at(x, THREAD_AT(send));
}

void
jit_call_send(struct jit *j, const struct eu_op *op, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    jit_pass_send(j, op, s);
    x86_alu_imm(x, X86_CMP, X86_RAX, EU_MSG_ERROR, false);
    uint32_t good = x86_jump(x, X86_CC_NE);
    x86_store_imm(x, THREAD_AT(status), EU_FAILED);
    jit_leave(j);
    x86_patch(x, good, x->size);
}

/* Returns if the thread may end without a message. */
static void
end_quietly(struct jit *j)
{
    struct x86 *x = &j->x;
    x86_alu_mem_imm(x, X86_CMP, THREAD_AT(ends_quietly), 0);
    uint32_t loud = x86_jump(x, X86_CC_E);
    x86_store_imm(x, THREAD_AT(status), EU_FINISHED);
    x86_vzeroupper(x);
    jit_leave(j);
    x86_patch(x, loud, x->size);
}

/* ---- direct answers and barriers ---- */

static bool
is_sampler(const struct eu_op *op)
{
    return jit_is_send(op) && op->insn->sfid == EU_SFID_SAMPLER;
}

/* Only a kernel's first sampler messages have a site. */
uint8_t
jit_direct_site(const struct jit *j, uint32_t index, const struct jit_send *s)
{
    const struct eu_op *op = &j->f->k->ops[index];
    unsigned len_grf = s->m.mlen_grf + s->m.ex_mlen_grf, before = 0;
    if (j->f->has_modes || !is_sampler(op) || s->m.eot || s->m.header ||
        op->lanes != 16 || op->chan || op->pred || s->m.mlen_grf % 2 ||
        (len_grf != 4 && len_grf != 6) || !s->m.rlen_grf)
        return 0;
    for (uint32_t i = 0; i < index; i++)
        before += is_sampler(&j->f->k->ops[i]);
    return before < EU_DIRECTS ? (uint8_t)(before + 1) : 0;
}

unsigned
jit_read_vectors(struct jit *j, const struct jit_send *s,
                 unsigned reg[JIT_PASSED])
{
    const unsigned step = j->f->evex ? 2 : 1;
    const unsigned count = (s->m.mlen_grf + s->m.ex_mlen_grf) / step;
    for (unsigned i = 0; i < count; i++)
        reg[i] = jit_vec(j, jit_payload_B(s, step * i), step * EU_GRF_B);
    return count;
}

uint32_t
jit_call_direct(struct jit *j, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    unsigned reg[JIT_PASSED], count = jit_read_vectors(j, s, reg);
    x86_load(x, X86_RAX, THREAD_AT(direct), 8);
    x86_load_at_rax(x, X86_RAX, (s->m.site - 1u) * sizeof(void *));
    x86_test(x, X86_RAX);
    uint32_t none = x86_jump(x, X86_CC_E);
    jit_move_to_first(j, reg, count);
    x86_load_at_rax(x, X86_RDI, offsetof(struct eu_direct, arg));
    x86_load_at_rax(x, X86_RDX, offsetof(struct eu_direct, more));
    x86_load(x, X86_RCX, THREAD_AT(user), 8);
    x86_lea(x, X86_RSI, X86_RBX,
            x->bias + (int32_t)(THREAD_AT(grf) + s->dst_B));
    static_assert(offsetof(struct eu_direct, fn) == 0, "called at [rax]");
    x86_call_at_rax(x);
    x86_alu_imm(x, X86_AND, X86_RAX, 1, false);
    uint32_t done = x86_jump(x, X86_CC_NE);
    x86_patch(x, none, x->size);
    return done;
}

/* With this bit the message says more than that the thread has arrived, so it
 * is sent. */
#define BARRIER_COUNT_DW 2
#define BARRIER_COUNT (1u << 15)

/* Signals a barrier for which the thread waits next. The function that runs the
 * group does the rest, after a fence; this thread may have omitted its own
 * (memory_access.h). A pending notification lets the thread pass at once: then
 * it needs its own fence. */
static uint32_t
signal_barrier(struct jit *j, const struct jit_send *s)
{
    static const uint8_t inc_at_rax[] = {0xff, 0x00};
    struct x86 *x = &j->x;
    size_t dw_B = THREAD_AT(grf) + s->src_B[0] + BARRIER_COUNT_DW * 4;
    x86_alu_mem_imm(x, X86_CMP, THREAD_AT(n0), 0);
    uint32_t waits = x86_jump(x, X86_CC_E);
    x86_fence(x);
    x86_patch(x, waits, x->size);
    x86_load(x, X86_RAX, THREAD_AT(arrived), 8);
    x86_test(x, X86_RAX);
    uint32_t none = x86_jump(x, X86_CC_E);
    x86_load(x, X86_RCX, dw_B, 4);
    x86_alu_imm(x, X86_AND, X86_RCX, BARRIER_COUNT, false);
    uint32_t more = x86_jump(x, X86_CC_NE);
    x86_bytes(x, inc_at_rax, sizeof inc_at_rax);
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, none, x->size);
    x86_patch(x, more, x->size);
    return done;
}

static void
call_or_send(struct jit *j, uint32_t index, const struct jit_send *s)
{
    uint32_t done = s->m.site                  ? jit_call_direct(j, s)
                    : jit_signals(j->f, index) ? signal_barrier(j, s)
                                               : 0;
    jit_call_send(j, &j->f->k->ops[index], s);
    if (done)
        x86_patch(&j->x, done, j->x.size);
}

bool
jit_lower_send(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->f->k->ops[index];
    struct jit_send s, copied;
    if (!jit_describe_send(&s, op))
        return false;
    if (j->f->unmasked)
        s.m.site = jit_direct_site(j, index, &s);
    if (jit_is_captured(op))
        jit_capture(j, op, &s);
    x86_alu_mem_imm(&j->x, X86_ADD, THREAD_AT(message_count), 1);
    if (op->insn->eot && op->insn->sfid == EU_SFID_SPAWNER && !op->pred)
        end_quietly(j);
    jit_flush(j, &j->f->live[!j->f->unmasked][index]);
    if (j->chain_at && jit_is_sample_store(j->f->k, index, &copied)) {
        jit_sample_store(j, &copied);
        jit_forget(j); /* the call has clobbered all registers */
    }
    if (op->insn->eot) {
        jit_pass_send(j, op, &s);
        finish_thread(j);
    } else {
        call_or_send(j, index, &s);
    }
    jit_forget(j);
    return true;
}
