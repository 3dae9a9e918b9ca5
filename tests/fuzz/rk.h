/* rk.h: random kernels, and their execution on both tiers.
 *
 * A seed determines everything: the code, its initial state and the comparison
 * of the tiers. Users: the unit tests, random_kernels. No state but the
 * caller's struct rk, any thread. */
#ifndef RK_H
#define RK_H

#include "eu/jit/jit.h"
#include "eu/profile/profile_file.h"
#include "eu/tiers/kernel.h"
#include "eu/tiers/tiers.h"

#define RK_MAX_INSNS 640
#define RK_MAX_B (RK_MAX_INSNS * 16)

/* The choice of an operation's NaN is unspecified. Code that is compared as a
 * whole therefore keeps its results in banks, so that no integer ever depends
 * on a NaN. */
enum rk_bank { RK_FLOAT, RK_INT, RK_HALF, RK_DOUBLE, RK_BANKS };

enum rk_mode {
    RK_BLOCKS,  /* compared after every block; banks */
    RK_WHOLE,   /* only the messages are compared; banks */
    RK_STEPS,   /* compared after every instruction; registers are mixed */
    RK_DAMAGED, /* like RK_STEPS, with bits of the code flipped */
    RK_MODES,
};

/* An instruction whose target is not yet known. */
struct rk_open {
    uint16_t insn;
    uint8_t what; /* enum rk_target */
    uint8_t depth;
};

struct rk {
    uint64_t random;
    enum rk_mode mode;
    enum eu_gen gen;
    unsigned simd;
    bool banks, plain;
    bool counts; /* compares counts of instructions, too, in RK_WHOLE */
    bool lanes;  /* and with them lanes and branches */
    bool quiet; /* loops send no messages: compiled code keeps more in registers
                 */
    enum rk_bank acc; /* the accumulators' bank, if there are banks */
    uint8_t code[RK_MAX_B];
    uint32_t size_B;
    uint32_t at_B[RK_MAX_INSNS]; /* of each instruction */
    unsigned count;
    unsigned depth, loop_depth, calls;
    bool in_loop, in_call;
    uint16_t call[4]; /* CALLs without a function so far */
    struct rk_open open[64];
    unsigned open_count;
};

/* rk_kernel.c */
void rk_make(struct rk *k, uint64_t seed);

/* rk_insn.c: adds one valid instruction that computes; false: none found. */
bool rk_add_alu(struct rk *k);

/* rk_macro.c: the parts of IEEE macros. */
struct rk_channels {
    unsigned first, count;
    unsigned flag; /* register * 2 + half */
};
void rk_put_channels(uint32_t dw[4], const struct rk_channels *c);
/* math.invm or math.rsqtm, and madm, of random registers. */
void rk_add_invm(struct rk *k, const struct rk_channels *c, enum eu_type type);
void rk_add_madm(struct rk *k, const struct rk_channels *c, enum eu_type type);

/* rk_private.c: accesses to a private array in registers. */
void rk_add_private(struct rk *k);

/* rk_emit.c */
uint32_t rk_rnd(struct rk *k, uint32_t n);
bool rk_chance(struct rk *k, unsigned percent);
uint32_t rk_bits_f(struct rk *k);
uint32_t rk_bits_i(struct rk *k);
uint16_t rk_bits_hf(struct rk *k);
uint64_t rk_bits_df(struct rk *k);
enum rk_bank rk_bank_of(enum eu_type type);
/* A register with at least `span` more after it. */
uint8_t rk_reg(struct rk *k, enum rk_bank bank, unsigned span_grf);
enum rk_bank rk_reg_bank(unsigned grf);
unsigned rk_append(struct rk *k, const uint32_t dw[4]);
void rk_put_exec(struct rk *k, uint32_t dw[4], unsigned exec_size);
void rk_add_nop(struct rk *k);
/* mov(1) of an immediate to an architecture register. */
void rk_add_mov_arf(struct rk *k, unsigned reg, unsigned subreg_B,
                    enum eu_type type, uint32_t imm);
void rk_add_arf(struct rk *k);
void rk_add_send(struct rk *k, unsigned reg, unsigned mlen, unsigned rlen,
                 bool eot);
void rk_add_random_send(struct rk *k);

/* rk_run.c */
#define RK_SLOT 8 /* where a kernel's counters begin, if rk.counts is set */
#define RK_COUNTERS \
    (RK_SLOT +      \
     RK_MAX_B / 8 * \
         (PROFILE_MEMORY_ARRAYS + PROFILE_BIN_SETS * PROFILE_BINS_MAX))
/* Whether two arrays of counters say the same of each instruction: of two runs
 * of which compiled code or the interpreter may have counted parts. */
bool rk_same_counts(const struct eu_jit *jit, const struct eu_kernel *kernel,
                    const uint64_t *compiled, const uint64_t *reference,
                    char *text, size_t text_size);
struct rk_result {
    bool built, finished;
    uint32_t op_count, native_count;
};
/* Returns false if the tiers differ; text says where. */
bool rk_run(const struct rk *k, uint64_t seed, enum cpu_level cpu,
            struct rk_result *result, char *text, size_t text_size);
/* The steps of rk_run(). rk_answer() is a send function for threads whose user
 * is a struct rk_log. Its answers depend on all messages so far, or only on
 * lanes that are on. */
struct rk_log {
    uint64_t hash;
    unsigned count;
    bool lanes;
};
enum eu_msg_result rk_answer(struct eu_thread *t, const struct eu_message *m);
struct eu_start rk_start(struct rk *k, const struct eu_kernel *kernel);
void rk_fill_registers(struct rk *k, struct eu_thread *t);
/* Notifies a thread that waits, a limited number of times. */
bool rk_notify(struct eu_thread *t, unsigned *patience);
const char *rk_mode_name(enum rk_mode mode);

#endif
