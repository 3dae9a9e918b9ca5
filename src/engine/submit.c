/* submit.c: the way of a batch from engine_submit() to done().
 *
 * Every context has a queue and, once it is used, a thread that runs it in
 * order; a ring is a lock that one of them holds while it executes. So rings
 * run in parallel, batches of one context in order, and a batch that waits for
 * a fence or polls a semaphore holds up its own context only. (One thread per
 * ring was rejected: fences that a later batch of the same ring signals would
 * never come.)  With no worker threads the submitter does it all. A thread
 * that waits for a batch of its own takes it from the queue and runs it. */
#include "base/fpmode.h"
#include "engine/cs/cs.h"
#include "engine/engine.h"
#include "engine/state.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

void
submit_ring_acquire(struct engine *engine, enum engine_ring ring)
{
    pthread_mutex_lock(&engine->ring[ring]);
}

void
submit_ring_release(struct engine *engine, enum engine_ring ring)
{
    pthread_mutex_unlock(&engine->ring[ring]);
}

/* The context starts again from power-on state, as after a GPU reset. */
static void
count_reset(struct engine_context *ctx)
{
    stats_add(STAT_resets, 1);
    atomic_fetch_add(&ctx->resets_active, 1);
    context_init_state(ctx);
    pthread_mutex_lock(&ctx->engine->lock);
    unsigned behind = 0;
    for (const struct job *job = ctx->head; job; job = job->next)
        behind++;
    pthread_mutex_unlock(&ctx->engine->lock);
    atomic_fetch_add(&ctx->resets_pending, behind);
}

/* Before a context's batch and, where rings run in parallel, behind it. */
static void
note_context(struct engine_context *ctx, enum engine_ring ring)
{
    struct engine *engine = ctx->engine;
    if (ring != ENGINE_RCS || atomic_exchange(&engine->last, ctx) != ctx)
        atomic_fetch_add(&engine->epoch, 1);
}

static void
execute(const struct engine_submit *submit)
{
    struct engine_context *ctx = submit->ctx;
    struct engine *engine = ctx->engine;
    stats_add(STAT_submits, 1);
    vm_keep_handler();
    uint32_t csr = fpmode_get();
    fpmode_set(FPMODE_DEFAULT);
    submit_ring_acquire(engine, submit->ring);
    vm_thread_enter();
    vm_begin_users(ctx->vm, submit->users, submit->user_count);
    trace(submit, "ring %u: batch 0x%llx starts", submit->ring,
          (unsigned long long)submit->batch_va);
    note_context(ctx, submit->ring);
    enum engine_result result = cs_run(ctx, submit->ring, submit->batch_va);
    note_context(ctx, submit->ring);
    trace(submit, "ring %u: batch 0x%llx ends%s", submit->ring,
          (unsigned long long)submit->batch_va,
          result == ENGINE_OK ? "" : " in a guest error");
    vm_end_users(ctx->vm, submit->users, submit->user_count);
    vm_thread_leave();
    submit_ring_release(engine, submit->ring);
    fpmode_set(csr);
    if (result != ENGINE_OK)
        count_reset(ctx);
    if (submit->done)
        submit->done(submit->data, result);
}

/* ---- the context's thread -------------------------------------------- */

static bool
all_idle_locked(const struct engine *engine, bool or_waiting)
{
    for (const struct engine_context *c = engine->contexts; c; c = c->next)
        if (c->queued && !(or_waiting && c->in_wait))
            return false;
    return true;
}

static struct job *
take_job_locked(struct engine_context *ctx)
{
    struct job *job = ctx->head;
    ctx->head = job->next;
    if (!ctx->head)
        ctx->tail = NULL;
    ctx->in_hand = true;
    return job;
}

static void
end_job_locked(struct engine_context *ctx)
{
    ctx->in_hand = false;
    if (--ctx->queued == 0 || ctx->queued == ENGINE_QUEUE_MAX / 2)
        pthread_cond_broadcast(&ctx->engine->idle);
}

/* To wake the thread and to wait for it costs more than most batches. A client
 * that has waited for each of the last few batches at once, and run them
 * meanwhile (engine_help()), will do so again: then the thread is not woken
 * but looks from time to time whether it is needed after all. */
#define HELPED_MIN 4
#define LOOK_NS 500000
#define LOOKS_MAX 20

