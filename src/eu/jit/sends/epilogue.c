/* epilogue.c: captures a thread's last message, and starts the chain's next
 * thread right after it. */
#include "eu/jit/sends/sends.h"

#include "eu/jit/x86/encode_gpr.h"

#define THREAD_AT(member) offsetof(struct eu_thread, member)
#define MASK_AT (THREAD_AT(message) + offsetof(struct eu_message, exec_mask))
#define ENTRY_AT(member) offsetof(struct eu_chain_entry, member)

/* Whether two of the payload's registers, one colour, are to be one vector
 * register: they are not cached separately. */
static bool
is_pair(struct jit *j, const struct jit_send *s, unsigned grf)
{
    unsigned at_B = jit_payload_B(s, grf);
    if (!j->f->evex || grf % 2 || jit_payload_B(s, grf + 1) != at_B + EU_GRF_B)
        return false;
    return jit_find(j, JIT_GRF, at_B, 2 * EU_GRF_B) >= 0 ||
           (jit_find(j, JIT_GRF, at_B, EU_GRF_B) < 0 &&
            jit_find(j, JIT_GRF, at_B + EU_GRF_B, EU_GRF_B) < 0);
}

void
jit_read_captured(struct jit *j, const struct jit_send *s,
                  struct jit_captured *c)
{
    *c = (struct jit_captured){0};
    for (unsigned i = 0; i < EU_CAPTURE_GRF; i += c->len_B[i] / EU_GRF_B) {
        c->len_B[i] = is_pair(j, s, i) ? 2 * EU_GRF_B : EU_GRF_B;
        c->reg[i] = jit_vec(j, jit_payload_B(s, i), c->len_B[i]);
    }
}

void
jit_store_captured(struct jit *j, const struct jit_captured *c)
{
    for (unsigned i = 0; i < EU_CAPTURE_GRF; i += c->len_B[i] / EU_GRF_B)
        x86_vop(&j->x, X86_MOVUPS_ST, jit_len(c->len_B[i]), c->reg[i], 0,
                x86_at_rax(i * EU_GRF_B), 0);
}

/* ---- chains ---- */

/* Whether threads change no state, whatever channels are on: then a chain's
 * threads may follow each other. */
