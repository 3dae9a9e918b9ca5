/* lower_send.c: messages, put together by compiled code.
 *
 * What does not change is a constant that is copied into the thread's message;
 * the addresses of the registers and, where channels may be off, the mask are
 * added. Live values are in the register file when the function is called:
 * hosts keep no vector registers across calls. */
#include "eu/jit/lower_send.h"
#include "eu/jit/x86_gpr.h"

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define MESSAGE_AT(member) \
    (THREAD_AT(message) + offsetof(struct eu_message, member))

/* A whole vector: the constant part and the first address, which follows. */
#define TEMPLATE_DW 8
static_assert(offsetof(struct eu_message, exec_mask) < TEMPLATE_DW * 4 &&
                  sizeof(struct eu_message) >= TEMPLATE_DW * 4,
              "the constant part of a message is in one vector");

/* A range of registers that is known now. */
static bool
direct(const struct eu_operand *o, unsigned count_grf, unsigned *at_B)
{
    *at_B = o->reg * EU_GRF_B;
    return o->file == EU_FILE_GRF && !o->indirect &&
           *at_B + count_grf * EU_GRF_B <= EU_GRF_FILE_B;
}

/* As eu_op_send(), but for what only a running thread knows. */
bool
jit_describe_send(struct jit_send *s, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    bool split = insn->opcode == EU_OP_SENDS || insn->opcode == EU_OP_SENDSC;
    if (insn->desc_is_reg || insn->ex_desc_is_reg)
        return false;
    memset(s, 0, sizeof *s);
    s->m = (struct eu_message){
        .sfid = insn->sfid,
        .eot = insn->eot,
        .header = bits_get(insn->desc, 19, 19),
        .check_tdr = insn->opcode == EU_OP_SENDC ||
                     insn->opcode == EU_OP_SENDSC,
        .exec_size = op->lanes,
        .chan_offset = op->chan,
        .mlen_grf = (uint8_t)bits_get(insn->desc, 25, 28),
        .rlen_grf = (uint8_t)bits_get(insn->desc, 20, 24),
        .ex_mlen_grf = split ? (uint8_t)bits_get(insn->ex_desc, 6, 9) : 0,
        .desc = insn->desc,
        .ex_desc = insn->ex_desc,
        .exec_mask = op->full,
    };
    if (insn->dst.file != EU_FILE_GRF)
        s->m.rlen_grf = 0;
    return direct(&insn->src[0], s->m.mlen_grf, &s->src_B[0]) &&
           (!s->m.ex_mlen_grf ||
            direct(&insn->src[1], s->m.ex_mlen_grf, &s->src_B[1])) &&
           (!s->m.rlen_grf || direct(&insn->dst, s->m.rlen_grf, &s->dst_B));
}

static void
store_address(struct jit *j, size_t at, bool used, unsigned grf_B)
{
    if (used)
        x86_lea(&j->x, X86_RAX, X86_RBX, (int32_t)(THREAD_AT(grf) + grf_B));
    else
        x86_gop(&j->x, X86_G_XOR, false, X86_RAX, x86_g(X86_RAX));
    x86_store(&j->x, X86_RAX, at, 8);
}

/* Channels that are off, or whose predicate is. */
static void
store_mask(struct jit *j, const struct eu_op *op)
{
    struct x86 *x = &j->x;
    bool exec = !op->no_mask && (!j->full || j->in.apart);
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
    store_mask(j, op);
    store_address(j, MESSAGE_AT(src0), true, s->src_B[0]);
    store_address(j, MESSAGE_AT(src1), s->m.ex_mlen_grf, s->src_B[1]);
    store_address(j, MESSAGE_AT(dst), s->m.rlen_grf, s->dst_B);
}

/* The thread ends, well unless the message failed. */
static void
finish(struct jit *j)
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

bool
jit_is_caught(const struct eu_op *op)
{
    struct jit_send s;
    return op->insn->eot && op->lanes == 16 && !op->chan &&
           jit_describe_send(&s, op) && !s.m.header &&
           s.m.mlen_grf + s.m.ex_mlen_grf == EU_CATCH_GRF;
}

/* Where a register of the payload lies in the register file. */
static unsigned
payload_B(const struct jit_send *s, unsigned grf)
{
    return grf < s->m.mlen_grf ? s->src_B[0] + grf * EU_GRF_B
                               : s->src_B[1] + (grf - s->m.mlen_grf) * EU_GRF_B;
}

