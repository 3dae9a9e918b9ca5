/* words.h: narrow operands and results. */
#ifndef EU_WORDS_H
#define EU_WORDS_H

#include "eu/jit/compile.h"

/* operands.c: how the lanes of a part lie in the register file: all the same,
 * one behind the other, narrow ones a dword apart, or in any way. */
enum jit_shape {
    JIT_SHAPE_SCALAR,
    JIT_SHAPE_VECTOR,
    JIT_SHAPE_DWORDS,
    JIT_SHAPE_ANY
};
struct jit_region {
    enum jit_shape shape;
    unsigned off_B; /* of the first lane, in the register file */
    unsigned size_B;
    unsigned end_B;      /* behind the last byte */
    uint16_t lane_B[16]; /* of each lane */
};
void jit_describe(struct jit_region *r, const struct eu_insn *insn,
                  const struct eu_operand *o, const struct jit_part *p);
/* Bytes or words, extended. */
unsigned jit_read_narrow(struct jit *j, const struct jit_region *r,
                         const struct jit_part *p, bool is_signed);

/* words_vex.c, for hosts without AVX-512:
 * *reg := what lies at these places of the register file, of one, two or four
 * bytes, as dwords: eight lanes at most. False: they are too far apart. */
bool jit_spread_vex(struct jit *j, const uint16_t *lane_B, unsigned lanes,
                    unsigned size_B, bool is_signed, unsigned *reg);
/* The low words of eight lanes, one behind the other. */
void jit_store_words_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                         unsigned off_B);

/* The low words or bytes of eight lanes, a dword apart. */
void jit_store_spread_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                          unsigned off_B, unsigned size_B);
/* d := words of eight dwords, in its lower half; how: PACKUSDW or PACKSSDW. */
void jit_pack_words_vex(struct jit *j, enum x86_vop how, unsigned d,
                        unsigned from);

/* words_evex.c: the op, if it is a sum that 16 bits are enough for. */
bool jit_lower_words(struct jit *j, const struct eu_op *op);

#endif
