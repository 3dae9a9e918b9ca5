/* interp.h: the reference interpreter's structures.
 *
 * Each kernel is predecoded once into an array of struct eu_op. Most
 * instructions have two functions that must agree bit for bit. `slow` is the
 * general path, which follows the PRM step by step; `fn` may be specialised
 * (fast_ops_tmpl.h). An op function returns the next op, or NULL after it has
 * set thread->status and thread->ip.
 *
 * Private to src/eu. Any thread; kernels are immutable once built. */
#ifndef EU_INTERP_H
#define EU_INTERP_H

#include "eu/eu.h"
#include "eu/isa/eu_opcodes.h"

#define EU_GRF_FILE_B (EU_GRF_COUNT * EU_GRF_B)
#define EU_MAX_LANES 32
#define EU_NO_OP UINT32_MAX
/* Bits of cr0.0 */
#define EU_CR0_ALT 1u        /* alternate floating point mode */
#define EU_CR0_SPF (1u << 2) /* single program flow */
#define EU_KERNEL_MAX_B (4u << 20)

struct eu_op;
typedef const struct eu_op *(*eu_op_fn)(struct eu_thread *t,
                                        const struct eu_op *op);

/* How a fast op reads a source. */
enum eu_src_class {
    EU_SRC_VEC,     /* contiguous, of the execution type */
    EU_SRC_VEC_MOD, /* as EU_SRC_VEC, with bits masked and flipped */
    EU_SRC_STRIDED, /* every step-th dword, masked and flipped */
    EU_SRC_U16,     /* contiguous words, zero- or sign-extended */
    EU_SRC_S16,
    EU_SRC_SCALAR, /* one element for all lanes */
    EU_SRC_IMM,
    EU_SRC_OTHER, /* any region, type, modifier: eu_gather_* */
};

struct eu_op_src {
    uint16_t off_B; /* in the GRF file */
    uint8_t cls;    /* enum eu_src_class */
    uint8_t step;
    /* Modifiers ((bits & and_mask) ^ xor_mask) + plus: sign, NOT, integer
     * negation. */
    uint32_t and_mask, xor_mask, plus;
    uint32_t imm; /* modifiers applied */
};

/* Work left after a fast op has its result. */
enum eu_post {
    EU_POST_SAT = 1,
    EU_POST_CMOD = 2,
    EU_POST_STORE = 4, /* not 32-bit contiguous: eu_store_* */
    EU_POST_NULL = 8,  /* no destination */
};

/* Properties of a fast op that the JIT asks for. */
enum eu_plain {
    /* Whole vectors, scalars and immediates, all F or all dwords, eight or
     * sixteen lanes. No post-processing but saturation of F. */
    EU_PLAIN_FLOAT = 1,
    EU_PLAIN_INT = 2, /* no source modifiers */
    /* Plain sources; the destination covers whole registers. Not PLN. */
    EU_PLAIN_GRFS = 4,
    EU_PLAIN_WHOLE = 8, /* EU_PLAIN_GRFS, and all active channels are written */
    /* EU_PLAIN_WHOLE, and all vectors begin with a register; no predicate or
     * flags; eight or sixteen channels. */
    EU_PLAIN_BY_LANES = 16,
};

struct eu_op {
    eu_op_fn fn, slow;
    const struct eu_insn *insn;
    uint32_t full; /* one bit per lane */
    uint32_t ip;   /* byte offset */
    uint8_t chan, lanes;
    bool no_mask;
    uint8_t pred; /* 0 none, 1 plain, 2 any other kind */
    bool pred_inv;
    uint8_t flag_reg, flag_shift; /* of lane 0 */
    uint8_t post;                 /* enum eu_post */
    uint16_t dst_off_B;
    uint8_t cmod;
    bool is_unsigned;          /* fast integer ops: how to compare and shift */
    uint8_t opcode, src_count; /* of insn, except in joins and links */
    uint8_t plain;             /* enum eu_plain */
    int32_t jip, uip;          /* distance in ops */
    uint32_t jip_B, uip_B, next_B;
    struct eu_op_src src[3];
};
static_assert(sizeof(struct eu_op) == 128, "two cache lines");

struct eu_jit;
struct eu_live_in;

