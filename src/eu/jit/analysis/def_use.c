/* def_use.c: def-use facts: the registers that each op reads and writes, and
 * properties of the kernel's messages and operands. */
#include "eu/jit/analysis/lane_deps.h"

#include "eu/predecode/predecode.h"

const struct jit_set jit_all_regs = {{UINT64_MAX, UINT64_MAX}};

/* ---- registers ---- */

static const struct jit_set nothing;

static inline struct jit_set
grf_range(unsigned first, unsigned end)
{
    end = MIN2(end, EU_GRF_COUNT);
    unsigned count = end > first ? end - first : 0;
    return count > 63 ? jit_all_regs : jit_grfs(first, count);
}

static inline struct jit_set
byte_range(unsigned from_B, unsigned end_B)
{
    return grf_range(from_B / EU_GRF_B, DIV_ROUND_UP(end_B, EU_GRF_B));
}

static inline void
add_set(struct jit_set *s, struct jit_set more)
{
    s->w[0] |= more.w[0];
    s->w[1] |= more.w[1];
}

/* Registers that the operand reads, or a superset. */
static struct jit_set
region_set(const struct eu_insn *insn, const struct eu_operand *o)
{
    unsigned base = o->reg * EU_GRF_B + o->subreg_B, last, n = insn->exec_size;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    if (o->file != EU_FILE_GRF)
        return nothing;
    if (o->indirect)
        return jit_all_regs;
    if (insn->opcode == EU_OP_PLN && o == &insn->src[1])
        return byte_range(base, base + DIV_ROUND_UP(n, 8) * 64u);
    if (insn->opcode == EU_OP_PLN)
        return byte_range(base & ~15u, (base & ~15u) + 16);
    if (insn->align16 && o->rep_ctrl)
        last = 0;
    else if (insn->align16)
        last = (n - 1) / 4 * MAX2(o->vstride, 4u) + 3;
    else
        last = ((n - 1) >> __builtin_ctz(o->width)) * o->vstride +
               (MIN2(o->width, n) - 1u) * o->hstride;
    return byte_range(base, base + (last + 1) * size_B);
}

static struct jit_set
send_set(const struct eu_insn *insn)
{
    struct jit_set s = nothing;
    bool split = insn->opcode == EU_OP_SENDS || insn->opcode == EU_OP_SENDSC;
    unsigned len[2] = {
        insn->desc_is_reg ? 15 : bits_get(insn->desc, 25, 28),
        insn->ex_desc_is_reg ? 15 : bits_get(insn->ex_desc, 6, 9),
    };
    for (unsigned i = 0; i < (split ? 2 : 1); i++) {
        const struct eu_operand *o = &insn->src[i];
        if (o->indirect)
            return jit_all_regs;
        else if (o->file == EU_FILE_GRF)
            add_set(&s, grf_range(o->reg, o->reg + len[i]));
    }
    return s;
}

/* Registers that the answer replaces if all lanes are on: four channels of
 * eight or sixteen lanes, or the first of them. */
static struct jit_set
answer_set(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *o = &insn->dst;
    bool header = bits_get(insn->desc, 19, 19), half = insn->desc >> 30 & 1;
    unsigned simd = (unsigned)bits_get(insn->desc, 17, 18), rlen_grf;
    rlen_grf = (unsigned)bits_get(insn->desc, 20, 24);
    if (jit_is_read(op))
        return grf_range(o->reg, o->reg + rlen_grf);
    if (insn->sfid != EU_SFID_SAMPLER || insn->desc_is_reg || insn->pred_ctrl ||
        header || half || (simd != 1 && simd != 2) || rlen_grf > 4 * simd ||
        o->file != EU_FILE_GRF || o->indirect)
        return nothing;
    return grf_range(o->reg, o->reg + rlen_grf);
}

/* A write kills the registers that it covers. */
static void
note_destination(struct jit_regs *r, const struct eu_op *op)
{
    const struct eu_operand *o = &op->insn->dst;
    if (o->file != EU_FILE_GRF || o->indirect)
        return;
    unsigned from = o->reg * EU_GRF_B + o->subreg_B;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    r->all = byte_range(from,
                        from + ((op->lanes - 1u) * o->hstride + 1) * size_B);
    unsigned end = (from + op->lanes * size_B) / EU_GRF_B;
    if (o->hstride == 1 && op->slow == eu_op_general &&
        eu_writes_all(op->insn) && end <= EU_GRF_COUNT &&
        (!op->insn->align16 || o->writemask == 15))
        r->kills = grf_range(DIV_ROUND_UP(from, EU_GRF_B), end);
}

/* Fast path for ops of whole registers, scalars and immediates. Also follows
 * the op's lane dependence; returns whether nothing is left to follow. */
