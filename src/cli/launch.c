/* launch.c: a kernel's address space, surfaces and payload. How NEO lays them
 * out is observed: what its kernels read, and Intel's compute-runtime. */
#include "cli/launch.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/run.h"
#include "sampler/sampler.h"

#define PAGE_B UINT64_C(4096)
/* Heap and scratch below 4 GiB, where 32-bit offsets reach; buffers above,
 * so that a lost upper half of an address is noticed. */
#define LOW_VA UINT64_C(0x10000000)
#define HIGH_VA UINT64_C(0x1200000000)
#define MAX_MEMORY_B (UINT64_C(1) << 32)
#define MAX_GROUP_THREADS 64
#define MAX_SLM_B 65536
#define SURFACE_STATE_B 64
#define FORMAT_RAW 0x1ffu
#define PRINTF_B 65536
/* The first dword of NEO's printf buffer: where the next record goes. */
#define PRINTF_START 4

struct launcher {
    struct engine *engine;
    enum eu_gen gen;
};

/* One run. */
struct run {
    struct launch *launch;
    const struct program_kernel *k;
    struct engine_vm *vm;
    uint64_t low, high; /* where the next allocations go */
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

struct launcher *
launcher_create(enum eu_gen gen)
{
    struct launcher *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->gen = gen;
    /* No workers: counting threads run one after the other. */
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
fail(struct run *run, const char *why)
{
    run->why = why;
    return false;
}

static bool
map_memory(struct run *run, uint64_t va, uint64_t size_B)
{
    if (size_B > MAX_MEMORY_B - run->used_B)
        return fail(run, "more than 4 GiB of memory");
    run->used_B += size_B;
    int fd = memfd_create("eu-run", MFD_CLOEXEC);
    bool ok = fd >= 0 && !ftruncate(fd, (off_t)size_B) &&
              !engine_vm_map(run->vm, va, size_B, fd, 0);
    if (fd >= 0)
        close(fd);
    return ok || fail(run, "out of memory");
}

/* New memory at *next, with an unmapped page behind it: what runs over the
 * end is a guest error. */
static bool
place(struct run *run, uint64_t *next, uint64_t size_B, uint64_t *va)
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
        if (!place(run, &run->high, a->size_B, &run->arg_va[i]))
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

/* The largest divisor of the global size that keeps the group in one thread,
 * or at least small: what a runtime may choose is free. */
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
            return fail(run, "a global size of zero");
        uint32_t local = wanted     ? wanted
                         : required ? required
                                    : choose_local(global, limit);
        if (global % local)
            return fail(run, "the local size does not divide the global one");
        if (required && required != local)
            return fail(run, "the kernel requires another local size");
        run->local[i] = local;
        run->groups[i] = global / local;
        items *= local;
        limit = MAX2(limit / local, 1);
        if (items > MAX_GROUP_THREADS * (uint64_t)run->k->simd)
            return fail(run, "the work group is too large");
    }
    run->threads = (unsigned)((items + run->k->simd - 1) / run->k->simd);
    return true;
}

/* ---- payload ----------------------------------------------------------- */

static bool
put(struct run *run, uint32_t offset_B, const void *value, size_t size_B)
{
    if (offset_B > run->cross_B || size_B > run->cross_B - offset_B)
        return fail(run, "a parameter lies outside of the payload");
    memcpy(run->curbe + offset_B, value, size_B);
    return true;
}

/* A raw buffer; its size less one is spread over width (7 bits), height (14)
 * and depth (11). The heap's own states are templates without a format. KBL
 * PRM vol 2d, RENDER_SURFACE_STATE. */
