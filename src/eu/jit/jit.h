/* jit.h: EU kernels as x86-64 code. Private to src/eu.
 *
 * Callers: eu/tiers, tests and benchmarks. Registers, flags and messages equal
 * the interpreter's bit for bit; compiled code calls the interpreter's function
 * for instructions that the JIT does not compile. Any thread: published code is
 * immutable. A struct eu_jit from eu_jit_compile() belongs to its caller;
 * others belong to their kernel. */
#ifndef EU_JIT_H
#define EU_JIT_H

#include "base/cpu.h"
#include "eu/interp/interp.h"

struct eu_jit;

void eu_jit_free(struct eu_jit *jit);
/* Bytes of all compiled code. */
size_t eu_jit_total_B(void);

/* Bit per GRF: the GRF may be read before it is written. Equal for all
 * tiers. */
struct eu_live_in {
    uint32_t required_mask; /* channels: if all are on, `full` applies */
    bool acc;               /* accumulators may be read */
    /* Lane independence (lane_deps.c): no active lane observes another one.
     * With quad_dependent, only while each quad is all on or all off. */
    bool lane_independent, quad_dependent;
    uint64_t full[2], masked[2];
    /* As in struct eu_launch. */
    bool captures_rt_write, steady, last_pred, chain_sets_mask;
    uint8_t clobbers;
    uint8_t last_sfid;
    uint32_t last_desc, sfids;
    struct eu_message sample_store;
    unsigned ends;       /* messages that end the thread */
    uint64_t written[2]; /* registers that some instruction writes */
};

/* Found once per kernel. NULL: no memory. */
const struct eu_live_in *eu_kernel_live_in(const struct eu_kernel *kernel);

/* The kernel's code, compiled by the first call, or NULL. flags: enum
 * eu_jit_flag. */
const struct eu_jit *eu_jit_code_of(const struct eu_kernel *kernel,
                                    unsigned flags);
/* The flags that the thread's float modes need. */
unsigned eu_jit_modes(const struct eu_thread *t);
/* Runs compiled code from the thread's ip until it or the budget ends. */
void eu_jit_go_on(const struct eu_jit *jit, struct eu_thread *t, int64_t *left);

/* For tests and benchmarks: eu_jit_code_of() with explicit choices. NULL on
 * hosts without AVX2. */
struct eu_jit *eu_jit_compile(const struct eu_kernel *kernel,
                              enum cpu_level cpu, unsigned flags);
enum eu_jit_flag {
    EU_JIT_SPLIT = 1,     /* each message is a block; blocks check the budget */
    EU_JIT_STEP = 2,      /* every instruction is a block */
    EU_JIT_DENORMALS = 4, /* for threads that keep denormals */
    EU_JIT_ALT = 8,       /* for the alternate float mode only */
    EU_JIT_ROOTS = 16,    /* 16-lane roots in steps, without the divider */
    EU_JIT_COUNTS = 32,   /* counts entries of basic blocks (profile/) */
    EU_JIT_LANES = 64,    /* with EU_JIT_COUNTS: lanes and branches, too */
    EU_JIT_MEMORY = 128,  /* with EU_JIT_COUNTS: memory accesses, too */
};
enum eu_status eu_jit_execute(const struct eu_jit *jit, struct eu_thread *t,
                              uint64_t budget);
/* Runs t in both tiers while they agree; text describes the first difference.
 * Sends each message once. */
bool eu_jit_agrees(const struct eu_jit *jit, struct eu_thread *t,
                   uint64_t *left, char *text, size_t text_size);

/* Makes the masked variant now instead of when first needed. */
bool eu_jit_complete(const struct eu_jit *jit);

/* Makes code for two or four threads of a chain now, instead of after many
 * runs; or NULL. */
struct jit_lockstep;
const struct jit_lockstep *eu_jit_lockstep(const struct eu_jit *compiled,
                                           unsigned threads);

struct eu_jit_info {
    uint32_t code_B, op_count, native_count;
    bool has_masked;       /* the masked variant exists */
    bool lane_independent; /* inactive payload lanes may be undefined */
};
struct eu_jit_info eu_jit_info(const struct eu_jit *jit);
/* Whether a basic block begins with the instruction at ip. */
bool eu_jit_begins_block(const struct eu_jit *jit, uint32_t ip_B);
const void *eu_jit_code(const struct eu_jit *jit, size_t *size_B);

#endif
