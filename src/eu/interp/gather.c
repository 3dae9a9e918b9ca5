/* gather.c: fast-path operands that are not plain vectors. */
#include "eu/interp/interp.h"

#include "base/half.h"

#define EACH(ctype, convert)                  \
    for (unsigned i = 0; i < n; i++) {        \
        ctype v;                              \
        memcpy(&v, t->grf + at[i], sizeof v); \
        out[i] = convert;                     \
    }                                         \
    break

static void
immediate_lane(const struct eu_insn *insn, const struct eu_operand *o,
               unsigned n, uint32_t *out)
{
    uint32_t imm = (uint32_t)o->imm, element[8];
    switch (o->type) {
    case EU_TYPE_V:
    case EU_TYPE_UV:
        for (unsigned i = 0; i < 8; i++) {
            unsigned at = eu_vector_element(insn, i);
            uint32_t nibble = imm >> (at * 4) & 15;
            element[i] = o->type == EU_TYPE_V ? (nibble ^ 8) - 8 : nibble;
        }
        break;
    case EU_TYPE_VF:
        for (unsigned i = 0; i < 8; i++)
            element[i] = half_vf_to_f_bits(imm >> (i % 4 * 8) & 0xff);
        break;
    case EU_TYPE_W: imm = (uint32_t)(int16_t)imm; /* fallthrough */
    default:
        for (unsigned i = 0; i < 8; i++)
            element[i] = imm;
        break;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = element[i % 8];
}

void
eu_gather_i(const struct eu_thread *t, const struct eu_op *op, unsigned s,
            uint32_t *out)
{
    const struct eu_operand *o = &op->insn->src[s];
    unsigned n = op->lanes;
    uint16_t at[EU_MAX_LANES];

    if (o->file == EU_FILE_IMM) {
        immediate_lane(op->insn, o, n, out);
    } else {
        eu_region_walk(op->insn, o, at);
        switch (o->type) {
        case EU_TYPE_UB: EACH(uint8_t, v);
        case EU_TYPE_B: EACH(int8_t, (uint32_t)v);
        case EU_TYPE_UW: EACH(uint16_t, v);
        case EU_TYPE_W: EACH(int16_t, (uint32_t)v);
        default: EACH(uint32_t, v);
        }
    }
    if (!o->abs && !o->negate)
        return;
    unsigned opcode = op->insn->opcode;
    bool logic = opcode >= EU_OP_NOT && opcode <= EU_OP_XOR;
    enum eu_type type = eu_operand_type(o);
    bool is_signed = eu_type_is_signed(type);
    /* As in convert.c. */
    bool wraps = is_signed && !logic &&
                 eu_negated_type(op->insn, type) == EU_TYPE_W;
    for (unsigned i = 0; i < n; i++) {
        if (o->abs && is_signed && (int32_t)out[i] < 0)
            out[i] = -out[i];
        if (o->negate)
            out[i] = logic ? ~out[i] : -out[i];
        if (wraps)
            out[i] = (uint32_t)(int16_t)out[i];
    }
}

void
eu_gather_f(const struct eu_thread *t, const struct eu_op *op, unsigned s,
            float *result)
{
    const struct eu_operand *o = &op->insn->src[s];
    unsigned n = op->lanes;
    uint16_t at[EU_MAX_LANES];
    uint32_t out[EU_MAX_LANES];

    if (o->file == EU_FILE_IMM) {
        immediate_lane(op->insn, o, n, out);
    } else {
        eu_region_walk(op->insn, o, at);
        switch (o->type) {
        case EU_TYPE_HF: EACH(uint16_t, half_to_f_bits(v));
        default: EACH(uint32_t, v);
        }
    }
    uint32_t keep = o->abs ? 0x7fffffff : UINT32_MAX;
    uint32_t flip = o->negate ? 0x80000000 : 0;
    for (unsigned i = 0; i < n; i++)
        out[i] = (out[i] & keep) ^ flip;
    memcpy(result, out, n * sizeof *out);
}

/* Any destination region; narrower integers take the low bits. */
void
eu_store_32(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
            const uint32_t *value)
{
    const struct eu_operand *o = &op->insn->dst;
    unsigned size_B = eu_type_size_B((enum eu_type)o->type);
    unsigned step_B = o->hstride * size_B;
    uint8_t *to = t->grf + o->reg * EU_GRF_B + o->subreg_B;
    if (size_B == 2 && step_B == 2 && mask == op->full) {
        uint16_t half[EU_MAX_LANES];
        for (unsigned i = 0; i < op->lanes; i++)
            half[i] = (uint16_t)value[i];
        memcpy(to, half, op->lanes * sizeof *half);
        return;
    }
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        uint8_t *p = to + i * step_B;
        uint16_t half = (uint16_t)value[i];
        if (size_B == 4)
            memcpy(p, &value[i], 4);
        else if (size_B == 2)
            memcpy(p, &half, 2);
        else
            *p = (uint8_t)value[i];
    }
}