static bool
put_surface(struct run *run, uint32_t offset_B, uint64_t va, uint64_t size_B)
{
    if (offset_B == PROGRAM_NONE)
        return true;
    if (offset_B > run->k->surfaces_B ||
        run->k->surfaces_B - offset_B < SURFACE_STATE_B)
        return fail(run, "a surface lies outside of its heap");
    uint32_t last = (uint32_t)((MAX2(size_B, 1) + 3) & ~UINT64_C(3)) - 1;
    uint32_t dw[SURFACE_STATE_B / 4] = {
        [0] = (uint32_t)SURFACE_BUFFER << 29 | FORMAT_RAW << 18,
        [2] = (last & 0x7f) | (last >> 7 & 0x3fff) << 16,
        [3] = last >> 21 << 21,
        [8] = (uint32_t)va,
        [9] = (uint32_t)(va >> 32),
    };
    if (!va)
        dw[0] = (uint32_t)SURFACE_NULL << 29;
    memcpy(run->heap + offset_B, dw, sizeof dw);
    return true;
}

static bool
put_memory(struct run *run, const struct program_param *p, uint64_t va,
           uint64_t size_B)
{
    return (!p->size_B ||
            put(run, p->offset_B, &va, MIN2(p->size_B, sizeof va))) &&
           put_surface(run, p->surface_B, va, size_B);
}

/* Fresh memory with these first bytes. */
static bool
put_new_memory(struct run *run, const struct program_param *p, uint64_t size_B,
               const void *initial, size_t initial_B)
{
    uint64_t va;
    if (!place(run, &run->high, size_B, &va))
        return false;
    if (initial_B)
        memcpy(engine_vm_host(run->vm, va), initial, initial_B);
    return put_memory(run, p, va, size_B);
}

static bool
put_arg(struct run *run, const struct program_param *p)
{
    const struct launch *launch = run->launch;
    const struct launch_arg none = {0};
    const struct launch_arg *a = p->arg < launch->arg_count
                                     ? &launch->args[p->arg]
                                     : &none;
    switch (p->kind) {
    case PARAM_VALUE:
        if (a->kind != ARG_VALUE || p->source_B > a->size_B)
            return fail(run, "an argument needs a (longer) value");
        /* A char's or short's parameter is a dword. */
        return put(run, p->offset_B, a->data + p->source_B,
                   MIN2(p->size_B, a->size_B - p->source_B));
    case PARAM_LOCAL: {
        if (a->kind != ARG_LOCAL)
            return fail(run, "an argument needs a size of local memory");
        uint32_t align_B = MAX2(p->source_B, 1);
        uint32_t at = (run->slm_B + align_B - 1) / align_B * align_B;
        if (a->size_B > MAX_SLM_B || at > MAX_SLM_B)
            return fail(run, "too much local memory");
        run->slm_B = at + (uint32_t)a->size_B;
        return put(run, p->offset_B, &at, MIN2(p->size_B, sizeof at));
    }
    default: /* a buffer; none is a null pointer */
        if (a->kind != ARG_BUFFER && a->kind != ARG_NONE)
            return fail(run, "an argument needs a buffer");
        return put_memory(run, p, a->kind ? run->arg_va[p->arg] : 0, a->size_B);
    }
}

static bool
put_dimension(struct run *run, const struct program_param *p)
{
    const struct launch *launch = run->launch;
    unsigned i = p->source_B / 4;
    if (i > 2)
        return fail(run, "a fourth dimension");
    uint32_t value = 0;
    switch (p->kind) {
    case PARAM_WORK_DIM: value = launch->dims; break;
    case PARAM_GROUP_COUNT: value = run->groups[i]; break;
    case PARAM_GLOBAL_SIZE: value = run->groups[i] * run->local[i]; break;
    case PARAM_GLOBAL_OFFSET: value = launch->offset[i]; break;
    default: value = run->local[i]; break;
    }
    return put(run, p->offset_B, &value, MIN2(p->size_B, sizeof value));
}

static bool
put_param(struct run *run, const struct program_param *p)
{
    const struct program *program = run->launch->program;
    switch (p->kind) {
    case PARAM_VALUE:
    case PARAM_LOCAL:
    case PARAM_BUFFER: return put_arg(run, p);
    case PARAM_BUFFER_START: /* always 0, as the payload is */ return true;
    case PARAM_PRIVATE:
        return put_new_memory(run, p,
                              (uint64_t)p->source_B * run->threads *
                                  (p->per_thread ? 1 : run->k->simd),
                              NULL, 0);
    case PARAM_CONSTANTS:
        return put_new_memory(run, p, program->constants_B, program->constants,
                              program->constants_B);
    case PARAM_GLOBALS:
        return put_new_memory(run, p, program->globals_B, program->globals,
                              program->globals_B);
    case PARAM_PRINTF:
        return put_new_memory(run, p, PRINTF_B, &(uint32_t){PRINTF_START}, 4);
    case PARAM_IMAGE:
    case PARAM_SAMPLER:
    case PARAM_UNKNOWN: return fail(run, "an unknown kind of parameter");
    default: return put_dimension(run, p);
    }
}