static inline bool
note_plain(struct jit_regs *r, const struct eu_op *op, jit_bits *written,
           struct jit_lane_deps *apart)
{
    unsigned whole = DIV_ROUND_UP(op->lanes, 8);
    unsigned g = op->dst_off_B / EU_GRF_B;
    jit_bits uses = {0}, all = {0}, kills = {0};
    struct jit_lane_deps_step step = jit_lane_deps_step(op);
    const struct eu_op_src *end = op->src + op->src_count;
    for (const struct eu_op_src *src = op->src; src < end; src++) {
        bool scalar = src->cls == EU_SRC_SCALAR;
        unsigned grf = src->off_B / EU_GRF_B;
        if (src->cls == EU_SRC_IMM)
            continue;
        jit_lane_deps_read(&step, apart, grf, scalar);
        uses |= jit_run(grf,
                        scalar ? 1 : whole + (src->off_B % EU_GRF_B ? 1 : 0));
    }
    if (!(op->post & EU_POST_NULL)) {
        all = jit_run(g, whole);
        if (op->plain & EU_PLAIN_WHOLE)
            kills = all;
        *written |= all;
        /* A division writes its remainder after the quotient. */
        if (op->opcode == EU_OP_MATH && g + whole < EU_GRF_COUNT)
            *written |= jit_run(g + whole, whole);
    }
    jit_set_bits(&r->uses, uses);
    jit_set_bits(&r->kills, kills);
    jit_set_bits(&r->all, all | uses);
    r->no_mask = op->no_mask;
    if (!(op->plain & EU_PLAIN_BY_LANES) || step.fails)
        return false;
    jit_lane_deps_write(&step, apart, g);
    return true;
}

struct jit_set
jit_written(const struct jit_regs *r, const struct eu_op *op)
{
    typedef unsigned __int128 set;
    const struct eu_operand *o = &op->insn->dst;
    unsigned rlen_grf = (unsigned)bits_get(op->insn->desc, 20, 24);
    if (o->file != EU_FILE_GRF)
        return nothing;
    if (o->indirect || op->insn->desc_is_reg)
        return jit_all_regs;
    if (jit_is_send(op))
        return grf_range(o->reg, o->reg + rlen_grf);
    set all = (set)r->all.w[1] << 64 | r->all.w[0];
    if (op->insn->opcode == EU_OP_MATH) /* a division's remainder */
        all |= all << 1 | all << 2;
    return (struct jit_set){{(uint64_t)all, (uint64_t)(all >> 64)}};
}

static void
note_others(struct jit_regs *r, const struct eu_op *op, jit_bits *written)
{
    *r = (struct jit_regs){.no_mask = op->no_mask};
    if (op->fn == eu_op_join || op->fn == eu_op_link)
        return;
    struct jit_set uses = nothing;
    if (jit_is_send(op)) {
        uses = send_set(op->insn);
        r->kills = answer_set(op);
    } else {
        for (unsigned i = 0; i < op->insn->src_count; i++)
            add_set(&uses, region_set(op->insn, &op->insn->src[i]));
        note_destination(r, op);
    }
    *written |= jit_bits_new(jit_written(r, op));
    r->uses = uses;
    add_set(&r->all, uses);
}

/* Whether the instruction reads accumulators, explicitly or implicitly. Macro
 * operands (mme0 to mme7) have none here: see eu_finish_macro(). */
static bool
reads_acc(const struct eu_insn *insn)
{
    switch (insn->opcode) {
    case EU_OP_MAC:
    case EU_OP_MACH:
    case EU_OP_SADA2: return true;
    default: break;
    }
    for (unsigned i = 0; i < insn->src_count; i++)
        if (insn->src[i].file == EU_FILE_ARF &&
            (insn->src[i].reg & 0xf0) == EU_ARF_ACC)
            return true;
    return false;
}

/* Whether the instruction reads thread state besides its payload: state
 * registers, clocks. */
static bool
reads_state(const struct eu_insn *insn)
{
    for (unsigned i = 0; i < insn->src_count; i++) {
        const struct eu_operand *o = &insn->src[i];
        unsigned arf = o->reg & 0xf0;
        if (o->file == EU_FILE_ARF && arf != EU_ARF_NULL && arf != EU_ARF_A &&
            arf != EU_ARF_ACC && arf != EU_ARF_F)
            return true;
    }
    return false;
}

/* Some MATH functions set flags implicitly. */
static inline bool
leaves_flags(unsigned opcode, unsigned cmod)
{
    return cmod || opcode == EU_OP_MATH;
}

/* Thread state that the instruction may change. */
static enum eu_clobbers
state_left(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *d = &insn->dst;
    unsigned arf = d->reg & 0xf0;
    bool flags = leaves_flags(insn->opcode, insn->cmod);
    if (d->file != EU_FILE_ARF || arf == EU_ARF_NULL)
        return flags ? EU_CLOBBERS_ADDRESS_AND_FLAGS : EU_CLOBBERS_NONE;
    return arf == EU_ARF_A || arf == EU_ARF_F ? EU_CLOBBERS_ADDRESS_AND_FLAGS
                                              : EU_CLOBBERS_ALL;
}

