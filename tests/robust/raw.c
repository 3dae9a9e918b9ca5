#include "raw.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH_VA UINT64_C(0x10000000)
#define SEMAPHORE_VA UINT64_C(0x30000000)

static int tests, failures;

void
ok(bool good, const char *fmt, ...)
{
    va_list ap;
    printf("%sok %d - ", good ? "" : "not ", ++tests);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    fflush(stdout);
    failures += !good;
}

int
done_testing(void)
{
    printf("1..%d\n", tests);
    return failures != 0;
}

static void
check(bool good, const char *what)
{
    if (good)
        return;
    printf("Bail out! %s: %s\n", what, strerror(errno));
    fflush(stdout);
    _exit(99);
}

int64_t
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

void
sleep_ms(unsigned ms)
{
    usleep(ms * 1000);
}

int
open_render(void)
{
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    check(fd >= 0, "open");
    return fd;
}

int
call(int fd, unsigned long request, void *arg)
{
    return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

uint32_t
bo_create(int fd, uint64_t size_B)
{
    struct drm_i915_gem_create c = {.size = size_B};
    check(!call(fd, DRM_IOCTL_I915_GEM_CREATE, &c), "GEM_CREATE");
    return c.handle;
}

void
bo_close(int fd, uint32_t handle)
{
    struct drm_gem_close c = {.handle = handle};
    call(fd, DRM_IOCTL_GEM_CLOSE, &c);
}

uint32_t *
bo_map(int fd, uint32_t handle, uint64_t size_B)
{
    struct drm_i915_gem_mmap_offset m = {.handle = handle,
                                         .flags = I915_MMAP_OFFSET_WB};
    check(!call(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m), "GEM_MMAP_OFFSET");
    void *p = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   (off_t)m.offset);
    check(p != MAP_FAILED, "mmap");
    return p;
}

int
bo_wait(int fd, uint32_t handle, int64_t timeout_ms)
{
    struct drm_i915_gem_wait w = {.bo_handle = handle,
                                  .timeout_ns = timeout_ms * 1000000};
    return call(fd, DRM_IOCTL_I915_GEM_WAIT, &w);
}

bool
bo_busy(int fd, uint32_t handle)
{
    struct drm_i915_gem_busy b = {.handle = handle};
    check(!call(fd, DRM_IOCTL_I915_GEM_BUSY, &b), "GEM_BUSY");
    return b.busy;
}

int
bo_export(int fd, uint32_t handle)
{
    struct drm_prime_handle p = {.handle = handle,
                                 .flags = DRM_CLOEXEC | DRM_RDWR};
    check(!call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), "PRIME_HANDLE_TO_FD");
    return p.fd;
}

uint32_t
bo_import(int fd, int file)
{
    struct drm_prime_handle p = {.fd = file};
    return call(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p) ? 0 : p.handle;
}

uint32_t
context_create(int fd)
{
    struct drm_i915_gem_context_create c = {0};
    check(!call(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c), "CONTEXT_CREATE");
    return c.ctx_id;
}

struct batch
batch_create(int fd, uint32_t target, uint32_t **go)
{
    struct batch b = {.handle = bo_create(fd, 4096), .target = target};
    uint32_t *dw = bo_map(fd, b.handle, 4096), n = 0;
    if (go) {
        b.semaphore = bo_create(fd, 4096);
        *go = bo_map(fd, b.semaphore, 4096);
        dw[n++] = 0x0e00c002; /* MI_SEMAPHORE_WAIT: poll until equal */
        dw[n++] = 1;
        dw[n++] = (uint32_t)SEMAPHORE_VA;
        dw[n++] = 0;
    }
    if (target) {
        dw[n++] = 0x10000002; /* MI_STORE_DATA_IMM */
        dw[n++] = (uint32_t)TARGET_VA;
        dw[n++] = 0;
        dw[n++] = 77;
    }
    dw[n] = 0x05000000; /* MI_BATCH_BUFFER_END */
    munmap(dw, 4096);
    return b;
}