/* One word per lane and dimension; a dimension begins a register. */
static void
put_local_ids(struct run *run)
{
    const unsigned simd = run->k->simd;
    uint32_t dim_B = simd > 16 ? 2 * EU_GRF_B : EU_GRF_B;
    for (unsigned t = 0; t < run->threads; t++) {
        uint8_t *at = run->curbe + run->cross_B + t * run->own_B;
        for (unsigned d = 0; d < 3; d++) {
            if (!run->k->local_id[d])
                continue;
            for (unsigned lane = 0; lane < simd; lane++) {
                uint32_t id = t * simd + lane;
                for (unsigned i = 0; i < d; i++)
                    id /= run->local[i];
                uint16_t word = (uint16_t)(id % run->local[d]);
                memcpy(at + lane * 2, &word, 2);
            }
            at += dim_B;
        }
    }
}

static bool
build_payload(struct run *run)
{
    const struct program_kernel *k = run->k;
    unsigned ids = k->local_id[0] + k->local_id[1] + k->local_id[2];
    if (k->cross_thread_B > EU_GRF_COUNT * EU_GRF_B)
        return fail(run, "more parameters than registers");
    run->cross_B = (k->cross_thread_B + EU_GRF_B - 1) & ~(EU_GRF_B - 1u);
    run->own_B = ids * (k->simd > 16 ? 2 : 1) * EU_GRF_B;
    if (!ids && k->unused_per_thread)
        run->own_B = EU_GRF_B;
    run->curbe = calloc(1, run->cross_B + run->own_B * run->threads + 1);
    if (!run->curbe)
        return fail(run, "out of memory");
    run->slm_B = k->slm_B;
    for (unsigned i = 0; i < k->param_count; i++)
        if (!put_param(run, &k->params[i]))
            return false;
    put_local_ids(run);
    return run->slm_B <= MAX_SLM_B || fail(run, "too much local memory");
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

/* Per-thread scratch space is a power of two of KiB, as is local memory. */
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
        return fail(run, "more than 2 MiB of scratch space");
    kernel->scratch_code = kib_code(run->k->scratch_B);
    return place(run, &run->low,
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
dispatch(struct launcher *l, struct run *run)
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
        return fail(run, "the kernel cannot be decoded");
    launch->finished &= launch->thread_count > 0 && !reset;
    return true;
}

static bool
run_kernel(struct launcher *l, struct run *run)
{
    uint64_t heap_va;
    const struct program_kernel *k = run->k;
    if (k->unsupported)
        return fail(run, k->unsupported);
    if (k->simd != 8 && k->simd != 16 && k->simd != 32)
        return fail(run, "no SIMD width");
    if (!resolve_grid(run) ||
        !place(run, &run->low, k->surfaces_B + PAGE_B, &heap_va))
        return false;
    assert(heap_va == LOW_VA);
    run->heap = engine_vm_host(run->vm, heap_va);
    memcpy(run->heap, k->surfaces, k->surfaces_B);
    if (!place_args(run) || !build_payload(run) || !dispatch(l, run))
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
            return fail(run, "memory outside of the address space");
        if (!map_memory(run, start, end - start))
            return false;
        memcpy(engine_vm_host(run->vm, m->va), m->data, m->size_B);
    }
    struct engine_kernel kernel = kernel_of(l, run, launch->simd);
    bool reset;
    if (!engine_run_thread(l->engine, run->vm, &kernel, launch->thread,
                           launch->dispatch_mask, &reset))
        return fail(run, "the kernel cannot be decoded");
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
