/* jit_facts.h: facts about a kernel before code is made. Data only. Analysis
 * and transformations write it, lowering only reads it. One compilation belongs
 * to one thread; all arrays lie in its arena. */
#ifndef EU_JIT_JIT_FACTS_H
#define EU_JIT_JIT_FACTS_H

#include "eu/jit/jit.h"
#include "eu/jit/x86/encode_control.h"

#define JIT_MOST_THREADS 4 /* in lockstep: lockstep.c */

/* Bits of jit_facts.start[]. */
enum {
    JIT_START = 1,
    JIT_LOOP = 2,
    JIT_INTERPRETED = 4,
    JIT_FLOW = 8,      /* jit_is_flow() */
    JIT_SEND = 16,     /* jit_is_send() */
    JIT_MODES = 32,    /* other channels may be on after it */
    JIT_MEMORY = 64,   /* jit_is_memory(), compiled as an access */
    JIT_GUARDED = 128, /* inside a guarded IF: struct jit_guarded */
};

/* One bit per GRF. */
struct jit_set {
    uint64_t w[2];
};

/* struct jit_set for computations. */
typedef uint64_t jit_bits __attribute__((vector_size(16)));

static inline jit_bits
jit_bits_of(const struct jit_set *s)
{
    jit_bits b;
    memcpy(&b, s, sizeof b);
    return b;
}

/* Loads a set just written, half by half: a load of the whole would wait for
 * the stores. */
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

/* Registers that an op reads; overwrites if all channels are on; reads or
 * writes. */
struct jit_regs {
    struct jit_set uses, kills, all;
    bool no_mask;
};

/* The masked variant before an op, and after its writes. any, seen: registers
 * that other channels may read. low, high: registers that only the active
 * channels will read, each in its own lane, of channels 0-7 or 8-15
 * (liveness.c). */
struct jit_lanes {
    jit_bits any, low, high, seen;
    /* Flag registers likewise, as halves, f0.0 first, with the bits of channels
     * 0-15. */
    uint8_t flags_any, flags_own, flags_seen;
};

/* An op of a guarded IF (transform/guard_ifs.c). Slots count dwords of the
 * thread's scratch memory from 1: an odd slot has the channels that take an IF,
 * the next one those that take its ELSE. */
#define JIT_GUARDS 16
struct jit_guarded {
    uint8_t slot; /* the channels that execute the op; 0: all */
    uint8_t into; /* IF, ELSE: the slot of what follows */
    /* What other channels get in the op's destination or flags is never
     * read. */
    bool free_dst, free_flags;
};

/* A vector pinned to a host register. */
struct jit_pin {
    uint16_t off_B, len_B;
    uint8_t reg;
    bool written; /* in the loop */
};

#define JIT_PINS 16

/* The vector whose first lane ends a loop (counted_loops.c). */
struct jit_counter {
    uint16_t off_B, len_B; /* 0: none */
    uint32_t limit;        /* or its offset in the GRF */
    bool limit_in_grf;
    enum x86_cc cc;
};

/* Ops head to end, without an inner loop. */
struct jit_loop {
    uint32_t head, end, regs;
    struct jit_counter counter;
    unsigned count;
    struct jit_pin pins[JIT_PINS];
};

/* Facts about one variant of a kernel. Analysis and transformations write them
 * in the order of session/passes.c; they are const for code that emits. */
struct jit_facts {
    struct arena *memory;
    const struct eu_kernel *k; /* the kernel, or its transformed ops */
    bool evex, unmasked;
    bool may_if_convert, if_converted;
    unsigned flags, max_lanes;
    uint32_t required_mask;     /* channels that must be on in unmasked code */
    struct eu_live_in in;       /* found for whole kernels, unmasked variant */
    uint8_t *start;             /* per op: a block begins here, and more bits */
    struct jit_set *live[2];    /* before each op: unmasked, masked variant */
    struct jit_lanes *lanes;    /* of each op, or NULL */
    struct jit_guarded *guards; /* of each op, or NULL: unmasked variant */
    struct jit_regs *regs;      /* of each op */
    bool has_flow, has_loop, has_modes;
    bool only_counts;     /* the only branches belong to counted loops */
    uint8_t clobbers;     /* enum eu_clobbers, branches aside */
    bool has_wide;        /* ops of more than eight lanes */
    bool has_ends;        /* has_flow, has_modes, or a jump */
    bool has_dynamic;     /* a branch whose target is known only at run time */
    bool has_indirect;    /* operands at addresses known only at run time */
    bool finds_flags;     /* reads the thread's initial flags or a0 */
    unsigned weights_grf; /* of the first PLN; 0: none */
    unsigned threads;     /* lockstep: threads compiled together */
    bool group; /* lockstep of a group's threads instead of a chain's */
    bool sinks; /* sink.c may move ops over messages */
    /* The kernel with other ops. order: in lockstep, the original index of each
     * op; otherwise NULL. */
    struct eu_kernel changed;
    const uint32_t *order;
    const struct eu_kernel *origin; /* the kernel as the interpreter has it */
};

/* At most 63 GRFs; registers past the last are dropped. */
static inline struct jit_set
jit_grfs(unsigned first, unsigned count)
{
    unsigned __int128 bits = (UINT64_C(1) << count) - 1;
    bits = first < EU_GRF_COUNT ? bits << first : 0;
    return (struct jit_set){{(uint64_t)bits, (uint64_t)(bits >> 64)}};
}

static inline bool
jit_set_has(const struct jit_set *s, unsigned off_B, unsigned len_B)
{
    unsigned g = off_B / EU_GRF_B, last = (off_B + len_B - 1) / EU_GRF_B;
    uint64_t bits = (UINT64_C(2) << (last - g)) - 1;
    if (g / 64 == last / 64) /* both ways: `last` is at most 127 */
        return s->w[g / 64 & 1] & bits << g % 64;
    struct jit_set r = jit_grfs(g, last - g + 1);
    return (s->w[0] & r.w[0]) | (s->w[1] & r.w[1]);
}

#endif
