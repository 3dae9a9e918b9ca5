#include "drm-shim/job.h"

#include "drm-shim/bo.h"
#include "drm-shim/client.h"
#include "drm-shim/device.h"
#include "drm-shim/hwctx.h"
#include "drm-shim/report.h"
#include "drm-shim/syncobj.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

struct job *
job_create(unsigned object_count)
{
    /* One piece of memory for all that every batch has. */
    size_t objects_B = object_count * sizeof(struct drm_i915_gem_exec_object2);
    size_t bos_B = object_count * sizeof(struct bo *);
    struct job *job = malloc(sizeof *job + objects_B + bos_B);
    if (!job)
        return NULL;
    memset(job, 0, sizeof *job);
    job->objects = (struct drm_i915_gem_exec_object2 *)job->behind;
    job->bos = (struct bo **)(job->objects + object_count);
    memset(job->bos, 0, bos_B);
    job->object_count = object_count;
    return job;
}

void
job_free(struct job *job)
{
    for (unsigned i = 0; i < job->object_count; i++)
        bo_unref(job->bos[i]);
    for (unsigned i = 0; i < job->wait_count; i++)
        fence_unref(job->waits[i]);
    for (unsigned i = 0; i < job->signal_count; i++)
        syncobj_unref(job->signals[i].obj);
    fence_unref(job->fence);
    hwctx_unref(job->ctx);
    free(job->waits);
    free(job->users);
    client_list_free(job->signals, job->few_signals);
    free(job);
}

void
job_wait(void *data)
{
    struct job *job = data;
    for (unsigned i = 0; i < job->wait_count; i++)
        fence_wait(job->waits[i], FENCE_FOREVER);
}

bool
job_ready(void *data)
{
    const struct job *job = data;
    for (unsigned i = 0; i < job->wait_count; i++)
        if (!fence_is_signalled(job->waits[i]))
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
job_begin(void)
{
    atomic_fetch_add(&begun, 1);
}

void
job_after_fork(void)
{
    atomic_store(&ended, atomic_load(&begun));
}

#define DRAIN_TICK_NS INT64_C(1000000000)
#define DRAIN_TICKS 12 /* a little more than the engine's hang limit */

void
job_drain(void)
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
job_done(void *data, enum engine_result result)
{
    struct job *job = data;
    if (result != ENGINE_OK)
        trace(submit, "batch of context %p ended in a guest error",
              (void *)job->ctx);
    report_publish_batch();
    atomic_fetch_add(&ended, 1);
    fence_signal(job->fence);
    job_free(job);
}

bool
job_add_wait(struct job *job, struct fence *fence)
{
    if (!fence || fence_is_signalled(fence)) {
        fence_unref(fence);
        return true;
    }
    struct fence **p = realloc(job->waits,
                               (job->wait_count + 1) * sizeof *job->waits);
    if (!p) {
        fence_unref(fence);
        return false;
    }
    job->waits = p;
    p[job->wait_count++] = fence;
    return true;
}

static int
add_fence(struct drm_file *file, struct job *job,
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
        else if (!job_add_wait(job, fence))
            err = -ENOMEM;
    }
    if (!err && f->flags & I915_EXEC_FENCE_SIGNAL)
        job->signals[job->signal_count++] = (struct job_signal){obj, point};
    else
        syncobj_unref(obj);
    return err;
}

/* Room for as many as there are fences; the client has one list of them. */
static bool
reserve_signals(struct job *job, uint64_t count)
{
    job->signals = count <= JOB_FEW ? job->few_signals
                                    : calloc(count, sizeof *job->signals);
    return job->signals;
}

static int
add_fence_list(struct drm_file *file, struct job *job, uint64_t handles,
               uint64_t points, uint64_t count)
{
    int err;
    struct drm_i915_gem_exec_fence few[JOB_FEW];
    uint64_t few_points[JOB_FEW];
    struct drm_i915_gem_exec_fence *f = client_read_list(
        handles, count, sizeof *f, few, sizeof few, &err);
    uint64_t *v = NULL;
    if (!f)
        return err;
    if (points)
        v = client_read_list(points, count, sizeof *v, few_points,
                             sizeof few_points, &err);
    if (!err && !reserve_signals(job, count))
        err = -ENOMEM;
    for (uint64_t i = 0; i < count && !err; i++)
        err = add_fence(file, job, &f[i], v ? v[i] : 0);
    client_list_free(f, few);
    client_list_free(v, few_points);
    return err;
}

static int
read_extensions(struct drm_file *file, struct job *job, uint64_t at)
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
            err = add_fence_list(file, job, ext.handles_ptr, ext.values_ptr,
                                 ext.fence_count);
        if (err)
            return err;
        at = ext.base.next_extension;
    }
    return 0;
}

int
job_read_fences(struct drm_file *file, struct job *job,
                const struct drm_i915_gem_execbuffer2 *eb)
{
    int err = 0;
    if (eb->flags & (I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT)) {
        struct fence *f = fence_import((int)(uint32_t)eb->rsvd2, &err);
        if (!f)
            return err;
        err = job_add_wait(job, f) ? 0 : -ENOMEM;
    }
    if (!err && eb->flags & I915_EXEC_FENCE_ARRAY)
        err = add_fence_list(file, job, eb->cliprects_ptr, 0,
                             eb->num_cliprects);
    if (!err && eb->flags & I915_EXEC_USE_EXTENSIONS)
        err = read_extensions(file, job, eb->cliprects_ptr);
    return err;
}

/* Lock held. What the batch has to wait for because of the objects it uses:
 * writers always, readers if it writes. Work of its own engine context is in
 * front of it anyway. */
int
job_implicit_waits(struct job *job)
{
    for (unsigned i = 0; i < job->object_count; i++) {
        struct bo *bo = job->bos[i];
        bool write = job->objects[i].flags & EXEC_OBJECT_WRITE;
        if (job->objects[i].flags & EXEC_OBJECT_ASYNC)
            continue;
        bo_look(bo);
        for (unsigned u = 0; u < bo->use_count; u++) {
            const struct bo_use *use = &bo->uses[u];
            if (use->timeline == job->hw || !(write || use->write))
                continue;
            if (!job_add_wait(job, fence_ref(use->fence)))
                return -ENOMEM;
        }
    }
    return 0;
}

/* Lock held. */
int
job_mark_objects(struct job *job)
{
    for (unsigned i = 0; i < job->object_count; i++) {
        struct bo_use use = {
            .fence = job->fence,
            .timeline = job->hw,
            .write = job->objects[i].flags & EXEC_OBJECT_WRITE,
            .engine_class = (uint8_t)job->engine_class,
        };
        if (!bo_add_use(job->bos[i], &use))
            return -ENOMEM;
    }
    return 0;
}

void
job_signal_syncobjs(struct job *job)
{
    for (unsigned i = 0; i < job->signal_count; i++) {
        if (job->signals[i].point)
            syncobj_add_point(job->signals[i].obj, job->signals[i].point,
                              job->fence);
        else
            syncobj_replace(job->signals[i].obj, job->fence);
    }
}
