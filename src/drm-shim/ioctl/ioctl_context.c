/* ioctl_context.c: hardware contexts and address spaces. */
#include "drm-shim/core/core.h"
#include "drm-shim/gem/gem.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "engine/engine.h"

#include <errno.h>
#include <i915_drm.h>
#include <stddef.h>
#include <stdlib.h>

#define ENGINES_MAX 64

static int
set_engines(struct gem_context *ctx, const struct drm_i915_gem_context_param *p)
{
    struct i915_engine_class_instance list[ENGINES_MAX];
    struct gem_context_engine engines[ENGINES_MAX] = {0};
    const size_t head_B = offsetof(struct i915_context_param_engines, engines);
    uint64_t extensions;
    if (!p->size) { /* back to the legacy rings */
        ctx->user_map = false;
        return -EINVAL;
    }
    if (p->size < head_B || (p->size - head_B) % sizeof list[0])
        return -EINVAL;
    unsigned count = (unsigned)((p->size - head_B) / sizeof list[0]);
    if (count > ENGINES_MAX)
        return -EINVAL;
    int err = client_read(&extensions, p->value, sizeof extensions);
    if (!err)
        err = client_read(list, p->value + head_B, count * sizeof list[0]);
    if (err)
        return err;
    if (extensions) {
        unimp("context engine map with load balancing or bonds");
        return -EINVAL;
    }
    for (unsigned i = 0; i < count; i++) {
        bool hole = list[i].engine_class ==
                        (uint16_t)I915_ENGINE_CLASS_INVALID &&
                    list[i].engine_instance ==
                        (uint16_t)I915_ENGINE_CLASS_INVALID_NONE;
        if (!hole && (list[i].engine_class > I915_ENGINE_CLASS_VIDEO_ENHANCE ||
                      list[i].engine_instance))
            return -ENOENT;
        engines[i].engine_class = list[i].engine_class;
        engines[i].instance = list[i].engine_instance;
    }
    err = gem_context_set_engines(ctx, engines, count);
    if (!err)
        ctx->user_map = true;
    return err;
}

static int
set_priority(struct gem_context *ctx,
             const struct drm_i915_gem_context_param *p)
{
    int64_t priority = (int64_t)p->value;
    if (p->size)
        return -EINVAL;
    if (priority > I915_CONTEXT_MAX_USER_PRIORITY ||
        priority < I915_CONTEXT_MIN_USER_PRIORITY)
        return -EINVAL;
    ctx->priority = (int32_t)priority;
    return 0;
}

static int
set_sseu(const struct drm_i915_gem_context_param *p)
{
    struct drm_i915_gem_context_param_sseu sseu;
    if (p->size < sizeof sseu)
        return -EINVAL;
    int err = client_read(&sseu, p->value, sizeof sseu);
    if (err)
        return err;
    /* Accepted without effect: slice power is not modelled. */
    return sseu.flags || sseu.rsvd ? -EINVAL : 0;
}

static int
set_bool(bool *what, const struct drm_i915_gem_context_param *p)
{
    if (p->size)
        return -EINVAL;
    *what = p->value;
    return 0;
}

/* Lock held. */
static int
set_param(struct drm_file *file, struct gem_context *ctx, bool creating,
          const struct drm_i915_gem_context_param *p)
{
    struct ppgtt *ppgtt;
    switch (p->param) {
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        return set_bool(&ctx->no_error_capture, p);
    case I915_CONTEXT_PARAM_BANNABLE: return set_bool(&ctx->bannable, p);
    case I915_CONTEXT_PARAM_RECOVERABLE: return set_bool(&ctx->recoverable, p);
    case I915_CONTEXT_PARAM_PERSISTENCE: return set_bool(&ctx->persistent, p);
    case I915_CONTEXT_PARAM_PRIORITY: return set_priority(ctx, p);
    case I915_CONTEXT_PARAM_SSEU: return set_sseu(p);
    case I915_CONTEXT_PARAM_ENGINES: return set_engines(ctx, p);
    case I915_CONTEXT_PARAM_VM:
        if (p->size)
            return -EINVAL;
        ppgtt = handle_get(&file->ppgtts, (uint32_t)p->value);
        if (!ppgtt || p->value >> 32)
            return -ENOENT;
        gem_context_set_ppgtt(ctx, ppgtt);
        return 0;
    case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
        return creating ? -ENODEV : -EINVAL;
    default: return -EINVAL;
    }
}

