/* exported_fd.h: ioctls of descriptors that the device handed out: dma-bufs
 * (memfds) and sync_files (eventfds). Any thread. */
#ifndef DRM_SHIM_DEVICE_EXPORTED_FD_H
#define DRM_SHIM_DEVICE_EXPORTED_FD_H

#include <stdbool.h>

/* Returns true if the request is of these kinds and the device handed fd out.
 * *ret is then the result of ioctl(2), with errno. */
bool exported_fd_ioctl(int fd, unsigned long request, void *arg, int *ret);

#endif
