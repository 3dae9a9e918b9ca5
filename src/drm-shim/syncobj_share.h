/* syncobj_share.h: a syncobj that more than one process knows.
 *
 * The file behind its opaque descriptor holds a log of what was done to it
 * (replaced, point added, reset) and, for each fence that was put in, whether
 * it has signalled. Every process repeats the others' entries on its own
 * struct syncobj; fences of others are local ones that a thread signals.
 * Not called with the fence lock held. Any thread. */
#ifndef SHIM_SYNCOBJ_SHARE_H
#define SHIM_SYNCOBJ_SHARE_H

#include "drm-shim/syncobj.h"

#include <sys/types.h>

struct syncobj_share;

enum syncobj_change { SYNCOBJ_RESET, SYNCOBJ_REPLACE, SYNCOBJ_ADD };

/* Starts sharing; a new descriptor in *fd. NULL: out of memory. */
struct syncobj_share *syncobj_share_create(int *fd);
/* Joins what somebody shares; NULL if the descriptor is not one of those. */
struct syncobj_share *syncobj_share_open(int fd);
/* Another descriptor of the same, or -errno. */
int syncobj_share_dup(const struct syncobj_share *share);
bool syncobj_share_is(const struct syncobj_share *share, dev_t dev, ino_t ino);
void syncobj_share_destroy(struct syncobj_share *share);

/* Repeats what others have done on obj. */
void syncobj_share_pull(struct syncobj_share *share, struct syncobj *obj);
/* Does a change and tells the others. False: out of memory. */
bool syncobj_share_push(struct syncobj_share *share, struct syncobj *obj,
                        enum syncobj_change change, uint64_t point,
                        struct fence *fence);

/* In the child of fork(). */
void syncobj_share_after_fork(struct syncobj_share *share);

/* What the above use on the object itself: see syncobj.c. */
bool syncobj_apply(struct syncobj *obj, enum syncobj_change change,
                   uint64_t point, struct fence *fence);

#endif
