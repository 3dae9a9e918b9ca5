/* ioctl_sync.c: syncobjs. */
#include "drm-shim/core/core.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/sync/sync.h"

#include <drm.h>
#include <errno.h>
#include <stdlib.h>

static struct syncobj *
get_syncobj(struct drm_file *file, uint32_t handle)
{
    device_lock();
    struct syncobj *obj = handle_get(&file->syncobjs, handle);
    if (obj)
        syncobj_ref(obj);
    device_unlock();
    return obj;
}

/* Takes the caller's reference. */
static uint32_t
add_syncobj(struct drm_file *file, struct syncobj *obj)
{
    device_lock();
    uint32_t handle = handle_add(&file->syncobjs, obj);
    device_unlock();
    if (!handle)
        syncobj_unref(obj);
    return handle;
}

int
ioctl_syncobj_create(struct drm_file *file, void *arg)
{
    struct drm_syncobj_create *c = arg;
    if (c->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED)
        return -EINVAL;
    struct syncobj *obj = syncobj_create(c->flags);
    if (!obj)
        return -ENOMEM;
    c->handle = add_syncobj(file, obj);
    return c->handle ? 0 : -ENOMEM;
}

int
ioctl_syncobj_destroy(struct drm_file *file, void *arg)
{
    const struct drm_syncobj_destroy *d = arg;
    if (d->pad)
        return -EINVAL;
    device_lock();
    struct syncobj *obj = handle_remove(&file->syncobjs, d->handle);
    device_unlock();
    syncobj_unref(obj);
    return obj ? 0 : -EINVAL;
}

