/* fuzz_ioctl.c: any bytes as calls of a client on several files of the device.
 *
 * The calls go to ioctl_run(), as from the wrappers. Most arguments are what
 * ioctl_fields.h says of their fields, so that objects are made, shared, bound
 * and submitted; the rest is noise. The first byte says whether a second thread
 * makes half of the calls at the same time. FUZZ_DISPLAY=1 allows a few calls
 * that wait for a vblank; otherwise most of the display's calls return at once.
 * Closing the files ends a run. */
#include "fuzz.h"
#include "ioctl_run.h"

#include "base/os_thread.h"
#include "drm-shim/device/device.h"
#include "drm-shim/ioctl/ioctl.h"

#include <drm.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALLS_MAX 200

static struct device_state device = {.fds.descriptors = true};
static struct caller callers[2];
static sem_t begin, end;

static void *
map_guarded(size_t size_B)
{
    uint8_t *p = mmap(NULL, size_B + 4096, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p, size_B, PROT_READ | PROT_WRITE))
        abort();
    return p;
}

static void
run_caller(struct caller *c)
{
    for (unsigned n = 0; n < CALLS_MAX && c->at < c->end; n++)
        act_run(c);
}

static void *
second_thread(void *unused)
{
    for (;;) {
        while (sem_wait(&begin))
            continue;
        run_caller(&callers[1]);
        sem_post(&end);
    }
    return unused;
}

static void
set_up(void)
{
    pthread_t thread;
    setenv("SOFTLAKE_THREADS", "0", 0);
    setenv("SOFTLAKE_HANG_S", "0.004", 0);
    device.user = map_guarded(USER_B);
    for (unsigned i = 0; i < USER_B / 4; i++)
        ((uint32_t *)device.user)[i] = 0x05000000;
    callers[0].scratch = map_guarded(SCRATCH_B);
    callers[1].scratch = map_guarded(SCRATCH_B);
    sem_init(&begin, 0, 0);
    sem_init(&end, 0, 0);
    if (pthread_create(&thread, NULL, second_thread, NULL))
        abort();
}

static void
open_files(void)
{
    static const int minors[FILES] = {0, 128, 0, 128};
    for (unsigned i = 0; i < FILES; i++) {
        device.fd[i] = device_open(minors[i], O_CLOEXEC | O_NONBLOCK);
        device.file[i] = device_file(device.fd[i]);
    }
    if (!device.file[0])
        abort();
    struct drm_set_client_cap atomic = {DRM_CLIENT_CAP_ATOMIC, 1};
    ioctl_run(device.file[0], DRM_IOCTL_SET_CLIENT_CAP, &atomic);
}

static void
close_files(void)
{
    for (unsigned i = 0; i < MIN2(device.fds.count, POOL); i++)
        close((int)device.fds.value[i]);
    for (unsigned i = 0; i < FILES; i++) {
        if (device.file[i])
            device_file_unref(device.file[i]);
        close(device.fd[i]);
    }
    device.fds.count = device.ids.count = 0;
    device_collect();
}

static void
prepare(struct caller *c, const uint8_t *at, const uint8_t *last)
{
    const char *display = getenv("FUZZ_DISPLAY");
    c->at = at;
    c->end = last;
    c->device = &device;
    c->used_B = 0;
    c->ioctls = 0;
    c->slow_left = display && *display == '1' ? 3 : 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    if (size_B < 4)
        return 0;
    bool both = data[0] & 1;
    const uint8_t *middle = data + (both ? size_B / 2 : size_B);
    open_files();
    prepare(&callers[0], data + 1, middle);
    prepare(&callers[1], middle, data + size_B);
    act_prepare(&callers[0], 0);
    act_prepare(&callers[0], 1);
    if (both)
        sem_post(&begin);
    run_caller(&callers[0]);
    while (both && sem_wait(&end))
        continue;
    close_files();
    fuzz_count("ioctls", callers[0].ioctls + callers[1].ioctls);
    return 0;
}
