/* liveness.c: liveness of registers and flags, backwards over the blocks.
 *
 * A write kills a register's old value only if it covers all of it for every
 * channel: always under NoMask, otherwise only in the unmasked variant. The
 * unmasked variant may continue in the masked one at any branch, except in
 * counted loops (counted_loops.c).
 *
 * With branches, the masked variant distinguishes two kinds of live registers.
 * Other channels may read lanes of the first kind. Only the active channels
 * read the second kind, each its own lane, until other channels join. For the
 * second kind a write of all active channels also kills the old value, and the
 * other lanes become undefined. */
#include "eu/jit/analysis/analysis.h"

#include <stdlib.h>

#define MAX_PASSES 64

static void
add_target(const struct jit_facts *f, bool full, struct jit_set *s,
           uint32_t from, int32_t distance)
{
    uint32_t to = from + (uint32_t)distance;
    if (to >= f->k->op_count)
        return;
    for (unsigned c = full ? 0 : 1; c < (full && f->only_counts ? 1 : 2); c++)
        for (unsigned w = 0; w < 2; w++)
            s->w[w] |= f->live[c][to].w[w];
}

/* Live after an op that branches or ends the thread. */
static struct jit_set
live_behind(const struct jit_facts *f, bool full, uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    struct jit_set s = {{0}};
    if (op->fn == eu_op_bad || jit_is_send(op))
        return s;
    if (op->fn == eu_op_link) {
        add_target(f, full, &s, i, op->jip);
        return s;
    }
    if (!(f->start[i] & JIT_MODES) && jit_is_dynamic(op))
        return jit_all_regs;
    add_target(f, full, &s, i, 1);
    if (f->start[i] & JIT_MODES)
        return s;
    add_target(f, full, &s, i, op->jip);
    if (jit_has_uip(op))
        add_target(f, full, &s, i, op->uip);
    return s;
}

static bool
ends_path(const struct jit_facts *f, uint32_t i)
{
    if (f->start[i] & (JIT_FLOW | JIT_MODES))
        return true;
    return (f->start[i] & JIT_SEND) && f->k->ops[i].insn->eot;
}

/* The last op of its block. */
static inline bool
is_last(const struct jit_facts *f, uint32_t i)
{
    return ends_path(f, i) ||
           (i + 1 < f->k->op_count && (f->start[i + 1] & JIT_START));
}

static inline uint32_t
block_of(const struct jit_facts *f, uint32_t i)
{
    while (i && !(f->start[i] & JIT_START))
        i--;
    return i;
}

/* Skips blocks whose end has not changed, except in the first pass. */
static bool
pass_backwards(struct jit_facts *f, bool at_first)
{
    struct jit_set *live = f->live[0];
    uint64_t changed = 0, lo = 0, hi = 0;
    for (uint32_t i = f->k->op_count; i-- > 0;) {
        const struct jit_regs *r = &f->regs[i];
        if (ends_path(f, i)) {
            struct jit_set s = live_behind(f, true, i);
            lo = s.w[0];
            hi = s.w[1];
        }
        lo = (lo & ~r->kills.w[0]) | r->uses.w[0];
        hi = (hi & ~r->kills.w[1]) | r->uses.w[1];
        uint64_t differs = (lo ^ live[i].w[0]) | (hi ^ live[i].w[1]);
        changed |= differs;
        live[i].w[0] = lo;
        live[i].w[1] = hi;
        if (!differs && !at_first && is_last(f, i)) {
            i = block_of(f, i);
            lo = live[i].w[0];
            hi = live[i].w[1];
        }
    }
    return changed;
}

static bool
settle_full(struct jit_facts *f)
{
    for (unsigned n = 0; n < MAX_PASSES; n++)
        if (!pass_backwards(f, !n) || !f->has_loop)
            return true;
    return false;
}

/* ---- the masked variant ---- */

/* Other channels may read the lanes from here on. */
static void
make_seen(struct jit_lanes *l)
{
    l->any |= l->low | l->high;
    l->low = l->high = (jit_bits){0};
    l->flags_any |= l->flags_own;
    l->flags_own = 0;
}

