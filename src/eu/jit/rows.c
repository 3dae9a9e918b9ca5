/* rows.c: the last message of threads that somebody waits for, and the next
 * thread of a row, which begins behind it. */
#include "eu/jit/lower_send.h"
#include "eu/jit/x86_gpr.h"

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define MASK_AT (THREAD_AT(message) + offsetof(struct eu_message, exec_mask))
#define ROW_AT(member) offsetof(struct eu_row, member)

bool
jit_is_caught(const struct eu_op *op)
{
    struct jit_send s;
    return op->insn->eot && op->lanes == 16 && !op->chan &&
           jit_describe_send(&s, op) && !s.m.header &&
           s.m.mlen_grf + s.m.ex_mlen_grf == EU_CATCH_GRF;
}

unsigned
jit_payload_B(const struct jit_send *s, unsigned grf)
{
    return grf < s->m.mlen_grf ? s->src_B[0] + grf * EU_GRF_B
                               : s->src_B[1] + (grf - s->m.mlen_grf) * EU_GRF_B;
}

/* A pair of the payload's registers, a colour's, in one vector register, if it
 * is not in two. */
static bool
is_pair(struct jit *j, const struct jit_send *s, unsigned grf)
{
    unsigned at_B = jit_payload_B(s, grf);
    if (!j->evex || grf % 2 || jit_payload_B(s, grf + 1) != at_B + EU_GRF_B)
        return false;
    return jit_find(j, JIT_GRF, at_B, 2 * EU_GRF_B) >= 0 ||
           (jit_find(j, JIT_GRF, at_B, EU_GRF_B) < 0 &&
            jit_find(j, JIT_GRF, at_B + EU_GRF_B, EU_GRF_B) < 0);
}

void
jit_read_caught(struct jit *j, const struct jit_send *s, struct jit_caught *c)
{
    *c = (struct jit_caught){0};
    for (unsigned i = 0; i < EU_CATCH_GRF; i += c->len_B[i] / EU_GRF_B) {
        c->len_B[i] = is_pair(j, s, i) ? 2 * EU_GRF_B : EU_GRF_B;
        c->reg[i] = jit_vec(j, jit_payload_B(s, i), c->len_B[i]);
    }
}

void
jit_store_caught(struct jit *j, const struct jit_caught *c)
{
    for (unsigned i = 0; i < EU_CATCH_GRF; i += c->len_B[i] / EU_GRF_B)
        x86_vop(&j->x, X86_MOVUPS_ST, jit_len(c->len_B[i]), c->reg[i], 0,
                x86_at_rax(i * EU_GRF_B), 0);
}

/* ---- rows ---- */

/* Threads that leave nothing behind, whatever channels they have: those of a
 * row may follow each other. */
