/* msg.h: where a SEND meets the rest: sampler, data port, URB, render target.
 *
 * Every thread that the engine starts has a struct thread_env as its
 * eu_thread.user and msg_send as its send function. Any worker. */
#ifndef ENGINE_MSG_H
#define ENGINE_MSG_H

#include "engine/draw.h"

/* Memory that URB handles index: handle * 64 bytes from base. */
struct urb_space {
    uint8_t *base;
    uint64_t size_B;
};

/* Threads that share SLM and a barrier. */
struct thread_group {
    uint8_t *slm;
    uint32_t slm_B;
    unsigned barrier_count; /* threads that must arrive */
    unsigned barrier_arrived;
};

struct ps_group; /* raster/ */

struct thread_env {
    const struct shader_stage *stage;
    struct engine_vm *vm;
    struct urb_space urb;
    struct thread_group *group; /* NULL outside of compute and HS */
    struct ps_group *ps;        /* PS threads only */
    atomic_bool *reset;
    unsigned worker;
};

/* A kernel that has executed this many instructions in one thread hangs. The
 * longest honest thread met in piglit runs about 10^7. */
#define MSG_HANG_INSNS 400000000
/* How long a thread runs before somebody looks whether it should. */
#define MSG_TURN_INSNS (MSG_HANG_INSNS / 8)

/* Table of shared functions by SFID; each in its own file. */
enum eu_msg_result msg_send(struct eu_thread *thread,
                            const struct eu_message *msg);

/* msg_send(), or what does the same faster on this processor. */
eu_send_fn msg_sender(void);

/* A sampler message that sample_plan.pixels may answer wherever it comes from,
 * in the float mode that is on; plan is NULL if it may not, or has not been
 * sent yet. */
struct msg_pixels {
    const struct sample_plan *plan;
    struct sample_blocks *blocks;
};
struct msg_pixels msg_find_pixels(struct thread_env *env,
                                  const struct eu_message *m);

enum eu_msg_result msg_sampler(struct thread_env *env, struct eu_thread *t,
                               const struct eu_message *m);
enum eu_msg_result msg_render(struct thread_env *env, struct eu_thread *t,
                              const struct eu_message *m);
enum eu_msg_result msg_pixel_interp(struct thread_env *env, struct eu_thread *t,
                                    const struct eu_message *m);
enum eu_msg_result msg_urb(struct thread_env *env, struct eu_thread *t,
                           const struct eu_message *m);
enum eu_msg_result msg_dc0(struct thread_env *env, struct eu_thread *t,
                           const struct eu_message *m);
enum eu_msg_result msg_dc1(struct thread_env *env, struct eu_thread *t,
                           const struct eu_message *m);
enum eu_msg_result msg_const(struct thread_env *env, struct eu_thread *t,
                             const struct eu_message *m);
enum eu_msg_result msg_gateway(struct thread_env *env, struct eu_thread *t,
                               const struct eu_message *m);

/* Runs one thread that shares nothing with others from its beginning to its
 * end; guest errors and exhausted budgets set *env->reset. False if it did not
 * finish. */
bool msg_launch(const struct eu_launch *launch, struct eu_thread *thread,
                struct thread_env *env, uint32_t dispatch_mask,
                uint32_t vector_mask);
/* The same for many, one after the other in the same struct eu_thread, between
 * eu_launch_begin() and _end(): what they find again is not put there again,
 * and what they spend is counted once. */
struct msg_series {
    const struct eu_launch *launch;
    struct eu_thread *thread;
    struct thread_env *env;
    int64_t left;  /* of the budget that those in compiled code share */
    bool finished; /* compiled code has, the last one */
};
void msg_series_begin(struct msg_series *s, const struct eu_launch *launch,
                      struct eu_thread *thread, struct thread_env *env);
void msg_series_run(struct msg_series *s, uint32_t mask);
void msg_series_end(struct msg_series *s);
/* Goes on with a thread that has run for a while, up to `status`. */
bool msg_go_on(struct eu_thread *thread, struct thread_env *env,
               enum eu_status status);
/* The same for a thread that eu_thread_init() made ready. */
bool msg_run_thread(struct eu_thread *thread, struct thread_env *env);

/* Runs `count` threads of one group in turns, until all have finished:
 * a thread that waits at a barrier lets the others go on. */
bool msg_launch_group(const struct eu_launch *launch, struct eu_thread *threads,
                      unsigned count, uint32_t mask, uint32_t last_mask,
                      struct thread_group *group, struct thread_env *env);
/* The same for threads that eu_thread_init() made ready. */
bool msg_run_group(struct eu_thread *threads, unsigned count,
                   struct thread_group *group, struct thread_env *env);

#endif
