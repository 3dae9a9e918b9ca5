/* liveness.c: blocks, and what each op does with the registers. */
#include "eu/jit/liveness.h"

#include "eu/jit/apart.h"
#include "eu/jit/lower_send.h"
#include "eu/jit/sink.h"

const struct jit_set jit_all_regs = {{UINT64_MAX, UINT64_MAX}};

bool
jit_is_flow(const struct eu_op *op)
{
    unsigned opcode = op->insn->opcode;
    return op->fn == eu_op_link || op->fn == eu_op_bad ||
           op->fn == eu_op_set_ip ||
           (opcode >= EU_OP_JMPI && opcode < EU_OP_WAIT &&
            op->fn != eu_op_join);
}

bool
jit_is_dynamic(const struct eu_op *op)
{
    if (op->fn == eu_op_set_ip)
        return true;
    switch (op->insn->opcode) {
    case EU_OP_JMPI: return op->insn->src_count > 0;
    case EU_OP_CALL:
    case EU_OP_CALLA:
    case EU_OP_RET:
    case EU_OP_BRD:
    case EU_OP_BRC: return true;
    default: return false;
    }
}

static bool
writes_modes(const struct eu_op *op)
{
    const struct eu_operand *d = &op->insn->dst;
    return d->file == EU_FILE_ARF && !eu_op_is_early(op) &&
           ((d->reg & 0xf0) == EU_ARF_CR || (d->reg & 0xf0) == EU_ARF_SR);
}

/* ---- blocks ---- */

static void
mark(struct jit *j, uint32_t from, int32_t distance, uint8_t what)
{
    uint32_t to = from + (uint32_t)distance;
    if (to < j->k->op_count)
        j->start[to] |= what;
}

static void
mark_target(struct jit *j, uint32_t from, int32_t distance)
{
    mark(j, from, distance, distance <= 0 ? JIT_LOOP | JIT_START : JIT_START);
    j->has_loop |= distance <= 0;
}

bool
jit_has_uip(const struct eu_op *op)
{
    switch (op->insn->opcode) {
    case EU_OP_IF:
    case EU_OP_ELSE:
    case EU_OP_BREAK:
    case EU_OP_CONT:
    case EU_OP_HALT:
    case EU_OP_GOTO:
    case EU_OP_BRC: return op->fn != eu_op_link;
    default: return false;
    }
}

/* Behind the kernel's end, where nothing leads. */
bool
jit_is_unreached(const struct jit *j, uint32_t i)
{
    const struct eu_op *ops = j->k->ops;
    return !(j->start[i] & JIT_START) &&
           (i + 1 == j->k->op_count ||
            (ops[i].fn == eu_op_link && i && jit_is_send(&ops[i - 1]) &&
             ops[i - 1].insn->eot));
}

static void
mark_op(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    bool behind_join = i && j->k->ops[i - 1].fn == eu_op_join;
    bool send = jit_is_send(op), split = j->flags & EU_JIT_SPLIT;
    if (op->fn == eu_op_join || op->fn == eu_op_wait)
        j->start[i - (op->fn == eu_op_wait && behind_join)] |= JIT_START;
    if ((j->flags & EU_JIT_STEP || (send && split)) && !behind_join)
        j->start[i] |= JIT_START;
    if (op->fn == eu_op_join || jit_is_unreached(j, i))
        return;
    if (send)
        j->start[i] |= JIT_SEND;
    if (send && j->full && !split && jit_is_memory(op))
        j->start[i] |= JIT_MEMORY;
    if (jit_is_flow(op)) {
        j->start[i] |= JIT_FLOW;
        mark(j, i, 1, JIT_START);
        if (op->fn == eu_op_bad)
            return;
        j->has_flow |= op->fn != eu_op_link;
        j->has_dynamic |= jit_is_dynamic(op);
        j->has_ends = true;
        mark_target(j, i, op->jip);
        if (jit_has_uip(op))
            mark_target(j, i, op->uip);
    } else if ((send && split) || writes_modes(op)) {
        if (!send) {
            j->start[i] |= JIT_MODES;
            j->has_modes = j->has_ends = true;
        }
        mark(j, i, 1, JIT_START);
    }
}

