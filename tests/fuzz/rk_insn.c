/* rk_insn.c: random instructions that compute, drawn from the opcode table.
 *
 * Fields are drawn mostly without constraints. The result is decoded and
 * validated like any client's; a refused instruction is drawn again. */
#include "rk.h"

#include "base/fields.h"
#include "eu/isa/tables.h"

struct draft {
    const struct isa_op *op;
    uint32_t dw[4];
    unsigned opcode, exec_size;
    bool align16, minmax;
    unsigned math;
};

static unsigned
log2_of(unsigned v)
{
    return v ? (unsigned)__builtin_ctz(v) : 0;
}

static unsigned
stride_code(unsigned v)
{
    return v ? log2_of(v) + 1 : 0;
}

static unsigned
immediate_code(enum eu_type type)
{
    switch (type) {
    case EU_TYPE_UV: return 4;
    case EU_TYPE_VF: return 5;
    case EU_TYPE_V: return 6;
    case EU_TYPE_DF: return 10;
    case EU_TYPE_HF: return 11;
    default: return type;
    }
}

static bool
is_logic(const struct draft *d)
{
    return d->op->caps & ISA_CAP_LOGIC;
}

/* ---- choice of an instruction ---- */

static unsigned
any_opcode(struct rk *k)
{
    for (;;) {
        unsigned opcode = 1 + rk_rnd(k, 0x5d);
        const struct isa_op *op = isa_op(opcode, k->gen);
        if (op && (op->form == ISA_BASIC || op->form == ISA_TERNARY ||
                   op->form == ISA_MATH))
            return opcode;
    }
}

static unsigned
draw_opcode(struct rk *k)
{
    static const uint8_t common[] = {
        EU_OP_MOV,  EU_OP_MOV,  EU_OP_MOV,  EU_OP_ADD,  EU_OP_ADD,  EU_OP_MUL,
        EU_OP_MUL,  EU_OP_MAD,  EU_OP_MAD,  EU_OP_SEL,  EU_OP_SEL,  EU_OP_CMP,
        EU_OP_CMP,  EU_OP_AND,  EU_OP_OR,   EU_OP_XOR,  EU_OP_NOT,  EU_OP_SHL,
        EU_OP_SHR,  EU_OP_ASR,  EU_OP_FRC,  EU_OP_RNDD, EU_OP_RNDE, EU_OP_LRP,
        EU_OP_MATH, EU_OP_MATH, EU_OP_PLN,  EU_OP_CSEL, EU_OP_BFE,  EU_OP_BFI1,
        EU_OP_BFI2, EU_OP_LZD,  EU_OP_CBIT, EU_OP_ADDC, EU_OP_MACH, EU_OP_AVG};
    if (rk_chance(k, k->plain ? 90 : 60))
        return common[rk_rnd(k, ARRAY_SIZE(common))];
    return any_opcode(k);
}

static enum eu_type
draw_type(struct rk *k, uint32_t set)
{
    const uint32_t usual = 1u << EU_TYPE_F | 1u << EU_TYPE_D | 1u << EU_TYPE_UD;
    uint32_t some = k->plain ? usual | 1u << EU_TYPE_W | 1u << EU_TYPE_UW
                             : usual;
    if ((set & some) && rk_chance(k, k->plain ? 97 : 60))
        set &= some;
    for (;;) {
        unsigned t = rk_rnd(k, EU_TYPE_VF + 1);
        if (set >> t & 1)
            return (enum eu_type)t;
    }
}

/* ---- operands ---- */

