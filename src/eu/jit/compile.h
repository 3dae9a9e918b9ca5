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

#include "eu/jit/jit.h"
#include "eu/jit/x86.h"

#define JIT_VREGS 32

/* Bits of jit.start[]. */
enum {
    JIT_START = 1,
    JIT_LOOP = 2,
    JIT_INTERPRETED = 4,
    JIT_FLOW = 8,    /* jit_is_flow() */
    JIT_SEND = 16,   /* jit_is_send() */
    JIT_MODES = 32,  /* behind it other channels may be on */
    JIT_MEMORY = 64, /* jit_is_memory(), and nobody needs to see it */
};

/* One bit per GRF. */
struct jit_set {
    uint64_t w[2];
};

/* The same for what is computed with them. */
typedef uint64_t jit_bits __attribute__((vector_size(16)));

static inline jit_bits
jit_bits_of(const struct jit_set *s)
{
    jit_bits b;
    memcpy(&b, s, sizeof b);
    return b;
}

static inline void
jit_set_bits(struct jit_set *s, jit_bits b)
{
    memcpy(s, &b, sizeof *s);
}

/* What an op reads, overwrites when all channels are on, and either reads or
 * writes. */
struct jit_regs {
    struct jit_set uses, kills, all;
    bool no_mask;
};

/* The masked copy before an op, and behind what it writes: registers that other
 * channels may see, and those that only the channels now on will read, each in
 * its own lane, of channels 0-7 or 8-15 (live.c). */
struct jit_lanes {
    jit_bits any, low, high, seen;
    /* The same of halves of flag registers, f0.0 first, with the bits of
     * channels 0-15. */
    uint8_t flags_any, flags_own, flags_seen;
};

enum jit_kind {
    JIT_TEMP,
    JIT_GRF,     /* consecutive dwords of the register file */
    JIT_BCAST,   /* one dword of it, in all lanes */
    JIT_NEG,     /* consecutive floats of it, negated */
    JIT_PLANE_U, /* PLN's operands: every other register */
    JIT_PLANE_V,
    JIT_CONST,
    JIT_EXEC, /* masks_vex.c */
    JIT_FLAGS,
};

struct jit_vreg {
    enum jit_kind kind;
    uint16_t off_B, len_B;
    uint32_t value; /* JIT_CONST; what masks are of */
};

/* Sets of registers have one bit for each. */
struct jit_vregs {
    uint32_t all;    /* that the host has */
    uint32_t pinned; /* but for these, which a loop has for itself (loops.c) */
    uint32_t used;   /* hold anything */
    uint32_t named;  /* hold part of the register file */
    uint32_t dirty;  /* ... that is older in memory */
    uint32_t locked; /* operands of the instruction being compiled */
    uint32_t temps;  /* of kind JIT_TEMP */
    uint32_t normal; /* hold no denormal number: see jit_note_normal() */
    uint32_t recent; /* used since the others were passed over */
    uint32_t touch[EU_GRF_COUNT]; /* which hold part of a GRF */
    uint32_t next[JIT_VREGS];     /* evict.c; not known up to jit.here */
    struct jit_vreg reg[JIT_VREGS];
};

/* From an op in a loop: its index, plus 1. */
struct jit_jump {
    uint32_t at, op;
    uint32_t from, loop;
};

/* Code of an op that is out of the way of the rest, because it seldom runs. */
struct jit_cold {
    struct jit_jump jump;
    uint32_t back;
};

/* A vector with a register of its own. */
struct jit_pin {
    uint16_t off_B, len_B;
    uint8_t reg;
    bool written; /* in the loop */
};

#define JIT_PINS 16

/* The vector that says when a loop ends, by its first lane (counters.c). */
struct jit_counter {
    uint16_t off_B, len_B; /* 0: there is none */
    uint32_t limit;
    enum x86_cc cc;
};

/* Ops head to end, without any other loop. */
struct jit_loop {
    uint32_t head, end, regs;
    struct jit_counter counter;
    unsigned count;
    struct jit_pin pins[JIT_PINS];
};

/* reg{k} := reg * factor, where the flags say that it is needed: out of the
 * way of the rest. */
struct jit_rescue {
    uint32_t from, back;
    uint8_t reg, k, len;
    float factor;
};

/* Where the full copy goes on in the masked one, per op. */
typedef _Atomic(uintptr_t) jit_door;

/* An instruction's mask in the form of the target. */
struct jit_mask {
    uint32_t all : 1;
    uint32_t inverted : 1; /* the other lanes (only of jit_op_pred) */
    uint32_t k : 8;        /* mask register, or with AVX2 a vector register */
};

