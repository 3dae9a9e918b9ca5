/* fast_ops.h: specialised op functions for the instructions compilers emit
 * most. fast_ops.c is compiled once per host instruction set; all builds give
 * the same bits. Any thread; const tables. */
#ifndef EU_INTERP_FAST_OPS_H
#define EU_INTERP_FAST_OPS_H

#include "eu/interp/interp.h"

/* Name of each op; the bodies are in fast_ops_tmpl.h. clang-format takes `not`,
 * `and` and `or` for operators. */
/* clang-format off */
#define EU_FAST_OPS(X)                                                      \
    X(mov_f) X(add_f) X(mul_f) X(mad_f) X(lrp_f) X(pln) X(frc) X(rndd)       \
    X(rndu) X(rnde) X(rndz) X(inv) X(log) X(exp) X(sqrt) X(rsq) X(sin)       \
    X(cos) X(fdiv) X(pow) X(min_f) X(max_f) X(sel_f) X(csel) X(cmp_f)        \
    X(mov_i) X(add_i) X(mul_i) X(and) X(or) X(xor) X(not) X(shl) X(shr)      \
    X(asr) X(sel_i) X(min_i) X(max_i) X(cmp_i) X(bfi2) X(bfe) X(lzd)         \
    X(fbh) X(fbl) X(cbit) X(float_from_int) X(int_from_float) X(add_f_int)   \
    X(quot_d) X(quot_ud) X(rem_d) X(rem_ud)
/* clang-format on */

enum eu_fast_id {
#define X(name) EU_FAST_##name,
    EU_FAST_OPS(X)
#undef X
        EU_FAST_COUNT,
    EU_FAST_NONE
};

/* By lane count: any, 8, 16. */
struct eu_fast_table {
    eu_op_fn any[EU_FAST_COUNT], x8[EU_FAST_COUNT], x16[EU_FAST_COUNT];
};

extern const struct eu_fast_table eu_fast_base, eu_fast_avx2;

#endif
