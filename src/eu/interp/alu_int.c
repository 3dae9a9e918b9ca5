/* alu_int.c: integer instructions, exact in 128 bits. */
#include "eu/interp/alu.h"

static unsigned
shift_count(const struct eu_insn *insn, wide_int count)
{
    bool is_64 = eu_type_size_B((enum eu_type)insn->dst.type) == 8 ||
                 eu_type_size_B((enum eu_type)insn->src[0].type) == 8;
    return (unsigned)count & (is_64 ? 63 : 31);
}

static wide_int
leading_zeros(uint32_t x)
{
    return x ? __builtin_clz(x) : 32;
}

static wide_int
find_high(uint32_t x, bool is_signed)
{
    if (is_signed && (int32_t)x < 0)
        x = ~x;
    return x ? __builtin_clz(x) : (wide_int)UINT32_MAX;
}

static uint32_t
reverse_bits(uint32_t x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}

static wide_int
extract_bits(const struct eu_insn *insn, uint32_t width, uint32_t offset,
             uint32_t value)
{
    bool is_signed = insn->src[2].type == EU_TYPE_D;
    width &= 31;
    offset &= 31;
    if (!width)
        return 0;
    if (offset + width > 32)
        return is_signed ? (int32_t)value >> offset
                         : (wide_int)(value >> offset);
    value <<= 32 - width - offset;
    return is_signed ? (int32_t)value >> (32 - width)
                     : (wide_int)(value >> (32 - width));
}

/* Division by zero: ILK PRM vol 4 pt 1 "INT DIV". INT_MIN / -1 is not
 * documented. Guess: the quotient wraps like every other integer result
 * (2^31 is INT_MIN in a D; .sat makes it INT_MAX), the remainder is 0. */
static void
divide_ints(const struct eu_insn *insn, wide_int n, wide_int d, wide_int *q,
            wide_int *r)
{
    bool is_signed = eu_divides_signed(insn);
    n = eu_wrap_int(n, is_signed ? EU_TYPE_D : EU_TYPE_UD);
    d = eu_wrap_int(d, is_signed ? EU_TYPE_D : EU_TYPE_UD);
    if (d) {
        *q = n / d;
        *r = n % d;
    } else {
        *q = n >= 0 ? INT32_MAX : INT32_MIN;
        if (!is_signed)
            *q = UINT32_MAX;
        *r = *q;
    }
}

static wide_int
lane_op(const struct eu_insn *insn, wide_int a, wide_int b, wide_int c)
{
    enum eu_type dst = (enum eu_type)insn->dst.type;
    unsigned bits;
    wide_int q, r;
    switch (insn->opcode) {
    case EU_OP_MOV:
    case EU_OP_MOVI: return a;
    case EU_OP_NOT: return eu_wrap_int(~a, dst);
    case EU_OP_AND: return eu_wrap_int(a & b, dst);
    case EU_OP_OR: return eu_wrap_int(a | b, dst);
    case EU_OP_XOR: return eu_wrap_int(a ^ b, dst);
    case EU_OP_SHL:
        return (wide_int)((unsigned __int128)a << shift_count(insn, b));
    case EU_OP_SHR:
        /* Observed: Mesa halves signed values with SHR and expects the sign
         * to stay. Guess: the source is extended before it is shifted. */
        if (insn->src[0].type == EU_TYPE_D || insn->src[0].type == EU_TYPE_Q)
            return a >> shift_count(insn, b);
        bits = eu_exec_size_B(insn) * 8;
        return (wide_int)(((unsigned __int128)a &
                           (((unsigned __int128)1 << bits) - 1)) >>
                          shift_count(insn, b));
    case EU_OP_ASR: return a >> shift_count(insn, b);
    case EU_OP_ADD: return a + b;
    case EU_OP_MUL: return a * b;
    case EU_OP_AVG: return (a + b + 1) >> 1;
    case EU_OP_MAD: return b * c + a;
    case EU_OP_LZD: return leading_zeros((uint32_t)a);
    case EU_OP_FBH:
        return find_high((uint32_t)a,
                         eu_type_is_signed((enum eu_type)insn->src[0].type));
    case EU_OP_FBL:
        return (uint32_t)a ? __builtin_ctz((uint32_t)a) : (wide_int)UINT32_MAX;
    case EU_OP_CBIT:
        return __builtin_popcountll(
            (uint64_t)a &
            ((UINT64_C(1) << (eu_exec_size_B(insn) * 8 - 1) << 1) - 1));
    case EU_OP_BFREV: return reverse_bits((uint32_t)a);
    case EU_OP_BFE:
        return extract_bits(insn, (uint32_t)a, (uint32_t)b, (uint32_t)c);
    case EU_OP_BFI1:
        return (uint32_t)(((UINT32_C(1) << (a & 31)) - 1) << (b & 31));
    case EU_OP_BFI2:
        return eu_wrap_int(
            eu_insert_bits((uint32_t)a, (uint32_t)b, (uint32_t)c), dst);
    case EU_OP_MATH:
        divide_ints(insn, a, b, &q, &r);
        return insn->math == EU_MATH_INT_DIV_REMAINDER ? r : q;
    default: return 0;
    }
}

