/* lower_memory.h: shared by compiled accesses to memory: slow paths and
 * addresses. */
#ifndef EU_JIT_SENDS_LOWER_MEMORY_H
#define EU_JIT_SENDS_LOWER_MEMORY_H

#include "eu/jit/analysis/memory_access.h"
#include "eu/jit/sends/sends.h"

#define ACCESS_THREAD_AT(member) offsetof(struct eu_thread, member)
#define ACCESS_RANGE_AT(member) offsetof(struct mem_range, member)

/* Bits of byte offsets that the data port regards. */
static inline uint32_t
access_offset_bits(const struct access *a)
{
    return a->vector || a->any_byte ? UINT32_MAX
           : a->bti == ACCESS_SLM   ? UINT32_C(0x0ffffffc)
           : a->in_dwords           ? UINT32_MAX
                                    : ~UINT32_C(3);
}

/* Content of a vector register: part of thread nth's register file, or a
 * constant. */
struct jit_kept {
    uint16_t off_B, len_B;
    uint8_t reg, nth;
    bool dirty, is_const;
    uint32_t value;
};

#define JIT_SLOW_PATH_JUMPS 10

/* Answer registers of a slow path: up to four channels of 16 lanes, in the
 * host's vectors. */
#define JIT_SLOW_PATH_ANSWERS 8

struct jit_slow_path {
    uint32_t op, back, nth;
    uint32_t from[JIT_SLOW_PATH_JUMPS];
    unsigned from_count, kept_count, answer_count,
        answer[JIT_SLOW_PATH_ANSWERS];
    uint8_t flag_at[JIT_MOST_THREADS][2];
    struct jit_kept kept[JIT_HOST_REGS];
};

static inline void
jit_slow_path_if(struct jit *j, struct jit_slow_path *m, enum x86_cc cc)
{
    m->from[m->from_count++] = x86_jump(&j->x, cc);
}

/* Bytes of a channel in one host register. */
static inline unsigned
jit_piece_B(const struct jit *j, const struct access *a)
{
    return j->f->evex ? a->lanes * 4 : EU_GRF_B;
}

/* Whether the access is counted in profiles. The slow path's message counts
 * itself. */
static inline bool
jit_counts_memory(const struct jit *j)
{
    return j->f->flags & EU_JIT_MEMORY;
}

/* Whether atomics need no message to be counted. */
static inline bool
jit_counts_atomic(const struct jit *j, const struct access *a)
{
    return !jit_counts_memory(j) || (j->f->evex && a->bti == ACCESS_SLM);
}

/* Loads elements from memory into dwords. */
static inline enum x86_vop
jit_element_load(const struct access *a)
{
    return a->element_B == 1   ? X86_PMOVZXBD
           : a->element_B == 2 ? X86_PMOVZXWD
                               : X86_MOVUPS_LD;
}

/* slow_path.c. NULL: out of memory. */
struct jit_slow_path *jit_add_slow_path(struct jit *j);
/* Remembers the vector registers that a slow path must restore: all but
 * answers. */
void jit_keep(struct jit_slow_path *m, const struct jit *j);
/* Takes the slow path if channels are off and lanes are independent. */
void jit_need_all_lanes(struct jit *j, const struct eu_op *op,
                        struct jit_slow_path *m);
/* rax := the struct mem_range that the message names. */
void jit_load_range(struct jit *j, const struct access *a,
                    struct jit_slow_path *m);
/* With a header, which is in the register file: the slow path unless M0.2 is
 * zero. */
void jit_check_header(struct jit *j, const struct access *a,
                      struct jit_slow_path *m);
/* Stores what compiled code reads of a header. */
void jit_sync_header(struct jit *j, const struct access *a);
/* rax := the memory at offset zero, of the range at rax. */
void jit_load_base(struct jit *j, const struct access *a);
/* Where the range has the end for the access's elements. */
size_t jit_end_at(const struct access *a);
/* d := dwords times four. */
void jit_to_bytes(struct jit *j, unsigned len, unsigned d, unsigned dwords);
/* Atomics at memory rax, lane by lane, in order. Vectors in registers go
 * through the thread's scratch memory. t: two more vectors, for profiles. */
void jit_update_lanes(struct jit *j, const struct access *a,
                      const unsigned *offsets, const unsigned *data,
                      const unsigned t[2], struct jit_slow_path *m);

/* count_memory.c: for profiles, counts lanes at one place or at neighbours.
 * rax: the first lane's address, ecx: its offset. Clobbers rdx and rsi. */
void jit_count_same(struct jit *j, const struct access *a,
                    struct jit_slow_path *m);
void jit_count_next(struct jit *j, const struct access *a,
                    struct jit_slow_path *m);
/* AVX-512: lanes at other places, distance[i] bytes from rax. False: they take
 * the slow path. Clobbers rcx, rdi and t, too. */
bool jit_count_apart(struct jit *j, const struct access *a, unsigned distance,
                     const unsigned t[3], struct jit_slow_path *m);
/* AVX-512: atomics in shared local memory. Clobbers the same. */
void jit_count_atomic(struct jit *j, const struct access *a, unsigned offsets,
                      const unsigned t[2]);

/* lower_memory_vex.c: reads, writes and atomics for hosts without AVX-512. */
void jit_lower_memory_vex(struct jit *j, const struct eu_op *op,
                          const struct access *a, struct jit_slow_path *m);

#endif
