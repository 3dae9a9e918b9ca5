/* words.h: narrow operands and results. */
#ifndef EU_WORDS_H
#define EU_WORDS_H

#include "eu/jit/compile.h"

/* words_vex.c, for hosts without AVX-512:
 * *reg := what lies at these places of the register file, of one, two or four
 * bytes, as dwords: eight lanes at most. False: they are too far apart. */
bool jit_spread_vex(struct jit *j, const uint16_t *lane_B, unsigned lanes,
                    unsigned size_B, bool is_signed, unsigned *reg);
/* The low words of eight lanes, one behind the other. */
void jit_store_words_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                         unsigned off_B);

/* words_evex.c: the op, if it is a sum that 16 bits are enough for. */
bool jit_lower_words(struct jit *j, const struct eu_op *op);

#endif
