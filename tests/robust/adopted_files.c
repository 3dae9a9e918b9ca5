/* adopted_files.c: descriptors of the device that another process has opened,
 * as X servers send them: what a client leaves when it closes them. */
#include "raw.h"

#include <unistd.h>

static void
open_for_others(int socket)
{
    while (receive_byte(socket)) {
        int fd = open_render();
        send_file(socket, fd);
        close(fd);
    }
}

static int
receive_device(const struct peer *server)
{
    send_byte(server->socket);
    return receive_file(server->socket);
}

/* 0 or -errno. */
static int
run_batch(int fd)
{
    struct batch b = batch_create(fd, 0, NULL);
    int err = batch_submit(fd, &b, NULL);
    return err ? err : bo_wait(fd, b.handle, 5000);
}

int
main(void)
{
    enum { TIMES = 400 };
    struct peer server = peer_start(open_for_others);
    int kept = receive_device(&server), copy, err = run_batch(kept);
    uint32_t object = bo_create(kept, 4096);
    unsigned files = 0, i;
    copy = dup(kept);
    close(kept);
    for (i = 0; i < TIMES && !err; i++) {
        int fd = receive_device(&server);
        err = run_batch(fd);
        close(fd);
        if (i == 10)
            files = count_files();
    }
    ok(!err, "%u descriptors of another process, one after the other: %d", i,
       err);
    ok(count_files() <= files + 8, "%u descriptors became %u", files,
       count_files());
    ok(!bo_wait(copy, object, 0) && !run_batch(copy),
       "a copy of the first has kept its objects");
    struct drm_i915_gem_vm_control vm = {0};
    ok(!call(open_render(), DRM_IOCTL_I915_GEM_VM_CREATE, &vm),
       "there is room for more");
    peer_kill(&server);
    ok(!run_batch(copy), "it outlives the process that opened it");
    return done_testing();
}
