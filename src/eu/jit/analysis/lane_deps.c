/* lane_deps.c: lane independence: no active lane can observe another one.
 *
 * Threads of such kernels may run unmasked code with channels off: inactive
 * lanes hold undefined values, and messages name the active lanes. Supports
 * kernels whose only branches belong to counted loops (lane_deps_loops.c). The
 * analysis follows the instructions and notes where each register is
 * undefined. */
#include "eu/jit/analysis/lane_deps.h"

#include "eu/interp/alu.h"

/* ---- reading ---- */

static bool
read_grf(struct jit_lane_deps *f, unsigned grf, unsigned dword, int channel)
{
    int home = grf < EU_GRF_COUNT ? f->grf[grf] : JIT_UNDEFINED;
    if (home == JIT_UNIFORM)
        return true;
    f->reads_undefined = true;
    int from = home + (int)dword;
    if (home == JIT_UNDEFINED || from >> 2 != channel >> 2)
        return false;
    f->quad_dependent |= from != channel;
    return true;
}

static bool
is_same(const struct jit_lane_deps *f, unsigned off_B, unsigned end_B)
{
    for (unsigned g = off_B / EU_GRF_B; g * EU_GRF_B < end_B; g++)
        if (g >= EU_GRF_COUNT || f->grf[g] != JIT_UNIFORM)
            return false;
    return true;
}

/* Consecutive dwords, the usual operand. */
static inline bool
read_vector(struct jit_lane_deps *f, unsigned off_B)
{
    int channel = f->op->chan - (int)(off_B % EU_GRF_B / 4);
    unsigned end_B = off_B + f->op->lanes * 4u;
    if (off_B % 4)
        return is_same(f, off_B, end_B);
    for (unsigned g = off_B / EU_GRF_B; g * EU_GRF_B < end_B; g++) {
        int home = f->grf[g & (EU_GRF_COUNT - 1)];
        if (home != JIT_UNIFORM && home != channel)
            return false;
        f->reads_undefined |= home != JIT_UNIFORM;
        channel += 8;
    }
    return true;
}

static bool
read_region(struct jit_lane_deps *f, const struct eu_operand *o)
{
    uint16_t at[EU_MAX_LANES];
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    eu_region_walk(f->op->insn, o, at);
    for (unsigned i = 0; i < f->op->lanes; i++)
        for (unsigned d = at[i] / 4; d * 4 < at[i] + size_B; d++)
            if (!read_grf(f, d / 8, d % 8, f->op->chan + (int)i))
                return false;
    return true;
}

/* Whether the operand lies in one flag register. */
static bool
is_in_one(const struct jit_lane_deps *f, const struct eu_operand *o)
{
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    bool scalar = f->op->lanes == 1 || (o->width == 1 && !o->vstride);
    return scalar && o->subreg_B + size_B <= 4;
}

static bool
read_arf(const struct jit_lane_deps *f, const struct eu_operand *o)
{
    unsigned n = o->reg & 1;
    switch (o->reg & 0xf0) {
    case EU_ARF_NULL:
    case EU_ARF_A: return true;
    case EU_ARF_F:
        return is_in_one(f, o) && f->flag[n][0] == JIT_UNIFORM &&
               f->flag[n][1] == JIT_UNIFORM;
    default: return false;
    }
}

static bool
read_source(struct jit_lane_deps *f, unsigned s)
{
    const struct eu_op *op = f->op;
    const struct eu_operand *o = &op->insn->src[s];
    unsigned at = o->reg * EU_GRF_B + o->subreg_B;
    if (o->file == EU_FILE_IMM)
        return true;
    if (o->file != EU_FILE_GRF || o->indirect)
        return o->file == EU_FILE_ARF && !o->indirect && read_arf(f, o);
    if (op->insn->opcode == EU_OP_PLN)
        return s ? is_same(f, at, at + DIV_ROUND_UP(op->lanes, 8) * 64u)
                 : is_same(f, at & ~15u, (at & ~15u) + 16);
    if (op->fn == op->slow)
        return read_region(f, o);
    const struct eu_op_src *src = &op->src[s];
    if (src->cls == EU_SRC_VEC || src->cls == EU_SRC_VEC_MOD)
        return read_vector(f, src->off_B);
    return (src->cls == EU_SRC_SCALAR &&
            is_same(f, src->off_B, src->off_B + 4u)) ||
           read_region(f, o);
}