static void
put_region(struct rk *k, struct draft *d, unsigned base, unsigned size_B)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 16};
    unsigned lanes = d->exec_size, w = MIN2(8, lanes), v, h = 1;
    unsigned what = rk_rnd(k, k->plain ? 60 : 100);
    if (what < 40) {
        if (size_B == 8)
            w = MIN2(4, lanes);
        v = w;
    } else if (what < 60) {
        w = 1;
        v = h = 0;
    } else if (what < 70) {
        w = MIN2(4, lanes);
        v = w * 2;
        h = 2;
    } else if (what < 76) {
        w = 1;
        v = 1u << rk_rnd(k, 3);
        h = 0;
    } else if (what < 84) {
        w = MIN2(widths[rk_rnd(k, 4)], lanes);
        v = rk_chance(k, 50) ? 0 : w;
        h = rk_chance(k, 50);
    } else {
        w = MIN2(widths[rk_rnd(k, 5)], lanes);
        v = rk_rnd(k, 7) ? 1u << rk_rnd(k, 6) : 0;
        h = rk_rnd(k, 4) ? 1u << rk_rnd(k, 3) : 0;
    }
    if (w == 1)
        h = 0;
    if (w == lanes && h)
        v = w * h;
    fields_put(d->dw, base + 16, base + 17, stride_code(h));
    fields_put(d->dw, base + 18, base + 20, log2_of(w));
    fields_put(d->dw, base + 21, base + 24, stride_code(v));
}

static void
put_indirect(struct rk *k, struct draft *d, unsigned base)
{
    fields_put(d->dw, base, base + 8, rk_rnd(k, k->banks ? 8 : 64) * 8);
    fields_put(d->dw, base + 9, base + 12, rk_rnd(k, 16));
    fields_put(d->dw, base + 15, base + 15, 1);
    if (rk_chance(k, 50)) {
        fields_put(d->dw, base + 21, base + 24, 15);
        if (rk_chance(k, 50)) {
            fields_put(d->dw, base + 16, base + 17, 0);
            fields_put(d->dw, base + 18, base + 20, 0);
        }
    }
    if (!k->banks && rk_chance(k, 20))
        fields_put(d->dw, base == 64 ? 95 : 121, base == 64 ? 95 : 121, 1);
}

static void
put_align16_source(struct rk *k, struct draft *d, unsigned base, enum eu_type t)
{
    static const uint8_t swizzles[] = {0xe4, 0x00, 0xff, 0x1b, 0x50, 0x44};
    unsigned s = rk_chance(k, 60) ? swizzles[rk_rnd(k, ARRAY_SIZE(swizzles))]
                                  : rk_rnd(k, 256);
    fields_put(d->dw, base, base + 3, s & 15);
    fields_put(d->dw, base + 16, base + 19, s >> 4);
    fields_put(d->dw, base + 4, base + 4, rk_rnd(k, 2));
    fields_put(d->dw, base + 5, base + 12, rk_reg(k, rk_bank_of(t), 4));
    fields_put(d->dw, base + 20, base + 20, 0);
    fields_put(d->dw, base + 21, base + 24,
               rk_chance(k, 15)         ? 0
               : eu_type_size_B(t) == 8 ? 2
                                        : 3);
}

/* An architecture register that is a valid integer source. */
static void
put_arf_source(struct rk *k, struct draft *d, unsigned base, enum eu_type t)
{
    static const uint8_t regs[] = {
        EU_ARF_A,  EU_ARF_F, EU_ARF_F + 1, EU_ARF_CE, EU_ARF_SR,
        EU_ARF_CR, EU_ARF_N, EU_ARF_IP,    EU_ARF_TM, EU_ARF_NULL};
    unsigned size_B = eu_type_size_B(t);
    bool acc = rk_chance(k, 60) || rk_bank_of(t) != RK_INT;
    fields_put(d->dw, base + 5, base + 12,
               acc ? EU_ARF_ACC + rk_rnd(k, 2)
                   : regs[rk_rnd(k, ARRAY_SIZE(regs))]);
    if (!acc)
        fields_put(d->dw, base, base + 4, rk_rnd(k, 8 / size_B) * size_B);
}

