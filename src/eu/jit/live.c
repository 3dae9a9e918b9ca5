/* live.c: which registers are needed where.
 *
 * A write ends the life of a register's old value only if it covers all of it
 * for every channel: always under NoMask, in the full copy of the code also
 * without. The full copy may continue in the masked one at any branch, but of
 * loops that count (counters.c).
 * With branches, the masked copy tells registers of which other channels may
 * see their lanes from those that only the channels now on will read, each in
 * its own lane, until others join: for these a write of all channels that are
 * on ends the old value's life, too, and what it leaves in the other lanes
 * does not matter. */
#include "eu/jit/liveness.h"

#include <stdlib.h>

#define MAX_PASSES 64

static void
add_target(const struct jit *j, bool full, struct jit_set *s, uint32_t from,
           int32_t distance)
{
    uint32_t to = from + (uint32_t)distance;
    if (to >= j->k->op_count)
        return;
    for (unsigned c = full ? 0 : 1; c < (full && j->only_counts ? 1 : 2); c++)
        for (unsigned w = 0; w < 2; w++)
            s->w[w] |= j->live[c][to].w[w];
}

/* Behind an op that does not simply go on to the next. */
static struct jit_set
live_behind(const struct jit *j, bool full, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    struct jit_set s = {{0}};
    if (op->fn == eu_op_bad || jit_is_send(op))
        return s;
    if (op->fn == eu_op_link) {
        add_target(j, full, &s, i, op->jip);
        return s;
    }
    if (!(j->start[i] & JIT_MODES) && jit_is_dynamic(op))
        return jit_all_regs;
    add_target(j, full, &s, i, 1);
    if (j->start[i] & JIT_MODES)
        return s;
    add_target(j, full, &s, i, op->jip);
    if (jit_has_uip(op))
        add_target(j, full, &s, i, op->uip);
    return s;
}

static bool
ends(const struct jit *j, uint32_t i)
{
    if (j->start[i] & (JIT_FLOW | JIT_MODES))
        return true;
    return (j->start[i] & JIT_SEND) && j->k->ops[i].insn->eot;
}

/* The last op of its block. */
static inline bool
is_last(const struct jit *j, uint32_t i)
{
    return ends(j, i) ||
           (i + 1 < j->k->op_count && (j->start[i + 1] & JIT_START));
}

static inline uint32_t
block_of(const struct jit *j, uint32_t i)
{
    while (i && !(j->start[i] & JIT_START))
        i--;
    return i;
}

/* Blocks whose end is as it was are skipped, but not at first. */
static bool
pass(struct jit *j, bool at_first)
{
    struct jit_set *live = j->live[0];
    uint64_t changed = 0, lo = 0, hi = 0;
    for (uint32_t i = j->k->op_count; i-- > 0;) {
        const struct jit_regs *r = &j->regs[i];
        if (ends(j, i)) {
            struct jit_set s = live_behind(j, true, i);
            lo = s.w[0];
            hi = s.w[1];
        }
        lo = (lo & ~r->kills.w[0]) | r->uses.w[0];
        hi = (hi & ~r->kills.w[1]) | r->uses.w[1];
        uint64_t differs = (lo ^ live[i].w[0]) | (hi ^ live[i].w[1]);
        changed |= differs;
        live[i].w[0] = lo;
        live[i].w[1] = hi;
        if (!differs && !at_first && is_last(j, i)) {
            i = block_of(j, i);
            lo = live[i].w[0];
            hi = live[i].w[1];
        }
    }
    return changed;
}

static bool
settle_full(struct jit *j)
{
    for (unsigned n = 0; n < MAX_PASSES; n++)
        if (!pass(j, !n) || !j->has_loop)
            return true;
    return false;
}

/* ---- the masked copy ---- */

/* Others may see what the channels now on have. */
static void
show(struct jit_lanes *l)
{
    l->any |= l->low | l->high;
    l->low = l->high = (jit_bits){0};
    l->flags_any |= l->flags_own;
    l->flags_own = 0;
}

