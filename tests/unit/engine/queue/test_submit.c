/* test_submit.c: queues: order, fences, resets, destruction. */
#include "engine/timeline/timeline_file.h"
#include "rig.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct rig rig;

static void
setup(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9, .threads = 2});
}

static void
teardown(void)
{
    rig_finish(&rig);
}

TestSuite(submit, .init = setup, .fini = teardown, .timeout = 20);

static void
pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

struct event {
    atomic_bool open;
    atomic_uint submitted;
    atomic_uint done;
    atomic_uint errors;
};

static void
wait_open(void *data)
{
    struct event *e = data;
    while (!atomic_load(&e->open))
        pause_ms(1);
}

static bool
is_open(void *data)
{
    struct event *e = data;
    return atomic_load(&e->open);
}

static void
count_done(void *data, enum engine_result result)
{
    struct event *e = data;
    atomic_fetch_add(&e->done, 1);
    if (result != ENGINE_OK)
        atomic_fetch_add(&e->errors, 1);
}

static void
submit(struct engine_context *ctx, uint64_t va, struct event *event, bool wait)
{
    engine_submit(rig.engine, &(struct engine_submit){
                                  .ctx = ctx,
                                  .batch_va = va,
                                  .wait = wait ? wait_open : NULL,
                                  .ready = is_open,
                                  .done = count_done,
                                  .data = event,
                              });
}

/* R0 = R0 * 2 + n, ten times: the result depends on the order. */
static void
emit_ordered_batches(void)
{
    for (unsigned n = 0; n < 10; n++) {
        rig_at(&rig, RIG_BATCH + n * 256);
        EMIT(&rig, LRI(GPR(1), n), 0x0d000000 | (8 - 1), 0x08008000, 0x08008400,
             0x10000000, 0x18000031, 0x08008000, 0x08008401, 0x10000000,
             0x18000031, SRM(GPR(0), RIG_DATA), BBE);
    }
}

Test(submit, batches_of_a_context_run_in_order)
{
    struct event e = {0};
    emit_ordered_batches();
    uint32_t expect = 0;
    for (unsigned n = 0; n < 10; n++) {
        submit(rig.ctx, RIG_BATCH + n * 256, &e, false);
        expect = expect * 2 + n;
    }
    engine_idle(rig.engine);
    cr_assert_eq(atomic_load(&e.done), 10);
    cr_assert_eq(atomic_load(&e.errors), 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), expect);
}

Test(submit, who_waits_runs_batches_in_their_order)
{
    struct event e = {.open = true};
    emit_ordered_batches();
    uint32_t expect = 0;
    for (unsigned i = 0; i < 3000; i++) {
        submit(rig.ctx, RIG_BATCH + i % 10 * 256, &e, false);
        expect = expect * 2 + i % 10;
        while (i % 7 && engine_help(rig.engine))
            ;
    }
    engine_idle(rig.engine);
    cr_assert_eq(atomic_load(&e.done), 3000);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), expect);
}

/* The context's thread runs the batch without help, woken or not. */
Test(submit, who_has_waited_need_not_do_so_again)
{
    struct event e = {.open = true};
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    unsigned helped = 0;
    while (helped < 20) {
        submit(rig.ctx, RIG_BATCH, &e, false);
        helped = engine_help(rig.engine) ? helped + 1 : 0;
        /* Wait for the batch that the thread has begun. Otherwise the queue
         * grows faster than a slow build empties it, and no batch is left to
         * help with. */
        if (!helped)
            engine_idle(rig.engine);
    }
    unsigned before = atomic_load(&e.done);
    submit(rig.ctx, RIG_BATCH, &e, false);
    while (atomic_load(&e.done) == before)
        pause_ms(1);
}

Test(submit, nobody_helps_past_a_batch_that_waits)
{
    struct event shut = {0}, open = {.open = true};
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    submit(rig.ctx, RIG_BATCH, &shut, true);
    submit(rig.ctx, RIG_BATCH, &open, false);
    cr_assert(!engine_help(rig.engine));
    cr_assert_eq(atomic_load(&open.done), 0);
    atomic_store(&shut.open, true);
    engine_idle(rig.engine);
    cr_assert_eq(atomic_load(&open.done), 1);
}

#define FLOOD (3 * ENGINE_QUEUE_MAX)

