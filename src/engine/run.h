/* run.h: runs kernels without a command stream, for tools that build their
 * own address space and payload. One caller at a time per engine. */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "engine/engine.h"
#include "eu/eu.h"

/* Where the page at va is mapped; NULL is never returned. Only pages that
 * engine_vm_map() has mapped may be touched. */
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

/* As GPGPU_WALKER with indirect data: a thread's registers begin with its own
 * block, then the common one. */
struct engine_grid {
    struct engine_kernel kernel;
    uint32_t groups[3];
    unsigned threads;   /* per group */
    uint32_t last_mask; /* channels of a group's last thread */
    uint32_t slm_B;
    const uint8_t *payload; /* the common part, then one block per thread */
    unsigned common_grf, own_grf;
    /* The threads of a group that has ended, or failed. */
    void (*group)(void *ctx, const struct eu_thread *threads, unsigned count);
    void *ctx;
};

/* False if the kernel cannot be decoded. *reset: it made an error. */
bool engine_run_grid(struct engine *engine, struct engine_vm *vm,
                     const struct engine_grid *grid, bool *reset);
/* One thread whose registers the caller has filled in, with 64 KiB of local
 * memory of its own. */
bool engine_run_thread(struct engine *engine, struct engine_vm *vm,
                       const struct engine_kernel *kernel,
                       struct eu_thread *thread, uint32_t mask, bool *reset);

#endif
