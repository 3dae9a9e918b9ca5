/* loop_pins.c: pinned registers: vectors that stay in registers around a loop.
 *
 * In a loop without an inner loop and without calls, each vector that is live
 * where blocks begin may have its own register. Jumps inside the loop expect
 * the vector in the register (jit.inner). Jumps from or to elsewhere expect it
 * in memory (jit.label): they pass loads and stores on the way. The memory
 * rules of reg_cache.c apply here, too. A pinned register that lost its value
 * inside a block has it again at the block's end. */
#include "eu/jit/regs/regs.h"

#include "eu/jit/analysis/analysis.h"

#include <stdlib.h>

#define BIT(r) (UINT32_C(1) << (r))

/* Code inside loops needs at least the other registers: ten for messages
 * (lower_memory_vex.c). */
enum {
    MOST_PINS_EVEX = JIT_PINS,
    MOST_PINS_MATH = 8,
    MOST_PINS_VEX = 6,
    MOST_PINS_LOCKSTEP = 10, /* each of two threads has half of them */
    MOST_PINS_LOCKSTEP_MATH = 4,
    MOST_PINS_LOCKSTEP_VEX = 4,
    MOST_PINS_LEAN = 8, /* more would spill every new value */
};

/* Uses are counted up to this many. */
#define MANY 63

/* A loop's use of the vector that begins with a GRF. */
struct candidate {
    uint16_t len_B, count;
    bool written, refused, live;
};

struct candidates {
    struct candidate of[EU_GRF_COUNT];
    struct jit_set met; /* GRFs that may have a length */
};

static inline unsigned
pop_grf(struct jit_set *s)
{
    unsigned w = !s->w[0];
    unsigned bit = (unsigned)__builtin_ctzll(s->w[w]);
    s->w[w] &= s->w[w] - 1;
    return w * 64 + bit;
}

static inline bool
is_empty(const struct jit_set *s)
{
    return !(s->w[0] | s->w[1]);
}

/* ---- which loops ---- */

static bool
is_backward(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    return (j->f->start[i] & JIT_FLOW) && op->insn->opcode == EU_OP_WHILE &&
           op->jip <= 0 && (uint32_t)-op->jip <= i;
}

/* Whether no op in the loop leaves for the interpreter, errors aside. */
static bool
is_quiet(const struct jit *j, uint32_t head, uint32_t end)
{
    for (uint32_t i = head; i <= end; i++) {
        const struct eu_op *op = &j->f->k->ops[i];
        if (op->fn == eu_op_wait || op->fn == eu_op_bad ||
            (j->f->start[i] & JIT_MODES) ||
            (j->f->start[i] & (JIT_SEND | JIT_MEMORY)) == JIT_SEND ||
            ((j->f->start[i] & JIT_FLOW) && !jit_flow_is_native(op)) ||
            (i < end && (j->f->start[i] & JIT_FLOW) &&
             i + (uint32_t)op->jip <= i))
            return false;
    }
    return true;
}

/* ---- which vectors ---- */

static void
refuse_grfs(struct candidates *c, struct jit_set s)
{
    while (!is_empty(&s))
        c->of[pop_grf(&s)].refused = true;
}

static void
count_vector(const struct jit *j, struct candidates *c, unsigned off_B,
             unsigned len_B, bool written)
{
    unsigned piece_B = j->f->evex ? len_B : MIN2(len_B, EU_GRF_B);
    if (off_B % EU_GRF_B || len_B % EU_GRF_B || len_B > 64) {
        refuse_grfs(c, jit_grfs(off_B / EU_GRF_B, len_B / EU_GRF_B + 2));
        return;
    }
    for (unsigned at_B = 0; at_B < len_B; at_B += piece_B) {
        unsigned g = (off_B + at_B) / EU_GRF_B;
        struct candidate *v = &c->of[g];
        c->met.w[g / 64] |= UINT64_C(1) << g % 64;
        v->refused |= v->len_B && v->len_B != piece_B;
        v->len_B = (uint16_t)piece_B;
        v->count++;
        v->written |= written;
    }
}

static void
count_message(const struct jit *j, struct candidates *c, const struct eu_op *op)
{
    struct jit_moved m;
    jit_memory_moves(op, &m);
    for (unsigned i = 0; i < m.count; i++)
        count_vector(j, c, m.part[i].off_B, m.part[i].len_B, m.part[i].written);
}

