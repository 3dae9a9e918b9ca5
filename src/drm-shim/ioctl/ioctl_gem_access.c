/* ioctl_gem_access.c: GEM objects: read, write, map, wait. */
#include "drm-shim/gem/gem.h"
#include "drm-shim/core/core.h"
#include "drm-shim/ioctl/ioctl.h"
#include "drm-shim/ioctl/ioctl_handlers.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>

/* The offset for mmap() of the device: page aligned, two per handle, because a
 * GTT map may show the object otherwise than the other kinds. */
#define TOKEN_SHIFT 20
#define TOKEN_GTT (UINT64_C(1) << 52)

uint64_t
ioctl_mmap_token(uint32_t handle)
{
    return (uint64_t)handle << TOKEN_SHIFT;
}

/* Waits until the GPU is done with the object (or with writing it). */
static int
wait_idle(struct bo *bo, bool writes_only, int64_t deadline_ns)
{
    device_lock();
    struct fence *fence = bo_fence(bo, writes_only);
    device_unlock();
    int err = fence ? fence_wait_interruptible(fence, deadline_ns) : 0;
    fence_unref(fence);
    return err;
}

static void *
map_exposed(struct bo *bo, void *addr, size_t length, int prot, int flags,
            uint64_t offset)
{
    device_lock();
    gtt_sync(bo);
    bo->cpu_mapped = true;
    bo_expose(bo);
    void *p = syscall_mmap(addr, length, prot, flags, bo->memfd,
                           bo->offset_B + offset);
    if (p != MAP_FAILED && !bo_slab_note_map(bo, p, length)) {
        munmap(p, length);
        p = MAP_FAILED;
        errno = ENOMEM;
    }
    if (p != MAP_FAILED)
        gtt_note_other(bo, p, length);
    device_unlock();
    return p;
}

static void *
map_gtt(struct bo *bo, void *addr, size_t length, int prot, int flags)
{
    device_lock();
    void *p = gtt_map(bo, addr, length, prot, flags);
    device_unlock();
    return p;
}

void *
ioctl_mmap(struct drm_file *file, void *addr, size_t length, int prot,
           int flags, uint64_t offset)
{
    bool gtt = offset & TOKEN_GTT;
    uint64_t token = offset & ~TOKEN_GTT;
    uint32_t handle = (uint32_t)(token >> TOKEN_SHIFT);
    struct bo *bo = NULL;
    if (token == ioctl_mmap_token(handle))
        bo = ioctl_bo(file, handle);
    void *p = MAP_FAILED;
    if (!bo || bo->memfd < 0 || !length ||
        ALIGN_POT((uint64_t)length, BO_PAGE_B) > bo->size_B)
        errno = EINVAL;
    else
        p = gtt ? map_gtt(bo, addr, length, prot, flags)
                : map_exposed(bo, addr, length, prot, flags, 0);
    trace(bo, "%smmap handle %u at %p", gtt ? "GTT " : "", handle, p);
    bo_unref(bo);
    return p;
}

/* GEM_MMAP_GTT is the shorter form: its flags read as 0, which means GTT. */
int
ioctl_gem_mmap_offset(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_mmap_offset *m = arg;
    if (m->extensions || m->flags > I915_MMAP_OFFSET_FIXED)
        return -EINVAL;
    if (m->flags == I915_MMAP_OFFSET_FIXED)
        return -ENODEV; /* only with local memory */
    struct bo *bo = ioctl_bo(file, m->handle);
    if (!bo)
        return -ENOENT;
    int err = bo->memfd < 0 ? -ENODEV : 0;
    bo_unref(bo);
    m->offset = ioctl_mmap_token(m->handle);
    if (m->flags == I915_MMAP_OFFSET_GTT)
        m->offset |= TOKEN_GTT;
    return err;
}

int
ioctl_gem_mmap(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_mmap *m = arg;
    if (m->flags & ~(uint64_t)I915_MMAP_WC)
        return -EINVAL;
    struct bo *bo = ioctl_bo(file, m->handle);
    if (!bo)
        return -ENOENT;
    int err = 0;
    if (bo->memfd < 0)
        err = -ENXIO;
    else if (!m->size || m->offset % BO_PAGE_B || m->offset > bo->size_B ||
             m->size > bo->size_B - m->offset)
        err = -EINVAL;
    if (!err) {
        void *p = map_exposed(bo, NULL, m->size, PROT_READ | PROT_WRITE,
                              MAP_SHARED, m->offset);
        if (p == MAP_FAILED)
            err = -errno;
        else
            m->addr_ptr = (uintptr_t)p;
    }
    bo_unref(bo);
    return err;
}

