/* convert.c: converts between raw lanes and the types that the general path
 * computes in. */
#include "eu/interp/alu.h"

#include <float.h>
#include <math.h>

#include "eu/interp/fmath.h"
#include "base/half.h"

#define CR0_ALT 1u
#define CR0_KEEP_HF (1u << 10)
#define CR0_ROUND_TO_INT (1u << 12)

wide_int
eu_wrap_int(wide_int v, enum eu_type type)
{
    switch (type) {
    case EU_TYPE_UB: return (uint8_t)v;
    case EU_TYPE_B: return (int8_t)v;
    case EU_TYPE_UW: return (uint16_t)v;
    case EU_TYPE_W: return (int16_t)v;
    case EU_TYPE_UD: return (uint32_t)v;
    case EU_TYPE_D: return (int32_t)v;
    case EU_TYPE_UQ: return (uint64_t)v;
    case EU_TYPE_Q: return (int64_t)v;
    default: return v;
    }
}

static void
int_limits(enum eu_type type, wide_int *lo, wide_int *hi)
{
    unsigned bits = eu_type_size_B(type) * 8;
    wide_int one = 1;
    *lo = eu_type_is_signed(type) ? -(one << (bits - 1)) : 0;
    *hi = (one << (eu_type_is_signed(type) ? bits - 1 : bits)) - 1;
}

