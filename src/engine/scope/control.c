/* control.c: reads the FIFO that SOFTLAKE_PROFILE_FIFO names. */
#include "engine/scope/control.h"

#include "base/fork_order.h"
#include "eu/profile/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    bool opened, complained;
    struct profile_control *shared; /* of all processes; NULL: none */
} control = {.lock = PTHREAD_MUTEX_INITIALIZER};

FORK_LOCK(FORK_CONTROL, control.lock)

static void
open_locked(void)
{
    char path[4096];
    control.opened = true;
    snprintf(path, sizeof path, PROFILE_CONTROL_FORMAT,
             getenv("SOFTLAKE_PROFILE"));
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *p = fd < 0 ? MAP_FAILED
                     : mmap(NULL, sizeof *control.shared,
                            PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED)
        control.shared = p;
    if (fd >= 0)
        close(fd);
}

static void
take_command(const char *word, uint32_t *snapshot)
{
    struct profile_control *c = control.shared;
    uint32_t paused = PROFILE_PAUSED, counting = PROFILE_COUNTING;
    if (!strcmp(word, "pause"))
        atomic_compare_exchange_strong(&c->state, &counting, PROFILE_PAUSED);
    else if (!strcmp(word, "resume"))
        atomic_compare_exchange_strong(&c->state, &paused, PROFILE_COUNTING);
    else if (!strcmp(word, "stop"))
        atomic_store(&c->state, PROFILE_STOPPED);
    else if (!strcmp(word, "snapshot"))
        /* Two before one submission are one. */
        *snapshot = *snapshot ? *snapshot
                              : atomic_fetch_add(&c->snapshots, 1) + 1;
    else
        log_printf("profile: --control: no command '%s'\n", word);
}

/* Opened each time: the application may close descriptors that it does not
 * know. The launcher keeps the FIFO, and what is written to it. */
static ssize_t
read_fifo_locked(char *text, size_t size_B)
{
    const char *path = getenv("SOFTLAKE_PROFILE_FIFO");
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && !control.complained)
        log_printf("profile: %s: %s\n", path, strerror(errno));
    control.complained |= fd < 0;
    ssize_t n = fd < 0 ? -1 : read(fd, text, size_B);
    if (fd >= 0)
        close(fd);
    return n;
}

bool
control_read(uint32_t *snapshot)
{
    char text[4096], *rest = NULL;
    pthread_mutex_lock(&control.lock);
    if (!control.opened)
        open_locked();
    ssize_t n = control.shared ? read_fifo_locked(text, sizeof text - 1) : 0;
    text[n > 0 ? n : 0] = 0;
    for (char *word = strtok_r(text, " \t\r\n", &rest); word;
         word = strtok_r(NULL, " \t\r\n", &rest))
        take_command(word, snapshot);
    bool counts = !control.shared ||
                  atomic_load(&control.shared->state) == PROFILE_COUNTING;
    pthread_mutex_unlock(&control.lock);
    return counts;
}
