/* validate.c: the PRM rule that an instruction breaks.
 *
 * Tables of rules, each a small predicate and its name. eu_decode() has already
 * refused reserved field values. Left out are rules that only a scoreboard
 * could notice (EOT payloads in r112 and up, {Switch} after writes to cr0), and
 * rules that compilers are known to break. The result does not affect
 * execution: the engine runs everything that decodes, as the hardware would. */
#include "eu/isa/validate.h"

#include "eu/isa/eu_opcodes.h"

static bool
is_float(enum eu_type type)
{
    return type == EU_TYPE_F || type == EU_TYPE_DF || type == EU_TYPE_HF ||
           type == EU_TYPE_VF;
}

/* Packed immediates count as their unpacked type. */
static enum eu_type
plain_type(enum eu_type type)
{
    switch (type) {
    case EU_TYPE_UV: return EU_TYPE_UW;
    case EU_TYPE_V: return EU_TYPE_W;
    case EU_TYPE_VF: return EU_TYPE_F;
    default: return type;
    }
}

/* KBL PRM vol 7, "Execution Data Type": the widest source, bytes as words. */
static unsigned
execution_size_B(const struct eu_insn *insn)
{
    unsigned size_B = 2;
    for (unsigned i = 0; i < insn->src_count; i++)
        size_B = MAX2(size_B, eu_type_size_B(insn->src[i].type));
    return size_B;
}

static bool
is_illegal(const struct checked *c)
{
    return c->insn->opcode == EU_OP_ILLEGAL;
}

static bool
predicate_refused(const struct checked *c)
{
    return c->insn->pred_ctrl && !(c->op->caps & ISA_CAP_PRED);
}

static bool
predicate_reserved(const struct checked *c)
{
    return c->insn->pred_ctrl > (c->insn->align16 ? 7 : 13);
}

static bool
selects_minmax_by_flag(const struct checked *c)
{
    return c->insn->opcode == EU_OP_SEL && c->insn->cmod && c->insn->pred_ctrl;
}

static bool
cmod_refused(const struct checked *c)
{
    return is_alu(c) && c->insn->cmod && !(c->op->caps & ISA_CAP_CMOD);
}

static bool
cmod_reserved(const struct checked *c)
{
    return c->insn->cmod == 7 || c->insn->cmod > EU_CMOD_U;
}

static bool
saturate_refused(const struct checked *c)
{
    return is_alu(c) && c->insn->saturate && !(c->op->caps & ISA_CAP_SAT);
}

static bool
modifier_breaks(const struct checked *c, const struct eu_operand *o)
{
    bool integer_math = c->op->form == ISA_MATH &&
                        c->insn->math >= EU_MATH_INT_DIV_BOTH &&
                        c->insn->math <= EU_MATH_INT_DIV_REMAINDER;
    return (o->abs || o->negate) &&
           (integer_math || !(c->op->caps & (ISA_CAP_SRC_MOD | ISA_CAP_LOGIC)));
}

static bool
modifier_refused(const struct checked *c)
{
    return any_source(c, modifier_breaks);
}

static bool
thread_ctrl_reserved(const struct checked *c)
{
    return c->insn->thread_ctrl == 3;
}

static bool
exec_size_too_large(const struct checked *c)
{
    unsigned limit = 32;
    if (c->op->form == ISA_TERNARY)
        limit = c->exec_B == 8 ? 8 : 16;
    else if (c->op->form == ISA_MATH)
        limit = 16;
    else if (c->op->form == ISA_JUMP)
        limit = 1;
    return c->insn->exec_size > limit;
}

static bool
reserved_bit(const struct checked *c)
{
    return bits_get(c->insn->raw[0], 7, 7);
}

static bool
nibble_too_wide(const struct checked *c)
{
    return bits_get(c->insn->raw[0], 11, 11) && c->insn->exec_size > 4;
}

static bool
channels_misaligned(const struct checked *c)
{
    return c->insn->chan_offset % MAX2(c->insn->exec_size, 4);
}

/* Encodings 1 and 3 are undefined for logic instructions. */
static bool
logic_modifier_reserved(const struct checked *c)
{
    for (unsigned i = 0; i < c->insn->src_count; i++)
        if (c->op->caps & ISA_CAP_LOGIC &&
            c->insn->src[i].file != EU_FILE_IMM &&
            bits_get(c->insn->raw[2 + i], 13, 13))
            return true;
    return false;
}

static bool
comparison_missing(const struct checked *c)
{
    return !c->insn->cmod &&
           (c->insn->opcode == EU_OP_CMP || c->insn->opcode == EU_OP_CMPN ||
            c->insn->opcode == EU_OP_CSEL);
}

static bool
selector_missing(const struct checked *c)
{
    return c->insn->opcode == EU_OP_SEL && !c->insn->cmod &&
           !c->insn->pred_ctrl;
}

