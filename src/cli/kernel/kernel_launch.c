/* kernel_launch.c: builds a kernel's address space, grid and dispatch. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/kernel/kernel_run.h"

#define PAGE_B UINT64_C(4096)
/* Heap and scratch lie below 4 GiB, in reach of 32-bit offsets. Buffers lie
 * above, so that a lost upper half of an address faults. */
#define LOW_VA UINT64_C(0x10000000)
#define HIGH_VA UINT64_C(0x1200000000)
#define MAX_MEMORY_B (UINT64_C(1) << 32)
#define MAX_GROUP_THREADS 64

struct launcher {
    struct engine *engine;
    enum eu_gen gen;
};

struct launcher *
launcher_create(enum eu_gen gen)
{
    struct launcher *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->gen = gen;
    /* No workers: threads that count run one after the other. */
    l->engine = engine_create(&(struct engine_config){
        .gen = gen, .eu_threads_per_subslice = 56, .subslices = 3});
    if (l->engine)
        return l;
    free(l);
    return NULL;
}

void
launcher_destroy(struct launcher *l)
{
    engine_destroy(l->engine);
    free(l);
}

/* ---- memory ------------------------------------------------------------ */

static bool
map_memory(struct run *run, uint64_t va, uint64_t size_B)
{
    if (size_B > MAX_MEMORY_B - run->used_B)
        return run_fail(run, "more than 4 GiB of memory");
    run->used_B += size_B;
    int fd = memfd_create("eu-run", MFD_CLOEXEC);
    bool ok = fd >= 0 && !ftruncate(fd, (off_t)size_B) &&
              !engine_vm_map(run->vm, va, size_B, fd, 0);
    if (fd >= 0)
        close(fd);
    return ok || run_fail(run, "out of memory");
}

bool
run_place(struct run *run, uint64_t *next, uint64_t size_B, uint64_t *va)
{
    uint64_t pages_B = (MAX2(size_B, 1) + PAGE_B - 1) & ~(PAGE_B - 1);
    *va = *next;
    *next += pages_B + PAGE_B;
    return map_memory(run, *va, pages_B);
}

static bool
place_args(struct run *run)
{
    const struct launch *launch = run->launch;
    for (unsigned i = 0; i < launch->arg_count; i++) {
        const struct launch_arg *a = &launch->args[i];
        if (a->kind != ARG_BUFFER)
            continue;
        if (!run_place(run, &run->high, a->size_B, &run->arg_va[i]))
            return false;
        memcpy(engine_vm_host(run->vm, run->arg_va[i]), a->data, a->size_B);
    }
    return true;
}

static void
read_back_args(struct run *run)
{
    for (unsigned i = 0; i < run->launch->arg_count; i++) {
        struct launch_arg *a = &run->launch->args[i];
        if (a->kind == ARG_BUFFER)
            memcpy(a->data, engine_vm_host(run->vm, run->arg_va[i]), a->size_B);
    }
}

/* ---- the grid ---------------------------------------------------------- */

/* The largest divisor of the global size that keeps the group in one thread, or
 * at least small. A runtime may choose freely. */
static uint32_t
choose_local(uint32_t global, uint32_t limit)
{
    uint32_t local = MIN2(global, limit);
    while (global % local)
        local--;
    return local;
}

static bool
resolve_grid(struct run *run)
{
    const struct launch *launch = run->launch;
    uint64_t items = 1;
    uint32_t limit = MAX2(run->k->simd, 1);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t global = i < launch->dims ? launch->global[i] : 1;
        uint32_t wanted = i < launch->dims ? launch->local[i] : 1;
        uint32_t required = run->k->required_local[i];
        if (!global)
            return run_fail(run, "a global size of zero");
        uint32_t local = wanted     ? wanted
                         : required ? required
                                    : choose_local(global, limit);
        if (global % local)
            return run_fail(run,
                            "the local size does not divide the global one");
        if (required && required != local)
            return run_fail(run, "the kernel requires another local size");
        run->local[i] = local;
        run->groups[i] = global / local;
        items *= local;
        limit = MAX2(limit / local, 1);
        if (items > MAX_GROUP_THREADS * (uint64_t)run->k->simd)
            return run_fail(run, "the work group is too large");
    }
    run->threads = (unsigned)((items + run->k->simd - 1) / run->k->simd);
    return true;
}

/* ---- dispatch ---------------------------------------------------------- */

static void
watch_group(void *ctx, const struct eu_thread *threads, unsigned count)
{
    struct launch *launch = ctx;
    for (unsigned i = 0; i < count; i++) {
        launch->thread_count++;
        launch->finished &= threads[i].status == EU_FINISHED;
    }
}

/* Scratch space per thread and local memory are powers of two of KiB. */
static unsigned
kib_code(uint32_t size_B)
{
    unsigned code = 0;
    while (code < 11 && (1024u << code) < size_B)
        code++;
    return code;
}

static bool
set_up_scratch(struct run *run, struct engine_kernel *kernel)
{
    if (!run->k->scratch_B)
        return true;
    if (run->k->scratch_B > 2u << 20)
        return run_fail(run, "more than 2 MiB of scratch space");
    kernel->scratch_code = kib_code(run->k->scratch_B);
    return run_place(run, &run->low,
                     (UINT64_C(1024) << kernel->scratch_code) * run->threads,
                     &kernel->scratch_va);
}