struct eu_kernel {
    struct eu_kernel *next; /* in its hash bucket; under the cache's lock */
    uint64_t hash, last_use;
    unsigned refs;
    enum eu_gen gen;
    uint8_t *code; /* private copy: the client may change its own */
    uint32_t size_B;
    struct eu_insn *insns;
    uint32_t insn_count;
    struct eu_op *ops;
    uint32_t op_count;
    uint32_t *op_of; /* per 8 bytes of code: index of an op, or EU_NO_OP */
    uint32_t surfaces[8];
    bool any_surface;
    uint32_t initial_cr0; /* bits of cr0.0 at thread start */
    bool impure;          /* sends to more than sampler, constants and URB */
    /* While tracing: how often each op was interpreted; otherwise NULL. */
    _Atomic uint64_t *interpreted;
    _Atomic(struct eu_live_in *) live_in; /* found when first needed; owned */
    _Atomic(struct eu_jit *) jit;         /* compiled when first run; owned */
    _Atomic(struct eu_jit *) jit_alt;     /* for the alternate float mode */
    atomic_bool jit_failed;
    uint32_t profile_slot;         /* 0: not counted (profile/) */
    uint8_t profile_bins;          /* with lanes and branches: of an
                                      instruction; else 0 */
    bool profile_memory;           /* and memory accesses */
    bool counted;                  /* or meant to, without a slot */
    struct busy_kernel *busy;      /* NULL, or for eu_busy_read(): tiers/ */
    _Atomic uint64_t profile_uses; /* a bit per stage and SIMD width told */
};

/* fallback_stats.c */
void eu_fallback_init(struct eu_kernel *k);
void eu_fallback_trace(const struct eu_kernel *k);
void eu_fallback_count(const struct eu_thread *t, const struct eu_op *op);
/* Runs the op's function for compiled code, and counts it. */
const struct eu_op *eu_op_interpreted(struct eu_thread *t,
                                      const struct eu_op *op);

/* interpret.c: runs from the thread's ip until its status changes or the budget
 * is spent. The caller has set the host's float mode to the thread's. slow:
 * uses the general path, with counts and traces. */
void eu_interpret(struct eu_thread *t, bool slow, uint64_t *left);
void eu_thread_update_mask(struct eu_thread *t);
/* All entries NULL: every sampler message goes to the send function. */
extern const struct eu_direct *const eu_no_direct[EU_DIRECTS];
void eu_thread_update_mxcsr(struct eu_thread *t);
/* Adds the executed instructions to the thread's count and to the
 * statistics. */
void eu_thread_account(struct eu_thread *t, uint64_t insns);
const struct eu_op *eu_fail(struct eu_thread *t, const struct eu_op *op,
                            const char *why);

/* profile_ops.c: counts of instructions. Where the thread counts, or NULL. */
uint64_t *eu_profile_counts(const struct eu_thread *t);
/* The kernel's arrays of counters (enum profile_array). */
uint32_t eu_profile_arrays_of(const struct eu_kernel *k);
/* Runs fn, which is op->fn or op->slow, and counts the op; counts may be NULL.
 */
const struct eu_op *eu_profile_run(struct eu_thread *t, const struct eu_op *op,
                                   eu_op_fn fn, uint64_t *counts);
/* eu_op_interpreted() for a branch, whose channels it counts. */
const struct eu_op *eu_op_counted_branch(struct eu_thread *t,
                                         const struct eu_op *op);

/* flow.c, send.c */
/* Wakes the channels that wait at ip_B, once the thread is there. */
void eu_wake_channels(struct eu_thread *t, uint32_t ip_B);
/* The branch's own active channels; *taken: of these, those that take it. */
uint32_t eu_branch_channels(const struct eu_thread *t, const struct eu_op *op,
                            uint32_t *taken);
