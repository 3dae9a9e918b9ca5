/* disasm.c: one instruction as text.
 *
 * The syntax is the one of Intel's public assembler (iga64), so that its
 * output can be compared with ours and ours can be assembled again. What
 * follows "; function" in the comment of a message is in our own words. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "eu/isa/disasm.h"
#include "eu/isa/eu_opcodes.h"

void
text_put(struct text *t, const char *fmt, ...)
{
    va_list args;
    size_t room = t->len < t->size ? t->size - t->len : 0;
    va_start(args, fmt);
    int n = vsnprintf(room ? t->buf + t->len : NULL, room, fmt, args);
    va_end(args);
    if (n > 0)
        t->len += (size_t)n;
}

/* At least one space, then up to column. */
static void
text_pad(struct text *t, size_t column)
{
    text_put(t, "%*s", (int)(t->len < column ? column - t->len : 1), "");
}

/* ---- names ---- */

static const char *const pred_align1[16] = {
    [2] = ".anyv",    [3] = ".allv",    [4] = ".any2h",   [5] = ".all2h",
    [6] = ".any4h",   [7] = ".all4h",   [8] = ".any8h",   [9] = ".all8h",
    [10] = ".any16h", [11] = ".all16h", [12] = ".any32h", [13] = ".all32h",
};

static const char *const pred_align16[16] = {
    [2] = ".x", [3] = ".y",     [4] = ".z",
    [5] = ".w", [6] = ".any4h", [7] = ".all4h",
};

static const char *const cmod_names[16] = {
    [EU_CMOD_Z] = "eq",  [EU_CMOD_NZ] = "ne", [EU_CMOD_G] = "gt",
    [EU_CMOD_GE] = "ge", [EU_CMOD_L] = "lt",  [EU_CMOD_LE] = "le",
    [EU_CMOD_O] = "ov",  [EU_CMOD_U] = "un",
};

static const char *const math_names[16] = {
    [EU_MATH_INV] = "inv",
    [EU_MATH_LOG] = "log",
    [EU_MATH_EXP] = "exp",
    [EU_MATH_SQRT] = "sqt",
    [EU_MATH_RSQ] = "rsqt",
    [EU_MATH_SIN] = "sin",
    [EU_MATH_COS] = "cos",
    [EU_MATH_FDIV] = "fdiv",
    [EU_MATH_POW] = "pow",
    [EU_MATH_INT_DIV_BOTH] = "idiv",
    [EU_MATH_INT_DIV_QUOTIENT] = "iqot",
    [EU_MATH_INT_DIV_REMAINDER] = "irem",
    [EU_MATH_INVM] = "invm",
    [EU_MATH_RSQRTM] = "rsqtm",
};

static const struct {
    const char *name;
    bool numbered, has_subreg;
} arf_names[16] = {
    [EU_ARF_NULL >> 4] = {"null", false, false},
    [EU_ARF_A >> 4] = {"a", true, true},
    [EU_ARF_ACC >> 4] = {"acc", true, true},
    [EU_ARF_F >> 4] = {"f", true, true},
    [EU_ARF_CE >> 4] = {"ce", false, false},
    [EU_ARF_MSG >> 4] = {"msg", true, true},
    [EU_ARF_SP >> 4] = {"sp", false, true},
    [EU_ARF_SR >> 4] = {"sr", true, true},
    [EU_ARF_CR >> 4] = {"cr", true, true},
    [EU_ARF_N >> 4] = {"n", true, true},
    [EU_ARF_IP >> 4] = {"ip", false, false},
    [EU_ARF_TDR >> 4] = {"tdr", true, true},
    [EU_ARF_TM >> 4] = {"tm", true, true},
    [EU_ARF_FC >> 4] = {"fc", true, true},
    [EU_ARF_DBG >> 4] = {"dbg", true, true},
};

/* ---- operands ---- */

static void
put_type(struct text *t, const struct eu_operand *o)
{
    text_put(t, ":%s", eu_type_name(o->type));
}

static void
put_register(struct text *t, const struct eu_operand *o, bool subreg)
{
    if (o->indirect) {
        text_put(t, "r[a0.%u", o->addr_subreg);
        if (o->addr_imm_B)
            text_put(t, ",%d", o->addr_imm_B);
        text_put(t, "]");
        return;
    }
    if (o->file == EU_FILE_GRF) {
        text_put(t, "r%u", o->reg);
    } else if (o->reg >= (EU_ARF_ACC | 2) && o->reg < EU_ARF_F) {
        text_put(t, "mme%u", o->reg - (EU_ARF_ACC | 2));
    } else {
        text_put(t, "%s", arf_names[o->reg >> 4].name);
        if (arf_names[o->reg >> 4].numbered)
            text_put(t, "%u", o->reg & 0xf);
        subreg = subreg && arf_names[o->reg >> 4].has_subreg;
    }
    if (subreg)
        text_put(t, ".%u", o->subreg_B / eu_type_size_B(o->type));
}

