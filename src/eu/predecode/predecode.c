/* predecode.c: selects an op's functions and prepares its operands. */
#include "eu/predecode/predecode.h"

#include "eu/interp/alu.h"
#include "eu/interp/fast_ops.h"

static bool
operands_fit(const struct eu_insn *insn)
{
    for (unsigned i = 0; i < insn->src_count; i++)
        if (!eu_operand_fits(insn, &insn->src[i], false))
            return false;
    return eu_operand_fits(insn, &insn->dst, true);
}

static const struct eu_op *
op_outside(struct eu_thread *t, const struct eu_op *op)
{
    return eu_fail(t, op, "operand outside the registers");
}

static const struct eu_op *
op_undefined(struct eu_thread *t, const struct eu_op *op)
{
    return eu_fail(t, op, eu_undefined(op->insn));
}

static bool
writes_ip(const struct eu_insn *insn)
{
    return insn->dst.file == EU_FILE_ARF && (insn->dst.reg & 0xf0) == EU_ARF_IP;
}

static void
lower_common(struct eu_op *op, const struct eu_insn *insn)
{
    unsigned shift = (insn->flag & 1) * 16u + insn->chan_offset;
    *op = (struct eu_op){
        .insn = insn,
        .full = insn->exec_size == 32 ? UINT32_MAX
                                      : (UINT32_C(1) << insn->exec_size) - 1,
        .ip = insn->offset_B,
        .chan = insn->chan_offset,
        .lanes = insn->exec_size,
        .no_mask = insn->no_mask,
        .pred = MIN2(insn->pred_ctrl, 2),
        .pred_inv = insn->pred_inv,
        .flag_reg = insn->flag >> 1,
        .flag_shift = (uint8_t)(shift & 31),
        .cmod = insn->cmod,
        .opcode = insn->opcode,
        .src_count = insn->src_count,
    };
}

/* Opcodes that write every enabled channel. */
static const bool whole[128] = {
    [EU_OP_MOV] = true,  [EU_OP_NOT] = true,  [EU_OP_AND] = true,
    [EU_OP_OR] = true,   [EU_OP_XOR] = true,  [EU_OP_SHR] = true,
    [EU_OP_SHL] = true,  [EU_OP_ASR] = true,  [EU_OP_CMP] = true,
    [EU_OP_ADD] = true,  [EU_OP_MUL] = true,  [EU_OP_FRC] = true,
    [EU_OP_RNDU] = true, [EU_OP_RNDD] = true, [EU_OP_RNDE] = true,
    [EU_OP_RNDZ] = true, [EU_OP_PLN] = true,  [EU_OP_LRP] = true,
    [EU_OP_MAD] = true,
};

bool
eu_writes_all(const struct eu_insn *insn)
{
    if (whole[insn->opcode & 127])
        return !insn->pred_ctrl;
    if (insn->opcode == EU_OP_SEL)
        return !insn->cmod || !insn->pred_ctrl;
    return insn->opcode == EU_OP_MATH && !insn->pred_ctrl &&
           insn->dst.type == EU_TYPE_F && insn->src[0].type == EU_TYPE_F;
}

void
eu_op_predecode(struct eu_op *op, const struct eu_insn *insn)
{
    lower_common(op, insn);
    eu_op_fn flow = eu_flow_fn(insn->opcode);
    if (flow)
        op->fn = flow;
    else if (insn->opcode == EU_OP_WAIT)
        op->fn = eu_op_wait;
    else if (insn->opcode >= EU_OP_SEND && insn->opcode <= EU_OP_SENDSC)
        op->fn = eu_op_send;
    else if (eu_undefined(insn))
        op->fn = op_undefined;
    else if (!operands_fit(insn))
        op->fn = op_outside;
    else if (writes_ip(insn))
        op->fn = eu_op_set_ip;
    else
        op->fn = eu_op_general;
    op->slow = op->fn;
    if (op->fn == eu_op_general)
        eu_fast_select(op);
}