eu_op_fn eu_flow_fn(unsigned opcode);
/* MOV, ADD and similar instructions that write ip. */
const struct eu_op *eu_op_set_ip(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_join(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_join_slow(struct eu_thread *t,
                                    const struct eu_op *op);
const struct eu_op *eu_op_link(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_bad(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_send(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_wait(struct eu_thread *t, const struct eu_op *op);

/* alu.c: the general path of all computing instructions. */
const struct eu_op *eu_op_general(struct eu_thread *t, const struct eu_op *op);

/* operand.c: lanes as raw bits, in the low bytes. VF elements arrive as F,
 * V as W, UV as UW: eu_operand_type() tells. Lanes outside mask may be 0.
 * False when an enabled lane leaves the register file. */
bool eu_operand_fetch(struct eu_thread *t, const struct eu_insn *insn,
                      const struct eu_operand *o, uint32_t mask,
                      uint64_t raw[EU_MAX_LANES]);
bool eu_operand_store(struct eu_thread *t, const struct eu_insn *insn,
                      uint32_t mask, const uint64_t raw[EU_MAX_LANES]);
bool eu_operand_is_acc(const struct eu_operand *o);
/* Index in acc_wide[] / acc[0] of an accumulator operand's lane. */
unsigned eu_operand_acc_index(const struct eu_insn *insn,
                              const struct eu_operand *o, unsigned lane,
                              bool is_dst);
/* Align16: the lanes that the destination's channel enables select. */
uint32_t eu_operand_components(const struct eu_insn *insn);
/* Bytes from the operand's origin to lane i's element. */
unsigned eu_region_offset_B(const struct eu_insn *insn,
                            const struct eu_operand *o, unsigned lane);
/* Which of a V or UV immediate's eight elements lane i reads. The elements
 * cover the destination as words: wider elements skip some. Observed: IGC. */
static inline unsigned
eu_vector_element(const struct eu_insn *insn, unsigned lane)
{
    unsigned step_B = insn->dst.hstride *
                      eu_type_size_B((enum eu_type)insn->dst.type);
    return lane * MAX2(step_B / 2, 1) % 8;
}
/* Position of every lane of a direct source in the register file. */
void eu_region_walk(const struct eu_insn *insn, const struct eu_operand *o,
                    uint16_t at[EU_MAX_LANES]);
/* Whether the direct operand lies inside the register file. */
bool eu_operand_fits(const struct eu_insn *insn, const struct eu_operand *o,
                     bool is_dst);

/* Out-of-line parts of the fast path (gather.c). */
void eu_gather_f(const struct eu_thread *t, const struct eu_op *op, unsigned s,
                 float *result);
void eu_gather_i(const struct eu_thread *t, const struct eu_op *op, unsigned s,
                 uint32_t *out);
void eu_store_32(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                 const uint32_t *value);
uint32_t eu_pred_other(const struct eu_thread *t, const struct eu_insn *insn);

static inline enum eu_type
eu_operand_type(const struct eu_operand *o)
{
    switch (o->type) {
    case EU_TYPE_V: return EU_TYPE_W;
    case EU_TYPE_UV: return EU_TYPE_UW;
    case EU_TYPE_VF: return EU_TYPE_F;
    default: return (enum eu_type)o->type;
    }
}

/* Channels that are at the thread's ip. Single program flow has one ip. */
static inline uint32_t
eu_thread_live(const struct eu_thread *t)
{
    return t->cr0[0] & EU_CR0_SPF ? UINT32_MAX : t->live;
}

/* Lanes whose predicate is true. */
static inline uint32_t
eu_op_pred(const struct eu_thread *t, const struct eu_op *op)
{
    if (op->pred == 1) {
        uint32_t p = t->f[op->flag_reg] >> op->flag_shift;
        return op->pred_inv ? ~p : p;
    }
    return op->pred ? eu_pred_other(t, op->insn) : UINT32_MAX;
}

static inline uint32_t
eu_op_enabled(const struct eu_thread *t, const struct eu_op *op)
{
    return op->no_mask ? op->full : (t->mask >> op->chan) & op->full;
}

static inline uint32_t
eu_op_mask(const struct eu_thread *t, const struct eu_op *op)
{
    return eu_op_enabled(t, op) & eu_op_pred(t, op);
}

static inline void
eu_op_write_flags(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
                  uint32_t bits)
{
    uint32_t where = mask << op->flag_shift;
    uint32_t *f = &t->f[op->flag_reg];
    *f = (*f & ~where) | ((bits << op->flag_shift) & where);
}

static inline bool
eu_type_is_float(enum eu_type type)
{
    return type == EU_TYPE_F || type == EU_TYPE_DF || type == EU_TYPE_HF ||
           type == EU_TYPE_VF;
}

static inline bool
eu_type_is_signed(enum eu_type type)
{
    return type == EU_TYPE_D || type == EU_TYPE_W || type == EU_TYPE_B ||
           type == EU_TYPE_Q || type == EU_TYPE_V;
}

/* Width of the execution type: the widest source, at least a word. */
static inline unsigned
eu_exec_size_B(const struct eu_insn *insn)
{
    unsigned size_B = 2;
    for (unsigned i = 0; i < insn->src_count; i++) {
        unsigned source_B = eu_type_size_B(eu_operand_type(&insn->src[i]));
        size_B = source_B > size_B ? source_B : size_B;
    }
    return size_B;
}

/* Type at which a signed source is negated, see interp/convert.c. */
static inline enum eu_type
eu_negated_type(const struct eu_insn *insn, enum eu_type type)
{
    if (eu_type_size_B(type) > 2)
        return type;
    return eu_exec_size_B(insn) == 2 &&
                   eu_type_size_B((enum eu_type)insn->dst.type) <= 2
               ? EU_TYPE_W
               : EU_TYPE_D;
}

/* bfi2: the insert value moves up to the mask's lowest bit first.
 * Observed: stock Mesa inserts unshifted values (double exponents,
 * bitfieldInsert) with the mask of bfi1. */
static inline uint32_t
eu_insert_bits(uint32_t mask, uint32_t insert, uint32_t base)
{
    unsigned shift = mask ? (unsigned)__builtin_ctz(mask) : 0;
    return ((insert << shift) & mask) | (base & ~mask);
}

#endif
