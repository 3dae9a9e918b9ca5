/* alu_float.c: F and HF instructions; HF is computed in F and rounded again,
 * which cannot differ from one rounding except for MAD. */
#include "eu/interp/alu.h"

#include <math.h>

#include "eu/interp/fmath_ext.h"
#include "base/half.h"

static bool
is_alt(const struct eu_thread *t)
{
    return t->cr0[0] & 1;
}

/* Guess: in alternate mode 0 * x is 0 for infinities and NaNs too, as in
 * D3D9. */
static bool
is_alt_zero(const struct eu_thread *t, float a, float b)
{
    return is_alt(t) && (a == 0.0f || b == 0.0f) && isnan(a * b);
}

/* If both operands are NaN the result is the first one, as in compiled code. C
 * compilers may swap the operands of a sum or a product. */
static float
add_floats(float a, float b)
{
    return isnan(a) ? a + a : a + b;
}

static float
multiply_floats(const struct eu_thread *t, float a, float b)
{
    if (is_alt_zero(t, a, b))
        return 0.0f;
    return isnan(a) ? a + a : a * b;
}

static float
multiply_add(const struct eu_thread *t, float a, float b, float c)
{
    return is_alt_zero(t, a, b) ? 0.0f + c : fmath_fma(a, b, c);
}

/* MAD of HF to HF is rounded once. Guess: in mixed mode it is an F MAD whose
 * result is converted; the manual leaves mixed-mode rounding open. */
static float
multiply_add_half(const struct eu_thread *t, const struct eu_insn *insn,
                  float a, float b, float c)
{
    if (!eu_is_all_half(insn, true))
        return multiply_add(t, a, b, c);
    double d = (double)a * (double)b + (double)c;
    if (isnan(d))
        return multiply_add(t, a, b, c);
    return float_from_bits(half_odd_f_bits_from_double(d));
}

static float
sin_or_cos(float x, bool is_cos)
{
    if (fmath_trig_is_large(x))
        return fmath_trig_large(x, is_cos);
    return is_cos ? fmath_cos(x) : fmath_sin(x);
}

static float
math_function(const struct eu_thread *t, unsigned fn, float a, float b)
{
    /* Alternate mode has no NaN results: it uses |x|. */
    if (is_alt(t) &&
        (fn == EU_MATH_LOG || fn == EU_MATH_SQRT || fn == EU_MATH_RSQ))
        a = fmath_copysign(a, 1.0f);
    switch (fn) {
    case EU_MATH_INV: return fmath_inv(a);
    case EU_MATH_LOG: return fmath_log(a);
    case EU_MATH_EXP: return fmath_exp(a);
    case EU_MATH_SQRT:
    case EU_MATH_RSQRTM: return fmath_sqrt(a);
    case EU_MATH_RSQ: return fmath_rsq(a);
    case EU_MATH_SIN: return sin_or_cos(a, false);
    case EU_MATH_COS: return sin_or_cos(a, true);
    case EU_MATH_FDIV:
    case EU_MATH_INVM: return a / b;
    case EU_MATH_POW:
        /* ILK PRM vol 4 pt 1 "POW": x^0 is 1, also for x = 0. */
        return is_alt(t) && a == a && b == 0.0f ? 1.0f : fmath_pow(a, b);
    default: return 0.0f;
    }
}

/* Byte of the accumulator that a channel of MAC adds to. It lies as the
 * destination does: Observed: iHD's kernels follow MAC of one channel to acc0.1
 * by one to r10.1, and expect the sum there. */
static unsigned
mac_position_B(const struct eu_insn *insn, unsigned lane, unsigned size_B)
{
    return (eu_acc_position_B(insn, lane, size_B) + insn->dst.subreg_B) & 63;
}

/* Value of the implicit accumulator, in the destination's format. */
static float
read_accumulator(const struct eu_thread *t, const struct eu_insn *insn,
                 unsigned lane)
{
    float f;
    uint16_t h;
    if (insn->dst.type == EU_TYPE_HF) {
        memcpy(&h, t->acc[0] + mac_position_B(insn, lane, 2), 2);
        return float_from_bits(half_to_f_bits(h));
    }
    memcpy(&f, t->acc[0] + mac_position_B(insn, lane, 4), 4);
    return f;
}

