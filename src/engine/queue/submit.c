/* submit.c: runs batches, from engine_submit() to done().
 *
 * Every context has a queue and, after its first submission, a thread that runs
 * the queue in order. Contexts take turns on a ring (ring.h).
 * So rings run in parallel and batches of one context in order. A batch that
 * waits for a fence or polls a semaphore blocks only its own context. One
 * thread per ring was rejected: a batch would wait for ever for a fence that a
 * later batch of its ring signals.
 * With no worker threads the submitter executes the batch itself. A thread that
 * waits for a batch of its own takes it from the queue and runs it. */
#include "base/fpmode.h"
#include "base/os_thread.h"
#include "base/own_stack.h"
#include "engine/cs/cs.h"
#include "engine/oa/oa.h"
#include "engine/queue/queue.h"
#include "engine/scope/scope.h"
#include "engine/timeline/timeline.h"
#include "engine/vm/vm.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

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

/* A new epoch before the batch of another context and, where rings run in
 * parallel, also after it. */
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
    struct ring *ring = &engine->ring[submit->ring];
    ctx->turn = ring_acquire(ring);
    ctx->last_report = 0;
    oa_batch(engine, ctx->id, true, 0);
    vm_thread_enter();
    vm_begin_users(ctx->vm, submit->users, submit->user_count);
    ctx->users = submit->users;
    ctx->user_count = submit->user_count;
    trace(submit, "ring %u: batch 0x%llx starts", submit->ring,
          (unsigned long long)submit->batch_va);
    note_context(ctx, submit->ring);
    atomic_fetch_add(&engine->batches, 1);
    ctx->batch++;
    scope_batch(ctx, submit);
    uint64_t begin_ns = timeline_begin();
    enum engine_result result = cs_run(ctx, submit->ring, submit->batch_va);
    timeline_batch(submit, begin_ns);
    note_context(ctx, submit->ring);
    trace(submit, "ring %u: batch 0x%llx ends%s", submit->ring,
          (unsigned long long)submit->batch_va,
          result == ENGINE_OK ? "" : " in a guest error");
    /* Before the signal: who sees it may look for the report. */
    oa_batch(engine, ctx->id, false, ctx->last_report);
    if (!cs_send_signal(ctx))
        vm_copy_users_out(ctx->vm, submit->users, submit->user_count, 0);
    vm_end_users(ctx->vm, submit->users, submit->user_count);
    vm_thread_leave();
    ring_release(ring, ctx->turn);
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

/* Waking the context's thread and waiting for it costs more than most batches.
 * A client that ran its last few batches itself (engine_help()) is expected to
 * do so again. Then nothing wakes the thread; it polls the queue from time to
 * time. */
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

/* Whether wait() would return at once. */
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
    pthread_sigmask(SIG_SETMASK, &block, &old);
    pthread_t thread;
    atomic_fetch_add(&ctx->refs, 1);
    ctx->has_thread = !thread_start(&thread, true, context_main, ctx);
    if (!ctx->has_thread)
        atomic_fetch_sub(&ctx->refs, 1);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ctx->has_thread;
}

/* Its address identifies the thread. */
static __thread char this_thread __attribute__((tls_model("initial-exec")));

static bool
enqueue(struct engine_context *ctx, const struct engine_submit *submit)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return false;
    job->submit = *submit;
    pthread_mutex_lock(&ctx->engine->lock);
    /* Else engine_run() numbers the submission. */
    bool ok = ctx->has_thread || start_thread_locked(ctx);
    if (ok) {
        scope_submit(&job->submit);
        timeline_submit(&job->submit);
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

/* A batch that runs in a thread of the application. */
struct foreign_run {
    struct engine_context *ctx;
    struct job *job; /* from the queue, or NULL: submit */
    const struct engine_submit *submit;
};

static void
run_on_own_stack(void *data)
{
    const struct foreign_run *run = data;
    if (run->job) {
        run_job(run->ctx, run->job);
        return;
    }
    if (run->submit->wait)
        run->submit->wait(run->submit->data);
    pthread_mutex_lock(&run->ctx->exec);
    execute(run->submit);
    pthread_mutex_unlock(&run->ctx->exec);
}

static void
run_foreign(struct foreign_run *run)
{
    sigset_t mask;
    bool changed = vm_unblock_faults(&mask);
    own_stack_call(run_on_own_stack, run);
    if (changed)
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Fails without worker threads, or if the context's thread cannot be started.
 */
bool
engine_enqueue(struct engine *engine, const struct engine_submit *submit)
{
    return engine->config.threads && enqueue(submit->ctx, submit);
}

void
engine_run(const struct engine_submit *submit)
{
    struct engine_submit numbered = *submit;
    struct foreign_run run = {.ctx = submit->ctx, .submit = &numbered};
    scope_submit(&numbered);
    timeline_submit(&numbered);
    run_foreign(&run);
}

void
engine_submit(struct engine *engine, const struct engine_submit *submit)
{
    if (!engine_enqueue(engine, submit))
        engine_run(submit);
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
    if (!engine->config.threads)
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
    struct foreign_run run = {.ctx = ctx, .job = job};
    run_foreign(&run);
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
queue_drain(struct engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    /* A fence that never signals must not keep the process from ending: when
     * only waiting jobs are left, drop them. */
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
}

void
submit_after_fork(struct engine_context *ctx)
{
    /* Jobs and their data belong to the parent. */
    ctx->head = ctx->tail = NULL;
    ctx->queued = 0;
    ctx->in_wait = ctx->in_hand = ctx->looks = false;
    ctx->helped = 0;
    /* Leak it: a draw of the parent may have been using it. */
    ctx->draw_memory = NULL;
    ctx->draw_held = ctx->draw_waits = false;
    if (ctx->has_thread) {
        ctx->has_thread = false;
        atomic_fetch_sub(&ctx->refs, 1);
    }
    pthread_mutex_init(&ctx->exec, NULL);
    pthread_cond_init(&ctx->work, NULL);
}