static void
count_op(const struct jit *j, struct candidates *c, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    if (j->f->start[i] & JIT_MEMORY)
        count_message(j, c, op);
    if (op->slow != eu_op_general)
        return;
    if (op->fn == op->slow || op->insn->opcode == EU_OP_PLN) {
        refuse_grfs(c, j->f->regs[i].all);
        return;
    }
    for (unsigned s = 0; s < op->insn->src_count; s++) {
        const struct eu_op_src *src = &op->src[s];
        if (src->cls == EU_SRC_VEC || src->cls == EU_SRC_VEC_MOD)
            count_vector(j, c, src->off_B, op->lanes * 4u, false);
        else if (src->cls == EU_SRC_SCALAR)
            refuse_grfs(c, jit_grfs(src->off_B / EU_GRF_B, 1));
        else if (src->cls != EU_SRC_IMM)
            refuse_grfs(c, j->f->regs[i].uses);
    }
    if (op->post & EU_POST_STORE)
        refuse_grfs(c, j->f->regs[i].all);
    else if (!(op->post & EU_POST_NULL))
        count_vector(j, c, op->dst_off_B, op->lanes * 4u, true);
}

/* Refuses vectors that overlap, or extend past the last GRF. */
static void
refuse_overlaps(struct candidates *all)
{
    struct candidate *c = all->of;
    for (struct jit_set left = all->met; !is_empty(&left);) {
        unsigned g = pop_grf(&left);
        if (c[g].len_B <= EU_GRF_B)
            continue;
        if (g + 1 == EU_GRF_COUNT || c[g + 1].refused || c[g + 1].len_B)
            c[g].refused = true;
        if (g + 1 < EU_GRF_COUNT && c[g + 1].len_B)
            c[g + 1].refused = true;
    }
}

/* Registers for a message, so that its answer stays in registers
 * (lower_memory_vex.c). */
static unsigned
message_need(const struct eu_op *op)
{
    struct jit_moved m;
    unsigned need = 4;
    jit_memory_moves(op, &m);
    for (unsigned i = 0; i < m.count; i++)
        need += m.part[i].len_B / EU_GRF_B;
    return MIN2(need, 14u);
}

/* Registers that an op needs besides pinned ones, without AVX-512: for
 * operands, modified operands, constants, and the results of both parts. An op
 * that needs more is interpreted. */
static unsigned
need_vex(const struct jit *j, uint32_t i)
{
    static const uint8_t plain[128] = {
        [EU_OP_MOV] = 1, [EU_OP_ADD] = 1, [EU_OP_MUL] = 1, [EU_OP_AND] = 1,
        [EU_OP_OR] = 1,  [EU_OP_XOR] = 1, [EU_OP_MAD] = 1, [EU_OP_CMP] = 4,
    };
    const struct eu_op *op = &j->f->k->ops[i];
    unsigned need = 1 + plain[op->insn->opcode & 127];
    if (j->f->start[i] & JIT_FLOW)
        return 3;
    if (j->f->start[i] & JIT_MEMORY)
        return MAX2(message_need(op), 16u - MOST_PINS_VEX);
    bool guarded = j->f->guards && j->f->guards[i].slot;
    if (!j->f->unmasked || guarded || op->slow != eu_op_general ||
        op->fn == op->slow || !plain[op->insn->opcode & 127] || op->pred ||
        (op->post & ~(EU_POST_SAT | EU_POST_NULL) &&
         op->insn->opcode != EU_OP_CMP))
        return 16 - MOST_PINS_VEX;
    for (unsigned s = 0; s < op->insn->src_count; s++)
        need += op->src[s].cls == EU_SRC_VEC_MOD ? 3 : 1;
    need += op->post & EU_POST_SAT ? 3 : 0;
    return MIN2(need, 16u - MOST_PINS_VEX);
}

static unsigned
most_pins_vex(const struct jit *j, const struct jit_loop *l)
{
    unsigned need = 16 - MOST_PINS_LEAN;
    for (uint32_t i = l->head; i <= l->end; i++)
        need = MAX2(need, need_vex(j, i));
    return 16 - need;
}

static bool
has_math(const struct jit *j, const struct jit_loop *l)
{
    for (uint32_t i = l->head; i <= l->end; i++)
        if (j->f->k->ops[i].insn->opcode == EU_OP_MATH)
            return true;
    return false;
}