/* A predicate's bits are each lane's own. */
static bool
read_predicate(struct jit_lane_deps *f)
{
    const struct eu_op *op = f->op;
    const int16_t *flag = f->flag[op->flag_reg];
    if (!op->pred)
        return true;
    if (op->pred == 2)
        return f->flag[0][0] == JIT_UNIFORM && f->flag[0][1] == JIT_UNIFORM &&
               f->flag[1][0] == JIT_UNIFORM && f->flag[1][1] == JIT_UNIFORM;
    unsigned last = (op->flag_shift + op->lanes - 1u) / 16;
    for (unsigned half = op->flag_shift / 16; half <= last; half++) {
        if (half > 1 || (flag[half] != JIT_UNIFORM &&
                         flag[half] != op->chan - op->flag_shift))
            return false;
        f->reads_undefined |= flag[half] != JIT_UNIFORM;
    }
    return true;
}

/* ---- writing ---- */

/* all: active lanes are written, and every dword has a lane. */
static void
write_home(int16_t *place, int home, bool all)
{
    if (all || *place == JIT_UNIFORM || *place == home)
        *place = (int16_t)home;
    else
        *place = JIT_UNDEFINED;
}

static bool
kills_register(const struct jit_lane_deps *f, unsigned grf)
{
    return f->regs->kills.w[grf / 64] >> grf % 64 & 1;
}

static void
write_grfs(struct jit_lane_deps *f)
{
    const struct eu_op *op = f->op;
    const struct eu_operand *d = &op->insn->dst;
    unsigned size_B = eu_type_size_B((enum eu_type)d->type);
    unsigned from_B = d->reg * EU_GRF_B + d->subreg_B;
    unsigned step_B = size_B * d->hstride;
    unsigned end_B = from_B + (op->lanes - 1u) * step_B + size_B;
    int channel = op->chan - (int)(from_B % EU_GRF_B / 4);
    bool rubbish = f->reads_undefined || !op->no_mask;
    bool ordered = from_B % 4 + size_B <= 4 && (step_B == 4 || op->lanes == 1);
    for (unsigned g = from_B / EU_GRF_B;
         g * EU_GRF_B < end_B && g < EU_GRF_COUNT; g++) {
        if (rubbish)
            write_home(&f->grf[g], ordered ? channel : JIT_UNDEFINED,
                       kills_register(f, g));
        else if (kills_register(f, g))
            f->grf[g] = JIT_UNIFORM;
        channel += 8;
    }
}

static void
write_flags(struct jit_lane_deps *f)
{
    const struct eu_op *op = f->op;
    unsigned last = (op->flag_shift + op->lanes - 1u) / 16;
    bool rubbish = f->reads_undefined || !op->no_mask;
    for (unsigned half = op->flag_shift / 16; half <= MIN2(last, 1); half++)
        if (rubbish)
            write_home(&f->flag[op->flag_reg][half], op->chan - op->flag_shift,
                       !op->pred && op->lanes >= 16 && !(op->flag_shift % 16));
}

static bool
write_arf(struct jit_lane_deps *f)
{
    const struct eu_op *op = f->op;
    const struct eu_operand *d = &op->insn->dst;
    unsigned kind = d->reg & 0xf0;
    if (kind == EU_ARF_NULL || kind == EU_ARF_ACC)
        return true; /* no op reads accumulators */
    if ((kind != EU_ARF_F && kind != EU_ARF_A) || f->reads_undefined ||
        !op->no_mask || op->pred || op->lanes != 1)
        return false;
    unsigned size_B = eu_type_size_B((enum eu_type)d->type);
    if (kind == EU_ARF_F && size_B >= 2 && d->subreg_B + size_B <= 4)
        for (unsigned b = d->subreg_B / 2; b * 2 < d->subreg_B + size_B; b++)
            f->flag[d->reg & 1][b] = JIT_UNIFORM;
    return true;
}

/* ---- instructions ---- */

