#include "drm-shim/syncobj.h"

#include "base/base.h"
#include "drm-shim/raw.h"
#include "drm-shim/syncobj_share.h"

#include <errno.h>
#include <stdlib.h>

struct sync_point {
    uint64_t point; /* 0 in a binary syncobj */
    struct fence *fence;
};

struct syncobj {
    atomic_uint refs;
    struct sync_point *points; /* rising; all but the last may be dropped once
                                  they and those before have signalled */
    unsigned count, capacity;
    uint64_t reached;            /* points up to here were dropped */
    struct syncobj_share *share; /* once it has left the process */
    struct syncobj *next_exported;
    struct sync_point few[1]; /* what points is at first */
};

/* Objects that have a descriptor. It keeps them alive, and nobody tells us
 * when it is closed: they stay. Under fence_lock(). */
static struct syncobj *exported;

struct syncobj *
syncobj_create(bool signalled)
{
    struct syncobj *obj = malloc(sizeof *obj);
    if (!obj)
        return NULL;
    memset(obj, 0, sizeof *obj);
    atomic_init(&obj->refs, 1);
    obj->points = obj->few;
    obj->capacity = ARRAY_SIZE(obj->few);
    if (signalled) {
        struct fence *f = fence_create(true);
        syncobj_replace(obj, f);
        fence_unref(f);
    }
    return obj;
}

struct syncobj *
syncobj_ref(struct syncobj *obj)
{
    atomic_fetch_add(&obj->refs, 1);
    return obj;
}

void
syncobj_unref(struct syncobj *obj)
{
    if (!obj || atomic_fetch_sub(&obj->refs, 1) != 1)
        return;
    for (unsigned i = 0; i < obj->count; i++)
        fence_unref(obj->points[i].fence);
    syncobj_share_destroy(obj->share);
    if (obj->points != obj->few)
        free(obj->points);
    free(obj);
}

static bool
reserve_locked(struct syncobj *obj, unsigned count)
{
    if (count <= obj->capacity)
        return true;
    unsigned more = count + 4;
    struct sync_point *few = obj->points == obj->few ? obj->few : NULL;
    struct sync_point *p = realloc(few ? NULL : obj->points, more * sizeof *p);
    if (!p)
        return false;
    if (few)
        memcpy(p, few, obj->count * sizeof *p);
    obj->points = p;
    obj->capacity = more;
    return true;
}

/* Takes all points away: into `few` where they were the object's own. */
static struct sync_point *
take_points_locked(struct syncobj *obj, struct sync_point *few, unsigned *count)
{
    struct sync_point *old = obj->points;
    if (old == obj->few)
        old = memcpy(few, old, sizeof obj->few);
    *count = obj->count;
    obj->points = obj->few;
    obj->capacity = ARRAY_SIZE(obj->few);
    obj->count = 0;
    return old;
}

static void
replace(struct syncobj *obj, struct fence *fence)
{
    unsigned count;
    fence_lock();
    struct sync_point few[1], *old = take_points_locked(obj, few, &count);
    obj->reached = 0;
    if (fence)
        obj->points[obj->count++] = (struct sync_point){0, fence_ref(fence)};
    fence_kick();
    fence_unlock();
    for (unsigned i = 0; i < count; i++)
        fence_unref(old[i].fence);
    if (old != few)
        free(old);
}

/* Drops signalled points from the front, never the last one. The fences go
 * to the caller, who releases them outside the lock. */
static unsigned
prune_locked(struct syncobj *obj, struct fence **drop, unsigned room)
{
    unsigned n = 0;
    while (n < room && n + 1 < obj->count &&
           fence_is_signalled(obj->points[n].fence)) {
        drop[n] = obj->points[n].fence;
        obj->reached = MAX2(obj->reached, obj->points[n].point);
        n++;
    }
    obj->count -= n;
    if (n)
        memmove(obj->points, obj->points + n, obj->count * sizeof *obj->points);
    return n;
}

static bool
add_point(struct syncobj *obj, uint64_t point, struct fence *fence)
{
    struct fence *drop[8];
    fence_lock();
    unsigned dropped = prune_locked(obj, drop, ARRAY_SIZE(drop));
    bool ok = reserve_locked(obj, obj->count + 1);
    if (ok) {
        uint64_t last = obj->count ? obj->points[obj->count - 1].point : 0;
        /* Out of order is a client error that the kernel only warns of: the
         * line never goes backwards. */
        obj->points[obj->count++] = (struct sync_point){MAX2(point, last),
                                                        fence_ref(fence)};
        fence_kick();
    }
    fence_unlock();
    for (unsigned i = 0; i < dropped; i++)
        fence_unref(drop[i]);
    return ok;
}

bool
syncobj_apply(struct syncobj *obj, enum syncobj_change change, uint64_t point,
              struct fence *fence)
{
    if (change == SYNCOBJ_ADD)
        return add_point(obj, point, fence);
    replace(obj, fence);
    return true;
}