/* A float of 1 sign bit, `exponent` and `mantissa` bits, as the first of
 * decimal with 6 digits, decimal with 7, or the bits that reads back the
 * same. The value is at least as exact in `single` or double arithmetic. */
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
    put_type(t, o);
}

#define SWIZZLE_XYZW 0xe4

/* iga64 has no syntax for Align16; this is the PRM's. */
static void
put_swizzle(struct text *t, uint8_t swizzle)
{
    text_put(t, ".%c%c%c%c", "xyzw"[swizzle & 3], "xyzw"[swizzle >> 2 & 3],
             "xyzw"[swizzle >> 4 & 3], "xyzw"[swizzle >> 6 & 3]);
}

static void
put_writemask(struct text *t, uint8_t mask)
{
    text_put(t, ".");
    for (unsigned i = 0; i < 4; i++)
        if (mask >> i & 1)
            text_put(t, "%c", "xyzw"[i]);
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
    put_register(t, o, false);
    if (o->mme < EU_MME_NONE)
        text_put(t, ".mme%u", o->mme);
    else
        text_put(t, ".nomme");
    put_type(t, o);
}

static void
put_dst(struct text *t, const struct eu_insn *insn)
{
    const struct eu_operand *o = &insn->dst;
    if (insn->saturate)
        text_put(t, "(sat)");
    if (is_macro(insn)) {
        put_macro_operand(t, o);
        return;
    }
    put_register(t, o, true);
    text_put(t, "<%u>", o->hstride);
    if (insn->align16 && o->writemask != 0xf)
        put_writemask(t, o->writemask);
    put_type(t, o);
}

/* iga64 describes three-source operands by the equivalent Align1 region. */
static void
put_ternary_region(struct text *t, const struct eu_operand *o, unsigned n)
{
    if (n == 2)
        text_put(t, "<%u>", o->hstride);
    else
        text_put(t, o->rep_ctrl ? "<0;0>" : "<2;1>");
    if (!o->rep_ctrl && o->swizzle != SWIZZLE_XYZW)
        put_swizzle(t, o->swizzle);
}

static void
put_src(struct text *t, const struct eu_insn *insn, const struct isa_op *op,
        unsigned n)
{
    const struct eu_operand *o = &insn->src[n];
    if (o->file == EU_FILE_IMM) {
        put_immediate(t, o);
        return;
    }
    if (o->negate)
        text_put(t, op->caps & ISA_CAP_LOGIC ? "~" : "-");
    if (o->abs)
        text_put(t, "(abs)");
    if (is_macro(insn)) {
        put_macro_operand(t, o);
        return;
    }

    put_register(t, o, true);
    if (op->form == ISA_TERNARY) {
        put_ternary_region(t, o, n);
    } else if (insn->align16) {
        text_put(t, "<%u>", o->vstride);
        put_swizzle(t, o->swizzle);
    } else if (o->vstride == EU_VSTRIDE_VXH) {
        text_put(t, "<%u,%u>", o->width, o->hstride);
    } else {
        text_put(t, "<%u;%u,%u>", o->vstride, o->width, o->hstride);
    }
    put_type(t, o);
}

/* ---- the line ---- */

static void
put_predicate(struct text *t, const struct eu_insn *insn)
{
    const char *ctrl = insn->align16 ? pred_align16[insn->pred_ctrl]
                                     : pred_align1[insn->pred_ctrl];
    if (!insn->pred_ctrl && !insn->no_mask)
        return;
    text_put(t, "(%s", insn->no_mask ? "W" : "");
    if (insn->pred_ctrl)
        text_put(t, "%s%sf%u.%u%s", insn->no_mask ? "&" : "",
                 insn->pred_inv ? "~" : "", insn->flag >> 1, insn->flag & 1,
                 ctrl ? ctrl : "");
    text_put(t, ")");
}

static void
put_mnemonic(struct text *t, const struct eu_insn *insn,
             const struct isa_op *op)
{
    text_put(t, "%s", op->name);
    if (op->form == ISA_MATH && math_names[insn->math])
        text_put(t, ".%s", math_names[insn->math]);
    if (insn->branch_ctrl)
        text_put(t, ".b");
    if (op->form != ISA_NULLARY && op->form != ISA_JUMP && op->form != ISA_WAIT)
        text_put(t, " (%u|M%u)", insn->exec_size, insn->chan_offset);
}

static void
put_cmod(struct text *t, const struct eu_insn *insn, const struct isa_op *op)
{
    const char *name = cmod_names[insn->cmod];
    if (op->form == ISA_MATH)
        name = insn->math >= EU_MATH_INVM ? "eo" : NULL;
    else if (!(op->caps & ISA_CAP_CMOD))
        name = NULL;
    if (name)
        text_put(t, "(%s)f%u.%u", name, insn->flag >> 1, insn->flag & 1);
}

