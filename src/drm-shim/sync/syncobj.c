#include "drm-shim/sync/syncobj.h"

#include "base/base.h"
#include "drm-shim/core/core.h"
#include "drm-shim/sync/syncobj_eventfd.h"
#include "drm-shim/sync/syncobj_share.h"

#include <errno.h>
#include <stdlib.h>

struct sync_point {
    uint64_t point; /* 0 in a binary syncobj */
    struct fence *fence;
};

struct syncobj {
    atomic_uint refs;
    struct sync_point *points; /* rising; all but the last are dropped once they
                                  and all earlier ones have signalled */
    unsigned count, capacity;
    uint64_t reached;            /* points up to here were dropped */
    struct syncobj_share *share; /* NULL: never exported */
    atomic_uint watchers;
    struct syncobj *next_exported;
    struct sync_point few[1]; /* initial storage of points */
};

/* Shared objects, referenced, to find them by their file. An object that is
 * used no more goes: the file has its state. Guarded by fence_lock(). */
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

static void
destroy_syncobj(struct syncobj *obj)
{
    syncobj_share_destroy(obj->share); /* no watch changes it any more */
    syncobj_eventfd_forget(obj);
    for (unsigned i = 0; i < obj->count; i++)
        fence_unref(obj->points[i].fence);
    if (obj->points != obj->few)
        free(obj->points);
    free(obj);
}

/* Destroys shared objects that only the list refers to. Other processes cannot
 * follow a fence of this process without its object, so that stays until
 * the fence has signalled. */
static void
collect_exported(void)
{
    struct syncobj *unused = NULL;
    fence_lock();
    for (struct syncobj **p = &exported; *p;) {
        struct syncobj *o = *p;
        if (atomic_load(&o->refs) > 1 || syncobj_share_is_busy(o->share)) {
            p = &o->next_exported;
            continue;
        }
        *p = o->next_exported;
        o->next_exported = unused;
        unused = o;
    }
    fence_unlock();
    while (unused) {
        struct syncobj *next = unused->next_exported;
        destroy_syncobj(unused);
        unused = next;
    }
}

void
syncobj_unref(struct syncobj *obj)
{
    if (!obj)
        return;
    bool shared = obj->share;
    unsigned refs = atomic_fetch_sub(&obj->refs, 1);
    if (refs == 1)
        destroy_syncobj(obj);
    else if (refs == 2 && shared)
        collect_exported();
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

/* Batches of other threads may add points meanwhile. */
#define ROOM 8

bool
syncobj_make_room(struct syncobj *obj)
{
    fence_lock();
    bool ok = reserve_locked(obj, obj->count + ROOM);
    fence_unlock();
    return ok;
}

/* Moves all points to the caller: to `few` if they were in the object's own
 * storage. */
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
replace_points(struct syncobj *obj, struct fence *fence)
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
 * to the caller, which releases them outside the lock. */
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
        /* A point out of order is a client error that the kernel only warns
         * about: points never fall. */
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
    replace_points(obj, fence);
    return true;
}

static bool
make_change(struct syncobj *obj, enum syncobj_change what, uint64_t point,
            struct fence *fence)
{
    if (obj->share)
        return syncobj_share_push(obj->share, obj, what, point, fence);
    return syncobj_apply(obj, what, point, fence);
}

void
syncobj_replace(struct syncobj *obj, struct fence *fence)
{
    make_change(obj, fence ? SYNCOBJ_REPLACE : SYNCOBJ_RESET, 0, fence);
}

bool
syncobj_add_point(struct syncobj *obj, uint64_t point, struct fence *fence)
{
    return make_change(obj, SYNCOBJ_ADD, point, fence);
}

void
syncobj_look(struct syncobj *obj)
{
    if (obj->share)
        syncobj_share_pull(obj->share, obj);
}

bool
syncobj_is_watched(const struct syncobj *obj)
{
    return atomic_load(&obj->watchers);
}

void
syncobj_watch(struct syncobj *obj)
{
    atomic_fetch_add(&obj->watchers, 1);
    fence_lock();
    struct syncobj_share *share = obj->share;
    fence_unlock();
    if (share)
        syncobj_share_watch(share, obj);
}

void
syncobj_unwatch(struct syncobj *obj)
{
    atomic_fetch_sub(&obj->watchers, 1);
}

/* Index of the entry that represents a point, -1 if none was submitted. */
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

/* Makes the share and logs the content of the object in it. */
static int
start_sharing(struct syncobj *obj)
{
    int fd;
    struct syncobj_share *share = syncobj_share_create(&fd);
    if (!share)
        return -ENOMEM;
    unsigned count;
    fence_lock();
    if (obj->share) { /* another thread was faster */
        fence_unlock();
        syncobj_share_destroy(share);
        close(fd);
        return syncobj_share_dup(obj->share);
    }
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
    if (syncobj_is_watched(obj))
        syncobj_share_watch(share, obj);
    return fd;
}

int
syncobj_export(struct syncobj *obj)
{
    collect_exported();
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
    if (syscall_fstat(fd, &st) < 0) {
        *err = -errno;
        return NULL;
    }
    collect_exported();
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

/* Fences of the parent, which its threads signal, are those of another process
 * now: shared objects read the log again. The memory of the points stays: the
 * fences may be locked. */
void
syncobj_after_fork(void)
{
    syncobj_eventfd_after_fork();
    for (struct syncobj *o = exported; o; o = o->next_exported) {
        atomic_store(&o->watchers, 0);
        o->count = 0;
        o->reached = 0;
        syncobj_share_after_fork(o->share);
    }
}
