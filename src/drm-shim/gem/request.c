#include "drm-shim/gem/request.h"

#include "drm-shim/gem/bo.h"
#include "drm-shim/core/core.h"
#include "drm-shim/gem/gem_context.h"
#include "drm-shim/gem/gtt_map.h"
#include "drm-shim/report/report.h"
#include "drm-shim/sync/sync.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

struct request *
request_create(unsigned object_count)
{
    /* One allocation for the request and its arrays. */
    size_t objects_B = object_count * sizeof(struct drm_i915_gem_exec_object2);
    size_t bos_B = object_count * sizeof(struct bo *);
    struct request *request = malloc(sizeof *request + objects_B + bos_B);
    if (!request)
        return NULL;
    memset(request, 0, sizeof *request);
    request->objects = (struct drm_i915_gem_exec_object2 *)request->behind;
    request->bos = (struct bo **)(request->objects + object_count);
    memset(request->bos, 0, bos_B);
    request->object_count = object_count;
    return request;
}

void
request_free(struct request *request)
{
    for (unsigned i = 0; i < request->object_count; i++)
        bo_unref(request->bos[i]);
    for (unsigned i = 0; i < request->wait_count; i++)
        fence_unref(request->waits[i]);
    for (unsigned i = 0; i < request->signal_count; i++)
        syncobj_unref(request->signals[i].obj);
    fence_unref(request->fence);
    gem_context_unref(request->ctx);
    free(request->waits);
    free(request->users);
    client_list_free(request->signals, request->few_signals);
    free(request);
}

void
request_wait(void *data)
{
    struct request *request = data;
    for (unsigned i = 0; i < request->wait_count; i++)
        fence_wait(request->waits[i], FENCE_FOREVER);
}

bool
request_ready(void *data)
{
    const struct request *request = data;
    for (unsigned i = 0; i < request->wait_count; i++)
        if (!fence_is_signalled(request->waits[i]))
            return false;
    return true;
}

/* Batches handed to the engine and batches done. */
static atomic_uint begun, ended;

static bool
all_ended(void *data)
{
    return atomic_load(&begun) == atomic_load(&ended);
}

void
request_begin(void)
{
    atomic_fetch_add(&begun, 1);
}

void
request_after_fork(void)
{
    atomic_store(&ended, atomic_load(&begun));
}

#define DRAIN_TICK_NS INT64_C(1000000000)
#define DRAIN_TICKS 12 /* a little more than the engine's hang limit */

void
request_drain(void)
{
    unsigned last = atomic_load(&ended);
    for (unsigned stuck = 0; stuck < DRAIN_TICKS; stuck++) {
        if (!fence_wait_until(all_ended, NULL, fence_now_ns() + DRAIN_TICK_NS))
            return;
        if (atomic_load(&ended) != last)
            stuck = 0;
        last = atomic_load(&ended);
    }
}

void
request_done(void *data, enum engine_result result)
{
    struct request *request = data;
    if (result != ENGINE_OK)
        trace(submit, "batch of context %p ended in a guest error",
              (void *)request->ctx);
    report_publish_batch(engine_work(device_engine_if_any()));
    atomic_fetch_add(&ended, 1);
    fence_signal(request->fence);
    request_free(request);
}

bool
request_add_wait(struct request *request, struct fence *fence)
{
    if (!fence || fence_is_signalled(fence)) {
        fence_unref(fence);
        return true;
    }
    struct fence **p = realloc(request->waits, (request->wait_count + 1) *
                                                   sizeof *request->waits);
    if (!p) {
        fence_unref(fence);
        return false;
    }
    request->waits = p;
    p[request->wait_count++] = fence;
    return true;
}

static int
add_fence(struct drm_file *file, struct request *request,
          const struct drm_i915_gem_exec_fence *f, uint64_t point)
{
    if (f->flags & __I915_EXEC_FENCE_UNKNOWN_FLAGS)
        return -EINVAL;
    device_lock();
    struct syncobj *obj = handle_get(&file->syncobjs, f->handle);
    if (obj)
        syncobj_ref(obj);
    device_unlock();
    if (!obj)
        return -ENOENT;
    int err = 0;
    if (f->flags & I915_EXEC_FENCE_WAIT) {
        struct fence *fence = syncobj_fence(obj, point);
        if (!fence)
            err = -EINVAL;
        else if (!request_add_wait(request, fence))
            err = -ENOMEM;
    }
    if (!err && f->flags & I915_EXEC_FENCE_SIGNAL && point &&
        !syncobj_make_room(obj))
        err = -ENOMEM;
    if (!err && f->flags & I915_EXEC_FENCE_SIGNAL)
        request->signals[request->signal_count++] = (struct request_signal){
            obj, point};
    else
        syncobj_unref(obj);
    return err;
}

