/* thread.h: starts and resumes EU threads, for every stage: one thread, a
 * series in one struct eu_thread, or a group that shares local memory and a
 * barrier. Called by geom/, raster/ and compute/ on any worker; the caller owns
 * all structs. Guest errors and hangs set *env->reset. */
#ifndef ENGINE_THREAD_THREAD_H
#define ENGINE_THREAD_THREAD_H

#include "engine/state/thread_env.h"

/* Instructions a thread runs between two checks for a hang: some
 * milliseconds. */
#define THREAD_TURN_INSNS 8000000

/* Runs a thread that shares nothing with others. False: it did not finish. */
bool thread_launch(const struct eu_launch *launch, struct eu_thread *thread,
                   struct thread_env *env, uint32_t dispatch_mask,
                   uint32_t vector_mask);
/* A series: many threads, one after the other in one struct eu_thread, between
 * eu_launch_begin() and eu_launch_end(). Unchanged register contents are not
 * written again, and instructions are counted once. */
struct thread_series {
    const struct eu_launch *launch;
    struct eu_thread *thread;
    struct thread_env *env;
    int64_t left;  /* budget of compiled threads */
    bool finished; /* the last thread finished in compiled code */
};
void thread_series_begin(struct thread_series *s,
                         const struct eu_launch *launch,
                         struct eu_thread *thread, struct thread_env *env);
void thread_series_run(struct thread_series *s, uint32_t mask);
void thread_series_end(struct thread_series *s);
/* Continues a thread that has run up to `status`. False: it did not finish. */
bool thread_go_on(struct eu_thread *thread, struct thread_env *env,
                  enum eu_status status);
/* Runs a thread that eu_thread_init() prepared. False: it did not finish. */
bool thread_run(struct eu_thread *thread, struct thread_env *env);

/* Runs a group of `count` threads in turns until all have finished. A thread
 * that waits at a barrier yields to the others. */
bool thread_launch_group(const struct eu_launch *launch,
                         struct eu_thread *threads, unsigned count,
                         uint32_t mask, uint32_t last_mask,
                         struct thread_group *group, struct thread_env *env);
/* A series of groups, whose threads do not wait for each other: one group after
 * the other in the same structs, between eu_launch_begin() and
 * eu_launch_end(), with a compiled launch. Unchanged registers are not written
 * again. Instructions are counted at its end, as the first thread's. */
struct thread_group_series {
    const struct eu_launch *launch;
    struct eu_thread *threads;
    unsigned count;
    uint32_t mask, last_mask;
    struct thread_group *group;
    struct thread_env *env;
    int64_t left;  /* budget of compiled threads */
    bool unmasked; /* the masks allow unmasked code */
    bool finished; /* all of the last group finished in compiled code, and left
                      registers that the kernel does not write as they were */
};
/* The caller sets the first members. */
void thread_group_series_begin(struct thread_group_series *s);
/* False: the group did not finish. */
bool thread_group_series_run(struct thread_group_series *s);
void thread_group_series_end(struct thread_group_series *s);
/* Runs a group of threads that eu_thread_init() prepared. */
bool thread_run_group(struct eu_thread *threads, unsigned count,
                      struct thread_group *group, struct thread_env *env);

#endif
