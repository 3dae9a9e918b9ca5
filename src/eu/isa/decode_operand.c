/* decode_operand.c: types, registers and regions of destinations and sources.
 * KBL PRM vol 2d "EU_INSTRUCTION_OPERAND_*". */
#include "eu/isa/decode.h"

const uint8_t decode_register_types[16] = {
    EU_TYPE_UD,    EU_TYPE_D,     EU_TYPE_UW,    EU_TYPE_W,
    EU_TYPE_UB,    EU_TYPE_B,     EU_TYPE_DF,    EU_TYPE_F,
    EU_TYPE_UQ,    EU_TYPE_Q,     EU_TYPE_HF,    EU_TYPE_COUNT,
    EU_TYPE_COUNT, EU_TYPE_COUNT, EU_TYPE_COUNT, EU_TYPE_COUNT,
};

const uint8_t decode_immediate_types[16] = {
    EU_TYPE_UD,    EU_TYPE_D,     EU_TYPE_UW,    EU_TYPE_W,
    EU_TYPE_UV,    EU_TYPE_VF,    EU_TYPE_V,     EU_TYPE_F,
    EU_TYPE_UQ,    EU_TYPE_Q,     EU_TYPE_DF,    EU_TYPE_HF,
    EU_TYPE_COUNT, EU_TYPE_COUNT, EU_TYPE_COUNT, EU_TYPE_COUNT,
};

#define RESERVED 0xfe
static const uint8_t vstride_of[16] = {
    0,        1,        2,        4,
    8,        16,       32,       RESERVED,
    RESERVED, RESERVED, RESERVED, RESERVED,
    RESERVED, RESERVED, RESERVED, EU_VSTRIDE_VXH,
};

static const uint8_t width_of[8] = {
    1, 2, 4, 8, 16, RESERVED, RESERVED, RESERVED,
};

static const uint8_t hstride_of[4] = {0, 1, 2, 4};

void
decode_register(struct decoder *d, struct eu_operand *o)
{
    /* Number of registers of each architecture register kind. */
    static const uint8_t arf_counts[16] = {
        [EU_ARF_NULL >> 4] = 16, [EU_ARF_A >> 4] = 1,  [EU_ARF_ACC >> 4] = 10,
        [EU_ARF_F >> 4] = 2,     [EU_ARF_CE >> 4] = 1, [EU_ARF_MSG >> 4] = 8,
        [EU_ARF_SP >> 4] = 1,    [EU_ARF_SR >> 4] = 2, [EU_ARF_CR >> 4] = 1,
        [EU_ARF_N >> 4] = 1,     [EU_ARF_IP >> 4] = 1, [EU_ARF_TDR >> 4] = 1,
        [EU_ARF_TM >> 4] = 1,    [EU_ARF_FC >> 4] = 5, [EU_ARF_DBG >> 4] = 1,
    };
    if (o->file == EU_FILE_GRF && o->reg > 127)
        fail(d, "register number above r127");
    else if (o->file == EU_FILE_ARF &&
             (o->reg & 0xf) >= arf_counts[o->reg >> 4])
        fail(d, "no such architecture register");
    else if (o->file != EU_FILE_GRF && o->file != EU_FILE_ARF)
        fail(d, "reserved register file");
    /* There is one null register, whatever its index. */
    if (o->file == EU_FILE_ARF && o->reg >> 4 == EU_ARF_NULL >> 4)
        o->reg = EU_ARF_NULL;
}

void
decode_type(struct decoder *d, struct eu_operand *o, uint8_t type)
{
    if (type == EU_TYPE_COUNT)
        fail(d, "reserved data type");
    else
        o->type = type;
}