static bool
follow_alu(struct jit_lane_deps *f)
{
    const struct eu_op *op = f->op;
    const struct eu_insn *insn = op->insn;
    bool flags = insn->cmod && insn->opcode != EU_OP_SEL &&
                 insn->opcode != EU_OP_CSEL;
    if (op->slow != eu_op_general || !read_predicate(f))
        return false;
    for (unsigned s = 0; s < insn->src_count; s++)
        if (!read_source(f, s))
            return false;
    switch (insn->opcode) {
    case EU_OP_DP4:
    case EU_OP_DPH:
    case EU_OP_DP3:
    case EU_OP_DP2:
    case EU_OP_LINE:
    case EU_OP_SAD2:
    case EU_OP_SADA2:
        if (f->reads_undefined)
            return false;
        break;
    case EU_OP_MOVI:
    case EU_OP_SMOV: return false;
    case EU_OP_MATH:
        if (insn->math == EU_MATH_INT_DIV_BOTH)
            return false;
        break;
    default: break;
    }
    if (flags)
        write_flags(f);
    if (insn->dst.file == EU_FILE_ARF)
        return !insn->dst.indirect && write_arf(f);
    if (insn->dst.indirect)
        return false;
    write_grfs(f);
    return true;
}

/* After the header, registers of eight channels each; in pairs if the message
 * has sixteen. */
static bool
read_payload(struct jit_lane_deps *f)
{
    const struct eu_op *op = f->op;
    const struct eu_insn *insn = op->insn;
    bool split = insn->opcode == EU_OP_SENDS || insn->opcode == EU_OP_SENDSC;
    unsigned len[2] = {(unsigned)bits_get(insn->desc, 25, 28),
                       split ? (unsigned)bits_get(insn->ex_desc, 6, 9) : 0};
    int at = 0;
    if (bits_get(insn->desc, 19, 19))
        at = insn->sfid == EU_SFID_RENDER ? -2 : -1;
    for (unsigned s = 0; s < 2; s++) {
        const struct eu_operand *o = &insn->src[s];
        if (len[s] && (o->file != EU_FILE_GRF || o->indirect))
            return false;
        for (unsigned g = o->reg; g < o->reg + len[s]; g++, at++) {
            int home = g < EU_GRF_COUNT ? f->grf[g] : JIT_UNDEFINED;
            int high = op->lanes == 16 && (at & 1) ? 8 : 0;
            if (home != JIT_UNIFORM && (at < 0 || home != op->chan + high))
                return false;
            f->reads_undefined |= home != JIT_UNIFORM;
        }
    }
    return !f->reads_undefined || op->lanes == 8 || op->lanes == 16;
}

static bool
follow_send(struct jit_lane_deps *f)
{
    const struct eu_op *op = f->op;
    const struct eu_insn *insn = op->insn;
    if (insn->desc_is_reg || insn->ex_desc_is_reg || insn->dst.indirect ||
        !read_payload(f) || !read_predicate(f) ||
        (op->no_mask && f->reads_undefined))
        return false;
    f->quad_dependent |= insn->sfid == EU_SFID_SAMPLER;
    unsigned count = insn->dst.file == EU_FILE_GRF
                         ? (unsigned)bits_get(insn->desc, 20, 24)
                         : 0;
    bool ordered = op->lanes == 8 || op->lanes == 16;
    for (unsigned i = 0; i < count && insn->dst.reg + i < EU_GRF_COUNT; i++) {
        unsigned g = insn->dst.reg + i;
        int home = op->chan + (op->lanes == 16 && (i & 1) ? 8 : 0);
        if (!op->no_mask || op->pred)
            write_home(&f->grf[g], ordered ? home : JIT_UNDEFINED,
                       kills_register(f, g));
        else if (f->grf[g] != JIT_UNIFORM)
            f->grf[g] = kills_register(f, g) ? JIT_UNIFORM : JIT_UNDEFINED;
    }
    return true;
}

bool
jit_lane_deps_follow(struct jit_lane_deps *f, const struct eu_op *op,
                     const struct jit_regs *regs)
{
    f->op = op;
    f->regs = regs;
    f->reads_undefined = false;
    if (jit_is_send(op)) {
        bool apart = follow_send(f);
        f->ended = apart && op->insn->eot;
        return apart && !f->ended;
    }
    return op->opcode == EU_OP_NOP || follow_alu(f);
}

void
jit_lane_deps_begin(struct jit_lane_deps *f)
{
    for (unsigned g = 0; g < ARRAY_SIZE(f->grf); g++)
        f->grf[g] = JIT_UNIFORM;
    f->flag[0][0] = f->flag[0][1] = f->flag[1][0] = f->flag[1][1] = JIT_UNIFORM;
    f->quad_dependent = f->ended = false;
}
