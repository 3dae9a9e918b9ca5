/* hwctx.h: hardware contexts: an address space, and one engine context for
 * each engine of the context's map, made when first used.
 * Called with the shim's lock held unless it says otherwise. */
#ifndef SHIM_HWCTX_H
#define SHIM_HWCTX_H

#include "base/base.h"

struct drm_file;
struct engine_context;
struct space;

struct hwctx_engine {
    uint16_t engine_class, instance; /* as in I915_ENGINE_CLASS_* */
    struct engine_context *hw;
};

struct hw_context {
    atomic_uint refs;
    struct space *space;
    struct hwctx_engine *engines;
    unsigned engine_count;
    bool user_map; /* engines came from I915_CONTEXT_PARAM_ENGINES */
    bool recoverable, bannable, persistent, no_error_capture;
    int32_t priority;
    uint32_t resets_seen; /* batches of engine contexts that are gone */
};

/* In the file's default space; NULL: out of memory. */
struct hw_context *hwctx_create(struct drm_file *file);
struct hw_context *hwctx_ref(struct hw_context *ctx);
void hwctx_unref(struct hw_context *ctx); /* lock not needed, NULL is fine */
/* The context of an id (0: the file's default), not referenced. */
struct hw_context *hwctx_find(struct drm_file *file, uint32_t id);
/* The space that files' contexts share unless told otherwise. */
struct space *hwctx_default_space(struct drm_file *file);

/* Replace what the context runs on; state of the engines is lost. */
void hwctx_set_space(struct hw_context *ctx, struct space *space);
int hwctx_set_engines(struct hw_context *ctx,
                      const struct hwctx_engine *engines, unsigned count);
/* The engine that an execbuffer's flags select; NULL: none such. */
struct hwctx_engine *hwctx_engine(struct hw_context *ctx, uint64_t flags);
/* Its engine context, NULL: out of memory. */
struct engine_context *hwctx_hw(struct hw_context *ctx,
                                struct hwctx_engine *engine);
void hwctx_resets(struct hw_context *ctx, uint32_t *active, uint32_t *pending);

#endif
