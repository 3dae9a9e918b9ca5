/* kernel_payload.c: writes constants, local ids and surface states of a kernel.
 *
 * Observed: the layout of NEO, from data that its kernels read and from Intel's
 * compute-runtime. */
#include <stdlib.h>

#include "cli/kernel/kernel_run.h"
#include "sampler/sampler.h"

#define SURFACE_STATE_B 64
#define FORMAT_RAW 0x1ffu
#define PRINTF_B 65536
/* The first dword of NEO's printf buffer: offset of the next record. */
#define PRINTF_START 4
static bool
put_parameter(struct run *run, uint32_t offset_B, const void *value,
              size_t size_B)
{
    if (offset_B > run->cross_B || size_B > run->cross_B - offset_B)
        return run_fail(run, "a parameter lies outside of the payload");
    memcpy(run->curbe + offset_B, value, size_B);
    return true;
}

/* Surface state of a raw buffer: its size less one is spread over width (7
 * bits), height (14) and depth (11). The states in the kernel's heap are
 * templates without a format. KBL PRM vol 2d, RENDER_SURFACE_STATE. */
static bool
put_surface(struct run *run, uint32_t offset_B, uint64_t va, uint64_t size_B)
{
    if (offset_B == PROGRAM_NONE)
        return true;
    if (offset_B > run->k->surfaces_B ||
        run->k->surfaces_B - offset_B < SURFACE_STATE_B)
        return run_fail(run, "a surface lies outside of its heap");
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
            put_parameter(run, p->offset_B, &va, MIN2(p->size_B, sizeof va))) &&
           put_surface(run, p->surface_B, va, size_B);
}

/* Allocates memory that begins with these bytes. */
static bool
put_new_memory(struct run *run, const struct program_param *p, uint64_t size_B,
               const void *initial, size_t initial_B)
{
    uint64_t va;
    if (!run_place(run, &run->high, size_B, &va))
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
            return run_fail(run, "an argument needs a (longer) value");
        /* A char's or short's parameter takes a dword. */
        return put_parameter(run, p->offset_B, a->data + p->source_B,
                             MIN2(p->size_B, a->size_B - p->source_B));
    case PARAM_LOCAL: {
        if (a->kind != ARG_LOCAL)
            return run_fail(run, "an argument needs a size of local memory");
        uint32_t align_B = MAX2(p->source_B, 1);
        uint32_t at = (run->slm_B + align_B - 1) / align_B * align_B;
        if (a->size_B > MAX_SLM_B || at > MAX_SLM_B)
            return run_fail(run, "too much local memory");
        run->slm_B = at + (uint32_t)a->size_B;
        return put_parameter(run, p->offset_B, &at, MIN2(p->size_B, sizeof at));
    }
    default: /* a buffer; none is a null pointer */
        if (a->kind != ARG_BUFFER && a->kind != ARG_NONE)
            return run_fail(run, "an argument needs a buffer");
        return put_memory(run, p, a->kind ? run->arg_va[p->arg] : 0, a->size_B);
    }
}

static bool
put_dimension(struct run *run, const struct program_param *p)
{
    const struct launch *launch = run->launch;
    unsigned i = p->source_B / 4;
    if (i > 2)
        return run_fail(run, "a fourth dimension");
    uint32_t value = 0;
    switch (p->kind) {
    case PARAM_WORK_DIM: value = launch->dims; break;
    case PARAM_GROUP_COUNT: value = run->groups[i]; break;
    case PARAM_GLOBAL_SIZE: value = run->groups[i] * run->local[i]; break;
    case PARAM_GLOBAL_OFFSET: value = launch->offset[i]; break;
    default: value = run->local[i]; break;
    }
    return put_parameter(run, p->offset_B, &value,
                         MIN2(p->size_B, sizeof value));
}

static bool
put_param(struct run *run, const struct program_param *p)
{
    const struct program *program = run->launch->program;
    switch (p->kind) {
    case PARAM_VALUE:
    case PARAM_LOCAL:
    case PARAM_BUFFER: return put_arg(run, p);
    case PARAM_BUFFER_START: /* 0, like the payload */ return true;
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
    case PARAM_UNKNOWN: return run_fail(run, "an unknown kind of parameter");
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

bool
run_build_payload(struct run *run)
{
    const struct program_kernel *k = run->k;
    unsigned ids = k->local_id[0] + k->local_id[1] + k->local_id[2];
    if (k->cross_thread_B > EU_GRF_COUNT * EU_GRF_B)
        return run_fail(run, "more parameters than registers");
    run->cross_B = (k->cross_thread_B + EU_GRF_B - 1) & ~(EU_GRF_B - 1u);
    run->own_B = ids * (k->simd > 16 ? 2 : 1) * EU_GRF_B;
    if (!ids && k->unused_per_thread)
        run->own_B = EU_GRF_B;
    run->curbe = calloc(1, run->cross_B + run->own_B * run->threads + 1);
    if (!run->curbe)
        return run_fail(run, "out of memory");
    run->slm_B = k->slm_B;
    for (unsigned i = 0; i < k->param_count; i++)
        if (!put_param(run, &k->params[i]))
            return false;
    put_local_ids(run);
    return run->slm_B <= MAX_SLM_B || run_fail(run, "too much local memory");
}
