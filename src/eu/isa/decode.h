/* decode.h: shared by the decoder's files. */
#ifndef EU_ISA_DECODE_H
#define EU_ISA_DECODE_H

#include "eu/isa/tables.h"

struct decoder {
    struct eu_insn *insn;
    const struct isa_op *op;
    enum eu_gen gen;
    uint64_t half[2];  /* the 128 bits; no field is in both */
    const char *error; /* first one */
};

/* Types by encoding; EU_TYPE_COUNT: reserved. */
extern const uint8_t decode_register_types[16];
extern const uint8_t decode_immediate_types[16];

static inline uint32_t
bits(const struct decoder *d, unsigned lo, unsigned hi)
{
    uint64_t mask = (UINT64_C(2) << (hi - lo)) - 1;
    return (uint32_t)(d->half[lo / 64] >> lo % 64 & mask);
}

static inline void
fail(struct decoder *d, const char *why)
{
    if (!d->error)
        d->error = why;
}

static inline int16_t
addr_imm(uint32_t low, uint32_t sign)
{
    return (int16_t)((int)low - (sign ? 512 : 0));
}

/* Fails if the register does not exist. */
void decode_register(struct decoder *d, struct eu_operand *o);
void decode_type(struct decoder *d, struct eu_operand *o, uint8_t type);

/* Destination, and the source at encoded place n (0 or 1), of all forms but
 * three-source instructions and messages. */
void decode_dst(struct decoder *d);
void decode_source(struct decoder *d, struct eu_operand *o, unsigned n);
/* Absolute value and negation, or NOT, from the two bits `mod`. */
void decode_modifiers(struct decoder *d, struct eu_operand *o, uint32_t mod);

#endif