/* Channels 0-7 or 8-15, or both, in whole registers. */
static inline bool
is_by_lanes(const struct eu_op *op)
{
    return !op->no_mask && op->fn != op->slow && op->slow == eu_op_general &&
           op->opcode != EU_OP_PLN && !(op->post & EU_POST_STORE) &&
           ((op->lanes == 16 && !op->chan) ||
            (op->lanes == 8 && op->chan <= 8));
}

/* The registers with the lanes of channels 0-7, and of 8-15, of a vector from
 * this one on. */
static void
add_lanes(struct jit_lanes *l, const struct eu_op *op, unsigned grf)
{
    if (op->lanes == 16) {
        l->low |= jit_run(grf, 1);
        if (grf + 1 < EU_GRF_COUNT)
            l->high |= jit_run(grf + 1, 1);
    } else if (op->chan) {
        l->high |= jit_run(grf, 1);
    } else {
        l->low |= jit_run(grf, 1);
    }
}

static inline void
add_reads(struct jit_lanes *l, const struct eu_op *op, const struct jit_regs *r,
          bool by_lanes)
{
    if (!by_lanes) {
        l->any |= jit_bits_of(&r->uses);
        return;
    }
    for (unsigned s = 0; s < op->src_count; s++) {
        const struct eu_op_src *src = &op->src[s];
        unsigned g = src->off_B / EU_GRF_B;
        if (src->cls == EU_SRC_IMM)
            continue;
        if (src->cls == EU_SRC_SCALAR)
            l->any |= jit_run(g, 1);
        else if (src->cls > EU_SRC_VEC_MOD || src->off_B % EU_GRF_B)
            l->any |= jit_bits_of(&r->uses);
        else
            add_lanes(l, op, g);
    }
}

/* From behind the op to before it. */
static inline void
before_write(struct jit_lanes *l, const struct eu_op *op,
             const struct jit_regs *r, bool by_lanes)
{
    jit_bits kills = jit_bits_of(&r->kills);
    l->seen = jit_bits_of(&jit_all_regs);
    if (r->no_mask) {
        l->any &= ~kills;
        l->low &= ~kills;
        l->high &= ~kills;
    } else if (by_lanes && (kills[0] | kills[1]) &&
               !(op->dst_off_B % EU_GRF_B)) {
        struct jit_lanes d = {.any = {0}};
        add_lanes(&d, op, op->dst_off_B / EU_GRF_B);
        /* In other lanes than they are read. */
        l->any |= (d.low & l->high) | (d.high & l->low);
        l->low &= ~kills;
        l->high &= ~kills;
        l->seen = l->any;
    }
}

#define ALL_FLAGS 0xf

/* A half with the bits of channels 0-15; 0: other bits. */
static inline uint8_t
flags_of(const struct eu_op *op)
{
    bool whole = op->lanes == 16 && !op->chan && op->flag_shift % 16 == 0;
    return whole ? (uint8_t)(1u << (op->flag_reg * 2 + op->flag_shift / 16))
                 : 0;
}

/* Every channel's flag, of those that are on. */
static inline bool
writes_all_flags(const struct eu_op *op)
{
    if (!op->cmod || op->slow != eu_op_general || op->pred)
        return false;
    switch (op->opcode) {
    case EU_OP_SEL:
    case EU_OP_CSEL:
    case EU_OP_SAD2: /* of every second channel */
    case EU_OP_SADA2: return false;
    default: return true;
    }
}

/* As before_write(). */
static inline void
before_flags(struct jit_lanes *l, const struct eu_op *op)
{
    l->flags_seen = ALL_FLAGS;
    if (!writes_all_flags(op))
        return;
    uint8_t kills = flags_of(op);
    l->flags_own &= (uint8_t)~kills;
    if (op->no_mask)
        l->flags_any &= (uint8_t)~kills;
    l->flags_seen = l->flags_any;
}

