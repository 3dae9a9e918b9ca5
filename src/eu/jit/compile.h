/* compile.h: what the parts of the compiler share.
 *
 * A kernel becomes two copies of its code: the full one runs while every
 * channel that it could disable is on, and masks nothing; the masked one is
 * for the rest and is made when it is first needed. Both are lists of blocks
 * that end at control flow; inside a block GRF values stay in vector registers
 * (vregs.c). The full copy goes over to the masked one through the kernel's
 * doors: addresses that lead out of the code until there is one. */
#ifndef EU_COMPILE_H
#define EU_COMPILE_H

#include "eu/jit/vregs.h"

/* liveness.c: blocks, registers, and with whole what the kernel's first
 * instruction finds. */
bool jit_analyse(struct jit *j, bool whole);
/* live.c: what the op that is being compiled leaves in lanes of channels that
 * are off does not matter. */
bool jit_is_unseen(const struct jit *j, const struct eu_op *op);
bool jit_flags_unseen(const struct jit *j, const struct eu_op *op);
/* The op ends a block: control flow. */
bool jit_is_flow(const struct eu_op *op);
static inline bool
jit_is_send(const struct eu_op *op)
{
    return op->fn == eu_op_send;
}
bool jit_is_unreached(const struct jit *j, uint32_t i);

/* loops.c */
bool jit_find_loops(struct jit *j);
/* The loop that the op is in, if it has pinned registers; or NULL. */
const struct jit_loop *jit_loop_at(const struct jit *j, uint32_t op);
/* A block begins, with nothing in registers but these pins, as bits: after this
 * what is pinned is. */
void jit_enter_loop(struct jit *j, uint32_t op, uint32_t there);
/* The register that is pinned to exactly this vector, or -1. */
int jit_pin_of(const struct jit *j, unsigned off_B, unsigned len_B);
/* What is live is in memory, or where it is pinned. */
void jit_end_block(struct jit *j, const struct jit_set *live);
/* Code for jumps out of loops and into them, behind all blocks. */
void jit_leave_loops(struct jit *j);
void jit_enter_loops(struct jit *j);

/* counters.c */
void jit_find_counter(const struct jit *j, struct jit_loop *l);
/* No branch but those of such loops: where all channels are on, all stay on. */
bool jit_only_counts(const struct jit *j);
/* The op is the comparison of such a loop, which is not made; or the BREAK that
 * follows, offset 1. */
static inline bool
jit_counts(const struct jit *j, uint32_t op, uint32_t offset)
{
    return j->loop && j->loop->counter.len_B && op == j->loop->head + offset;
}
uint32_t jit_test_counter(struct jit *j);
void jit_counter_flags(struct jit *j, const struct eu_op *op);

/* masks.c */
struct jit_mask jit_op_mask(struct jit *j, const struct eu_op *op,
                            const struct jit_part *p, unsigned index,
                            bool with_pred);
/* The predicate alone, for SEL. */
struct jit_mask jit_op_pred(struct jit *j, const struct eu_op *op,
                            const struct jit_part *p);
/* Flag bits from mask register k, without those outside the part's mask (AVX2:
 * vector register, with any). */
void jit_write_flags(struct jit *j, const struct eu_op *op,
                     const struct jit_part *p, unsigned k);
/* Something else changes the flag register. */
void jit_forget_flag(struct jit *j, unsigned reg);
/* Vectors of masks are in no register any more (AVX2). */
void jit_forget_masks(struct jit *j);
/* The mask register that has the op's flags, from bit 0 on; 0: none. */
unsigned jit_flags_kept(const struct jit *j, const struct eu_op *op);
/* The one where flags that it writes will be kept, or 0. */
unsigned jit_flags_for(const struct jit *j, const struct eu_op *op,
                       const struct jit_part *p);
/* What is kept of them is in mask registers again, after a call. */
void jit_reload_flags(struct jit *j);
bool jit_masks_fit(const struct eu_op *op);

/* operands.c */
/* A source in the GRF or an immediate, of the type that the op computes in:
 * the interpreter's fast path says so. */
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
/* A whole vector that nobody else reads, nor this instruction once more, stays
 * in memory. */
bool jit_src_once(struct jit *j, const struct eu_op *op, unsigned s,
                  const struct jit_part *p, struct x86_rm *rm);
struct x86_rm jit_src_float(struct jit *j, const struct eu_op *op, unsigned s,
                            const struct jit_part *p);
/* The same without modifiers; no immediate. */
struct x86_rm jit_src_bare(struct jit *j, const struct eu_op *op, unsigned s,
                           const struct jit_part *p);