/* ---- registers ---- */

static const struct jit_set nothing;

static inline struct jit_set
grfs(unsigned first, unsigned end)
{
    end = MIN2(end, EU_GRF_COUNT);
    unsigned count = end > first ? end - first : 0;
    return count > 63 ? jit_all_regs : jit_grfs(first, count);
}

static inline struct jit_set
bytes(unsigned from_B, unsigned end_B)
{
    return grfs(from_B / EU_GRF_B, DIV_ROUND_UP(end_B, EU_GRF_B));
}

static inline void
add(struct jit_set *s, struct jit_set more)
{
    s->w[0] |= more.w[0];
    s->w[1] |= more.w[1];
}

/* At least the registers that the operand reads. */
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
        return bytes(base, base + DIV_ROUND_UP(n, 8) * 64u);
    if (insn->opcode == EU_OP_PLN)
        return bytes(base & ~15u, (base & ~15u) + 16);
    if (insn->align16 && o->rep_ctrl)
        last = 0;
    else if (insn->align16)
        last = (n - 1) / 4 * MAX2(o->vstride, 4u) + 3;
    else
        last = ((n - 1) >> __builtin_ctz(o->width)) * o->vstride +
               (MIN2(o->width, n) - 1u) * o->hstride;
    return bytes(base, base + (last + 1) * size_B);
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
            add(&s, grfs(o->reg, o->reg + len[i]));
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
        return grfs(o->reg, o->reg + rlen_grf);
    if (insn->sfid != EU_SFID_SAMPLER || insn->desc_is_reg || insn->pred_ctrl ||
        header || half || (simd != 1 && simd != 2) || rlen_grf > 4 * simd ||
        o->file != EU_FILE_GRF || o->indirect)
        return nothing;
    return grfs(o->reg, o->reg + rlen_grf);
}

/* A write ends the life of the registers that it covers. */
static void
note_destination(struct jit_regs *r, const struct eu_op *op)
{
    const struct eu_operand *o = &op->insn->dst;
    if (o->file != EU_FILE_GRF || o->indirect)
        return;
    unsigned from = o->reg * EU_GRF_B + o->subreg_B;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    r->all = bytes(from, from + ((op->lanes - 1u) * o->hstride + 1) * size_B);
    unsigned end = (from + op->lanes * size_B) / EU_GRF_B;
    if (o->hstride == 1 && op->slow == eu_op_general &&
        eu_writes_all(op->insn) && end <= EU_GRF_COUNT &&
        (!op->insn->align16 || o->writemask == 15))
        r->kills = grfs(DIV_ROUND_UP(from, EU_GRF_B), end);
}

/* Whole registers, scalars and immediates: the interpreter's fast path knows
 * enough of them. Follows the op, too, and says whether that was all
 * there is to follow. */