static unsigned
most_pins(const struct jit *j, const struct jit_loop *l)
{
    bool math = has_math(j, l);
    if (j->f->threads > 1 && !j->f->evex)
        return math ? 0 : MOST_PINS_LOCKSTEP_VEX;
    if (j->f->threads > 1)
        return math ? MOST_PINS_LOCKSTEP_MATH : MOST_PINS_LOCKSTEP;
    if (j->f->evex)
        return math ? MOST_PINS_MATH : MOST_PINS_EVEX;
    return math ? 0 : most_pins_vex(j, l);
}

static void
pin_vector(struct jit_loop *l, unsigned reg, unsigned grf,
           const struct candidate *c)
{
    l->pins[l->count++] = (struct jit_pin){
        .off_B = (uint16_t)(grf * EU_GRF_B),
        .len_B = c->len_B,
        .reg = (uint8_t)reg,
        .written = c->written,
    };
    l->regs |= BIT(reg);
}

/* Pins the most used vectors: finds the lowest use count for which they fit the
 * registers. */
static void
choose_pins(const struct jit *j, struct jit_loop *l,
            const struct candidates *all)
{
    const struct candidate *c = all->of;
    struct jit_set left = all->met;
    unsigned last = (j->f->evex ? JIT_HOST_REGS : JIT_HOST_REGS / 2) /
                        j->f->threads -
                    1,
             most = most_pins(j, l);
    unsigned having[MANY + 1] = {0}, least = MANY, sum = 0;
    while (!is_empty(&left)) {
        unsigned g = pop_grf(&left);
        if (c[g].live && !c[g].refused)
            having[MIN2(c[g].count, MANY)]++;
    }
    while (least && sum + having[least] <= most)
        sum += having[least--];
    left = all->met;
    while (!is_empty(&left) && l->count < most) {
        unsigned g = pop_grf(&left);
        if (!c[g].live || c[g].refused || c[g].count < least)
            continue;
        bool takes_one = c[g].count == least;
        if (takes_one && sum == most)
            continue;
        sum += takes_one;
        pin_vector(l, last - l->count, g, &c[g]);
    }
}

static void
find_pins(const struct jit *j, struct jit_loop *l)
{
    struct candidates c;
    const struct jit_set *live = j->f->live[!j->f->unmasked];
    struct jit_set held = {{0}};
    memset(&c, 0, sizeof c);
    for (uint32_t i = l->head; i <= l->end; i++) {
        count_op(j, &c, i);
        for (unsigned w = 0; w < 2 && (j->f->start[i] & JIT_START); w++)
            held.w[w] |= live[i].w[w];
    }
    refuse_overlaps(&c);
    for (struct jit_set left = c.met; !is_empty(&left);) {
        unsigned g = pop_grf(&left);
        c.of[g].live = jit_set_has(&held, g * EU_GRF_B, c.of[g].len_B);
    }
    choose_pins(j, l, &c);
}

bool
jit_pin_loops(struct jit *j)
{
    uint32_t n = j->f->k->op_count, behind = 0;
    if (!j->f->has_loop)
        return true;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_backward(j, i))
            continue;
        struct jit_loop l = {.head = i + (uint32_t)j->f->k->ops[i].jip,
                             .end = i};
        /* Only innermost loops have pins. */
        if (l.head >= behind && is_quiet(j, l.head, l.end))
            find_pins(j, &l);
        behind = i + 1;
        if (!l.count)
            continue;
        jit_find_counter(j->f, &l);
        if (!jit_grow(j, (void **)&j->loops, &j->loop_capacity,
                      j->loop_count + 1, sizeof *j->loops))
            return false;
        j->loops[j->loop_count++] = l;
    }
    if (j->loop_count)
        j->inner = arena_alloc(j->x.memory, n * sizeof *j->inner, 64);
    return !j->loop_count || j->inner;
}

/* ---- blocks ---- */

const struct jit_loop *
jit_loop_at(const struct jit *j, uint32_t op)
{
    for (uint32_t i = 0; i < j->loop_count; i++)
        if (j->loops[i].head <= op && op <= j->loops[i].end)
            return &j->loops[i];
    return NULL;
}

static bool
is_live(const struct jit_pin *p, const struct jit_set *live)
{
    return jit_set_has(live, p->off_B, p->len_B);
}

static void
load_pins(struct jit *j, const struct jit_loop *l, const struct jit_set *live,
          uint32_t there)
{
    for (unsigned i = 0; i < l->count; i++)
        if (is_live(&l->pins[i], live) && !(there & BIT(i)))
            jit_load_len(j, l->pins[i].reg, l->pins[i].off_B, l->pins[i].len_B);
}

