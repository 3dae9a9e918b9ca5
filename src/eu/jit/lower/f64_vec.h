/* f64_vec.h: code for vectors of DF, four (AVX2) or eight (AVX-512) lanes.
 *
 * Caller: lower_f64.c while it compiles. `len` is the length of vectors of
 * qwords as x86_vop() takes it; registers are numbers of vectors. Each function
 * returns a temporary, see jit_temp(), and preserves its operands. */
#ifndef EU_JIT_LOWER_F64_VEC_H
#define EU_JIT_LOWER_F64_VEC_H

#include "eu/jit/lower/lower_ops.h"

/* Broadcasts a qword. */
unsigned jit_f64_broadcast(struct jit *j, unsigned len, uint64_t value);

/* Converts from F, D or (AVX-512 only) UD. */
unsigned jit_f64_from(struct jit *j, unsigned len, unsigned r,
                      enum eu_type type);

/* -0.0 becomes 0.0; needs k4. */
unsigned jit_f64_positive_zero(struct jit *j, unsigned len, unsigned r);

/* a in lanes of k (or the vector k), otherwise b. */
unsigned jit_f64_blend(struct jit *j, unsigned len, unsigned k, unsigned a,
                       unsigned b);

/* A number wins over NaN; b if both are NaN or equal. Needs k2 and k4. */
unsigned jit_f64_min_max(struct jit *j, unsigned len, unsigned a, unsigned b,
                         bool is_min);

/* Widens a mask of dwords to qwords, AVX2. */
unsigned jit_f64_widen_mask(struct jit *j, unsigned len, unsigned dwords);

unsigned jit_f64_copy(struct jit *j, unsigned len, unsigned r);

/* NaN becomes lo. */
unsigned jit_f64_clamp(struct jit *j, unsigned len, unsigned r, double lo,
                       double hi);

/* Converts to D or UD, towards zero; NaN gives 0, out of range the nearest
 * bound. Needs k4. */
unsigned jit_f64_to_int(struct jit *j, unsigned len, unsigned r,
                        bool is_signed);

#endif