/* Up to 16 (AVX-512) or 8 (AVX2) lanes of an instruction. */
struct jit_part {
    unsigned first, lanes, len;
    struct jit_mask mask;
    struct jit_set others; /* what parts read that are still to come */
};

/* Which of up to 64 ops read a GRF, the first one as bit 0 (evict.c). */
struct jit_ahead {
    uint32_t from, end;
    bool whole; /* up to the block's end */
    uint64_t readers[EU_GRF_COUNT];
};

/* What the code knows of one of two threads (pair.c). */
struct jit_side {
    struct jit_vregs v;
    uint8_t flag_at[2];
    struct jit_loop *loops;
    const struct jit_loop *loop;
};

struct jit {
    struct x86 x;
    const struct eu_kernel *k;
    bool evex, full;
    unsigned flags, max_lanes;
    struct jit_vregs v;
    uint32_t need;        /* channels that must be on in the full copy */
    struct eu_live_in in; /* found for whole kernels, full copy */
    /* Of the instruction's operands, those that nobody reads after it. */
    struct jit_set dying;
    struct jit_ahead ahead;

    /* Mask registers that hold exec masks, 0xff: none. */
    uint8_t exec_chan[2];
    /* The full copy has no exec masks: the same registers hold 16 bits of f0
     * and f1, from this one on; 0xff: none. */
    uint8_t flag_at[2];

    void *kept;     /* the memory of what goes on living with the code: */
    uint8_t *start; /* per op: a block begins here */
    struct jit_set *live[2]; /* before each op: in the full, masked copy */
    struct jit_lanes *lanes; /* of each op, or NULL */
    bool has_flow, has_loop, has_modes;
    uint8_t leaves;        /* enum eu_leaves, branches aside */
    bool has_wide;         /* ops of more than eight lanes */
    bool has_ends;         /* any of these, or a jump */
    bool has_dynamic;      /* ... to where only a running thread knows */
    uint32_t *label;       /* per op: offset of the block's code */
    uint32_t *body;        /* the same behind its header, full copy */
    uint32_t *at;          /* per op: offset of its code */
    jit_door *doors;       /* full copy: offsets, later addresses */
    struct jit_regs *regs; /* of each op */
    uint32_t *stub; /* per op: offset of the code that goes to the other copy */
    struct jit_loop *loops;      /* with pinned registers */
    const struct jit_loop *loop; /* that code is now made for, or NULL */
    uint32_t loop_count, loop_capacity;
    uint32_t *inner; /* per op: like label, for jumps inside such a loop */
    uint32_t here;   /* the op that is being compiled */
    const struct eu_jit *other; /* masked copy: the full one */
    struct jit_jump *jumps;
    uint32_t jump_count, jump_capacity;
    struct jit_jump *crossings; /* jumps to the other copy */
    uint32_t crossing_count, crossing_capacity;
    struct jit_jump *exits; /* ... out of the code */
    uint32_t exit_count, exit_capacity;
    struct jit_cold *colds;
    uint32_t cold_count, cold_capacity;
    struct jit_miss *misses; /* lower_memory.c */
    uint32_t miss_count, miss_capacity;
    uint32_t *trig_calls; /* to the code for large angles */
    uint32_t trig_count, trig_capacity;
    struct jit_rescue *rescues;
    uint32_t rescue_count, rescue_capacity;
    uint32_t *returns;
    uint32_t return_count, return_capacity;
    /* Where the threads of a row begin but for the first one, with their
     * weights in these registers: those from row_grf on. 0: they do not. */
    uint32_t row_at;
    unsigned row_grf;
    uint8_t row_reg[EU_ROW_GRF];
    bool asks;             /* an op so far may look at which channels are on */
    bool pair, second;     /* code for two threads, now for the second one */
    struct jit_side *side; /* the other thread's */
    uint32_t native_count;
    uint32_t text_B;
    bool needs_nearest; /* only right while rounding to nearest even */
    bool needs_flush;   /* ... while denormals count as zero */
    bool needs_denorms; /* only right while cr0 keeps those of DF */
    bool keeps_denorms; /* the host's mode now is that of DF */
    bool crowded;       /* an instruction needs more registers than there are */
    bool failed;
};

/* At most 63 GRFs; what would be behind the last is left out. */
static inline struct jit_set
jit_grfs(unsigned first, unsigned count)
{
    unsigned __int128 bits = (UINT64_C(1) << count) - 1;
    bits <<= first;
    return (struct jit_set){{(uint64_t)bits, (uint64_t)(bits >> 64)}};
}

