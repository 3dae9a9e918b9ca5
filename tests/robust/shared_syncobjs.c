/* shared_syncobjs.c: syncobjs that other processes have: fences of processes
 * that live and die, and what an export and an import leave. */
#include "raw.h"

#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

static int
reset(int fd, uint32_t handle)
{
    struct drm_syncobj_array a = {.handles = (uintptr_t)&handle,
                                  .count_handles = 1};
    return call(fd, DRM_IOCTL_SYNCOBJ_RESET, &a);
}

static int
signal_point(int fd, uint32_t handle, uint64_t point)
{
    struct drm_syncobj_timeline_array a = {.handles = (uintptr_t)&handle,
                                           .points = (uintptr_t)&point,
                                           .count_handles = 1};
    return call(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
}

static uint64_t
query(int fd, uint32_t handle)
{
    uint64_t value = 0;
    struct drm_syncobj_timeline_array a = {.handles = (uintptr_t)&handle,
                                           .points = (uintptr_t)&value,
                                           .count_handles = 1};
    return call(fd, DRM_IOCTL_SYNCOBJ_QUERY, &a) ? UINT64_MAX : value;
}

static int
wait_point(int fd, uint32_t handle, uint64_t point, int64_t timeout_ms)
{
    struct drm_syncobj_timeline_wait w = {
        .handles = (uintptr_t)&handle,
        .points = (uintptr_t)&point,
        .count_handles = 1,
        .timeout_nsec = (now_ms() + timeout_ms) * 1000000,
        .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
    return call(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
}

/* Puts fences of batches into a syncobj: each byte begins one, or ends it. */
static void
submit_into(int socket)
{
    int fd = open_render(), fence;
    uint32_t *go, obj = syncobj_import(fd, receive_file(socket));
    while (receive_byte(socket)) {
        struct batch b = batch_create(fd, 0, &go);
        batch_submit(fd, &b, &fence);
        syncobj_set_file(fd, obj, fence);
        send_byte(socket);
        receive_byte(socket);
        *go = 1;
        send_byte(socket);
    }
}

static void
step(const struct peer *peer)
{
    send_byte(peer->socket);
    receive_byte(peer->socket);
}

static void
test_life_and_death(int fd)
{
    uint32_t obj = syncobj_create(fd), target = bo_create(fd, 4096);
    int file = syncobj_export(fd, obj);
    struct peer peer = peer_start(submit_into);
    send_file(peer.socket, file);
    for (unsigned i = 0; i < 3; i++) {
        step(&peer);
        ok(syncobj_wait(fd, obj, 50) == -ETIME, "a fence of another process");
        step(&peer);
        ok(!syncobj_wait(fd, obj, 5000), "signals");
        reset(fd, obj);
    }
    step(&peer);
    ok(syncobj_wait(fd, obj, 50) == -ETIME, "a process that lives");
    struct batch b = batch_create(fd, target, NULL);
    struct drm_syncobj_handle h = {
        .handle = obj,
        .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    ok(!call(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), "its fence as a file");
    b.fence_in = h.fd;
    batch_submit(fd, &b, NULL);
    ok(bo_wait(fd, target, 50) == -ETIME, "stops a batch");
    peer_kill(&peer);
    int64_t start = now_ms();
    ok(!syncobj_wait(fd, obj, 5000) && !bo_wait(fd, target, 5000) &&
           is_signalled(h.fd, 5000) && now_ms() - start < 1000,
       "signals when the process dies: %d ms", (int)(now_ms() - start));
    peer = peer_start(submit_into);
    send_file(peer.socket, file);
    step(&peer);
    ok(syncobj_wait(fd, obj, 50) == -ETIME, "a later process");
    step(&peer);
    ok(!syncobj_wait(fd, obj, 5000), "uses it, too");
    peer_kill(&peer);
    close(file);
    close(h.fd);
    syncobj_destroy(fd, obj);
}

/* Signals points that the other process waits for already. */
static void
signal_points(int socket)
{
    int fd = open_render();
    uint32_t obj = syncobj_import(fd, receive_file(socket));
    for (uint64_t point = 1; receive_byte(socket); point++) {
        sleep_ms(50);
        signal_point(fd, obj, point);
    }
}

static void
test_points(int fd)
{
    uint32_t obj = syncobj_create(fd);
    int file = syncobj_export(fd, obj), event = eventfd(0, EFD_NONBLOCK);
    struct peer peer = peer_start(signal_points);
    struct {
        uint32_t handle, flags;
        uint64_t point;
        int32_t fd;
        uint32_t pad;
    } e = {obj, 0, 2, event, 0}; /* DRM_IOCTL_SYNCOBJ_EVENTFD */
    send_file(peer.socket, file);
    send_byte(peer.socket);
    ok(!wait_point(fd, obj, 1, 5000), "a point that comes during the wait");
    ok(wait_point(fd, obj, 2, 50) == -ETIME, "the next is not there");
    ok(!call(fd, DRM_IOWR(0xcf, e), &e), "an eventfd for it");
    send_byte(peer.socket);
    ok(is_signalled(event, 5000), "is written");
    ok(query(fd, obj) == 2, "the value is 2");
    peer_kill(&peer);
    ok(!signal_point(fd, obj, 5) && query(fd, obj) == 5,
       "the survivor goes on");
    close(file);
    close(event);
    syncobj_destroy(fd, obj);
}

static void
test_leftovers(int fd)
{
    enum { TIMES = 1000 };
    unsigned files = count_files(), threads = count_threads();
    for (unsigned i = 0; i < TIMES; i++) {
        uint32_t obj = syncobj_create(fd);
        int file = syncobj_export(fd, obj);
        signal_point(fd, obj, 1);
        uint32_t again = syncobj_import(fd, file);
        syncobj_destroy(fd, obj);
        syncobj_destroy(fd, again);
        close(file);
    }
    ok(count_files() <= files && count_threads() <= threads,
       "%d exports and imports leave nothing: %u descriptors, %u threads",
       TIMES, count_files(), count_threads());
    uint32_t obj = syncobj_create(fd);
    int file = syncobj_export(fd, obj);
    signal_point(fd, obj, 7);
    syncobj_destroy(fd, obj);
    obj = syncobj_import(fd, file);
    ok(query(fd, obj) == 7, "a descriptor keeps the state of its syncobj");
    close(file);
    syncobj_destroy(fd, obj);
}

static void
test_pending(int fd)
{
    int fence;
    uint32_t *go, obj = syncobj_create(fd);
    struct batch b = batch_create(fd, 0, &go);
    batch_submit(fd, &b, &fence);
    int file = syncobj_export(fd, obj);
    syncobj_set_file(fd, obj, fence);
    syncobj_destroy(fd, obj);
    obj = syncobj_import(fd, file);
    ok(syncobj_wait(fd, obj, 50) == -ETIME, "nor is its fence forgotten");
    *go = 1;
    ok(!syncobj_wait(fd, obj, 5000), "until it signals");
    syncobj_destroy(fd, obj);
    close(file);
    close(fence);
}

/* The child of a process with an unsignalled fence. */
static int inherited_fd;
static uint32_t inherited;

static void
wait_in_child(int socket)
{
    if (syncobj_wait(inherited_fd, inherited, 50) == -ETIME)
        send_byte(socket);
    if (!syncobj_wait(inherited_fd, inherited, 5000))
        send_byte(socket);
}

static void
test_fork(int fd)
{
    int fence;
    uint32_t *go;
    struct batch b = batch_create(fd, 0, &go);
    inherited_fd = fd;
    inherited = syncobj_create(fd);
    int file = syncobj_export(fd, inherited);
    batch_submit(fd, &b, &fence);
    syncobj_set_file(fd, inherited, fence);
    struct peer child = peer_start(wait_in_child);
    ok(receive_byte(child.socket), "a child waits for its parent's fence");
    *go = 1;
    ok(receive_byte(child.socket), "until it signals");
    peer_kill(&child);
    close(file);
    close(fence);
    syncobj_destroy(fd, inherited);
}

static void
test_garbage(int fd)
{
    uint32_t obj = syncobj_create(fd);
    int file = syncobj_export(fd, obj);
    uint32_t *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int64_t start = now_ms();
    for (uint32_t n = 1; n < 100; n++) {
        for (unsigned i = 0; p != MAP_FAILED && i < 1024; i++)
            p[i] = n * 2654435761u >> (i & 31);
        syncobj_wait(fd, obj, 1);
        query(fd, obj);
    }
    reset(fd, obj);
    ok(!signal_point(fd, obj, UINT64_MAX) && now_ms() - start < 20000,
       "garbage in the file of a syncobj: %d ms", (int)(now_ms() - start));
    munmap(p, 4096);
    close(file);
    syncobj_destroy(fd, obj);
    file = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ok(!ftruncate(file, 4096) && !syncobj_import(fd, file),
       "a file that can shrink is refused");
    close(file);
}

int
main(void)
{
    int fd = open_render();
    test_leftovers(fd);
    test_life_and_death(fd);
    test_points(fd);
    test_pending(fd);
    test_fork(fd);
    test_garbage(fd);
    return done_testing();
}
