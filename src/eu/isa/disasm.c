/* disasm.c: one instruction as text.
 *
 * The syntax is the one of Intel's public assembler (iga64), so that its
 * output can be compared with ours and ours can be assembled again. What
 * follows "; function" in the comment of a message is in our own words. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

/* The replicated components have no name in iga64's syntax. */
static const char *const pred_align16[16] = {
    [6] = ".any4h",
    [7] = ".all4h",
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

/* When a subregister is written, and whether in bytes or elements. */
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
    if (o->indirect)
        ;
    else if (o->mme < EU_MME_NONE)
        text_put(t, ".mme%u", o->mme);
    else
        text_put(t, ".nomme");
    put_type(t, o);
}

/* The only component that a three-source instruction of one group writes, or
 * -1; of DF, a pair of components is one. iga64 then writes a scalar. */
static int
only_component(const struct eu_insn *insn, const struct isa_op *op)
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

static void
put_dst(struct text *t, const struct eu_insn *insn, const struct isa_op *op)
{
    const struct eu_operand *o = &insn->dst;
    if (insn->saturate && op->caps & ISA_CAP_SAT)
        text_put(t, "(sat)");
    if (is_macro(insn)) {
        put_macro_operand(t, o);
        return;
    }
    struct eu_operand first = *o;
    if (only_component(insn, op) > 0)
        first.subreg_B += (uint8_t)(only_component(insn, op) *
                                    (int)eu_type_size_B(o->type));
    put_register(t, &first, true);
    text_put(t, "<%u>", o->hstride);
    put_type(t, o);
}

#define SWIZZLE_XYXY 0x44
#define SWIZZLE_ZWZW 0xee

/* iga64 describes three-source operands by the equivalent Align1 region; of
 * DF, pairs of components are one element. */
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
    put_register(t, &scalar, true);
    if (n == 2)
        text_put(t, "<%u>", scalar.hstride);
    else
        text_put(t, scalar.rep_ctrl ? "<0;0>" : "<2;1>");
}

/* What the bits say: of a logic instruction, the modes that mean nothing. */
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

static void
put_src(struct text *t, const struct eu_insn *insn, const struct isa_op *op,
        unsigned n)
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
        put_type(t, o);
        return;
    }
    put_register(t, o, true);
    if (insn->align16) {
        text_put(t, "<1;1,0>");
    } else if (o->vstride == EU_VSTRIDE_VXH) {
        text_put(t, "<%u,%u>", o->width, o->hstride);
    } else {
        text_put(t, "<%u;%u,%u>", o->vstride, o->width, o->hstride);
    }
    put_type(t, o);
}

/* ---- the line ---- */