static double
double_from_bits(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

static uint64_t
bits_from_double(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

/* Scales values that do not fit 64 bits, with a sticky bit. The conversion then
 * rounds in the host's mode; the compiler's routines for wider integers do
 * not. */
static int64_t
scaled_value(wide_int v, unsigned *shift)
{
    wide_int sticky = 0;
    for (*shift = 0; v < INT64_MIN || v > INT64_MAX; ++*shift) {
        sticky |= v & 1;
        v >>= 1;
    }
    return (int64_t)(v | sticky);
}

static float
float_from_int(wide_int v)
{
    unsigned shift;
    float f = (float)scaled_value(v, &shift);
    for (; shift; shift--)
        f *= 2.0f;
    return f;
}

static double
double_from_int(wide_int v)
{
    unsigned shift;
    double d = (double)scaled_value(v, &shift);
    for (; shift; shift--)
        d *= 2.0;
    return d;
}

/* Rounds in the host's mode. The compiler's rint() rounds |d|, which is wrong
 * in the directed modes. */
static double
round_in_mode(double d)
{
    double far = d < 0 ? -0x1p52 : 0x1p52;
    return d > -0x1p52 && d < 0x1p52 ? (d + far) - far : d;
}

/* Rounds towards zero, or as cr0 says. Out of range gives the nearest bound of
 * the destination's type; NaN gives 0. */
static wide_int
int_from_double(const struct eu_thread *t, double d, enum eu_type type)
{
    wide_int lo, hi;
    int_limits(type, &lo, &hi);
    if (d != d)
        return 0;
    d = t->cr0[0] & CR0_ROUND_TO_INT ? round_in_mode(d) : trunc(d);
    if (d <= -0x1p63)
        return lo;
    if (d >= 0x1p64)
        return hi;
    wide_int v = d < 0 ? (wide_int)(int64_t)d : (wide_int)(uint64_t)d;
    return CLAMP(v, lo, hi);
}

/* ---- sources ---- */

/* Negation and absolute value of a signed source are taken at its own width:
 * both leave INT_MIN unchanged, whatever the opcode is. Mesa's comment at
 * lower_sub_sat() says so of the hardware, and that accumulators have one bit
 * more. Mesa and IGC fold -x into comparisons, minima, shifts and conversions.
 *
 * Bytes are extended to words, and words to dwords if another operand is wider.
 * Observed: IGC folds -(int)x and 15 - (int)x, with a short x, into a MOV and
 * an ADD. Their source is a negated W, their destination a D: INT_MIN becomes
 * 2^15. IGC does not fold -(long)x with an int x. A negated unsigned source
 * does get a sign, see fs_inst::can_do_cmod() in Mesa.
 *
 * Logic instructions extend first, then apply NOT. Observed: IGC folds
 * ~(ulong)x into an AND of longs with a UD. */
static wide_int
modified_value(const struct eu_insn *insn, const struct eu_operand *o,
               bool logic, wide_int v)
{
    enum eu_type type = eu_operand_type(o);
    if (logic)
        return o->negate ? ~v : v;
    if (o->abs && v < 0)
        v = -v;
    if (o->negate)
        v = -v;
    if (eu_type_is_signed(type) && !eu_operand_is_acc(o))
        v = eu_wrap_int(v, eu_negated_type(insn, type));
    return v;
}

bool
eu_fetch_int(struct eu_thread *t, const struct eu_op *op, unsigned s,
             uint32_t mask, wide_int *out)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *o = &insn->src[s];
    enum eu_type type = eu_operand_type(o);
    bool logic = insn->opcode >= EU_OP_NOT && insn->opcode <= EU_OP_XOR;
    uint64_t raw[EU_MAX_LANES];
    if (!eu_operand_fetch(t, insn, o, mask, raw))
        return false;
    for (unsigned i = 0; i < insn->exec_size; i++)
        out[i] = modified_value(insn, o, logic, eu_wrap_int(raw[i], type));
    return true;
}

/* Whether the instruction computes in HF, so that cr0.10 controls denormals. In
 * mixed mode HF is only a storage format. Conversions and math never flush. SEL
 * passes its operand on unchanged. */
static bool
flushes_half(const struct eu_thread *t, const struct eu_insn *insn)
{
    bool compares = insn->opcode == EU_OP_CMP || insn->opcode == EU_OP_CMPN;
    if ((t->cr0[0] & CR0_KEEP_HF) || insn->opcode == EU_OP_SEL ||
        insn->opcode == EU_OP_MATH || !eu_is_all_half(insn, !compares))
        return false;
    return insn->opcode != EU_OP_MOV || insn->saturate;
}

bool
eu_is_all_half(const struct eu_insn *insn, bool with_dst)
{
    for (unsigned s = 0; s < insn->src_count; s++)
        if (insn->src[s].type != EU_TYPE_HF)
            return false;
    return !with_dst || insn->dst.type == EU_TYPE_HF;
}

static uint32_t
flush_half(uint32_t h)
{
    return h & 0x7c00 ? h : h & 0x8000;
}

bool
eu_fetch_float(struct eu_thread *t, const struct eu_op *op, unsigned s,
               uint32_t mask, float *out)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *o = &insn->src[s];
    enum eu_type type = eu_operand_type(o);
    bool flush = flushes_half(t, insn);
    uint64_t raw[EU_MAX_LANES];
    if (!eu_operand_fetch(t, insn, o, mask, raw))
        return false;
    for (unsigned i = 0; i < insn->exec_size; i++) {
        uint32_t b = (uint32_t)raw[i];
        if (type == EU_TYPE_HF)
            b = half_to_f_bits(flush ? flush_half(b & 0xffff) : b & 0xffff);
        else if (type != EU_TYPE_F)
            b = bits_from_float(float_from_int(eu_wrap_int(raw[i], type)));
        if (o->abs)
            b &= 0x7fffffff;
        if (o->negate)
            b ^= 0x80000000;
        out[i] = float_from_bits(b);
    }
    return true;
}

bool
eu_fetch_double(struct eu_thread *t, const struct eu_op *op, unsigned s,
                uint32_t mask, double *out)
{
    const struct eu_insn *insn = op->insn;
    const struct eu_operand *o = &insn->src[s];
    enum eu_type type = eu_operand_type(o);
    uint64_t raw[EU_MAX_LANES];
    if (!eu_operand_fetch(t, insn, o, mask, raw))
        return false;
    for (unsigned i = 0; i < insn->exec_size; i++) {
        uint64_t b = raw[i];
        if (type == EU_TYPE_F)
            b = bits_from_double((double)float_from_bits((uint32_t)b));
        else if (type == EU_TYPE_HF)
            b = bits_from_double(
                (double)float_from_bits(half_to_f_bits((uint32_t)b & 0xffff)));
        else if (type != EU_TYPE_DF)
            b = bits_from_double(double_from_int(eu_wrap_int(raw[i], type)));
        if (o->abs)
            b &= INT64_MAX;
        if (o->negate)
            b ^= UINT64_C(1) << 63;
        out[i] = double_from_bits(b);
    }
    return true;
}

/* ---- results ---- */