static float
lane_op(const struct eu_thread *t, const struct eu_insn *insn, unsigned lane,
        float a, float b, float c)
{
    switch (insn->opcode) {
    case EU_OP_MOV:
    case EU_OP_MOVI: return a;
    case EU_OP_ADD: return add_floats(a, b);
    case EU_OP_MUL: return multiply_floats(t, a, b);
    case EU_OP_MAC:
        return multiply_add_half(t, insn, a, b,
                                 read_accumulator(t, insn, lane));
    case EU_OP_MAD:
    case EU_OP_MADM: return multiply_add_half(t, insn, b, c, a);
    case EU_OP_LRP: return fmath_lrp(a, b, c);
    case EU_OP_CSEL: return eu_cond_f(insn->cmod, c, 0.0f) ? a : b;
    case EU_OP_FRC: return fmath_frc(a);
    case EU_OP_RNDD: return fmath_floor(a);
    case EU_OP_RNDU: return fmath_ceil(a);
    case EU_OP_RNDZ: return fmath_trunc(a);
    case EU_OP_RNDE: return fmath_rnde(a);
    case EU_OP_MATH: return math_function(t, insn->math, a, b);
    default: return 0.0f;
    }
}

/* ---- SEL ---- */

static float
select_value(const struct eu_insn *insn, bool pred, float a, float b)
{
    uint32_t x = bits_from_float(a), y = bits_from_float(b);
    switch (insn->cmod) {
    case 0: return pred ? a : b;
    case EU_CMOD_L:
    case EU_CMOD_LE: return float_from_bits(fmath_min_bits(x, y));
    default: return float_from_bits(fmath_max_bits(x, y));
    }
}

/* Moved HF keeps its bits, signalling NaNs included. */
static bool
only_moves_half(const struct eu_insn *insn)
{
    return (insn->opcode == EU_OP_MOV || insn->opcode == EU_OP_SEL) &&
           !insn->saturate && eu_is_all_half(insn, true);
}

static bool
first_half(const struct eu_insn *insn, bool pred, uint16_t a, uint16_t b)
{
    if (insn->opcode == EU_OP_MOV || !insn->cmod)
        return insn->opcode == EU_OP_MOV || pred;
    bool is_min = insn->cmod == EU_CMOD_L || insn->cmod == EU_CMOD_LE;
    int32_t x = fmath_order(half_to_f_bits(a)),
            y = fmath_order(half_to_f_bits(b));
    if ((a & 0x7fff) > 0x7c00)
        return false;
    return (b & 0x7fff) > 0x7c00 || (is_min ? x < y : x > y);
}

static bool
move_half(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    const struct eu_insn *insn = op->insn;
    uint64_t v[2][EU_MAX_LANES] = {{0}}, out[EU_MAX_LANES];
    uint32_t pred = eu_op_pred(t, op);
    for (unsigned s = 0; s < insn->src_count; s++) {
        const struct eu_operand *o = &insn->src[s];
        if (!eu_operand_fetch(t, insn, o, mask, v[s]))
            return false;
        for (unsigned i = 0; i < op->lanes; i++) {
            v[s][i] &= o->abs ? 0x7fff : 0xffff;
            v[s][i] ^= o->negate ? 0x8000 : 0;
        }
    }
    for (unsigned i = 0; i < op->lanes; i++)
        out[i] = first_half(insn, pred >> i & 1, (uint16_t)v[0][i],
                            (uint16_t)v[1][i])
                     ? v[0][i]
                     : v[1][i];
    return eu_finish_raw(t, op, mask, out);
}

/* ---- planes, dot products, comparisons ---- */

/* The vec4 at src0. PLN and LINE ignore src0's region. */
static bool
plane_value(struct eu_thread *t, const struct eu_op *op, float p[4])
{
    const struct eu_operand *o = &op->insn->src[0];
    unsigned at = o->reg * EU_GRF_B + (o->subreg_B & ~15u);
    if (o->file != EU_FILE_GRF || o->indirect)
        return false;
    memcpy(p, t->grf + at, 16);
    for (unsigned i = 0; i < 4; i++) {
        p[i] = o->abs ? fmath_copysign(p[i], 1.0f) : p[i];
        p[i] = o->negate ? -p[i] : p[i];
    }
    return true;
}

