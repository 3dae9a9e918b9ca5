/* jit_emit.h: a variant's code under construction. Data only. One compilation
 * belongs to one thread; arrays lie in its arena. */
#ifndef EU_JIT_JIT_EMIT_H
#define EU_JIT_JIT_EMIT_H

#include "eu/jit/jit_facts.h"

#define JIT_HOST_REGS 32

enum jit_kind {
    JIT_TEMP,
    JIT_GRF,     /* consecutive dwords of the register file */
    JIT_BCAST,   /* one dword of it, broadcast */
    JIT_NEG,     /* consecutive floats, negated */
    JIT_PLANE_U, /* PLN's operands: every other register; may be dirty */
    JIT_PLANE_V,
    JIT_HALVES, /* consecutive halves, as F */
    JIT_HALF,   /* one half as F, broadcast */
    JIT_CONST,
    JIT_EXEC, /* masks_vex.c */
    JIT_FLAGS,
};

struct jit_cached_reg {
    enum jit_kind kind;
    uint16_t off_B, len_B;
    uint32_t value; /* JIT_CONST; or the source of a mask */
};

/* Host registers, as sets with one bit each. */
struct jit_reg_cache {
    uint32_t all;    /* existing on the host */
    uint32_t pinned; /* by a loop: loop_pins.c */
    uint32_t used;   /* in use */
    uint32_t named;  /* hold part of the register file */
    uint32_t dirty;  /* named and newer than memory */
    uint32_t locked; /* operands of the instruction being compiled */
    uint32_t temps;  /* of kind JIT_TEMP */
    uint32_t normal; /* hold no denormal number: see jit_note_normal() */
    uint32_t recent; /* used since the last reset: spill.c */
    uint32_t touch[EU_GRF_COUNT]; /* registers that hold part of a GRF */
    uint32_t next[JIT_HOST_REGS]; /* spill.c: unknown up to jit.here */
    struct jit_cached_reg reg[JIT_HOST_REGS];
};

/* A jump from an op in a loop has its index plus 1. */
struct jit_jump {
    uint32_t at, op;
    uint32_t from, loop;
};

/* A jump for an address outside of the registers, in one of the ops from `op`
 * to `last`. No op has run yet. */
struct jit_outside {
    uint32_t at, op, last;
};

/* Out-of-line code of an op, rarely executed. */
struct jit_out_of_line {
    struct jit_jump jump;
    uint32_t back;
};

/* Counters of a block that begins without some lane (emit_counts.c). */
struct jit_partial_block {
    uint32_t at, back, op;
};

/* Denorm fixup, out of line: reg{k} := reg * factor, if the flags require
 * it. */
struct jit_denorm_fixup {
    uint32_t from, back;
    uint8_t reg, k, len;
    float factor;
};

/* Variant exit, per op: where the unmasked variant continues in the masked one.
 */
typedef _Atomic(uintptr_t) jit_variant_exit;

/* An instruction's mask, in the host's form. */
struct jit_mask {
    uint32_t all : 1;
    uint32_t inverted : 1; /* the complement (only from jit_op_pred) */
    uint32_t k : 8;        /* mask register, or with AVX2 a vector register */
};

/* Up to 16 (AVX-512) or 8 (AVX2) lanes of an instruction. */
struct jit_part {
    unsigned first, lanes, len;
    struct jit_mask mask;
    uint8_t flags;         /* mask register for comparisons to set; 0: any */
    struct jit_set others; /* registers that later parts read */
};

/* The ops that read a GRF, of up to 64, the first as bit 0 (spill.c). */
struct jit_ahead {
    uint32_t from, end;
    bool whole; /* reaches the block's end */
    uint64_t readers[EU_GRF_COUNT];
};

/* Compiler state of one of several threads (lockstep.c). */
struct jit_side {
    struct jit_reg_cache v;
    uint8_t flag_at[2];
    struct jit_loop *loops;
    const struct jit_loop *loop;
};