static uint64_t
raw_from_float(const struct eu_thread *t, const struct eu_insn *insn, float f)
{
    uint32_t h;
    enum eu_type type = (enum eu_type)insn->dst.type;
    switch (type) {
    case EU_TYPE_F: return bits_from_float(f);
    case EU_TYPE_DF: return bits_from_double((double)f);
    case EU_TYPE_HF:
        h = half_from_f_bits(bits_from_float(f), (t->cr0[0] >> 4) & 3);
        return flushes_half(t, insn) ? flush_half(h) : h;
    default: return (uint64_t)int_from_double(t, (double)f, type);
    }
}

static uint64_t
raw_from_double(const struct eu_thread *t, enum eu_type type, double d)
{
    switch (type) {
    case EU_TYPE_DF: return bits_from_double(d);
    case EU_TYPE_F: return bits_from_float((float)d);
    case EU_TYPE_HF:
        return half_from_f_bits(half_odd_f_bits_from_double(d),
                                (t->cr0[0] >> 4) & 3);
    default: return (uint64_t)int_from_double(t, d, type);
    }
}

/* Condition of a stored result against zero. KBL PRM vol 7, "Assigning
 * Conditional Flags": sign and zero of the final result, after clamping and
 * format conversion. */
static bool
cond_of_raw(unsigned cmod, enum eu_type type, uint64_t raw)
{
    switch (type) {
    case EU_TYPE_F:
        return eu_cond_f(cmod, float_from_bits((uint32_t)raw), 0.0f);
    case EU_TYPE_HF:
        return eu_cond_f(cmod, float_from_bits(half_to_f_bits((uint32_t)raw)),
                         0.0f);
    case EU_TYPE_DF: return eu_cond_d(cmod, double_from_bits(raw), 0.0);
    default: return eu_cond_i(cmod, eu_wrap_int(raw, type), 0);
    }
}

/* SEL and CSEL use the field as their own condition, math as a function. */
static bool
writes_flags(const struct eu_insn *insn)
{
    return insn->cmod && insn->opcode != EU_OP_SEL &&
           insn->opcode != EU_OP_CSEL;
}

/* AccWrEn: stores floats where a read by these channels finds them; channels
 * that do not fit one register go to acc1. Integers have wider storage, and no
 * upper half: 16 words, or 8 dwords for any channels. */
static void
write_acc(struct eu_thread *t, const struct eu_insn *insn, uint32_t mask,
          const uint64_t *raw)
{
    enum eu_type type = (enum eu_type)insn->dst.type;
    unsigned size_B = eu_type_size_B(type);
    if (!insn->acc_wr || eu_operand_is_acc(&insn->dst))
        return;
    for (unsigned i = 0; i < insn->exec_size; i++) {
        if (!(mask >> i & 1))
            continue;
        if (eu_type_is_float(type))
            memcpy(t->acc[0] + eu_acc_position_B(insn, i, size_B), &raw[i],
                   size_B);
        else
            t->acc_wide[0][i & 15] = eu_acc_wrap((int64_t)raw[i], type);
    }
}

bool
eu_finish_raw(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
              const uint64_t *raw)
{
    const struct eu_insn *insn = op->insn;
    enum eu_type type = (enum eu_type)insn->dst.type;
    if (writes_flags(insn)) {
        uint32_t bits = 0;
        for (unsigned i = 0; i < insn->exec_size; i++)
            bits |= (uint32_t)cond_of_raw(insn->cmod, type, raw[i]) << i;
        eu_op_write_flags(t, op, mask, bits);
    }
    write_acc(t, insn, mask, raw);
    return eu_operand_store(t, insn, mask, raw);
}

static uint64_t
raw_from_int(const struct eu_thread *t, const struct eu_insn *insn, wide_int v)
{
    enum eu_type type = (enum eu_type)insn->dst.type;
    float f;
    double d;
    switch (type) {
    case EU_TYPE_F:
    case EU_TYPE_HF:
        f = float_from_int(v);
        if (insn->saturate)
            f = fmath_saturate(f);
        return raw_from_float(t, insn, f);
    case EU_TYPE_DF:
        d = double_from_int(v);
        if (insn->saturate)
            d = CLAMP(d, 0.0, 1.0);
        return bits_from_double(d);
    default: return (uint64_t)v;
    }
}