static inline bool
note_plain(struct jit_regs *r, const struct eu_op *op, jit_bits *written,
           struct jit_apart *apart)
{
    unsigned whole = DIV_ROUND_UP(op->lanes, 8);
    unsigned g = op->dst_off_B / EU_GRF_B;
    jit_bits uses = {0}, all = {0}, kills = {0};
    struct jit_apart_step step = jit_apart_step(op);
    const struct eu_op_src *end = op->src + op->src_count;
    for (const struct eu_op_src *src = op->src; src < end; src++) {
        bool scalar = src->cls == EU_SRC_SCALAR;
        unsigned grf = src->off_B / EU_GRF_B;
        if (src->cls == EU_SRC_IMM)
            continue;
        jit_apart_read(&step, apart, grf, scalar);
        uses |= jit_run(grf,
                        scalar ? 1 : whole + (src->off_B % EU_GRF_B ? 1 : 0));
    }
    if (!(op->post & EU_POST_NULL)) {
        all = jit_run(g, whole);
        if (op->plain & EU_PLAIN_WHOLE)
            kills = all;
        *written |= all;
        /* Division has its remainder behind the quotient. */
        if (op->opcode == EU_OP_MATH && g + whole < EU_GRF_COUNT)
            *written |= jit_run(g + whole, whole);
    }
    jit_set_bits(&r->uses, uses);
    jit_set_bits(&r->kills, kills);
    jit_set_bits(&r->all, all | uses);
    r->no_mask = op->no_mask;
    if (!(op->plain & EU_PLAIN_BY_LANES) || step.fails)
        return false;
    jit_apart_write(&step, apart, g);
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
        return grfs(o->reg, o->reg + rlen_grf);
    set all = (set)r->all.w[1] << 64 | r->all.w[0];
    if (op->insn->opcode == EU_OP_MATH) /* likewise */
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
            add(&uses, region_set(op->insn, &op->insn->src[i]));
        note_destination(r, op);
    }
    *written |= jit_bits_new(jit_written(r, op));
    r->uses = uses;
    add(&r->all, uses);
}

/* Explicitly, or as part of what the opcode does. */
static bool
reads_acc(const struct eu_insn *insn)
{
    switch (insn->opcode) {
    case EU_OP_MAC:
    case EU_OP_MACH:
    case EU_OP_SADA2:
    case EU_OP_MADM: return true;
    case EU_OP_MATH:
        if (insn->math == EU_MATH_INVM || insn->math == EU_MATH_RSQRTM)
            return true;
        break;
    default: break;
    }
    for (unsigned i = 0; i < insn->src_count; i++)
        if (insn->src[i].file == EU_FILE_ARF &&
            (insn->src[i].reg & 0xf0) == EU_ARF_ACC)
            return true;
    return false;
}

/* Whether the instruction sees more of the thread than its payload: state
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

/* Some functions of MATH set flags unasked. */
static inline bool
leaves_flags(unsigned opcode, unsigned cmod)
{
    return cmod || opcode == EU_OP_MATH;
}

/* What the instruction may change of the thread's state. */
static enum eu_leaves
leaves(const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *d = &insn->dst;
    unsigned arf = d->reg & 0xf0;
    bool flags = leaves_flags(insn->opcode, insn->cmod);
    if (d->file != EU_FILE_ARF || arf == EU_ARF_NULL)
        return flags ? EU_LEAVES_ADDRESS_AND_FLAGS : EU_LEAVES_NONE;
    return arf == EU_ARF_A || arf == EU_ARF_F ? EU_LEAVES_ADDRESS_AND_FLAGS
                                              : EU_LEAVES_ALL;
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
    in->catches = !in->ends++ && jit_is_caught(op);
    in->last_pred = insn->pred_ctrl;
    in->last_sfid = insn->sfid;
    in->last_desc = insn->desc;
    if (in->catches && i && jit_is_copied(k, i - 1, &before))
        in->copied = before.m;
}

static void
note_operands(struct jit *j, const struct eu_insn *insn)
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
    j->has_indirect |= indirect;
    j->finds_flags |= flags || indirect;
    if (!j->weights_grf && insn->opcode == EU_OP_PLN &&
        o->file == EU_FILE_GRF && !o->indirect &&
        o->reg + EU_ROW_GRF <= EU_GRF_COUNT)
        j->weights_grf = o->reg;
}

/* Whether the instruction reads no other dword of that register than the one at
 * EU_LIT_B. */