static void
sync_view(struct bo *bo)
{
    device_lock();
    gtt_sync_view(bo);
    device_unlock();
}

static bool
in_range(const struct bo *bo, uint64_t offset, uint64_t size_B)
{
    return offset <= bo->size_B && size_B <= bo->size_B - offset;
}

int
ioctl_gem_pread(struct drm_file *file, void *arg)
{
    const struct drm_i915_gem_pread *r = arg;
    struct bo *bo = ioctl_bo(file, r->handle);
    if (!bo)
        return -ENOENT;
    int err = in_range(bo, r->offset, r->size) ? 0 : -EINVAL;
    if (!err)
        err = wait_idle(bo, true, FENCE_FOREVER);
    device_lock();
    gtt_sync(bo);
    const uint8_t *p = err ? NULL : bo_map(bo);
    device_unlock();
    if (!err)
        err = p ? client_copy(r->data_ptr, (uintptr_t)p + r->offset, r->size)
                : -ENOMEM;
    bo_unref(bo);
    return err;
}

int
ioctl_gem_pwrite(struct drm_file *file, void *arg)
{
    const struct drm_i915_gem_pwrite *w = arg;
    struct bo *bo = ioctl_bo(file, w->handle);
    if (!bo)
        return -ENOENT;
    int err = in_range(bo, w->offset, w->size) ? 0 : -EINVAL;
    if (!err)
        err = wait_idle(bo, false, FENCE_FOREVER);
    device_lock();
    gtt_sync(bo);
    uint8_t *p = err ? NULL : bo_map(bo);
    device_unlock();
    if (!err)
        err = p ? client_copy((uintptr_t)p + w->offset, w->data_ptr, w->size)
                : -ENOMEM;
    device_lock();
    gtt_note_write(bo);
    gtt_sync(bo);
    device_unlock();
    bo_unref(bo);
    return err;
}

#define CPU_DOMAINS \
    (I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT | I915_GEM_DOMAIN_WC)

int
ioctl_gem_set_domain(struct drm_file *file, void *arg)
{
    const struct drm_i915_gem_set_domain *d = arg;
    if ((d->read_domains | d->write_domain) & ~(uint32_t)CPU_DOMAINS)
        return -EINVAL;
    if (d->write_domain && d->read_domains != d->write_domain)
        return -EINVAL;
    struct bo *bo = ioctl_bo(file, d->handle);
    if (!bo)
        return -ENOENT;
    int err = d->read_domains ? wait_idle(bo, !d->write_domain, FENCE_FOREVER)
                              : 0;
    if (!err)
        sync_view(bo);
    bo_unref(bo);
    return err;
}

int
ioctl_gem_sw_finish(struct drm_file *file, void *arg)
{
    const struct drm_i915_gem_sw_finish *s = arg;
    struct bo *bo = ioctl_bo(file, s->handle);
    if (!bo)
        return -ENOENT;
    sync_view(bo);
    bo_unref(bo);
    return 0;
}

int
ioctl_gem_busy(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_busy *b = arg;
    device_lock();
    struct bo *bo = handle_get(&file->bos, b->handle);
    b->busy = 0;
    if (bo) {
        bo_look(bo);
        gtt_sync_used(bo);
    }
    for (unsigned i = 0; bo && i < bo->use_count; i++) {
        b->busy |= UINT32_C(0x10000) << bo->uses[i].engine_class;
        if (bo->uses[i].write)
            b->busy = (b->busy & 0xffff0000) |
                      (bo->uses[i].engine_class + UINT32_C(1));
    }
    device_unlock();
    return bo ? 0 : -ENOENT;
}

/* timeout_ns is relative: a negative one waits without limit; on return it
 * holds the time left. */
int
ioctl_gem_wait(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_wait *w = arg;
    if (w->flags)
        return -EINVAL;
    struct bo *bo = ioctl_bo(file, w->bo_handle);
    if (!bo)
        return -ENOENT;
    int64_t start_ns = fence_now_ns(), deadline_ns = FENCE_FOREVER;
    if (w->timeout_ns == 0)
        deadline_ns = 0;
    else if (w->timeout_ns > 0 && w->timeout_ns < FENCE_FOREVER - start_ns)
        deadline_ns = start_ns + w->timeout_ns;
    int err = wait_idle(bo, false, deadline_ns);
    device_lock();
    gtt_sync_used(bo);
    device_unlock();
    if (w->timeout_ns > 0)
        w->timeout_ns = MAX2(w->timeout_ns - (fence_now_ns() - start_ns),
                             INT64_C(0));
    bo_unref(bo);
    return err;
}

/* Submission already waits when the queue is long. */
int
ioctl_gem_throttle(struct drm_file *file, void *arg)
{
    return 0;
}
