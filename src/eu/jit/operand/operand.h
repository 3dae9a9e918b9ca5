/* operand.h: EU operands and results as vectors of 32-bit lanes; masks and
 * flags.
 *
 * Callers: all lowering. Registers are allocated by regs/. A part (struct
 * jit_part) is up to 16 lanes of the instruction, eight with AVX2. One
 * compilation belongs to one thread. */
#ifndef EU_JIT_OPERAND_OPERAND_H
#define EU_JIT_OPERAND_OPERAND_H

#include "eu/jit/regs/regs.h"

/* ---- masks and flags: masks.c ---- */

/* AVX-512: the mask register for the channels of a guard. */
#define JIT_K_GUARD 3u

/* Where a guard's channels are. Ops in guarded IFs have no other use for the
 * scratch memory. */
static inline size_t
jit_guard_at(unsigned slot)
{
    static_assert(JIT_GUARDS * 4 <= sizeof((struct eu_thread *)0)->scratch,
                  "guards fit the scratch memory");
    return offsetof(struct eu_thread, scratch) + (slot - 1) * 4;
}

struct jit_mask jit_op_mask(struct jit *j, const struct eu_op *op,
                            const struct jit_part *p, unsigned index,
                            bool with_pred);
/* The predicate alone, for SEL. */
struct jit_mask jit_op_pred(struct jit *j, const struct eu_op *op,
                            const struct jit_part *p);
/* Sets the flag bits of the part's mask: rcx, unless that is all lanes. */
void jit_set_flags(struct jit *j, const struct eu_op *op,
                   const struct jit_part *p);
/* Writes flag bits from mask register k, except outside the part's mask. AVX2:
 * k is a vector register, and may have any value outside. */
void jit_write_flags(struct jit *j, const struct eu_op *op,
                     const struct jit_part *p, unsigned k);
/* Something else changes the flag register. */
void jit_forget_flag(struct jit *j, unsigned reg);
/* Drops vectors of masks (AVX2). */
void jit_forget_masks(struct jit *j);
/* The mask register that holds the op's flags, from bit 0 on; 0: none. */
unsigned jit_flags_kept(const struct jit *j, const struct eu_op *op);
/* The mask register that will hold the flags that the op writes, or 0. */
unsigned jit_flags_for(const struct jit *j, const struct eu_op *op,
                       const struct jit_part *p);
/* Reloads flags into their mask registers after a call. */
void jit_reload_flags(struct jit *j);
/* gpr := the op's flags; more bits may follow above. Not wider than comparisons
 * store: a load wider than the last store waits until the store is in the
 * cache. */
void jit_load_flags(struct jit *j, const struct eu_op *op, unsigned gpr);
/* gpr := the predicate of each lane; clobbers rsi. */
void jit_pred_bits(struct jit *j, const struct eu_op *op, unsigned gpr);

/* ---- sources: load_operand.c ---- */

/* Whether the source is in the GRF or an immediate, of the type that the op
 * computes in, as the interpreter's fast path knows. */
static inline bool
jit_src_plain(const struct eu_op *op, unsigned s, bool is_float)
{
    const unsigned plain = 1u << EU_SRC_VEC | 1u << EU_SRC_VEC_MOD |
                           1u << EU_SRC_SCALAR | 1u << EU_SRC_IMM;
    return op->fn != op->slow && (plain >> op->src[s].cls & 1) &&
           (!is_float || op->insn->src[s].type == EU_TYPE_F);
}
enum jit_bound { JIT_BOUND_SIGNED, JIT_BOUND_UNSIGNED, JIT_BOUND_NONE };
bool jit_src_ok(const struct jit *j, const struct eu_op *op, unsigned s,
                bool is_float);
/* Whether the source is a whole vector that no later op reads, nor this one
 * again: it stays a memory operand. */
bool jit_src_once(struct jit *j, const struct eu_op *op, unsigned s,
                  const struct jit_part *p, struct x86_rm *rm);
struct x86_rm jit_src_float(struct jit *j, const struct eu_op *op, unsigned s,
                            const struct jit_part *p);
/* jit_src_float() without modifiers; not for immediates. */
struct x86_rm jit_src_bare(struct jit *j, const struct eu_op *op, unsigned s,
                           const struct jit_part *p);
struct x86_rm jit_src_int(struct jit *j, const struct eu_op *op, unsigned s,
                          const struct jit_part *p);