/* The u and v of each 8 channels lie in two consecutive registers. */
static bool
interpolate_lane(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    const struct eu_operand *o = &op->insn->src[1];
    unsigned at = o->reg * EU_GRF_B + o->subreg_B;
    unsigned pairs = DIV_ROUND_UP(op->lanes, 8);
    float p[4], u, v, out[EU_MAX_LANES];
    if (!plane_value(t, op, p) || o->file != EU_FILE_GRF || o->indirect ||
        at + pairs * 2 * EU_GRF_B > EU_GRF_FILE_B)
        return false;
    for (unsigned i = 0; i < op->lanes; i++) {
        const uint8_t *uv = t->grf + at + i / 8 * 2 * EU_GRF_B + i % 8 * 4;
        memcpy(&u, uv, 4);
        memcpy(&v, uv + EU_GRF_B, 4);
        out[i] = fmath_pln(p[0], p[1], p[3], u, v);
    }
    return eu_finish_float(t, op, mask, out);
}

/* DP4, DPH, DP3, DP2: the sum over four channels, for all four. */
static void
dot_product(const struct eu_thread *t, const struct eu_op *op, const float *a,
            const float *b, float *out)
{
    unsigned opcode = op->insn->opcode;
    unsigned terms = opcode == EU_OP_DP2 ? 2 : opcode == EU_OP_DP3 ? 3 : 4;
    for (unsigned g = 0; g < op->lanes; g += 4) {
        float sum = 0.0f;
        for (unsigned c = 0; c < terms && g + c < op->lanes; c++) {
            bool homogeneous = opcode == EU_OP_DPH && c == 3;
            float x = homogeneous ? 1.0f : a[g + c];
            sum = c ? multiply_add(t, x, b[g + c], sum)
                    : multiply_floats(t, x, b[g]);
        }
        for (unsigned c = 0; c < 4 && g + c < op->lanes; c++)
            out[g + c] = sum;
    }
}

static bool
compare_floats(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
               const float *a, const float *b)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < op->lanes; i++) {
        bool c = eu_cond_f(op->insn->cmod, a[i], b[i]);
        c |= eu_cmpn_true(op->insn, b[i] != b[i]);
        bits |= (uint32_t)c << i;
    }
    return eu_finish_cmp(t, op, mask, bits);
}

bool
eu_alu_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    const struct eu_insn *insn = op->insn;
    float a[EU_MAX_LANES], b[EU_MAX_LANES], c[EU_MAX_LANES];
    float out[EU_MAX_LANES], p[4];
    float *src[3] = {a, b, c};
    uint32_t pred = eu_op_pred(t, op);

    if (insn->opcode == EU_OP_PLN)
        return interpolate_lane(t, op, mask);
    if (only_moves_half(insn))
        return move_half(t, op, mask);

    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    for (unsigned s = 0; s < insn->src_count; s++)
        if (!eu_fetch_float(t, op, s, mask, src[s]))
            return false;

    switch (insn->opcode) {
    case EU_OP_CMP:
    case EU_OP_CMPN: return compare_floats(t, op, mask, a, b);
    case EU_OP_SEL:
        for (unsigned i = 0; i < op->lanes; i++)
            out[i] = select_value(insn, pred >> i & 1, a[i], b[i]);
        break;
    case EU_OP_DP4:
    case EU_OP_DPH:
    case EU_OP_DP3:
    case EU_OP_DP2: dot_product(t, op, a, b, out); break;
    case EU_OP_LINE:
        if (!plane_value(t, op, p))
            return false;
        for (unsigned i = 0; i < op->lanes; i++)
            out[i] = multiply_add(t, p[0], b[i], p[3]);
        break;
    default:
        for (unsigned i = 0; i < op->lanes; i++)
            out[i] = lane_op(t, insn, i, a[i], b[i], c[i]);
        break;
    }
    eu_finish_macro(t, op, mask);
    return eu_finish_float(t, op, mask, out);
}