static inline bool
jit_set_has(const struct jit_set *s, unsigned off_B, unsigned len_B)
{
    unsigned g = off_B / EU_GRF_B;
    struct jit_set r = jit_grfs(g, (off_B + len_B - 1) / EU_GRF_B - g + 1);
    return (s->w[0] & r.w[0]) | (s->w[1] & r.w[1]);
}

/* liveness.c: blocks, registers, and with whole what the kernel's first
 * instruction finds. */
bool jit_analyse(struct jit *j, bool whole);
/* live.c: what the op that is being compiled leaves in lanes of channels that
 * are off does not matter. */
bool jit_is_unseen(const struct jit *j, const struct eu_op *op);
bool jit_flags_unseen(const struct jit *j, const struct eu_op *op);
/* apart.c: follows the instructions one by one, in their order. */
struct jit_apart {
    const struct eu_op *op;
    const struct jit_regs *regs;
    int16_t grf[EU_GRF_COUNT];
    int16_t flag[2][2]; /* per 16 bits; dword i is bit i of 32 */
    bool quads;         /* lanes of a quad may see each other */
    bool rubbish;       /* of the instruction now followed: it reads some */
    bool ended;         /* and all went well */
};
void jit_apart_begin(struct jit_apart *f);
/* False: no more. */
bool jit_apart_follow(struct jit_apart *f, const struct eu_op *op,
                      const struct jit_regs *regs);
/* The op ends a block: control flow. */
bool jit_is_flow(const struct eu_op *op);
bool jit_is_send(const struct eu_op *op);
bool jit_is_unreached(const struct jit *j, uint32_t i);

/* loops.c */
bool jit_find_loops(struct jit *j);
/* The loop that the op is in, if it has pinned registers; or NULL. */
const struct jit_loop *jit_loop_at(const struct jit *j, uint32_t op);
/* A block begins, with nothing in registers: after this what is pinned is. */
void jit_enter_loop(struct jit *j, uint32_t op);
/* The register that is pinned to exactly this vector, or -1. */
int jit_pin_of(const struct jit *j, unsigned off_B, unsigned len_B);
/* What is live is in memory, or where it is pinned. */
void jit_end_block(struct jit *j, const struct jit_set *live);
/* Code for jumps out of loops and into them, behind all blocks. */
void jit_leave_loops(struct jit *j);
void jit_enter_loops(struct jit *j);

/* counters.c */
void jit_find_counter(const struct jit *j, struct jit_loop *l);
/* The op is the comparison of such a loop, which is not made; or the BREAK that
 * follows, offset 1. */
static inline bool
jit_counts(const struct jit *j, uint32_t op, uint32_t offset)
{
    return j->loop && j->loop->counter.len_B && op == j->loop->head + offset;
}
uint32_t jit_test_counter(struct jit *j);
void jit_counter_flags(struct jit *j, const struct eu_op *op);

/* vregs.c */
#define JIT_BIT(r) (UINT32_C(1) << (r))