static bool
put_immediate(struct rk *k, struct draft *d, unsigned n, enum eu_type t)
{
    uint64_t v = rk_bits_i(k);
    switch (t) {
    case EU_TYPE_UB:
    case EU_TYPE_B: return false;
    case EU_TYPE_HF: v = rk_bits_hf(k) * 0x10001u; break;
    case EU_TYPE_DF: v = rk_bits_df(k); break;
    case EU_TYPE_F:
        v = rk_bits_f(k);
        if (rk_chance(k, 15))
            t = EU_TYPE_VF;
        break;
    case EU_TYPE_W:
    case EU_TYPE_UW:
        v = (v & 0xffff) * 0x10001;
        if (rk_chance(k, 25)) {
            t = t == EU_TYPE_W ? EU_TYPE_V : EU_TYPE_UV;
            v = rk_rnd(k, UINT32_MAX);
        }
        break;
    case EU_TYPE_Q:
    case EU_TYPE_UQ: v |= (uint64_t)rk_bits_i(k) << 32; break;
    default: break;
    }
    fields_put(d->dw, n ? 89 : 41, n ? 90 : 42, EU_FILE_IMM);
    fields_put(d->dw, n ? 91 : 43, n ? 94 : 46, immediate_code(t));
    d->dw[3] = (uint32_t)v;
    if (eu_type_size_B(t) == 8) {
        d->dw[2] = (uint32_t)v;
        d->dw[3] = (uint32_t)(v >> 32);
    }
    return true;
}

static void
put_source(struct rk *k, struct draft *d, unsigned n, enum eu_type t)
{
    unsigned base = n ? 96 : 64, size_B = eu_type_size_B(t);
    bool last = n + 1 == d->op->src_count || (d->op->src_count == 2 && n == 1);
    if (last && rk_chance(k, 25) && put_immediate(k, d, n, t))
        return;
    fields_put(d->dw, n ? 91 : 43, n ? 94 : 46, t);
    fields_put(d->dw, n ? 89 : 41, n ? 90 : 42, EU_FILE_GRF);
    if (rk_chance(k, 20) && (d->op->caps & (ISA_CAP_SRC_MOD | ISA_CAP_LOGIC)))
        fields_put(d->dw, base + 13, base + 14,
                   is_logic(d) ? 2 : 1 + rk_rnd(k, 3));
    if (d->align16) {
        put_align16_source(k, d, base, t);
        return;
    }
    put_region(k, d, base, size_B);
    if (!k->plain && rk_chance(k, 5)) {
        fields_put(d->dw, n ? 89 : 41, n ? 90 : 42, EU_FILE_ARF);
        put_arf_source(k, d, base, t);
    } else if (!k->plain && rk_chance(k, 4) &&
               (!k->banks || rk_bank_of(t) == RK_INT)) {
        put_indirect(k, d, base);
    } else {
        fields_put(d->dw, base + 5, base + 12, rk_reg(k, rk_bank_of(t), 4));
        if (rk_chance(k, k->plain ? 15 : 35))
            fields_put(d->dw, base, base + 4, rk_rnd(k, 32 / size_B) * size_B);
    }
}