/* Whether channels 0-7 or 8-15, or both, occupy whole registers. */
static inline bool
is_by_lanes(const struct eu_op *op)
{
    return !op->no_mask && op->fn != op->slow && op->slow == eu_op_general &&
           op->opcode != EU_OP_PLN && !(op->post & EU_POST_STORE) &&
           ((op->lanes == 16 && !op->chan) ||
            (op->lanes == 8 && op->chan <= 8));
}

/* Adds the registers of a vector with the lanes of channels 0-7 and of 8-15. */
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

/* Steps from after the op to before it. */
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
        /* Written lanes that are read in other lanes. */
        l->any |= (d.low & l->high) | (d.high & l->low);
        l->low &= ~kills;
        l->high &= ~kills;
        l->seen = l->any;
    }
}

#define ALL_FLAGS 0xf

/* The flag half with the bits of channels 0-15, or 0 for other bits. */
static inline uint8_t
flags_of(const struct eu_op *op)
{
    bool whole = op->lanes == 16 && !op->chan && op->flag_shift % 16 == 0;
    return whole ? (uint8_t)(1u << (op->flag_reg * 2 + op->flag_shift / 16))
                 : 0;
}

/* Whether the op writes the flag of every active channel. */
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

/* Whether only channels that were on before reach the op. Checks compare all
 * lanes where blocks begin. */