int
batch_submit(int fd, const struct batch *batch, int *fence_out)
{
    const uint64_t pinned = EXEC_OBJECT_PINNED |
                            EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
    struct drm_i915_gem_exec_object2 o[3] = {
        {.handle = batch->handle, .offset = BATCH_VA, .flags = pinned}};
    struct drm_i915_gem_execbuffer2 eb = {
        .buffers_ptr = (uintptr_t)o,
        .buffer_count = 1,
        .rsvd1 = batch->context,
        .rsvd2 = (uint32_t)batch->fence_in,
        .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC | I915_EXEC_BATCH_FIRST |
                 (batch->fence_in ? I915_EXEC_FENCE_IN : 0) |
                 (fence_out ? I915_EXEC_FENCE_OUT : 0)};
    if (batch->target)
        o[eb.buffer_count++] = (struct drm_i915_gem_exec_object2){
            .handle = batch->target,
            .offset = TARGET_VA,
            .flags = pinned | EXEC_OBJECT_WRITE};
    if (batch->semaphore)
        o[eb.buffer_count++] = (struct drm_i915_gem_exec_object2){
            .handle = batch->semaphore,
            .offset = SEMAPHORE_VA,
            .flags = pinned};
    int err = call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
    if (!err && fence_out)
        *fence_out = (int)(eb.rsvd2 >> 32);
    return err;
}

uint32_t
syncobj_create(int fd)
{
    struct drm_syncobj_create c = {0};
    check(!call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &c), "SYNCOBJ_CREATE");
    return c.handle;
}

int
syncobj_export(int fd, uint32_t handle)
{
    struct drm_syncobj_handle h = {.handle = handle};
    check(!call(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), "HANDLE_TO_FD");
    return h.fd;
}

uint32_t
syncobj_import(int fd, int file)
{
    struct drm_syncobj_handle h = {.fd = file};
    return call(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h) ? 0 : h.handle;
}

int
syncobj_set_file(int fd, uint32_t handle, int sync_file)
{
    struct drm_syncobj_handle h = {
        .handle = handle,
        .fd = sync_file,
        .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
    return call(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h);
}

int
syncobj_wait(int fd, uint32_t handle, int64_t timeout_ms)
{
    struct drm_syncobj_wait w = {
        .handles = (uintptr_t)&handle,
        .count_handles = 1,
        .timeout_nsec = (now_ms() + timeout_ms) * 1000000,
        .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
    return call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &w);
}

void
syncobj_destroy(int fd, uint32_t handle)
{
    struct drm_syncobj_destroy d = {.handle = handle};
    call(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
}

bool
is_signalled(int sync_file, int timeout_ms)
{
    struct pollfd p = {.fd = sync_file, .events = POLLIN};
    return poll(&p, 1, timeout_ms) == 1 && p.revents & POLLIN;
}

/* ------------------------------------------------------------------------
 * Processes */

/* A sanitizer's allocator knows nothing of fork(): what another thread holds of
 * it stays locked in the child. So the threads come to rest first. */
static void
rest_before_fork(void)
{
    if (dlsym(RTLD_DEFAULT, "__asan_init") ||
        dlsym(RTLD_DEFAULT, "__tsan_init"))
        sleep_ms(200);
}

struct peer
peer_start(void (*run)(int socket))
{
    int pair[2];
    check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair),
          "socketpair");
    fflush(stdout);
    rest_before_fork();
    struct peer peer = {.pid = fork(), .socket = pair[0]};
    check(peer.pid >= 0, "fork");
    if (!peer.pid) {
        close(pair[0]);
        run(pair[1]);
        _exit(0);
    }
    close(pair[1]);
    return peer;
}

void
peer_kill(struct peer *peer)
{
    kill(peer->pid, SIGKILL);
    waitpid(peer->pid, NULL, 0);
    close(peer->socket);
}

void
send_file(int socket, int file)
{
    char byte = 0, control[CMSG_SPACE(sizeof file)] = {0};
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(c), &file, sizeof file);
    check(sendmsg(socket, &msg, MSG_NOSIGNAL) == 1, "sendmsg");
}

int
receive_file(int socket)
{
    int file;
    char byte, control[CMSG_SPACE(sizeof file)] = {0};
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof control};
    check(recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) == 1, "recvmsg");
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    check(c && c->cmsg_type == SCM_RIGHTS, "no descriptor");
    memcpy(&file, CMSG_DATA(c), sizeof file);
    return file;
}

void
send_byte(int socket)
{
    check(send(socket, "", 1, MSG_NOSIGNAL) == 1, "send");
}

bool
receive_byte(int socket)
{
    char byte;
    return recv(socket, &byte, 1, 0) == 1;
}

static unsigned
count_entries(const char *path)
{
    DIR *d = opendir(path);
    unsigned n = 0;
    check(d, path);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

unsigned
count_files(void)
{
    return count_entries("/proc/self/fd") - 4; /* 0, 1, 2 and the directory */
}

unsigned
count_threads(void)
{
    return count_entries("/proc/self/task");
}
