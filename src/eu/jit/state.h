/* state.h: what is known of a kernel, and of the code so far, while it is
 * compiled. */
#ifndef EU_STATE_H
#define EU_STATE_H

#include "eu/jit/jit.h"
#include "eu/jit/scratch.h"
#include "eu/jit/x86_control.h"

#define JIT_VREGS 32
#define JIT_MOST_THREADS 4 /* in lockstep: pair.c */

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

/* Of one that is not in memory yet, half by half: as a whole it would have to
 * wait until it is. */
static inline jit_bits
jit_bits_new(struct jit_set s)
{
    return (jit_bits){s.w[0], s.w[1]};
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
    JIT_PLANE_U, /* PLN's operands: every other register; may be dirty, too */
    JIT_PLANE_V,
    JIT_HALVES, /* consecutive halves of it, as F */
    JIT_HALF,   /* one of them, in all lanes */
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
    uint32_t limit;        /* or where it is */
    bool limit_in_grf;
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
    uint8_t flags; /* the mask register that comparisons are for; 0: any */
    struct jit_set others; /* what parts read that are still to come */
};

/* Which of up to 64 ops read a GRF, the first one as bit 0 (evict.c). */
struct jit_ahead {
    uint32_t from, end;
    bool whole; /* up to the block's end */
    uint64_t readers[EU_GRF_COUNT];
};

/* What the code knows of one of several threads (pair.c). */
struct jit_side {
    struct jit_vregs v;
    uint8_t flag_at[2];
    struct jit_loop *loops;
    const struct jit_loop *loop;
};

struct jit {
    struct x86 x;
    const struct eu_kernel *k; /* the kernel, or changed */
    bool evex, full;
    bool flattens, flat; /* may, and did: flat.c */
    unsigned flags, max_lanes;
    struct jit_vregs v;
    uint32_t need;        /* channels that must be on in the full copy */
    struct eu_live_in in; /* found for whole kernels, full copy */
    /* Of the instruction's operands, those that nobody reads after it. */
    struct jit_set dying;

    /* Mask registers that hold exec masks, 0xff: none. */
    uint8_t exec_chan[2];
    /* The full copy has no exec masks: the same registers hold 16 bits of f0
     * and f1, from this one on; 0xff: none. */
    uint8_t flag_at[2];

    uint8_t *start;          /* per op: a block begins here */
    struct jit_set *live[2]; /* before each op: in the full, masked copy */
    struct jit_lanes *lanes; /* of each op, or NULL */
    bool has_flow, has_loop, has_modes;
    bool only_counts;  /* there are no branches but those of loops that count */
    uint8_t leaves;    /* enum eu_leaves, branches aside */
    bool has_wide;     /* ops of more than eight lanes */
    bool has_ends;     /* any of these, or a jump */
    bool has_dynamic;  /* ... to where only a running thread knows */
    bool has_indirect; /* operands, likewise */
    bool finds_flags;  /* or address registers, as they begin */
    unsigned weights_grf; /* of the first PLN; 0: there is none */
    uint32_t *label;      /* per op: offset of the block's code */
    uint32_t *body;       /* the same behind its header, full copy */
    uint32_t *at;         /* per op: offset of its code */
    jit_door *doors; /* full copy, of its own memory: offsets, then addresses */
    uint32_t door_count;
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
    /* Where the threads of a row begin but for the first one, with what
     * they have of their own in these registers: those from row_grf on. 0: they
     * do not. */
    uint32_t row_at;
    unsigned row_grf;
    uint8_t row_reg[EU_ROW_GRF];
    bool asks; /* an op so far may look at which channels are on */
    /* Code for so many threads of a row together, now for this one: pair.c. */
    unsigned threads, nth;
    struct jit_side *side; /* of each, but for the one that it is now for */
    bool group;            /* they are of a group, not of a row */
    bool wrote;            /* memory, or asked others to */
    bool spills;           /* some value had no register */
    bool sinks;            /* ops move, whatever they send: sink.c */
    uint32_t native_count;
    uint32_t text_B;
    /* Up to where in the code the host's divider has work, and how many roots
     * came before it was done: lower_roots.c. */
    uint32_t divides_until, late_roots;
    bool needs_nearest; /* only right while rounding to nearest even */
    bool needs_flush;   /* ... while denormals count as zero */
    bool needs_denorms; /* only right while cr0 keeps those of DF */
    bool needs_halves;  /* ... of HF */
    bool keeps_denorms; /* the host's mode now is that of DF */
    bool crowded;       /* an instruction needs more registers than there are */
    bool failed;
    /* What compiling needs of the kernel, with other ops, in another order for
     * threads in lockstep: which one each is; or NULL. */
    struct eu_kernel changed;
    const uint32_t *order;
    const struct eu_kernel *origin; /* as the interpreter has it */
    struct jit_ahead ahead;         /* last: its readers are not cleared */
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
    unsigned g = off_B / EU_GRF_B, last = (off_B + len_B - 1) / EU_GRF_B;
    uint64_t bits = (UINT64_C(2) << (last - g)) - 1;
    if (g / 64 == last / 64) /* in both ways the last one is 127 at most */
        return s->w[g / 64 & 1] & bits << g % 64;
    struct jit_set r = jit_grfs(g, last - g + 1);
    return (s->w[0] & r.w[0]) | (s->w[1] & r.w[1]);
}

#endif