static int
run_extensions(struct drm_file *file, struct gem_context *ctx, uint64_t at)
{
    for (unsigned n = 0; at; n++) {
        struct drm_i915_gem_context_create_ext_setparam ext;
        int err = client_read(&ext.base, at, sizeof ext.base);
        if (err)
            return err;
        if (n > 512)
            return -E2BIG;
        if (ext.base.flags)
            return -EINVAL;
        if (ext.base.name != I915_CONTEXT_CREATE_EXT_SETPARAM)
            return -EINVAL;
        err = client_read(&ext, at, sizeof ext);
        if (err)
            return err;
        if (ext.param.ctx_id)
            return -EINVAL;
        err = set_param(file, ctx, true, &ext.param);
        if (err)
            return err;
        at = ext.base.next_extension;
    }
    return 0;
}

int
ioctl_context_create(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_context_create_ext *c = arg;
    if (c->flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN)
        return -EINVAL;
    device_lock();
    struct gem_context *ctx = gem_context_create(file);
    int err = ctx ? 0 : -ENOMEM;
    if (!err && c->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS)
        err = run_extensions(file, ctx, c->extensions);
    if (!err) {
        c->ctx_id = handle_add(&file->contexts, ctx);
        err = c->ctx_id ? 0 : -ENOMEM;
    }
    device_unlock();
    if (err)
        gem_context_unref(ctx);
    return err;
}

int
ioctl_context_destroy(struct drm_file *file, void *arg)
{
    const struct drm_i915_gem_context_destroy *d = arg;
    if (d->pad)
        return -EINVAL;
    device_lock();
    struct gem_context *ctx = handle_remove(&file->contexts, d->ctx_id);
    device_unlock();
    gem_context_unref(ctx);
    return ctx ? 0 : -ENOENT;
}

int
ioctl_context_setparam(struct drm_file *file, void *arg)
{
    const struct drm_i915_gem_context_param *p = arg;
    device_lock();
    struct gem_context *ctx = gem_context_find(file, p->ctx_id);
    int err = ctx ? set_param(file, ctx, false, p) : -ENOENT;
    device_unlock();
    return err;
}

static int
get_sseu(struct drm_i915_gem_context_param *p)
{
    const struct platform *plat = device_platform();
    struct drm_i915_gem_context_param_sseu sseu;
    if (p->size && p->size < sizeof sseu)
        return -EINVAL;
    if (p->size) {
        int err = client_read(&sseu, p->value, sizeof sseu);
        if (err)
            return err;
        sseu.slice_mask = (1u << plat->slices) - 1;
        sseu.subslice_mask = (1u << plat->subslices) - 1;
        sseu.min_eus_per_subslice = plat->eus_per_subslice;
        sseu.max_eus_per_subslice = plat->eus_per_subslice;
        err = client_write(p->value, &sseu, sizeof sseu);
        if (err)
            return err;
    }
    p->size = sizeof sseu;
    return 0;
}

static int
get_engines(struct gem_context *ctx, struct drm_i915_gem_context_param *p)
{
    struct {
        uint64_t extensions;
        struct i915_engine_class_instance list[ENGINES_MAX];
    } out = {0};
    unsigned count = ctx->user_map ? ctx->engine_count : 0;
    size_t size_B = count ? sizeof out.extensions + count * sizeof out.list[0]
                          : 0;
    size_t room_B = p->size;
    p->size = (uint32_t)size_B;
    if (!room_B || !size_B)
        return 0;
    if (room_B < size_B)
        return -EINVAL;
    for (unsigned i = 0; i < count; i++) {
        out.list[i].engine_class = ctx->engines[i].engine_class;
        out.list[i].engine_instance = ctx->engines[i].instance;
    }
    return client_write(p->value, &out, size_B);
}

