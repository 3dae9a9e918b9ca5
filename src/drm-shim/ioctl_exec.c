/* EXECBUFFER2: from the client's lists to one engine_submit().
 *
 * A struct job holds references to everything the batch needs until its
 * done() has run. Preparing and submitting happen under the submit lock, so
 * that batches reach the engine in the order in which their fences were put
 * on objects; a batch can then only wait for batches queued before it. */
#include "drm-shim/bo.h"
#include "drm-shim/client.h"
#include "drm-shim/hwctx.h"
#include "drm-shim/job.h"
#include "drm-shim/ioctl.h"
#include "drm-shim/reloc.h"
#include "drm-shim/report.h"
#include "drm-shim/space.h"
#include "drm-shim/syncobj.h"
#include "engine/engine.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_OBJECTS (1u << 20)

/* Lock held. */
static int
look_up_objects(struct drm_file *file, struct job *job)
{
    for (unsigned i = 0; i < job->object_count; i++) {
        struct bo *bo = handle_get(&file->bos, job->objects[i].handle);
        if (!bo)
            return -ENOENT;
        job->bos[i] = bo_ref(bo);
    }
    return 0;
}

static int
read_objects(struct drm_file *file, struct job *job,
             const struct drm_i915_gem_execbuffer2 *eb)
{
    int err = client_read(job->objects, eb->buffers_ptr,
                          job->object_count * sizeof *job->objects);
    if (err)
        return err;
    for (unsigned i = 0; i < job->object_count; i++) {
        const struct drm_i915_gem_exec_object2 *o = &job->objects[i];
        if (o->flags & __EXEC_OBJECT_UNKNOWN_FLAGS)
            return -EINVAL;
        if (o->alignment & (o->alignment - 1))
            return -EINVAL;
        if (o->relocation_count > 1u << 24)
            return -EINVAL;
        if (o->flags & EXEC_OBJECT_PINNED && o->offset & (BO_PAGE_B - 1))
            return -EINVAL;
    }
    device_lock();
    err = look_up_objects(file, job);
    device_unlock();
    return err;
}

/* ------------------------------------------------------------------------
 * Addresses */

/* The engine drops the bits above its window, so drivers that put objects at
 * CPU addresses (OpenCL's shared virtual memory) get them at the remainder. */
static uint64_t
plain_address(uint64_t canonical)
{
    return canonical & (ENGINE_VM_SIZE_B - 1);
}

uint64_t
job_canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

static int
bind_at(struct job *job, unsigned i, uint64_t va, struct fence **busy)
{
    struct bo *bo = job->bos[i];
    if (bo->size_B > ENGINE_VM_SIZE_B - va) {
        unimp("object at %#llx across the end of the GPU address window",
              (unsigned long long)job->objects[i].offset);
        return -EINVAL;
    }
    return space_bind(job->ctx->space, bo, va, busy);
}

/* Lock held. Pinned objects first, so that the others go around them. */
static int
place_pinned(struct job *job, unsigned i, struct fence **busy)
{
    struct drm_i915_gem_exec_object2 *o = &job->objects[i];
    uint64_t va = plain_address(o->offset);
    const struct binding *b = space_find(job->ctx->space, job->bos[i]);
    if (b && b->va == va)
        return 0;
    return bind_at(job, i, va, busy);
}

static int
place_anywhere(struct job *job, unsigned i, struct fence **busy)
{
    struct drm_i915_gem_exec_object2 *o = &job->objects[i];
    struct space *space = job->ctx->space;
    uint64_t align_B = MAX2(o->alignment, BO_PAGE_B);
    uint64_t limit = o->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS
                         ? ENGINE_VM_SIZE_B
                         : (UINT64_C(1) << 32) - BO_PAGE_B;
    uint64_t size_B = job->bos[i]->size_B;
    const struct binding *b = space_find(space, job->bos[i]);
    if (!b || b->va % align_B || b->va + size_B > limit) {
        uint64_t va = space_find_hole(space, size_B, align_B, limit);
        int err = va ? bind_at(job, i, va, busy) : -ENOSPC;
        if (err)
            return err;
        b = space_find(space, job->bos[i]);
    }
    o->offset = job_canonical(b->va);
    return 0;
}

