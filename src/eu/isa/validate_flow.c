/* validate_flow.c: messages and control flow. */
#include "eu/isa/eu_opcodes.h"
#include "eu/isa/validate.h"

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

static bool
message_reserved(const struct checked *c)
{
    return is_send(c) && !c->insn->desc_is_reg && !c->insn->ex_desc_is_reg &&
           !isa_message_known(c->insn->sfid, c->insn->desc);
}

static bool
answer_too_long(const struct checked *c)
{
    return is_send(c) && !c->insn->desc_is_reg &&
           bits_get(c->insn->desc, 20, 24) > 16;
}

static bool
answer_at_end(const struct checked *c)
{
    return is_send(c) && c->insn->eot && !c->insn->desc_is_reg &&
           bits_get(c->insn->desc, 20, 24);
}

static bool
answer_nowhere(const struct checked *c)
{
    return is_send(c) && is_arf(&c->insn->dst, EU_ARF_NULL) &&
           !c->insn->desc_is_reg && bits_get(c->insn->desc, 20, 24);
}

static bool
answer_not_grf(const struct checked *c)
{
    return is_send(c) && c->insn->dst.file == EU_FILE_ARF &&
           !is_arf(&c->insn->dst, EU_ARF_NULL);
}

static bool
second_payload_refused(const struct checked *c)
{
    const struct eu_operand *second = &c->insn->src[1];
    if (c->op->form != ISA_SENDS)
        return false;
    if (second->file == EU_FILE_ARF && !is_arf(second, EU_ARF_NULL))
        return true;
    return is_arf(second, EU_ARF_NULL) && !c->insn->ex_desc_is_reg &&
           bits_get(c->insn->ex_desc, 6, 9);
}

/* ---- control flow ---- */

static bool
target_misaligned(const struct checked *c)
{
    return c->insn->jip % 8 || c->insn->uip % 8;
}

static bool
target_type_refused(const struct checked *c)
{
    enum eu_type type = c->insn->src[0].type;
    if (c->op->form < ISA_BRANCH1 || type == EU_TYPE_D)
        return false;
    return c->op->form != ISA_RET || type != EU_TYPE_UD;
}

static bool
link_refused(const struct checked *c)
{
    const struct eu_operand *dst = &c->insn->dst;
    if (c->op->form != ISA_CALL && c->op->form != ISA_CALL_ABSOLUTE)
        return false;
    return dst->file != EU_FILE_GRF ||
           (dst->type != EU_TYPE_D && dst->type != EU_TYPE_UD);
}

static bool
wait_refused(const struct checked *c)
{
    return c->op->form == ISA_WAIT && (!is_arf(&c->insn->src[0], EU_ARF_N) ||
                                       c->insn->src[0].type != EU_TYPE_UD);
}

static const struct rule rules[] = {
    {payload_not_grf, "message payload is not in the GRF"},
    {payload_empty, "message without payload"},
    {second_payload_refused, "second payload is not in the GRF"},
    {message_outside, "message reaches beyond r127"},
    {sfid_reserved, "no such shared function"},
    {message_reserved, "reserved message of this shared function"},
    {answer_too_long, "answer of more than 16 registers"},
    {answer_at_end, "the thread ends before its answer"},
    {answer_nowhere, "answer without a destination"},
    {answer_not_grf, "answer is not for the GRF"},
    {target_misaligned, "branch target not a multiple of 8 bytes"},
    {target_type_refused, "branch target is not D"},
    {link_refused, "call saves its return address outside the GRF"},
    {wait_refused, "wait for what is no notification register"},
};

struct rule_list
validate_flow_rules(void)
{
    return (struct rule_list){rules, ARRAY_SIZE(rules)};
}