int
ioctl_syncobj_handle_to_fd(struct drm_file *file, void *arg)
{
    struct drm_syncobj_handle *h = arg;
    if (h->pad ||
        h->flags & ~(uint32_t)DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
        return -EINVAL;
    struct syncobj *obj = get_syncobj(file, h->handle);
    if (!obj)
        return h->flags ? -ENOENT : -EINVAL;
    int fd;
    if (h->flags) {
        struct fence *fence = syncobj_fence(obj, 0);
        fd = fence ? fence_export(fence) : -EINVAL;
        fence_unref(fence);
    } else {
        fd = syncobj_export(obj);
    }
    syncobj_unref(obj);
    if (fd < 0)
        return fd;
    h->fd = fd;
    return 0;
}

static int
import_sync_file(struct drm_file *file, const struct drm_syncobj_handle *h)
{
    int err = 0;
    struct syncobj *obj = get_syncobj(file, h->handle);
    if (!obj)
        return -ENOENT;
    struct fence *fence = fence_import(h->fd, &err);
    if (fence) {
        syncobj_replace(obj, fence);
        fence_unref(fence);
        err = 0;
    }
    syncobj_unref(obj);
    return err;
}

int
ioctl_syncobj_fd_to_handle(struct drm_file *file, void *arg)
{
    struct drm_syncobj_handle *h = arg;
    int err = 0;
    if (h->pad ||
        h->flags & ~(uint32_t)DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
        return -EINVAL;
    if (h->flags)
        return import_sync_file(file, h);
    struct syncobj *obj = syncobj_import(h->fd, &err);
    if (!obj)
        return err;
    h->handle = add_syncobj(file, obj);
    return h->handle ? 0 : -ENOMEM;
}

/* ------------------------------------------------------------------------
 * Lists of syncobjs */

#define FEW 8

struct list {
    struct syncobj **objs;
    uint64_t *points; /* zeros where the call has none */
    uint32_t count;
    struct syncobj *few_objs[FEW];
    uint64_t few_points[FEW];
};

static void
list_finish(struct list *list)
{
    for (uint32_t i = 0; list->objs && i < list->count; i++)
        syncobj_unref(list->objs[i]);
    client_list_free(list->objs, list->few_objs);
    client_list_free(list->points, list->few_points);
}

/* A list of zeros. */
static void *
make_list(uint32_t count, size_t element_B, void *few)
{
    return count <= FEW ? memset(few, 0, count * element_B)
                        : calloc(count, element_B);
}

static int
list_init(struct list *list, struct drm_file *file, uint64_t handles_ptr,
          uint64_t points_ptr, uint32_t count)
{
    int err;
    uint32_t few[FEW];
    if (!count)
        return -EINVAL;
    uint32_t *handles = client_read_list(handles_ptr, count, sizeof *handles,
                                         few, sizeof few, &err);
    if (!handles)
        return err;
    list->count = count;
    list->objs = make_list(count, sizeof *list->objs, list->few_objs);
    list->points = points_ptr
                       ? client_read_list(points_ptr, count, sizeof(uint64_t),
                                          list->few_points,
                                          sizeof list->few_points, &err)
                       : make_list(count, sizeof(uint64_t), list->few_points);
    if (!list->objs || (!list->points && !err))
        err = -ENOMEM;
    for (uint32_t i = 0; i < count && !err; i++) {
        list->objs[i] = get_syncobj(file, handles[i]);
        if (list->objs[i])
            syncobj_look(list->objs[i]);
        else
            err = -ENOENT;
    }
    client_list_free(handles, few);
    if (err)
        list_finish(list);
    return err;
}

struct wait {
    struct list list;
    uint32_t flags;
    uint32_t first; /* the first one that is ready */
};

/* With the fence lock held. */
static bool
wait_ready(void *data)
{
    struct wait *w = data;
    uint32_t ready = 0;
    for (uint32_t i = 0; i < w->list.count; i++) {
        enum syncobj_state state = syncobj_state_locked(w->list.objs[i],
                                                        w->list.points[i]);
        bool one = w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE
                       ? state != SYNCOBJ_EMPTY
                       : state == SYNCOBJ_SIGNALLED;
        if (one && !ready++)
            w->first = i;
    }
    return w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL ? ready == w->list.count
                                                      : ready > 0;
}

/* Without WAIT_FOR_SUBMIT, an empty syncobj is an error. */
static int
check_submitted(struct wait *w)
{
    int err = 0;
    if (w->flags & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                    DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))
        return 0;
    fence_lock();
    for (uint32_t i = 0; i < w->list.count; i++)
        if (syncobj_state_locked(w->list.objs[i], w->list.points[i]) ==
            SYNCOBJ_EMPTY)
            err = -EINVAL;
    fence_unlock();
    return err;
}

static int
wait_watching(struct wait *w, int64_t deadline_ns)
{
    if (deadline_ns <= fence_now_ns())
        return fence_wait_until(wait_ready, w, deadline_ns);
    for (uint32_t i = 0; i < w->list.count; i++)
        syncobj_watch(w->list.objs[i]);
    int err = fence_wait_until_interruptible(wait_ready, w, deadline_ns);
    for (uint32_t i = 0; i < w->list.count; i++)
        syncobj_unwatch(w->list.objs[i]);
    return err;
}

static int
wait_list(struct wait *w, int64_t deadline_ns, uint32_t *first)
{
    int err = check_submitted(w);
    if (!err)
        err = wait_watching(w, deadline_ns);
    if (!err && !(w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL))
        *first = w->first;
    trace(sync, "wait for %u syncobjs, flags %u: %d", w->list.count, w->flags,
          err);
    list_finish(&w->list);
    return err;
}

int
ioctl_syncobj_wait(struct drm_file *file, void *arg)
{
    struct drm_syncobj_wait *s = arg;
    struct wait w = {.flags = s->flags};
    if (s->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL |
                               DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
        return -EINVAL;
    if (!s->count_handles)
        return 0;
    int err = list_init(&w.list, file, s->handles, 0, s->count_handles);
    return err ? err : wait_list(&w, s->timeout_nsec, &s->first_signaled);
}

int
ioctl_syncobj_timeline_wait(struct drm_file *file, void *arg)
{
    struct drm_syncobj_timeline_wait *s = arg;
    struct wait w = {.flags = s->flags};
    if (s->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL |
                               DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                               DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))
        return -EINVAL;
    if (!s->count_handles)
        return 0;
    int err = list_init(&w.list, file, s->handles, s->points, s->count_handles);
    return err ? err : wait_list(&w, s->timeout_nsec, &s->first_signaled);
}

int
ioctl_syncobj_reset(struct drm_file *file, void *arg)
{
    const struct drm_syncobj_array *a = arg;
    struct list list;
    if (a->pad)
        return -EINVAL;
    int err = list_init(&list, file, a->handles, 0, a->count_handles);
    if (err)
        return err;
    for (uint32_t i = 0; i < list.count; i++)
        syncobj_replace(list.objs[i], NULL);
    list_finish(&list);
    return 0;
}

static int
signal_list(struct list *list)
{
    struct fence *fence = fence_create(true);
    if (!fence)
        return -ENOMEM;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->points[i])
            syncobj_add_point(list->objs[i], list->points[i], fence);
        else
            syncobj_replace(list->objs[i], fence);
    }
    fence_unref(fence);
    return 0;
}

