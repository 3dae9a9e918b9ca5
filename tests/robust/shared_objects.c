/* shared_objects.c: objects that other processes have: work of processes that
 * live, die, fork or lie, and files that only look like objects. */
#include "raw.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE_B 65536

/* Imports an object, and works on it: each byte begins a batch, or ends the
 * last. */
static void
use_object(int socket)
{
    int fd = open_render();
    uint32_t *go, target = bo_import(fd, receive_file(socket));
    for (;;) {
        struct batch b = batch_create(fd, target, &go);
        if (!receive_byte(socket) || batch_submit(fd, &b, NULL))
            return;
        send_byte(socket);
        receive_byte(socket);
        *go = 1;
        bo_wait(fd, b.handle, 5000);
        send_byte(socket);
    }
}

static void
step(const struct peer *peer)
{
    send_byte(peer->socket);
    receive_byte(peer->socket);
}

static struct peer
start_user(int file)
{
    struct peer peer = peer_start(use_object);
    send_file(peer.socket, file);
    return peer;
}

static void
test_work(int fd)
{
    uint32_t target = bo_create(fd, SIZE_B), *p = bo_map(fd, target, SIZE_B);
    int file = bo_export(fd, target);
    struct peer peer = start_user(file);
    struct batch own = batch_create(fd, target, NULL);
    ok(!bo_busy(fd, target), "an exported object is idle");
    for (unsigned i = 0; i < 3; i++) {
        step(&peer);
        p[0] = 0;
        ok(bo_busy(fd, target), "another process works on it");
        ok(bo_wait(fd, target, 20) == -ETIME, "and is waited for");
        batch_submit(fd, &own, NULL);
        ok(bo_wait(fd, own.handle, 20) == -ETIME, "by batches, too");
        step(&peer);
        ok(!bo_wait(fd, target, 5000) && p[0] == 77 && !bo_busy(fd, target),
           "until it is done");
    }
    peer_kill(&peer);
    close(file);
}

static void
test_death(int fd)
{
    uint32_t target = bo_create(fd, SIZE_B);
    int file = bo_export(fd, target);
    struct peer dead = start_user(file), live = start_user(file);
    struct batch own = batch_create(fd, target, NULL);
    step(&dead);
    batch_submit(fd, &own, NULL);
    ok(bo_wait(fd, target, 50) == -ETIME, "a batch of a process that lives");
    peer_kill(&dead);
    int64_t start = now_ms();
    ok(!bo_wait(fd, target, 5000) && now_ms() - start < 1000,
       "ends with the process: %d ms", (int)(now_ms() - start));
    for (unsigned i = 0; i < 3; i++) {
        step(&live);
        step(&live);
        start = now_ms();
        ok(!bo_wait(fd, target, 5000) && now_ms() - start < 1000,
           "others go on with the object: %d ms", (int)(now_ms() - start));
    }
    peer_kill(&live);
    close(file);
}

/* The object is closed while another process waits for a batch on it. */
static void
close_early(int socket)
{
    int fd = open_render(), fence;
    uint32_t *go, target = bo_create(fd, SIZE_B);
    struct batch b = batch_create(fd, 0, &go);
    int file = bo_export(fd, target);
    batch_submit(fd, &b, &fence);
    struct {
        uint32_t flags;
        int32_t fd;
    } import = {3, fence}; /* DMA_BUF_IOCTL_IMPORT_SYNC_FILE: read and write */
    if (call(file, _IOW('b', 3, import), &import))
        return;
    send_file(socket, file);
    bo_close(fd, target);
    send_byte(socket);
    receive_byte(socket);
    *go = 1;
    receive_byte(socket);
}

static void
test_close(int fd)
{
    struct peer peer = peer_start(close_early);
    uint32_t target = bo_import(fd, receive_file(peer.socket));
    receive_byte(peer.socket);
    ok(bo_wait(fd, target, 50) == -ETIME,
       "work on an object that its process has closed");
    send_byte(peer.socket);
    ok(!bo_wait(fd, target, 5000), "is waited for");
    peer_kill(&peer);
}

/* The child of a process that works. */
static int inherited_fd;
static uint32_t inherited;

static void
wait_in_child(int socket)
{
    send_byte(socket);
    receive_byte(socket);
    if (bo_wait(inherited_fd, inherited, 50) == -ETIME)
        send_byte(socket);
    if (!bo_wait(inherited_fd, inherited, 5000))
        send_byte(socket);
    receive_byte(socket);
}

static void
work_and_fork(int socket)
{
    uint32_t *go;
    inherited_fd = open_render();
    inherited = bo_create(inherited_fd, SIZE_B);
    send_file(socket, bo_export(inherited_fd, inherited));
    struct batch b = batch_create(inherited_fd, inherited, &go);
    batch_submit(inherited_fd, &b, NULL);
    struct peer child = peer_start(wait_in_child);
    receive_byte(child.socket);
    send_byte(socket);
    receive_byte(socket);
    send_byte(child.socket);
    if (receive_byte(child.socket))
        send_byte(socket);
    receive_byte(socket);
    *go = 1;
    if (receive_byte(child.socket))
        send_byte(socket);
    receive_byte(socket);
    b = batch_create(inherited_fd, inherited, &go);
    batch_submit(inherited_fd, &b, NULL);
    send_byte(socket);
    receive_byte(socket);
}

