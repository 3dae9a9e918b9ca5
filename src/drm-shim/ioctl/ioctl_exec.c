/* ioctl_exec.c: EXECBUFFER2: from the client's lists to one batch for the
 * engine.
 *
 * A struct request holds references to all that the batch needs until
 * request_done() has run. The submit lock is held while a request is prepared
 * and submitted, except while it waits for objects. So batches reach the engine
 * in the order in which their fences were put on objects. A batch then only
 * waits for batches queued before it. */
#include "drm-shim/gem/gem.h"
#include "drm-shim/core/core.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/sync/sync.h"
#include "engine/engine.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_OBJECTS (1u << 20)

/* MS_ASYNC does nothing but look for gaps. */
static bool
is_gone(const struct bo *user)
{
    return syscall(SYS_msync, user->user, user->size_B, MS_ASYNC) != 0;
}

/* Lock held. */
static int
look_up_objects(struct drm_file *file, struct request *request)
{
    for (unsigned i = 0; i < request->object_count; i++) {
        struct bo *bo = handle_get(&file->bos, request->objects[i].handle);
        if (!bo)
            return -ENOENT;
        request->bos[i] = bo_ref(bo);
        if (bo->user && is_gone(bo))
            return -EFAULT;
    }
    return 0;
}

static int
read_objects(struct drm_file *file, struct request *request,
             const struct drm_i915_gem_execbuffer2 *eb)
{
    int err = client_read(request->objects, eb->buffers_ptr,
                          request->object_count * sizeof *request->objects);
    if (err)
        return err;
    for (unsigned i = 0; i < request->object_count; i++) {
        const struct drm_i915_gem_exec_object2 *o = &request->objects[i];
        if (o->flags & __EXEC_OBJECT_UNKNOWN_FLAGS)
            return -EINVAL;
        if (o->alignment & (o->alignment - 1))
            return -EINVAL;
        if (o->relocation_count > 1u << 24)
            return -EINVAL;
        if (o->flags & EXEC_OBJECT_PINNED &&
            o->offset != request_canonical(o->offset & ~(BO_PAGE_B - 1)))
            return -EINVAL;
    }
    device_lock();
    err = look_up_objects(file, request);
    device_unlock();
    return err;
}

/* ------------------------------------------------------------------------
 * Addresses */

static uint64_t
plain_address(uint64_t canonical)
{
    return canonical & (ENGINE_VA_END - 1);
}

/* Places pinned objects first, so that the others avoid them. Lock held. */
static int
place_pinned(struct request *request, unsigned i, struct fence **busy)
{
    struct ppgtt *ppgtt = request->ctx->ppgtt;
    struct bo *bo = request->bos[i];
    uint64_t va = plain_address(request->objects[i].offset);
    const struct binding *b = ppgtt_find(ppgtt, bo);
    if (b && b->va == va)
        return 0;
    return ppgtt_bind(ppgtt, bo, va, busy);
}

static int
place_anywhere(struct request *request, unsigned i, struct fence **busy)
{
    struct drm_i915_gem_exec_object2 *o = &request->objects[i];
    struct ppgtt *ppgtt = request->ctx->ppgtt;
    uint64_t align_B = MAX2(o->alignment, BO_PAGE_B);
    uint64_t limit = o->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS
                         ? engine_vm_size_B(ppgtt->vm)
                         : (UINT64_C(1) << 32) - BO_PAGE_B;
    uint64_t size_B = request->bos[i]->size_B;
    const struct binding *b = ppgtt_find(ppgtt, request->bos[i]);
    if (!b || b->va % align_B || b->va + size_B > limit) {
        uint64_t va = ppgtt_find_hole(ppgtt, size_B, align_B, limit);
        int err = va ? ppgtt_bind(ppgtt, request->bos[i], va, busy) : -ENOSPC;
        if (err)
            return err;
        b = ppgtt_find(ppgtt, request->bos[i]);
    }
    o->offset = request_canonical(b->va);
    return 0;
}

static int
place_all(struct request *request, struct fence **busy)
{
    int err = 0;
    for (unsigned i = 0; i < request->object_count && !err; i++)
        if (request->objects[i].flags & EXEC_OBJECT_PINNED)
            err = place_pinned(request, i, busy);
    for (unsigned i = 0; i < request->object_count && !err; i++)
        if (!(request->objects[i].flags & EXEC_OBJECT_PINNED))
            err = place_anywhere(request, i, busy);
    return err;
}

