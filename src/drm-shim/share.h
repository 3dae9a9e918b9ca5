/* share.h: ioctls on descriptors that the device handed out: dma-bufs
 * (memfds) and sync_files (eventfds). Any thread. */
#ifndef SHIM_SHARE_H
#define SHIM_SHARE_H

#include <stdbool.h>

/* True if the request was for one of those and fd is one of ours; *ret is
 * then what ioctl(2) returns (with errno). */
bool share_ioctl(int fd, unsigned long request, void *arg, int *ret);

#endif
