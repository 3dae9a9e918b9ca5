/* jit.h: EU kernels as x86-64 code. Private to src/eu.
 *
 * Registers, flags and messages are those of the interpreter, bit for bit;
 * what the JIT does not compile it leaves to the interpreter's function for
 * that instruction. Any thread: code is immutable once it is published. */
#ifndef EU_JIT_H
#define EU_JIT_H

#include "base/cpu.h"
#include "eu/interp/interp.h"

enum eu_tier {
    EU_TIER_INTERP,
    EU_TIER_JIT,
    EU_TIER_CHECK, /* both, compared after every block */
};

struct eu_jit;

/* SOFTLAKE_EU, read once. */
enum eu_tier eu_tier_selected(void);

/* Runs the thread as far as compiled code goes, compiling its kernel when that
 * has not been done. If it is then still EU_RUNNING with some budget left,
 * the caller interprets. The host's float mode is the thread's. */
void eu_jit_run(struct eu_thread *t, uint64_t *left);

void eu_jit_free(struct eu_jit *jit);

/* Bit per GRF: may be read before it is written. The same for all tiers. */
struct eu_live_in {
    uint32_t need; /* channels: all of them on is `full` */
    bool acc;      /* accumulators may be read at all */
    /* No lane that is on notices what the others do (apart.c), as long as all
     * lanes of a quad are on, or none, when quads is true. */
    bool apart, quads;
    uint64_t full[2], masked[2];
    /* As in struct eu_launch. */
    bool catches, steady, last_pred, own_lit;
    uint8_t leaves;
    uint8_t last_sfid;
    uint32_t last_desc, sfids;
    struct eu_message copied;
    unsigned ends;       /* messages that end the thread */
    uint64_t written[2]; /* registers that some instruction writes */
};

/* Found once per kernel. NULL without memory. */
const struct eu_live_in *eu_kernel_live_in(const struct eu_kernel *kernel);

/* Compiled code from where the thread is, as far as it goes. */
void eu_jit_go_on(const struct eu_jit *jit, struct eu_thread *t, int64_t *left);

/* Prepares the launch for compiled code, if that is how its threads begin. */
void eu_jit_prepare(struct eu_launch *launch);

/* For tests and benchmarks: the same with explicit choices. NULL for hosts
 * with no more than SSE4. */
struct eu_jit *eu_jit_compile(const struct eu_kernel *kernel,
                              enum cpu_level cpu, unsigned flags);
enum eu_jit_flag {
    EU_JIT_SPLIT = 1,     /* every message is a block of its own, and every
                           * block looks at the budget */
    EU_JIT_STEP = 2,      /* every instruction is one */
    EU_JIT_DENORMALS = 4, /* for threads that keep them */
    EU_JIT_ALT = 8,       /* for the alternate float mode, and no other */
    EU_JIT_ROOTS = 16,    /* every root of 16 lanes in steps, not by the host's
                           * divider */
};
enum eu_status eu_jit_execute(const struct eu_jit *jit, struct eu_thread *t,
                              uint64_t budget);
/* The launch's threads run this code, whatever the environment says. */
void eu_jit_launch(const struct eu_jit *jit, struct eu_launch *launch);
/* Interprets from t as long as both agree; the first difference is described
 * in text. Messages are sent once. */
bool eu_jit_agrees(const struct eu_jit *jit, struct eu_thread *t,
                   uint64_t *left, char *text, size_t text_size);

/* Makes the code for threads with channels off now, not when one comes. */
bool eu_jit_complete(const struct eu_jit *jit);

/* Code for two or four threads of a row, now, not when many have run; or NULL.
 */
struct jit_together;
const struct jit_together *eu_jit_together(const struct eu_jit *jit,
                                           unsigned threads);

struct eu_jit_info {
    uint32_t code_B, op_count, native_count;
    bool has_masked; /* the code for threads with channels off */
    bool apart;      /* struct eu_live_in; payload of lanes that are off may
                      * be anything */
};
struct eu_jit_info eu_jit_info(const struct eu_jit *jit);
const void *eu_jit_code(const struct eu_jit *jit, size_t *size_B);

#endif