/* The operand of an ADD in F that the other one takes away: -1: none. Scalars
 * are better off in memory, and added to what is negated once for all. */
int jit_subtracted(const struct eu_op *op);
struct x86_rm jit_src_int(struct jit *j, const struct eu_op *op, unsigned s,
                          const struct jit_part *p);
/* Immediates as the 32-bit value of each lane, before modifiers. */
void jit_immediate_lanes(const struct eu_insn *insn, const struct eu_operand *o,
                         uint32_t value[EU_MAX_LANES]);
/* PBROADCASTD reads its dword plainly. */
static inline struct x86_rm
jit_as_memory(struct x86_rm rm)
{
    return x86_bcast(rm, false);
}
/* results.c */
bool jit_dst_ok(const struct jit *j, const struct eu_op *op);
void jit_store_dst(struct jit *j, const struct eu_op *op,
                   const struct jit_part *p, unsigned reg);
/* The same for words in all lanes of up to two parts, which stay in a register
 * where instructions can read them from one; or false. */
bool jit_bind_words(struct jit *j, const struct eu_op *op,
                    const struct jit_part *part, const unsigned *reg,
                    unsigned count);

/* lower_plain.c, for ops with a fast function. */
bool jit_lower_plain(struct jit *j, const struct eu_op *op);
/* lower_alu.c. False: not compiled, leave it to the interpreter. */
bool jit_lower_alu(struct jit *j, const struct eu_op *op);
/* d := lanes of mask m from a, the others from b. */
unsigned jit_blend(struct jit *j, unsigned len, struct jit_mask m,
                   struct x86_rm a, struct x86_rm b);
/* Lanes where the comparison holds: a mask register or a vector. */
unsigned jit_compare_float(struct jit *j, const struct jit_part *p,
                           unsigned cmod, unsigned a, struct x86_rm b);
unsigned jit_compare_int(struct jit *j, const struct jit_part *p, unsigned cmod,
                         unsigned a, struct x86_rm b, bool is_signed);
/* All ones in these lanes. */
unsigned jit_ones_where(struct jit *j, const struct jit_part *p, unsigned k);

/* lower_float.c, lower_int.c: the result's register, or JIT_NO_CODE. A result
 * is never a register that holds part of the register file. */
#define JIT_NO_CODE UINT32_MAX
bool jit_float_ok(const struct jit *j, const struct eu_op *op);
unsigned jit_lower_float(struct jit *j, const struct eu_op *op,
                         const struct jit_part *p);
/* A register that may be overwritten with the operand in it. */
unsigned jit_owned(struct jit *j, unsigned len, struct x86_rm rm);
/* x * y + z; the NaN that survives is y's, x's, z's, in this order. */
unsigned jit_fused(struct jit *j, unsigned len, struct x86_rm x,
                   struct x86_rm y, struct x86_rm z);
/* lower_convert.c */
unsigned jit_saturate(struct jit *j, unsigned len, unsigned a);
/* lower_math.c: functions beyond what the host has. */
bool jit_math_ok(unsigned fn);
/* Code that several instructions of the kernel call, or that few threads
 * reach. */
void jit_math_helpers(struct jit *j);
void jit_math_rescues(struct jit *j);
/* Whether the next one is for jit_lower_math(). */
bool jit_sqrt_in_steps(struct jit *j, unsigned len);
unsigned jit_lower_math(struct jit *j, const struct eu_op *op,
                        const struct jit_part *p, struct x86_rm a,
                        struct x86_rm b);
bool jit_int_ok(const struct jit *j, const struct eu_op *op);
unsigned jit_lower_int(struct jit *j, const struct eu_op *op,
                       const struct jit_part *p);

/* lower_double.c */
bool jit_lower_double(struct jit *j, const struct eu_op *op);
/* The host's float mode is to be that of F, or the one that keeps denormals. */
void jit_set_float_mode(struct jit *j, bool keeps_denorms);
static inline void
jit_float_mode(struct jit *j, bool keeps_denorms)
{
    if (j->keeps_denorms != keeps_denorms)
        jit_set_float_mode(j, keeps_denorms);
}

/* lower_lanes.c: integers, one lane after the other. */
bool jit_lower_lanes(struct jit *j, const struct eu_op *op);
/* gpr := the op's flags, and more above. Not wider than comparisons store them:
 * a load that needs more than the last store has waits until that is in the
 * cache. */
void jit_load_flags(struct jit *j, const struct eu_op *op, unsigned gpr);
/* gpr := the predicate of each lane; rsi is lost. */
void jit_pred_bits(struct jit *j, const struct eu_op *op, unsigned gpr);

