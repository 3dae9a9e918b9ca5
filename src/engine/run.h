/* run.h: runs kernels without a command stream, for tools (cli) that build
 * their own address space and payload. One caller at a time per engine; the
 * caller owns all arguments. */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "engine/engine.h"
#include "eu/eu.h"

/* Host pointer of va, never NULL. The caller may touch only pages that
 * engine_vm_map() has mapped. */
void *engine_vm_host(const struct engine_vm *vm, uint64_t va);

struct engine_kernel {
    const void *code;
    size_t code_B;
    unsigned gen, simd;
    uint64_t surface_base_va;
    uint32_t binding_table_B; /* from surface_base_va */
    /* Per thread 2^scratch_code KiB; NULL address: none. */
    uint64_t scratch_va;
    unsigned scratch_code;
    uint64_t *counts; /* see struct eu_thread */
};

/* A dispatch as by GPGPU_WALKER with indirect data: a thread's registers begin
 * with its own block, then the common one. */
struct engine_grid {
    struct engine_kernel kernel;
    uint32_t groups[3];
    unsigned threads;   /* per group */
    uint32_t last_mask; /* dispatch mask of a group's last thread */
    uint32_t slm_B;
    const uint8_t *payload; /* the common part, then one block per thread */
    unsigned common_grf, own_grf;
    /* Called with the threads of each group that has ended or failed. */
    void (*group)(void *ctx, const struct eu_thread *threads, unsigned count);
    void *ctx;
};

/* False: the kernel cannot be decoded. *reset: a guest error occurred. */
bool engine_run_grid(struct engine *engine, struct engine_vm *vm,
                     const struct engine_grid *grid, bool *reset);
/* Runs one thread whose registers the caller has filled in, with its own 64 KiB
 * of shared local memory. */
bool engine_run_thread(struct engine *engine, struct engine_vm *vm,
                       const struct engine_kernel *kernel,
                       struct eu_thread *thread, uint32_t mask, bool *reset);

#endif
