#include "drm-shim/device/exported_fd.h"

#include "drm-shim/gem/gem.h"
#include "drm-shim/oa/oa.h"
#include "drm-shim/core/core.h"
#include "drm-shim/device/device.h"

#include <errno.h>
#include <i915_drm.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <stdio.h>

/* ------------------------------------------------------------------------
 * sync_file */

static int
sync_merge(int fd, struct sync_merge_data *m)
{
    int err = 0;
    struct fence *parts[2] = {0}, *merged = NULL;
    if (m->flags || m->pad)
        return -EINVAL;
    parts[0] = fence_import(fd, &err);
    if (parts[0])
        parts[1] = fence_import(m->fd2, &err);
    if (parts[1]) {
        merged = fence_create_merged(parts, 2);
        err = merged ? fence_export(merged) : -ENOMEM;
    }
    fence_unref(merged);
    fence_unref(parts[0]);
    fence_unref(parts[1]);
    if (err < 0)
        return err;
    m->fence = err;
    return 0;
}

static int
sync_info(int fd, struct sync_file_info *info)
{
    int err = 0;
    if (info->flags || info->pad)
        return -EINVAL;
    struct fence *fence = fence_import(fd, &err);
    if (!fence)
        return err;
    int status = fence_is_signalled(fence);
    fence_unref(fence);
    memset(info->name, 0, sizeof info->name);
    snprintf(info->name, sizeof info->name, "softlake");
    info->status = status;
    if (info->num_fences) {
        struct sync_fence_info one = {.status = status};
        snprintf(one.obj_name, sizeof one.obj_name, "softlake");
        snprintf(one.driver_name, sizeof one.driver_name, "i915");
        one.timestamp_ns = status ? (uint64_t)fence_now_ns() : 0;
        err = client_write(info->sync_fence_info, &one, sizeof one);
    } else {
        err = 0;
    }
    info->num_fences = 1;
    return err;
}

static int
sync_ioctl(int fd, unsigned long request, void *arg)
{
    switch (request) {
    case SYNC_IOC_MERGE: return sync_merge(fd, arg);
    case SYNC_IOC_FILE_INFO: return sync_info(fd, arg);
    default: return -ENOTTY;
    }
}

/* ------------------------------------------------------------------------
 * dma-buf */

static int
buf_sync(struct bo *bo, const struct dma_buf_sync *s)
{
    if (s->flags & ~(uint64_t)DMA_BUF_SYNC_VALID_FLAGS_MASK ||
        !(s->flags & DMA_BUF_SYNC_RW))
        return -EINVAL;
    struct fence *fence = NULL;
    device_lock();
    if (!(s->flags & DMA_BUF_SYNC_END))
        fence = bo_fence(bo, !(s->flags & DMA_BUF_SYNC_WRITE));
    device_unlock();
    if (fence)
        fence_wait(fence, FENCE_FOREVER);
    fence_unref(fence);
    device_lock();
    gtt_sync(bo);
    device_unlock();
    return 0;
}

/* DMA_BUF_IOCTL_EXPORT_SYNC_FILE and IMPORT_SYNC_FILE of Linux 6.0, for older
 * headers. */
struct buf_sync_file {
    uint32_t flags;
    int32_t fd;
};
#define BUF_EXPORT_SYNC_FILE _IOWR(DMA_BUF_BASE, 2, struct buf_sync_file)
#define BUF_IMPORT_SYNC_FILE _IOW(DMA_BUF_BASE, 3, struct buf_sync_file)

static int
buf_export(struct bo *bo, struct buf_sync_file *s)
{
    if (!(s->flags & DMA_BUF_SYNC_RW) || s->flags & ~(uint32_t)DMA_BUF_SYNC_RW)
        return -EINVAL;
    device_lock();
    struct fence *fence = bo_fence(bo, !(s->flags & DMA_BUF_SYNC_WRITE));
    device_unlock();
    if (!fence)
        fence = fence_create(true);
    int fd = fence ? fence_export(fence) : -ENOMEM;
    fence_unref(fence);
    if (fd < 0)
        return fd;
    s->fd = fd;
    return 0;
}

