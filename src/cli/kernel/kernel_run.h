/* kernel_run.h: a run under construction: kernel_launch.c places memory and
 * starts it, kernel_payload.c writes the data that its threads begin with. */
#ifndef CLI_KERNEL_KERNEL_RUN_H
#define CLI_KERNEL_KERNEL_RUN_H

#include "cli/kernel/kernel_launch.h"
#include "engine/run.h"

#define MAX_SLM_B 65536

struct run {
    struct launch *launch;
    const struct program_kernel *k;
    struct engine_vm *vm;
    uint64_t low, high; /* addresses of the next allocations */
    uint64_t used_B;
    uint64_t arg_va[LAUNCH_MAX_ARGS];
    uint8_t *heap; /* surface states, as the GPU sees them */
    uint32_t local[3], groups[3];
    unsigned threads; /* per group */
    uint8_t *curbe;
    uint32_t cross_B, own_B;
    uint32_t slm_B;
    const char *why;
};

static inline bool
run_fail(struct run *run, const char *why)
{
    run->why = why;
    return false;
}

/* Places memory at *next, with an unmapped page after it: an access past the
 * end is a guest error. */
bool run_place(struct run *run, uint64_t *next, uint64_t size_B, uint64_t *va);

/* Fills run->curbe: the constants that all threads share, then each thread's
 * own. */
bool run_build_payload(struct run *run);

#endif
