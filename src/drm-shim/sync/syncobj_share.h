/* syncobj_share.h: syncobjs shared between processes.
 *
 * The file of an opaque descriptor holds a log of changes (replaced, point
 * added, reset). A fence in the log has signalled once its process no longer
 * marks it in the file (foreign.h). Every process repeats the entries of other
 * processes on its own struct syncobj: when it uses the object, and while it
 * waits for it. Not called with the fence lock held. Any thread. */
#ifndef DRM_SHIM_SYNC_SYNCOBJ_SHARE_H
#define DRM_SHIM_SYNC_SYNCOBJ_SHARE_H

#include "drm-shim/sync/syncobj.h"

#include <sys/types.h>

struct syncobj_share;

enum syncobj_change { SYNCOBJ_RESET, SYNCOBJ_REPLACE, SYNCOBJ_ADD };

/* Starts sharing; a new descriptor in *fd. NULL: out of memory. */
struct syncobj_share *syncobj_share_create(int *fd);
/* Joins a share; NULL if the descriptor is no shared syncobj. */
struct syncobj_share *syncobj_share_open(int fd);
/* Another descriptor of the share, or -errno. */
int syncobj_share_dup(const struct syncobj_share *share);
bool syncobj_share_is(const struct syncobj_share *share, dev_t dev, ino_t ino);
/* Whether the log has a fence of this process that has not signalled. */
bool syncobj_share_is_busy(const struct syncobj_share *share);
void syncobj_share_destroy(struct syncobj_share *share);

/* Repeats the changes of other processes on obj. */
void syncobj_share_pull(struct syncobj_share *share, struct syncobj *obj);
/* Pulls as soon as there is something, as long as syncobj_is_watched(). */
void syncobj_share_watch(struct syncobj_share *share, struct syncobj *obj);
/* Makes a change and logs it for other processes. False: out of memory. */
bool syncobj_share_push(struct syncobj_share *share, struct syncobj *obj,
                        enum syncobj_change change, uint64_t point,
                        struct fence *fence);

/* In the child of fork(): the next look reads the whole log. */
void syncobj_share_after_fork(struct syncobj_share *share);

/* Defined in syncobj.c. */
bool syncobj_is_watched(const struct syncobj *obj);
/* Makes a change without logging it. */
bool syncobj_apply(struct syncobj *obj, enum syncobj_change change,
                   uint64_t point, struct fence *fence);

#endif