static int
place_all(struct job *job, struct fence **busy)
{
    int err = 0;
    for (unsigned i = 0; i < job->object_count && !err; i++)
        if (job->objects[i].flags & EXEC_OBJECT_PINNED)
            err = place_pinned(job, i, busy);
    for (unsigned i = 0; i < job->object_count && !err; i++)
        if (!(job->objects[i].flags & EXEC_OBJECT_PINNED))
            err = place_anywhere(job, i, busy);
    return err;
}

/* The i-th object was moved out by another of the batch. On hardware they would
 * be apart if only the bits differ that our addresses do not have. */
static void
report_moved_out(const struct job *job, unsigned i)
{
    uint64_t va = job->objects[i].offset, size_B = job->bos[i]->size_B;
    for (unsigned n = 0; n < job->object_count; n++) {
        uint64_t other = job->objects[n].offset;
        bool apart = (va ^ other) >= ENGINE_VM_SIZE_B;
        if (n != i && apart &&
            plain_address(va) < plain_address(other) + job->bos[n]->size_B &&
            plain_address(other) < plain_address(va) + size_B)
            unimp("objects at %#llx and %#llx in one batch: addresses have 40 "
                  "bits",
                  (unsigned long long)va, (unsigned long long)other);
    }
}

/* Two objects of one batch at one address, or one moved out by another. */
static int
check_places(struct job *job)
{
    for (unsigned i = 0; i < job->object_count; i++) {
        const struct binding *b = space_find(job->ctx->space, job->bos[i]);
        if (b && b->va == plain_address(job->objects[i].offset))
            continue;
        report_moved_out(job, i);
        return -EINVAL;
    }
    return 0;
}

static int
place(struct job *job)
{
    for (;;) {
        struct fence *busy = NULL;
        device_lock();
        int err = place_all(job, &busy);
        if (!err)
            err = check_places(job);
        device_unlock();
        if (err != -EAGAIN)
            return err;
        fence_wait(busy, FENCE_FOREVER);
        fence_unref(busy);
    }
}

/* ------------------------------------------------------------------------ */

#define REFUSED_FLAGS (I915_EXEC_SECURE | I915_EXEC_RESOURCE_STREAMER)

static int
check_flags(const struct drm_i915_gem_execbuffer2 *eb)
{
    uint64_t f = eb->flags;
    if (f & (uint64_t)(int64_t)__I915_EXEC_UNKNOWN_FLAGS || f & REFUSED_FLAGS)
        return f & I915_EXEC_SECURE ? -EPERM : -EINVAL;
    if (f & I915_EXEC_FENCE_IN && f & I915_EXEC_FENCE_SUBMIT)
        return -EINVAL;
    if (f & I915_EXEC_FENCE_ARRAY && f & I915_EXEC_USE_EXTENSIONS)
        return -EINVAL;
    if (!(f & (I915_EXEC_FENCE_ARRAY | I915_EXEC_USE_EXTENSIONS)) &&
        (eb->num_cliprects || eb->cliprects_ptr))
        return -EINVAL;
    if (f & I915_EXEC_USE_EXTENSIONS && eb->num_cliprects)
        return -EINVAL;
    if (eb->DR1 || eb->DR4)
        return -EINVAL;
    if ((eb->batch_start_offset | eb->batch_len) & 7)
        return -EINVAL;
    return 0;
}

/* Lock held. */
static int
choose_engine(struct drm_file *file, struct job *job,
              const struct drm_i915_gem_execbuffer2 *eb)
{
    static const enum engine_ring rings[] = {
        [I915_ENGINE_CLASS_RENDER] = ENGINE_RCS,
        [I915_ENGINE_CLASS_COPY] = ENGINE_BCS,
        [I915_ENGINE_CLASS_VIDEO] = ENGINE_VCS,
        [I915_ENGINE_CLASS_VIDEO_ENHANCE] = ENGINE_VECS,
    };
    struct hw_context *ctx = hwctx_find(file, (uint32_t)eb->rsvd1);
    if (!ctx)
        return -ENOENT;
    struct hwctx_engine *engine = hwctx_engine(ctx, eb->flags);
    if (!engine)
        return -EINVAL;
    uint32_t active, pending;
    hwctx_resets(ctx, &active, &pending);
    /* A context that cannot be restored is dead after a reset. */
    if (active && !ctx->recoverable)
        return -EIO;
    job->ctx = hwctx_ref(ctx);
    job->hw = hwctx_hw(ctx, engine);
    job->engine_class = engine->engine_class;
    job->ring = rings[engine->engine_class];
    return job->hw ? 0 : -ENOMEM;
}

