/* ioctl_query.c: identification: parameters, queries, registers. */
#include "drm-shim/core/core.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "engine/engine.h"

#include <errno.h>
#include <i915_drm.h>
#include <stddef.h>
#include <unistd.h>

/* Answers that do not depend on the platform. */
static const struct {
    int32_t param, value;
} constants[] = {
    {I915_PARAM_HAS_GEM, 1},
    {I915_PARAM_NUM_FENCES_AVAIL, 32},
    {I915_PARAM_HAS_OVERLAY, 0},
    {I915_PARAM_HAS_PAGEFLIPPING, 1},
    {I915_PARAM_HAS_EXECBUF2, 1},
    {I915_PARAM_HAS_BSD, 1},
    {I915_PARAM_HAS_BLT, 1},
    {I915_PARAM_HAS_RELAXED_FENCING, 1},
    {I915_PARAM_HAS_COHERENT_RINGS, 1},
    {I915_PARAM_HAS_RELAXED_DELTA, 1},
    {I915_PARAM_HAS_GEN7_SOL_RESET, 1},
    {I915_PARAM_HAS_ALIASING_PPGTT, I915_GEM_PPGTT_FULL},
    {I915_PARAM_HAS_WAIT_TIMEOUT, 1},
    {I915_PARAM_HAS_SEMAPHORES, 1},
    {I915_PARAM_HAS_PRIME_VMAP_FLUSH, 1},
    {I915_PARAM_HAS_VEBOX, 1},
    {I915_PARAM_HAS_SECURE_BATCHES, 0},
    {I915_PARAM_HAS_PINNED_BATCHES, 1},
    {I915_PARAM_HAS_EXEC_NO_RELOC, 1},
    {I915_PARAM_HAS_EXEC_HANDLE_LUT, 1},
    {I915_PARAM_HAS_WT, 0},
    {I915_PARAM_CMD_PARSER_VERSION, 10},
    {I915_PARAM_HAS_COHERENT_PHYS_GTT, 1},
    {I915_PARAM_MMAP_VERSION, 1},
    {I915_PARAM_HAS_BSD2, 0},
    {I915_PARAM_HAS_GPU_RESET, 2},
    {I915_PARAM_HAS_RESOURCE_STREAMER, 0},
    {I915_PARAM_HAS_EXEC_SOFTPIN, 1},
    {I915_PARAM_HAS_POOLED_EU, 0},
    {I915_PARAM_MIN_EU_IN_POOL, 0},
    {I915_PARAM_MMAP_GTT_VERSION, 4},
    {I915_PARAM_HAS_SCHEDULER,
     I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY |
         I915_SCHEDULER_CAP_PREEMPTION | I915_SCHEDULER_CAP_SEMAPHORES |
         I915_SCHEDULER_CAP_ENGINE_BUSY_STATS},
    {I915_PARAM_HUC_STATUS, 0}, /* no HuC firmware is emulated */
    {I915_PARAM_HAS_EXEC_ASYNC, 1},
    {I915_PARAM_HAS_EXEC_FENCE, 1},
    {I915_PARAM_HAS_EXEC_CAPTURE, 1},
    {I915_PARAM_HAS_EXEC_BATCH_FIRST, 1},
    {I915_PARAM_HAS_EXEC_FENCE_ARRAY, 1},
    {I915_PARAM_HAS_CONTEXT_ISOLATION,
     1 << I915_ENGINE_CLASS_RENDER | 1 << I915_ENGINE_CLASS_COPY |
         1 << I915_ENGINE_CLASS_VIDEO | 1 << I915_ENGINE_CLASS_VIDEO_ENHANCE},
    {I915_PARAM_MMAP_GTT_COHERENT, 1},
    {I915_PARAM_HAS_EXEC_SUBMIT_FENCE, 1},
    {I915_PARAM_PERF_REVISION, 5},
    {I915_PARAM_HAS_EXEC_TIMELINE_FENCES, 1},
    {I915_PARAM_HAS_USERPTR_PROBE, 1},
};

static int
platform_param(int32_t param, int *value)
{
    const struct platform *p = device_platform();
    switch (param) {
    case I915_PARAM_CHIPSET_ID: *value = p->device_id; return 0;
    case I915_PARAM_REVISION: *value = p->revision; return 0;
    case I915_PARAM_HAS_LLC: *value = p->llc; return 0;
    case I915_PARAM_SUBSLICE_TOTAL: *value = p->slices * p->subslices; return 0;
    case I915_PARAM_EU_TOTAL:
        *value = p->slices * p->subslices * p->eus_per_subslice;
        return 0;
    case I915_PARAM_SLICE_MASK: *value = (1 << p->slices) - 1; return 0;
    case I915_PARAM_SUBSLICE_MASK: *value = (1 << p->subslices) - 1; return 0;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        *value = (int)p->timestamp_hz;
        return 0;
    /* The kernel dropped these with the user-mode-setting drivers. */
    case I915_PARAM_IRQ_ACTIVE:
    case I915_PARAM_ALLOW_BATCHBUFFER:
    case I915_PARAM_LAST_DISPATCH:
    case I915_PARAM_HAS_EXEC_CONSTANTS: return -ENODEV;
    default: return -EINVAL;
    }
}

int
ioctl_getparam(struct drm_file *file, void *arg)
{
    const struct drm_i915_getparam *g = arg;
    int value = 0, err = -EINVAL;
    for (unsigned i = 0; i < ARRAY_SIZE(constants) && err; i++) {
        if (constants[i].param == g->param) {
            value = constants[i].value;
            err = 0;
        }
    }
    if (err)
        err = platform_param(g->param, &value);
    if (err)
        return err;
    return client_write((uintptr_t)g->value, &value, sizeof value);
}

