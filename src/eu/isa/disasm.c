/* disasm.c: one instruction as text, in the syntax of iga64, Intel's public
 * assembler.
 *
 * So iga64's output can be compared with ours, and iga64 can assemble ours. A
 * message's comment is in our own words after "; function". */
#include <inttypes.h>
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

/* Writes at least one space, then spaces up to column. */
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

/* iga64's syntax has no names for the replicated components. */
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
                 disasm_only_component(insn, op) >= 0 ? 1 : insn->exec_size,
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
        disasm_put_type(t, &insn->src[0]);
}

static void
put_targets(struct text *t, const struct eu_insn *insn, const struct isa_op *op,
            enum eu_gen gen)
{
    if (op->form == ISA_CALL || op->form == ISA_CALL_ABSOLUTE) {
        disasm_put_register(t, &insn->dst, true);
        if (insn->dst.hstride != 1)
            text_put(t, "<%u>", insn->dst.hstride);
        if (insn->dst.type != EU_TYPE_D)
            disasm_put_type(t, &insn->dst);
        text_pad(t, 48);
    }
    if (insn->src_count) {
        disasm_put_register(t, &insn->src[0], true);
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
    disasm_put_register(t, o, false);
}

static void
put_send(struct text *t, const struct eu_insn *insn, const struct isa_op *op)
{
    bool split = op->form == ISA_SENDS;
    put_message_register(t, &insn->dst);
    if (insn->dst.indirect && insn->dst.hstride != 1)
        text_put(t, "<%u>", insn->dst.hstride);
    if (split || insn->dst.type != EU_TYPE_UD)
        disasm_put_type(t, &insn->dst);
    text_pad(t, 43);
    put_message_register(t, &insn->src[0]);
    if (!split && insn->src[0].type != EU_TYPE_UD)
        disasm_put_type(t, &insn->src[0]);
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
        disasm_put_dst(t, insn, op);
        for (unsigned i = 0; i < insn->src_count; i++) {
            text_pad(t, columns[i]);
            disasm_put_src(t, insn, op, i);
        }
        break;
    case ISA_WAIT: disasm_put_src(t, insn, op, 0); break;
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