/* Reserves room for the client's whole list of fences. */
static bool
reserve_signals(struct request *request, uint64_t count)
{
    request->signals = count <= REQUEST_FEW
                           ? request->few_signals
                           : calloc(count, sizeof *request->signals);
    return request->signals;
}

static int
add_fence_list(struct drm_file *file, struct request *request, uint64_t handles,
               uint64_t points, uint64_t count)
{
    int err;
    struct drm_i915_gem_exec_fence few[REQUEST_FEW];
    uint64_t few_points[REQUEST_FEW];
    struct drm_i915_gem_exec_fence *f = client_read_list(
        handles, count, sizeof *f, few, sizeof few, &err);
    uint64_t *v = NULL;
    if (!f)
        return err;
    if (points)
        v = client_read_list(points, count, sizeof *v, few_points,
                             sizeof few_points, &err);
    if (!err && !reserve_signals(request, count))
        err = -ENOMEM;
    for (uint64_t i = 0; i < count && !err; i++)
        err = add_fence(file, request, &f[i], v ? v[i] : 0);
    client_list_free(f, few);
    client_list_free(v, few_points);
    return err;
}

static int
read_extensions(struct drm_file *file, struct request *request, uint64_t at)
{
    bool seen = false;
    for (unsigned n = 0; at; n++) {
        struct drm_i915_gem_execbuffer_ext_timeline_fences ext;
        int err = client_read(&ext.base, at, sizeof ext.base);
        if (err)
            return err;
        if (n > 512)
            return -E2BIG;
        if (ext.base.name != DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES ||
            ext.base.flags || seen)
            return -EINVAL;
        seen = true;
        err = client_read(&ext, at, sizeof ext);
        if (!err && ext.fence_count)
            err = add_fence_list(file, request, ext.handles_ptr, ext.values_ptr,
                                 ext.fence_count);
        if (err)
            return err;
        at = ext.base.next_extension;
    }
    return 0;
}

int
request_read_fences(struct drm_file *file, struct request *request,
                    const struct drm_i915_gem_execbuffer2 *eb)
{
    int err = 0;
    if (eb->flags & (I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT)) {
        struct fence *f = fence_import((int)(uint32_t)eb->rsvd2, &err);
        if (!f)
            return err;
        err = request_add_wait(request, f) ? 0 : -ENOMEM;
    }
    if (!err && eb->flags & I915_EXEC_FENCE_ARRAY)
        err = add_fence_list(file, request, eb->cliprects_ptr, 0,
                             eb->num_cliprects);
    if (!err && eb->flags & I915_EXEC_USE_EXTENSIONS)
        err = read_extensions(file, request, eb->cliprects_ptr);
    return err;
}

/* Implicit synchronisation, lock held: the batch waits for writers of its
 * objects, and for readers if it writes. It need not wait for work of its own
 * engine context, which runs in order. */
int
request_implicit_waits(struct request *request)
{
    for (unsigned i = 0; i < request->object_count; i++) {
        struct bo *bo = request->bos[i];
        bool write = request->objects[i].flags & EXEC_OBJECT_WRITE;
        if (request->objects[i].flags & EXEC_OBJECT_ASYNC)
            continue;
        bo_look(bo);
        for (unsigned u = 0; u < bo->use_count; u++) {
            const struct bo_use *use = &bo->uses[u];
            if (use->timeline == request->hw || !(write || use->write))
                continue;
            if (!request_add_wait(request, fence_ref(use->fence)))
                return -ENOMEM;
        }
    }
    return 0;
}

/* Lock held. */
int
request_mark_objects(struct request *request)
{
    for (unsigned i = 0; i < request->object_count; i++) {
        struct bo_use use = {
            .fence = request->fence,
            .timeline = request->hw,
            .write = request->objects[i].flags & EXEC_OBJECT_WRITE,
            .engine_class = (uint8_t)request->engine_class,
        };
        gtt_before_batch(request->bos[i]);
        if (!bo_add_use(request->bos[i], &use))
            return -ENOMEM;
    }
    return 0;
}

void
request_signal_syncobjs(struct request *request)
{
    for (unsigned i = 0; i < request->signal_count; i++) {
        if (request->signals[i].point)
            syncobj_add_point(request->signals[i].obj,
                              request->signals[i].point, request->fence);
        else
            syncobj_replace(request->signals[i].obj, request->fence);
    }
}

uint64_t
request_canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}
