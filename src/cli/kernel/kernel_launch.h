/* kernel_launch.h: runs a kernel of a program without a driver.
 *
 * Builds an address space, payload and surfaces as NEO does, and hands the
 * engine a dispatch. One thread. */
#ifndef CLI_KERNEL_KERNEL_LAUNCH_H
#define CLI_KERNEL_KERNEL_LAUNCH_H

#include "cli/kernel/program.h"
#include "eu/eu.h"

enum launch_arg_kind { ARG_NONE, ARG_VALUE, ARG_BUFFER, ARG_LOCAL };

struct launch_arg {
    enum launch_arg_kind kind;
    uint8_t *data; /* a buffer's contents, before and after; a value */
    size_t size_B;
};

/* A piece of the address space of a raw kernel. */
struct launch_memory {
    uint64_t va;
    uint8_t *data; /* before and after */
    size_t size_B;
};

#define LAUNCH_MAX_ARGS 64
#define LAUNCH_MAX_MEMORY 16

struct launch {
    const struct program *program;
    const struct program_kernel *kernel;
    struct launch_arg args[LAUNCH_MAX_ARGS];
    unsigned arg_count;
    unsigned dims;                           /* 1 to 3 */
    uint32_t global[3], local[3], offset[3]; /* local 0: any size that fits */
    uint64_t *counts; /* see struct eu_thread; NULL: do not count */

    /* Raw kernels: one thread from these registers. */
    struct eu_thread *thread;
    unsigned simd;
    uint32_t dispatch_mask;
    struct launch_memory memory[LAUNCH_MAX_MEMORY];
    unsigned memory_count;

    /* Results. */
    uint64_t thread_count;
    uint64_t unimp, guest_errors;
    bool finished; /* every thread reached its end */
};

struct launcher;

struct launcher *launcher_create(enum eu_gen gen);
void launcher_destroy(struct launcher *launcher);
/* False with a reason if the kernel could not be started. Errors of the run
 * itself are in the launch. */
bool launch_run(struct launcher *launcher, struct launch *launch,
                const char **why);
bool launch_run_raw(struct launcher *launcher, struct launch *launch,
                    const char **why);

#endif
