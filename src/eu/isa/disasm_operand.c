/* disasm_operand.c: registers, regions, modifiers and immediates in iga64's
 * syntax. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eu/isa/disasm.h"
#include "eu/isa/eu_opcodes.h"

/* When to write a subregister, in bytes or in elements. */
enum subreg_form {
    SUBREG_ELEMENTS,
    SUBREG_ELEMENTS_NOT_0,
    SUBREG_BYTES,
    SUBREG_BYTES_NOT_0,
};

static const struct {
    const char *name;
    bool numbered;
    enum subreg_form subreg;
} arf_names[16] = {
    [EU_ARF_NULL >> 4] = {"null", false, SUBREG_ELEMENTS_NOT_0},
    [EU_ARF_A >> 4] = {"a", true, SUBREG_ELEMENTS},
    [EU_ARF_ACC >> 4] = {"acc", true, SUBREG_ELEMENTS},
    [EU_ARF_F >> 4] = {"f", true, SUBREG_ELEMENTS},
    [EU_ARF_CE >> 4] = {"ce", false, SUBREG_BYTES_NOT_0},
    [EU_ARF_MSG >> 4] = {"msg", true, SUBREG_BYTES},
    [EU_ARF_SP >> 4] = {"sp", false, SUBREG_ELEMENTS},
    [EU_ARF_SR >> 4] = {"sr", true, SUBREG_ELEMENTS},
    [EU_ARF_CR >> 4] = {"cr", true, SUBREG_ELEMENTS},
    [EU_ARF_N >> 4] = {"n", true, SUBREG_ELEMENTS},
    [EU_ARF_IP >> 4] = {"ip", false, SUBREG_BYTES_NOT_0},
    [EU_ARF_TDR >> 4] = {"tdr", true, SUBREG_ELEMENTS},
    [EU_ARF_TM >> 4] = {"tm", true, SUBREG_ELEMENTS},
    [EU_ARF_FC >> 4] = {"fc", true, SUBREG_BYTES},
    [EU_ARF_DBG >> 4] = {"dbg", true, SUBREG_ELEMENTS},
};

void
disasm_put_type(struct text *t, const struct eu_operand *o)
{
    text_put(t, ":%s", eu_type_name(o->type));
}

void
disasm_put_register(struct text *t, const struct eu_operand *o, bool subreg)
{
    if (o->indirect) {
        text_put(t, "r[a0.%u", o->addr_subreg);
        if (o->addr_imm_B)
            text_put(t, ",%d", o->addr_imm_B);
        text_put(t, "]");
        return;
    }
    enum subreg_form form = SUBREG_ELEMENTS;
    if (o->file == EU_FILE_GRF) {
        text_put(t, "r%u", o->reg);
    } else if (o->reg >= (EU_ARF_ACC | 2) && o->reg < EU_ARF_F) {
        text_put(t, "mme%u", o->reg - (EU_ARF_ACC | 2));
    } else {
        text_put(t, "%s", arf_names[o->reg >> 4].name);
        if (arf_names[o->reg >> 4].numbered)
            text_put(t, "%u", o->reg & 0xf);
        form = arf_names[o->reg >> 4].subreg;
    }
    unsigned n = o->subreg_B;
    if (form == SUBREG_ELEMENTS || form == SUBREG_ELEMENTS_NOT_0)
        n /= eu_type_size_B(o->type);
    if (form == SUBREG_ELEMENTS_NOT_0 || form == SUBREG_BYTES_NOT_0)
        subreg = subreg && n;
    if (subreg)
        text_put(t, ".%u", n);
}

/* Writes a float of 1 sign bit, `exponent` and `mantissa` bits: the first of 6
 * decimal digits, 7 digits and the raw bits that reads back exactly. */
static void
put_float(struct text *t, uint64_t raw, unsigned exponent, unsigned mantissa)
{
    static const char *const formats[2] = {"%g", "%e"};
    uint64_t fraction = raw & ((UINT64_C(1) << mantissa) - 1);
    uint64_t max = (UINT64_C(1) << exponent) - 1;
    uint64_t e = raw >> mantissa & max;
    int bias = (int)(max / 2);
    bool negative = raw >> (exponent + mantissa) & 1;

    if (e == max) {
        uint64_t quiet = fraction >> (mantissa - 1);
        fraction &= (UINT64_C(1) << (mantissa - 1)) - 1;
        text_put(t, negative ? "-" : "");
        if (!quiet && !fraction)
            text_put(t, "inf");
        else
            text_put(t, "%cnan(0x%" PRIX64 ")", quiet ? 'q' : 's', fraction);
        return;
    }
    double value = ldexp((double)fraction, 1 - bias - (int)mantissa);
    if (e)
        value = ldexp(1.0 + ldexp((double)fraction, -(int)mantissa),
                      (int)e - bias);
    value = negative ? -value : value;
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        char s[40];
        snprintf(s, sizeof s, formats[i], value);
        double back = mantissa > 23 ? strtod(s, NULL) : strtof(s, NULL);
        if (back == value) {
            text_put(t, "%s%s", s, strpbrk(s, ".e") ? "" : ".0");
            return;
        }
    }
    text_put(t, "0x%" PRIX64, raw);
}