void
decode_dst(struct decoder *d)
{
    struct eu_operand *o = &d->insn->dst;
    o->file = (uint8_t)bits(d, 35, 36);
    decode_type(d, o, decode_register_types[bits(d, 37, 40)]);
    o->hstride = hstride_of[bits(d, 61, 62)];
    o->writemask = 0xf;
    o->indirect = bits(d, 63, 63);

    unsigned low = 48;
    if (d->insn->align16) {
        o->writemask = (uint8_t)bits(d, 48, 51);
        o->hstride = 1;
        low = 52;
    }
    if (o->indirect) {
        o->addr_subreg = (uint8_t)bits(d, 57, 60);
        o->addr_imm_B = addr_imm(bits(d, low, 56) << (low - 48),
                                 bits(d, 47, 47));
        if (o->file != EU_FILE_GRF)
            fail(d, "indirect operand outside the GRF");
    } else {
        o->subreg_B = (uint8_t)(bits(d, low, 52) << (low - 48));
        o->reg = (uint8_t)bits(d, 53, 60);
        decode_register(d, o);
    }
}

static void
decode_immediate(struct decoder *d, struct eu_operand *o, unsigned n)
{
    decode_type(
        d, o,
        decode_immediate_types[n == 0 ? bits(d, 43, 46) : bits(d, 91, 94)]);
    o->imm = d->insn->raw[3];
    o->width = 1;
    switch (eu_type_size_B(o->type)) {
    case 8:
        if (d->op->src_count != 1)
            fail(d, "64-bit immediate beside another source");
        o->imm = o->imm << 32 | d->insn->raw[2];
        break;
    case 2:
        if (o->type != EU_TYPE_V && o->type != EU_TYPE_UV)
            o->imm &= 0xffff;
        break;
    default: break;
    }
}

static void
decode_region(struct decoder *d, struct eu_operand *o, unsigned base)
{
    o->vstride = vstride_of[bits(d, base + 21, base + 24)];
    if (o->vstride == RESERVED)
        fail(d, "reserved vertical stride");
    if (d->insn->align16) {
        o->width = 4;
        o->hstride = 1;
        o->swizzle = (uint8_t)(bits(d, base, base + 3) |
                               bits(d, base + 16, base + 19) << 4);
        return;
    }
    o->width = width_of[bits(d, base + 18, base + 20)];
    o->hstride = hstride_of[bits(d, base + 16, base + 17)];
    o->swizzle = 0xe4;
    if (o->width == RESERVED)
        fail(d, "reserved width");
    if (o->vstride == EU_VSTRIDE_VXH && !o->indirect)
        fail(d, "VxH region on a direct operand");
}

void
decode_modifiers(struct decoder *d, struct eu_operand *o, uint32_t mod)
{
    /* Logic instructions know only NOT, encoding 2. */
    if (d->op->caps & ISA_CAP_LOGIC) {
        o->negate = mod == 2;
    } else {
        o->abs = mod & 1;
        o->negate = mod >> 1;
    }
}

/* Decodes the source at encoded place n into *o. */
void
decode_source(struct decoder *d, struct eu_operand *o, unsigned n)
{
    unsigned base = n == 0 ? 64 : 96;
    o->file = (uint8_t)(n == 0 ? bits(d, 41, 42) : bits(d, 89, 90));
    if (o->file == EU_FILE_IMM) {
        decode_immediate(d, o, n);
        return;
    }

    decode_type(
        d, o,
        decode_register_types[n == 0 ? bits(d, 43, 46) : bits(d, 91, 94)]);
    decode_modifiers(d, o, bits(d, base + 13, base + 14));
    o->indirect = bits(d, base + 15, base + 15);
    unsigned low = d->insn->align16 ? 4 : 0;
    if (o->indirect) {
        uint32_t sign = n == 0 ? bits(d, 95, 95) : bits(d, 121, 121);
        o->addr_subreg = (uint8_t)bits(d, base + 9, base + 12);
        o->addr_imm_B = addr_imm(bits(d, base + low, base + 8) << low, sign);
        if (o->file != EU_FILE_GRF)
            fail(d, "indirect operand outside the GRF");
    } else {
        o->subreg_B = (uint8_t)(bits(d, base + low, base + 4) << low);
        o->reg = (uint8_t)bits(d, base + 5, base + 12);
        decode_register(d, o);
    }
    decode_region(d, o, base);
}
