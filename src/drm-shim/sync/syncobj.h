/* syncobj.h: syncobjs: containers of a fence (binary) or of fences at points
 * (timeline).
 *
 * The fence lock guards the content; functions take it themselves unless they
 * end in _locked. Any thread. */
#ifndef DRM_SHIM_SYNC_SYNCOBJ_H
#define DRM_SHIM_SYNC_SYNCOBJ_H

#include "drm-shim/sync/fence.h"

struct syncobj;

struct syncobj *syncobj_create(bool signalled);
struct syncobj *syncobj_ref(struct syncobj *obj);
void syncobj_unref(struct syncobj *obj);

/* Replaces the content; NULL empties the syncobj. */
void syncobj_replace(struct syncobj *obj, struct fence *fence);
/* Makes room for points that a batch will add, when it is too late for an
 * error. False: out of memory. */
bool syncobj_make_room(struct syncobj *obj);
/* Adds a point after the others. False: out of memory. */
bool syncobj_add_point(struct syncobj *obj, uint64_t point,
                       struct fence *fence);
/* The fence that represents a point (0: the whole), referenced; NULL if nothing
 * was submitted for it. */
struct fence *syncobj_fence(struct syncobj *obj, uint64_t point);
/* Highest point reached, or (submitted) highest point known. */
uint64_t syncobj_value(struct syncobj *obj, bool submitted);

enum syncobj_state { SYNCOBJ_EMPTY, SYNCOBJ_PENDING, SYNCOBJ_SIGNALLED };
enum syncobj_state syncobj_state_locked(struct syncobj *obj, uint64_t point);

/* Brings a shared object up to date; before syncobj_state_locked(). */
void syncobj_look(struct syncobj *obj);
/* Between these calls a shared object stays up to date by itself. */
void syncobj_watch(struct syncobj *obj);
void syncobj_unwatch(struct syncobj *obj);

/* An opaque descriptor and back, in this process or another. */
int syncobj_export(struct syncobj *obj);
struct syncobj *syncobj_import(int fd, int *err);

/* In the child of fork(). */
void syncobj_after_fork(void);

#endif