static void
add_flag_sources(struct jit_lanes *l, const struct eu_insn *insn)
{
    for (unsigned s = 0; s < insn->src_count; s++)
        if (insn->src[s].file == EU_FILE_ARF &&
            (insn->src[s].reg & 0xf0) == EU_ARF_F)
            l->flags_any = ALL_FLAGS;
}

static inline void
add_flag_reads(struct jit_lanes *l, const struct eu_op *op)
{
    if (!(op->plain & EU_PLAIN_GRFS))
        add_flag_sources(l, op->insn);
    if (!op->pred)
        return;
    uint8_t own = op->pred == 1 && !op->no_mask ? flags_of(op) : 0;
    l->flags_own |= own;
    if (!own)
        l->flags_any = ALL_FLAGS;
}

/* Whether none but channels that were on before come to the op. Checks compare
 * all lanes where blocks begin. */
static inline bool
is_alone(const struct jit *j, uint32_t to)
{
    return j->k->ops[to].fn != eu_op_join && !j->has_dynamic &&
           !(j->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
}

static void
add_way(const struct jit *j, struct jit_lanes *l, uint32_t from,
        int32_t distance)
{
    uint32_t to = from + (uint32_t)distance;
    if (to >= j->k->op_count)
        return;
    struct jit_lanes there = j->lanes[to];
    if (!is_alone(j, to))
        show(&there);
    l->any |= there.any;
    l->low |= there.low;
    l->high |= there.high;
    l->flags_any |= there.flags_any;
    l->flags_own |= there.flags_own;
}

/* Channels only go elsewhere: there is nobody to take their place. */
static bool
only_parts(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    if (!(j->start[i] & JIT_FLOW) || op->no_mask || op->fn == eu_op_bad ||
        op->fn == eu_op_link)
        return false;
    switch (op->insn->opcode) {
    case EU_OP_IF:
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT:
    case EU_OP_ENDIF:
    case EU_OP_WHILE: return true;
    default: return false;
    }
}

static struct jit_lanes
lanes_behind(const struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    struct jit_lanes l = {.any = {0}};
    if (!only_parts(j, i)) {
        struct jit_set s = live_behind(j, false, i);
        l.any = jit_bits_of(&s);
        l.flags_any = jit_is_send(op) ? 0 : ALL_FLAGS;
        return l;
    }
    add_way(j, &l, i, 1);
    add_way(j, &l, i, op->jip);
    if (jit_has_uip(op))
        add_way(j, &l, i, op->uip);
    return l;
}

/* Where they differ. */
static inline uint64_t
lanes_differ(const struct jit_lanes *a, const struct jit_lanes *b)
{
    jit_bits d = (a->any ^ b->any) | (a->low ^ b->low) | (a->high ^ b->high);
    return d[0] | d[1] | (uint64_t)(a->flags_any ^ b->flags_any) |
           (uint64_t)(a->flags_own ^ b->flags_own);
}

/* Before the op, of what is behind it. */
static inline void
step_back(struct jit_lanes *l, const struct eu_op *op, const struct jit_regs *r)
{
    bool by_lanes = is_by_lanes(op);
    before_write(l, op, r, by_lanes);
    before_flags(l, op);
    add_reads(l, op, r, by_lanes);
    add_flag_reads(l, op);
}

/* Something changed; see pass(). Inside of blocks only the masked copy asks for
 * lanes. */
static bool
pass_lanes(struct jit *j, bool at_first)
{
    struct jit_lanes l = {.any = {0}};
    uint32_t n = j->k->op_count;
    uint64_t changed = 0;
    for (uint32_t i = n; i-- > 0;) {
        bool last = is_last(j, i);
        if (ends(j, i))
            l = lanes_behind(j, i);
        else if (last && !is_alone(j, i + 1))
            show(&l);
        step_back(&l, &j->k->ops[i], &j->regs[i]);
        jit_set_bits(&j->live[1][i], l.any | l.low | l.high);
        if (!last && j->full && !(j->start[i] & JIT_START))
            continue;
        uint64_t differs = lanes_differ(&l, &j->lanes[i]);
        changed |= differs;
        j->lanes[i] = l;
        if (last && !differs && !at_first) {
            i = block_of(j, i);
            l = j->lanes[i];
        }
    }
    return changed;
}

static bool
settle_lanes(struct jit *j)
{
    j->lanes = arena_alloc(j->x.memory, j->k->op_count * sizeof *j->lanes, 64);
    for (unsigned n = 0; j->lanes && n < MAX_PASSES; n++)
        if (!pass_lanes(j, !n) || !j->has_loop)
            return true;
    return false;
}

bool
jit_is_unseen(const struct jit *j, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct jit_regs *r = &j->regs[j->here];
    if (j->full || !j->lanes || op != &j->k->ops[j->here] ||
        insn->dst.file != EU_FILE_GRF || !(r->kills.w[0] | r->kills.w[1]))
        return false;
    jit_bits seen = jit_bits_of(&r->kills) & j->lanes[j->here].seen;
    bool flags = insn->cmod && insn->opcode != EU_OP_SEL &&
                 insn->opcode != EU_OP_CSEL;
    return !flags && !(seen[0] | seen[1]);
}

bool
jit_flags_unseen(const struct jit *j, const struct eu_op *op)
{
    return !j->full && j->lanes && op == &j->k->ops[j->here] &&
           !(j->flags & (EU_JIT_SPLIT | EU_JIT_STEP)) &&
           flags_of(op) & ~j->lanes[j->here].flags_seen;
}

/* ---- as threads begin ---- */

/* Of flags, as halves: those that the predicate may look at. */
static unsigned
flags_asked(const struct eu_op *op)
{
    unsigned first = op->flag_shift / 16, end = op->flag_shift + op->lanes;
    if (!op->pred)
        return 0;
    if (op->pred > 1 || end > 32)
        return ALL_FLAGS;
    unsigned both = (end > 16 ? 2u : 0) | (first ? 0 : 1u);
    return both << op->flag_reg * 2;
}

/* ... and those that are replaced. */
static unsigned
flags_replaced(const struct eu_op *op)
{
    const struct eu_operand *d = &op->insn->dst;
    unsigned size_B = eu_type_size_B((enum eu_type)d->type);
    if (writes_all_flags(op))
        return flags_of(op);
    if (d->file != EU_FILE_ARF || (d->reg & 0xf0) != EU_ARF_F ||
        op->insn->opcode != EU_OP_MOV || op->lanes != 1 || op->pred)
        return 0;
    unsigned halves = size_B == 4 ? 3u : size_B == 2 ? 1u : 0;
    return halves << ((d->reg & 1) * 2 + d->subreg_B / 2) & ALL_FLAGS;
}

bool
jit_finds_flags(const struct eu_op *op, unsigned *known)
{
    bool finds = flags_asked(op) & ~*known;
    *known |= flags_replaced(op);
    return finds;
}

/* ---- the whole kernel ---- */

/* Without a branch, both copies at once. */
static void
pass_straight(struct jit *j)
{
    jit_bits full = {0}, masked = {0};
    for (uint32_t i = j->k->op_count; i-- > 0;) {
        const struct jit_regs *r = &j->regs[i];
        jit_bits uses = jit_bits_of(&r->uses), kills = jit_bits_of(&r->kills);
        if (ends(j, i))
            full = masked = (jit_bits){0};
        full = (full & ~kills) | uses;
        masked = (r->no_mask ? masked & ~kills : masked) | uses;
        jit_set_bits(&j->live[0][i], full);
        jit_set_bits(&j->live[1][i], masked);
    }
}

/* The masked copy first: the full one may go on there at any branch and when
 * the dispatch mask is written. */
bool
jit_find_live(struct jit *j)
{
    if (!j->has_ends && j->full) {
        pass_straight(j);
        return true;
    }
    j->only_counts = jit_only_counts(j);
    memset(j->live[0], 0, j->k->op_count * sizeof *j->live[0]);
    memset(j->live[1], 0, j->k->op_count * sizeof *j->live[1]);
    return settle_lanes(j) && (!j->full || settle_full(j));
}
