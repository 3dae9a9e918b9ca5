/* fd_cache.h: a cache from descriptor to open file.
 *
 * Asking the kernel about a descriptor costs more than many ioctls. An entry
 * goes stale when its number is closed and reused; the wrappers of close(),
 * dup2() and the like report that. A direct system call bypasses them. Then the
 * first ioctl of the number's next owner corrects the entry: only ioctls of the
 * table's F rows trust the cache, and no driver begins with one of them. */
#ifndef DRM_SHIM_DEVICE_FD_CACHE_H
#define DRM_SHIM_DEVICE_FD_CACHE_H

#include "base/base.h"

struct drm_file;

/* Around every close of the numbers from first to last. Any thread, in signal
 * handlers too: takes no lock. */
void fd_cache_closing(unsigned first, unsigned last);
void fd_cache_closed(void);

/* The functions below need the device lock. NULL: not in the cache. */
struct drm_file *fd_cache_find(int fd);
/* Take a ticket before asking the kernel; fd_cache_learn() stores nothing if
 * any number was closed since. */
unsigned fd_cache_ticket(void);
void fd_cache_learn(int fd, struct drm_file *file, unsigned ticket);
/* Forget a file that is gone, or a number that became another descriptor. */
void fd_cache_forget_file(const struct drm_file *file);
void fd_cache_forget(int fd);
/* In the child of fork(): a close under way belongs to the parent. */
void fd_cache_after_fork(void);

#endif