static void
note_message(const struct eu_kernel *k, struct eu_live_in *in, uint32_t i)
{
    struct jit_send before;
    const struct eu_op *op = &k->ops[i];
    const struct eu_insn *insn = op->insn;
    if (!insn->eot) {
        in->sfids |= 1u << (insn->sfid & 15);
        return;
    }
    in->captures_rt_write = !in->ends++ && jit_is_captured(op);
    in->last_pred = insn->pred_ctrl;
    in->last_sfid = insn->sfid;
    in->last_desc = insn->desc;
    if (in->captures_rt_write && i && jit_is_sample_store(k, i - 1, &before))
        in->sample_store = before.m;
}

static void
note_operands(struct jit_facts *f, const struct eu_insn *insn)
{
    const struct eu_operand *o = &insn->src[1];
    bool indirect = insn->dst.indirect;
    bool flags = insn->desc_is_reg || insn->ex_desc_is_reg;
    for (unsigned s = 0; s < insn->src_count; s++) {
        unsigned arf = insn->src[s].reg & 0xf0;
        indirect |= insn->src[s].indirect;
        flags |= insn->src[s].file == EU_FILE_ARF &&
                 (arf == EU_ARF_A || arf == EU_ARF_F);
    }
    f->has_indirect |= indirect;
    f->finds_flags |= flags || indirect;
    if (!f->weights_grf && insn->opcode == EU_OP_PLN &&
        o->file == EU_FILE_GRF && !o->indirect &&
        o->reg + EU_CHAIN_GRF <= EU_GRF_COUNT)
        f->weights_grf = o->reg;
}

/* Whether the instruction reads only EU_LIVE_B's dword of that register. */
static bool
reads_only_lit(const struct eu_op *op)
{
    const struct jit_set header = grf_range(EU_LIVE_B / EU_GRF_B,
                                            EU_LIVE_B / EU_GRF_B + 1);
    for (unsigned i = 0; i < op->insn->src_count; i++) {
        const struct eu_operand *o = &op->insn->src[i];
        struct jit_set s = region_set(op->insn, o);
        unsigned at_B = o->reg * EU_GRF_B + o->subreg_B;
        unsigned end_B = at_B + eu_type_size_B((enum eu_type)o->type);
        bool scalar = op->lanes == 1 || (o->width == 1 && !o->vstride);
        if ((s.w[0] & header.w[0]) &&
            (o->indirect || !scalar || op->insn->align16 || at_B < EU_LIVE_B ||
             end_B > EU_LIVE_B + 4))
            return false;
    }
    return true;
}

bool
jit_chain_sets_mask(const struct jit_facts *f)
{
    const uint64_t header = UINT64_C(1) << EU_LIVE_B / EU_GRF_B;
    if (!f->in.captures_rt_write || !(f->in.full[0] & header) ||
        !f->weights_grf)
        return false;
    for (uint32_t i = 0; i < f->k->op_count; i++) {
        const struct eu_op *op = &f->k->ops[i];
        if ((f->regs[i].uses.w[0] & header) &&
            (jit_is_send(op) || op->insn->opcode == EU_OP_PLN ||
             !reads_only_lit(op)))
            return false;
    }
    return true;
}

void
jit_note_ops(struct jit_facts *f, struct jit_walk *w)
{
    bool flags = false;
    uint32_t need = 0, widest = 0, n = f->k->op_count;
    unsigned known = 0;
    enum eu_clobbers least = EU_CLOBBERS_NONE;
    f->start[0] |= JIT_START;
    for (uint32_t i = 0; i < n; i++) {
        const struct eu_op *op = &f->k->ops[i];
        struct jit_regs *r = &f->regs[i];
        bool plain = op->plain & EU_PLAIN_GRFS, followed = false;
        widest = MAX2(widest, op->lanes);
        if (plain) {
            followed = note_plain(r, op, &w->written, &w->lane_deps);
            flags |= leaves_flags(op->opcode, op->cmod);
        } else {
            note_others(r, op, &w->written);
            note_operands(f, op->insn);
            if (!eu_op_is_initial_mode(op)) {
                least = MIN2(least, state_left(op));
                f->in.acc |= reads_acc(op->insn);
                w->sees_state |= reads_state(op->insn);
            }
            if (jit_is_send(op))
                note_message(f->k, &f->in, i);
        }
        if (!plain || op->pred || op->cmod)
            f->finds_flags |= jit_finds_flags(op, &known);
        if (!plain || (f->flags & EU_JIT_STEP))
            jit_mark_op(f, i);
        need |= op->no_mask ? 0 : op->full << op->chan;
        if (w->follows && !followed)
            w->follows = jit_lane_deps_follow(&w->lane_deps, op, r);
    }
    f->required_mask = need;
    f->has_wide = widest > 8;
    if (flags)
        least = MIN2(least, EU_CLOBBERS_ADDRESS_AND_FLAGS);
    f->clobbers = (uint8_t)least;
}
