/* jit_code.h: finished code, and data to run and check it. Data only: every
 * sub-room may read it. Owner: the kernel, or the caller of
 * eu_jit_compile(). Immutable but for its atomics. */
#ifndef EU_JIT_JIT_CODE_H
#define EU_JIT_JIT_CODE_H

#include "eu/jit/jit_emit.h"

struct gdb_jit;

/* Facts about ops that finished code keeps. One allocation: many small ones are
 * slow. */
struct jit_places {
    uint32_t starts; /* ops up to the last beginning of a block */
    uint32_t *label; /* per op of these: offset of the block, or 0 */
    uint32_t *body;  /* label without the block's header, unmasked variant */
    uint32_t *at;    /* per op: offset of its code */
    uint8_t *start;  /* jit_facts.start */
    struct jit_set *live[2]; /* only with EU_JIT_SPLIT or EU_JIT_STEP */
};

struct jit_masked {
    void *code;
    size_t size_B;
    struct jit_places *places; /* owned */
    uint32_t text_B;           /* instructions; constants follow */
    struct gdb_jit *gdb;
};

/* Code for two or four threads of a chain in lockstep (lockstep.c). */
struct jit_lockstep {
    void *code;
    size_t size_B;
    uint32_t begin;
    struct gdb_jit *gdb;
};

struct eu_jit {
    void *code; /* of the unmasked variant */
    size_t size_B;
    uint32_t text_B;
    bool announced; /* to profilers and debuggers, before publication */
    struct gdb_jit *gdb;
    const struct eu_kernel *kernel;
    enum cpu_level cpu;
    unsigned flags;
    uint32_t required_mask; /* channels of the unmasked variant */
    unsigned chain_grf;     /* see eu_launch_chain() */
    bool chain_weights;
    bool chains;       /* its threads may follow each other */
    bool if_converted; /* threads only enter at its beginning */
    bool lane_independent, quad_dependent; /* eu_masks_nothing() */
    bool needs_nearest;                    /* needs rounding to nearest even */
    bool needs_flush;   /* needs denormals to count as zero */
    bool needs_denorms; /* needs DF denormals kept */
    bool needs_halves;  /* needs HF denormals kept */
    uint32_t native_count;
    struct jit_places *places;       /* owned */
    jit_variant_exit *variant_exits; /* per op, if any; owned */
    uint32_t variant_exit_count;
    _Atomic(struct jit_masked *) masked; /* made when first needed; owned */
    atomic_bool masked_failed;
    struct jit_set lockstep_keeps; /* see jit_lockstep_keeps() */
    bool lockstep;                 /* lockstep code is possible */
    bool groups;                   /* also for threads of a group */
    struct {
        _Atomic(struct jit_lockstep *) code; /* owned */
        atomic_bool failed;
    } lockstep_code[2]; /* two, four; made after many chain entries */
    atomic_uint ran;    /* chain entries until then */
    atomic_uint lost;   /* chains whose threads diverged */
};

#endif
