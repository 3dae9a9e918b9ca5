/* decode.c: 16 bytes to struct eu_insn.
 *
 * Checks every field by itself, so that a decoded instruction has only values
 * that insn.h allows: existing registers, strides and widths, no channel above
 * 31. eu_validate() checks combinations. KBL PRM vol 2d "EU_INSTRUCTION_*". */
#include "eu/isa/decode.h"
#include "eu/isa/eu_opcodes.h"

static const uint8_t type_of_ternary[8] = {
    EU_TYPE_F,  EU_TYPE_D,     EU_TYPE_UD,    EU_TYPE_DF,
    EU_TYPE_HF, EU_TYPE_COUNT, EU_TYPE_COUNT, EU_TYPE_COUNT,
};

static void
decode_sources(struct decoder *d, uint8_t src_count)
{
    struct eu_insn *insn = d->insn;
    insn->src_count = src_count;
    decode_dst(d);
    decode_source(d, &insn->src[0], 0);
    if (insn->src_count == 2) {
        decode_source(d, &insn->src[1], 1);
        if (insn->src[0].file == EU_FILE_IMM)
            fail(d, "immediate that is not the last source");
    }
}

/* Functions of one operand ignore the second source. */
static uint8_t
count_math_sources(struct decoder *d, unsigned math)
{
    switch (math) {
    case EU_MATH_INV:
    case EU_MATH_LOG:
    case EU_MATH_EXP:
    case EU_MATH_SQRT:
    case EU_MATH_RSQ:
    case EU_MATH_SIN:
    case EU_MATH_COS:
    case EU_MATH_RSQRTM: return 1;
    case EU_MATH_FDIV:
    case EU_MATH_POW:
    case EU_MATH_INT_DIV_BOTH:
    case EU_MATH_INT_DIV_QUOTIENT:
    case EU_MATH_INT_DIV_REMAINDER:
    case EU_MATH_INVM: return 2;
    default: fail(d, "reserved math function"); return 2;
    }
}

static void
decode_math(struct decoder *d)
{
    struct eu_insn *insn = d->insn;
    insn->math = insn->cmod;
    insn->cmod = EU_CMOD_NONE;
    decode_sources(d, count_math_sources(d, insn->math));
    if (insn->math < EU_MATH_INVM || !insn->align16)
        return;
    insn->dst.mme = (uint8_t)bits(d, 48, 51);
    insn->dst.writemask = 0xf;
    for (unsigned i = 0; i < insn->src_count; i++) {
        insn->src[i].mme = insn->src[i].swizzle & 0xf;
        insn->src[i].swizzle = 0xe4;
    }
}

/* ---- three sources ---- */

static void
decode_ternary_source(struct decoder *d, unsigned n, uint8_t type)
{
    static const uint8_t base_of[3] = {64, 85, 106};
    struct eu_operand *o = &d->insn->src[n];
    unsigned base = base_of[n];
    o->file = EU_FILE_GRF;
    decode_type(d, o, type);
    o->reg = (uint8_t)bits(d, base + 12, base + 19);
    o->subreg_B = (uint8_t)(bits(d, base + 9, base + 11) * 4);
    if (d->gen >= EU_GEN9)
        o->subreg_B |= (uint8_t)(bits(d, base + 20, base + 20) * 2);
    decode_register(d, o);
    decode_modifiers(d, o, bits(d, 37 + n * 2, 38 + n * 2));

    o->rep_ctrl = bits(d, base, base);
    if (o->rep_ctrl) {
        /* A scalar, in either region formula. */
        o->width = 1;
    } else {
        o->vstride = 4;
        o->width = 4;
        o->hstride = 1;
        o->swizzle = (uint8_t)bits(d, base + 1, base + 8);
    }
    if (d->insn->opcode == EU_OP_MADM) {
        o->mme = (uint8_t)bits(d, base + 1, base + 4);
        o->swizzle = 0xe4;
    }
}

static void
decode_ternary(struct decoder *d)
{
    struct eu_insn *insn = d->insn;
    struct eu_operand *dst = &insn->dst;
    insn->src_count = 3;
    if (!insn->align16)
        fail(d, "three sources in Align1 mode");
    dst->file = EU_FILE_GRF;
    decode_type(d, dst, type_of_ternary[bits(d, 46, 48)]);
    dst->reg = (uint8_t)bits(d, 56, 63);
    dst->subreg_B = (uint8_t)(bits(d, 53, 55) * 4);
    dst->hstride = 1;
    dst->writemask = (uint8_t)bits(d, 49, 52);
    decode_register(d, dst);
    if (insn->opcode == EU_OP_MADM) {
        dst->mme = dst->writemask;
        dst->writemask = 0xf;
    }

    uint8_t type = type_of_ternary[bits(d, 43, 45)];
    bool mixes = d->gen >= EU_GEN9 && (type == EU_TYPE_F || type == EU_TYPE_HF);
    for (unsigned n = 0; n < 3; n++) {
        uint8_t t = type;
        /* Src1Type is bit 36, Src2Type bit 35. */
        if (mixes && n > 0)
            t = bits(d, 37 - n, 37 - n) ? EU_TYPE_HF : EU_TYPE_F;
        decode_ternary_source(d, n, t);
    }
}

