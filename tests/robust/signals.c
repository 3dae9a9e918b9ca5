/* signals.c: what clients do with signals while the device executes in their
 * threads: block all of them, and install handlers of their own. */
#include "commands.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 60000

static int fd;
static uint32_t batch;
static uint32_t *commands;

/* A batch that stores where nothing is mapped, at another page each time. */
static int
run_fault(void)
{
    static unsigned page;
    uint64_t va = NOWHERE + page++ * UINT64_C(4096);
    put_end(put_store(commands, va, 1));
    int err = submit_commands(fd, 0, batch, 0);
    return err ? err : bo_wait(fd, batch, WAIT_MS);
}

static void *
block_all(void *arg)
{
    sigset_t all, now;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    int bad = 0;
    for (unsigned i = 0; i < 50; i++)
        bad |= run_fault();
    ok(!bad, "a thread that blocks all signals runs a faulting batch");
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    ok(sigismember(&now, SIGSEGV) && sigismember(&now, SIGBUS),
       "and blocks them afterwards");
    return NULL;
}

/* Right after a batch that ran with signals unblocked. */
static void
test_change(void)
{
    sigset_t all, old;
    struct drm_i915_getparam g = {.param = I915_PARAM_CHIPSET_ID,
                                  .value = (int *)0x100000};
    int bad = 0;
    sigfillset(&all);
    for (unsigned i = 0; i < 20; i++) {
        bad |= run_fault();
        if (i % 2)
            pthread_sigmask(SIG_BLOCK, &all, &old);
        else
            sigprocmask(SIG_BLOCK, &all, &old);
        bad |= run_fault();
        bad |= call(fd, DRM_IOCTL_I915_GETPARAM, &g) != -EFAULT;
        sigprocmask(SIG_SETMASK, &old, NULL);
    }
    ok(!bad, "a thread blocks and unblocks all signals between batches");
}

/* On the smallest stack for signals. */
static void
use_signal_stack(void)
{
    static uint8_t space[8192];
    stack_t alternate = {.ss_sp = space, .ss_size = sizeof space};
    sigaltstack(&alternate, NULL);
}

static volatile sig_atomic_t calls;

static void
count_call(int sig)
{
    calls++;
    mprotect(commands, 4096, PROT_READ | PROT_WRITE);
}

/* The handler is called for the client's own faults, and for no others. */
static void
check_handler(const char *what)
{
    calls = 0;
    ok(!run_fault() && !calls, "%s", what);
    mprotect(commands, 4096, PROT_NONE);
    *(volatile uint32_t *)commands = 1;
    ok(calls == 1, "it gets the client's own fault");
}

static void
test_handlers(void)
{
    struct sigaction act = {.sa_handler = count_call, .sa_flags = SA_ONSTACK};
    struct sigaction old;
    use_signal_stack();
    sigaction(SIGSEGV, &act, &old);
    ok(old.sa_handler == SIG_DFL, "the client never sees another handler");
    check_handler("a handler of sigaction() does not get the GPU's faults");
    sigaction(SIGSEGV, NULL, &old);
    ok(old.sa_handler == count_call && !(old.sa_flags & SA_SIGINFO),
       "sigaction() tells the client's handler");
    ok(signal(SIGSEGV, SIG_DFL) == count_call, "signal() tells it, too");
    signal(SIGSEGV, count_call);
    check_handler("nor does a handler of signal()");
}

/* A handler that is installed while a batch runs. */
static void
test_during_batch(void)
{
    uint32_t word = bo_create(fd, 4096);
    volatile uint32_t *w = bo_map(fd, word, 4096);
    put_end(put_store(put_wait(commands, OTHER_VA, 1), 2 * NOWHERE, 1));
    signal(SIGSEGV, SIG_DFL);
    int err = submit_commands(fd, 0, batch, word);
    usleep(50000);
    struct sigaction act = {.sa_handler = count_call};
    calls = 0;
    sigaction(SIGSEGV, &act, NULL);
    *w = 1;
    ok(!err && !bo_wait(fd, batch, WAIT_MS) && !calls,
       "a handler that is installed during a batch does not get its faults");
}

static void
report(int sig)
{
    if (write(1, "# report\n", 9) < 0)
        _exit(1);
}

/* A crash reporter: its handler is called once, then the process dies. */
static void
test_one_shot(void)
{
    pid_t child = fork();
    if (!child) {
        struct sigaction act = {.sa_handler = report,
                                .sa_flags = SA_RESETHAND | SA_NODEFER};
        alarm(20);
        sigaction(SIGSEGV, &act, NULL);
        run_fault();
        mprotect(commands, 4096, PROT_NONE);
        *(volatile uint32_t *)commands = 1;
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
       "a process with a handler for one fault dies of it");
}

int
main(int argc, char **argv)
{
    pthread_t thread;
    fd = open_render();
    batch = bo_create(fd, 4096);
    commands = bo_map(fd, batch, 4096);
    pthread_create(&thread, NULL, block_all, NULL);
    pthread_join(thread, NULL);
    test_change();
    test_handlers();
    if (argc > 1)
        test_during_batch();
    test_one_shot();
    return done_testing();
}