static void
wait_for_work_locked(struct engine_context *ctx)
{
    if (!ctx->looks) {
        pthread_cond_wait(&ctx->work, &ctx->engine->lock);
        return;
    }
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += LOOK_NS;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    pthread_cond_clockwait(&ctx->work, &ctx->engine->lock, CLOCK_MONOTONIC,
                           &at);
}

/* NULL: the context is closed. */
static struct job *
next_job_locked(struct engine_context *ctx)
{
    for (unsigned idle = 0;;) {
        unsigned helped = ctx->helped;
        ctx->looks = helped >= HELPED_MIN && idle < LOOKS_MAX && !ctx->closing;
        struct job *job = ctx->in_hand ? NULL : ctx->head;
        if (job && (!ctx->looks || job->seen || job->next))
            break;
        if (!ctx->head && ctx->closing)
            return NULL;
        if (job)
            job->seen = true;
        wait_for_work_locked(ctx);
        idle = ctx->helped == helped ? idle + 1 : 0;
    }
    ctx->looks = false;
    ctx->helped = 0;
    return take_job_locked(ctx);
}

/* Whether wait() is known to return at once. */
static bool
is_ready(const struct engine_submit *submit)
{
    return submit->ready && submit->ready(submit->data);
}

static void
run_job(struct engine_context *ctx, struct job *job)
{
    struct engine *engine = ctx->engine;
    const struct engine_submit *s = &job->submit;
    bool drop = false;
    if (s->wait && !is_ready(s)) {
        pthread_mutex_lock(&engine->lock);
        ctx->in_wait = true;
        pthread_cond_broadcast(&engine->idle);
        pthread_mutex_unlock(&engine->lock);
        s->wait(s->data);
        pthread_mutex_lock(&engine->lock);
        ctx->in_wait = false;
        drop = engine->dead;
        pthread_mutex_unlock(&engine->lock);
    }
    if (!drop) {
        pthread_mutex_lock(&ctx->exec);
        execute(s);
        pthread_mutex_unlock(&ctx->exec);
    }
    free(job);
}

static void *
context_main(void *arg)
{
    struct engine_context *ctx = arg;
    struct engine *engine = ctx->engine;
    pthread_mutex_lock(&engine->lock);
    struct job *job;
    while ((job = next_job_locked(ctx))) {
        pthread_mutex_unlock(&engine->lock);
        run_job(ctx, job);
        pthread_mutex_lock(&engine->lock);
        end_job_locked(ctx);
    }
    ctx->has_thread = false;
    pthread_cond_broadcast(&engine->idle);
    pthread_mutex_unlock(&engine->lock);
    context_unref(ctx);
    return NULL;
}

static bool
start_thread_locked(struct engine_context *ctx)
{
    /* The application's signals are for its own threads. */
    sigset_t block, old;
    sigfillset(&block);
    static const int synchronous[] = {SIGSEGV, SIGBUS,  SIGFPE,
                                      SIGILL,  SIGTRAP, SIGABRT};
    for (unsigned i = 0; i < ARRAY_SIZE(synchronous); i++)
        sigdelset(&block, synchronous[i]);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &block, &old);
    pthread_t thread;
    atomic_fetch_add(&ctx->refs, 1);
    ctx->has_thread = pthread_create(&thread, &attr, context_main, ctx) == 0;
    if (!ctx->has_thread)
        atomic_fetch_sub(&ctx->refs, 1);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return ctx->has_thread;
}

/* What tells threads apart. */
static __thread char this_thread __attribute__((tls_model("initial-exec")));

static bool
enqueue(struct engine_context *ctx, const struct engine_submit *submit)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return false;
    job->submit = *submit;
    pthread_mutex_lock(&ctx->engine->lock);
    bool ok = ctx->has_thread || start_thread_locked(ctx);
    if (ok) {
        if (ctx->tail)
            ctx->tail->next = job;
        else
            ctx->head = job;
        ctx->tail = job;
        ctx->queued++;
        ctx->submitter = &this_thread;
        if (!ctx->looks || ctx->head != job)
            pthread_cond_signal(&ctx->work);
    }
    pthread_mutex_unlock(&ctx->engine->lock);
    if (!ok)
        free(job);
    return ok;
}

void
engine_submit(struct engine *engine, const struct engine_submit *submit)
{
    struct engine_context *ctx = submit->ctx;
    if (engine->config.threads && enqueue(ctx, submit))
        return;
    /* No threads, or none to be had: do it here. */
    if (submit->wait)
        submit->wait(submit->data);
    pthread_mutex_lock(&ctx->exec);
    execute(submit);
    pthread_mutex_unlock(&ctx->exec);
}

