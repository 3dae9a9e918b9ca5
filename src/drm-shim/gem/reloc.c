#include "drm-shim/gem/reloc.h"

#include "drm-shim/gem/bo.h"
#include "drm-shim/core/core.h"
#include "drm-shim/gem/request.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

static int
find_target(const struct request *request, uint64_t flags, uint32_t target)
{
    if (flags & I915_EXEC_HANDLE_LUT)
        return target < request->object_count ? (int)target : -1;
    for (unsigned i = 0; i < request->object_count; i++)
        if (request->objects[i].handle == target)
            return (int)i;
    return -1;
}

/* The CPU writes into the object, so the GPU must be done with it. */
static int
open_object(struct bo *bo, uint8_t **map, struct fence **busy)
{
    device_lock();
    *busy = bo_fence(bo, false);
    *map = *busy ? NULL : bo_map(bo);
    device_unlock();
    return *map ? 0 : *busy ? -EAGAIN : -ENOMEM;
}

static int
apply_one(struct request *request, unsigned i, uint64_t flags,
          struct drm_i915_gem_relocation_entry *r, uint8_t **map,
          struct fence **busy)
{
    struct bo *bo = request->bos[i];
    int t = find_target(request, flags, r->target_handle);
    if (t < 0)
        return -ENOENT;
    if (r->write_domain & (r->write_domain - 1))
        return -EINVAL;
    if (r->offset & 3 || r->offset > bo->size_B ||
        bo->size_B - r->offset < sizeof(uint64_t))
        return -EINVAL;
    if (r->write_domain)
        request->objects[t].flags |= EXEC_OBJECT_WRITE;
    uint64_t target = request->objects[t].offset;
    if (r->presumed_offset == target)
        return 0;
    if (!*map) {
        int err = open_object(bo, map, busy);
        if (err)
            return err;
    }
    /* As i915: the delta has a sign. xf86-video-intel's are below its batch. */
    uint64_t value = target + (uint64_t)(int64_t)(int32_t)r->delta;
    value = request_canonical(value & ((UINT64_C(1) << 48) - 1));
    r->presumed_offset = target;
    return client_write((uintptr_t)*map + r->offset, &value, sizeof value);
}

static int
apply_object(struct request *request, unsigned i, uint64_t flags,
             struct fence **busy)
{
    const struct drm_i915_gem_exec_object2 *o = &request->objects[i];
    uint8_t *map = NULL;
    int err;
    struct drm_i915_gem_relocation_entry *list = client_read_array(
        o->relocs_ptr, o->relocation_count, sizeof *list, &err);
    if (!list)
        return err;
    for (uint32_t n = 0; n < o->relocation_count && !err; n++) {
        uint64_t before = list[n].presumed_offset;
        err = apply_one(request, i, flags, &list[n], &map, busy);
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

/* I915_EXEC_NO_RELOC promises that every entry already holds the offset that
 * the client passed in. Entries of objects that place_objects() has moved since
 * are rewritten nevertheless. */
int
reloc_apply(struct request *request, uint64_t flags, struct fence **busy)
{
    for (unsigned i = 0; i < request->object_count; i++) {
        if (!request->objects[i].relocation_count)
            continue;
        int err = apply_object(request, i, flags, busy);
        if (err)
            return err;
    }
    return 0;
}