static void
put_dst(struct rk *k, struct draft *d, enum eu_type t)
{
    static const uint8_t arfs[] = {EU_ARF_A, EU_ARF_F, EU_ARF_F + 1, EU_ARF_SR};
    unsigned size_B = eu_type_size_B(t), file = EU_FILE_GRF;
    bool is_cmp = d->opcode == EU_OP_CMP || d->opcode == EU_OP_CMPN;
    fields_put(d->dw, 37, 40, t);
    fields_put(d->dw, 53, 60, rk_reg(k, rk_bank_of(t), 4));
    fields_put(d->dw, 61, 62, 1);
    if (d->align16) {
        fields_put(d->dw, 48, 51, rk_chance(k, 60) ? 15 : rk_rnd(k, 16));
        fields_put(d->dw, 52, 52, rk_rnd(k, 2));
    } else {
        if (!k->plain && rk_chance(k, 25))
            fields_put(d->dw, 61, 62, 1 + rk_rnd(k, 3));
        if (rk_chance(k, k->plain ? 10 : 25))
            fields_put(d->dw, 48, 52, rk_rnd(k, 32 / size_B) * size_B);
    }
    if (rk_chance(k, is_cmp ? 60 : 6)) {
        file = EU_FILE_ARF;
        fields_put(d->dw, 48, 60, 0);
    } else if (!k->plain && rk_chance(k, 5)) {
        file = EU_FILE_ARF;
        fields_put(d->dw, 53, 60, EU_ARF_ACC + rk_rnd(k, 2));
        fields_put(d->dw, 48, 52, 0);
    } else if (!k->banks && !k->plain && rk_chance(k, 2)) {
        file = EU_FILE_ARF;
        fields_put(d->dw, 53, 60, arfs[rk_rnd(k, ARRAY_SIZE(arfs))]);
    } else if (!k->plain && !d->align16 && rk_chance(k, 3) &&
               (!k->banks || rk_bank_of(t) == RK_INT)) {
        fields_put(d->dw, 48, 56, rk_rnd(k, k->banks ? 8 : 32) * 8);
        fields_put(d->dw, 57, 60, rk_rnd(k, 16));
        fields_put(d->dw, 63, 63, 1);
    }
    fields_put(d->dw, 35, 36, file);
}

static void
put_ternary(struct rk *k, struct draft *d, enum eu_type dst, enum eu_type src)
{
    static const uint8_t code[EU_TYPE_COUNT] = {
        [EU_TYPE_F] = 0,  [EU_TYPE_D] = 1,  [EU_TYPE_UD] = 2,
        [EU_TYPE_DF] = 3, [EU_TYPE_HF] = 4,
    };
    static const uint8_t base_of[3] = {64, 85, 106};
    bool madm = d->opcode == EU_OP_MADM;
    fields_put(d->dw, 43, 45, code[src]);
    fields_put(d->dw, 46, 48, code[dst]);
    if (src == EU_TYPE_HF)
        fields_put(d->dw, 35, 36, rk_chance(k, 70) ? 3 : rk_rnd(k, 4));
    else if (src == EU_TYPE_F && dst == EU_TYPE_HF && k->gen >= EU_GEN9)
        fields_put(d->dw, 35, 36, rk_rnd(k, 4));
    fields_put(d->dw, 49, 52,
               madm               ? rk_rnd(k, 9)
               : rk_chance(k, 90) ? 15
                                  : rk_rnd(k, 16));
    fields_put(d->dw, 53, 55, rk_chance(k, 10) ? rk_rnd(k, 2) * 4 : 0);
    fields_put(d->dw, 56, 63, rk_reg(k, rk_bank_of(dst), 4));
    for (unsigned n = 0; n < 3; n++) {
        unsigned base = base_of[n];
        bool scalar = rk_chance(k, 30) && src != EU_TYPE_DF;
        enum eu_type t = src;
        if (n && (src == EU_TYPE_F || src == EU_TYPE_HF) && k->gen >= EU_GEN9)
            t = fields_get(d->dw, 37 - n, 37 - n) ? EU_TYPE_HF : EU_TYPE_F;
        if (rk_chance(k, 20) && (d->op->caps & ISA_CAP_SRC_MOD))
            fields_put(d->dw, 37 + n * 2, 38 + n * 2, 1 + rk_rnd(k, 3));
        fields_put(d->dw, base, base, scalar);
        fields_put(d->dw, base + 1, base + 8,
                   madm               ? rk_rnd(k, 9)
                   : rk_chance(k, 85) ? 0xe4
                                      : rk_rnd(k, 256));
        if (scalar)
            fields_put(d->dw, base + 9, base + 11, rk_rnd(k, 8));
        fields_put(d->dw, base + 12, base + 19, rk_reg(k, rk_bank_of(t), 4));
    }
}

/* ---- the rest ---- */

