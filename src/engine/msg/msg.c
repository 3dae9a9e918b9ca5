#include "engine/msg/lanes.h"
#include "engine/msg/msg.h"

/* How long a thread of a group runs before the others get a turn. */
#define SLICE_INSNS 20000
/* One thread runs to its end or its first wait; only spinning threads need
 * slices, so the first turn is long. */
#define FIRST_SLICE_INSNS (16 * SLICE_INSNS)

typedef enum eu_msg_result (*msg_fn)(struct thread_env *, struct eu_thread *,
                                     const struct eu_message *);

static enum eu_msg_result
msg_spawner(struct thread_env *env, struct eu_thread *t,
            const struct eu_message *m)
{
    /* End of thread; the URB handle that it gives back is not ours to keep. */
    if (!m->eot)
        unimp("thread spawner message 0x%x", m->desc);
    return EU_MSG_OK;
}

static const struct {
    msg_fn fn;
    const char *name;
} shared_function[16] = {
    [EU_SFID_SAMPLER] = {msg_sampler, "sampler"},
    [EU_SFID_GATEWAY] = {msg_gateway, "gateway"},
    [EU_SFID_RENDER] = {msg_render, "render"},
    [EU_SFID_URB] = {msg_urb, "urb"},
    [EU_SFID_SPAWNER] = {msg_spawner, "spawner"},
    [EU_SFID_CONST] = {msg_const, "const"},
    [EU_SFID_DC0] = {msg_dc0, "dc0"},
    [EU_SFID_PI] = {msg_pixel_interp, "pi"},
    [EU_SFID_DC1] = {msg_dc1, "dc1"},
};

enum eu_msg_result
msg_send(struct eu_thread *thread, const struct eu_message *msg)
{
    struct thread_env *env = thread->user;
    unsigned sfid = msg->sfid & 15;
    trace(msg, "%s desc %08x ex %08x mask %04x mlen %u+%u rlen %u%s",
          shared_function[sfid].name ? shared_function[sfid].name : "?",
          msg->desc, msg->ex_desc, msg->exec_mask, msg->mlen_grf,
          msg->ex_mlen_grf, msg->rlen_grf, msg->eot ? " eot" : "");
    if (!shared_function[sfid].fn) {
        unimp("message to shared function %u, descriptor 0x%08x", sfid,
              msg->desc);
        return EU_MSG_OK;
    }
    return shared_function[sfid].fn(env, thread, msg);
}

eu_send_fn
msg_sender(void)
{
    const struct lane_routines *lanes = lanes_for(cpu_selected());
    return lanes ? lanes->send : msg_send;
}

static bool
fail(struct thread_env *env)
{
    if (env->reset)
        atomic_store(env->reset, true);
    return false;
}

static bool
hung(const struct eu_thread *t)
{
    if (t->insn_count < MSG_HANG_INSNS)
        return false;
    guest_error("kernel still runs after %llu instructions: hang",
                (unsigned long long)t->insn_count);
    return true;
}

bool
msg_go_on(struct eu_thread *thread, struct thread_env *env,
          enum eu_status status)
{
    for (;; status = eu_run(thread, MSG_TURN_INSNS)) {
        switch (status) {
        case EU_FINISHED: return true;
        case EU_FAILED: return fail(env);
        case EU_WAITING:
            guest_error("kernel waits for a notification that nobody sends");
            return fail(env);
        case EU_RUNNING:
            if (hung(thread) || (env->reset && atomic_load(env->reset)))
                return fail(env);
        }
    }
}

bool
msg_launch(const struct eu_launch *launch, struct eu_thread *thread,
           struct thread_env *env, uint32_t dispatch_mask, uint32_t vector_mask)
{
    thread->user = env;
    enum eu_status status = eu_launch_run(launch, thread, dispatch_mask,
                                          vector_mask, MSG_TURN_INSNS);
    return status == EU_FINISHED || msg_go_on(thread, env, status);
}

void
msg_series_begin(struct msg_series *s, const struct eu_launch *launch,
                 struct eu_thread *thread, struct thread_env *env)
{
    *s = (struct msg_series){
        .launch = launch, .thread = thread, .env = env, .left = MSG_TURN_INSNS};
    thread->user = env;
    thread->caught = NULL;
    eu_launch_count_from(thread);
}

