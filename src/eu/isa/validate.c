/* validate.c: which rule of the PRM an instruction breaks.
 *
 * A table of rules, each a small predicate and its message. Decoding has
 * already refused reserved field values. Rules that only a scoreboard could
 * notice (EOT payloads in r112 and up, {Switch} after writes to cr0) and
 * rules that compilers are known to break are left out. */
#include "base/fields.h"
#include "eu/isa/eu_opcodes.h"
#include "eu/isa/tables.h"

#define GRF_FILE_B (128 * 32)

struct checked {
    const struct eu_insn *insn;
    const struct isa_op *op;
    enum eu_gen gen;
    unsigned exec_B; /* size of the execution type; 0 if there is none */
};

static bool
is_alu(const struct checked *c)
{
    return c->op->form == ISA_BASIC || c->op->form == ISA_TERNARY ||
           c->op->form == ISA_MATH;
}

static bool
is_send(const struct checked *c)
{
    return c->op->form == ISA_SEND || c->op->form == ISA_SENDS;
}

static bool
is_float(enum eu_type type)
{
    return type == EU_TYPE_F || type == EU_TYPE_DF || type == EU_TYPE_HF ||
           type == EU_TYPE_VF;
}

/* The packed immediates count as what they unpack to. */
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

/* KBL PRM vol 7, "Execution Data Type": the widest source; bytes as words. */
static unsigned
execution_size_B(const struct eu_insn *insn)
{
    unsigned size_B = 2;
    for (unsigned i = 0; i < insn->src_count; i++)
        size_B = MAX2(size_B, eu_type_size_B(insn->src[i].type));
    return size_B;
}

/* Bytes from the operand's first to the end of its last element; false if it
 * has no fixed place in the GRF. */
static bool
source_extent(const struct eu_insn *insn, const struct eu_operand *o,
              unsigned *first_B, unsigned *end_B)
{
    if (o->file != EU_FILE_GRF || o->indirect)
        return false;
    unsigned size_B = eu_type_size_B(o->type);
    unsigned width = MIN2(o->width, insn->exec_size);
    unsigned rows = insn->exec_size / MAX2(width, 1);
    unsigned last = (rows - 1) * o->vstride + (width - 1u) * o->hstride;
    *first_B = o->reg * 32u + o->subreg_B;
    *end_B = *first_B + (last + 1) * size_B;
    return true;
}

static bool
destination_extent(const struct eu_insn *insn, unsigned *first_B,
                   unsigned *end_B)
{
    const struct eu_operand *o = &insn->dst;
    if (o->file != EU_FILE_GRF || o->indirect)
        return false;
    unsigned last = (insn->exec_size - 1u) * o->hstride;
    *first_B = o->reg * 32u + o->subreg_B;
    *end_B = *first_B + (last + 1) * eu_type_size_B(o->type);
    return true;
}

static bool
any_source(const struct checked *c,
           bool (*breaks)(const struct checked *, const struct eu_operand *))
{
    for (unsigned i = 0; is_alu(c) && i < c->insn->src_count; i++)
        if (c->insn->src[i].file != EU_FILE_IMM && breaks(c, &c->insn->src[i]))
            return true;
    return false;
}

/* ---- the instruction as a whole ---- */

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

/* ---- regions: KBL PRM vol 7, "Register Region Restrictions" ---- */

static bool
has_region(const struct checked *c, const struct eu_operand *o)
{
    return c->op->form != ISA_TERNARY && !c->insn->align16 &&
           o->vstride != EU_VSTRIDE_VXH;
}

static bool
width_breaks(const struct checked *c, const struct eu_operand *o)
{
    /* The payload of PLN has an implied region. */
    return has_region(c, o) && o->width > c->insn->exec_size &&
           c->insn->opcode != EU_OP_PLN && c->insn->opcode != EU_OP_LINE;
}

static bool
width_above_exec_size(const struct checked *c)
{
    return any_source(c, width_breaks);
}

static bool
one_row_breaks(const struct checked *c, const struct eu_operand *o)
{
    return has_region(c, o) && o->width == c->insn->exec_size && o->hstride &&
           o->vstride != o->width * o->hstride;
}

static bool
vstride_of_one_row(const struct checked *c)
{
    return any_source(c, one_row_breaks);
}

static bool
column_breaks(const struct checked *c, const struct eu_operand *o)
{
    return has_region(c, o) && o->width == 1 && o->hstride;
}

static bool
hstride_of_one_column(const struct checked *c)
{
    return any_source(c, column_breaks);
}

static bool
scalar_breaks(const struct checked *c, const struct eu_operand *o)
{
    return has_region(c, o) && !o->vstride && !o->hstride && o->width != 1 &&
           c->insn->opcode != EU_OP_PLN && c->insn->opcode != EU_OP_LINE;
}

static bool
width_of_scalar(const struct checked *c)
{
    return any_source(c, scalar_breaks);
}

static bool
align16_breaks(const struct checked *c, const struct eu_operand *o)
{
    return c->insn->align16 && c->op->form == ISA_BASIC && o->vstride != 0 &&
           o->vstride != 2 && o->vstride != 4;
}

static bool
align16_vstride(const struct checked *c)
{
    return any_source(c, align16_breaks);
}