static int
locate_batch(struct job *job, const struct drm_i915_gem_execbuffer2 *eb)
{
    unsigned i = eb->flags & I915_EXEC_BATCH_FIRST ? 0 : job->object_count - 1;
    uint64_t size_B = job->bos[i]->size_B;
    if (eb->batch_start_offset > size_B ||
        eb->batch_len > size_B - eb->batch_start_offset)
        return -EINVAL;
    job->batch_va = plain_address(job->objects[i].offset) +
                    eb->batch_start_offset;
    job->batch_B = eb->batch_len ? eb->batch_len
                                 : size_B - eb->batch_start_offset;
    return 0;
}

static int
list_users(struct job *job)
{
    unsigned count = 0;
    for (unsigned i = 0; i < job->object_count; i++)
        count += job->bos[i]->memfd < 0;
    if (!count)
        return 0;
    job->users = malloc(count * sizeof *job->users);
    if (!job->users)
        return -ENOMEM;
    for (unsigned i = 0; i < job->object_count; i++)
        if (job->bos[i]->memfd < 0)
            job->users[job->user_count++] = plain_address(
                job->objects[i].offset);
    return 0;
}

/* Where the objects ended up, for the client's next presumed offsets. */
static int
write_offsets(const struct job *job, uint64_t buffers_ptr)
{
    for (unsigned i = 0; i < job->object_count; i++) {
        uint64_t at = buffers_ptr + i * sizeof job->objects[0] +
                      offsetof(struct drm_i915_gem_exec_object2, offset);
        if (job->objects[i].flags & EXEC_OBJECT_PINNED)
            continue;
        int err = client_write(at, &job->objects[i].offset, sizeof(uint64_t));
        if (err)
            return err;
    }
    return 0;
}

static int
prepare(struct drm_file *file, struct job *job,
        const struct drm_i915_gem_execbuffer2 *eb)
{
    device_lock();
    int err = choose_engine(file, job, eb);
    device_unlock();
    if (!err)
        err = read_objects(file, job, eb);
    if (!err)
        err = job_read_fences(file, job, eb);
    if (!err)
        err = place(job);
    if (!err)
        err = locate_batch(job, eb);
    if (!err)
        err = list_users(job);
    if (!err)
        err = reloc_apply(job, eb->flags);
    if (!err)
        err = write_offsets(job, eb->buffers_ptr);
    return err;
}

static int
submit(struct job *job, struct drm_i915_gem_execbuffer2 *eb)
{
    int out_fd = -1;
    job->fence = fence_create(false);
    if (!job->fence)
        return -ENOMEM;
    if (eb->flags & I915_EXEC_FENCE_OUT) {
        out_fd = fence_export(job->fence);
        if (out_fd < 0)
            return out_fd;
    }
    device_lock();
    int err = job_implicit_waits(job);
    if (!err)
        err = job_mark_objects(job);
    device_unlock();
    if (err) {
        /* Nothing will run: what was marked is over. */
        fence_signal(job->fence);
        if (out_fd >= 0)
            close(out_fd);
        return err;
    }
    job_signal_syncobjs(job);
    if (out_fd >= 0)
        eb->rsvd2 = (uint32_t)eb->rsvd2 | (uint64_t)out_fd << 32;
    struct engine_submit s = {
        .ctx = job->hw,
        .ring = job->ring,
        .batch_va = job->batch_va,
        .batch_B = job->batch_B,
        .users = job->users,
        .user_count = job->user_count,
        .wait = job_wait,
        .ready = job_ready,
        .done = job_done,
        .data = job,
    };
    job_begin();
    engine_submit(device_engine(), &s);
    return 0;
}

int
ioctl_execbuffer2(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_execbuffer2 *eb = arg;
    int err = check_flags(eb);
    if (err)
        return err;
    if (!eb->buffer_count || eb->buffer_count > MAX_OBJECTS)
        return -EINVAL;
    struct job *job = job_create(eb->buffer_count);
    if (!job)
        return -ENOMEM;
    device_submit_lock();
    err = prepare(file, job, eb);
    /* The job may be gone when submit() returns; its context must not be, as
     * the engine may still be unlocking it. */
    struct hw_context *ctx = job->ctx ? hwctx_ref(job->ctx) : NULL;
    struct engine_context *hw = job->hw;
    if (!err)
        err = submit(job, eb);
    device_submit_unlock();
    if (err)
        job_free(job);
    else
        engine_throttle(hw);
    hwctx_unref(ctx);
    return err;
}