static bool
makes_rows(const struct jit *j)
{
    return j->full && j->in.catches && j->in.apart && !j->in.acc &&
           j->in.leaves != EU_LEAVES_ALL &&
           !(j->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
}

/* The positions of a pixel shader's quads, in a thread's header. */
#define POSITIONS_GRF 1

unsigned
jit_payload_grf(const struct jit *j)
{
    bool placed = j->in.full[0] >> POSITIONS_GRF & 1;
    return j->weights_grf ? j->weights_grf : placed ? POSITIONS_GRF : 0;
}

static unsigned
row_step_B(const struct jit *j)
{
    return j->evex ? 2 * EU_GRF_B : EU_GRF_B;
}

/* Nobody looks at the weights but PLN, which finds them in the right order. */
static bool
only_planes(const struct jit *j)
{
    const unsigned off_B = j->row_grf * EU_GRF_B;
    for (uint32_t i = 0; i < j->k->op_count; i++) {
        const struct eu_insn *insn = j->k->ops[i].insn;
        const struct jit_set *live = &j->live[!j->full][i];
        if (!jit_set_has(live, off_B, EU_ROW_GRF * EU_GRF_B))
            return true;
        if (jit_set_has(&j->regs[i].uses, off_B, EU_ROW_GRF * EU_GRF_B) &&
            (insn->opcode != EU_OP_PLN || j->k->ops[i].lanes != 16 ||
             insn->src[1].reg != j->row_grf || insn->src[1].subreg_B))
            return false;
    }
    return true;
}

static void
bind_plane(struct jit *j, unsigned reg, enum jit_kind kind)
{
    jit_note(j, reg, kind, j->row_grf * EU_GRF_B, EU_ROW_GRF * EU_GRF_B);
    j->v.dirty |= JIT_BIT(reg);
}

static void
bind_live(struct jit *j, unsigned reg, unsigned at_B)
{
    if (jit_set_has(&j->live[!j->full][0], at_B, 2 * EU_GRF_B))
        jit_bind(j, reg, at_B, 2 * EU_GRF_B);
}

static void
join(struct jit *j, unsigned u, unsigned v, unsigned order, unsigned at_B)
{
    unsigned r = jit_temp(j);
    x86_vop_imm(&j->x, X86_SHUFF32X4, 2, r, u, x86_reg(v), 0, order);
    jit_bind(j, r, at_B, 2 * EU_GRF_B);
}

void
jit_bind_payload(struct jit *j, unsigned low, unsigned high)
{
    const unsigned at_B = j->row_grf * EU_GRF_B;
    if (!j->weights_grf) {
        bind_live(j, low, at_B);
        bind_live(j, high, at_B + 2 * EU_GRF_B);
    } else if (only_planes(j)) {
        bind_plane(j, low, JIT_PLANE_U);
        bind_plane(j, high, JIT_PLANE_V);
    } else {
        join(j, low, high, 0x44, at_B);
        join(j, low, high, 0xee, at_B + 2 * EU_GRF_B);
    }
}

static void
load_part(struct jit *j, unsigned reg, unsigned i)
{
    const unsigned off_B = j->row_grf * EU_GRF_B, step_B = row_step_B(j);
    if (j->weights_grf && j->evex)
        jit_load_plane(j, reg, i ? JIT_PLANE_V : JIT_PLANE_U, off_B);
    else
        jit_load_len(j, reg, off_B + i * step_B, step_B);
}

void
jit_begin_row(struct jit *j)
{
    unsigned grf = makes_rows(j) ? jit_payload_grf(j) : 0;
    unsigned parts = EU_ROW_GRF * EU_GRF_B / row_step_B(j);
    if (!grf)
        return;
    j->row_grf = grf;
    for (unsigned i = 0; i < parts; i++) {
        j->row_reg[i] = (uint8_t)jit_temp(j);
        load_part(j, j->row_reg[i], i);
    }
    j->row_at = j->x.size;
    /* Of later threads they are nowhere else. */
    if (j->evex)
        jit_bind_payload(j, j->row_reg[0], j->row_reg[1]);
    for (unsigned i = 0; !j->evex && i < parts; i++)
        jit_bind(j, j->row_reg[i], (grf + i) * EU_GRF_B, EU_GRF_B);
    jit_unlock_but(j, 0);
}

static void
copy_from_rax(struct jit *j, size_t at, size_t to)
{
    x86_load_from_rax(&j->x, X86_RCX, at);
    x86_store(&j->x, X86_RCX, to, 4);
}

/* The thread that begins finds what every thread of the launch does, but for
 * channels if nobody asks for them. */
static void
begin_thread(struct jit *j, bool asks)
{
    struct x86 *x = &j->x;
    if (asks) {
        copy_from_rax(j, ROW_AT(dispatch_mask), THREAD_AT(sr0[2]));
        copy_from_rax(j, ROW_AT(vector_mask), THREAD_AT(sr0[3]));
        copy_from_rax(j, ROW_AT(mask), THREAD_AT(mask));
        x86_mov_reg(x, X86_R13, X86_RCX);
    }
    if (j->in.leaves == EU_LEAVES_NONE || !j->finds_flags)
        return;
    x86_vop(x, X86_XORPS, 1, 0, 0, x86_reg(0), 0);
    x86_vop(x, X86_MOVUPS_ST, 1, 0, 0, x86_thread(THREAD_AT(a0)), 0);
    x86_store_imm(x, THREAD_AT(f[0]), 0);
    x86_store_imm(x, THREAD_AT(f[1]), 0);
}

/* rax: the row of the thread that has ended. The next thread begins, if there
 * is one. No register is needed any more, nor known by what is made for those
 * who do not come here. */
static void
go_on_with_row(struct jit *j, bool catches)
{
    struct x86 *x = &j->x;
    const unsigned step_B = row_step_B(j);
    x86_load_from_rax(x, X86_RCX, ROW_AT(more));
    x86_test(x, X86_RCX);
    uint32_t last = x86_jump(x, X86_CC_E);
    x86_alu_imm(x, X86_ADD, X86_RAX, sizeof(struct eu_row), true);
    x86_store(x, X86_RAX, THREAD_AT(row), 8);
    if (catches) {
        x86_load_at_rax(x, X86_RCX, ROW_AT(caught));
        x86_store(x, X86_RCX, THREAD_AT(caught), 8);
    }
    begin_thread(j, catches || j->asks);
    if (j->in.own_lit)
        copy_from_rax(j, ROW_AT(lit), THREAD_AT(grf) + EU_LIT_B);
    for (unsigned i = 0; i * step_B < EU_ROW_GRF * EU_GRF_B; i++) {
        unsigned part = j->evex ? i : eu_row_place(j->weights_grf, i);
        x86_vop(x, X86_MOVUPS_LD, jit_len(step_B), j->row_reg[i], 0,
                x86_at_rax(part * step_B), 0);
    }
    x86_patch(x, x86_jump(x, X86_ALWAYS), j->row_at);
    x86_patch(x, last, x->size);
}

/* edx: of the row at rax. */
static void
set_caught_mask(struct jit *j)
{
    struct x86 *x = &j->x;
    x86_mov_reg(x, X86_RCX, X86_RAX);
    x86_alu_reg(x, X86_SUB, X86_RCX, X86_RBX, true);
    x86_gop(x, X86_G_ST, false, X86_RDX,
            x86_g_index(X86_RCX, ROW_AT(caught_mask)));
}

static void
store_caught_mask(struct jit *j)
{
    struct x86 *x = &j->x;
    x86_load(x, X86_RDX, MASK_AT, 4);
    x86_gop(x, X86_G_AND, false, X86_RDX, x86_g_thread(THREAD_AT(sr0[2])));
    set_caught_mask(j);
}

static void
finish(struct jit *j)
{
    x86_store_imm(&j->x, THREAD_AT(status), EU_FINISHED);
    x86_vzeroupper(&j->x);
    jit_leave(j);
}

/* ---- tails ---- */

/* Halves of vectors that are in registers of their own; which nobody will look
 * for again. */
static void
join_halves(struct jit *j, struct jit_caught *c)
{
    for (unsigned i = 0; j->evex && i < EU_CATCH_GRF; i += 2) {
        if (c->len_B[i] == EU_GRF_B)
            x86_vop_imm(&j->x, X86_INSERTF64X4, 2, c->reg[i], c->reg[i],
                        x86_reg(c->reg[i + 1]), 0, 1);
    }
}

static void
move_vec(struct jit *j, unsigned to, unsigned from)
{
    x86_vop(&j->x, X86_MOVAPS, j->evex ? 2 : 1, to, 0, x86_reg(from), 0);
}

void
jit_move_to_first(struct jit *j, unsigned *from, unsigned count)
{
    const unsigned spare = 15; /* if it is one of them, it has moved by then */
    uint32_t waiting = (1u << count) - 1, ready;
    while (waiting) {
        uint32_t sources = 0;
        for (uint32_t set = waiting; set; set &= set - 1)
            sources |= JIT_BIT(from[jit_first(set)]);
        ready = 0;
        for (uint32_t set = waiting; set; set &= set - 1) {
            unsigned to = jit_first(set);
            if (from[to] == to || !(sources >> to & 1))
                ready |= 1u << to;
        }
        /* A circle: one of it is out of the way. */
        if (!ready) {
            unsigned to = jit_first(waiting);
            move_vec(j, spare, from[to]);
            from[to] = spare;
            continue;
        }
        unsigned to = jit_first(ready);
        if (from[to] != to)
            move_vec(j, to, from[to]);
        waiting &= ~(1u << to);
    }
}

void
jit_pass_caught(struct jit *j, struct jit_caught *c, unsigned threads)
{
    unsigned step = j->evex ? 2 : 1, from[EU_CATCH_GRF], count = 0;
    for (unsigned n = 0; n < threads; n++) {
        join_halves(j, &c[n]);
        for (unsigned i = 0; i < EU_CATCH_GRF; i += step)
            from[count++] = c[n].reg[i];
    }
    jit_move_to_first(j, from, count);
}

/* rax := the row, edx := its lanes that have a colour. */
static void
load_row(struct jit *j, bool pred)
{
    struct x86 *x = &j->x;
    x86_load(x, X86_RAX, THREAD_AT(row), 8);
    if (!pred) {
        x86_load_from_rax(x, X86_RDX, ROW_AT(caught_mask));
        return;
    }
    x86_load_from_rax(x, X86_RCX, ROW_AT(caught_mask));
    x86_alu_reg(x, X86_AND, X86_RDX, X86_RCX, false);
    set_caught_mask(j);
}

/* If the row has a tail, that takes the payload, and the next thread follows.
 */
static void
call_tail(struct jit *j, const struct eu_op *op, struct jit_caught c)
{
    struct x86 *x = &j->x;
    x86_load(x, X86_RAX, THREAD_AT(tail.fn), 8);
    x86_test(x, X86_RAX);
    uint32_t none = x86_jump(x, X86_CC_E);
    if (op->pred)
        jit_pred_bits(j, op, X86_RDX);
    jit_pass_caught(j, &c, 1);
    load_row(j, op->pred);
    x86_mov_reg(x, X86_RDI, X86_RAX);
    x86_load(x, X86_RSI, THREAD_AT(tail.arg), 8);
    x86_call_at(x, THREAD_AT(tail.fn));
    x86_load(x, X86_RAX, THREAD_AT(row), 8);
    go_on_with_row(j, false);
    finish(j);
    x86_patch(x, none, x->size);
}

/* ---- copies ---- */

/* Two vectors, in which lanes keep to themselves, and all of the answer. */
static bool
is_sample(const struct eu_op *op, struct jit_send *s)
{
    const struct eu_insn *insn = op->insn;
    return jit_is_send(op) && insn->sfid == EU_SFID_SAMPLER && !insn->eot &&
           op->lanes == 16 && !op->chan && !op->pred &&
           jit_describe_send(s, op) && !s->m.header &&
           s->m.mlen_grf + s->m.ex_mlen_grf == 4 && s->m.mlen_grf % 2 == 0 &&
           s->m.rlen_grf == EU_CATCH_GRF;
}

bool
jit_is_copied(const struct eu_kernel *k, uint32_t index, struct jit_send *s)
{
    const struct eu_op *op = &k->ops[index], *end = op + 1;
    struct jit_send last;
    if (index + 1 >= k->op_count || !jit_is_send(end) || end->pred ||
        !jit_is_caught(end) || !is_sample(op, s) ||
        !jit_describe_send(&last, end))
        return false;
    for (unsigned i = 0; i < EU_CATCH_GRF; i++) {
        if (jit_payload_B(&last, i) != s->dst_B + i * EU_GRF_B)
            return false;
    }
    return true;
}

void
jit_copy(struct jit *j, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    unsigned reg[JIT_PASSED], count = jit_read_vectors(j, s, reg);
    x86_load(x, X86_RAX, THREAD_AT(tail.copy), 8);
    x86_test(x, X86_RAX);
    uint32_t none = x86_jump(x, X86_CC_E);
    jit_move_to_first(j, reg, count);
    load_row(j, false);
    x86_mov_reg(x, X86_RDI, X86_RAX);
    x86_load(x, X86_RSI, THREAD_AT(tail.arg), 8);
    x86_call_at(x, THREAD_AT(tail.copy));
    x86_alu_imm(x, X86_AND, X86_RAX, 1, false);
    uint32_t failed = x86_jump(x, X86_CC_E);
    x86_load(x, X86_RAX, THREAD_AT(row), 8);
    go_on_with_row(j, false);
    finish(j);
    x86_patch(x, none, x->size);
    x86_patch(x, failed, x->size);
    jit_unlock_but(j, 0);
}

/* Leaves the payload where somebody waits for it. Goes on behind it if nobody
 * does. */
void
jit_catch(struct jit *j, const struct eu_op *op, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    struct jit_caught c;
    jit_read_caught(j, s, &c);
    if (j->row_at)
        call_tail(j, op, c);
    x86_store_imm(x, MASK_AT, op->full);
    jit_store_send_mask(j, op);
    x86_load(x, X86_RAX, THREAD_AT(caught), 8);
    x86_test(x, X86_RAX);
    uint32_t nobody = x86_jump(x, X86_CC_E);
    jit_store_caught(j, &c);
    if (j->row_at) {
        x86_load(x, X86_RAX, THREAD_AT(row), 8);
        x86_test(x, X86_RAX);
        uint32_t alone = x86_jump(x, X86_CC_E);
        store_caught_mask(j);
        go_on_with_row(j, true);
        x86_patch(x, alone, x->size);
    }
    finish(j);
    x86_patch(x, nobody, x->size);
    jit_unlock_but(j, 0);
}