/* One variant's code under construction: registers, jumps, the encoder. */
struct jit {
    const struct jit_facts *f;
    struct x86 x;
    struct jit_reg_cache v;
    /* Operands of the instruction that no later one reads. */
    struct jit_set dying;

    /* Mask registers that hold exec masks; 0xff: none. */
    uint8_t exec_chan[2];
    /* The unmasked variant has no exec masks: these registers hold 16 bits of
     * f0 and f1, from this bit on; 0xff: none. */
    uint8_t flag_at[2];
    /* Slot of the channels that execute the block, or 0: struct jit_guarded.
     * exec_chan[0] is the slot whose channels are in a mask register. */
    uint8_t guard;

    uint32_t *label; /* per op: offset of the block's code */
    uint32_t *body;  /* label without the block's header, unmasked variant */
    uint32_t *at;    /* per op: offset of its code */
    jit_variant_exit *variant_exits; /* unmasked variant, allocated separately:
                                        offsets, then addresses */
    uint32_t variant_exit_count;
    uint32_t *stub; /* per op: offset of the exit to the other variant */
    struct jit_loop *loops;      /* with pinned registers */
    const struct jit_loop *loop; /* the loop being compiled, or NULL */
    uint32_t loop_count, loop_capacity;
    uint32_t *inner;            /* per op: label for jumps inside such a loop */
    uint32_t here;              /* the op that is being compiled */
    const struct eu_jit *other; /* masked variant: the unmasked one */
    struct jit_jump *jumps;
    uint32_t jump_count, jump_capacity;
    struct jit_jump *crossings; /* jumps to the other variant */
    uint32_t crossing_count, crossing_capacity;
    struct jit_jump *exits; /* jumps out of the code */
    uint32_t exit_count, exit_capacity;
    struct jit_out_of_line *out_of_line;
    uint32_t out_of_line_count, out_of_line_capacity;
    struct jit_partial_block *partial_blocks;
    uint32_t partial_count, partial_capacity;
    struct jit_slow_path *slow_paths; /* lower_memory.c */
    uint32_t slow_path_count, slow_path_capacity;
    uint32_t *trig_calls; /* calls of the code for large angles */
    uint32_t trig_count, trig_capacity;
    struct jit_denorm_fixup *denorm_fixups;
    uint32_t denorm_fixup_count, denorm_fixup_capacity;
    struct jit_outside *outside; /* of operands outside the registers */
    uint32_t outside_count, outside_capacity;
    uint32_t *returns;
    uint32_t return_count, return_capacity;
    /* Chain: entry of each thread but the first, with its own payload in these
     * registers from chain_grf on. 0: no chain. */
    uint32_t chain_at;
    unsigned chain_grf;
    uint8_t chain_reg[EU_CHAIN_GRF];
    bool asks; /* an op so far may read which channels are on */
    /* Stores to a private array: scalar_int_moves.c. */
    struct {
        uint32_t first, last; /* ops */
        bool checked;
    } stores;
    /* Lockstep: the thread of f->threads that code is being made for. */
    unsigned nth;
    struct jit_side *side; /* of each thread but the current one */
    uint32_t borrowed;     /* registers of the other thread: regs/sides.c */
    bool wrote;            /* wrote memory or sent a message */
    uint32_t spills;       /* values that found no register */
    uint32_t native_count;
    uint32_t text_B;
    /* End of the code during which the host's divider is busy, and roots that
     * came earlier: lower_sqrt.c. */
    uint32_t divides_until, late_roots;
    bool needs_nearest;    /* needs rounding to nearest even */
    bool needs_flush;      /* needs denormals to count as zero */
    bool needs_denorms;    /* needs DF denormals kept */
    bool needs_halves;     /* needs HF denormals kept */
    bool keeps_denorms;    /* the host now keeps DF denormals */
    bool out_of_registers; /* an instruction needs more registers than exist */
    bool failed;
    struct jit_ahead ahead; /* last: its readers are not cleared */
};

#endif
