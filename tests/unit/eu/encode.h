/* encode.h: encodes a few instructions bit by bit, as starting points of tests.
 * Bit numbers: KBL PRM vol 2d "EU_INSTRUCTION_*". */
#ifndef EU_TEST_ENCODE_H
#define EU_TEST_ENCODE_H

#include "base/fields.h"
#include "eu/isa/isa.h"

struct code {
    uint32_t dw[4];
};

static inline void
put(struct code *c, unsigned hi, unsigned lo, uint64_t value)
{
    fields_put(c->dw, lo, hi, value);
}

/* op (8|M0) r10.0<1>:type r20.0<8;8,1>:type r30.0<8;8,1>:type */
static inline struct code
encode_binary(unsigned opcode, enum eu_type type)
{
    struct code c = {{0}};
    put(&c, 6, 0, opcode);
    put(&c, 23, 21, 3);
    put(&c, 36, 35, EU_FILE_GRF);
    put(&c, 40, 37, type);
    put(&c, 60, 53, 10);
    put(&c, 62, 61, 1);
    put(&c, 42, 41, EU_FILE_GRF);
    put(&c, 46, 43, type);
    put(&c, 76, 69, 20);
    put(&c, 88, 85, 4);
    put(&c, 84, 82, 3);
    put(&c, 81, 80, 1);
    put(&c, 90, 89, EU_FILE_GRF);
    put(&c, 94, 91, type);
    put(&c, 108, 101, 30);
    put(&c, 120, 117, 4);
    put(&c, 116, 114, 3);
    put(&c, 113, 112, 1);
    return c;
}

/* op (8|M0) r10.0<1>:type r20.0<8;8,1>:type */
static inline struct code
encode_unary(unsigned opcode, enum eu_type type)
{
    struct code c = encode_binary(opcode, type);
    put(&c, 90, 89, 0);
    put(&c, 94, 91, 0);
    put(&c, 120, 96, 0);
    return c;
}

/* mov (8|M0) r10.0<1>:f imm:code; imm_code as in "SrcImmType" */
static inline struct code
encode_mov_imm(unsigned imm_code, uint64_t imm)
{
    struct code c = encode_unary(1, EU_TYPE_F);
    put(&c, 42, 41, EU_FILE_IMM);
    put(&c, 46, 43, imm_code);
    put(&c, 95, 64, imm);
    put(&c, 127, 96, imm >> 32);
    return c;
}

/* op (8|M0) r10.0<1>:f r20 r21 r22, all xyzw */
static inline struct code
encode_ternary(unsigned opcode)
{
    struct code c = {{0}};
    put(&c, 6, 0, opcode);
    put(&c, 8, 8, 1);
    put(&c, 23, 21, 3);
    put(&c, 52, 49, 0xf);
    put(&c, 63, 56, 10);
    put(&c, 83, 76, 20);
    put(&c, 72, 65, 0xe4);
    put(&c, 104, 97, 21);
    put(&c, 93, 86, 0xe4);
    put(&c, 125, 118, 22);
    put(&c, 114, 107, 0xe4);
    return c;
}

/* send (8|M0) r10:ud r20, to sfid, with an immediate descriptor */
static inline struct code
encode_send(unsigned sfid, uint32_t desc)
{
    struct code c = {{0}};
    put(&c, 6, 0, 0x31);
    put(&c, 23, 21, 3);
    put(&c, 27, 24, sfid);
    put(&c, 36, 35, EU_FILE_GRF);
    put(&c, 60, 53, 10);
    put(&c, 62, 61, 1);
    put(&c, 42, 41, EU_FILE_GRF);
    put(&c, 76, 69, 20);
    put(&c, 90, 89, EU_FILE_IMM);
    put(&c, 126, 96, desc);
    return c;
}

/* sends (8|M0) r10:ud r20 r30 */
static inline struct code
encode_sends(unsigned sfid, uint32_t desc, unsigned ex_mlen_grf)
{
    struct code c = {{0}};
    put(&c, 6, 0, 0x33);
    put(&c, 23, 21, 3);
    put(&c, 27, 24, sfid);
    put(&c, 35, 35, 1);
    put(&c, 36, 36, 1);
    put(&c, 60, 53, 10);
    put(&c, 76, 69, 20);
    put(&c, 51, 44, 30);
    put(&c, 67, 64, ex_mlen_grf);
    put(&c, 126, 96, desc);
    return c;
}

/* op with JIP and UIP */
static inline struct code
encode_branch(unsigned opcode, int32_t jip, int32_t uip)
{
    struct code c = {{0}};
    put(&c, 6, 0, opcode);
    put(&c, 23, 21, 4);
    put(&c, 95, 64, (uint32_t)uip);
    put(&c, 127, 96, (uint32_t)jip);
    return c;
}

#endif
