#include "drm-shim/bo.h"

#include "drm-shim/bo_share.h"
#include "drm-shim/device.h"
#include "drm-shim/platform.h"
#include "drm-shim/raw.h"
#include "drm-shim/space.h"
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
    bo->memfd = raw_fd_up(
        memfd_create("softlake-bo", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (bo->memfd < 0 || ftruncate(bo->memfd, (off_t)size_B) < 0) {
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
    /* Lists hand out new references under the lock, so the last one must go
     * under it. */
    unsigned refs = atomic_load(&bo->refs);
    while (refs > 1)
        if (atomic_compare_exchange_weak(&bo->refs, &refs, refs - 1))
            return;
    device_lock();
    if (atomic_fetch_sub(&bo->refs, 1) == 1) {
        trace(bo, "bo %p: gone", (void *)bo);
        space_unbind_all(bo);
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
            close(bo->memfd);
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
        engine_vm_expose(b->space->vm, b->va, bo->size_B);
}

void *
bo_map(struct bo *bo)
{
    if (bo->user)
        return bo->user;
    bo_expose(bo);
    if (!bo->map) {
        void *p = raw_mmap(NULL, bo->size_B, PROT_READ | PROT_WRITE, MAP_SHARED,
                           bo->memfd, 0);
        if (p != MAP_FAILED)
            bo->map = p;
    }
    return bo->map;
}

/* Drops what is over. */
static unsigned
prune(struct bo *bo)
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

/* A later use of one timeline stands for the earlier ones; an earlier write
 * stays visible as a write. */
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
    prune(bo);
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
    return prune(bo);
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
