/* device.h: the open files of the device, and fork().
 *
 * A descriptor of the device is one end of a SOCK_SEQPACKET pair. The name that
 * it is bound to tells its node, so a process that inherits or receives it can
 * identify it. The socket's inode identifies the open file: dup and fork need
 * no bookkeeping. The other end carries events, and reports when the last
 * descriptor is closed.
 *
 * The header of the sub-room, for the wrappers and the ioctls: devtree.h is the
 * device in the file system, fd_cache.h remembers descriptors, exported_fd.h
 * answers ioctls of dma-bufs and sync_files. Any thread; takes the device lock
 * (device_state.h) itself. */
#ifndef DRM_SHIM_DEVICE_DEVICE_H
#define DRM_SHIM_DEVICE_DEVICE_H

#include "drm-shim/core/core.h"
#include "drm-shim/device/devtree.h"
#include "drm-shim/device/exported_fd.h"
#include "drm-shim/device/fd_cache.h"

/* Reads the environment and registers for fork(). Idempotent. */
void device_init(void);

/* Opens a node: a descriptor or -1 and errno. */
int device_open(int minor, int flags);
/* The card, as a lessee of these objects (lease.h). */
int device_open_lease(int flags, unsigned objects);
/* The open file of a descriptor, referenced; NULL if the descriptor is not the
 * device's (errno is kept). */
struct drm_file *device_file(int fd);
/* Looks in the descriptor cache (fd_cache.h) first. */
struct drm_file *device_file_known(int fd);
void device_file_unref(struct drm_file *file);
/* Minor of a descriptor, -1 if it is not the device's. */
int device_minor_of_inode(int fd, ino_t ino);
/* Frees files whose last descriptor is closed. */
void device_collect(void);

#endif
