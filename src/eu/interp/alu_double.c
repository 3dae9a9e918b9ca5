/* alu_double.c: DF instructions. */
#include "eu/interp/alu.h"

#include <math.h>

/* Order of the bit patterns, as in F: denormals count in every mode. */
static int64_t
order_doubles(double d)
{
    int64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits ^ (bits >> 63 & INT64_MAX);
}

/* SEL as minimum or maximum: a number wins over NaN, src1 if both are. */
static double
min_max(unsigned cmod, double a, double b)
{
    if (isnan(a))
        return b;
    if (isnan(b))
        return a;
    bool is_min = cmod == EU_CMOD_L || cmod == EU_CMOD_LE;
    return (is_min ? order_doubles(a) < order_doubles(b)
                   : order_doubles(b) < order_doubles(a))
               ? a
               : b;
}

static double
lane_op(const struct eu_thread *t, const struct eu_insn *insn, unsigned lane,
        double a, double b, double c)
{
    double acc;
    switch (insn->opcode) {
    case EU_OP_MOV: return a;
    case EU_OP_ADD: return a + b;
    case EU_OP_MUL: return a * b;
    case EU_OP_MAC:
        memcpy(&acc, t->acc[0] + eu_acc_position_B(insn, lane, 8), 8);
        return fma(a, b, acc);
    case EU_OP_MAD:
    case EU_OP_MADM: return fma(b, c, a);
    case EU_OP_MATH: return insn->math == EU_MATH_INVM ? a / b : sqrt(a);
    default: return 0.0;
    }
}

bool
eu_alu_double(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    const struct eu_insn *insn = op->insn;
    double a[EU_MAX_LANES], b[EU_MAX_LANES], c[EU_MAX_LANES];
    double out[EU_MAX_LANES];
    double *src[3] = {a, b, c};
    uint32_t bits = 0, pred = eu_op_pred(t, op);
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    for (unsigned s = 0; s < insn->src_count; s++)
        if (!eu_fetch_double(t, op, s, mask, src[s]))
            return false;

    switch (insn->opcode) {
    case EU_OP_CMP:
    case EU_OP_CMPN:
        for (unsigned i = 0; i < op->lanes; i++) {
            bool is_true = eu_cond_d(insn->cmod, a[i], b[i]) ||
                           eu_cmpn_true(insn, b[i] != b[i]);
            bits |= (uint32_t)is_true << i;
        }
        return eu_finish_cmp(t, op, mask, bits);
    case EU_OP_SEL:
        for (unsigned i = 0; i < op->lanes; i++)
            out[i] = insn->cmod      ? min_max(insn->cmod, a[i], b[i])
                     : pred >> i & 1 ? a[i]
                                     : b[i];
        break;
    default:
        for (unsigned i = 0; i < op->lanes; i++)
            out[i] = lane_op(t, insn, i, a[i], b[i], c[i]);
        break;
    }
    eu_finish_macro(t, op, mask);
    return eu_finish_double(t, op, mask, out);
}