static bool
reads_only_lit(const struct eu_op *op)
{
    const struct jit_set header = grfs(EU_LIT_B / EU_GRF_B,
                                       EU_LIT_B / EU_GRF_B + 1);
    for (unsigned i = 0; i < op->insn->src_count; i++) {
        const struct eu_operand *o = &op->insn->src[i];
        struct jit_set s = region_set(op->insn, o);
        unsigned at_B = o->reg * EU_GRF_B + o->subreg_B;
        unsigned end_B = at_B + eu_type_size_B((enum eu_type)o->type);
        bool scalar = op->lanes == 1 || (o->width == 1 && !o->vstride);
        if ((s.w[0] & header.w[0]) &&
            (o->indirect || !scalar || op->insn->align16 || at_B < EU_LIT_B ||
             end_B > EU_LIT_B + 4))
            return false;
    }
    return true;
}

static bool
finds_own_lit(const struct jit *j)
{
    const uint64_t header = UINT64_C(1) << EU_LIT_B / EU_GRF_B;
    if (!j->in.catches || !(j->in.full[0] & header) || !j->weights_grf)
        return false;
    for (uint32_t i = 0; i < j->k->op_count; i++) {
        const struct eu_op *op = &j->k->ops[i];
        if ((j->regs[i].uses.w[0] & header) &&
            (jit_is_send(op) || op->insn->opcode == EU_OP_PLN ||
             !reads_only_lit(op)))
            return false;
    }
    return true;
}

bool
jit_analyse(struct jit *j, bool whole)
{
    struct jit_apart apart;
    bool follows = whole, sees = false, flags = false;
    uint32_t need = 0, widest = 0, n = j->k->op_count;
    unsigned known = 0;
    enum eu_leaves least = EU_LEAVES_NONE;
    jit_bits written = {0};
    jit_apart_begin(&apart);
    j->start[0] |= JIT_START;
    for (uint32_t i = 0; i < n; i++) {
        const struct eu_op *op = &j->k->ops[i];
        struct jit_regs *r = &j->regs[i];
        bool plain = op->plain & EU_PLAIN_GRFS, followed = false;
        widest = MAX2(widest, op->lanes);
        if (plain) {
            followed = note_plain(r, op, &written, &apart);
            flags |= leaves_flags(op->opcode, op->cmod);
        } else {
            note_others(r, op, &written);
            note_operands(j, op->insn);
            if (!eu_op_is_early(op)) {
                least = MIN2(least, leaves(op));
                j->in.acc |= reads_acc(op->insn);
                sees |= reads_state(op->insn);
            }
            if (jit_is_send(op))
                note_message(j->k, &j->in, i);
        }
        if (!plain || op->pred || op->cmod)
            j->finds_flags |= jit_finds_flags(op, &known);
        if (!plain || (j->flags & EU_JIT_STEP))
            mark_op(j, i);
        need |= op->no_mask ? 0 : op->full << op->chan;
        if (follows && !followed)
            follows = jit_apart_follow(&apart, op, r);
    }
    j->need = need;
    j->has_wide = widest > 8;
    if (flags)
        least = MIN2(least, EU_LEAVES_ADDRESS_AND_FLAGS);
    jit_flatten(j, &apart);
    j->finds_flags |= j->has_flow;
    if (j->threads > 1 && !j->group && (j->in.sfids || j->sinks) && !j->in.acc)
        jit_sink(j);
    if (!jit_find_live(j))
        return false;
    memcpy(j->in.written, &written, sizeof j->in.written);
    j->in.need = j->need;
    j->in.steady = !sees && !j->has_modes;
    memcpy(j->in.full, j->live[0][0].w, sizeof j->in.full);
    memcpy(j->in.masked, j->live[1][0].w, sizeof j->in.masked);
    j->in.own_lit = finds_own_lit(j);
    if (whole && j->has_flow && j->only_counts)
        jit_apart_follow_loops(&apart, j);
    j->in.apart = apart.ended && (!j->has_flow || j->only_counts) &&
                  !j->has_modes && !j->in.acc;
    j->in.quads = apart.quads;
    j->leaves = (uint8_t)least;
    j->in.leaves = j->in.apart ? least : EU_LEAVES_ALL;
    return true;
}
