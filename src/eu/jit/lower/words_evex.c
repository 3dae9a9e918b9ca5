/* words_evex.c: sums of nearby words, with AVX-512: threads compute their
 * pixels' positions with one. */
#include "eu/jit/lower/lower_ops.h"

#define MOST_LANES 32u
#define WINDOW_B 64u

/* Packed whole registers. */
static bool
is_place(const struct eu_operand *o)
{
    return o->file == EU_FILE_GRF && !o->indirect && o->hstride == 1 &&
           !o->subreg_B && (o->type == EU_TYPE_W || o->type == EU_TYPE_UW);
}

static bool
is_words(const struct eu_operand *o)
{
    return o->file == EU_FILE_GRF && !o->indirect && !o->abs && !o->negate &&
           (o->type == EU_TYPE_W || o->type == EU_TYPE_UW);
}

static bool
is_constant(const struct eu_operand *o)
{
    return o->file == EU_FILE_IMM && !o->abs && !o->negate &&
           (o->type == EU_TYPE_V || o->type == EU_TYPE_UV ||
            o->type == EU_TYPE_W || o->type == EU_TYPE_UW);
}

static bool
is_sum(const struct jit *j, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    return j->f->evex && insn->opcode == EU_OP_ADD && !insn->align16 &&
           (op->lanes == 16 || op->lanes == 32) &&
           (jit_all_on(j) || op->no_mask) && !op->pred && !insn->cmod &&
           !insn->saturate && !insn->acc_wr && is_place(&insn->dst) &&
           is_words(&insn->src[0]) && is_constant(&insn->src[1]);
}

/* Finds the word of a window that each lane reads. Returns the window's length,
 * or 0 if it is too long. */
static unsigned
find_words(const struct eu_op *op, unsigned base_B, uint16_t from[MOST_LANES])
{
    unsigned len_B = EU_GRF_B;
    const struct eu_operand *o = &op->insn->src[0];
    unsigned at_B = o->reg * EU_GRF_B + o->subreg_B;
    for (unsigned i = 0; i < op->lanes; i++) {
        unsigned lane_B = at_B + eu_region_offset_B(op->insn, o, i) - base_B;
        if (lane_B % 2 || lane_B >= WINDOW_B)
            return 0;
        from[i] = (uint16_t)(lane_B / 2);
        if (lane_B >= EU_GRF_B)
            len_B = WINDOW_B;
    }
    return len_B;
}

static struct x86_rm
words_const(struct jit *j, const uint16_t words[MOST_LANES])
{
    uint32_t dw[MOST_LANES / 2];
    memcpy(dw, words, sizeof dw);
    return x86_const(&j->x, dw, ARRAY_SIZE(dw));
}

bool
jit_lower_words(struct jit *j, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    uint16_t from[MOST_LANES] = {0}, sum[MOST_LANES] = {0};
    uint32_t value[EU_MAX_LANES];
    unsigned base_B = insn->src[0].reg * EU_GRF_B;
    if (!is_sum(j, op) || base_B + WINDOW_B > EU_GRF_FILE_B ||
        insn->dst.reg * EU_GRF_B + op->lanes * 2u > EU_GRF_FILE_B)
        return false;
    unsigned len_B = find_words(op, base_B, from);
    if (!len_B)
        return false;
    jit_immediate_lanes(insn, &insn->src[1], value);
    for (unsigned i = 0; i < op->lanes; i++)
        sum[i] = (uint16_t)value[i];
    unsigned s = jit_vec(j, base_B, len_B), d = jit_temp(j);
    x86_vop(&j->x, X86_MOVUPS_LD, 2, d, 0, words_const(j, from), 0);
    x86_vop(&j->x, X86_PERMW, 2, d, d, x86_reg(s), 0);
    x86_vop(&j->x, X86_PADDW, 2, d, d, words_const(j, sum), 0);
    jit_bind(j, d, insn->dst.reg * EU_GRF_B, op->lanes * 2u);
    return true;
}
