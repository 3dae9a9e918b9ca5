/* syncobj_eventfd.h: eventfds that are written when a point of a syncobj is
 * reached (Linux 6.6; Xwayland and Wayland compositors poll() them).
 * fence_lock() guards the list. */
#ifndef DRM_SHIM_SYNC_SYNCOBJ_EVENTFD_H
#define DRM_SHIM_SYNC_SYNCOBJ_EVENTFD_H

#include "drm-shim/sync/syncobj.h"

/* Writes 1 to fd, once: when the point has been signalled, or (available) as
 * soon as it has a fence. 0 or -errno. */
int syncobj_eventfd_add(struct syncobj *obj, uint64_t point, bool available,
                        int fd);
/* With the fence lock held, after a change of any syncobj. */
void syncobj_eventfd_look(void);
/* When the object is destroyed: closes its remaining eventfds without a write.
 */
void syncobj_eventfd_forget(const struct syncobj *obj);
/* In the child of fork(): only the parent writes them. */
void syncobj_eventfd_after_fork(void);

#endif
