/* send_info.c: static facts about messages, and messages that end chainable
 * threads. */
#include "eu/jit/analysis/analysis.h"

/* Whether the range of registers is known at compile time. */
static bool
direct_range(const struct eu_operand *o, unsigned count_grf, unsigned *at_B)
{
    *at_B = o->reg * EU_GRF_B;
    return o->file == EU_FILE_GRF && !o->indirect &&
           *at_B + count_grf * EU_GRF_B <= EU_GRF_FILE_B;
}

/* As eu_op_send(), except for facts known only at run time. */
bool
jit_describe_send(struct jit_send *s, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    bool split = insn->opcode == EU_OP_SENDS || insn->opcode == EU_OP_SENDSC;
    if (insn->desc_is_reg || insn->ex_desc_is_reg)
        return false;
    *s = (struct jit_send){
        .m.sfid = insn->sfid,
        .m.eot = insn->eot,
        .m.header = bits_get(insn->desc, 19, 19),
        .m.check_tdr = insn->opcode == EU_OP_SENDC ||
                       insn->opcode == EU_OP_SENDSC,
        .m.exec_size = op->lanes,
        .m.chan_offset = op->chan,
        .m.mlen_grf = (uint8_t)bits_get(insn->desc, 25, 28),
        .m.rlen_grf = (uint8_t)bits_get(insn->desc, 20, 24),
        .m.ex_mlen_grf = split ? (uint8_t)bits_get(insn->ex_desc, 6, 9) : 0,
        .m.desc = insn->desc,
        .m.ex_desc = insn->ex_desc,
        .m.exec_mask = op->full,
    };
    if (insn->dst.file != EU_FILE_GRF)
        s->m.rlen_grf = 0;
    return direct_range(&insn->src[0], s->m.mlen_grf, &s->src_B[0]) &&
           (!s->m.ex_mlen_grf ||
            direct_range(&insn->src[1], s->m.ex_mlen_grf, &s->src_B[1])) &&
           (!s->m.rlen_grf ||
            direct_range(&insn->dst, s->m.rlen_grf, &s->dst_B));
}

unsigned
jit_payload_B(const struct jit_send *s, unsigned grf)
{
    return grf < s->m.mlen_grf ? s->src_B[0] + grf * EU_GRF_B
                               : s->src_B[1] + (grf - s->m.mlen_grf) * EU_GRF_B;
}

bool
jit_is_captured(const struct eu_op *op)
{
    struct jit_send s;
    return op->insn->eot && op->lanes == 16 && !op->chan &&
           jit_describe_send(&s, op) && !s.m.header &&
           s.m.mlen_grf + s.m.ex_mlen_grf == EU_CAPTURE_GRF;
}

/* A sampler message of two vectors without a header, with independent lanes,
 * that uses all of the answer. */
static bool
is_sample(const struct eu_op *op, struct jit_send *s)
{
    const struct eu_insn *insn = op->insn;
    return jit_is_send(op) && insn->sfid == EU_SFID_SAMPLER && !insn->eot &&
           op->lanes == 16 && !op->chan && !op->pred &&
           jit_describe_send(s, op) && !s->m.header &&
           s->m.mlen_grf + s->m.ex_mlen_grf == 4 && s->m.mlen_grf % 2 == 0 &&
           s->m.rlen_grf == EU_CAPTURE_GRF;
}

bool
jit_is_sample_store(const struct eu_kernel *k, uint32_t index,
                    struct jit_send *s)
{
    const struct eu_op *op = &k->ops[index], *end = op + 1;
    struct jit_send last;
    if (index + 1 >= k->op_count || !jit_is_send(end) || end->pred ||
        !jit_is_captured(end) || !is_sample(op, s) ||
        !jit_describe_send(&last, end))
        return false;
    for (unsigned i = 0; i < EU_CAPTURE_GRF; i++) {
        if (jit_payload_B(&last, i) != s->dst_B + i * EU_GRF_B)
            return false;
    }
    return true;
}
