/* job.h: a batch between the ioctl and the end of its execution. */
#ifndef SHIM_JOB_H
#define SHIM_JOB_H

#include "base/base.h"
#include "engine/engine.h"

struct bo;
struct drm_file;
struct drm_i915_gem_execbuffer2;
struct drm_i915_gem_exec_object2;
struct fence;
struct hw_context;
struct syncobj;

struct job_signal {
    struct syncobj *obj;
    uint64_t point; /* 0: binary */
};

#define JOB_FEW 8

struct job {
    struct hw_context *ctx;
    struct engine_context *hw;
    enum engine_ring ring;
    unsigned engine_class;
    struct drm_i915_gem_exec_object2 *objects; /* our copy */
    struct bo **bos;
    unsigned object_count;
    uint64_t batch_va, batch_B;
    uint64_t *users; /* where objects are that are the client's memory */
    unsigned user_count;
    struct fence **waits;
    unsigned wait_count;
    struct job_signal *signals;
    unsigned signal_count;
    struct fence *fence; /* the end of this batch */
    struct job_signal few_signals[JOB_FEW];
    uint64_t behind[]; /* objects and bos */
};

/* With room for so many objects; NULL: out of memory. */
struct job *job_create(unsigned object_count);

/* Takes the reference, also when it fails; NULL is fine. */
bool job_add_wait(struct job *job, struct fence *fence);
void job_free(struct job *job);
/* What the engine calls. */
void job_wait(void *data);
bool job_ready(void *data);
void job_done(void *data, enum engine_result result);
/* The client's fences into waits and signals. 0 or -errno. */
int job_read_fences(struct drm_file *file, struct job *job,
                    const struct drm_i915_gem_execbuffer2 *eb);
/* Lock held: what the objects make it wait for; marks them as used by it. */
int job_implicit_waits(struct job *job);
int job_mark_objects(struct job *job);
/* Puts the job's fence where the client wants it. */
void job_signal_syncobjs(struct job *job);
/* Counts the job that is about to be submitted. */
void job_begin(void);
/* In the child of fork(): the parent's batches are not waited for. */
void job_after_fork(void);
/* Waits for all batches; gives up on those that wait for something that does
 * not come. */
void job_drain(void);
/* Addresses go to the client with bit 47 spread over the upper bits. */
uint64_t job_canonical(uint64_t va);

#endif
