#include "drm-shim/bo.h"

#include "drm-shim/device.h"
#include "drm-shim/platform.h"
#include "drm-shim/raw.h"
#include "drm-shim/space.h"

#include <errno.h>
#include <stdlib.h>

static struct bo *
alloc_bo(uint64_t size_B)
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
    struct bo *bo = alloc_bo(size_B);
    if (!bo)
        return NULL;
    bo->memfd = raw_fd_up(memfd_create("softlake-bo", MFD_CLOEXEC));
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
    struct bo *bo = alloc_bo(size_B);
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

static void
forget_shared(struct bo *bo)
{
    struct bo **p = device_shared_bos();
    while (*p && *p != bo)
        p = &(*p)->next_shared;
    if (*p)
        *p = bo->next_shared;
    munmap(bo->shared, BO_PAGE_B);
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
        if (bo->shared)
            forget_shared(bo);
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

void *
bo_map(struct bo *bo)
{
    if (bo->user)
        return bo->user;
    if (!bo->map) {
        void *p = raw_mmap(NULL, bo->size_B, PROT_READ | PROT_WRITE, MAP_SHARED,
                           bo->memfd, 0);
        if (p != MAP_FAILED)
            bo->map = p;
    }
    return bo->map;
}

static struct bo_shared *
map_trailer(int fd, uint64_t at_B)
{
    void *p = raw_mmap(NULL, BO_PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                       at_B);
    return p == MAP_FAILED ? NULL : p;
}

static bool
list_shared(struct bo *bo)
{
    struct stat st;
    if (raw_fstat(bo->memfd, &st) < 0)
        return false;
    bo->dev = st.st_dev;
    bo->ino = st.st_ino;
    bo->next_shared = *device_shared_bos();
    *device_shared_bos() = bo;
    return true;
}

static int
make_shared(struct bo *bo)
{
    if (ftruncate(bo->memfd, (off_t)(bo->size_B + BO_PAGE_B)) < 0)
        return -ENOMEM;
    struct bo_shared *shared = map_trailer(bo->memfd, bo->size_B);
    if (!shared || !list_shared(bo)) {
        if (shared)
            munmap(shared, BO_PAGE_B);
        return -ENOMEM;
    }
    shared->size_B = bo->size_B;
    atomic_store(&shared->tiling, bo->tiling);
    atomic_store(&shared->stride_B, bo->stride_B);
    shared->magic = BO_SHARED_MAGIC;
    bo->shared = shared;
    return 0;
}

int
bo_export(struct bo *bo, int flags)
{
    if (bo->memfd < 0)
        return -EINVAL; /* as i915: userptr cannot be exported */
    int err = bo->shared ? 0 : make_shared(bo);
    if (err)
        return err;
    int fd = fcntl(bo->memfd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
    return fd < 0 ? -errno : fd;
}

struct bo *
bo_find_shared(dev_t dev, ino_t ino)
{
    for (struct bo *bo = *device_shared_bos(); bo; bo = bo->next_shared)
        if (bo->ino == ino && bo->dev == dev)
            return bo;
    return NULL;
}

uint64_t
bo_shared_size_B(dev_t dev, ino_t ino)
{
    const struct bo *bo = bo_find_shared(dev, ino);
    return bo ? bo->size_B : 0;
}

struct bo *
bo_import(int fd, int *err)
{
    struct stat st;
    if (raw_fstat(fd, &st) < 0) {
        *err = -errno;
        return NULL;
    }
    struct bo *bo = bo_find_shared(st.st_dev, st.st_ino);
    if (bo)
        return bo_ref(bo);
    *err = -EINVAL;
    if (!S_ISREG(st.st_mode) || st.st_size < (off_t)(2 * BO_PAGE_B) ||
        st.st_size % (off_t)BO_PAGE_B)
        return NULL;
    uint64_t size_B = (uint64_t)st.st_size - BO_PAGE_B;
    struct bo_shared *shared = map_trailer(fd, size_B);
    if (!shared)
        return NULL;
    if (shared->magic != BO_SHARED_MAGIC || shared->size_B != size_B) {
        munmap(shared, BO_PAGE_B);
        return NULL;
    }
    *err = -ENOMEM;
    bo = alloc_bo(size_B);
    if (!bo) {
        munmap(shared, BO_PAGE_B);
        return NULL;
    }
    bo->memfd = raw_fd_up(dup(fd));
    bo->shared = shared;
    if (bo->memfd >= 0 && list_shared(bo))
        return bo;
    bo_unref(bo);
    return NULL;
}

void
bo_set_tiling(struct bo *bo, uint32_t tiling, uint32_t stride_B)
{
    bo->tiling = tiling;
    bo->stride_B = stride_B;
    if (bo->shared) {
        atomic_store(&bo->shared->tiling, tiling);
        atomic_store(&bo->shared->stride_B, stride_B);
    }
}

void
bo_get_tiling(const struct bo *bo, uint32_t *tiling, uint32_t *stride_B)
{
    *tiling = bo->tiling;
    *stride_B = bo->stride_B;
    if (bo->shared) {
        *tiling = atomic_load(&bo->shared->tiling);
        *stride_B = atomic_load(&bo->shared->stride_B);
    }
}

unsigned
bo_prune(struct bo *bo)
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
    struct bo_use *old = same_timeline(bo, use);
    if (old) {
        fence_unref(old->fence);
        old->fence = fence_ref(use->fence);
        old->write |= use->write;
        return true;
    }
    bo_prune(bo);
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

struct fence *
bo_fence(struct bo *bo, bool writes_only)
{
    struct fence *parts[16];
    unsigned count = 0;
    if (!bo_prune(bo))
        return NULL;
    for (unsigned i = 0; i < bo->use_count && count < ARRAY_SIZE(parts); i++)
        if (bo->uses[i].write || !writes_only)
            parts[count++] = bo->uses[i].fence;
    if (!count)
        return NULL;
    return count == 1 ? fence_ref(parts[0]) : fence_create_merged(parts, count);
}