/* Submits after a batch that polls memory. */
static void *
flood_main(void *data)
{
    struct event *e = data;
    submit(rig.ctx, RIG_BATCH, e, false);
    for (unsigned n = 1; n < FLOOD; n++) {
        submit(rig.ctx, RIG_BATCH_2, e, false);
        atomic_store(&e->submitted, n + 1);
        engine_throttle(rig.ctx);
    }
    return NULL;
}

Test(submit, who_submits_without_end_waits_for_room)
{
    struct event e = {.open = true};
    pthread_t thread;
    EMIT(&rig, 0x0e00c002, 5, LO(RIG_DATA), 0, BBE); /* waits until it is 5 */
    rig_at(&rig, RIG_BATCH_2);
    EMIT(&rig, SDI(RIG_DATA + 4, 1), BBE);
    pthread_create(&thread, NULL, flood_main, &e);
    while (atomic_load(&e.submitted) <= ENGINE_QUEUE_MAX)
        pause_ms(1);
    pause_ms(20);
    cr_assert_eq(atomic_load(&e.submitted), ENGINE_QUEUE_MAX + 1);
    cr_assert_eq(atomic_load(&e.done), 0);
    *rig_dw(&rig, RIG_DATA) = 5;
    pthread_join(thread, NULL);
    engine_idle(rig.engine);
    cr_assert_eq(atomic_load(&e.done), FLOOD);
    cr_assert_eq(atomic_load(&e.errors), 0);
}

/* The submitter may be the thread that signals the fence. */
Test(submit, nobody_waits_for_room_behind_a_fence)
{
    struct event shut = {0}, open = {.open = true};
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    submit(rig.ctx, RIG_BATCH, &shut, true);
    for (unsigned n = 1; n < FLOOD; n++) {
        submit(rig.ctx, RIG_BATCH, &open, false);
        engine_throttle(rig.ctx);
    }
    cr_assert_eq(atomic_load(&shut.done), 0);
    atomic_store(&shut.open, true);
    engine_idle(rig.engine);
    cr_assert_eq(atomic_load(&open.done), FLOOD - 1);
}

static void *
help_main(void *data)
{
    return (void *)(uintptr_t)engine_help(data);
}

Test(submit, nobody_runs_the_batches_of_others)
{
    struct event e = {.open = true};
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    for (unsigned i = 0; i < 100; i++) {
        pthread_t thread;
        void *helped;
        submit(rig.ctx, RIG_BATCH, &e, false);
        pthread_create(&thread, NULL, help_main, rig.engine);
        pthread_join(thread, &helped);
        cr_assert_null(helped);
    }
    engine_idle(rig.engine);
}

Test(submit, waiting_batch_does_not_hold_up_another_context)
{
    struct engine_context *other = engine_context_create(rig.engine, rig.vm);
    struct event blocked = {0}, free_event = {0};
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    rig_at(&rig, RIG_BATCH_2);
    EMIT(&rig, SDI(RIG_DATA + 4, 2), BBE);
    submit(rig.ctx, RIG_BATCH, &blocked, true);
    submit(other, RIG_BATCH_2, &free_event, false);
    while (!atomic_load(&free_event.done))
        pause_ms(1);
    cr_assert_eq(atomic_load(&blocked.done), 0);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 0);
    atomic_store(&blocked.open, true);
    engine_idle(rig.engine);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1);
    engine_context_destroy(other);
}

Test(submit, batches_behind_a_guest_error_are_counted)
{
    struct event e = {0};
    EMIT(&rig, 0x7fff0000, BBE);
    rig_at(&rig, RIG_BATCH_2);
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    submit(rig.ctx, RIG_BATCH, &e, true);
    submit(rig.ctx, RIG_BATCH_2, &e, false);
    submit(rig.ctx, RIG_BATCH_2, &e, false);
    atomic_store(&e.open, true);
    engine_idle(rig.engine);
    uint32_t active, pending;
    engine_context_resets(rig.ctx, &active, &pending);
    cr_assert_eq(active, 1);
    cr_assert_eq(pending, 2);
    cr_assert_eq(atomic_load(&e.done), 3);
    cr_assert_eq(atomic_load(&e.errors), 1);
}

Test(submit, context_may_be_destroyed_with_work_in_flight)
{
    struct engine_context *ctx = engine_context_create(rig.engine, rig.vm);
    struct event e = {0};
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    submit(ctx, RIG_BATCH, &e, true);
    engine_context_destroy(ctx);
    atomic_store(&e.open, true);
    engine_idle(rig.engine);
    cr_assert_eq(atomic_load(&e.done), 1);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1);
}

