#include "drm-shim/gem/bo.h"

#include "base/refusal.h"
#include "drm-shim/gem/bo_share.h"
#include "drm-shim/gem/bo_slab.h"
#include "drm-shim/core/core.h"
#include "drm-shim/gem/gtt_map.h"
#include "drm-shim/gem/ppgtt.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>

struct bo *
bo_alloc(uint64_t size_B)
{
    struct bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        return NULL;
    atomic_init(&bo->refs, 1);
    bo->size_B = size_B;
    bo->memfd = -1;
    bo->caching = device_platform()->llc;
    return bo;
}

struct bo *
bo_create(uint64_t size_B)
{
    struct bo *bo = bo_alloc(size_B);
    if (!bo)
        return NULL;
    device_lock();
    if (!bo_slab_wanted())
        bo->memfd = bo_file(size_B);
    bool ok = bo->memfd >= 0 || bo_slab_take(bo);
    device_unlock();
    if (!ok) {
        refusal("no memory for a buffer object of %llu bytes: %m",
                (unsigned long long)size_B);
        bo_unref(bo);
        return NULL;
    }
    trace(bo, "bo %p: %#llx bytes", (void *)bo, (unsigned long long)size_B);
    return bo;
}

struct bo *
bo_create_user(void *ptr, uint64_t size_B)
{
    struct bo *bo = bo_alloc(size_B);
    if (bo)
        bo->user = ptr;
    return bo;
}

struct bo *
bo_ref(struct bo *bo)
{
    atomic_fetch_add(&bo->refs, 1);
    return bo;
}

void
bo_unref(struct bo *bo)
{
    if (!bo)
        return;
    /* Drops the last reference under the lock, because lists hand out new ones
     * under it. */
    unsigned refs = atomic_load(&bo->refs);
    while (refs > 1)
        if (atomic_compare_exchange_weak(&bo->refs, &refs, refs - 1))
            return;
    device_lock();
    if (atomic_fetch_sub(&bo->refs, 1) == 1) {
        trace(bo, "bo %p: gone", (void *)bo);
        gtt_forget(bo);
        ppgtt_unbind_all(bo);
        bo_share_forget(bo);
        if (bo->kept)
            *device_kept_B() -= bo->size_B;
        if (bo->flink_name)
            device_forget_name(bo->flink_name);
        for (unsigned i = 0; i < bo->use_count; i++)
            fence_unref(bo->uses[i].fence);
        if (bo->map && bo->map != bo->user)
            munmap(bo->map, bo->size_B);
        if (bo->memfd >= 0)
            bo_slab_give_back(bo);
        free(bo->uses);
        free(bo);
    }
    device_unlock();
}

void
bo_expose(struct bo *bo)
{
    if (bo->exposed)
        return;
    bo->exposed = true;
    for (struct binding *b = bo->bindings; b; b = b->next)
        engine_vm_expose(b->ppgtt->vm, b->va, bo->size_B, false);
}

void
bo_expose_share(struct bo *bo)
{
    bo->exposed = true;
    for (struct binding *b = bo->bindings; b; b = b->next)
        engine_vm_expose(b->ppgtt->vm, b->va, bo->size_B, true);
}

void *
bo_map(struct bo *bo)
{
    if (bo->user)
        return bo->user;
    bo_expose(bo);
    if (!bo->map) {
        void *p = syscall_mmap(NULL, bo->size_B, PROT_READ | PROT_WRITE,
                               MAP_SHARED, bo->memfd, bo->offset_B);
        if (p != MAP_FAILED)
            bo->map = p;
    }
    return bo->map;
}

/* Drops uses whose fence has signalled; returns how many are left. */
static unsigned
prune_uses(struct bo *bo)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < bo->use_count; i++) {
        if (fence_is_signalled(bo->uses[i].fence))
            fence_unref(bo->uses[i].fence);
        else
            bo->uses[kept++] = bo->uses[i];
    }
    bo->use_count = kept;
    return kept;
}

/* One entry per timeline: a later use replaces an earlier one, because uses of
 * a timeline end in order. A write stays a write. */
static struct bo_use *
same_timeline(struct bo *bo, const struct bo_use *use)
{
    for (unsigned i = 0; i < bo->use_count; i++)
        if (bo->uses[i].timeline == use->timeline && use->timeline)
            return &bo->uses[i];
    return NULL;
}

bool
bo_add_use(struct bo *bo, const struct bo_use *use)
{
    if (!use->foreign && !bo_share_use(bo, use))
        return false;
    struct bo_use *old = same_timeline(bo, use);
    if (old) {
        fence_unref(old->fence);
        old->fence = fence_ref(use->fence);
        old->write |= use->write;
        return true;
    }
    prune_uses(bo);
    if (bo->use_count == bo->use_capacity) {
        unsigned more = bo->use_capacity + 4;
        struct bo_use *p = realloc(bo->uses, more * sizeof *p);
        if (!p)
            return false;
        bo->uses = p;
        bo->use_capacity = more;
    }
    bo->uses[bo->use_count] = *use;
    fence_ref(use->fence);
    bo->use_count++;
    return true;
}

unsigned
bo_look(struct bo *bo)
{
    bo_share_look(bo);
    return prune_uses(bo);
}

struct fence *
bo_fence(struct bo *bo, bool writes_only)
{
    struct fence *parts[16];
    unsigned count = 0;
    if (!bo_look(bo))
        return NULL;
    for (unsigned i = 0; i < bo->use_count && count < ARRAY_SIZE(parts); i++)
        if (bo->uses[i].write || !writes_only)
            parts[count++] = bo->uses[i].fence;
    if (!count)
        return NULL;
    return count == 1 ? fence_ref(parts[0]) : fence_create_merged(parts, count);
}
