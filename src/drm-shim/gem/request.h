/* request.h: requests: batches from the ioctl to the end of their execution.
 *
 * Ioctl handlers build and submit a request on the client's thread; the engine
 * calls request_wait(), request_ready() and request_done() on its own. A
 * request holds references to all that its batch needs. No lock is held unless
 * a function says so. */
#ifndef DRM_SHIM_GEM_REQUEST_H
#define DRM_SHIM_GEM_REQUEST_H

#include "base/base.h"
#include "engine/engine.h"

struct bo;
struct drm_file;
struct drm_i915_gem_execbuffer2;
struct drm_i915_gem_exec_object2;
struct fence;
struct gem_context;
struct syncobj;

struct request_signal {
    struct syncobj *obj;
    uint64_t point; /* 0: binary */
};

#define REQUEST_FEW 8

struct request {
    struct gem_context *ctx;
    struct engine_context *hw;
    enum engine_ring ring;
    unsigned engine_class;
    struct drm_i915_gem_exec_object2 *objects; /* the library's copy */
    struct bo **bos;
    unsigned object_count;
    uint64_t batch_va, batch_B;
    uint64_t *users; /* addresses of userptr objects */
    unsigned user_count;
    struct fence **waits;
    unsigned wait_count;
    struct request_signal *signals;
    unsigned signal_count;
    struct fence *fence; /* the end of this batch */
    struct request_signal few_signals[REQUEST_FEW];
    uint64_t behind[]; /* objects and bos */
};

/* With room for object_count objects; NULL: out of memory. */
struct request *request_create(unsigned object_count);

/* Takes over the reference, even when it fails; NULL is allowed. */
bool request_add_wait(struct request *request, struct fence *fence);
void request_free(struct request *request);
/* Callbacks of the engine. */
void request_wait(void *data);
bool request_ready(void *data);
void request_done(void *data, enum engine_result result);
/* Reads the client's fences into waits and signals. 0 or -errno. */
int request_read_fences(struct drm_file *file, struct request *request,
                        const struct drm_i915_gem_execbuffer2 *eb);
/* Device lock held: collects the waits that the objects imply, and marks the
 * objects as used by the request. */
int request_implicit_waits(struct request *request);
int request_mark_objects(struct request *request);
/* Puts the request's fence into the client's syncobjs. */
void request_signal_syncobjs(struct request *request);
/* Counts the request as submitted; call it before submission. */
void request_begin(void);
/* In the child of fork(): forgets the batches of the parent. */
void request_after_fork(void);
/* Waits for all batches, but gives up on batches whose own waits do not end. */
void request_drain(void);
/* The canonical form of an address: bit 47 copied into the upper bits. */
uint64_t request_canonical(uint64_t va);

#endif
