/* df.h: code for vectors of DF, four (AVX2) or eight (AVX-512) lanes.
 *
 * Called by lower_double.c while it compiles. `len` is the length of vectors
 * of qwords as x86_vop() takes it; registers are numbers of vectors. Each
 * returns a temporary, see jit_temp(), and leaves its operands alone. */
#ifndef EU_JIT_DF_H
#define EU_JIT_DF_H

#include "eu/jit/compile.h"

/* A qword in all lanes. */
unsigned jit_df_broadcast(struct jit *j, unsigned len, uint64_t value);

/* From F, D or (AVX-512 alone) UD. */
unsigned jit_df_from(struct jit *j, unsigned len, unsigned r,
                     enum eu_type type);

/* -0.0 becomes 0.0; needs k4. */
unsigned jit_df_positive_zero(struct jit *j, unsigned len, unsigned r);

/* Lanes of k (or of the vector k) from a, the others from b. */
unsigned jit_df_blend(struct jit *j, unsigned len, unsigned k, unsigned a,
                      unsigned b);

/* A number wins over NaN; of two NaNs, or two equals, b. Needs k2 and k4. */
unsigned jit_df_min_max(struct jit *j, unsigned len, unsigned a, unsigned b,
                        bool is_min);

/* A mask of dwords made one of qwords, AVX2. */
unsigned jit_df_widen_mask(struct jit *j, unsigned len, unsigned dwords);

unsigned jit_df_copy(struct jit *j, unsigned len, unsigned r);

/* NaN gives lo. */
unsigned jit_df_clamp(struct jit *j, unsigned len, unsigned r, double lo,
                      double hi);

/* D or UD, towards zero; NaN gives 0, what is out of range the nearest. Needs
 * k4. */
unsigned jit_df_to_int(struct jit *j, unsigned len, unsigned r, bool is_signed);

#endif
