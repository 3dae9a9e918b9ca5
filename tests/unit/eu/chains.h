/* chains.h: random kernels that can be launched as chains, and runs of their
 * single threads, for the tests of launches and chains. One test at a time:
 * threads are static. */
#ifndef CHAINS_H
#define CHAINS_H

#include "eu/eu.h"
#include "rk.h"

#define KERNELS 3000
#define BUDGET 4000
/* Entries of a chain: threads with messages run in lockstep only if there are
 * many. */
#define ROW 18
#define FEW 5

struct caught_row {
    alignas(64) uint32_t color[ROW][4][16];
    uint32_t mask[ROW];
};

/* A register with a different value for each thread. */
struct own {
    unsigned grf;
    uint32_t value[ROW][8];
};

/* Fills registers and state with undefined values, as another kernel may leave
 * them. */
void poison(struct eu_thread *t, unsigned seed);

/* add (16|M0) dst:f a:f b:f */
void add_sum(struct rk *k, unsigned dst, unsigned a, unsigned b);

/* No branches; the payloads of messages are computed. */
void make_straight(struct rk *k, uint64_t seed, bool pixels);

/* Begins a kernel whose threads have weights, or positions. */
void make_first(struct rk *k, uint64_t seed, bool weighs);

/* Kernels without messages except the last one. */
void make_silent(struct rk *k, uint64_t seed, bool weighs);

/* make_silent() kernels with samples before the last message. */
void make_sampling(struct rk *k, uint64_t seed);

/* Kernels without messages except the last one, which compute many values long
 * before they need them. */
void make_hoisted(struct rk *k, uint64_t seed);

/* A lane's answer depends only on its payload; the result may be an error. */
enum eu_msg_result answer_alone(struct eu_thread *t,
                                const struct eu_message *m);
/* Direct answers for compiled code: while `fills` is set, each message's first
 * answer adds one. */
struct row_directs {
    bool fills;
    unsigned calls;
    struct eu_direct entry[EU_DIRECTS];
    const struct eu_direct *direct[EU_DIRECTS];
    struct eu_message message[EU_DIRECTS];
};
extern struct row_directs row_directs;

/* A kernel with its launch and a chain. The caller frees the kernel. */
struct ready {
    struct eu_kernel *kernel;
    struct eu_launch launch;
    struct eu_chain_entry row[ROW];
    unsigned count; /* entries of the chain */
};

/* False if the launch does not take such chains. whole: all lanes are on. send:
 * answers messages; NULL: the log's function. */
bool make_ready(struct ready *r, struct rk *state, const struct rk *k,
                bool whole, eu_send_fn send, struct caught_row *to);

/* Gives the thread the entry's payload. */
void set_payload(const struct eu_launch *l, struct eu_thread *t,
                 const struct eu_chain_entry *row);

void set_own(struct eu_thread *t, const struct own *own, unsigned n);

/* Runs one thread after another; each finds the registers that the thread
 * before left, as in a chain. alike: each begins with equal registers, as in
 * lockstep. Returns how many have finished. */
unsigned run_single(const struct eu_launch *l, struct eu_thread *t, bool alike,
                    const struct own *own, const struct eu_chain_entry row[ROW],
                    struct caught_row *to, int64_t *left);

void expect_colors(const struct caught_row *got, const struct caught_row *want,
                   unsigned count, uint64_t seed);

#endif
