/* turns.c: a context that runs for long, or for ever, does not keep other
 * contexts from running. */
#include "commands.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define SIZE_B ((uint64_t)1 << 20)
#define WAIT_MS 120000
#define OTHERS 4
/* Commands of a loop that may run for minutes, and of one that hangs. */
#define LONG 5000
#define SHORT 20

/* With a file of its own, and so with addresses of its own. */
struct job {
    int fd;
    uint32_t context, commands;
    uint32_t *dw;
    int result;
    pthread_t thread;
};

static struct job
make_job(void)
{
    struct job j = {.fd = open_render()};
    j.context = context_create(j.fd);
    j.commands = bo_create(j.fd, SIZE_B);
    j.dw = bo_map(j.fd, j.commands, SIZE_B);
    return j;
}

static void *
run_job(void *data)
{
    struct job *j = data;
    j->result = submit_commands(j->fd, j->context, j->commands, 0);
    if (!j->result)
        j->result = bo_wait(j->fd, j->commands, WAIT_MS);
    return NULL;
}

/* Commands that take long, as each of them faults, over and over. */
static void
put_loop(uint32_t *dw, unsigned count)
{
    uint32_t *m = dw;
    for (unsigned i = 0; i < count; i++)
        m = put_store(m, NOWHERE + i * SIZE_B, 1);
    *m++ = 0x31 << 23 | 1 << 8 | 1; /* MI_BATCH_BUFFER_START */
    *m++ = (uint32_t)COMMANDS_VA;
    *m++ = 0;
}

static void
start_loop(struct job *j, unsigned count)
{
    put_loop(j->dw, count);
    pthread_create(&j->thread, NULL, run_job, j);
    while (!bo_busy(j->fd, j->commands))
        sleep_ms(1);
    sleep_ms(100);
}

/* Batches are read while they run: the next turn of the loop ends. */
static void
end_loop(struct job *j)
{
    atomic_store((_Atomic uint32_t *)j->dw, 0x05000000);
    pthread_join(j->thread, NULL);
    ok(!j->result && !count_resets(j->fd, j->context),
       "it ends without a reset");
}

static void
test_turns(void)
{
    struct job hog = make_job();
    start_loop(&hog, LONG);
    for (unsigned i = 0; i < OTHERS; i++) {
        struct job other = make_job();
        int bad = 0;
        put_end(other.dw);
        for (unsigned k = 0; k < 10; k++) {
            run_job(&other);
            bad |= other.result;
        }
        ok(!bad && bo_busy(hog.fd, hog.commands),
           "context %u runs batches while another one goes on", i);
    }
    end_loop(&hog);
}

/* Several at a time. */
static void
test_many(void)
{
    struct job hogs[OTHERS], other = make_job();
    for (unsigned i = 0; i < OTHERS; i++) {
        hogs[i] = make_job();
        start_loop(&hogs[i], LONG);
    }
    put_end(other.dw);
    run_job(&other);
    bool busy = true;
    for (unsigned i = 0; i < OTHERS; i++)
        busy &= bo_busy(hogs[i].fd, hogs[i].commands);
    ok(!other.result && busy, "a context runs beside many");
    for (unsigned i = 0; i < OTHERS; i++)
        end_loop(&hogs[i]);
}

/* Nobody ends it. */
static void
test_endless(void)
{
    struct job j = make_job(), other = make_job();
    start_loop(&j, SHORT);
    pthread_join(j.thread, NULL);
    ok(!j.result && count_resets(j.fd, j.context) == 1,
       "a batch that loops for ever is reset");
    put_end(other.dw);
    run_job(&other);
    ok(!other.result && !count_resets(other.fd, other.context),
       "and no other context");
}

int
main(void)
{
    test_turns();
    test_many();
    test_endless();
    return done_testing();
}
