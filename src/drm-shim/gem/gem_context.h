/* gem_context.h: contexts: an address space, and one engine context for each
 * engine of the context's map, made at first use.
 *
 * Reference counted. With the device lock held unless a function says
 * otherwise. */
#ifndef DRM_SHIM_GEM_GEM_CONTEXT_H
#define DRM_SHIM_GEM_GEM_CONTEXT_H

#include "base/base.h"

struct drm_file;
struct engine_context;
struct ppgtt;

struct gem_context_engine {
    uint16_t engine_class, instance; /* as in I915_ENGINE_CLASS_* */
    struct engine_context *hw;
};

struct gem_context {
    atomic_uint refs;
    struct ppgtt *ppgtt;
    struct gem_context_engine *engines;
    unsigned engine_count;
    bool user_map; /* engines came from I915_CONTEXT_PARAM_ENGINES */
    bool recoverable, bannable, persistent, no_error_capture;
    int32_t priority;
    uint32_t resets_seen; /* resets of engine contexts that are destroyed */
};

/* In the file's default address space; NULL: out of memory. */
struct gem_context *gem_context_create(struct drm_file *file);
struct gem_context *gem_context_ref(struct gem_context *ctx);
void
gem_context_unref(struct gem_context *ctx); /* lock not needed, NULL is fine */
/* The context of an id (0: the file's default), not referenced. */
struct gem_context *gem_context_find(struct drm_file *file, uint32_t id);
/* The address space that a file's contexts share unless told otherwise. */
struct ppgtt *gem_context_default_ppgtt(struct drm_file *file);

/* Replace the address space or the engines; the state of the engines is
 * lost. */
void gem_context_set_ppgtt(struct gem_context *ctx, struct ppgtt *ppgtt);
int gem_context_set_engines(struct gem_context *ctx,
                            const struct gem_context_engine *engines,
                            unsigned count);
/* The engine that the flags of an execbuffer select; NULL: none. */
struct gem_context_engine *gem_context_engine(struct gem_context *ctx,
                                              uint64_t flags);
/* Its engine context, NULL: out of memory. */
struct engine_context *gem_context_hw(struct gem_context *ctx,
                                      struct gem_context_engine *engine);
void gem_context_resets(struct gem_context *ctx, uint32_t *active,
                        uint32_t *pending);

#endif