/* ---- send ---- */

/* Payload of SEND and SENDS, or destination of SENDS: whole registers or halves
 * of one. Subregister, address and the address's sign are separate fields. */
static void
decode_payload(struct decoder *d, struct eu_operand *o, unsigned low,
               unsigned mode, unsigned sign)
{
    o->hstride = 1;
    o->vstride = 8;
    o->width = 8;
    o->swizzle = 0xe4;
    o->indirect = bits(d, mode, mode);
    if (o->indirect) {
        o->addr_subreg = (uint8_t)bits(d, low + 5, low + 8);
        o->addr_imm_B = addr_imm(bits(d, low, low + 4) << 4,
                                 bits(d, sign, sign));
        if (o->file != EU_FILE_GRF)
            fail(d, "indirect operand outside the GRF");
    } else {
        o->reg = (uint8_t)bits(d, low + 1, low + 8);
        o->subreg_B = (uint8_t)(bits(d, low, low) * 16);
        decode_register(d, o);
    }
}

static void
decode_message(struct decoder *d)
{
    struct eu_insn *insn = d->insn;
    insn->sfid = insn->cmod;
    insn->cmod = EU_CMOD_NONE;
    insn->eot = bits(d, 127, 127);
    insn->ex_desc = insn->sfid | (uint32_t)insn->eot << 5;
    if (!insn->desc_is_reg)
        insn->desc = bits(d, 96, d->gen >= EU_GEN9 ? 126 : 124);
}

static void
decode_send(struct decoder *d)
{
    struct eu_insn *insn = d->insn;
    insn->src_count = 1;
    insn->desc_is_reg = bits(d, 89, 90) != EU_FILE_IMM;
    if (insn->desc_is_reg &&
        (bits(d, 89, 90) != EU_FILE_ARF || bits(d, 96, 111) != 0x0200))
        fail(d, "message descriptor neither immediate nor a0.0");
    decode_message(d);
    if (d->gen >= EU_GEN9)
        insn->ex_desc |= bits(d, 64, 67) << 16 | bits(d, 80, 83) << 20 |
                         bits(d, 85, 88) << 24 | bits(d, 91, 94) << 28;

    decode_dst(d);
    struct eu_operand *src = &insn->src[0];
    src->file = (uint8_t)bits(d, 41, 42);
    if (src->file == EU_FILE_IMM)
        fail(d, "message payload is an immediate");
    decode_type(d, src, decode_register_types[bits(d, 43, 46)]);
    decode_payload(d, src, 68, 79, 95);
    /* Gen8 has the whole immediate; Gen9 uses these bits for ExDesc[19:16]. */
    if (src->indirect && d->gen < EU_GEN9)
        src->addr_imm_B |= (int16_t)bits(d, 64, 67);
}

static void
decode_sends(struct decoder *d)
{
    struct eu_insn *insn = d->insn;
    insn->src_count = 2;
    insn->desc_is_reg = bits(d, 77, 77);
    insn->ex_desc_is_reg = bits(d, 61, 61);
    decode_message(d);
    if (insn->ex_desc_is_reg)
        insn->ex_desc_subreg = (uint8_t)(bits(d, 80, 82) * 2);
    else
        insn->ex_desc |= bits(d, 64, 67) << 6 | bits(d, 80, 95) << 16;

    struct eu_operand *dst = &insn->dst;
    dst->file = bits(d, 35, 35) ? EU_FILE_GRF : EU_FILE_ARF;
    dst->writemask = 0xf;
    decode_type(d, dst, decode_register_types[bits(d, 37, 40)]);
    decode_payload(d, dst, 52, 63, 62);

    struct eu_operand *src = &insn->src[0];
    src->file = EU_FILE_GRF;
    src->type = dst->type;
    decode_payload(d, src, 68, 79, 78);

    src = &insn->src[1];
    src->file = bits(d, 36, 36) ? EU_FILE_GRF : EU_FILE_ARF;
    src->type = dst->type;
    src->reg = (uint8_t)bits(d, 44, 51);
    src->vstride = 8;
    src->width = 8;
    src->hstride = 1;
    src->swizzle = 0xe4;
    decode_register(d, src);
}

/* ---- control flow ---- */

