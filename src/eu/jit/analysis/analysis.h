/* analysis.h: facts about a kernel before code is made: basic blocks, registers
 * that ops read and write, liveness, lane dependence, counted loops, and
 * messages.
 *
 * Callers: the passes of session/ in their order; later passes and lowering ask
 * for single facts. Writes only struct jit_facts. One compilation belongs to
 * one thread; allocations come from its arena. */
#ifndef EU_JIT_ANALYSIS_ANALYSIS_H
#define EU_JIT_ANALYSIS_ANALYSIS_H

#include "eu/jit/jit_facts.h"

/* ---- sets of registers: grf_set.c ---- */

extern const struct jit_set jit_all_regs;
/* Sets of `count` consecutive registers, up to three. */
extern const struct jit_set jit_runs[4][EU_GRF_COUNT];
static inline jit_bits
jit_run(unsigned first_grf, unsigned count)
{
    return jit_bits_of(&jit_runs[count][first_grf & (EU_GRF_COUNT - 1)]);
}

static inline bool
jit_is_empty(const struct jit_set *s)
{
    return !(s->w[0] | s->w[1]);
}

static inline unsigned
jit_take_grf(struct jit_set *s)
{
    unsigned w = !s->w[0], g = (unsigned)__builtin_ctzll(s->w[w]);
    s->w[w] &= s->w[w] - 1;
    return w * 64 + g;
}

/* ---- control flow: cfg.c ---- */

/* Whether the op ends a basic block: control flow. */
bool jit_is_flow(const struct eu_op *op);
static inline bool
jit_is_send(const struct eu_op *op)
{
    return op->fn == eu_op_send;
}
/* Whether the branch's target is known only at run time. */
bool jit_is_dynamic(const struct eu_op *op);
/* Whether the branch has a second target. */
bool jit_has_uip(const struct eu_op *op);
/* Replaces the kernel's ops: same indices, or the order in jit_facts.order. */
void jit_take_ops(struct jit_facts *f, struct eu_op *ops);
/* Whether the op is unreachable, after the kernel's end. */
bool jit_is_unreached(const struct jit_facts *f, uint32_t i);
/* Classifies the op and marks the basic blocks that it begins. */
void jit_mark_op(struct jit_facts *f, uint32_t i);
/* Whether compiled code takes the branch without the interpreter. */
bool jit_flow_is_native(const struct eu_op *op);
/* jit_flow_is_native() with GOTO, without ELSE and ENDIF. */
bool jit_branch_is_native(const struct eu_op *op);
/* The op where channels that left a loop wait, or EU_NO_OP. */
uint32_t jit_place_op(const struct jit_facts *f, const struct eu_op *op);
/* Whether channels that all go to this op need not be parked, because it is a
 * join, where they would wait for each other. */
bool jit_stays_together(const struct jit_facts *f, uint32_t to);
/* Whether the op is a BREAK to the end of its loop, where no channel is left to
 * iterate. */
bool jit_leaves_loop(const struct jit_facts *f, uint32_t index);
/* Whether compiled code can form the op's lane masks: its flags are in one
 * register, its channels are among 32. */
bool jit_masks_fit(const struct eu_op *op);

/* ---- registers: def_use.c, liveness.c ---- */

/* Registers that the op writes, or a superset. */
struct jit_set jit_written(const struct jit_regs *r, const struct eu_op *op);
/* Whether the kernel reads only EU_LIVE_B's dword of its second header. */
bool jit_chain_sets_mask(const struct jit_facts *f);
/* Whether the op's predicate may read flag halves that are not in *known. Adds
 * the halves that the op replaces to *known. */
bool jit_finds_flags(const struct eu_op *op, unsigned *known);
/* Computes jit_facts.live from regs and start. False: no fixed point. */
bool jit_find_live(struct jit_facts *f);
/* Repeats the unmasked variant's part after ops came to kill less. */
bool jit_find_live_again(struct jit_facts *f);
/* Whether lanes of inactive channels may hold any value after the op that is
 * being compiled. */
bool jit_is_unseen(const struct jit_facts *f, uint32_t here,
                   const struct eu_op *op);
bool jit_flags_unseen(const struct jit_facts *f, uint32_t here,
                      const struct eu_op *op);

/* ---- loops: counted_loops.c ---- */

/* The CPU's condition after a comparison of integers, for a condition modifier
 * (EU_CMOD_*); 0 for one that integers do not have. */
enum x86_cc jit_int_condition(unsigned cmod, bool is_unsigned);
void jit_find_counter(const struct jit_facts *f, struct jit_loop *l);
/* Whether the only branches belong to counted loops: if all channels are on,
 * they stay on. */
bool jit_only_counts(const struct jit_facts *f);

/* ---- messages: send_info.c, memory_access.c ---- */

struct jit_send {
    struct eu_message m;
    unsigned src_B[2], dst_B; /* in the register file */
};
/* False: the message is known only at run time. */
bool jit_describe_send(struct jit_send *s, const struct eu_op *op);
/* Offset of a payload register in the register file. */
unsigned jit_payload_B(const struct jit_send *s, unsigned grf);
/* Whether thread->captured can take the message, the thread's last. */
bool jit_is_captured(const struct eu_op *op);
/* Whether this is eu_launch.sample_store, if there is one. */
bool jit_is_sample_store(const struct eu_kernel *k, uint32_t index,
                         struct jit_send *s);

/* Whether the message reads or writes memory that the thread knows. */
bool jit_is_memory(const struct eu_op *op);
/* Whether it is such a message with an answer, in all lanes that execute. */
bool jit_is_read(const struct eu_op *op);
/* Registers of the payload and the answer if all lanes are on. */
struct jit_moved {
    unsigned count;
    struct {
        uint16_t off_B, len_B;
        bool written;
    } part[5];
};
void jit_memory_moves(const struct eu_op *op, struct jit_moved *moved);

#endif
