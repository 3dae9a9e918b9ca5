/* msg.h: handles SEND messages to the shared functions: sampler, data port,
 * URB, render target, gateway, pixel interpolator. Any worker.
 *
 * Called by EU threads through the stage's send function, which freeze/ sets to
 * msg_sender(). eu_thread.user must be a struct thread_env, which its starter
 * owns. */
#ifndef ENGINE_MSG_H
#define ENGINE_MSG_H

#include "engine/state/thread_env.h"

/* Calls the handler of the shared function by SFID; each handler is in its own
 * file. */
enum eu_msg_result msg_send(struct eu_thread *thread,
                            const struct eu_message *msg);

/* msg_send(), or this processor's faster equivalent (send_fast.h). */
eu_send_fn msg_sender(void);

/* msg_sender(), after counting the message in the stage's counters. */
enum eu_msg_result msg_send_counted(struct eu_thread *thread,
                                    const struct eu_message *msg);

/* For profiles: counts the memory that the message accesses, then handles it.
 */
enum eu_msg_result msg_send_memory(struct eu_thread *thread,
                                   const struct eu_message *msg);

/* For address traces: writes down the message's accesses, if they are wanted.
 */
struct eu_memory_use;
void msg_trace_access(const struct eu_thread *t, const struct eu_message *m,
                      const struct eu_memory_use *u);

/* The send function of stages. watched: by performance queries. */
eu_send_fn msg_stage_sender(bool watched);

/* See struct stage_pixels. */
struct stage_pixels msg_find_pixels(struct thread_env *env,
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
enum eu_msg_result msg_vme(struct thread_env *env, struct eu_thread *t,
                           const struct eu_message *m);
enum eu_msg_result msg_gateway(struct thread_env *env, struct eu_thread *t,
                               const struct eu_message *m);

#endif
