/* vex_access.h: shared by the files that access memory without AVX-512.
 *
 * Caller: lower_memory_vex.c while it compiles one message. */
#ifndef EU_JIT_SENDS_VEX_ACCESS_H
#define EU_JIT_SENDS_VEX_ACCESS_H

#include "eu/jit/sends/lower_memory.h"

#define VEX_SCRATCH_AT offsetof(struct eu_thread, scratch)
#define VEX_TEMPS 8

struct vex_access {
    struct jit *j;
    struct jit_slow_path *m;
    const struct access *a;
    unsigned parts;       /* of a channel */
    bool in_memory;       /* data are in the register file */
    unsigned offsets[2];  /* as in the message */
    unsigned data[4 * 2]; /* each channel's parts */
    unsigned t[VEX_TEMPS];
};

/* Jumps unless the lanes access neighbouring elements. */
uint32_t vex_test_neighbours(const struct vex_access *v);
/* rcx := a lane's distance from rax, as vex_store_distances() left it. */
void vex_load_distance(const struct vex_access *v, unsigned lane);
void vex_store_distances(const struct vex_access *v);
/* d := from, without the bits of each dword that are not in memory. */
void vex_clear_rest(const struct vex_access *v, unsigned d, unsigned from);
/* First step of a transpose: t0 to t3 := pairs of rows of four lanes, or of
 * channels. */
void vex_pair_halves(const struct vex_access *v, const unsigned d[4]);
/* Second step of a transpose: d := vector i. */
void vex_join_halves(const struct vex_access *v, unsigned d, unsigned i);

/* vex_write.c: rax: the first lane's address; t0 and t1: distances. */
void vex_write_memory(const struct vex_access *v);

#endif