static void
put_immediate(struct text *t, const struct eu_operand *o)
{
    switch ((enum eu_type)o->type) {
    case EU_TYPE_F: put_float(t, o->imm, 8, 23); break;
    case EU_TYPE_DF: put_float(t, o->imm, 11, 52); break;
    case EU_TYPE_HF: put_float(t, o->imm, 5, 10); break;
    case EU_TYPE_D: text_put(t, "%d", (int32_t)o->imm); break;
    case EU_TYPE_W: text_put(t, "%d", (int16_t)o->imm); break;
    case EU_TYPE_Q: text_put(t, "%" PRId64, (int64_t)o->imm); break;
    default: text_put(t, "0x%" PRIX64, o->imm);
    }
    disasm_put_type(t, o);
}

/* Operands of the IEEE macros have an extra-precision register instead of a
 * region. */
static bool
is_macro(const struct eu_insn *insn)
{
    return insn->opcode == EU_OP_MADM ||
           (insn->opcode == EU_OP_MATH && insn->align16 &&
            insn->math >= EU_MATH_INVM);
}

static void
put_macro_operand(struct text *t, const struct eu_operand *o)
{
    disasm_put_register(t, o, false);
    if (o->indirect)
        ;
    else if (o->mme < EU_MME_NONE)
        text_put(t, ".mme%u", o->mme);
    else
        text_put(t, ".nomme");
    disasm_put_type(t, o);
}

int
disasm_only_component(const struct eu_insn *insn, const struct isa_op *op)
{
    unsigned mask = insn->dst.writemask;
    if (op->form != ISA_TERNARY || is_macro(insn))
        return -1;
    if (insn->exec_size == 2 && insn->dst.type == EU_TYPE_DF)
        return mask == 0x3 ? 0 : mask == 0xc ? 1 : -1;
    for (int i = 0; insn->exec_size == 4 && i < 4; i++)
        if (mask == 1u << i)
            return i;
    return -1;
}

void
disasm_put_dst(struct text *t, const struct eu_insn *insn,
               const struct isa_op *op)
{
    const struct eu_operand *o = &insn->dst;
    if (insn->saturate && op->caps & ISA_CAP_SAT)
        text_put(t, "(sat)");
    if (is_macro(insn)) {
        put_macro_operand(t, o);
        return;
    }
    struct eu_operand first = *o;
    if (disasm_only_component(insn, op) > 0)
        first.subreg_B += (uint8_t)(disasm_only_component(insn, op) *
                                    (int)eu_type_size_B(o->type));
    disasm_put_register(t, &first, true);
    text_put(t, "<%u>", o->hstride);
    disasm_put_type(t, o);
}

#define SWIZZLE_XYXY 0x44
#define SWIZZLE_ZWZW 0xee

/* iga64 describes three-source operands by the equivalent Align1 region; for
 * DF, a pair of components is one element. */
static void
put_ternary_operand(struct text *t, const struct eu_operand *o, unsigned n)
{
    struct eu_operand scalar = *o;
    if (o->type == EU_TYPE_DF && !o->rep_ctrl &&
        (o->swizzle == SWIZZLE_XYXY || o->swizzle == SWIZZLE_ZWZW)) {
        scalar.rep_ctrl = true;
        scalar.hstride = 0;
        scalar.subreg_B += o->swizzle == SWIZZLE_ZWZW ? 8 : 0;
    }
    disasm_put_register(t, &scalar, true);
    if (n == 2)
        text_put(t, "<%u>", scalar.hstride);
    else
        text_put(t, scalar.rep_ctrl ? "<0;0>" : "<2;1>");
}

/* Prints the encoded modifiers, also the reserved ones of logic
 * instructions. */
static void
put_modifiers(struct text *t, const struct eu_insn *insn,
              const struct isa_op *op, unsigned n)
{
    const struct eu_operand *o = &insn->src[n];
    uint32_t mode = o->abs | o->negate << 1;
    if (!(op->caps & (ISA_CAP_SRC_MOD | ISA_CAP_LOGIC)))
        return;
    if (op->caps & ISA_CAP_LOGIC)
        mode = bits_get(insn->raw[2 + n], 13, 14);
    if (mode & 2)
        text_put(t, op->caps & ISA_CAP_LOGIC && mode == 2 ? "~" : "-");
    if (mode & 1)
        text_put(t, "(abs)");
}

void
disasm_put_src(struct text *t, const struct eu_insn *insn,
               const struct isa_op *op, unsigned n)
{
    const struct eu_operand *o = &insn->src[n];
    if (o->file == EU_FILE_IMM) {
        put_immediate(t, o);
        return;
    }
    put_modifiers(t, insn, op, n);
    if (is_macro(insn)) {
        put_macro_operand(t, o);
        return;
    }

    if (op->form == ISA_TERNARY) {
        put_ternary_operand(t, o, n);
        disasm_put_type(t, o);
        return;
    }
    disasm_put_register(t, o, true);
    if (insn->align16) {
        text_put(t, "<1;1,0>");
    } else if (o->vstride == EU_VSTRIDE_VXH) {
        text_put(t, "<%u,%u>", o->width, o->hstride);
    } else {
        text_put(t, "<%u;%u,%u>", o->vstride, o->width, o->hstride);
    }
    disasm_put_type(t, o);
}