static bool
has_room_locked(const struct engine_context *ctx, unsigned most)
{
    return ctx->queued <= most || ctx->in_wait || ctx->engine->dead;
}

void
engine_throttle(struct engine_context *ctx)
{
    struct engine *engine = ctx->engine;
    if (!engine->config.threads)
        return;
    pthread_mutex_lock(&engine->lock);
    if (!has_room_locked(ctx, ENGINE_QUEUE_MAX))
        while (!has_room_locked(ctx, ENGINE_QUEUE_MAX / 2))
            pthread_cond_wait(&engine->idle, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
}

/* ---- waiting threads ---- */

/* Kernels and clipping want more than the smallest stacks have. */
#define HELP_STACK_B (512 * 1024)

static bool
has_stack(void)
{
    static __thread uintptr_t lowest __attribute__((tls_model("initial-exec")));
    if (!lowest) {
        pthread_attr_t attr;
        void *stack;
        size_t size_B;
        if (pthread_getattr_np(pthread_self(), &attr))
            return false;
        pthread_attr_getstack(&attr, &stack, &size_B);
        pthread_attr_destroy(&attr);
        lowest = (uintptr_t)stack;
    }
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here > lowest && here - lowest >= HELP_STACK_B;
}

static struct engine_context *
find_own_locked(struct engine *engine)
{
    for (struct engine_context *c = engine->contexts; c; c = c->next)
        if (c->submitter == &this_thread && c->head && !c->in_hand &&
            is_ready(&c->head->submit))
            return c;
    return NULL;
}

bool
engine_help(struct engine *engine)
{
    if (!engine->config.threads || !has_stack())
        return false;
    pthread_mutex_lock(&engine->lock);
    struct engine_context *ctx = find_own_locked(engine);
    struct job *job = NULL;
    if (ctx) {
        atomic_fetch_add(&ctx->refs, 1);
        job = take_job_locked(ctx);
    }
    pthread_mutex_unlock(&engine->lock);
    if (!job)
        return false;
    run_job(ctx, job);
    pthread_mutex_lock(&engine->lock);
    ctx->helped++;
    end_job_locked(ctx);
    if (ctx->head || ctx->closing)
        pthread_cond_signal(&ctx->work);
    pthread_mutex_unlock(&engine->lock);
    context_unref(ctx);
    return true;
}

/* ---- the end ---------------------------------------------------------- */

void
engine_idle(struct engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    while (!all_idle_locked(engine, false))
        pthread_cond_wait(&engine->idle, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
}

static bool
any_thread_locked(const struct engine *engine)
{
    for (const struct engine_context *c = engine->contexts; c; c = c->next)
        if (c->has_thread && !c->in_wait)
            return true;
    return false;
}

void
engine_destroy(struct engine *engine)
{
    if (!engine)
        return;
    pthread_mutex_lock(&engine->lock);
    /* A job whose fence never comes must not keep the process from ending:
     * when nothing but waiting is left, the waiting jobs are dropped. */
    while (!all_idle_locked(engine, true))
        pthread_cond_wait(&engine->idle, &engine->lock);
    struct timespec grace;
    clock_gettime(CLOCK_REALTIME, &grace);
    grace.tv_sec++;
    while (!all_idle_locked(engine, false))
        if (pthread_cond_timedwait(&engine->idle, &engine->lock, &grace))
            break;
    engine->dead = true;
    pthread_cond_broadcast(&engine->idle);
    for (struct engine_context *c = engine->contexts; c; c = c->next) {
        c->closing = true;
        pthread_cond_signal(&c->work);
    }
    while (any_thread_locked(engine))
        pthread_cond_wait(&engine->idle, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
    target_forget(engine);
    engine_unref(engine);
}

void
submit_after_fork(struct engine_context *ctx)
{
    /* Jobs belong to the parent; what they refer to stays with them. */
    ctx->head = ctx->tail = NULL;
    ctx->queued = 0;
    ctx->in_wait = ctx->in_hand = ctx->looks = false;
    ctx->helped = 0;
    /* Left as it is: a draw of the parent may have been using it. */
    ctx->draw_memory = NULL;
    ctx->draw_held = ctx->draw_waits = false;
    if (ctx->has_thread) {
        ctx->has_thread = false;
        atomic_fetch_sub(&ctx->refs, 1);
    }
    pthread_mutex_init(&ctx->exec, NULL);
    pthread_cond_init(&ctx->work, NULL);
}
