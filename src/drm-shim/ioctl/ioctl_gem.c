/* ioctl_gem.c: GEM objects: create, name, share, describe. */
#include "drm-shim/gem/gem.h"
#include "drm-shim/core/core.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "engine/engine.h"

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <sys/mman.h>

struct bo *
ioctl_bo(struct drm_file *file, uint32_t handle)
{
    device_lock();
    struct bo *bo = handle_get(&file->bos, handle);
    if (bo)
        bo_ref(bo);
    device_unlock();
    return bo;
}

uint32_t
ioctl_bo_handle(struct drm_file *file, struct bo *bo)
{
    device_lock();
    uint32_t handle = handle_add(&file->bos, bo);
    device_unlock();
    if (!handle)
        bo_unref(bo);
    return handle;
}

static int
create_object(struct drm_file *file, uint64_t *size_B, uint32_t *handle)
{
    if (!*size_B || *size_B > ENGINE_VM_SIZE_B)
        return *size_B ? -E2BIG : -EINVAL;
    *size_B = ALIGN_POT(*size_B, BO_PAGE_B);
    struct bo *bo = bo_create(*size_B);
    if (!bo)
        return -ENOMEM;
    *handle = ioctl_bo_handle(file, bo);
    return *handle ? 0 : -ENOMEM;
}

int
ioctl_gem_create(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_create *c = arg;
    uint64_t size_B = c->size;
    int err = create_object(file, &size_B, &c->handle);
    if (!err)
        c->size = size_B;
    return err;
}

/* Accepts one extension: a list of memory regions that holds system memory
 * alone. */
static int
check_regions(uint64_t at)
{
    struct drm_i915_gem_create_ext_memory_regions ext;
    int err = client_read(&ext, at, sizeof ext);
    if (err)
        return err;
    if (ext.pad || !ext.num_regions)
        return -EINVAL;
    for (uint32_t i = 0; i < ext.num_regions && i < 16; i++) {
        struct drm_i915_gem_memory_class_instance region;
        err = client_read(&region, ext.regions + i * sizeof region,
                          sizeof region);
        if (err)
            return err;
        if (region.memory_class != I915_MEMORY_CLASS_SYSTEM ||
            region.memory_instance)
            return -EINVAL;
    }
    return 0;
}

int
ioctl_gem_create_ext(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_create_ext *c = arg;
    uint64_t at = c->extensions;
    if (c->flags)
        return -EINVAL;
    for (unsigned n = 0; at; n++) {
        struct i915_user_extension ext;
        int err = client_read(&ext, at, sizeof ext);
        if (err)
            return err;
        if (n > 512)
            return -E2BIG;
        if (ext.name == I915_GEM_CREATE_EXT_MEMORY_REGIONS)
            err = check_regions(at);
        else /* protected content needs hardware that Gen9 lacks */
            err = ext.name == I915_GEM_CREATE_EXT_PROTECTED_CONTENT ? -ENODEV
                                                                    : -EINVAL;
        if (err)
            return err;
        at = ext.next_extension;
    }
    uint64_t size_B = c->size;
    int err = create_object(file, &size_B, &c->handle);
    if (!err)
        c->size = size_B;
    return err;
}

int
ioctl_gem_userptr(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_userptr *u = arg;
    if (u->flags & ~(uint32_t)(I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE |
                               I915_USERPTR_UNSYNCHRONIZED))
        return -EINVAL;
    if (!u->user_size || (u->user_ptr | u->user_size) % BO_PAGE_B ||
        u->user_size > ENGINE_VM_SIZE_B)
        return -EINVAL;
    if (u->flags & (I915_USERPTR_UNSYNCHRONIZED | I915_USERPTR_READ_ONLY))
        return -ENODEV;
    if (!u->user_ptr || u->user_ptr > (UINT64_C(1) << 47) - u->user_size)
        return -EFAULT;
    if (u->flags & I915_USERPTR_PROBE) {
        char byte;
        for (uint64_t at = 0; at < u->user_size; at += BO_PAGE_B)
            if (client_read(&byte, u->user_ptr + at, 1))
                return -EFAULT;
    }
    struct bo *bo = bo_create_user((void *)(uintptr_t)u->user_ptr,
                                   u->user_size);
    if (!bo)
        return -ENOMEM;
    u->handle = ioctl_bo_handle(file, bo);
    return u->handle ? 0 : -ENOMEM;
}

int
ioctl_gem_close(struct drm_file *file, void *arg)
{
    const struct drm_gem_close *c = arg;
    device_lock();
    struct bo *bo = handle_remove(&file->bos, c->handle);
    device_unlock();
    bo_unref(bo);
    return bo ? 0 : -EINVAL;
}

int
ioctl_gem_flink(struct drm_file *file, void *arg)
{
    struct drm_gem_flink *f = arg;
    device_lock();
    struct bo *bo = handle_get(&file->bos, f->handle);
    if (bo && !bo->flink_name)
        bo->flink_name = device_add_name(bo);
    if (bo)
        f->name = bo->flink_name;
    device_unlock();
    if (!bo)
        return -ENOENT;
    return f->name ? 0 : -ENOMEM;
}

