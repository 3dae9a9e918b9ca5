/* ioctl_handlers.h: one row per ioctl, one function per row.
 *
 * A handler gets its argument in a buffer of the struct's full size (zeros
 * where the client's struct was shorter) and returns >= 0 or -errno; the
 * buffer is copied back afterwards. Called by ioctl_run() on the client's
 * thread; no lock is held. */
#ifndef DRM_SHIM_IOCTL_IOCTL_HANDLERS_H
#define DRM_SHIM_IOCTL_IOCTL_HANDLERS_H

#include "drm-shim/device/device.h"
#include "drm-shim/ioctl/ioctl_table.h"

#include <sys/ioctl.h>

/* The table's rows declare their handlers: no other prototype is needed. */
#define X(access, request, handler) \
    int ioctl_##handler(struct drm_file *file, void *arg);
IOCTL_TABLE(X)
#undef X

/* Linux 6.6; missing in Debian 12's header. */
struct shim_syncobj_eventfd {
    uint32_t handle, flags;
    uint64_t point;
    int32_t fd;
    uint32_t pad;
};
#define SHIM_IOCTL_SYNCOBJ_EVENTFD _IOWR('d', 0xcf, struct shim_syncobj_eventfd)

/* Shared by handlers. */
/* The object of a handle, referenced; NULL if there is none. */
struct bo *ioctl_bo(struct drm_file *file, uint32_t handle);
/* Gives the caller's reference to a new handle; 0: out of memory. */
uint32_t ioctl_bo_handle(struct drm_file *file, struct bo *bo);
uint64_t ioctl_mmap_token(uint32_t handle);
/* DRM_I915_QUERY_PERF_CONFIG: the length of the answer, or -errno. */
struct drm_i915_query_item;
int ioctl_query_perf_config(const struct drm_i915_query_item *item);

#endif