int
ioctl_syncobj_signal(struct drm_file *file, void *arg)
{
    const struct drm_syncobj_array *a = arg;
    struct list list;
    if (a->pad)
        return -EINVAL;
    int err = list_init(&list, file, a->handles, 0, a->count_handles);
    if (err)
        return err;
    err = signal_list(&list);
    list_finish(&list);
    return err;
}

int
ioctl_syncobj_timeline_signal(struct drm_file *file, void *arg)
{
    const struct drm_syncobj_timeline_array *a = arg;
    struct list list;
    if (a->flags)
        return -EINVAL;
    int err = list_init(&list, file, a->handles, a->points, a->count_handles);
    if (err)
        return err;
    err = signal_list(&list);
    list_finish(&list);
    return err;
}

int
ioctl_syncobj_query(struct drm_file *file, void *arg)
{
    const struct drm_syncobj_timeline_array *a = arg;
    struct list list;
    if (a->flags & ~(uint32_t)DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED)
        return -EINVAL;
    int err = list_init(&list, file, a->handles, 0, a->count_handles);
    if (err)
        return err;
    for (uint32_t i = 0; i < list.count && !err; i++) {
        uint64_t value = syncobj_value(list.objs[i], a->flags);
        err = client_write(a->points + i * sizeof value, &value, sizeof value);
    }
    list_finish(&list);
    return err;
}

int
ioctl_syncobj_transfer(struct drm_file *file, void *arg)
{
    const struct drm_syncobj_transfer *t = arg;
    if (t->pad || t->flags & ~(uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
        return -EINVAL;
    struct wait w = {.flags = t->flags | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE};
    struct syncobj *src = get_syncobj(file, t->src_handle);
    struct syncobj *dst = get_syncobj(file, t->dst_handle);
    uint64_t point = t->src_point;
    int err = src && dst ? 0 : -ENOENT;
    if (!err && t->flags) {
        w.list = (struct list){.objs = &src, .points = &point, .count = 1};
        err = wait_watching(&w, FENCE_FOREVER);
    }
    if (!err) {
        struct fence *fence = syncobj_fence(src, t->src_point);
        if (!fence)
            err = -EINVAL;
        else if (t->dst_point)
            err = syncobj_add_point(dst, t->dst_point, fence) ? 0 : -ENOMEM;
        else
            syncobj_replace(dst, fence);
        fence_unref(fence);
    }
    syncobj_unref(src);
    syncobj_unref(dst);
    return err;
}

int
ioctl_syncobj_eventfd(struct drm_file *file, void *arg)
{
    const struct shim_syncobj_eventfd *e = arg;
    if (e->pad || e->flags & ~(uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE)
        return -EINVAL;
    struct syncobj *obj = get_syncobj(file, e->handle);
    if (!obj)
        return -ENOENT;
    int err = syncobj_eventfd_add(obj, e->point, e->flags, e->fd);
    syncobj_unref(obj);
    return err;
}