static bool
change(struct syncobj *obj, enum syncobj_change what, uint64_t point,
       struct fence *fence)
{
    if (obj->share)
        return syncobj_share_push(obj->share, obj, what, point, fence);
    return syncobj_apply(obj, what, point, fence);
}

void
syncobj_replace(struct syncobj *obj, struct fence *fence)
{
    change(obj, fence ? SYNCOBJ_REPLACE : SYNCOBJ_RESET, 0, fence);
}

bool
syncobj_add_point(struct syncobj *obj, uint64_t point, struct fence *fence)
{
    return change(obj, SYNCOBJ_ADD, point, fence);
}

void
syncobj_look(struct syncobj *obj)
{
    if (obj->share)
        syncobj_share_pull(obj->share, obj);
}

/* Index of the entry that answers for a point, -1 if none was submitted. */
static int
find_locked(const struct syncobj *obj, uint64_t point)
{
    if (!point)
        return (int)obj->count - 1;
    for (unsigned i = 0; i < obj->count; i++)
        if (obj->points[i].point >= point)
            return (int)i;
    return -1;
}

enum syncobj_state
syncobj_state_locked(struct syncobj *obj, uint64_t point)
{
    if (point && point <= obj->reached)
        return SYNCOBJ_SIGNALLED;
    int last = find_locked(obj, point);
    if (last < 0)
        return SYNCOBJ_EMPTY;
    for (int i = 0; i <= last; i++)
        if (!fence_is_signalled(obj->points[i].fence))
            return SYNCOBJ_PENDING;
    return SYNCOBJ_SIGNALLED;
}

struct fence *
syncobj_fence(struct syncobj *obj, uint64_t point)
{
    struct fence **parts = NULL, *fence = NULL;
    unsigned count = 0;
    syncobj_look(obj);
    fence_lock();
    int last = find_locked(obj, point);
    bool reached = point && point <= obj->reached;
    if (last >= 0 && !reached)
        parts = malloc(((unsigned)last + 1) * sizeof *parts);
    for (int i = 0; parts && i <= last; i++)
        if (i == last || !fence_is_signalled(obj->points[i].fence))
            parts[count++] = fence_ref(obj->points[i].fence);
    fence_unlock();
    if (reached)
        return fence_create(true);
    if (count == 1)
        fence = fence_ref(parts[0]);
    else if (count)
        fence = fence_create_merged(parts, count);
    for (unsigned i = 0; i < count; i++)
        fence_unref(parts[i]);
    free(parts);
    return fence;
}

uint64_t
syncobj_value(struct syncobj *obj, bool submitted)
{
    syncobj_look(obj);
    fence_lock();
    uint64_t value = obj->reached;
    for (unsigned i = 0; i < obj->count; i++) {
        if (!submitted && !fence_is_signalled(obj->points[i].fence))
            break;
        value = MAX2(value, obj->points[i].point);
    }
    fence_unlock();
    return value;
}

/* Makes the share and puts into it what the object holds. */
static int
start_sharing(struct syncobj *obj)
{
    int fd;
    struct syncobj_share *share = syncobj_share_create(&fd);
    if (!share)
        return -ENOMEM;
    unsigned count;
    fence_lock();
    struct sync_point few[1], *points = take_points_locked(obj, few, &count);
    obj->share = share;
    obj->next_exported = exported;
    exported = syncobj_ref(obj);
    fence_unlock();
    for (unsigned i = 0; i < count; i++) {
        if (points[i].point)
            syncobj_add_point(obj, points[i].point, points[i].fence);
        else
            syncobj_replace(obj, points[i].fence);
        fence_unref(points[i].fence);
    }
    if (points != few)
        free(points);
    return fd;
}

int
syncobj_export(struct syncobj *obj)
{
    return obj->share ? syncobj_share_dup(obj->share) : start_sharing(obj);
}

static struct syncobj *
find_exported(dev_t dev, ino_t ino)
{
    struct syncobj *found = NULL;
    fence_lock();
    for (struct syncobj *o = exported; o && !found; o = o->next_exported)
        if (syncobj_share_is(o->share, dev, ino))
            found = syncobj_ref(o);
    fence_unlock();
    return found;
}

struct syncobj *
syncobj_import(int fd, int *err)
{
    struct stat st;
    if (raw_fstat(fd, &st) < 0) {
        *err = -errno;
        return NULL;
    }
    struct syncobj *obj = find_exported(st.st_dev, st.st_ino);
    if (obj)
        return obj;
    *err = -EINVAL;
    struct syncobj_share *share = syncobj_share_open(fd);
    if (!share)
        return NULL;
    *err = -ENOMEM;
    obj = syncobj_create(false);
    if (!obj) {
        syncobj_share_destroy(share);
        return NULL;
    }
    fence_lock();
    obj->share = share;
    obj->next_exported = exported;
    exported = syncobj_ref(obj);
    fence_unlock();
    syncobj_share_pull(share, obj);
    return obj;
}

void
syncobj_after_fork(void)
{
    for (struct syncobj *o = exported; o; o = o->next_exported)
        syncobj_share_after_fork(o->share);
}
