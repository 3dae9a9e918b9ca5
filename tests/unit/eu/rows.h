/* rows.h: random kernels that may be launched in a row, and their threads one
 * after the other, for the tests of launches and rows. One test at a time:
 * threads are static. */
#ifndef ROWS_H
#define ROWS_H

#include "eu/eu.h"
#include "rk.h"

#define KERNELS 3000
#define BUDGET 4000
/* Threads of a row: those that send run in pairs only where there are many. */
#define ROW 18
#define FEW 5

struct caught_row {
    alignas(64) uint32_t color[ROW][4][16];
    uint32_t mask[ROW];
};

/* A register that each thread has a value of its own in. */
struct own {
    unsigned grf;
    uint32_t value[ROW][8];
};

/* Registers and state of a thread as another kernel may have left them. */
void poison(struct eu_thread *t, unsigned seed);

/* add (16|M0) dst:f a:f b:f */
void add_sum(struct rk *k, unsigned dst, unsigned a, unsigned b);

/* No branches, and messages whose payload was computed. */
void make_straight(struct rk *k, uint64_t seed, bool pixels);

/* The beginning of a kernel whose threads have weights, or positions. */
void make_first(struct rk *k, uint64_t seed, bool weighs);

/* Kernels that send nothing but the last message. */
void make_silent(struct rk *k, uint64_t seed, bool weighs);

/* The same, and samples before that. */
void make_sampling(struct rk *k, uint64_t seed);

/* Kernels that send nothing but the last message, and compute many values
 * before they need them. */
void make_hoisted(struct rk *k, uint64_t seed);

/* A lane's answer depends on nothing but its payload; it may be an error. */
enum eu_msg_result answer_alone(struct eu_thread *t,
                                const struct eu_message *m);
/* What compiled code may call instead, from each message's first answer on
 * while it is filled in. */
struct row_directs {
    bool fills;
    unsigned calls;
    struct eu_direct entry[EU_DIRECTS];
    const struct eu_direct *direct[EU_DIRECTS];
    struct eu_message message[EU_DIRECTS];
};
extern struct row_directs row_directs;

/* A kernel with its launch and a row for it. The kernel is the caller's. */
struct ready {
    struct eu_kernel *kernel;
    struct eu_launch launch;
    struct eu_row row[ROW];
    unsigned count; /* threads in the row */
};

/* False when the launch does not take such rows; whole: all lanes are on; send:
 * what answers messages, NULL: the log's. */
bool make_ready(struct ready *r, struct rk *state, const struct rk *k,
                bool whole, eu_send_fn send, struct caught_row *to);

/* What the row has for the thread. */
void set_payload(const struct eu_launch *l, struct eu_thread *t,
                 const struct eu_row *row);

void set_own(struct eu_thread *t, const struct own *own, unsigned n);

/* One thread after the other; what one leaves in registers, the next one finds
 * there, as in a row; in pairs they begin alike. Returns how many came to their
 * end. */
unsigned run_single(const struct eu_launch *l, struct eu_thread *t, bool alike,
                    const struct own *own, const struct eu_row row[ROW],
                    struct caught_row *to, int64_t *left);

void expect_colors(const struct caught_row *got, const struct caught_row *want,
                   unsigned count, uint64_t seed);

#endif