/* Immediates as the 32-bit value of each lane, before modifiers. */
void jit_immediate_lanes(const struct eu_insn *insn, const struct eu_operand *o,
                         uint32_t value[EU_MAX_LANES]);

/* ---- results: store_result.c ---- */

bool jit_dst_ok(const struct jit *j, const struct eu_op *op);
void jit_store_dst(struct jit *j, const struct eu_op *op,
                   const struct jit_part *p, unsigned reg);
/* jit_store_dst() for words in all lanes of up to two parts. They stay in one
 * register where instructions can read them from one; otherwise false. */
bool jit_bind_words(struct jit *j, const struct eu_op *op,
                    const struct jit_part *part, const unsigned *reg,
                    unsigned count);

/* ---- operands at addresses: load_indirect.c ---- */

/* Whether jit_read_indirect() can read the source. */
bool jit_indirect_ok(const struct jit *j, const struct eu_op *op, unsigned s);
/* Its elements, with bytes above them that do not count. */
unsigned jit_read_indirect(struct jit *j, const struct eu_op *op, unsigned s,
                           const struct jit_part *p);
/* Whether the op's result is a vector of words in a0, which
 * jit_store_addresses() stores. */
bool jit_writes_addresses(const struct eu_op *op);
void jit_store_addresses(struct jit *j, const struct eu_op *op,
                         const struct jit_part *p, unsigned reg);
/* Emits a jump, under the condition, to code that ends the thread with an
 * error: the op has an operand outside the registers. The host has F's mode. */
void jit_fail_outside(struct jit *j, enum x86_cc cc, uint32_t op,
                      uint32_t last);
/* That code, after all blocks. */
void jit_outside_errors(struct jit *j);

/* ---- narrow operands ---- */

/* load_operand.c: layout of a part's lanes in the register file: equal,
 * consecutive, narrow ones a dword apart, or any other. */
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
    unsigned end_B;      /* after the last byte */
    uint16_t lane_B[16]; /* of each lane */
};
void jit_describe(struct jit_region *r, const struct eu_insn *insn,
                  const struct eu_operand *o, const struct jit_part *p);
/* The bits of a lane above a narrow element. */
enum jit_extension {
    JIT_ZERO_EXTENDED,
    JIT_SIGN_EXTENDED,
    JIT_NOT_EXTENDED, /* undefined */
};
/* Reads bytes or words. */
unsigned jit_read_narrow(struct jit *j, const struct jit_region *r,
                         const struct jit_part *p,
                         enum jit_extension extension);

/* words_vex.c, for hosts without AVX-512.
 *
 * *reg := up to eight elements of one, two or four bytes at these places of the
 * register file, as dwords. False: they are too far apart. */
bool jit_spread_vex(struct jit *j, const uint16_t *lane_B, unsigned lanes,
                    unsigned size_B, bool is_signed, unsigned *reg);
/* Stores the low words of eight lanes, consecutively. */
/* Stores the low words of the mask's lanes, of eight, at 16 bytes. */
void jit_store_words_at_vex(struct jit *j, const struct jit_part *p,
                            unsigned reg, struct x86_rm at);
void jit_store_words_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                         unsigned off_B);
/* Stores the low bytes of eight lanes, a word apart. */
void jit_store_bytes_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                         unsigned off_B);
/* Stores the low words or bytes of eight lanes, a dword apart. */
void jit_store_spread_vex(struct jit *j, const struct jit_part *p, unsigned reg,
                          unsigned off_B, unsigned size_B);
/* d := words of eight dwords, in its lower half; how: PACKUSDW or PACKSSDW. */
void jit_pack_words_vex(struct jit *j, enum x86_vop how, unsigned d,
                        unsigned from);

/* ---- HF sources: load_f16.c ---- */

/* Whether the operand's form is compiled. */
bool jit_f16_ok(const struct jit *j, const struct eu_insn *insn);
/* Length of half as many bytes. */
static inline unsigned
jit_f16_len(unsigned len)
{
    return len ? len - 1 : 0;
}
/* A source's unconverted words. */
unsigned jit_read_f16(struct jit *j, const struct eu_op *op, unsigned s,
                      const struct jit_part *p);
/* A source in the GRF as F, without modifiers. */
unsigned jit_f16_to_float(struct jit *j, const struct eu_op *op, unsigned s,
                          const struct jit_part *p);
/* Halves to F. */
unsigned jit_widen_f16(struct jit *j, unsigned len, unsigned halves);

#endif