/* The lowest register of a set that is not empty. */
static inline unsigned
jit_first(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

/* When none is free. */
unsigned jit_evict(struct jit *j);
/* evict.c: one of the set, which is not empty. */
unsigned jit_farthest(struct jit *j, uint32_t set);

static inline unsigned
jit_temp(struct jit *j)
{
    struct jit_vregs *v = &j->v;
    uint32_t set = v->all & ~v->pinned & ~v->used;
    unsigned r = set ? jit_first(set) : jit_evict(j);
    v->used |= JIT_BIT(r);
    v->locked |= JIT_BIT(r);
    v->temps |= JIT_BIT(r);
    v->recent |= JIT_BIT(r);
    v->normal &= ~JIT_BIT(r);
    v->reg[r].kind = JIT_TEMP;
    return r;
}

static inline void
jit_touch(struct jit_vregs *v, unsigned r)
{
    v->locked |= JIT_BIT(r);
    v->recent |= JIT_BIT(r);
}

/* Registers that may hold part of these bytes. */
static inline uint32_t
jit_touching(const struct jit_vregs *v, unsigned off_B, unsigned len_B)
{
    unsigned g = off_B / EU_GRF_B, last = (off_B + len_B - 1) / EU_GRF_B;
    uint32_t set = 0;
    for (; g <= last; g++)
        set |= v->touch[g & (EU_GRF_COUNT - 1)];
    return set;
}

static inline int
jit_find(struct jit *j, enum jit_kind kind, unsigned off_B, unsigned len_B)
{
    for (uint32_t set = jit_touching(&j->v, off_B, 1); set; set &= set - 1) {
        unsigned r = jit_first(set);
        const struct jit_vreg *v = &j->v.reg[r];
        if (v->off_B == off_B && v->kind == kind && v->len_B >= len_B) {
            jit_touch(&j->v, r);
            return (int)r;
        }
    }
    return -1;
}

unsigned jit_vec(struct jit *j, unsigned off_B, unsigned len_B);
/* Like jit_vec, but the register is exactly this long: for merging. */
unsigned jit_vec_exact(struct jit *j, unsigned off_B, unsigned len_B);
/* The register has the result of an F instruction that flushes denormals, if
 * all do; later ones may ask. */
void jit_note_normal(struct jit *j, unsigned reg);
bool jit_is_normal(struct jit *j, unsigned reg);
/* Of values in all lanes, whatever op they are for. */
static inline unsigned
jit_full_len(const struct jit *j)
{
    return j->evex && j->has_wide ? 2 : 1;
}
/* To be read only: a dword that has to be in a register is found there. */
unsigned jit_read(struct jit *j, struct x86_rm rm, unsigned len);
/* A dword in all lanes: memory operand or register. */
struct x86_rm jit_bcast(struct jit *j, unsigned off_B);
struct x86_rm jit_dword(struct jit *j, uint32_t value);
/* In a register that later instructions find. */
unsigned jit_dword_reg(struct jit *j, uint32_t value);
void jit_note(struct jit *j, unsigned reg, enum jit_kind kind, unsigned off_B,
              unsigned len_B);
/* Memory in the range is up to date. */
void jit_sync(struct jit *j, unsigned off_B, unsigned len_B);
/* ... and nothing caches it: it is about to be written. */
void jit_sync_drop(struct jit *j, unsigned off_B, unsigned len_B);
/* The register is the new value of these dwords. */
void jit_bind(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B);
bool jit_dies(const struct jit *j, unsigned off_B, unsigned len_B);
/* Makes an operand that dies a temporary, which may be overwritten. */
bool jit_take_over(struct jit *j, unsigned reg);
/* Nothing is in a register but what is in the register file. */
void jit_drop_derived(struct jit *j);
void jit_flush(struct jit *j, const struct jit_set *live);
/* The same without these registers. */
void jit_flush_but(struct jit *j, const struct jit_set *live, uint32_t without);
void jit_drop_dead(struct jit *j, const struct jit_regs *regs,
                   const struct jit_set *live);
void jit_forget(struct jit *j);
/* A temporary is needed no longer. */
void jit_release(struct jit *j, unsigned reg);
/* Ends the life of an instruction's operands, but for these registers. */
void jit_unlock_but(struct jit *j, uint32_t keep);
unsigned jit_len(unsigned len_B);
void jit_load_len(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B);
void jit_store_len(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B);

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
struct x86_rm jit_src_int(struct jit *j, const struct eu_op *op, unsigned s,
                          const struct jit_part *p);
unsigned jit_in_reg(struct jit *j, struct x86_rm rm, unsigned len);
/* BROADCASTSS reads its dword plainly. */
static inline struct x86_rm
jit_as_memory(struct x86_rm rm)
{
    rm.bcast = false;
    return rm;
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
unsigned jit_lower_math(struct jit *j, const struct eu_op *op,
                        const struct jit_part *p, struct x86_rm a,
                        struct x86_rm b);
bool jit_int_ok(const struct jit *j, const struct eu_op *op);
unsigned jit_lower_int(struct jit *j, const struct eu_op *op,
                       const struct jit_part *p);

/* lower_double.c */
bool jit_lower_double(struct jit *j, const struct eu_op *op);
/* The host's float mode is to be that of F, or the one that keeps denormals. */
void jit_float_mode(struct jit *j, bool keeps_denorms);

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
/* What the first PLN has its weights in, or 0. */
unsigned jit_weights_grf(const struct jit *j);
/* Whether thread->caught can have the message, the thread's last. */
bool jit_is_caught(const struct eu_op *op);

/* compile.c */
struct jit jit_compiler(const struct eu_kernel *kernel, enum cpu_level cpu,
                        unsigned flags);
bool jit_allocate(struct jit *j);
void jit_prologue(struct jit *j);
/* False: it is the interpreter's. */
bool jit_compile_alu(struct jit *j, const struct eu_op *op);
/* Operands of an op for the last time, or until it writes them. */
struct jit_set jit_dying_at(const struct jit *j, uint32_t op);
void jit_finish(struct jit *j);

/* pair_fits.c: whether there may be code for two threads of a row, which
 * jit.row_grf names even where they cannot follow each other one at a time. */
bool jit_makes_pairs(struct jit *j);
/* Registers that each of them has to find as the row's first one does. */
struct jit_set jit_pair_keeps(const struct jit *j);

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