/* lower_send.c. False: not a form that is compiled. */
bool jit_lower_send(struct jit *j, uint32_t index);
/* rows.c: at the kernel's first instruction. */
void jit_begin_row(struct jit *j);
/* The payload of a row's thread, in vectors of 64 bytes as the row has it, is
 * what its registers hold. */
void jit_bind_payload(struct jit *j, unsigned low, unsigned high);
/* Where threads differ as they begin, or 0. */
unsigned jit_payload_grf(const struct jit *j);
/* Whether thread->caught can have the message, the thread's last. */
bool jit_is_caught(const struct eu_op *op);

/* compile.c */
/* Compiles these, of the same indices or in jit.order. */
void jit_take_ops(struct jit *j, struct eu_op *ops);
/* The op where it stays, for code that names it. */
const struct eu_op *jit_lasting_op(struct jit *j, const struct eu_op *op);
void jit_begin(struct jit *j, const struct eu_kernel *kernel,
               enum cpu_level cpu, unsigned flags);
bool jit_allocate(struct jit *j);
void jit_prologue(struct jit *j);
/* False: it is the interpreter's. */
bool jit_compile_alu(struct jit *j, const struct eu_op *op);
/* Operands of an op for the last time, or until it writes them. */
struct jit_set jit_dying_at(const struct jit *j, uint32_t op);
/* The code of one copy, published, or NULL. */
void *jit_make_code(struct jit *j);
void jit_finish(struct jit *j);

/* pair_fits.c: whether there may be code for two threads of a row, which
 * jit.row_grf names even where they cannot follow each other one at a time. */
bool jit_makes_pairs(struct jit *j);
/* Registers that each of them has to find as the row's first one does. */
struct jit_set jit_pair_keeps(const struct jit *j);
/* The same for threads of a group, and what they change before they may be
 * given up. */
bool jit_makes_groups(const struct jit *j);
struct jit_set jit_group_keeps(const struct jit *j);

/* channels.c; they change rax, rcx and rdx. */
/* eax := the branch's channels whose predicate is true, ecx := all of them,
 * as channels of the thread. */
void jit_load_taken(struct jit *j, const struct eu_op *op);
/* The channels in edx wait at ip_B; edx is lost. */
void jit_park(struct jit *j, const struct eu_op *op, uint32_t ip_B);
/* Channels that wait here join; as eu_op_join, without what follows. */
void jit_wake(struct jit *j, uint32_t ip_B);

/* access.c, lower_memory.c: messages that read or write memory that the thread
 * knows. */
bool jit_is_memory(const struct eu_op *op);
/* Of these, those with an answer: in all lanes that execute. */
bool jit_is_read(const struct eu_op *op);
/* The registers of the payload, and of the answer, where all lanes are on. */
struct jit_moved {
    unsigned count;
    struct {
        uint16_t off_B, len_B;
        bool written;
    } part[5];
};
void jit_memory_moves(const struct eu_op *op, struct jit_moved *moved);
void jit_lower_memory(struct jit *j, uint32_t index);
/* What is sent after all, behind all blocks. */
void jit_memory_misses(struct jit *j);

/* lower_flow.c */
/* A branch that nobody is called for. */
bool jit_flow_is_native(const struct eu_op *op);
void jit_lower_flow(struct jit *j, uint32_t index);
/* A loop's end, where nobody is left to go round once more. */
bool jit_leaves_loop(const struct jit *j, uint32_t index);
/* False: the interpreter says what is wrong with it. */
bool jit_lower_wait(struct jit *j, uint32_t index);
void jit_lower_join(struct jit *j, uint32_t index);
/* The code for what seldom happens, behind all blocks. */
void jit_lower_colds(struct jit *j);
/* Calls the interpreter. */
void jit_call_op(struct jit *j, const struct eu_op *op);
void jit_jump_to(struct jit *j, enum x86_cc cc, uint32_t op, bool masked);
/* A jump at this place, from the op that is being compiled. */
struct jit_jump jit_jump_from(const struct jit *j, uint32_t at, uint32_t op);
void jit_return(struct jit *j, enum x86_cc cc);
/* The same at once, with no vector in use. */
void jit_leave(struct jit *j);
bool jit_grow(struct jit *j, void **array, uint32_t *capacity, uint32_t need,
              size_t item_B);

/* exec_mem.c: memory that is either writable or executable. */
void *eu_exec_publish(const void *code, size_t size_B);
void eu_exec_release(void *code, size_t size_B);

#endif
