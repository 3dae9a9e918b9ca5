/* exec.h: a batch between the ioctl and the end of its execution. */
#ifndef SHIM_EXEC_H
#define SHIM_EXEC_H

#include "base/base.h"
#include "engine/engine.h"

struct bo;
struct drm_i915_gem_exec_object2;
struct fence;
struct hw_context;
struct syncobj;

struct job_signal {
    struct syncobj *obj;
    uint64_t point; /* 0: binary */
};

struct job {
    struct hw_context *ctx;
    struct engine_context *hw;
    enum engine_ring ring;
    unsigned engine_class;
    struct drm_i915_gem_exec_object2 *objects; /* our copy */
    struct bo **bos;
    unsigned object_count;
    uint64_t batch_va, batch_B;
    struct fence **waits;
    unsigned wait_count;
    struct job_signal *signals;
    unsigned signal_count;
    struct fence *fence; /* the end of this batch */
};

/* Takes the reference, also when it fails; NULL is fine. */
bool job_add_wait(struct job *job, struct fence *fence);
/* Addresses go to the client with bit 47 spread over the upper bits. */
uint64_t job_canonical(uint64_t va);

#endif
