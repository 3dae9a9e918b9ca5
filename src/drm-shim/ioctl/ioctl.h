/* ioctl.h: the ioctls of the device, and mmap() of its objects.
 *
 * Called by the wrappers (interpose_device.c) on the client's thread, with a
 * file that the caller has referenced. Results as in ioctl(2) and mmap(2).
 * ioctl_table.h lists the supported ioctls. */
#ifndef DRM_SHIM_IOCTL_IOCTL_H
#define DRM_SHIM_IOCTL_IOCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct drm_file;

int ioctl_run(struct drm_file *file, unsigned long request, void *arg);
/* Whether the request is never a client's first one on a new descriptor: its
 * file may come from the descriptor cache. */
bool ioctl_is_frequent(unsigned long request);
void *ioctl_mmap(struct drm_file *file, void *addr, size_t length, int prot,
                 int flags, uint64_t offset);

#endif