/* Refuses two objects of one batch at one address, and an object that another
 * object has unbound. */
static int
check_places(const struct request *request)
{
    for (unsigned i = 0; i < request->object_count; i++) {
        const struct binding *b = ppgtt_find(request->ctx->ppgtt,
                                             request->bos[i]);
        if (!b || b->va != plain_address(request->objects[i].offset))
            return -EINVAL;
    }
    return 0;
}

/* Keeps adjacent userptr objects adjacent for surfaces, too. Lock held. */
static int
straighten_users(const struct request *request, struct fence **busy)
{
    int err = 0;
    for (unsigned i = 0; i < request->object_count && !err; i++)
        if (request->bos[i]->user)
            err = ppgtt_straighten(request->ctx->ppgtt, request->bos[i], busy);
    return err;
}

/* Lock held. */
static int
try_to_place(struct request *request, bool *full, struct fence **busy)
{
    int err = place_all(request, busy);
    if (!err)
        err = check_places(request);
    if (!err)
        err = straighten_users(request, busy);
    if (err != -ENOSPC || *full)
        return err;
    /* Tries again in an empty address space. */
    err = ppgtt_unbind_idle(request->ctx->ppgtt, busy);
    *full = !err;
    return err ? err : try_to_place(request, full, busy);
}

static int
place_objects(struct request *request, bool *full, struct fence **busy)
{
    device_lock();
    int err = try_to_place(request, full, busy);
    device_unlock();
    return err;
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
find_context(struct drm_file *file, struct request *request,
             const struct drm_i915_gem_execbuffer2 *eb)
{
    struct gem_context *ctx = gem_context_find(file, (uint32_t)eb->rsvd1);
    if (!ctx) /* the default context is made when first needed */
        return eb->rsvd1 ? -ENOENT : -ENOMEM;
    request->ctx = gem_context_ref(ctx);
    return 0;
}

/* Lock held. */
static int
choose_engine(struct request *request,
              const struct drm_i915_gem_execbuffer2 *eb)
{
    static const enum engine_ring rings[] = {
#define X(ring, name, uapi_class, mmio, commands) \
    [I915_ENGINE_CLASS_##uapi_class] = ENGINE_##ring,
        ENGINE_RINGS(X)
#undef X
    };
    struct gem_context *ctx = request->ctx;
    struct gem_context_engine *engine = gem_context_engine(ctx, eb->flags);
    if (!engine)
        return -EINVAL;
    uint32_t active, pending;
    gem_context_resets(ctx, &active, &pending);
    /* A context that cannot be restored is dead after a reset. */
    if (active && !ctx->recoverable)
        return -EIO;
    request->hw = gem_context_hw(ctx, engine);
    request->engine_class = engine->engine_class;
    request->ring = rings[engine->engine_class];
    return request->hw ? 0 : -ENOMEM;
}

static int
locate_batch(struct request *request, const struct drm_i915_gem_execbuffer2 *eb)
{
    unsigned i = eb->flags & I915_EXEC_BATCH_FIRST ? 0
                                                   : request->object_count - 1;
    uint64_t size_B = request->bos[i]->size_B;
    if (eb->batch_start_offset > size_B ||
        eb->batch_len > size_B - eb->batch_start_offset)
        return -EINVAL;
    request->batch_va = plain_address(request->objects[i].offset) +
                        eb->batch_start_offset;
    request->batch_B = eb->batch_len ? eb->batch_len
                                     : size_B - eb->batch_start_offset;
    return 0;
}

static int
list_users(struct request *request)
{
    unsigned count = 0;
    for (unsigned i = 0; i < request->object_count; i++)
        count += request->bos[i]->memfd < 0;
    if (!count)
        return 0;
    if (!request->users)
        request->users = malloc(count * sizeof *request->users);
    if (!request->users)
        return -ENOMEM;
    request->user_count = 0;
    for (unsigned i = 0; i < request->object_count; i++)
        if (request->bos[i]->memfd < 0)
            request->users[request->user_count++] = plain_address(
                request->objects[i].offset);
    return 0;
}

/* Tells the client where its objects are: the presumed offsets of its next
 * batch. */
static int
write_offsets(const struct request *request, uint64_t buffers_ptr)
{
    for (unsigned i = 0; i < request->object_count; i++) {
        uint64_t at = buffers_ptr + i * sizeof request->objects[0] +
                      offsetof(struct drm_i915_gem_exec_object2, offset);
        if (request->objects[i].flags & EXEC_OBJECT_PINNED)
            continue;
        int err = client_write(at, &request->objects[i].offset,
                               sizeof(uint64_t));
        if (err)
            return err;
    }
    return 0;
}

static int
read_request(struct drm_file *file, struct request *request,
             const struct drm_i915_gem_execbuffer2 *eb)
{
    /* Objects first: an engine is mapped where a client's memory may have
     * been. */
    int err = read_objects(file, request, eb);
    device_lock();
    if (!err)
        err = find_context(file, request, eb);
    if (!err)
        err = choose_engine(request, eb);
    device_unlock();
    if (!err)
        err = request_read_fences(file, request, eb);
    return err;
}

/* Submit lock held. -EAGAIN: wait for *busy without it, and try again. */
static int
try_to_prepare(struct request *request,
               const struct drm_i915_gem_execbuffer2 *eb, bool *full,
               struct fence **busy)
{
    device_lock();
    int err = choose_engine(request, eb);
    device_unlock();
    if (!err)
        err = place_objects(request, full, busy);
    if (!err)
        err = locate_batch(request, eb);
    if (!err)
        err = list_users(request);
    if (!err)
        err = reloc_apply(request, eb->flags, busy);
    if (!err)
        err = write_offsets(request, eb->buffers_ptr);
    return err;
}

/* Submit lock held, but not while it waits: other contexts and fork() need it.
 */
static int
prepare_request(struct request *request,
                const struct drm_i915_gem_execbuffer2 *eb)
{
    struct fence *busy = NULL;
    bool full = false;
    int err;
    while ((err = try_to_prepare(request, eb, &full, &busy)) == -EAGAIN) {
        device_submit_unlock();
        fence_wait(busy, FENCE_FOREVER);
        fence_unref(busy);
        device_submit_lock();
    }
    return err;
}

static int
submit_request(struct request *request, struct drm_i915_gem_execbuffer2 *eb,
               struct engine_submit *submit)
{
    int out_fd = -1;
    request->fence = fence_create(false);
    if (!request->fence)
        return -ENOMEM;
    if (eb->flags & I915_EXEC_FENCE_OUT) {
        out_fd = fence_export(request->fence);
        if (out_fd < 0)
            return out_fd;
    }
    device_lock();
    int err = request_implicit_waits(request);
    if (!err)
        err = request_mark_objects(request);
    device_unlock();
    if (err) {
        /* Signals the fence, because objects may carry it already and no batch
         * will. */
        fence_signal(request->fence);
        if (out_fd >= 0)
            close(out_fd);
        return err;
    }
    request_signal_syncobjs(request);
    if (out_fd >= 0)
        eb->rsvd2 = (uint32_t)eb->rsvd2 | (uint64_t)out_fd << 32;
    *submit = (struct engine_submit){
        .ctx = request->hw,
        .ring = request->ring,
        .batch_va = request->batch_va,
        .batch_B = request->batch_B,
        .users = request->users,
        .user_count = request->user_count,
        .wait = request_wait,
        .ready = request_ready,
        .done = request_done,
        .data = request,
    };
    request_begin();
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
    struct request *request = request_create(eb->buffer_count);
    if (!request)
        return -ENOMEM;
    err = read_request(file, request, eb);
    device_submit_lock();
    if (!err)
        err = prepare_request(request, eb);
    /* The request may be gone once its batch is queued; its context must not
     * be, as the engine may still be unlocking it. */
    struct gem_context *ctx = request->ctx ? gem_context_ref(request->ctx)
                                           : NULL;
    struct engine_context *hw = request->hw;
    struct engine_submit submit = {0};
    if (!err)
        err = submit_request(request, eb, &submit);
    bool queued = !err && engine_enqueue(device_engine(), &submit);
    device_submit_unlock();
    if (err)
        request_free(request);
    else if (queued)
        engine_throttle(hw);
    else
        engine_run(&submit);
    gem_context_unref(ctx);
    return err;
}
