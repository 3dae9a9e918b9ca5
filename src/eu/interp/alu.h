/* alu.h: shared by the files of the general path. */
#ifndef EU_ALU_H
#define EU_ALU_H

#include "eu/interp/interp.h"

/* Exact for every operation of the EU on its widest operands. */
typedef __int128 wide_int;

enum exec_class { EXEC_INT, EXEC_FLOAT, EXEC_DOUBLE };

enum exec_class eu_exec_class(const struct eu_insn *insn);
bool eu_cond_i(unsigned cmod, wide_int a, wide_int b);
bool eu_cond_f(unsigned cmod, float a, float b);
bool eu_cond_d(unsigned cmod, double a, double b);

/* One instruction for the lanes of mask. False: an operand outside the
 * register file. */
bool eu_alu_int(struct eu_thread *t, const struct eu_op *op, uint32_t mask);
bool eu_alu_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask);
bool eu_alu_double(struct eu_thread *t, const struct eu_op *op, uint32_t mask);

/* convert.c: sources with modifiers applied. */
bool eu_fetch_int(struct eu_thread *t, const struct eu_op *op, unsigned s,
                  uint32_t mask, wide_int *out);
bool eu_fetch_float(struct eu_thread *t, const struct eu_op *op, unsigned s,
                    uint32_t mask, float *out);
bool eu_fetch_double(struct eu_thread *t, const struct eu_op *op, unsigned s,
                     uint32_t mask, double *out);

/* Saturate, convert to the destination's type, set flags, write. */
bool eu_finish_int(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                   const wide_int *v);
bool eu_finish_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                     const float *v);
bool eu_finish_double(struct eu_thread *t, const struct eu_op *op,
                      uint32_t mask, const double *v);
/* CMP: bits are the lanes where the comparison is true. */
bool eu_finish_cmp(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                   uint32_t bits);

/* The value as the destination's integer type holds it. */
wide_int eu_wrap_int(wide_int v, enum eu_type type);

#endif