static int
buf_import(struct bo *bo, const struct buf_sync_file *s)
{
    int err = 0;
    if (!(s->flags & DMA_BUF_SYNC_RW) || s->flags & ~(uint32_t)DMA_BUF_SYNC_RW)
        return -EINVAL;
    struct fence *fence = fence_import(s->fd, &err);
    if (!fence)
        return err;
    struct bo_use use = {.fence = fence,
                         .write = s->flags & DMA_BUF_SYNC_WRITE};
    device_lock();
    err = bo_add_use(bo, &use) ? 0 : -ENOMEM;
    device_unlock();
    fence_unref(fence);
    return err;
}

static int
buf_ioctl(struct bo *bo, unsigned long request, void *arg)
{
    if (request == DMA_BUF_IOCTL_SYNC)
        return buf_sync(bo, arg);
    if (request == BUF_EXPORT_SYNC_FILE)
        return buf_export(bo, arg);
    if (request == BUF_IMPORT_SYNC_FILE)
        return buf_import(bo, arg);
    if (_IOC_NR(request) == 1) /* DMA_BUF_SET_NAME */
        return 0;
    return -ENOTTY;
}

static struct bo *
bo_of_fd(int fd)
{
    struct stat st;
    int err;
    if (syscall_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    device_init();
    device_lock();
    struct bo *bo = bo_import(fd, &err);
    device_unlock();
    return bo;
}

/* With a copy of the argument. bo: NULL for a sync_file. */
static int
call(int fd, struct bo *bo, unsigned long request, void *arg)
{
    _Alignas(8) uint8_t copy[64];
    size_t size_B = _IOC_SIZE(request);
    if (size_B > sizeof copy)
        return -ENOTTY;
    int err = client_read(copy, (uintptr_t)arg, size_B);
    if (!err)
        err = bo ? buf_ioctl(bo, request, copy) : sync_ioctl(fd, request, copy);
    if (err >= 0 && _IOC_DIR(request) & _IOC_READ &&
        client_write((uintptr_t)arg, copy, size_B))
        return -EFAULT;
    return err;
}

/* ------------------------------------------------------------------------
 * Streams of performance counters. Their arguments are numbers. */

static int
stream_ioctl(int fd, unsigned long request, uint64_t arg)
{
    switch (request) {
    case I915_PERF_IOCTL_ENABLE: return oa_stream_enable(fd, true);
    case I915_PERF_IOCTL_DISABLE: return oa_stream_enable(fd, false);
    case I915_PERF_IOCTL_CONFIG: {
        struct oa_chosen metrics;
        int tree = devtree_open_root();
        bool known = tree >= 0 && oa_metrics_choose(tree, arg, &metrics);
        if (tree >= 0)
            close(tree);
        return known ? oa_stream_configure(fd, &metrics) : -EINVAL;
    }
    default: return -EINVAL;
    }
}

bool
exported_fd_ioctl(int fd, unsigned long request, void *arg, int *ret)
{
    int saved = errno, err;
    if (_IOC_TYPE(request) == '>' && fence_is_sync_file(fd)) {
        err = call(fd, NULL, request, arg);
    } else if (_IOC_TYPE(request) == 'i' && device_was_opened() &&
               oa_stream_is(fd)) {
        err = stream_ioctl(fd, request, (uintptr_t)arg);
    } else if (_IOC_TYPE(request) == DMA_BUF_BASE) {
        struct bo *bo = bo_of_fd(fd);
        if (!bo) {
            errno = saved;
            return false;
        }
        err = call(fd, bo, request, arg);
        bo_unref(bo);
    } else {
        errno = saved;
        return false;
    }
    errno = err < 0 ? -err : saved;
    *ret = err < 0 ? -1 : err;
    return true;
}