/* ------------------------------------------------------------------------
 * Queries. Each returns the length of its answer or -errno, and fills `out` if
 * it fits. */

#define ANSWER_MAX_B 512
#define ITEMS_MAX \
    1024 /* a larger count is a mistake, and would take too long */

static int
query_topology(uint8_t *out)
{
    const struct platform *p = device_platform();
    struct drm_i915_query_topology_info *t = (void *)out;
    t->max_slices = p->slices;
    t->max_subslices = p->subslices;
    t->max_eus_per_subslice = 8;
    t->subslice_offset = 1;
    t->subslice_stride = 1;
    t->eu_offset = (uint16_t)(1 + p->slices);
    t->eu_stride = 1;
    t->data[0] = (uint8_t)((1u << p->slices) - 1);
    for (unsigned s = 0; s < p->slices; s++) {
        t->data[t->subslice_offset + s] = (uint8_t)((1u << p->subslices) - 1);
        for (unsigned ss = 0; ss < p->subslices; ss++)
            t->data[t->eu_offset + s * t->max_subslices + ss] =
                (uint8_t)((1u << p->eus_per_subslice) - 1);
    }
    return (int)(sizeof *t) + t->eu_offset + p->slices * t->max_subslices;
}

static int
query_engines(uint8_t *out)
{
    static const uint16_t classes[] = {
        I915_ENGINE_CLASS_RENDER, I915_ENGINE_CLASS_COPY,
        I915_ENGINE_CLASS_VIDEO, I915_ENGINE_CLASS_VIDEO_ENHANCE};
    struct drm_i915_query_engine_info *q = (void *)out;
    q->num_engines = ARRAY_SIZE(classes);
    for (unsigned i = 0; i < ARRAY_SIZE(classes); i++) {
        q->engines[i].engine.engine_class = classes[i];
        q->engines[i].flags = I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE;
    }
    return (int)(sizeof *q + q->num_engines * sizeof q->engines[0]);
}

/* The size of system memory, as i915 reports it for an integrated GPU. */
static uint64_t
system_memory_B(void)
{
    uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int
query_regions(uint8_t *out)
{
    struct drm_i915_query_memory_regions *q = (void *)out;
    q->num_regions = 1;
    q->regions[0].region.memory_class = I915_MEMORY_CLASS_SYSTEM;
    q->regions[0].probed_size = system_memory_B();
    q->regions[0].unallocated_size = q->regions[0].probed_size;
    return (int)(sizeof *q + sizeof q->regions[0]);
}

static int
answer_item(const struct drm_i915_query_item *item, uint8_t *out)
{
    switch (item->query_id) {
    case DRM_I915_QUERY_TOPOLOGY_INFO:
        return item->flags ? -EINVAL : query_topology(out);
    case DRM_I915_QUERY_ENGINE_INFO:
        return item->flags ? -EINVAL : query_engines(out);
    case DRM_I915_QUERY_MEMORY_REGIONS:
        return item->flags ? -EINVAL : query_regions(out);
    case DRM_I915_QUERY_HWCONFIG_BLOB:
    case DRM_I915_QUERY_GEOMETRY_SUBSLICES: return -ENODEV;
    default: return -EINVAL;
    }
}

/* Checks the header, which the client must pass as zeros. */
static size_t
header_B(uint64_t id)
{
    switch (id) {
    case DRM_I915_QUERY_TOPOLOGY_INFO:
        return sizeof(struct drm_i915_query_topology_info);
    case DRM_I915_QUERY_ENGINE_INFO:
        return sizeof(struct drm_i915_query_engine_info);
    default: return sizeof(struct drm_i915_query_memory_regions);
    }
}

static int
run_query(const struct drm_i915_query_item *item)
{
    _Alignas(8) uint8_t out[ANSWER_MAX_B] = {0}, head[64];
    int length = answer_item(item, out);
    if (length <= 0 || !item->length)
        return length;
    if (item->length < length)
        return -EINVAL;
    size_t head_B = header_B(item->query_id);
    if (client_read(head, item->data_ptr, head_B))
        return -EFAULT;
    for (size_t i = 0; i < head_B; i++)
        if (head[i])
            return -EINVAL;
    if (client_write(item->data_ptr, out, (size_t)length))
        return -EFAULT;
    return length;
}

int
ioctl_query(struct drm_file *file, void *arg)
{
    const struct drm_i915_query *q = arg;
    if (q->flags || q->num_items > ITEMS_MAX)
        return -EINVAL;
    for (uint32_t i = 0; i < q->num_items; i++) {
        struct drm_i915_query_item item;
        uint64_t at = q->items_ptr + (uint64_t)i * sizeof item;
        int err = client_read(&item, at, sizeof item);
        if (err)
            return err;
        if (item.query_id == DRM_I915_QUERY_PERF_CONFIG)
            item.length = ioctl_query_perf_config(&item);
        else
            item.length = item.query_id ? run_query(&item) : -EINVAL;
        err = client_write(at + offsetof(struct drm_i915_query_item, length),
                           &item.length, sizeof item.length);
        if (err)
            return err;
    }
    return 0;
}

/* Only the render engine's timestamp may be read (RCS TIMESTAMP, 2358h). */
int
ioctl_reg_read(struct drm_file *file, void *arg)
{
    struct drm_i915_reg_read *r = arg;
    if ((r->offset & ~UINT64_C(7)) != 0x2358 ||
        r->offset & 7 & ~(uint64_t)I915_REG_READ_8B_WA)
        return -EINVAL;
    struct engine *engine = device_engine();
    r->val = engine ? engine_timestamp(engine) : 0;
    return engine ? 0 : -ENOMEM;
}
