/* sync.h: fences and syncobjs, which represent the end of batches.
 *
 * Called by gem (requests signal fences), kms (flips wait for rendering) and
 * the handlers of the syncobj ioctls. Any thread. The fence lock guards both
 * kinds of object; it is taken after the device lock, never before. Both are
 * reference counted. */
#ifndef DRM_SHIM_SYNC_SYNC_H
#define DRM_SHIM_SYNC_SYNC_H

#include "drm-shim/sync/fence.h"
#include "drm-shim/sync/foreign.h"
#include "drm-shim/sync/syncobj.h"
#include "drm-shim/sync/syncobj_eventfd.h"

#endif
