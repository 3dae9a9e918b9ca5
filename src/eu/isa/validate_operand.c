/* validate_operand.c: regions, registers, strides.
 * KBL PRM vol 7, "Register Region Restrictions". */
#include "eu/isa/eu_opcodes.h"
#include "eu/isa/validate.h"

#define GRF_FILE_B (128 * 32)

/* Bytes from the operand's first to past its last element; false if its place
 * in the GRF is not fixed. */
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

static bool
row_breaks(const struct checked *c, const struct eu_operand *o)
{
    if (!has_region(c, o) || o->file != EU_FILE_GRF || o->indirect ||
        c->insn->opcode == EU_OP_PLN)
        return false;
    unsigned size_B = eu_type_size_B(o->type);
    unsigned width = MIN2(o->width, c->insn->exec_size);
    unsigned rows = c->insn->exec_size / width;
    for (unsigned row = 0; row < rows; row++) {
        unsigned first_B = o->subreg_B + row * o->vstride * size_B;
        unsigned last_B = first_B + ((width - 1) * o->hstride + 1) * size_B - 1;
        if (first_B / 32 != last_B / 32)
            return true;
    }
    return false;
}

static bool
row_crosses_registers(const struct checked *c)
{
    return any_source(c, row_breaks);
}

static bool
align16_stride(const struct checked *c)
{
    return c->op->form == ISA_BASIC && c->insn->align16 &&
           bits_get(c->insn->raw[1], 29, 30) != 1;
}

/* Each channel's result occupies the size of the execution type. Conversions of
 * floats to HF and raw moves of bytes may be packed. */
static bool
destination_packed(const struct checked *c)
{
    const struct eu_operand *dst = &c->insn->dst;
    unsigned size_B = eu_type_size_B(dst->type);
    if (c->op->form != ISA_BASIC || c->insn->align16 ||
        c->insn->exec_size == 1 || dst->file != EU_FILE_GRF ||
        dst->type == EU_TYPE_HF || size_B >= c->exec_B)
        return false;
    if (c->insn->opcode == EU_OP_MOV && size_B == 1 &&
        eu_type_size_B(c->insn->src[0].type) == 1)
        return false;
    return dst->hstride * size_B < c->exec_B;
}

static bool
replicated_breaks(const struct checked *c, const struct eu_operand *o)
{
    return o->rep_ctrl &&
           (c->insn->opcode == EU_OP_MADM || eu_type_size_B(o->type) == 8);
}

static bool
source_not_replicable(const struct checked *c)
{
    return c->op->form == ISA_TERNARY && any_source(c, replicated_breaks);
}

static bool
no_channel(const struct checked *c)
{
    return is_alu(c) && c->insn->align16 && !c->insn->dst.writemask;
}

static bool
destination_read_only(const struct checked *c)
{
    return is_alu(c) && is_arf(&c->insn->dst, EU_ARF_CE);
}

static bool
plane_breaks(const struct checked *c, const struct eu_operand *o)
{
    return o == &c->insn->src[0] && !c->insn->align16 &&
           (o->vstride || o->hstride || o->width != 1);
}

static bool
plane_no_scalar(const struct checked *c)
{
    return (c->insn->opcode == EU_OP_PLN || c->insn->opcode == EU_OP_LINE) &&
           any_source(c, plane_breaks);
}

static bool
packed_immediate_destination(const struct checked *c)
{
    const struct eu_insn *insn = c->insn;
    if (!is_alu(c) || !insn->src_count)
        return false;
    enum eu_type type = insn->src[insn->src_count - 1].type;
    return type == EU_TYPE_VF && eu_type_size_B(insn->dst.type) < 4 &&
           insn->dst.type != EU_TYPE_HF && insn->dst.file == EU_FILE_GRF;
}

static const struct rule rules[] = {
    {subregister_misaligned, "subregister not aligned to its type"},
    {region_outside, "region reaches beyond r127"},
    {width_above_exec_size, "region width exceeds the execution size"},
    {vstride_of_one_row, "vertical stride of a single row is not W * H"},
    {hstride_of_one_column, "width 1 with a horizontal stride"},
    {width_of_scalar, "strides 0 with a width other than 1"},
    {align16_vstride, "vertical stride not allowed in Align16 mode"},
    {align16_stride, "destination stride is not 1 in Align16 mode"},
    {no_channel, "no channel of the destination is enabled"},
    {source_spans_three, "source spans more than two registers"},
    {row_crosses_registers, "row of a region crosses a register"},
    {destination_spans_three, "destination spans more than two registers"},
    {destination_stride_zero, "destination stride 0"},
    {destination_packed, "destination narrower than the execution type"},
    {destination_read_only, "destination cannot be written"},
    {source_not_replicable, "source cannot be replicated"},
    {plane_no_scalar, "plane coefficients are not a scalar region"},
    {packed_immediate_destination, "packed floats into a smaller type"},
};

struct rule_list
validate_operand_rules(void)
{
    return (struct rule_list){rules, ARRAY_SIZE(rules)};
}