/* Condition of an integer result as stored: a wrapped sum has the sign of its
 * stored value. An unsigned result is never below zero. Only .o tests the exact
 * result.
 *
 * Stock Mesa relies on this: it drops cmp.l x 0 and gives the condition to the
 * ADD, SHL or MOV that makes x. It does not drop cmp.l x y for the ADD of x -
 * y, whose sum may wrap (brw_fs_cmod_propagation.cpp).
 *
 * The result is saturated first: Mesa found this on hardware, although the PRM
 * says otherwise. Guess: negating an unsigned source makes no difference; Mesa
 * met a 33rd bit there and puts no condition on such instructions
 * (fs_inst::can_do_cmod). */
static bool
cond_of_int(const struct eu_insn *insn, wide_int exact, wide_int saturated)
{
    enum eu_type type = (enum eu_type)insn->dst.type;
    wide_int lo, hi;
    if (insn->cmod == EU_CMOD_O) {
        int_limits(type, &lo, &hi);
        return exact < lo || exact > hi;
    }
    /* Guess: a write to an accumulator includes its extra bits. */
    if (eu_operand_is_acc(&insn->dst))
        return eu_cond_i(insn->cmod, eu_acc_wrap((int64_t)saturated, type), 0);
    return eu_cond_i(insn->cmod, eu_wrap_int(saturated, type), 0);
}

bool
eu_finish_int(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
              const wide_int *v)
{
    const struct eu_insn *insn = op->insn;
    enum eu_type type = (enum eu_type)insn->dst.type;
    uint64_t raw[EU_MAX_LANES];
    uint32_t bits = 0;

    if (eu_type_is_float(type)) {
        for (unsigned i = 0; i < insn->exec_size; i++)
            raw[i] = raw_from_int(t, insn, v[i]);
        return eu_finish_raw(t, op, mask, raw);
    }

    wide_int lo, hi;
    int_limits(type, &lo, &hi);
    for (unsigned i = 0; i < insn->exec_size; i++) {
        wide_int x = insn->saturate ? CLAMP(v[i], lo, hi) : v[i];
        raw[i] = (uint64_t)x;
        bits |= (uint32_t)cond_of_int(insn, v[i], x) << i;
    }
    if (writes_flags(insn))
        eu_op_write_flags(t, op, mask, bits);
    write_acc(t, insn, mask, raw);
    return eu_operand_store(t, insn, mask, raw);
}

bool
eu_finish_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                const float *v)
{
    const struct eu_insn *insn = op->insn;
    uint64_t raw[EU_MAX_LANES];
    bool moves = insn->opcode == EU_OP_MOV || insn->opcode == EU_OP_SEL ||
                 insn->opcode == EU_OP_CSEL;
    bool alt = (t->cr0[0] & CR0_ALT) && !moves && !eu_is_all_half(insn, true);
    for (unsigned i = 0; i < insn->exec_size; i++) {
        float f = v[i];
        if (alt && fabsf(f) > FLT_MAX)
            f = fmath_copysign(FLT_MAX, f);
        if (insn->saturate && eu_type_is_float((enum eu_type)insn->dst.type))
            f = fmath_saturate(f);
        raw[i] = raw_from_float(t, insn, f);
    }
    return eu_finish_raw(t, op, mask, raw);
}

bool
eu_finish_double(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                 const double *v)
{
    const struct eu_insn *insn = op->insn;
    enum eu_type type = (enum eu_type)insn->dst.type;
    uint64_t raw[EU_MAX_LANES];
    for (unsigned i = 0; i < insn->exec_size; i++) {
        double d = v[i];
        if (insn->saturate && eu_type_is_float(type))
            d = d > 0.0 ? MIN2(d, 1.0) : 0.0;
        raw[i] = raw_from_double(t, type, d);
    }
    return eu_finish_raw(t, op, mask, raw);
}

bool
eu_finish_cmp(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
              uint32_t bits)
{
    uint64_t raw[EU_MAX_LANES];
    eu_op_write_flags(t, op, mask, bits);
    for (unsigned i = 0; i < op->insn->exec_size; i++)
        raw[i] = bits >> i & 1 ? UINT64_MAX : 0;
    write_acc(t, op->insn, mask, raw);
    return eu_operand_store(t, op->insn, mask, raw);
}