/* One object has one handle per open file. */
static uint32_t
handle_of(struct drm_file *file, struct bo *bo)
{
    uint32_t handle = handle_find(&file->bos, bo);
    if (handle) {
        bo_unref(bo);
        return handle;
    }
    return ioctl_bo_handle(file, bo);
}

int
ioctl_gem_open(struct drm_file *file, void *arg)
{
    struct drm_gem_open *o = arg;
    device_lock();
    struct bo *bo = device_find_name(o->name);
    if (bo) {
        o->size = bo->size_B;
        o->handle = handle_of(file, bo_ref(bo));
    }
    device_unlock();
    if (!bo)
        return -ENOENT;
    return o->handle ? 0 : -ENOMEM;
}

/* Takes both locks. Sharing may move the pages of the object, which no batch
 * may use meanwhile. */
static void
lock_idle(struct bo *bo)
{
    for (;;) {
        device_submit_lock();
        device_lock();
        struct fence *busy = bo && bo->in_slab ? bo_fence(bo, false) : NULL;
        if (!busy)
            return;
        device_unlock();
        device_submit_unlock();
        fence_wait(busy, FENCE_FOREVER);
        fence_unref(busy);
    }
}

int
ioctl_prime_handle_to_fd(struct drm_file *file, void *arg)
{
    struct drm_prime_handle *p = arg;
    if (p->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    struct bo *bo = ioctl_bo(file, p->handle);
    lock_idle(bo);
    if (bo)
        gtt_sync(bo);
    int fd = bo ? bo_export(bo, (int)p->flags) : -ENOENT;
    device_unlock();
    device_submit_unlock();
    bo_unref(bo);
    if (fd < 0)
        return fd;
    p->fd = fd;
    return 0;
}

int
ioctl_prime_fd_to_handle(struct drm_file *file, void *arg)
{
    struct drm_prime_handle *p = arg;
    int err = 0;
    device_lock();
    struct bo *bo = bo_import(p->fd, &err);
    if (bo) {
        p->handle = handle_of(file, bo);
        err = p->handle ? 0 : -ENOMEM;
    }
    device_unlock();
    return err;
}

int
ioctl_gem_set_tiling(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_set_tiling *t = arg;
    if (!bo_tiling_is_valid(t->tiling_mode, t->stride))
        return -EINVAL;
    if (t->tiling_mode == I915_TILING_NONE)
        t->stride = 0;
    device_lock();
    struct bo *bo = handle_get(&file->bos, t->handle);
    if (bo) {
        bo_set_tiling(bo, t->tiling_mode, t->stride);
        gtt_sync(bo);
    }
    device_unlock();
    t->swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    return bo ? 0 : -ENOENT;
}

int
ioctl_gem_get_tiling(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_get_tiling *t = arg;
    uint32_t stride_B;
    device_lock();
    struct bo *bo = handle_get(&file->bos, t->handle);
    if (bo)
        bo_get_tiling(bo, &t->tiling_mode, &stride_B);
    device_unlock();
    t->swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    t->phys_swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    return bo ? 0 : -ENOENT;
}

int
ioctl_gem_set_caching(struct drm_file *file, void *arg)
{
    const struct drm_i915_gem_caching *c = arg;
    if (c->caching > I915_CACHING_DISPLAY)
        return -EINVAL;
    device_lock();
    struct bo *bo = handle_get(&file->bos, c->handle);
    if (bo)
        bo->caching = c->caching;
    device_unlock();
    return bo ? 0 : -ENOENT;
}

int
ioctl_gem_get_caching(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_caching *c = arg;
    device_lock();
    struct bo *bo = handle_get(&file->bos, c->handle);
    if (bo)
        c->caching = bo->caching;
    device_unlock();
    return bo ? 0 : -ENOENT;
}

/* Limit of purgeable memory (MADV_DONTNEED) that is kept, because mapping and
 * filling fresh pages takes longer than a small batch. Pages above the limit
 * are freed at once, as the kernel does when it needs memory. */
#define KEPT_MAX_B (UINT64_C(256) << 20)

/* Lock held. */
static bool
give_up(struct bo *bo)
{
    uint64_t *kept_B = device_kept_B();
    if (bo->dontneed)
        return bo->kept;
    bo->dontneed = true;
    bo->kept = !bo->share && !bo->user && *kept_B + bo->size_B <= KEPT_MAX_B;
    if (bo->kept)
        *kept_B += bo->size_B;
    return bo->kept;
}

/* Lock held. */
static bool
take_up(struct bo *bo)
{
    if (!bo->dontneed)
        return true;
    if (!bo->kept)
        return false;
    *device_kept_B() -= bo->size_B;
    bo->dontneed = bo->kept = false;
    return true;
}

int
ioctl_gem_madvise(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_madvise *m = arg;
    if (m->madv != I915_MADV_WILLNEED && m->madv != I915_MADV_DONTNEED)
        return -EINVAL;
    device_lock();
    struct bo *bo = handle_get(&file->bos, m->handle);
    if (bo)
        m->retained = m->madv == I915_MADV_DONTNEED ? give_up(bo) : take_up(bo);
    device_unlock();
    return bo ? 0 : -ENOENT;
}

int
ioctl_gem_get_aperture(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_get_aperture *a = arg;
    a->aper_size = UINT64_C(4) << 30;
    a->aper_available_size = a->aper_size;
    return 0;
}