static void
put_header(struct rk *k, struct draft *d)
{
    static const uint8_t cmods[] = {1, 2, 3, 4, 5, 6, 1, 5, 8, 9};
    unsigned caps = d->op->caps, exec = d->exec_size;
    bool compares = d->opcode == EU_OP_CMP || d->opcode == EU_OP_CMPN ||
                    d->opcode == EU_OP_CSEL;
    bool carries = d->opcode == EU_OP_ADDC || d->opcode == EU_OP_SUBB ||
                   d->opcode == EU_OP_MACH;
    d->dw[0] |= d->opcode;
    fields_put(d->dw, 8, 8, d->align16);
    rk_put_exec(k, d->dw, exec);
    if (exec < 32 && rk_chance(k, k->plain ? 5 : 15)) {
        fields_put(d->dw, 12, 13, exec == 16 ? rk_rnd(k, 2) * 2 : rk_rnd(k, 4));
        if (exec <= 4)
            fields_put(d->dw, 11, 11, rk_rnd(k, 2));
    }
    fields_put(d->dw, 34, 34, rk_chance(k, exec < 8 ? 75 : 20));
    fields_put(d->dw, 32, 33, rk_rnd(k, 4));
    fields_put(d->dw, 31, 31, (caps & ISA_CAP_SAT) && rk_chance(k, 12));
    fields_put(d->dw, 28, 28, rk_chance(k, carries ? 90 : k->plain ? 0 : 4));
    if (d->op->form == ISA_MATH)
        fields_put(d->dw, 24, 27, d->math);
    else if ((caps & ISA_CAP_CMOD) && (compares || rk_chance(k, 18)))
        fields_put(d->dw, 24, 27, cmods[rk_rnd(k, ARRAY_SIZE(cmods))]);
    d->minmax = d->opcode == EU_OP_SEL && fields_get(d->dw, 24, 27);
    bool selects = d->opcode == EU_OP_SEL && !d->minmax;
    if ((caps & ISA_CAP_PRED) && !d->minmax &&
        rk_chance(k, selects ? 90 : 20)) {
        unsigned kinds = d->align16 ? 6 : 12;
        fields_put(d->dw, 16, 19,
                   rk_chance(k, k->plain ? 95 : 70) ? 1 : 2 + rk_rnd(k, kinds));
        fields_put(d->dw, 20, 20, rk_chance(k, 35));
    }
}

static unsigned
draw_math(struct rk *k, enum eu_type t)
{
    static const uint8_t fns[] = {1, 2, 3, 4, 5, 6, 7, 1, 5, 9, 10, 14, 15};
    if (rk_bank_of(t) == RK_INT)
        return EU_MATH_INT_DIV_BOTH + rk_rnd(k, 3);
    return fns[rk_rnd(k, ARRAY_SIZE(fns) - (k->plain ? 2 : 0))];
}

static void
draw(struct rk *k, struct draft *d)
{
    static const uint8_t sizes[] = {1, 1, 1, 2, 4, 8, 8, 16, 32};
    *d = (struct draft){.opcode = draw_opcode(k)};
    d->op = isa_op(d->opcode, k->gen);
    const struct isa_type_rule
        *rule = &d->op->rules[rk_rnd(k, d->op->rule_count)];
    enum eu_type dst = draw_type(k, rule->dst), src = draw_type(k, rule->src);
    d->exec_size = k->simd;
    if (rk_chance(k, 25))
        d->exec_size = sizes[rk_rnd(k, ARRAY_SIZE(sizes) - k->plain)];
    if (eu_type_size_B(dst) == 8 || eu_type_size_B(src) == 8)
        d->exec_size = MIN2(d->exec_size, 8);
    d->align16 = d->op->form == ISA_TERNARY || (!k->plain && rk_chance(k, 4));
    d->math = draw_math(k, src);
    if (d->op->form == ISA_MATH && d->math >= EU_MATH_INVM)
        d->align16 = rk_chance(k, 80);
    put_header(k, d);
    if (d->op->form == ISA_TERNARY) {
        put_ternary(k, d, dst, src);
        return;
    }
    put_dst(k, d, dst);
    for (unsigned n = 0; n < d->op->src_count; n++) {
        enum eu_type t = src;
        if (n && rk_chance(k, 40))
            t = draw_type(k, rule->src);
        put_source(k, d, n, t);
    }
}

