/* fork_storm.c: a process forks while its threads open the device, submit,
 * make and destroy contexts and objects. Each child does the same with a
 * device of its own, and once with the parent's. */
#include "raw.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>

#define THREADS 3
#define CHILDREN 200
#define CHILD_S 20

static atomic_bool stop;
static atomic_uint wrong;
static int shared_fd;

static int
use_new_device(uint32_t value)
{
    int fd = raw_open();
    int err = fd < 0 ? -errno : raw_use(fd, 0, value);
    if (fd >= 0)
        close(fd);
    return err;
}

static void *
work(void *arg)
{
    uint32_t value = (uint32_t)(uintptr_t)arg << 24;
    int fd = raw_open();
    while (!atomic_load(&stop)) {
        int err = raw_use(fd, 0, ++value);
        if (!err)
            err = use_new_device(++value);
        if (err && !atomic_fetch_add(&wrong, 1))
            printf("# in a thread: %s\n", strerror(-err));
    }
    return NULL;
}

static int
run_child(unsigned i)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        alarm(CHILD_S);
        int err = use_new_device(i + 1);
        if (!err)
            err = raw_use(shared_fd, 0, i + 1);
        _exit(-err);
    }
    return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : status;
}

int
main(void)
{
    pthread_t thread[THREADS];
    int status = 0;
    shared_fd = raw_open();
    raw_ok(shared_fd >= 0, "the device opens");
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)(i + 1));
    for (unsigned i = 0; i < CHILDREN && !status; i++)
        status = run_child(i);
    atomic_store(&stop, true);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    if (status)
        printf("# status %#x\n", (unsigned)status);
    raw_ok(!status, "children of a busy process use the device");
    raw_ok(!atomic_load(&wrong), "its threads are not disturbed");
    return raw_end();
}
