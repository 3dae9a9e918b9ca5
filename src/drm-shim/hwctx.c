#include "drm-shim/hwctx.h"

#include "drm-shim/device.h"
#include "drm-shim/space.h"
#include "engine/engine.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

/* The engines of a context without a map of its own. */
static const struct hwctx_engine legacy_engines[] = {
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

struct space *
hwctx_default_space(struct drm_file *file)
{
    if (!file->space)
        file->space = space_create();
    return file->space;
}

struct hw_context *
hwctx_create(struct drm_file *file)
{
    struct space *space = hwctx_default_space(file);
    struct hw_context *ctx = space ? calloc(1, sizeof *ctx) : NULL;
    if (!ctx)
        return NULL;
    atomic_init(&ctx->refs, 1);
    ctx->recoverable = ctx->bannable = ctx->persistent = true;
    ctx->space = space_ref(space);
    if (!hwctx_set_engines(ctx, legacy_engines, ARRAY_SIZE(legacy_engines)))
        return ctx;
    hwctx_unref(ctx);
    return NULL;
}

struct hw_context *
hwctx_ref(struct hw_context *ctx)
{
    atomic_fetch_add(&ctx->refs, 1);
    return ctx;
}

static void
drop_engines(struct hw_context *ctx)
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
hwctx_unref(struct hw_context *ctx)
{
    if (!ctx || atomic_fetch_sub(&ctx->refs, 1) != 1)
        return;
    drop_engines(ctx);
    space_unref(ctx->space);
    free(ctx->engines);
    free(ctx);
}

struct hw_context *
hwctx_find(struct drm_file *file, uint32_t id)
{
    if (id)
        return handle_get(&file->contexts, id);
    if (!file->default_context)
        file->default_context = hwctx_create(file);
    return file->default_context;
}

void
hwctx_set_space(struct hw_context *ctx, struct space *space)
{
    if (space == ctx->space)
        return;
    drop_engines(ctx);
    space_ref(space);
    space_unref(ctx->space);
    ctx->space = space;
}

int
hwctx_set_engines(struct hw_context *ctx, const struct hwctx_engine *engines,
                  unsigned count)
{
    struct hwctx_engine *copy = calloc(count + 1, sizeof *copy);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, engines, count * sizeof *copy);
    drop_engines(ctx);
    free(ctx->engines);
    ctx->engines = copy;
    ctx->engine_count = count;
    return 0;
}

struct hwctx_engine *
hwctx_engine(struct hw_context *ctx, uint64_t flags)
{
    unsigned ring = flags & I915_EXEC_RING_MASK;
    if (!ctx->user_map) {
        if (ring >= ARRAY_SIZE(legacy_rings))
            return NULL;
        /* Which video engine only means something to that ring. */
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
hwctx_hw(struct hw_context *ctx, struct hwctx_engine *engine)
{
    if (!engine->hw)
        engine->hw = engine_context_create(device_engine(), ctx->space->vm);
    return engine->hw;
}

void
hwctx_resets(struct hw_context *ctx, uint32_t *active, uint32_t *pending)
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
