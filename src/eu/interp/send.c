/* send.c: SEND, SENDC, SENDS, SENDSC and WAIT. */
#include "eu/interp/interp.h"

/* First byte of a payload or answer, and whether count registers fit. */
static bool
message_registers(const struct eu_thread *t, const struct eu_operand *o,
                  unsigned count_grf, unsigned *at_B)
{
    unsigned at = o->reg * EU_GRF_B;
    if (o->indirect)
        at = (t->a0[o->addr_subreg & 15] + (unsigned)o->addr_imm_B) & 0xffff;
    at &= ~(EU_GRF_B - 1u);
    *at_B = at;
    return o->file == EU_FILE_GRF && at + count_grf * EU_GRF_B <= EU_GRF_FILE_B;
}

static uint32_t
address_dword(const struct eu_thread *t, unsigned subreg)
{
    return t->a0[subreg & 14] | (uint32_t)t->a0[(subreg & 14) + 1] << 16;
}

const struct eu_op *
eu_op_send(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    bool split = insn->opcode == EU_OP_SENDS || insn->opcode == EU_OP_SENDSC;
    uint32_t desc = insn->desc_is_reg ? address_dword(t, 0) : insn->desc;
    uint32_t ex_desc = insn->ex_desc_is_reg
                           ? address_dword(t, insn->ex_desc_subreg)
                           : insn->ex_desc;
    struct eu_message m = {
        .sfid = insn->sfid,
        .eot = insn->eot,
        .header = bits_get(desc, 19, 19),
        .check_tdr = insn->opcode == EU_OP_SENDC ||
                     insn->opcode == EU_OP_SENDSC,
        .exec_size = op->lanes,
        .chan_offset = op->chan,
        .mlen_grf = (uint8_t)bits_get(desc, 25, 28),
        .rlen_grf = (uint8_t)bits_get(desc, 20, 24),
        .ex_mlen_grf = split ? (uint8_t)bits_get(ex_desc, 6, 9) : 0,
        .desc = desc,
        .ex_desc = ex_desc,
        .exec_mask = eu_op_mask(t, op),
    };

    /* If the instruction names no shared function, the register may. */
    if (!m.sfid && insn->ex_desc_is_reg)
        m.sfid = ex_desc & 15;

    unsigned at;
    if (!message_registers(t, &insn->src[0], m.mlen_grf, &at))
        return eu_fail(t, op, "message payload outside the registers");
    m.src0 = (const uint32_t *)(const void *)(t->grf + at);
    if (m.ex_mlen_grf) {
        if (!message_registers(t, &insn->src[1], m.ex_mlen_grf, &at))
            return eu_fail(t, op, "message payload outside the registers");
        m.src1 = (const uint32_t *)(const void *)(t->grf + at);
    }
    if (insn->dst.file != EU_FILE_GRF)
        m.rlen_grf = 0;
    if (m.rlen_grf) {
        if (!message_registers(t, &insn->dst, m.rlen_grf, &at))
            return eu_fail(t, op, "message answer outside the registers");
        m.dst = (uint32_t *)(void *)(t->grf + at);
    }

    t->ip = op->ip;
    t->message_count++;
    enum eu_msg_result result = t->send(t, &m);

    if (result == EU_MSG_ERROR) {
        t->status = EU_FAILED;
        return NULL;
    }
    if (m.eot) {
        t->status = EU_FINISHED;
        return NULL;
    }
    return op + 1;
}

const struct eu_op *
eu_op_wait(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_operand *o = &op->insn->src[0];
    unsigned n = o->subreg_B / 4;
    if (o->file != EU_FILE_ARF || (o->reg & 0xf0) != EU_ARF_N || n > 2)
        return eu_fail(t, op, "WAIT for something that is no notification");
    if (!t->n0[n]) {
        t->status = EU_WAITING;
        t->ip = op->ip;
        return NULL;
    }
    t->n0[n]--;
    return op + 1;
}
