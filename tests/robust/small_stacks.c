/* small_stacks.c: what wrapped calls take of a thread's stack: at most 4 KiB,
 * whatever they do. The smallest threads have 16 KiB, signal handlers 8 KiB. */
#include "commands.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STACK_B ((size_t)256 << 10)
#define MOST_B 4096
#define PAINT 0xa5
#define WAIT_MS 60000

static int fd;
static uint32_t batch;
static uint32_t *commands;

/* ---- calls ---- */

static void
open_file(void)
{
    close(open("/etc/hostname", O_RDONLY | O_CLOEXEC));
}

static void
open_relative(void)
{
    int dir = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(openat(dir, "hostname", O_RDONLY | O_CLOEXEC));
    close(dir);
}

static void
open_device(void)
{
    int other = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    struct drm_get_cap cap = {.capability = DRM_CAP_PRIME};
    call(other, DRM_IOCTL_GET_CAP, &cap);
    close(other);
}

static void
open_stream(void)
{
    FILE *f = fopen("/etc/hostname", "re");
    if (f)
        fclose(f);
}

static void
list_devices(void)
{
    DIR *d = opendir("/dev/dri");
    if (d)
        closedir(d);
}

static void
stat_any(void)
{
    struct stat st;
    stat("/etc/hostname", &st);
    stat("/dev/dri/card0", &st);
    fstat(fd, &st);
    access("/sys/class/drm", R_OK);
}

static void
read_links(void)
{
    char target[64];
    if (readlink("/sys/class/drm/card0", target, sizeof target) < 0 ||
        readlink("/proc/self/exe", target, sizeof target) < 0)
        _exit(1);
}

static void
create_object(void)
{
    uint32_t handle = bo_create(fd, 1 << 20);
    uint32_t *p = bo_map(fd, handle, 1 << 20);
    munmap(p, 1 << 20);
    close(bo_export(fd, handle));
    bo_close(fd, handle);
}

static void
run_batch(void)
{
    put_end(commands);
    if (submit_commands(fd, 0, batch, 0) || bo_wait(fd, batch, WAIT_MS))
        _exit(1);
}

/* A batch that stores where nothing is mapped. */
static void
run_fault(void)
{
    static unsigned page;
    uint64_t va = NOWHERE + ++page * (UINT64_C(1) << 20);
    put_end(put_store(commands, va, 1));
    if (submit_commands(fd, 0, batch, 0) || bo_wait(fd, batch, WAIT_MS))
        _exit(1);
}

static void
run_unknown(void)
{
    commands[0] = 0x7fff0000; /* no command */
    submit_commands(fd, context_create(fd), batch, 0);
    bo_wait(fd, batch, WAIT_MS);
}

static void
call_badly(void)
{
    call(fd, DRM_IOCTL_I915_GETPARAM, (void *)0x100000);
    call(fd, _IOC(_IOC_READ, 'd', 3, 8), commands);
}

static const struct {
    const char *name;
    void (*run)(void);
} calls[] = {
    {"open() of a file", open_file},
    {"openat() in a directory", open_relative},
    {"open() of the device, and an ioctl", open_device},
    {"fopen()", open_stream},
    {"opendir() of devices", list_devices},
    {"stat(), fstat(), access()", stat_any},
    {"readlink()", read_links},
    {"objects: create, map, export, destroy", create_object},
    {"a batch", run_batch},
    {"a batch with a fault", run_fault},
    {"a batch that fails", run_unknown},
    {"ioctls that fail", call_badly},
};

/* ---- how much they take ---- */

static uint8_t *stack;

static void *
run_call(void *index)
{
    const uint8_t *here = __builtin_frame_address(0);
    /* Below this frame, and that of memset(). */
    memset(stack, PAINT, (size_t)(here - stack) - 256);
    calls[(uintptr_t)index].run();
    const uint8_t *lowest = stack;
    while (*lowest == PAINT)
        lowest++;
    return (void *)(here - lowest);
}

/* The second time: the first one also loads symbols. */
static size_t
measure(unsigned index)
{
    pthread_attr_t attr;
    pthread_t thread;
    void *used_B = NULL;
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stack, STACK_B);
    for (unsigned i = 0; i < 2; i++) {
        pthread_create(&thread, &attr, run_call, (void *)(uintptr_t)index);
        pthread_join(thread, &used_B);
    }
    pthread_attr_destroy(&attr);
    return (size_t)used_B;
}

/* ---- the smallest threads ---- */

static void *
run_all(void *unused)
{
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
        calls[i].run();
    return NULL;
}

static void
on_signal(int sig)
{
    run_all(NULL);
}

static void
test_smallest(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 16384);
    bool good = !pthread_create(&thread, &attr, run_all, NULL) &&
                !pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    ok(good, "a thread of 16 KiB makes all calls");
    static uint8_t space[16384];
    stack_t alternate = {.ss_sp = space, .ss_size = sizeof space};
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    sigaction(SIGUSR1, &act, NULL);
    raise(SIGUSR1);
    ok(true, "so does a handler with a stack of 16 KiB");
}

int
main(void)
{
    fd = open_render();
    batch = bo_create(fd, 4096);
    commands = bo_map(fd, batch, 4096);
    stack = mmap(NULL, STACK_B, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        size_t used_B = measure(i);
        ok(used_B <= MOST_B, "%s: %zu bytes of stack", calls[i].name, used_B);
    }
    test_smallest();
    return done_testing();
}