static inline bool
is_alone(const struct jit_facts *f, uint32_t to)
{
    return f->k->ops[to].fn != eu_op_join && !f->has_dynamic &&
           !(f->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
}

static void
add_way(const struct jit_facts *f, struct jit_lanes *l, uint32_t from,
        int32_t distance)
{
    uint32_t to = from + (uint32_t)distance;
    if (to >= f->k->op_count)
        return;
    struct jit_lanes there = f->lanes[to];
    if (!is_alone(f, to))
        make_seen(&there);
    l->any |= there.any;
    l->low |= there.low;
    l->high |= there.high;
    l->flags_any |= there.flags_any;
    l->flags_own |= there.flags_own;
}

/* Whether other channels take their place only where channels join. */
static bool
only_parts(const struct jit_facts *f, uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    if (!(f->start[i] & JIT_FLOW) || op->no_mask || op->fn == eu_op_bad ||
        op->fn == eu_op_link)
        return false;
    switch (op->insn->opcode) {
    case EU_OP_IF:
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT:
    case EU_OP_ENDIF:
    case EU_OP_WHILE: return true;
    case EU_OP_ELSE: return i + 1 < f->k->op_count && op[1].fn == eu_op_join;
    default: return false;
    }
}

static struct jit_lanes
lanes_behind(const struct jit_facts *f, uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    struct jit_lanes l = {.any = {0}};
    if (!only_parts(f, i)) {
        struct jit_set s = live_behind(f, false, i);
        l.any = jit_bits_of(&s);
        l.flags_any = jit_is_send(op) ? 0 : ALL_FLAGS;
        return l;
    }
    add_way(f, &l, i, 1);
    add_way(f, &l, i, op->jip);
    if (jit_has_uip(op))
        add_way(f, &l, i, op->uip);
    return l;
}

/* Nonzero if the sets differ. */
static inline uint64_t
lanes_differ(const struct jit_lanes *a, const struct jit_lanes *b)
{
    jit_bits d = (a->any ^ b->any) | (a->low ^ b->low) | (a->high ^ b->high);
    return d[0] | d[1] | (uint64_t)(a->flags_any ^ b->flags_any) |
           (uint64_t)(a->flags_own ^ b->flags_own);
}

/* Steps from after the op to before it. */
static inline void
step_back(struct jit_lanes *l, const struct eu_op *op, const struct jit_regs *r)
{
    bool by_lanes = is_by_lanes(op);
    before_write(l, op, r, by_lanes);
    before_flags(l, op);
    add_reads(l, op, r, by_lanes);
    add_flag_reads(l, op);
}

/* Returns whether something changed; see pass_backwards(). */
static bool
pass_lanes(struct jit_facts *f, bool at_first)
{
    struct jit_lanes l = {.any = {0}};
    uint32_t n = f->k->op_count;
    uint64_t changed = 0;
    for (uint32_t i = n; i-- > 0;) {
        bool last = is_last(f, i);
        if (ends_path(f, i))
            l = lanes_behind(f, i);
        else if (last && !is_alone(f, i + 1))
            make_seen(&l);
        step_back(&l, &f->k->ops[i], &f->regs[i]);
        jit_set_bits(&f->live[1][i], l.any | l.low | l.high);
        uint64_t differs = lanes_differ(&l, &f->lanes[i]);
        changed |= differs;
        f->lanes[i] = l;
        if (last && !differs && !at_first) {
            i = block_of(f, i);
            l = f->lanes[i];
        }
    }
    return changed;
}

static bool
settle_lanes(struct jit_facts *f)
{
    f->lanes = arena_alloc(f->memory, f->k->op_count * sizeof *f->lanes, 64);
    for (unsigned n = 0; f->lanes && n < MAX_PASSES; n++)
        if (!pass_lanes(f, !n) || !f->has_loop)
            return true;
    return false;
}

bool
jit_is_unseen(const struct jit_facts *f, uint32_t here, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct jit_regs *r = &f->regs[here];
    if (f->guards && f->guards[here].slot && op == &f->k->ops[here])
        return f->guards[here].free_dst && f->guards[here].free_flags;
    if (f->unmasked || !f->lanes || op != &f->k->ops[here] ||
        insn->dst.file != EU_FILE_GRF || !(r->kills.w[0] | r->kills.w[1]))
        return false;
    jit_bits seen = jit_bits_of(&r->kills) & f->lanes[here].seen;
    bool flags = insn->cmod && insn->opcode != EU_OP_SEL &&
                 insn->opcode != EU_OP_CSEL;
    return !flags && !(seen[0] | seen[1]);
}

bool
jit_flags_unseen(const struct jit_facts *f, uint32_t here,
                 const struct eu_op *op)
{
    if (f->guards && f->guards[here].slot && op == &f->k->ops[here])
        return f->guards[here].free_flags;
    return !f->unmasked && f->lanes && op == &f->k->ops[here] &&
           !(f->flags & (EU_JIT_SPLIT | EU_JIT_STEP)) &&
           flags_of(op) & ~f->lanes[here].flags_seen;
}

/* ---- as threads begin ---- */

/* Flag halves that the predicate may read. */
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

/* Flag halves that the op replaces. */
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

/* Without branches: both variants in one pass. */
static void
pass_straight(struct jit_facts *f)
{
    jit_bits full = {0}, masked = {0};
    for (uint32_t i = f->k->op_count; i-- > 0;) {
        const struct jit_regs *r = &f->regs[i];
        jit_bits uses = jit_bits_of(&r->uses), kills = jit_bits_of(&r->kills);
        if (ends_path(f, i))
            full = masked = (jit_bits){0};
        full = (full & ~kills) | uses;
        masked = (r->no_mask ? masked & ~kills : masked) | uses;
        jit_set_bits(&f->live[0][i], full);
        jit_set_bits(&f->live[1][i], masked);
    }
}

/* The masked variant first: the unmasked variant may continue there at any
 * branch and when the dispatch mask is written. */
bool
jit_find_live(struct jit_facts *f)
{
    if (!f->has_ends && f->unmasked) {
        pass_straight(f);
        return true;
    }
    f->only_counts = jit_only_counts(f);
    memset(f->live[0], 0, f->k->op_count * sizeof *f->live[0]);
    memset(f->live[1], 0, f->k->op_count * sizeof *f->live[1]);
    return settle_lanes(f) && (!f->unmasked || settle_full(f));
}

bool
jit_find_live_again(struct jit_facts *f)
{
    return settle_full(f);
}