static void
put_targets(struct text *t, const struct eu_insn *insn, const struct isa_op *op)
{
    if (op->form == ISA_CALL) {
        put_register(t, &insn->dst, true);
        if (insn->dst.type != EU_TYPE_D)
            put_type(t, &insn->dst);
        text_pad(t, 48);
    }
    if (insn->src_count) {
        put_register(t, &insn->src[0], true);
        if (insn->src[0].type != EU_TYPE_D)
            put_type(t, &insn->src[0]);
        return;
    }
    /* Text counts from the instruction itself, as the others do. */
    int64_t jip = insn->jip;
    if (op->form == ISA_JUMP)
        jip += insn->length_B;
    text_put(t, "%" PRId64, jip);
    if (op->form == ISA_BRANCH2 || op->form == ISA_BRANCH_REG2) {
        text_pad(t, 66);
        text_put(t, "%d", insn->uip);
    }
}

static void
put_message_register(struct text *t, const struct eu_operand *o)
{
    put_register(t, o, o->subreg_B != 0);
}

static void
put_send(struct text *t, const struct eu_insn *insn, const struct isa_op *op)
{
    bool split = op->form == ISA_SENDS;
    put_message_register(t, &insn->dst);
    if (split || insn->dst.type != EU_TYPE_UD)
        put_type(t, &insn->dst);
    text_pad(t, 43);
    put_message_register(t, &insn->src[0]);
    if (!split && insn->src[0].type != EU_TYPE_UD)
        put_type(t, &insn->src[0]);
    if (split) {
        text_pad(t, 51);
        put_message_register(t, &insn->src[1]);
    }
    text_pad(t, 59);
    if (insn->ex_desc_is_reg)
        text_put(t, "a0.%u", insn->ex_desc_subreg / 2);
    else
        text_put(t, "0x%" PRIX32, insn->ex_desc);
    text_pad(t, 71);
    if (insn->desc_is_reg)
        text_put(t, "a0.0");
    else
        text_put(t, "0x%08" PRIX32, insn->desc);
}

static void
put_operands(struct text *t, const struct eu_insn *insn,
             const struct isa_op *op)
{
    static const size_t columns[3] = {48, 66, 84};
    switch ((enum isa_form)op->form) {
    case ISA_NULLARY: break;
    case ISA_BASIC:
    case ISA_MATH:
    case ISA_TERNARY:
        put_dst(t, insn);
        for (unsigned i = 0; i < insn->src_count; i++) {
            text_pad(t, columns[i]);
            put_src(t, insn, op, i);
        }
        break;
    case ISA_WAIT: put_src(t, insn, op, 0); break;
    case ISA_SEND:
    case ISA_SENDS: put_send(t, insn, op); break;
    default: put_targets(t, insn, op);
    }
}

static void
put_options(struct text *t, const struct eu_insn *insn)
{
    const struct {
        bool on;
        const char *name;
    } options[] = {
        {insn->acc_wr, "AccWrEn"},
        {insn->thread_ctrl == 1, "Atomic"},
        {insn->debug, "Breakpoint"},
        {insn->length_B == 8, "Compacted"},
        {insn->eot, "EOT"},
        {insn->dep_ctrl & 2, "NoDDChk"},
        {insn->dep_ctrl & 1, "NoDDClr"},
        {insn->thread_ctrl == 2, "Switch"},
    };
    char separator = '{';
    for (unsigned i = 0; i < ARRAY_SIZE(options); i++) {
        if (!options[i].on)
            continue;
        if (separator == '{')
            text_pad(t, 84);
        text_put(t, "%c%s", separator, options[i].name);
        separator = ',';
    }
    if (separator == ',')
        text_put(t, "}");
}

int
eu_disasm(char *buf, size_t size, const struct eu_insn *insn, enum eu_gen gen)
{
    struct text t = {.buf = buf, .size = size};
    const struct isa_op *op = isa_op(insn->opcode, gen);
    if (!op)
        return snprintf(buf, size, "(bad opcode 0x%02x)", insn->opcode);

    put_predicate(&t, insn);
    text_pad(&t, 8);
    put_mnemonic(&t, insn, op);
    if (op->form != ISA_NULLARY) {
        text_pad(&t, 22);
        put_cmod(&t, insn, op);
        text_pad(&t, 33);
        put_operands(&t, insn, op);
    }
    put_options(&t, insn);
    if (op->form == ISA_SEND || op->form == ISA_SENDS) {
        text_put(&t, " // ");
        disasm_put_message(&t, insn);
    }
    return (int)t.len;
}