/* A target is an immediate, or source `place`. */
static void
decode_target(struct decoder *d, unsigned place)
{
    struct eu_insn *insn = d->insn;
    uint32_t file = place == 0 ? bits(d, 41, 42) : bits(d, 89, 90);
    if (file == EU_FILE_IMM) {
        uint32_t type = place == 0 ? bits(d, 43, 46) : bits(d, 91, 94);
        decode_type(d, &insn->src[0], decode_immediate_types[type]);
        insn->jip = (int32_t)insn->raw[3];
        if (d->op->form == ISA_BRANCH_REG2)
            insn->uip = (int32_t)insn->raw[2];
    } else {
        insn->src_count = 1;
        decode_source(d, &insn->src[0], place);
    }
}

static void
decode_operands(struct decoder *d)
{
    struct eu_insn *insn = d->insn;
    switch ((enum isa_form)d->op->form) {
    case ISA_NULLARY: break;
    case ISA_BASIC:
    case ISA_WAIT: decode_sources(d, d->op->src_count); break;
    case ISA_TERNARY: decode_ternary(d); break;
    case ISA_MATH: decode_math(d); break;
    case ISA_SEND: decode_send(d); break;
    case ISA_SENDS: decode_sends(d); break;
    case ISA_BRANCH2: insn->uip = (int32_t)insn->raw[2]; /* fallthrough */
    case ISA_BRANCH1:
        insn->jip = (int32_t)insn->raw[3];
        insn->src[0].type = EU_TYPE_D;
        break;
    case ISA_BRANCH_REG:
    case ISA_BRANCH_REG2: decode_target(d, 0); break;
    case ISA_JUMP: decode_target(d, 1); break;
    case ISA_CALL:
    case ISA_CALL_ABSOLUTE:
        decode_dst(d);
        decode_target(d, 1);
        break;
    case ISA_RET:
        decode_target(d, 0);
        if (!insn->src_count)
            fail(d, "return address is an immediate");
        break;
    }
}

static void
decode_header(struct decoder *d)
{
    struct eu_insn *insn = d->insn;
    insn->align16 = bits(d, 8, 8);
    insn->half_pairs = insn->align16 && d->gen == EU_GEN8;
    insn->dep_ctrl = (uint8_t)bits(d, 9, 10);
    insn->thread_ctrl = (uint8_t)bits(d, 14, 15);
    insn->pred_ctrl = (uint8_t)bits(d, 16, 19);
    insn->pred_inv = bits(d, 20, 20);
    insn->cmod = (uint8_t)bits(d, 24, 27);
    if (d->op->caps & ISA_CAP_BRANCH_CTRL)
        insn->branch_ctrl = bits(d, 28, 28);
    else if (d->op->form <= ISA_MATH)
        insn->acc_wr = bits(d, 28, 28);
    insn->debug = bits(d, 30, 30);
    insn->saturate = bits(d, 31, 31);
    insn->flag = (uint8_t)bits(d, 32, 33);
    insn->no_mask = bits(d, 34, 34);

    unsigned exec = bits(d, 21, 23);
    if (exec > 5)
        fail(d, "reserved execution size");
    insn->exec_size = (uint8_t)(1 << MIN2(exec, 5));
    insn->chan_offset = (uint8_t)(bits(d, 12, 13) * 8 + bits(d, 11, 11) * 4);
    if (insn->chan_offset + insn->exec_size > 32)
        fail(d, "channels beyond 31");
}

unsigned
eu_decode(struct eu_insn *insn, const void *bytes, size_t avail_B,
          enum eu_gen gen, const char **why)
{
    static const char truncated[] = "truncated instruction";
    struct decoder d = {.insn = insn, .gen = gen};
    memset(insn, 0, sizeof *insn);
    insn->dst.mme = EU_MME_NONE;
    for (unsigned i = 0; i < ARRAY_SIZE(insn->src); i++)
        insn->src[i].mme = EU_MME_NONE;
    if (avail_B < 8) {
        d.error = truncated;
        goto out;
    }
    memcpy(insn->raw, bytes, 8);
    insn->opcode = insn->raw[0] & 0x7f;
    insn->length_B = insn->raw[0] & 1u << 29 ? 8 : 16;
    d.op = isa_op(insn->opcode, gen);
    if (!d.op) {
        d.error = "no such opcode";
    } else if (insn->length_B == 8) {
        uint32_t compact[2] = {insn->raw[0], insn->raw[1]};
        if (!eu_uncompact(insn->raw, compact, gen))
            d.error = "opcode has no compact form";
    } else if (avail_B < 16) {
        d.error = truncated;
    } else {
        memcpy(insn->raw, bytes, 16);
    }
    if (d.error)
        goto out;

    memcpy(d.half, insn->raw, sizeof d.half);
    decode_header(&d);
    decode_operands(&d);
out:
    if (why)
        *why = d.error;
    return d.error ? 0 : insn->length_B;
}