static bool
lane_min_max(unsigned cmod, wide_int a, wide_int b)
{
    return cmod == EU_CMOD_L || cmod == EU_CMOD_LE ? a < b : a > b;
}

/* Opcodes that use the accumulator: the high half of a product whose low half
 * is in the accumulator, ADDC, SUBB. False for any other opcode. */
static bool
acc_op(struct eu_thread *t, const struct eu_insn *insn, uint32_t mask,
       const wide_int *a, const wide_int *b, wide_int *out)
{
    /* Other conditions test the stored value. */
    bool exact = insn->saturate || insn->cmod == EU_CMOD_O;
    int64_t *acc = t->acc_wide[0];
    for (unsigned i = 0; i < insn->exec_size; i++) {
        wide_int wide;
        int64_t next;
        unsigned k = i & 15;
        switch (insn->opcode) {
        case EU_OP_MACH:
            next = (int64_t)((uint64_t)acc[k] +
                             ((uint64_t)(a[i] * (b[i] >> 16)) << 16));
            out[i] = eu_wrap_int(next >> 32, (enum eu_type)insn->dst.type);
            break;
        case EU_OP_ADDC:
            wide = a[i] + b[i];
            out[i] = exact ? wide : (uint32_t)wide;
            next = (int64_t)(wide >> 32) & 1;
            break;
        case EU_OP_SUBB:
            wide = a[i] - b[i];
            out[i] = exact ? wide : (uint32_t)wide;
            next = wide < 0;
            break;
        default: return false;
        }
        if (mask >> i & 1)
            acc[k] = next;
    }
    return true;
}

static bool
sum_of_differences(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                   const wide_int *a, const wide_int *b, wide_int *out)
{
    for (unsigned i = 0; i < op->insn->exec_size; i++) {
        unsigned j = i | 1;
        wide_int x = a[i] - b[i], y = 0;
        if (j < op->insn->exec_size)
            y = a[j] - b[j];
        out[i] = (x < 0 ? -x : x) + (y < 0 ? -y : y);
        if (op->insn->opcode == EU_OP_SADA2)
            out[i] += t->acc_wide[0][i & 15];
    }
    return eu_finish_int(t, op, mask & 0x55555555, out);
}

/* INT DIV with two results: the remainder goes to the next register. */
static bool
divide_both(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
            const wide_int *a, const wide_int *b)
{
    const struct eu_operand *dst = &op->insn->dst;
    unsigned at = (dst->reg + 1u) * EU_GRF_B;
    if (dst->file != EU_FILE_GRF || dst->indirect || op->lanes > 8 ||
        at + EU_GRF_B > EU_GRF_FILE_B)
        return false;
    wide_int q[EU_MAX_LANES] = {0};
    for (unsigned i = 0; i < op->lanes; i++) {
        wide_int r;
        divide_ints(op->insn, a[i], b[i], &q[i], &r);
        uint32_t r32 = (uint32_t)r;
        if (mask >> i & 1)
            memcpy(t->grf + at + i * 4, &r32, 4);
    }
    return eu_finish_int(t, op, mask, q);
}

bool
eu_alu_int(struct eu_thread *t, const struct eu_op *op, uint32_t mask)
{
    const struct eu_insn *insn = op->insn;
    wide_int a[EU_MAX_LANES], b[EU_MAX_LANES], c[EU_MAX_LANES];
    wide_int out[EU_MAX_LANES];
    wide_int *src[3] = {a, b, c};
    uint32_t bits = 0, pred = eu_op_pred(t, op);
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    for (unsigned s = 0; s < insn->src_count; s++)
        if (!eu_fetch_int(t, op, s, mask, src[s]))
            return false;

    switch (insn->opcode) {
    case EU_OP_CMP:
    case EU_OP_CMPN:
        for (unsigned i = 0; i < insn->exec_size; i++)
            bits |= (uint32_t)eu_cond_i(insn->cmod, a[i], b[i]) << i;
        return eu_finish_cmp(t, op, mask, bits);
    case EU_OP_SEL:
        for (unsigned i = 0; i < insn->exec_size; i++) {
            bool first = insn->cmod ? lane_min_max(insn->cmod, a[i], b[i])
                                    : pred >> i & 1;
            out[i] = first ? a[i] : b[i];
        }
        return eu_finish_int(t, op, mask, out);
    case EU_OP_SAD2:
    case EU_OP_SADA2: return sum_of_differences(t, op, mask, a, b, out);
    case EU_OP_MAC:
        for (unsigned i = 0; i < insn->exec_size; i++)
            out[i] = t->acc_wide[0][i & 15] + a[i] * b[i];
        return eu_finish_int(t, op, mask, out);
    case EU_OP_MATH:
        if (insn->math == EU_MATH_INT_DIV_BOTH)
            return divide_both(t, op, mask, a, b);
        break;
    default: break;
    }

    if (acc_op(t, insn, mask, a, b, out)) {
        /* acc_op() has written the accumulator already. */
        struct eu_insn plain = *insn;
        struct eu_op plain_op = *op;
        plain.acc_wr = false;
        plain_op.insn = &plain;
        return eu_finish_int(t, &plain_op, mask, out);
    }
    for (unsigned i = 0; i < insn->exec_size; i++)
        out[i] = lane_op(insn, a[i], b[i], c[i]);
    return eu_finish_int(t, op, mask, out);
}
