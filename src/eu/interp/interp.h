/* interp.h: the reference interpreter's own structures.
 *
 * A kernel is lowered once into an array of struct eu_op. Most instructions
 * have two functions that must agree bit for bit: `slow`, the general path
 * that follows the PRM step by step, and `fn`, which may be a specialised one
 * (fast_ops.h). An op function returns the next op, or NULL after it has set
 * thread->status and thread->ip.
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

/* How a fast op gets a source. */
enum eu_src_class {
    EU_SRC_VEC,     /* contiguous, of the execution type */
    EU_SRC_VEC_MOD, /* the same, with bits masked and flipped */
    EU_SRC_STRIDED, /* every step-th dword, likewise */
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
    /* ((bits & and_mask) ^ xor_mask) + plus: sign, NOT, integer negation. */
    uint32_t and_mask, xor_mask, plus;
    uint32_t imm; /* modifiers applied */
};

/* What remains to be done with a fast op's result. */
enum eu_post {
    EU_POST_SAT = 1,
    EU_POST_CMOD = 2,
    EU_POST_STORE = 4, /* not 32-bit contiguous: eu_store_* */
    EU_POST_NULL = 8,  /* no destination */
};

/* What compilers want to know of a fast op. */
enum eu_plain {
    /* Whole vectors, scalars and immediates, all F or all dwords, eight or
     * sixteen times; nothing remains to be done but to saturate F. */
    EU_PLAIN_FLOAT = 1,
    EU_PLAIN_INT = 2, /* no source is modified */
    /* Of such sources, with all or no part of each register of the result. Not
     * PLN. */
    EU_PLAIN_GRFS = 4,
    EU_PLAIN_WHOLE = 8, /* ... all channels that are on */
    /* ... and all vectors begin with a register, without predicate and flags:
     * of eight or sixteen channels. */
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
    bool is_unsigned; /* fast integer ops: how to compare and shift */
    bool wraps;       /* -INT_MIN or |INT_MIN| may come out of a source */
    uint8_t opcode, src_count; /* of insn, but for joins and links */
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
    uint32_t early_cr0; /* bits of cr0.0 that its threads begin with */
    bool impure;        /* sends to more than sampler, constants and URB */
    /* While tracing: how often each op was interpreted. Else NULL. */
    _Atomic uint64_t *interpreted;
    _Atomic(struct eu_live_in *) live_in; /* found when first needed; owned */
    _Atomic(struct eu_jit *) jit;         /* compiled when first run; owned */
    _Atomic(struct eu_jit *) jit_alt;     /* for the alternate float mode */
    atomic_bool jit_failed;
};

/* build.c */
struct eu_kernel *eu_kernel_build(const void *code, size_t avail_B,
                                  enum eu_gen gen);
void eu_kernel_free(struct eu_kernel *kernel);
void eu_kernel_trace(const struct eu_kernel *k);

/* coverage.c */
void eu_coverage_init(struct eu_kernel *k);
void eu_coverage_trace(const struct eu_kernel *k);
void eu_coverage_count(const struct eu_thread *t, const struct eu_op *op);
/* The op's function, called by compiled code: counted. */
const struct eu_op *eu_op_interpreted(struct eu_thread *t,
                                      const struct eu_op *op);

/* lower.c: fills everything but the jump targets. */
void eu_op_lower(struct eu_op *op, const struct eu_insn *insn);
/* The instruction writes every channel that is on. */
bool eu_writes_all(const struct eu_insn *insn);

/* run.c */
enum eu_status eu_run_reference(struct eu_thread *thread, uint64_t budget);
void eu_thread_update_mask(struct eu_thread *t);
/* No sampler message is answered without being seen. */
extern const struct eu_direct *const eu_no_direct[EU_DIRECTS];
void eu_thread_update_mxcsr(struct eu_thread *t);
/* Adds what ran to the thread's count and to the statistics. */
void eu_thread_account(struct eu_thread *t, uint64_t insns);
const struct eu_op *eu_fail(struct eu_thread *t, const struct eu_op *op,
                            const char *why);

/* flow.c, send.c */
eu_op_fn eu_flow_fn(unsigned opcode);
/* MOV, ADD and the like to ip */
const struct eu_op *eu_op_set_ip(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_join(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_join_slow(struct eu_thread *t,
                                    const struct eu_op *op);
const struct eu_op *eu_op_link(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_bad(struct eu_thread *t, const struct eu_op *op);
/* early.c: for a kernel that has its ops. */
void eu_early_modes(struct eu_kernel *kernel);
/* The instruction that sets early_cr0 again. */
bool eu_op_is_early(const struct eu_op *op);
const struct eu_op *eu_op_send(struct eu_thread *t, const struct eu_op *op);
const struct eu_op *eu_op_wait(struct eu_thread *t, const struct eu_op *op);

/* alu.c: the general path for everything that computes. */
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
/* Align16: the lanes that the destination's channel enables let through. */
uint32_t eu_operand_components(const struct eu_insn *insn);
/* Bytes from the operand's origin to lane i's element. */
unsigned eu_region_offset_B(const struct eu_insn *insn,
                            const struct eu_operand *o, unsigned lane);
/* Which of a V or UV immediate's eight elements lane i gets. They lie as words
 * over the destination: wider elements skip some. Observed: IGC. */
static inline unsigned
eu_vector_element(const struct eu_insn *insn, unsigned lane)
{
    unsigned step_B = insn->dst.hstride *
                      eu_type_size_B((enum eu_type)insn->dst.type);
    return lane * MAX2(step_B / 2, 1) % 8;
}
/* Position in the register file of every lane of a direct source. */
void eu_region_walk(const struct eu_insn *insn, const struct eu_operand *o,
                    uint16_t at[EU_MAX_LANES]);
/* Does the direct operand stay inside the register file? */
bool eu_operand_fits(const struct eu_insn *insn, const struct eu_operand *o,
                     bool is_dst);

/* Out-of-line parts of the fast path (gather.c). */
void eu_gather_f(const struct eu_thread *t, const struct eu_op *op, unsigned s,
                 float *out);
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
