/* memory_kernels.h: kernels whose messages compiled code does itself, put
 * together by chance with what surrounds them, and memory for them, which ends
 * where nobody may touch it. */
#ifndef MEMORY_KERNELS_H
#define MEMORY_KERNELS_H

#include "base/fields.h"
#include "rk.h"

#define PAGE_B 4096
#define ROOM_B (2 * PAGE_B)
#define PLACES 4 /* three surfaces, and shared local memory */

/* Vectors of two registers, whose first is: */
enum {
    COUNT = 2,
    LIMIT = 4,
    PLACE = 8, /* offsets: eight vectors */
    DATA = 24, /* 32 vectors */
    END = 88,
};

struct world {
    uint8_t *room[PLACES];
    uint64_t size_B[PLACES], vector_B[PLACES];
    struct mem_range range[PLACES];
    const struct mem_range *surfaces[EU_SURFACES];
    uint64_t hash; /* of messages that are nothing but seen */
    unsigned sent;
};

/* All of them in k. */
void begin_memory_kernel(struct rk *k, uint64_t seed);
unsigned binary(struct rk *k, unsigned opcode, unsigned simd, unsigned d,
                unsigned a, unsigned b, bool is_imm);
/* reads: changes no memory. */
void add_message(struct rk *k, unsigned simd, bool reads);
void add_fence(struct rk *k);
void add_signal(struct rk *k);
void add_wait(struct rk *k);
/* Arithmetic between messages. */
void add_other(struct rk *k, unsigned simd, bool flags);
void add_branch(struct rk *k, unsigned opcode, bool predicated, int32_t jip_B,
                int32_t uip_B);
/* Shows all registers: sends them, and ends. plain: whatever the flags are */
void add_end(struct rk *k, bool plain);

/* The rooms of a world are made once, and filled for each kernel. */
void make_rooms(struct world *w);
void make_world(struct world *w, struct rk *random);
/* What messages mean: as the interpreter has them. */
enum eu_msg_result answer(struct eu_thread *t, const struct eu_message *m);
/* A thread that has the world's memory, with these channels on. */
void start_in_world(struct eu_thread *t, struct world *w,
                    const struct eu_kernel *kernel, uint32_t mask);
/* Registers that a kernel finds. */
void fill(struct eu_thread *t, struct rk *random);

#endif