/* ---- banks ---- */

static bool
in_bank(const struct eu_operand *o, unsigned end_B)
{
    enum rk_bank bank = rk_bank_of((enum eu_type)o->type);
    unsigned first = o->reg, last = o->reg + (o->subreg_B + end_B - 1) / 32;
    return last < 108 && first > 1 && rk_reg_bank(first) == bank &&
           rk_reg_bank(last) == bank;
}

static bool
operand_in_bank(const struct rk *k, const struct eu_insn *i,
                const struct eu_operand *o, bool is_dst)
{
    unsigned size_B = eu_type_size_B((enum eu_type)o->type), end_B = 0;
    if (o->file == EU_FILE_IMM)
        return true;
    if (o->file == EU_FILE_ARF)
        return !eu_operand_is_acc(o) ||
               (rk_bank_of((enum eu_type)o->type) == k->acc && o->reg < 0x22);
    for (unsigned lane = 0; lane < i->exec_size; lane++) {
        unsigned at = is_dst ? lane * o->hstride * size_B
                             : eu_region_offset_B(i, o, lane);
        end_B = MAX2(end_B, at + size_B);
    }
    if (i->opcode == EU_OP_PLN && !is_dst)
        end_B = MAX2(end_B, i->exec_size * 8u + 32);
    /* INT_DIV_BOTH has a second result. */
    if (i->opcode == EU_OP_MATH && is_dst)
        end_B += 128;
    return o->indirect ? end_B <= 160 : in_bank(o, end_B);
}

/* Implicit uses of the accumulators. */
static bool
hidden_acc_ok(const struct rk *k, const struct eu_insn *i)
{
    switch (i->opcode) {
    case EU_OP_MAC:
    case EU_OP_SADA2:
    case EU_OP_MACH:
    case EU_OP_ADDC:
    case EU_OP_SUBB:
        return k->acc == rk_bank_of((enum eu_type)i->src[0].type) &&
               k->acc == rk_bank_of((enum eu_type)i->dst.type);
    default:
        return !i->acc_wr ||
               (k->acc == rk_bank_of((enum eu_type)i->dst.type) &&
                k->acc == rk_bank_of((enum eu_type)i->src[0].type));
    }
}

/* The macros keep floats in the accumulators, whatever their bank is. */
static bool
is_macro(const struct eu_insn *i)
{
    return i->opcode == EU_OP_MADM ||
           (i->opcode == EU_OP_MATH && i->math >= EU_MATH_INVM);
}

static bool
banks_ok(const struct rk *k, const struct eu_insn *i)
{
    if (!k->banks)
        return true;
    if (!operand_in_bank(k, i, &i->dst, true) || !hidden_acc_ok(k, i) ||
        (is_macro(i) && k->acc == RK_INT))
        return false;
    for (unsigned n = 0; n < i->src_count; n++)
        if (!operand_in_bank(k, i, &i->src[n], false))
            return false;
    return true;
}

/* Rules whose violation still has a defined result. */
static bool
is_harmless(const char *why)
{
    return strstr(why, "spans more than two") ||
           strstr(why, "execution size too large");
}

bool
rk_add_alu(struct rk *k)
{
    for (unsigned n = 0; n < 30; n++) {
        struct draft d;
        struct eu_insn insn;
        draw(k, &d);
        if (!eu_decode(&insn, d.dw, 16, k->gen, NULL))
            continue;
        const char *why = eu_validate(&insn, k->gen);
        if (why && !is_harmless(why) && (k->banks || !rk_chance(k, 1)))
            continue;
        if (!banks_ok(k, &insn))
            continue;
        rk_append(k, d.dw);
        return true;
    }
    return false;
}
