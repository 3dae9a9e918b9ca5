/* memory_kernels.h: kernels with messages that compiled code performs itself,
 * in random surroundings, and memory for them, which ends at an inaccessible
 * page. */
#ifndef MEMORY_KERNELS_H
#define MEMORY_KERNELS_H

#include "base/fields.h"
#include "rk.h"

#define PAGE_B 4096
#define ROOM_B (2 * PAGE_B)
#define PLACES 4 /* three surfaces, and shared local memory */

/* Vectors of two registers, by their first register: */
enum {
    COUNT = 2,
    LIMIT = 4,
    HEADER = 7, /* one register */
    PLACE = 8,  /* offsets: eight vectors */
    DATA = 24,  /* 32 vectors */
    END = 88,
};

struct world {
    uint8_t *room[PLACES];
    uint64_t size_B[PLACES], vector_B[PLACES];
    struct mem_range range[PLACES], stateless[2];
    const struct mem_range *surfaces[EU_SURFACES];
    uint64_t hash; /* of messages that only show registers */
    unsigned sent;
};

/* All functions append to k. */
void begin_memory_kernel(struct rk *k, uint64_t seed);
unsigned binary(struct rk *k, unsigned opcode, unsigned simd, unsigned d,
                unsigned a, unsigned b, bool is_imm);
/* reads: only messages that change no memory. */
void add_message(struct rk *k, unsigned simd, bool reads);
void add_fence(struct rk *k);
void add_signal(struct rk *k);
void add_wait(struct rk *k);
/* Random arithmetic between messages. */
void add_other(struct rk *k, unsigned simd, bool flags);
void add_branch(struct rk *k, unsigned opcode, bool predicated, int32_t jip_B,
                int32_t uip_B);
/* Sends all registers, and ends. plain: without predicate. */
void add_end(struct rk *k, bool plain);

/* Allocate a world's rooms once; fill the world for each kernel. */
void make_rooms(struct world *w);
void make_world(struct world *w, struct rk *random);
/* Reference implementation of messages, for the interpreter. */
enum eu_msg_result answer(struct eu_thread *t, const struct eu_message *m);
/* Profiles: compares what the counters of compiled code and of the interpreter
 * say of each message. Returns how many compiled code has performed itself. */
uint64_t compare_memory_counts(const struct eu_kernel *kernel,
                               const uint64_t *compiled,
                               const uint64_t *reference, uint64_t seed);
/* Starts a thread that has the world's memory, with these channels on. */
void start_in_world(struct eu_thread *t, struct world *w,
                    const struct eu_kernel *kernel, uint32_t mask);
/* Fills the kernel's initial registers. */
void fill(struct eu_thread *t, struct rk *random);

#endif