static void
put_predicate(struct text *t, const struct eu_insn *insn,
              const struct isa_op *op)
{
    const char *ctrl = insn->align16 ? pred_align16[insn->pred_ctrl]
                                     : pred_align1[insn->pred_ctrl];
    bool predicated = op->caps & ISA_CAP_PRED &&
                      (insn->pred_ctrl == 1 || (insn->pred_ctrl && ctrl));
    if (op->form == ISA_NULLARY || (!predicated && !insn->no_mask))
        return;
    text_put(t, "(%s", insn->no_mask ? "W" : "");
    if (predicated)
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
        text_put(t, " (%u|M%u)",
                 only_component(insn, op) >= 0 ? 1 : insn->exec_size,
                 insn->chan_offset);
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
put_target_type(struct text *t, const struct eu_insn *insn)
{
    if (insn->src[0].type != EU_TYPE_D)
        put_type(t, &insn->src[0]);
}

static void
put_targets(struct text *t, const struct eu_insn *insn, const struct isa_op *op,
            enum eu_gen gen)
{
    if (op->form == ISA_CALL || op->form == ISA_CALL_ABSOLUTE) {
        put_register(t, &insn->dst, true);
        if (insn->dst.hstride != 1)
            text_put(t, "<%u>", insn->dst.hstride);
        if (insn->dst.type != EU_TYPE_D)
            put_type(t, &insn->dst);
        text_pad(t, 48);
    }
    if (insn->src_count) {
        put_register(t, &insn->src[0], true);
        put_target_type(t, insn);
        return;
    }
    int64_t targets_B[2];
    unsigned count = eu_targets(insn, gen, targets_B);
    for (unsigned i = 0; i < count; i++) {
        int64_t from_B = t->labels || op->form == ISA_CALL_ABSOLUTE
                             ? 0
                             : insn->offset_B;
        if (i)
            text_pad(t, 66);
        text_put(t, t->labels ? "L%d" : "%d", (int32_t)(targets_B[i] - from_B));
        put_target_type(t, insn);
    }
}

unsigned
eu_targets(const struct eu_insn *insn, enum eu_gen gen, int64_t targets_B[2])
{
    const struct isa_op *op = isa_op(insn->opcode, gen);
    int64_t base_B = insn->offset_B;
    if (!op || op->form < ISA_BRANCH1 || insn->src_count)
        return 0;
    if (op->form == ISA_JUMP)
        base_B += insn->length_B;
    if (op->form == ISA_CALL_ABSOLUTE)
        base_B = 0;
    targets_B[0] = base_B + insn->jip;
    targets_B[1] = base_B + insn->uip;
    return op->form == ISA_BRANCH2 || op->form == ISA_BRANCH_REG2 ? 2 : 1;
}

bool
eu_ends_block(const struct eu_insn *insn, enum eu_gen gen)
{
    const struct isa_op *op = isa_op(insn->opcode, gen);
    return insn->eot || (op && op->form >= ISA_BRANCH1);
}

static void
put_message_register(struct text *t, const struct eu_operand *o)
{
    put_register(t, o, false);
}

static void
put_send(struct text *t, const struct eu_insn *insn, const struct isa_op *op)
{
    bool split = op->form == ISA_SENDS;
    put_message_register(t, &insn->dst);
    if (insn->dst.indirect && insn->dst.hstride != 1)
        text_put(t, "<%u>", insn->dst.hstride);
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
             const struct isa_op *op, enum eu_gen gen)
{
    static const size_t columns[3] = {48, 66, 84};
    switch ((enum isa_form)op->form) {
    case ISA_NULLARY: break;
    case ISA_BASIC:
    case ISA_MATH:
    case ISA_TERNARY:
        put_dst(t, insn, op);
        for (unsigned i = 0; i < insn->src_count; i++) {
            text_pad(t, columns[i]);
            put_src(t, insn, op, i);
        }
        break;
    case ISA_WAIT: put_src(t, insn, op, 0); break;
    case ISA_SEND:
    case ISA_SENDS: put_send(t, insn, op); break;
    default: put_targets(t, insn, op, gen);
    }
}

static void
put_options(struct text *t, const struct eu_insn *insn, const struct isa_op *op,
            enum eu_gen gen)
{
    bool send = op->form == ISA_SEND || op->form == ISA_SENDS;
    bool null = op->form == ISA_NULLARY;
    bool threads = !null && (!send || gen >= EU_GEN9);
    bool acc_bit = insn->raw[0] >> 28 & 1;
    const struct {
        bool on;
        const char *name;
    } options[] = {
        {(insn->acc_wr && !null) || (acc_bit && op->form == ISA_WAIT),
         "AccWrEn"},
        {insn->thread_ctrl == 1 && threads, "Atomic"},
        {insn->debug && insn->opcode != EU_OP_ILLEGAL, "Breakpoint"},
        {insn->length_B == 8, "Compacted"},
        {insn->eot, "EOT"},
        {insn->dep_ctrl & 2 && !send && !null, "NoDDChk"},
        {insn->dep_ctrl & 1 && !send && !null, "NoDDClr"},
        {acc_bit && send && gen >= EU_GEN9, "NoSrcDepSet"},
        {insn->thread_ctrl == 2 && threads, "Switch"},
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

static void
put_line(struct text *t, const struct eu_insn *insn, enum eu_gen gen)
{
    const struct isa_op *op = isa_op(insn->opcode, gen);
    if (!op) {
        text_put(t, "(bad opcode 0x%02x)", insn->opcode);
        return;
    }
    put_predicate(t, insn, op);
    text_pad(t, 8);
    put_mnemonic(t, insn, op);
    if (op->form != ISA_NULLARY) {
        text_pad(t, 22);
        put_cmod(t, insn, op);
        text_pad(t, 33);
        put_operands(t, insn, op, gen);
    }
    put_options(t, insn, op, gen);
    if (op->form == ISA_SEND || op->form == ISA_SENDS) {
        text_put(t, " // ");
        disasm_put_message(t, insn, gen);
    }
}

int
eu_disasm(char *buf, size_t size, const struct eu_insn *insn, enum eu_gen gen)
{
    struct text t = {.buf = buf, .size = size};
    put_line(&t, insn, gen);
    return (int)t.len;
}

int
eu_disasm_labels(char *buf, size_t size, const struct eu_insn *insn,
                 enum eu_gen gen)
{
    struct text t = {.buf = buf, .size = size, .labels = true};
    put_line(&t, insn, gen);
    return (int)t.len;
}