static void
store_pins(struct jit *j, const struct jit_loop *l, const struct jit_set *live)
{
    for (unsigned i = 0; i < l->count; i++) {
        const struct jit_pin *p = &l->pins[i];
        if (p->written && is_live(p, live))
            jit_store_len(j, p->reg, p->off_B, p->len_B);
    }
}

void
jit_enter_loop(struct jit *j, uint32_t op, uint32_t there)
{
    const struct jit_loop *l = jit_loop_at(j, op);
    const struct jit_set *live = &j->f->live[!j->f->unmasked][op];
    j->loop = l;
    j->v.pinned = l ? l->regs : 0;
    if (!l)
        return;
    if (op == l->head)
        load_pins(j, l, live, there);
    for (unsigned i = 0; i < l->count; i++) {
        const struct jit_pin *p = &l->pins[i];
        if (!is_live(p, live))
            continue;
        jit_note(j, p->reg, JIT_GRF, p->off_B, p->len_B);
        if (p->written)
            j->v.dirty |= BIT(p->reg);
    }
    j->inner[op] = j->x.size;
}

int
jit_pin_of(const struct jit *j, unsigned off_B, unsigned len_B)
{
    const struct jit_loop *l = j->loop;
    for (unsigned i = 0; l && i < l->count; i++)
        if (l->pins[i].off_B == off_B && l->pins[i].len_B == len_B)
            return l->pins[i].reg;
    return -1;
}

void
jit_end_block(struct jit *j, const struct jit_set *live)
{
    const struct jit_loop *l = j->loop;
    jit_flush_but(j, live, l ? l->regs : 0);
    for (unsigned i = 0; l && i < l->count; i++) {
        const struct jit_pin *p = &l->pins[i];
        if (!is_live(p, live) || (j->v.named & BIT(p->reg)))
            continue;
        jit_load_len(j, p->reg, p->off_B, p->len_B);
        jit_note(j, p->reg, JIT_GRF, p->off_B, p->len_B);
    }
}

/* ---- entries and exits ---- */

/* Makes a jump that leaves the loop pass stores, emitted here. */
static void
store_on_leaving(struct jit *j, struct jit_jump *jump)
{
    const struct jit_loop *l = &j->loops[jump->loop - 1];
    x86_patch(&j->x, jump->at, j->x.size);
    store_pins(j, l, &j->f->live[!j->f->unmasked][jump->from]);
    jump->at = x86_jump(&j->x, X86_ALWAYS);
}

void
jit_leave_loops(struct jit *j)
{
    for (uint32_t i = 0; i < j->jump_count; i++) {
        struct jit_jump *jump = &j->jumps[i];
        if (jump->loop && jit_loop_at(j, jump->op) != &j->loops[jump->loop - 1])
            store_on_leaving(j, jump), jump->loop = 0;
    }
    for (uint32_t i = 0; i < j->crossing_count; i++)
        if (j->crossings[i].loop)
            store_on_leaving(j, &j->crossings[i]);
    for (uint32_t i = 0; i < j->exit_count; i++)
        if (j->exits[i].loop)
            store_on_leaving(j, &j->exits[i]);
}

static uint32_t
way_in(struct jit *j, const struct jit_loop *l, uint32_t op, uint32_t to)
{
    uint32_t at = j->x.size;
    load_pins(j, l, &j->f->live[!j->f->unmasked][op], 0);
    x86_patch(&j->x, x86_jump(&j->x, X86_ALWAYS), to);
    return at;
}

/* The interpreter returns at a loop's head, in check mode anywhere. The masked
 * variant crosses to the unmasked one at joins. Code may jump into a loop,
 * though no compiler emits that. */
void
jit_enter_loops(struct jit *j)
{
    bool anywhere = !j->f->unmasked ||
                    (j->f->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
    for (uint32_t n = 0; n < j->loop_count; n++) {
        const struct jit_loop *l = &j->loops[n];
        for (uint32_t i = l->head; i <= l->end; i++) {
            if (!(j->f->start[i] & JIT_START))
                continue;
            if (i > l->head)
                j->label[i] = anywhere ? way_in(j, l, i, j->inner[i]) : 0;
            if (j->f->unmasked && j->f->k->ops[i].fn == eu_op_join)
                j->body[i] = way_in(j, l, i, j->body[i]);
        }
    }
    for (uint32_t i = 0; i < j->jump_count; i++) {
        uint32_t op = j->jumps[i].op;
        if (!j->jumps[i].loop && !j->label[op] && jit_loop_at(j, op))
            j->label[op] = way_in(j, jit_loop_at(j, op), op, j->inner[op]);
    }
}
