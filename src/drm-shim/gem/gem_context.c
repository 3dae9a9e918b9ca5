#include "drm-shim/gem/gem_context.h"

#include "drm-shim/core/core.h"
#include "drm-shim/gem/ppgtt.h"
#include "engine/engine.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

/* Default engine map: the engines of the legacy ring numbers. */
static const struct gem_context_engine legacy_engines[] = {
    {I915_ENGINE_CLASS_RENDER, 0, NULL},
    {I915_ENGINE_CLASS_COPY, 0, NULL},
    {I915_ENGINE_CLASS_VIDEO, 0, NULL},
    {I915_ENGINE_CLASS_VIDEO_ENHANCE, 0, NULL},
};

/* Index into legacy_engines by the ring field of execbuffer flags. */
static const uint8_t legacy_rings[] = {
    [I915_EXEC_DEFAULT] = 0, [I915_EXEC_RENDER] = 0, [I915_EXEC_BSD] = 2,
    [I915_EXEC_BLT] = 1,     [I915_EXEC_VEBOX] = 3,
};

struct ppgtt *
gem_context_default_ppgtt(struct drm_file *file)
{
    if (!file->ppgtt)
        file->ppgtt = ppgtt_create();
    return file->ppgtt;
}

struct gem_context *
gem_context_create(struct drm_file *file)
{
    struct ppgtt *ppgtt = gem_context_default_ppgtt(file);
    struct gem_context *ctx = ppgtt ? calloc(1, sizeof *ctx) : NULL;
    if (!ctx)
        return NULL;
    atomic_init(&ctx->refs, 1);
    ctx->recoverable = ctx->bannable = ctx->persistent = true;
    ctx->ppgtt = ppgtt_ref(ppgtt);
    if (!gem_context_set_engines(ctx, legacy_engines,
                                 ARRAY_SIZE(legacy_engines)))
        return ctx;
    gem_context_unref(ctx);
    return NULL;
}

struct gem_context *
gem_context_ref(struct gem_context *ctx)
{
    atomic_fetch_add(&ctx->refs, 1);
    return ctx;
}

static void
drop_engines(struct gem_context *ctx)
{
    for (unsigned i = 0; i < ctx->engine_count; i++) {
        uint32_t active, pending;
        if (!ctx->engines[i].hw)
            continue;
        engine_context_resets(ctx->engines[i].hw, &active, &pending);
        ctx->resets_seen += active;
        engine_context_destroy(ctx->engines[i].hw);
        ctx->engines[i].hw = NULL;
    }
}

void
gem_context_unref(struct gem_context *ctx)
{
    if (!ctx || atomic_fetch_sub(&ctx->refs, 1) != 1)
        return;
    drop_engines(ctx);
    ppgtt_unref(ctx->ppgtt);
    free(ctx->engines);
    free(ctx);
}

struct gem_context *
gem_context_find(struct drm_file *file, uint32_t id)
{
    if (id)
        return handle_get(&file->contexts, id);
    if (!file->default_context)
        file->default_context = gem_context_create(file);
    return file->default_context;
}

void
gem_context_set_ppgtt(struct gem_context *ctx, struct ppgtt *ppgtt)
{
    if (ppgtt == ctx->ppgtt)
        return;
    drop_engines(ctx);
    ppgtt_ref(ppgtt);
    ppgtt_unref(ctx->ppgtt);
    ctx->ppgtt = ppgtt;
}

int
gem_context_set_engines(struct gem_context *ctx,
                        const struct gem_context_engine *engines,
                        unsigned count)
{
    struct gem_context_engine *copy = calloc(count + 1, sizeof *copy);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, engines, count * sizeof *copy);
    drop_engines(ctx);
    free(ctx->engines);
    ctx->engines = copy;
    ctx->engine_count = count;
    return 0;
}

struct gem_context_engine *
gem_context_engine(struct gem_context *ctx, uint64_t flags)
{
    unsigned ring = flags & I915_EXEC_RING_MASK;
    if (!ctx->user_map) {
        if (ring >= ARRAY_SIZE(legacy_rings))
            return NULL;
        /* The BSD flags select a video engine and are only valid with that
         * ring. */
        if (ring != I915_EXEC_BSD && flags & I915_EXEC_BSD_MASK)
            return NULL;
        ring = legacy_rings[ring];
    }
    if (ring >= ctx->engine_count ||
        ctx->engines[ring].engine_class > I915_ENGINE_CLASS_VIDEO_ENHANCE)
        return NULL;
    return &ctx->engines[ring];
}

struct engine_context *
gem_context_hw(struct gem_context *ctx, struct gem_context_engine *engine)
{
    if (engine->hw)
        return engine->hw;
    engine->hw = engine_context_create(device_engine(), ctx->ppgtt->vm);
    /* For performance counters they are one context. */
    for (unsigned i = 0; engine->hw && i < ctx->engine_count; i++)
        if (ctx->engines[i].hw && ctx->engines[i].hw != engine->hw)
            engine_context_share_id(engine->hw, ctx->engines[i].hw);
    return engine->hw;
}

void
gem_context_resets(struct gem_context *ctx, uint32_t *active, uint32_t *pending)
{
    *active = ctx->resets_seen;
    *pending = 0;
    for (unsigned i = 0; i < ctx->engine_count; i++) {
        uint32_t a, p;
        if (!ctx->engines[i].hw)
            continue;
        engine_context_resets(ctx->engines[i].hw, &a, &p);
        *active += a;
        *pending += p;
    }
}
