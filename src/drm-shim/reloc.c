#include "drm-shim/reloc.h"

#include "drm-shim/bo.h"
#include "drm-shim/client.h"
#include "drm-shim/device.h"
#include "drm-shim/job.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

static int
find_target(const struct job *job, uint64_t flags, uint32_t target)
{
    if (flags & I915_EXEC_HANDLE_LUT)
        return target < job->object_count ? (int)target : -1;
    for (unsigned i = 0; i < job->object_count; i++)
        if (job->objects[i].handle == target)
            return (int)i;
    return -1;
}

/* The CPU writes into the object: the GPU must be done with it. */
static int
open_object(struct bo *bo, uint8_t **map)
{
    device_lock();
    struct fence *fence = bo_fence(bo, false);
    *map = bo_map(bo);
    device_unlock();
    if (fence)
        fence_wait(fence, FENCE_FOREVER);
    fence_unref(fence);
    return *map ? 0 : -ENOMEM;
}

static int
apply_one(struct job *job, unsigned i, uint64_t flags,
          struct drm_i915_gem_relocation_entry *r, uint8_t **map)
{
    struct bo *bo = job->bos[i];
    int t = find_target(job, flags, r->target_handle);
    if (t < 0)
        return -ENOENT;
    if (r->write_domain & (r->write_domain - 1))
        return -EINVAL;
    if (r->offset & 3 || r->offset > bo->size_B ||
        bo->size_B - r->offset < sizeof(uint64_t))
        return -EINVAL;
    if (r->write_domain)
        job->objects[t].flags |= EXEC_OBJECT_WRITE;
    uint64_t target = job->objects[t].offset;
    if (r->presumed_offset == target)
        return 0;
    if (!*map) {
        int err = open_object(bo, map);
        if (err)
            return err;
    }
    uint64_t value = job_canonical((target + r->delta) &
                                   ((UINT64_C(1) << 48) - 1));
    memcpy(*map + r->offset, &value, sizeof value);
    r->presumed_offset = target;
    return 0;
}

static int
apply_object(struct job *job, unsigned i, uint64_t flags)
{
    const struct drm_i915_gem_exec_object2 *o = &job->objects[i];
    uint8_t *map = NULL;
    int err;
    struct drm_i915_gem_relocation_entry *list = client_read_array(
        o->relocs_ptr, o->relocation_count, sizeof *list, &err);
    if (!list)
        return err;
    for (uint32_t n = 0; n < o->relocation_count && !err; n++) {
        uint64_t before = list[n].presumed_offset;
        err = apply_one(job, i, flags, &list[n], &map);
        if (!err && list[n].presumed_offset != before)
            err = client_write(
                o->relocs_ptr + n * sizeof *list +
                    offsetof(struct drm_i915_gem_relocation_entry,
                             presumed_offset),
                &list[n].presumed_offset, sizeof list[n].presumed_offset);
    }
    free(list);
    return err;
}

/* NO_RELOC promises that every entry already holds the object's offset as the
 * client passed it in; place() may have moved objects since, and then the
 * presumed offsets differ and are mended all the same. */
int
reloc_apply(struct job *job, uint64_t flags)
{
    for (unsigned i = 0; i < job->object_count; i++) {
        if (!job->objects[i].relocation_count)
            continue;
        int err = apply_object(job, i, flags);
        if (err)
            return err;
    }
    return 0;
}
