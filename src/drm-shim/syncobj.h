/* syncobj.h: a box for fences (binary), or a line of them (timeline).
 * Contents are guarded by fence_lock(); the functions take it themselves
 * unless they end in _locked. Any thread. */
#ifndef SHIM_SYNCOBJ_H
#define SHIM_SYNCOBJ_H

#include "drm-shim/fence.h"

struct syncobj;

struct syncobj *syncobj_create(bool signalled);
struct syncobj *syncobj_ref(struct syncobj *obj);
void syncobj_unref(struct syncobj *obj);

/* Replaces the content; NULL empties the box. */
void syncobj_replace(struct syncobj *obj, struct fence *fence);
/* Adds a point behind the others. False: out of memory. */
bool syncobj_add_point(struct syncobj *obj, uint64_t point,
                       struct fence *fence);
/* The fence that stands for a point (0: the whole), referenced; NULL if
 * nothing was submitted for it. */
struct fence *syncobj_fence(struct syncobj *obj, uint64_t point);
/* Highest point reached, or with submitted: highest point known. */
uint64_t syncobj_value(struct syncobj *obj, bool submitted);

enum syncobj_state { SYNCOBJ_EMPTY, SYNCOBJ_PENDING, SYNCOBJ_SIGNALLED };
enum syncobj_state syncobj_state_locked(struct syncobj *obj, uint64_t point);

/* Brings a shared object up to date; before syncobj_state_locked(). */
void syncobj_look(struct syncobj *obj);

/* An opaque descriptor and back, in this process or another. */
int syncobj_export(struct syncobj *obj);
struct syncobj *syncobj_import(int fd, int *err);

/* In the child of fork(). */
void syncobj_after_fork(void);

#endif