static void
test_fork(int fd)
{
    struct peer peer = peer_start(work_and_fork);
    uint32_t target = bo_import(fd, receive_file(peer.socket));
    receive_byte(peer.socket);
    ok(bo_busy(fd, target), "a process works and forks");
    step(&peer);
    ok(bo_busy(fd, target), "its child waits for it");
    step(&peer);
    ok(!bo_wait(fd, target, 5000), "the work ends in both");
    step(&peer);
    ok(bo_wait(fd, target, 50) == -ETIME, "and begins again");
    peer_kill(&peer);
    int64_t start = now_ms();
    ok(!bo_wait(fd, target, 5000) && now_ms() - start < 1000,
       "it ends with the process, whose child lives: %d ms",
       (int)(now_ms() - start));
}

/* Writes garbage after the end of the object. */
static void
write_garbage(int socket)
{
    int file = receive_file(socket);
    uint32_t *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                       SIZE_B);
    for (uint32_t n = 1;; n = n * 1664525 + 1013904223) {
        for (unsigned i = 0; p != MAP_FAILED && i < 1024; i++)
            p[i] = n ^ n >> (i & 31);
        if (n == 1)
            send_byte(socket);
        usleep(100);
    }
}

static void
test_garbage(int fd)
{
    uint32_t target = bo_create(fd, SIZE_B);
    struct batch own = batch_create(fd, target, NULL);
    int file = bo_export(fd, target);
    struct peer peer = peer_start(write_garbage);
    send_file(peer.socket, file);
    receive_byte(peer.socket);
    unsigned threads = count_threads();
    bool known = true, idle = true, quick = true;
    for (unsigned i = 0; i < 200; i++) {
        struct drm_i915_gem_get_tiling t = {.handle = target};
        call(fd, DRM_IOCTL_I915_GEM_GET_TILING, &t);
        known &= t.tiling_mode <= I915_TILING_Y;
        idle &= !bo_busy(fd, target);
        int64_t start = now_ms();
        quick &= !batch_submit(fd, &own, NULL) &&
                 !bo_wait(fd, own.handle, 5000) && now_ms() - start < 1000;
    }
    ok(known, "garbage after the object: the tiling is one that exists");
    ok(idle, "nobody seems to work on it");
    ok(quick, "batches go on");
    ok(count_threads() <= threads + 1, "%u threads became %u", threads,
       count_threads());
    peer_kill(&peer);
    close(file);
}

static void
test_read_only(int fd)
{
    struct drm_prime_handle p = {.handle = bo_create(fd, SIZE_B)};
    ok(!call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), "an export for reading");
    ok(mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, 0) ==
               MAP_FAILED &&
           errno == EACCES,
       "cannot be mapped for writing");
    ok(mmap(NULL, SIZE_B, PROT_READ, MAP_SHARED, p.fd, 0) != MAP_FAILED,
       "but for reading");
    close(p.fd);
}

/* A file with the contents of an exported object. */
static int
forge(int original, off_t size_B, unsigned flags, int seals)
{
    static char page[4096];
    int file = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
    if (file < 0 || ftruncate(file, size_B) ||
        pread(original, page, sizeof page, SIZE_B) != sizeof page)
        return file;
    if (size_B > 4096 && pwrite(file, page, sizeof page, size_B - 4096) < 0)
        return file;
    if (seals)
        fcntl(file, F_ADD_SEALS, seals);
    return file;
}

static void
test_forged(int fd)
{
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    static const char *const names[] = {
        "that can shrink",     "that can grow",      "that can be sealed",
        "that is read-only",   "that will be",       "of no pages",
        "of half a page more", "without the header", "of huge pages"};
    int real = bo_export(fd, bo_create(fd, SIZE_B));
    const int files[] = {
        forge(real, SIZE_B + 4096, 0, all & ~F_SEAL_SHRINK),
        forge(real, SIZE_B + 4096, 0, all & ~F_SEAL_GROW),
        forge(real, SIZE_B + 4096, 0, all & ~F_SEAL_SEAL),
        forge(real, SIZE_B + 4096, 0, all | F_SEAL_WRITE),
        forge(real, SIZE_B + 4096, 0, all | F_SEAL_FUTURE_WRITE),
        forge(real, 4096, 0, all),
        forge(real, SIZE_B + 2048, 0, all),
        forge(fd, SIZE_B + 4096, 0, all),
        forge(real, 4 << 20, MFD_HUGETLB, all),
    };
    for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct drm_prime_handle p = {.fd = files[i]};
        int err = call(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p);
        ok(files[i] < 0 || err == -EINVAL, "a file %s is refused: %s", names[i],
           strerror(-err));
        if (files[i] >= 0)
            close(files[i]);
    }
    int sparse = forge(real, INT64_C(1) << 50, 0, all);
    uint32_t huge = bo_import(fd, sparse);
    struct batch own = batch_create(fd, huge, NULL);
    ok(!huge || batch_submit(fd, &own, NULL) < 0,
       "an object of 2^50 bytes has no place");
    struct drm_i915_gem_pread r = {
        .handle = huge, .size = 4, .data_ptr = (uintptr_t)&own};
    ok(!huge || call(fd, DRM_IOCTL_I915_GEM_PREAD, &r) < 0, "nor a mapping");
    close(real);
}

int
main(void)
{
    int fd = open_render();
    test_work(fd);
    test_death(fd);
    test_close(fd);
    test_fork(fd);
    test_garbage(fd);
    test_read_only(fd);
    test_forged(fd);
    return done_testing();
}