/* A handle for the address space of the context. */
static int
get_vm(struct drm_file *file, struct gem_context *ctx,
       struct drm_i915_gem_context_param *p)
{
    uint32_t id = handle_add(&file->ppgtts, ppgtt_ref(ctx->ppgtt));
    if (!id) {
        ppgtt_unref(ctx->ppgtt);
        return -ENOMEM;
    }
    p->value = id;
    p->size = 0;
    return 0;
}

/* As on Kaby Lake. NEO shares memory between CPU and GPU at the CPU's addresses
 * only if the address space covers them all. */
#define GTT_SIZE_B (UINT64_C(1) << 48)

int
ioctl_context_getparam(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_context_param *p = arg;
    int err = 0;
    device_lock();
    struct gem_context *ctx = gem_context_find(file, p->ctx_id);
    if (!ctx) {
        device_unlock();
        return -ENOENT;
    }
    if (p->param != I915_CONTEXT_PARAM_SSEU &&
        p->param != I915_CONTEXT_PARAM_ENGINES)
        p->size = 0;
    switch (p->param) {
    case I915_CONTEXT_PARAM_GTT_SIZE: p->value = GTT_SIZE_B; break;
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        p->value = ctx->no_error_capture;
        break;
    case I915_CONTEXT_PARAM_BANNABLE: p->value = ctx->bannable; break;
    case I915_CONTEXT_PARAM_RECOVERABLE: p->value = ctx->recoverable; break;
    case I915_CONTEXT_PARAM_PERSISTENCE: p->value = ctx->persistent; break;
    case I915_CONTEXT_PARAM_PRIORITY:
        p->value = (uint64_t)(int64_t)ctx->priority;
        break;
    case I915_CONTEXT_PARAM_SSEU: err = get_sseu(p); break;
    case I915_CONTEXT_PARAM_ENGINES: err = get_engines(ctx, p); break;
    case I915_CONTEXT_PARAM_VM: err = get_vm(file, ctx, p); break;
    default: err = -EINVAL; break;
    }
    device_unlock();
    return err;
}

int
ioctl_get_reset_stats(struct drm_file *file, void *arg)
{
    struct drm_i915_reset_stats *r = arg;
    if (r->flags || r->pad)
        return -EINVAL;
    device_lock();
    struct gem_context *ctx = gem_context_find(file, r->ctx_id);
    if (ctx)
        gem_context_resets(ctx, &r->batch_active, &r->batch_pending);
    device_unlock();
    r->reset_count = (uint32_t)stats_get(STAT_resets);
    return ctx ? 0 : -ENOENT;
}

int
ioctl_vm_create(struct drm_file *file, void *arg)
{
    struct drm_i915_gem_vm_control *v = arg;
    if (v->flags || v->extensions)
        return -EINVAL;
    device_lock();
    struct ppgtt *ppgtt = ppgtt_create();
    v->vm_id = ppgtt ? handle_add(&file->ppgtts, ppgtt) : 0;
    device_unlock();
    if (!v->vm_id)
        ppgtt_unref(ppgtt);
    return v->vm_id ? 0 : -ENOMEM;
}

int
ioctl_vm_destroy(struct drm_file *file, void *arg)
{
    const struct drm_i915_gem_vm_control *v = arg;
    if (v->flags || v->extensions)
        return -EINVAL;
    device_lock();
    struct ppgtt *ppgtt = handle_remove(&file->ppgtts, v->vm_id);
    device_unlock();
    ppgtt_unref(ppgtt);
    return ppgtt ? 0 : -ENOENT;
}
