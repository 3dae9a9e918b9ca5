/* sync_files.c: fences of other processes: the exporter's death signals them,
 * and imports keep neither threads nor descriptors. */
#include "raw.h"

#include <sys/eventfd.h>
#include <unistd.h>

/* Sends the fence of a batch that waits for the next byte. */
static void
export_fence(int socket)
{
    uint32_t *go;
    int fd = open_render(), file;
    struct batch b = batch_create(fd, 0, &go);
    batch_submit(fd, &b, &file);
    send_file(socket, file);
    while (receive_byte(socket))
        *go = 1;
}

static void
test_signal(int fd)
{
    struct peer peer = peer_start(export_fence);
    int file = receive_file(peer.socket);
    uint32_t target = bo_create(fd, 4096), *p = bo_map(fd, target, 4096);
    struct batch b = batch_create(fd, target, NULL);
    b.fence_in = file;
    ok(!is_signalled(file, 50), "the fence of a batch that runs");
    ok(!batch_submit(fd, &b, NULL), "a batch that waits for it");
    ok(bo_wait(fd, target, 50) == -ETIME && !p[0], "waits");
    send_byte(peer.socket);
    ok(is_signalled(file, 5000), "signals in the other process");
    ok(!bo_wait(fd, target, 5000) && p[0] == 77, "the batch goes on");
    peer_kill(&peer);
    close(file);
}

static void
test_death(int fd)
{
    struct peer peer = peer_start(export_fence);
    int file = receive_file(peer.socket), again = dup(file);
    uint32_t target = bo_create(fd, 4096), obj = syncobj_create(fd);
    struct batch b = batch_create(fd, target, NULL);
    b.fence_in = file;
    ok(!batch_submit(fd, &b, NULL) && !syncobj_set_file(fd, obj, file),
       "a batch and a syncobj wait for a process");
    ok(bo_wait(fd, target, 50) == -ETIME, "that lives");
    peer_kill(&peer);
    int64_t start = now_ms();
    ok(is_signalled(file, 5000), "the sync_file of a dead process");
    ok(!bo_wait(fd, target, 5000), "the batch");
    ok(!syncobj_wait(fd, obj, 5000), "the syncobj");
    ok(now_ms() - start < 1000, "all within a second");
    ok(!syncobj_set_file(fd, obj, again) && !syncobj_wait(fd, obj, 0),
       "an import after the death");
    close(file);
    close(again);
    syncobj_destroy(fd, obj);
}

static void
test_imports(int fd)
{
    enum { TIMES = 300, FILES = 8 };
    struct peer peer[FILES];
    int file[FILES];
    uint32_t obj = syncobj_create(fd);
    for (unsigned i = 0; i < FILES; i++) {
        peer[i] = peer_start(export_fence);
        file[i] = receive_file(peer[i].socket);
    }
    unsigned files = count_files(), threads = count_threads();
    bool good = true;
    for (unsigned i = 0; i < TIMES; i++)
        good &= !syncobj_set_file(fd, obj, file[i % FILES]);
    ok(good, "%d imports", TIMES);
    ok(count_files() <= files + FILES + 1 && count_threads() <= threads + 1,
       "%u descriptors became %u, %u threads %u", files, count_files(), threads,
       count_threads());
    for (unsigned i = 0; i < FILES; i++) {
        peer_kill(&peer[i]);
        close(file[i]);
    }
    ok(!syncobj_wait(fd, obj, 5000), "the last import");
    syncobj_destroy(fd, obj);
    for (unsigned i = 0; i < 100 && count_threads() > threads; i++)
        sleep_ms(100);
    ok(count_threads() <= threads && count_files() <= files,
       "nothing stays: %u descriptors, %u threads", count_files(),
       count_threads());
}

static void
test_others(int fd)
{
    uint32_t obj = syncobj_create(fd);
    int pair[2], event = eventfd(0, EFD_CLOEXEC);
    ok(syncobj_set_file(fd, obj, event) == -EINVAL, "an eventfd is refused");
    ok(!pipe(pair) && syncobj_set_file(fd, obj, pair[0]) == -EINVAL,
       "a pipe is refused");
    ok(syncobj_set_file(fd, obj, fd) == -EINVAL, "the device is refused");
    ok(syncobj_set_file(fd, obj, 12345) == -EINVAL, "nothing is refused");
}

int
main(void)
{
    int fd = open_render();
    test_imports(fd);
    test_signal(fd);
    test_death(fd);
    test_others(fd);
    return done_testing();
}