void
msg_series_run(struct msg_series *s, uint32_t mask)
{
    struct eu_thread *t = s->thread;
    if (!eu_launch_is_compiled(s->launch)) {
        msg_launch(s->launch, t, s->env, mask, mask);
        return;
    }
    s->finished = eu_launch_quick(s->launch, t, mask, mask, s->finished,
                                  &s->left) == EU_FINISHED;
    if (s->finished)
        return;
    msg_series_end(s);
    msg_go_on(t, s->env, t->status);
}

void
msg_series_end(struct msg_series *s)
{
    uint64_t spent = (uint64_t)(MSG_TURN_INSNS - s->left);
    s->left = MSG_TURN_INSNS;
    if (eu_launch_is_compiled(s->launch))
        eu_launch_count(s->thread, spent, 0, 1);
}

bool
msg_run_thread(struct eu_thread *thread, struct thread_env *env)
{
    return msg_go_on(thread, env, eu_run(thread, MSG_TURN_INSNS));
}

/* When all threads of the group have arrived, each gets its notification. A
 * fence before a barrier is left to this one: see EU_MSG_BARRIER. */
static void
release_barrier(struct eu_thread *threads, unsigned count,
                struct thread_group *group)
{
    if (!group->barrier_arrived ||
        group->barrier_arrived < group->barrier_count)
        return;
    atomic_thread_fence(memory_order_seq_cst);
    group->barrier_arrived -= group->barrier_count;
    for (unsigned i = 0; i < count; i++)
        threads[i].n0[0]++;
}

/* What follows from a thread's turn; false: the group has failed. */
static bool
end_turn(struct eu_thread *threads, unsigned count, struct eu_thread *t,
         struct thread_group *group, struct thread_env *env, unsigned *left)
{
    release_barrier(threads, count, group);
    if (t->status == EU_FINISHED)
        --*left;
    else if (t->status == EU_FAILED || hung(t) ||
             (env->reset && atomic_load(env->reset)))
        return fail(env);
    return true;
}

/* Goes on with the threads that have not finished. */
static bool
finish_group(const struct eu_launch *launch, struct eu_thread *threads,
             unsigned count, struct thread_group *group, struct thread_env *env,
             unsigned left)
{
    /* Threads that were launched have had their long turn. */
    uint64_t slice = launch ? SLICE_INSNS : FIRST_SLICE_INSNS;
    while (left) {
        bool progress = false;
        for (unsigned i = 0; i < count; i++) {
            struct eu_thread *t = &threads[i];
            if (t->status == EU_FINISHED)
                continue;
            if (t->status == EU_WAITING && !t->n0[0])
                continue;
            uint64_t before = t->insn_count;
            enum eu_status s = launch ? eu_launch_resume(launch, t, slice)
                                      : eu_run(t, slice);
            progress |= s != EU_WAITING || t->insn_count != before;
            if (!end_turn(threads, count, t, group, env, &left))
                return false;
        }
        slice = SLICE_INSNS;
        if (!progress) {
            guest_error("%u of %u threads wait at a barrier for ever", left,
                        count);
            return fail(env);
        }
    }
    return true;
}

/* The first turns of the first two of `rest` threads at once; or false. */
static bool
run_two(const struct eu_launch *launch, struct eu_thread *t, unsigned rest,
        uint32_t mask, uint32_t last_mask, struct thread_env *env)
{
    const uint32_t on[2] = {mask, rest > 2 ? mask : last_mask};
    t[0].user = t[1].user = env;
    return eu_launch_run_two(launch, t, on, FIRST_SLICE_INSNS);
}

bool
msg_launch_group(const struct eu_launch *launch, struct eu_thread *threads,
                 unsigned count, uint32_t mask, uint32_t last_mask,
                 struct thread_group *group, struct thread_env *env)
{
    unsigned left = count, begun = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t on = i + 1 < count ? mask : last_mask;
        if (i < begun) {
            /* It has had its turn. */
        } else if (launch->two && i + 1 < count &&
                   run_two(launch, &threads[i], count - i, mask, last_mask,
                           env)) {
            begun = i + 2;
        } else {
            threads[i].user = env;
            eu_launch_run(launch, &threads[i], on, on, FIRST_SLICE_INSNS);
        }
        if (!end_turn(threads, i + 1, &threads[i], group, env, &left))
            return false;
    }
    return finish_group(launch, threads, count, group, env, left);
}

bool
msg_run_group(struct eu_thread *threads, unsigned count,
              struct thread_group *group, struct thread_env *env)
{
    return finish_group(NULL, threads, count, group, env, count);
}