static bool
alignment_breaks(const struct checked *c, const struct eu_operand *o)
{
    return !o->indirect && o->subreg_B % eu_type_size_B(o->type);
}

static bool
subregister_misaligned(const struct checked *c)
{
    return any_source(c, alignment_breaks) ||
           (is_alu(c) && alignment_breaks(c, &c->insn->dst));
}

static bool
span_breaks(const struct checked *c, const struct eu_operand *o)
{
    unsigned first_B, end_B;
    return c->insn->opcode != EU_OP_PLN &&
           source_extent(c->insn, o, &first_B, &end_B) &&
           (end_B - 1) / 32 - first_B / 32 > 1;
}

static bool
source_spans_three(const struct checked *c)
{
    return any_source(c, span_breaks);
}

static bool
destination_spans_three(const struct checked *c)
{
    unsigned first_B, end_B;
    return is_alu(c) && destination_extent(c->insn, &first_B, &end_B) &&
           (end_B - 1) / 32 - first_B / 32 > 1;
}

static bool
bounds_break(const struct checked *c, const struct eu_operand *o)
{
    unsigned first_B, end_B;
    return source_extent(c->insn, o, &first_B, &end_B) && end_B > GRF_FILE_B;
}

static bool
region_outside(const struct checked *c)
{
    unsigned first_B = 0, end_B = 0;
    if (any_source(c, bounds_break))
        return true;
    return is_alu(c) && destination_extent(c->insn, &first_B, &end_B) &&
           end_B > GRF_FILE_B;
}

static bool
destination_stride_zero(const struct checked *c)
{
    return is_alu(c) && c->insn->dst.hstride == 0 &&
           c->insn->dst.file == EU_FILE_GRF && !c->insn->align16;
}

/* ---- messages ---- */

static bool
payload_not_grf(const struct checked *c)
{
    return is_send(c) && c->insn->src[0].file != EU_FILE_GRF;
}

static bool
payload_empty(const struct checked *c)
{
    return is_send(c) && !c->insn->desc_is_reg &&
           bits_get(c->insn->desc, 25, 28) == 0;
}

static bool
range_outside(const struct eu_operand *o, unsigned count_grf)
{
    return o->file == EU_FILE_GRF && !o->indirect && o->reg + count_grf > 128;
}

static bool
message_outside(const struct checked *c)
{
    const struct eu_insn *insn = c->insn;
    if (!is_send(c))
        return false;
    if (!insn->desc_is_reg &&
        (range_outside(&insn->src[0], bits_get(insn->desc, 25, 28)) ||
         range_outside(&insn->dst, bits_get(insn->desc, 20, 24))))
        return true;
    return c->op->form == ISA_SENDS && !insn->ex_desc_is_reg &&
           range_outside(&insn->src[1], bits_get(insn->ex_desc, 6, 9));
}

static bool
sfid_reserved(const struct checked *c)
{
    return is_send(c) && (c->insn->sfid == 1 || c->insn->sfid > 13);
}

/* ---- control flow ---- */

static bool
target_misaligned(const struct checked *c)
{
    return c->insn->jip % 8 || c->insn->uip % 8;
}

static const struct {
    bool (*breaks)(const struct checked *c);
    const char *why;
} rules[] = {
    {is_illegal, "opcode 0 is illegal"},
    {predicate_refused, "opcode cannot be predicated"},
    {predicate_reserved, "reserved predicate control"},
    {selects_minmax_by_flag, "sel with both predicate and condition"},
    {cmod_refused, "opcode has no condition modifier"},
    {cmod_reserved, "reserved condition modifier"},
    {saturate_refused, "opcode cannot saturate"},
    {modifier_refused, "opcode has no source modifiers"},
    {thread_ctrl_reserved, "reserved thread control"},
    {exec_size_too_large, "execution size too large for this opcode"},
    {type_refused, "opcode does not combine these types"},
    {types_mixed, "integer and float sources mixed"},
    {subregister_misaligned, "subregister not aligned to its type"},
    {region_outside, "region reaches beyond r127"},
    {width_above_exec_size, "region width exceeds the execution size"},
    {vstride_of_one_row, "vertical stride of a single row is not W * H"},
    {hstride_of_one_column, "width 1 with a horizontal stride"},
    {width_of_scalar, "strides 0 with a width other than 1"},
    {align16_vstride, "vertical stride not allowed in Align16 mode"},
    {source_spans_three, "source spans more than two registers"},
    {destination_spans_three, "destination spans more than two registers"},
    {destination_stride_zero, "destination stride 0"},
    {payload_not_grf, "message payload is not in the GRF"},
    {payload_empty, "message without payload"},
    {message_outside, "message reaches beyond r127"},
    {sfid_reserved, "no such shared function"},
    {target_misaligned, "branch target not a multiple of 8 bytes"},
};

const char *
eu_validate(const struct eu_insn *insn, enum eu_gen gen)
{
    struct checked c = {
        .insn = insn, .op = isa_op(insn->opcode, gen), .gen = gen};
    if (!c.op)
        return "no such opcode";
    c.exec_B = execution_size_B(insn);
    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++)
        if (rules[i].breaks(&c))
            return rules[i].why;
    return NULL;
}
