/* alu.h: the general path's internals: operations, sources and results. */
#ifndef EU_ALU_H
#define EU_ALU_H

#include "eu/interp/interp.h"

/* Exact for every operation of the EU on its widest operands. */
typedef __int128 wide_int;

/* In the order of precedence. */
enum exec_class { EXEC_INT, EXEC_FLOAT, EXEC_DOUBLE };

static inline enum exec_class
eu_exec_class(const struct eu_insn *insn)
{
    static const uint8_t classes[EU_TYPE_COUNT] = {
        [EU_TYPE_DF] = EXEC_DOUBLE,
        [EU_TYPE_F] = EXEC_FLOAT,
        [EU_TYPE_HF] = EXEC_FLOAT,
        [EU_TYPE_VF] = EXEC_FLOAT,
    };
    unsigned c = EXEC_INT;
    for (unsigned i = 0; i < insn->src_count; i++)
        c = MAX2(c, classes[insn->src[i].type]);
    return (enum exec_class)c;
}

bool eu_cond_i(unsigned cmod, wide_int a, wide_int b);
bool eu_cond_f(unsigned cmod, float a, float b);
bool eu_cond_d(unsigned cmod, double a, double b);

/* One instruction, for the lanes of mask. False: an operand lies outside the
 * register file. */
bool eu_alu_int(struct eu_thread *t, const struct eu_op *op, uint32_t mask);
bool eu_alu_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask);
bool eu_alu_double(struct eu_thread *t, const struct eu_op *op, uint32_t mask);
/* Sets the flag of the IEEE macros after a math instruction. */
void eu_finish_macro(struct eu_thread *t, const struct eu_op *op,
                     uint32_t mask);

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
/* Values as the destination's type holds them: flags, accumulator, write. */
bool eu_finish_raw(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                   const uint64_t *raw);
/* CMP: bits are the lanes where the comparison is true. */
bool eu_finish_cmp(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                   uint32_t bits);

/* All sources, and the destination if asked for, are HF. */
bool eu_is_all_half(const struct eu_insn *insn, bool with_dst);

/* Whether the instruction begins an IEEE macro: see eu_finish_macro(). It sets
 * its flag in all channels. */
static inline bool
eu_begins_macro(const struct eu_insn *insn)
{
    return insn->opcode == EU_OP_MATH && insn->math >= EU_MATH_INVM;
}

/* INT DIV is signed if its destination is. Observed: IGC divides shorts, one of
 * which it knows to be positive, as UD with a result of D. */
static inline bool
eu_divides_signed(const struct eu_insn *insn)
{
    return insn->dst.type != EU_TYPE_UD &&
           (insn->dst.type == EU_TYPE_D ||
            eu_type_is_signed((enum eu_type)insn->src[0].type));
}

/* CMPN differs from CMP if src1 is NaN. Guess: the result is then true. CMPN
 * served to build MIN and MAX: SEL on its flag takes src0, the number, if src1
 * is NaN, and src1 if src0 is NaN. */
static inline bool
eu_cmpn_true(const struct eu_insn *insn, bool b_is_nan)
{
    return insn->opcode == EU_OP_CMPN && b_is_nan;
}

/* Byte of a float channel in the implicit accumulator: acc1 follows acc0. */
static inline unsigned
eu_acc_position_B(const struct eu_insn *insn, unsigned lane, unsigned size_B)
{
    return (insn->chan_offset + lane) * size_B & 63;
}

/* An integer accumulator has 64 bits for dwords, 33 for words and bytes. */
static inline int64_t
eu_acc_wrap(int64_t v, enum eu_type type)
{
    return eu_type_size_B(type) > 2 ? v : (int64_t)((uint64_t)v << 31) >> 31;
}

/* The value as the destination's integer type holds it. */
wide_int eu_wrap_int(wide_int v, enum eu_type type);

#endif
