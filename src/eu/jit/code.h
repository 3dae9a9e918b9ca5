/* code.h: compiled code and what is kept to run and to check it. */
#ifndef EU_CODE_H
#define EU_CODE_H

#include "eu/jit/compile.h"

struct gdb_code;

/* What is known of ops once there is code. In one piece of memory, because many
 * small ones take long. */
struct jit_places {
    uint32_t starts;         /* ops up to the last one that begins a block */
    uint32_t *label;         /* of these: where the block begins, or 0 */
    uint32_t *body;          /* the same behind its header, full copy */
    uint32_t *at;            /* per op: offset of its code */
    uint8_t *start;          /* jit.start */
    struct jit_set *live[2]; /* only with EU_JIT_SPLIT or EU_JIT_STEP */
};

struct jit_masked {
    void *code;
    size_t size_B;
    struct jit_places *places; /* owned */
    uint32_t text_B;           /* instructions; constants follow */
    struct gdb_code *gdb;
};

/* For two or four threads of a row at a time (pair.c). */
struct jit_together {
    void *code;
    size_t size_B;
    uint32_t begin;
    struct gdb_code *gdb;
};

struct eu_jit {
    void *code; /* of the full copy */
    size_t size_B;
    uint32_t text_B;
    bool shown; /* to profilers and debuggers; before anyone else has it */
    struct gdb_code *gdb;
    const struct eu_kernel *kernel;
    enum cpu_level cpu;
    unsigned flags;
    uint32_t need;    /* channels of the full copy */
    unsigned row_grf; /* see eu_launch_row() */
    bool row_weights;
    bool rows;          /* such threads may follow each other */
    bool flat;          /* flat.c: threads only begin there */
    bool apart, quads;  /* which may run without some: eu_masks_nothing() */
    bool needs_nearest; /* another rounding mode is not for this code */
    bool needs_flush;   /* nor are denormal numbers */
    bool needs_denorms; /* nor one that flushes those of DF */
    bool needs_halves;  /* ... of HF */
    uint32_t native_count;
    struct jit_places *places; /* owned */
    jit_door *doors;           /* per op, as far as there are any; owned */
    uint32_t door_count;
    _Atomic(struct jit_masked *) masked; /* made when first needed; owned */
    atomic_bool masked_failed;
    struct jit_set pair_keeps; /* see jit_pair_keeps() */
    bool pairs;                /* there may be such code, */
    bool groups;               /* ... for threads of a group */
    struct {
        _Atomic(struct jit_together *) code; /* owned */
        atomic_bool failed;
    } together[2];    /* two, four; made when many rows have run */
    atomic_uint ran;  /* rows until then */
    atomic_uint lost; /* rows that did not stay together */
};

/* Runs the code from the thread's ip until it returns; false when no block
 * begins there. */
bool eu_jit_enter(const struct eu_jit *jit, struct eu_thread *t, int64_t *left);
bool eu_jit_enters(const struct eu_jit *jit, const struct eu_thread *t);

/* NULL when it cannot be made. */
const struct jit_masked *eu_jit_masked(const struct eu_jit *jit);

void eu_jit_free_together(struct jit_together *code);
/* eu_launch.two */
bool eu_jit_run_two(const struct eu_launch *l, struct eu_thread *t,
                    uint64_t budget);
/* eu_launch.pairs */
bool eu_jit_run_pairs(const struct eu_launch *l, struct eu_thread *t,
                      int64_t *left);

/* Makes the code known to profilers and debuggers that asked (show.h), this
 * copy now and the masked one when it is made. */
void eu_jit_show(struct eu_jit *jit);

#endif