static uint32_t
last_thread_mask(const struct run *run)
{
    uint32_t simd = run->k->simd;
    uint32_t items = run->local[0] * run->local[1] * run->local[2] % simd;
    return items ? (UINT32_C(1) << items) - 1 : UINT32_MAX;
}

static struct engine_kernel
kernel_of(const struct launcher *l, const struct run *run, unsigned simd)
{
    return (struct engine_kernel){
        .code = run->k->code,
        .code_B = run->k->code_B,
        .gen = l->gen,
        .simd = simd,
        .surface_base_va = LOW_VA,
        .binding_table_B = run->k->binding_table_B,
        .counts = run->launch->counts,
    };
}

static bool
dispatch_grid(struct launcher *l, struct run *run)
{
    struct launch *launch = run->launch;
    bool reset;
    struct engine_grid grid = {
        .kernel = kernel_of(l, run, run->k->simd),
        .threads = run->threads,
        .last_mask = last_thread_mask(run),
        .slm_B = run->slm_B ? 1024u << kib_code(run->slm_B) : 0,
        .payload = run->curbe,
        .common_grf = run->cross_B / EU_GRF_B,
        .own_grf = run->own_B / EU_GRF_B,
        .group = watch_group,
        .ctx = launch,
    };
    memcpy(grid.groups, run->groups, sizeof grid.groups);
    if (!set_up_scratch(run, &grid.kernel))
        return false;
    launch->finished = true;
    if (!engine_run_grid(l->engine, run->vm, &grid, &reset))
        return run_fail(run, "the kernel cannot be decoded");
    launch->finished &= launch->thread_count > 0 && !reset;
    return true;
}

static bool
run_kernel(struct launcher *l, struct run *run)
{
    uint64_t heap_va;
    const struct program_kernel *k = run->k;
    if (k->unsupported)
        return run_fail(run, k->unsupported);
    if (k->simd != 8 && k->simd != 16 && k->simd != 32)
        return run_fail(run, "no SIMD width");
    if (!resolve_grid(run) ||
        !run_place(run, &run->low, k->surfaces_B + PAGE_B, &heap_va))
        return false;
    assert(heap_va == LOW_VA);
    run->heap = engine_vm_host(run->vm, heap_va);
    memcpy(run->heap, k->surfaces, k->surfaces_B);
    if (!place_args(run) || !run_build_payload(run) || !dispatch_grid(l, run))
        return false;
    read_back_args(run);
    return true;
}

/* ---- raw kernels ------------------------------------------------------- */

static bool
run_raw(struct launcher *l, struct run *run)
{
    struct launch *launch = run->launch;
    for (unsigned i = 0; i < launch->memory_count; i++) {
        const struct launch_memory *m = &launch->memory[i];
        uint64_t start = m->va & ~(PAGE_B - 1);
        uint64_t end = (m->va + m->size_B + PAGE_B - 1) & ~(PAGE_B - 1);
        if (end < start || end > ENGINE_VM_SIZE_B)
            return run_fail(run, "memory outside of the address space");
        if (!map_memory(run, start, end - start))
            return false;
        memcpy(engine_vm_host(run->vm, m->va), m->data, m->size_B);
    }
    struct engine_kernel kernel = kernel_of(l, run, launch->simd);
    bool reset;
    if (!engine_run_thread(l->engine, run->vm, &kernel, launch->thread,
                           launch->dispatch_mask, &reset))
        return run_fail(run, "the kernel cannot be decoded");
    launch->finished = !reset;
    launch->thread_count = 1;
    for (unsigned i = 0; i < launch->memory_count; i++)
        memcpy(launch->memory[i].data,
               engine_vm_host(run->vm, launch->memory[i].va),
               launch->memory[i].size_B);
    return true;
}

/* ---- both -------------------------------------------------------------- */

static bool
in_new_space(struct launcher *l, struct launch *launch,
             bool (*body)(struct launcher *, struct run *), const char **why)
{
    struct run run = {
        .launch = launch,
        .k = launch->kernel,
        .low = LOW_VA,
        .high = HIGH_VA,
        .vm = engine_vm_create(l->engine),
    };
    if (!run.vm) {
        *why = "no address space";
        return false;
    }
    uint64_t unimp_before = stats_get(STAT_unimp);
    uint64_t errors_before = stats_get(STAT_guest_errors);
    launch->thread_count = 0;
    launch->finished = false;
    bool ok = body(l, &run);
    engine_vm_unref(run.vm);
    free(run.curbe);
    launch->unimp = stats_get(STAT_unimp) - unimp_before;
    launch->guest_errors = stats_get(STAT_guest_errors) - errors_before;
    *why = run.why;
    return ok;
}

bool
launch_run(struct launcher *l, struct launch *launch, const char **why)
{
    return in_new_space(l, launch, run_kernel, why);
}

bool
launch_run_raw(struct launcher *l, struct launch *launch, const char **why)
{
    return in_new_space(l, launch, run_raw, why);
}