Test(submit, rings_of_different_contexts_take_turns_safely)
{
    struct engine_context *ctx[8];
    struct event e = {0};
    EMIT(&rig, 0x17800009 | 1 << 18 | 5 << 8, LO(RIG_DATA), 0, 0, 0, 0, 0, 0, 0,
         0, 0, BBE);
    for (unsigned i = 0; i < 8; i++)
        ctx[i] = engine_context_create(rig.engine, rig.vm);
    for (unsigned n = 0; n < 50; n++)
        for (unsigned i = 0; i < 8; i++)
            submit(ctx[i], RIG_BATCH, &e, false);
    engine_idle(rig.engine);
    cr_assert_eq(atomic_load(&e.done), 400);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 400);
    for (unsigned i = 0; i < 8; i++)
        engine_context_destroy(ctx[i]);
}

Test(submit, destroying_the_engine_drops_what_waits_for_ever)
{
    struct engine *engine = engine_create(
        &(struct engine_config){.gen = 9, .threads = 1});
    struct engine_vm *vm = engine_vm_create(engine);
    struct engine_context *ctx = engine_context_create(engine, vm);
    static struct event e;
    engine_submit(engine, &(struct engine_submit){.ctx = ctx,
                                                  .batch_va = RIG_BATCH,
                                                  .wait = wait_open,
                                                  .done = count_done,
                                                  .data = &e});
    engine_context_destroy(ctx);
    engine_vm_unref(vm);
    engine_destroy(engine);
    atomic_store(&e.open, true);
    pause_ms(20);
    cr_assert_eq(atomic_load(&e.done), 0);
}

Test(submit, child_starts_threads_of_its_own)
{
    struct event e = {0};
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    submit(rig.ctx, RIG_BATCH, &e, false);
    engine_idle(rig.engine);
    *rig_dw(&rig, RIG_DATA) = 0;
    engine_before_fork(rig.engine);
    pid_t pid = fork();
    if (pid == 0) {
        engine_after_fork(rig.engine);
        submit(rig.ctx, RIG_BATCH, &e, false);
        engine_idle(rig.engine);
        engine_destroy(rig.engine);
        _exit(atomic_load(&e.done) == 2 ? 7 : 8);
    }
    engine_after_fork_parent(rig.engine);
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status));
    cr_assert_eq(WEXITSTATUS(status), 7);
    cr_assert_eq(*rig_dw(&rig, RIG_DATA), 1);
}

#ifndef __SANITIZE_ADDRESS__ /* which needs address space itself */
/* The batch then runs in the thread that submits it, and is numbered once. */
Test(submit, a_thread_that_cannot_start_numbers_nothing)
{
    char dir[] = "/tmp/softlake-submit-XXXXXX", path[64];
    struct event e = {0};
    struct rlimit before, none;
    struct timeline_record r;
    cr_assert_not_null(mkdtemp(dir));
    setenv("SOFTLAKE_PROFILE", dir, 1);
    setenv("SOFTLAKE_PROFILE_TIMES", "1", 1);
    EMIT(&rig, SDI(RIG_DATA, 1), BBE);
    const struct engine_submit s = {
        .ctx = rig.ctx, .batch_va = RIG_BATCH, .done = count_done, .data = &e};
    getrlimit(RLIMIT_AS, &before);
    none = before;
    none.rlim_cur = 1; /* no room for a stack */
    cr_assert_eq(setrlimit(RLIMIT_AS, &none), 0);
    bool queued = engine_enqueue(rig.engine, &s);
    setrlimit(RLIMIT_AS, &before);
    cr_assert(!queued);
    engine_run(&s);
    cr_assert_eq(atomic_load(&e.done), 1);
    snprintf(path, sizeof path, TIMELINE_FORMAT, dir);
    FILE *f = fopen(path, "re");
    cr_assert_not_null(f);
    unsigned submits = 0;
    while (fread(&r, sizeof r, 1, f) == 1) {
        submits += r.kind == TIMELINE_SUBMIT;
        cr_assert(r.kind != TIMELINE_SUBMIT || r.batch == 1);
    }
    fclose(f);
    unlink(path);
    rmdir(dir);
    cr_assert_eq(submits, 1);
}
#endif