static bool
makes_chain(const struct jit *j)
{
    return j->f->unmasked && j->f->in.captures_rt_write &&
           j->f->in.lane_independent && !j->f->in.acc &&
           j->f->in.clobbers != EU_CLOBBERS_ALL &&
           !(j->f->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
}

/* Positions of a pixel shader's quads, in a thread's header. */
#define POSITIONS_GRF 1

unsigned
jit_payload_grf(const struct jit *j)
{
    bool placed = j->f->in.full[0] >> POSITIONS_GRF & 1;
    return j->f->weights_grf ? j->f->weights_grf : placed ? POSITIONS_GRF : 0;
}

static unsigned
row_step_B(const struct jit *j)
{
    return j->f->evex ? 2 * EU_GRF_B : EU_GRF_B;
}

/* Whether only PLN reads the weights, in their order. */
static bool
only_planes(const struct jit *j)
{
    const unsigned off_B = j->chain_grf * EU_GRF_B;
    for (uint32_t i = 0; i < j->f->k->op_count; i++) {
        const struct eu_insn *insn = j->f->k->ops[i].insn;
        const struct jit_set *live = &j->f->live[!j->f->unmasked][i];
        if (!jit_set_has(live, off_B, EU_CHAIN_GRF * EU_GRF_B))
            return true;
        if (jit_set_has(&j->f->regs[i].uses, off_B, EU_CHAIN_GRF * EU_GRF_B) &&
            (insn->opcode != EU_OP_PLN || j->f->k->ops[i].lanes != 16 ||
             insn->src[1].reg != j->chain_grf || insn->src[1].subreg_B))
            return false;
    }
    return true;
}

static void
bind_plane(struct jit *j, unsigned reg, enum jit_kind kind)
{
    jit_note(j, reg, kind, j->chain_grf * EU_GRF_B, EU_CHAIN_GRF * EU_GRF_B);
    j->v.dirty |= JIT_BIT(reg);
}

static void
bind_live(struct jit *j, unsigned reg, unsigned at_B)
{
    if (jit_set_has(&j->f->live[!j->f->unmasked][0], at_B, 2 * EU_GRF_B))
        jit_bind(j, reg, at_B, 2 * EU_GRF_B);
}

static void
join_quarters(struct jit *j, unsigned u, unsigned v, unsigned order,
              unsigned at_B)
{
    unsigned r = jit_temp(j);
    x86_vop_imm(&j->x, X86_SHUFF32X4, 2, r, u, x86_reg(v), 0, order);
    jit_bind(j, r, at_B, 2 * EU_GRF_B);
}

void
jit_bind_payload(struct jit *j, unsigned low, unsigned high)
{
    const unsigned at_B = j->chain_grf * EU_GRF_B;
    if (!j->f->weights_grf) {
        bind_live(j, low, at_B);
        bind_live(j, high, at_B + 2 * EU_GRF_B);
    } else if (only_planes(j)) {
        bind_plane(j, low, JIT_PLANE_U);
        bind_plane(j, high, JIT_PLANE_V);
    } else {
        join_quarters(j, low, high, 0x44, at_B);
        join_quarters(j, low, high, 0xee, at_B + 2 * EU_GRF_B);
    }
}

static void
load_part(struct jit *j, unsigned reg, unsigned i)
{
    const unsigned off_B = j->chain_grf * EU_GRF_B, step_B = row_step_B(j);
    if (j->f->weights_grf && j->f->evex)
        jit_load_plane(j, reg, i ? JIT_PLANE_V : JIT_PLANE_U, off_B);
    else
        jit_load_len(j, reg, off_B + i * step_B, step_B);
}

void
jit_begin_chain(struct jit *j)
{
    unsigned grf = makes_chain(j) ? jit_payload_grf(j) : 0;
    unsigned parts = EU_CHAIN_GRF * EU_GRF_B / row_step_B(j);
    if (!grf)
        return;
    j->chain_grf = grf;
    for (unsigned i = 0; i < parts; i++) {
        j->chain_reg[i] = (uint8_t)jit_temp(j);
        load_part(j, j->chain_reg[i], i);
    }
    j->chain_at = j->x.size;
    /* Later threads have them only in these registers. */
    if (j->f->evex)
        jit_bind_payload(j, j->chain_reg[0], j->chain_reg[1]);
    for (unsigned i = 0; !j->f->evex && i < parts; i++)
        jit_bind(j, j->chain_reg[i], (grf + i) * EU_GRF_B, EU_GRF_B);
    jit_unlock_but(j, 0);
}

static void
copy_from_rax(struct jit *j, size_t at, size_t to)
{
    x86_load_from_rax(&j->x, X86_RCX, at);
    x86_store(&j->x, X86_RCX, to, 4);
}

/* Gives the next thread the launch's initial state. asks: some op reads which
 * channels are on. */
static void
begin_thread(struct jit *j, bool asks)
{
    struct x86 *x = &j->x;
    if (asks) {
        copy_from_rax(j, ENTRY_AT(dispatch_mask), THREAD_AT(sr0[2]));
        copy_from_rax(j, ENTRY_AT(vector_mask), THREAD_AT(sr0[3]));
        copy_from_rax(j, ENTRY_AT(mask), THREAD_AT(mask));
        x86_mov_reg(x, X86_R13, X86_RCX);
    }
    if (j->f->in.clobbers == EU_CLOBBERS_NONE || !j->f->finds_flags)
        return;
    x86_vop(x, X86_XORPS, 1, 0, 0, x86_reg(0), 0);
    x86_vop(x, X86_MOVUPS_ST, 1, 0, 0, x86_thread(THREAD_AT(a0)), 0);
    x86_store_imm(x, THREAD_AT(f[0]), 0);
    x86_store_imm(x, THREAD_AT(f[1]), 0);
}

/* rax: the entry of the thread that has ended. Begins the next thread, if there
 * is one. All registers are free; code emitted later does not know this code's
 * changes. */
static void
go_on_with_chain(struct jit *j, bool catches)
{
    struct x86 *x = &j->x;
    const unsigned step_B = row_step_B(j);
    x86_load_from_rax(x, X86_RCX, ENTRY_AT(more));
    x86_test(x, X86_RCX);
    uint32_t last = x86_jump(x, X86_CC_E);
    x86_alu_imm(x, X86_ADD, X86_RAX, sizeof(struct eu_chain_entry), true);
    x86_store(x, X86_RAX, THREAD_AT(chain), 8);
    if (catches) {
        x86_load_at_rax(x, X86_RCX, ENTRY_AT(captured));
        x86_store(x, X86_RCX, THREAD_AT(captured), 8);
    }
    begin_thread(j, catches || j->asks);
    if (j->f->in.chain_sets_mask)
        copy_from_rax(j, ENTRY_AT(live), THREAD_AT(grf) + EU_LIVE_B);
    for (unsigned i = 0; i * step_B < EU_CHAIN_GRF * EU_GRF_B; i++) {
        unsigned part = j->f->evex ? i : eu_chain_place(j->f->weights_grf, i);
        x86_vop(x, X86_MOVUPS_LD, jit_len(step_B), j->chain_reg[i], 0,
                x86_at_rax(part * step_B), 0);
    }
    x86_patch(x, x86_jump(x, X86_ALWAYS), j->chain_at);
    x86_patch(x, last, x->size);
}

/* Stores edx as captured lanes of the entry at rax. */
static void
set_captured_mask(struct jit *j)
{
    struct x86 *x = &j->x;
    x86_mov_reg(x, X86_RCX, X86_RAX);
    x86_alu_reg(x, X86_SUB, X86_RCX, X86_RBX, true);
    x86_gop(x, X86_G_ST, false, X86_RDX,
            x86_g_index(X86_RCX, ENTRY_AT(captured_mask)));
}

static void
store_captured_mask(struct jit *j)
{
    struct x86 *x = &j->x;
    x86_load(x, X86_RDX, MASK_AT, 4);
    x86_gop(x, X86_G_AND, false, X86_RDX, x86_g_thread(THREAD_AT(sr0[2])));
    set_captured_mask(j);
}

static void
finish_thread(struct jit *j)
{
    x86_store_imm(&j->x, THREAD_AT(status), EU_FINISHED);
    x86_vzeroupper(&j->x);
    jit_leave(j);
}

/* ---- epilogues ---- */

/* Joins halves of vectors in separate registers, whose names are not needed
 * again. */
static void
join_halves(struct jit *j, struct jit_captured *c)
{
    for (unsigned i = 0; j->f->evex && i < EU_CAPTURE_GRF; i += 2) {
        if (c->len_B[i] == EU_GRF_B)
            x86_vop_imm(&j->x, X86_INSERTF64X4, 2, c->reg[i], c->reg[i],
                        x86_reg(c->reg[i + 1]), 0, 1);
    }
}

static void
move_vec(struct jit *j, unsigned to, unsigned from)
{
    x86_vop(&j->x, X86_MOVAPS, j->f->evex ? 2 : 1, to, 0, x86_reg(from), 0);
}

void
jit_move_to_first(struct jit *j, unsigned *from, unsigned count)
{
    const unsigned spare = 15; /* a source here has moved by then */
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
        /* A cycle: moves one of its registers away. */
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
jit_pass_captured(struct jit *j, struct jit_captured *c, unsigned threads)
{
    unsigned step = j->f->evex ? 2 : 1, from[EU_CAPTURE_GRF], count = 0;
    for (unsigned n = 0; n < threads; n++) {
        join_halves(j, &c[n]);
        for (unsigned i = 0; i < EU_CAPTURE_GRF; i += step)
            from[count++] = c[n].reg[i];
    }
    jit_move_to_first(j, from, count);
}

/* rax := the chain entry, edx := its lanes that have a colour. */
static void
load_row(struct jit *j, bool pred)
{
    struct x86 *x = &j->x;
    x86_load(x, X86_RAX, THREAD_AT(chain), 8);
    if (!pred) {
        x86_load_from_rax(x, X86_RDX, ENTRY_AT(captured_mask));
        return;
    }
    x86_load_from_rax(x, X86_RCX, ENTRY_AT(captured_mask));
    x86_alu_reg(x, X86_AND, X86_RDX, X86_RCX, false);
    set_captured_mask(j);
}

/* If the chain has an epilogue it takes the payload, and the next thread
 * follows. */
static void
call_epilogue(struct jit *j, const struct eu_op *op, struct jit_captured c)
{
    struct x86 *x = &j->x;
    x86_load(x, X86_RAX, THREAD_AT(epilogue.fn), 8);
    x86_test(x, X86_RAX);
    uint32_t none = x86_jump(x, X86_CC_E);
    if (op->pred)
        jit_pred_bits(j, op, X86_RDX);
    jit_pass_captured(j, &c, 1);
    load_row(j, op->pred);
    x86_mov_reg(x, X86_RDI, X86_RAX);
    x86_load(x, X86_RSI, THREAD_AT(epilogue.arg), 8);
    x86_call_at(x, THREAD_AT(epilogue.fn));
    x86_load(x, X86_RAX, THREAD_AT(chain), 8);
    go_on_with_chain(j, false);
    finish_thread(j);
    x86_patch(x, none, x->size);
}

/* ---- messages whose answer is the last payload ---- */

void
jit_sample_store(struct jit *j, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    unsigned reg[JIT_PASSED], count = jit_read_vectors(j, s, reg);
    x86_load(x, X86_RAX, THREAD_AT(epilogue.sample_store), 8);
    x86_test(x, X86_RAX);
    uint32_t none = x86_jump(x, X86_CC_E);
    jit_move_to_first(j, reg, count);
    load_row(j, false);
    x86_mov_reg(x, X86_RDI, X86_RAX);
    x86_load(x, X86_RSI, THREAD_AT(epilogue.arg), 8);
    x86_call_at(x, THREAD_AT(epilogue.sample_store));
    x86_alu_imm(x, X86_AND, X86_RAX, 1, false);
    uint32_t failed = x86_jump(x, X86_CC_E);
    x86_load(x, X86_RAX, THREAD_AT(chain), 8);
    go_on_with_chain(j, false);
    finish_thread(j);
    x86_patch(x, none, x->size);
    x86_patch(x, failed, x->size);
    jit_unlock_but(j, 0);
}

/* Captures the payload if the thread has a place for it; otherwise
 * continues. */
void
jit_capture(struct jit *j, const struct eu_op *op, const struct jit_send *s)
{
    struct x86 *x = &j->x;
    struct jit_captured c;
    jit_read_captured(j, s, &c);
    if (j->chain_at)
        call_epilogue(j, op, c);
    x86_store_imm(x, MASK_AT, op->full);
    jit_store_send_mask(j, op);
    x86_load(x, X86_RAX, THREAD_AT(captured), 8);
    x86_test(x, X86_RAX);
    uint32_t nobody = x86_jump(x, X86_CC_E);
    jit_store_captured(j, &c);
    if (j->chain_at) {
        x86_load(x, X86_RAX, THREAD_AT(chain), 8);
        x86_test(x, X86_RAX);
        uint32_t alone = x86_jump(x, X86_CC_E);
        store_captured_mask(j);
        go_on_with_chain(j, true);
        x86_patch(x, alone, x->size);
    }
    finish_thread(j);
    x86_patch(x, nobody, x->size);
    jit_unlock_but(j, 0);
}