static bool
carry_lost(const struct checked *c)
{
    return (c->insn->opcode == EU_OP_ADDC || c->insn->opcode == EU_OP_SUBB) &&
           !c->insn->acc_wr;
}

static bool
math_source_unused(const struct checked *c)
{
    return c->op->form == ISA_MATH && c->insn->src_count == 1 &&
           (bits_get(c->insn->raw[2], 25, 26) != EU_FILE_ARF ||
            bits_get(c->insn->raw[3], 5, 12) != EU_ARF_NULL);
}

static bool
macro_align1(const struct checked *c)
{
    return c->op->form == ISA_MATH && c->insn->math >= EU_MATH_INVM &&
           !c->insn->align16;
}

static bool
math_align16(const struct checked *c)
{
    return c->op->form == ISA_MATH && c->insn->math < EU_MATH_INVM &&
           c->insn->align16;
}

static bool
division_too_wide(const struct checked *c)
{
    return c->op->form == ISA_MATH && c->insn->exec_size > 8 &&
           c->insn->math >= EU_MATH_INT_DIV_BOTH &&
           c->insn->math <= EU_MATH_INT_DIV_REMAINDER;
}

static bool
division_type(const struct checked *c)
{
    bool division = c->insn->math >= EU_MATH_INT_DIV_BOTH &&
                    c->insn->math <= EU_MATH_INT_DIV_REMAINDER;
    return c->op->form == ISA_MATH &&
           division == is_float(c->insn->src[0].type);
}

static bool
gen8_mixes(const struct checked *c)
{
    return c->gen < EU_GEN9 && c->op->form == ISA_TERNARY &&
           bits_get(c->insn->raw[1], 3, 4);
}

/* ---- types ---- */

static bool
type_refused(const struct checked *c)
{
    for (unsigned i = 0; is_alu(c) && i < c->insn->src_count; i++) {
        uint32_t src = 1u << plain_type(c->insn->src[i].type);
        uint32_t dst = 1u << c->insn->dst.type;
        bool found = false;
        for (unsigned r = 0; r < c->op->rule_count && !found; r++)
            found = c->op->rules[r].dst & dst && c->op->rules[r].src & src;
        if (!found)
            return true;
    }
    return false;
}

static bool
types_mixed(const struct checked *c)
{
    return is_alu(c) && c->insn->src_count == 2 &&
           is_float(c->insn->src[0].type) != is_float(c->insn->src[1].type);
}

static const struct rule rules[] = {
    {is_illegal, "opcode 0 is illegal"},
    {reserved_bit, "reserved bit 7"},
    {predicate_refused, "opcode cannot be predicated"},
    {predicate_reserved, "reserved predicate control"},
    {selects_minmax_by_flag, "sel with both predicate and condition"},
    {selector_missing, "sel without predicate or condition"},
    {cmod_refused, "opcode has no condition modifier"},
    {cmod_reserved, "reserved condition modifier"},
    {comparison_missing, "comparison without a condition"},
    {saturate_refused, "opcode cannot saturate"},
    {modifier_refused, "opcode has no source modifiers"},
    {logic_modifier_reserved, "reserved source modifier of a logic opcode"},
    {thread_ctrl_reserved, "reserved thread control"},
    {exec_size_too_large, "execution size too large for this opcode"},
    {nibble_too_wide, "nibble control with more than 4 channels"},
    {channels_misaligned, "first channel not a multiple of the size"},
    {carry_lost, "carry without accumulator write"},
    {math_source_unused, "second source of a math function that has one"},
    {macro_align1, "math macro outside Align16 mode"},
    {math_align16, "math function in Align16 mode"},
    {division_too_wide, "integer division of more than 8 channels"},
    {type_refused, "opcode does not combine these types"},
    {division_type, "math function of the wrong kind of type"},
    {types_mixed, "integer and float sources mixed"},
    {gen8_mixes, "three sources of mixed types on Gen8"},
};

static struct rule_list
rule_list(unsigned n)
{
    switch (n) {
    case 0: return (struct rule_list){rules, ARRAY_SIZE(rules)};
    case 1: return validate_operand_rules();
    case 2: return validate_flow_rules();
    default: return (struct rule_list){NULL, 0};
    }
}

const char *
eu_rule_name(unsigned index)
{
    for (unsigned n = 0; rule_list(n).rules; n++) {
        if (index < rule_list(n).count)
            return rule_list(n).rules[index].why;
        index -= rule_list(n).count;
    }
    return NULL;
}

const char *
eu_validate(const struct eu_insn *insn, enum eu_gen gen)
{
    struct checked c = {
        .insn = insn, .op = isa_op(insn->opcode, gen), .gen = gen};
    if (!c.op)
        return "no such opcode";
    c.exec_B = execution_size_B(insn);
    for (unsigned n = 0; rule_list(n).rules; n++) {
        struct rule_list list = rule_list(n);
        for (unsigned i = 0; i < list.count; i++)
            if (list.rules[i].breaks(&c))
                return list.rules[i].why;
    }
    return NULL;
}