/* A pair of the payload's registers in one vector register, if it is not in
 * two. */
static bool
is_pair(struct jit *j, const struct jit_send *s, unsigned grf)
{
    unsigned at_B = payload_B(s, grf);
    if (!j->evex || grf + 1 == EU_CATCH_GRF ||
        payload_B(s, grf + 1) != at_B + EU_GRF_B)
        return false;
    return jit_find(j, JIT_GRF, at_B, 2 * EU_GRF_B) >= 0 ||
           (jit_find(j, JIT_GRF, at_B, EU_GRF_B) < 0 &&
            jit_find(j, JIT_GRF, at_B + EU_GRF_B, EU_GRF_B) < 0);
}

/* Threads that leave nothing behind, whatever channels they have: those of a
 * row may follow each other. */
static bool
makes_rows(const struct jit *j)
{
    return j->full && j->in.catches && j->in.apart && !j->in.acc &&
           j->in.leaves != EU_LEAVES_ALL &&
           !(j->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
}

/* What the first PLN has its weights in, or 0. */
static unsigned
weights_grf(const struct jit *j)
{
    for (uint32_t i = 0; i < j->k->op_count; i++) {
        const struct eu_insn *insn = j->k->ops[i].insn;
        const struct eu_operand *o = &insn->src[1];
        if (insn->opcode == EU_OP_PLN && o->file == EU_FILE_GRF &&
            !o->indirect && o->reg + EU_ROW_GRF <= EU_GRF_COUNT)
            return o->reg;
    }
    return 0;
}

static unsigned
row_step_B(const struct jit *j)
{
    return j->evex ? 2 * EU_GRF_B : EU_GRF_B;
}

void
jit_begin_row(struct jit *j)
{
    unsigned grf = makes_rows(j) ? weights_grf(j) : 0;
    unsigned step_B = row_step_B(j);
    if (!grf)
        return;
    for (unsigned i = 0; i * step_B < EU_ROW_GRF * EU_GRF_B; i++) {
        unsigned at_B = grf * EU_GRF_B + i * step_B, r = jit_temp(j);
        jit_load_len(j, r, at_B, step_B);
        /* Of later threads they are nowhere else. */
        jit_bind(j, r, at_B, step_B);
        j->row_reg[i] = (uint8_t)r;
    }
    jit_unlock_but(j, 0);
    j->row_grf = grf;
    j->row_at = j->x.size;
}

static void
copy_from_rax(struct jit *j, size_t at, size_t to)
{
    x86_load_from_rax(&j->x, X86_RCX, at);
    x86_store(&j->x, X86_RCX, to, 4);
}

/* The thread that begins finds what every thread of the launch does. */
static void
begin_thread(struct jit *j)
{
    struct x86 *x = &j->x;
    x86_load_at_rax(x, X86_RCX, offsetof(struct eu_row, caught));
    x86_store(x, X86_RCX, THREAD_AT(caught), 8);
    copy_from_rax(j, offsetof(struct eu_row, dispatch_mask), THREAD_AT(sr0[2]));
    copy_from_rax(j, offsetof(struct eu_row, vector_mask), THREAD_AT(sr0[3]));
    copy_from_rax(j, offsetof(struct eu_row, mask), THREAD_AT(mask));
    x86_mov_reg(x, X86_R13, X86_RCX);
    if (j->in.leaves == EU_LEAVES_NONE)
        return;
    x86_vop(x, X86_XORPS, 1, 0, 0, x86_reg(0), 0);
    x86_vop(x, X86_MOVUPS_ST, 1, 0, 0, x86_thread(THREAD_AT(a0)), 0);
    x86_store_imm(x, THREAD_AT(f[0]), 0);
    x86_store_imm(x, THREAD_AT(f[1]), 0);
}

/* The next thread of a row begins, if there is one. No register is needed any
 * more, nor known by what is made for those who do not come here. */
static void
go_on_with_row(struct jit *j)
{
    struct x86 *x = &j->x;
    const unsigned step_B = row_step_B(j);
    x86_load(x, X86_RAX, THREAD_AT(row), 8);
    x86_test(x, X86_RAX);
    uint32_t alone = x86_jump(x, X86_CC_E);
    x86_load(x, X86_RDX, MESSAGE_AT(exec_mask), 4);
    x86_gop(x, X86_G_AND, false, X86_RDX, x86_g_thread(THREAD_AT(sr0[2])));
    x86_mov_reg(x, X86_RCX, X86_RAX);
    x86_alu_reg(x, X86_SUB, X86_RCX, X86_RBX, true);
    x86_gop(x, X86_G_ST, false, X86_RDX,
            x86_g_index(X86_RCX, offsetof(struct eu_row, caught_mask)));
    x86_load_from_rax(x, X86_RCX, offsetof(struct eu_row, more));
    x86_test(x, X86_RCX);
    uint32_t last = x86_jump(x, X86_CC_E);
    x86_alu_imm(x, X86_ADD, X86_RAX, sizeof(struct eu_row), true);
    x86_store(x, X86_RAX, THREAD_AT(row), 8);
    begin_thread(j);
    for (unsigned i = 0; i * step_B < EU_ROW_GRF * EU_GRF_B; i++)
        x86_vop(x, X86_MOVUPS_LD, jit_len(step_B), j->row_reg[i], 0,
                x86_at_rax(i * step_B), 0);
    x86_patch(x, x86_jump(x, X86_ALWAYS), j->row_at);
    x86_patch(x, alone, x->size);
    x86_patch(x, last, x->size);
}

/* Leaves the payload where somebody waits for it. Goes on behind it if nobody
 * does. */
static void catch (struct jit *j, const struct eu_op *op,
                   const struct jit_send *s)
{
    struct x86 *x = &j->x;
    unsigned reg[EU_CATCH_GRF], len_B[EU_CATCH_GRF];
    for (unsigned i = 0; i < EU_CATCH_GRF; i += len_B[i] / EU_GRF_B) {
        len_B[i] = is_pair(j, s, i) ? 2 * EU_GRF_B : EU_GRF_B;
        reg[i] = jit_vec(j, payload_B(s, i), len_B[i]);
    }
    x86_store_imm(x, MESSAGE_AT(exec_mask), op->full);
    store_mask(j, op);
    x86_load(x, X86_RAX, THREAD_AT(caught), 8);
    x86_test(x, X86_RAX);
    uint32_t nobody = x86_jump(x, X86_CC_E);
    for (unsigned i = 0; i < EU_CATCH_GRF; i += len_B[i] / EU_GRF_B)
        x86_vop(x, X86_MOVUPS_ST, jit_len(len_B[i]), reg[i], 0,
                x86_at_rax(i * EU_GRF_B), 0);
    if (j->row_at)
        go_on_with_row(j);
    x86_store_imm(x, THREAD_AT(status), EU_FINISHED);
    x86_vzeroupper(x);
    jit_leave(j);
    x86_patch(x, nobody, x->size);
    jit_unlock_but(j, 0);
}

static void
call(struct jit *j, const struct eu_op *op, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    store_message(j, op, s);
    x86_store_imm(x, THREAD_AT(ip), op->ip);
    x86_vzeroupper(x);
    x86_mov_reg(x, X86_RDI, X86_RBX);
    x86_lea(x, X86_RSI, X86_RBX, (int32_t)THREAD_AT(message));
    x86_call_at(x, THREAD_AT(send));
}

void
jit_call_send(struct jit *j, const struct eu_op *op, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    call(j, op, s);
    x86_alu_imm(x, X86_CMP, X86_RAX, EU_MSG_ERROR, false);
    uint32_t good = x86_jump(x, X86_CC_NE);
    x86_store_imm(x, THREAD_AT(status), EU_FAILED);
    jit_leave(j);
    x86_patch(x, good, x->size);
}

bool
jit_lower_send(struct jit *j, uint32_t index)
{
    const struct eu_op *op = &j->k->ops[index];
    struct jit_send s;
    if (!jit_describe_send(&s, op))
        return false;
    if (jit_is_caught(op))
        catch (j, op, &s);
    jit_flush(j, &j->live[!j->full][index]);
    x86_alu_mem_imm(&j->x, X86_ADD, THREAD_AT(message_count), 1);
    if (op->insn->eot) {
        call(j, op, &s);
        finish(j);
    } else {
        jit_call_send(j, op, &s);
    }
    jit_forget(j);
    return true;
}
