/* stopped_process.c: a process that neither goes on nor dies is waited for a
 * little longer than the hang limit (SOFTLAKE_HANG_S), and not for each use. */
#include "raw.h"

#include <signal.h>
#include <unistd.h>

static void
use_and_stop(int socket)
{
    int fd = open_render(), fence;
    uint32_t *go, target = bo_import(fd, receive_file(socket));
    uint32_t obj = syncobj_import(fd, receive_file(socket));
    struct batch b = batch_create(fd, target, &go);
    batch_submit(fd, &b, &fence);
    syncobj_set_file(fd, obj, fence);
    send_file(socket, fence);
    raise(SIGSTOP);
}

int
main(void)
{
    int fd = open_render();
    uint32_t target = bo_create(fd, 4096), obj = syncobj_create(fd);
    int object_file = bo_export(fd, target);
    int syncobj_file = syncobj_export(fd, obj);
    struct peer peer = peer_start(use_and_stop);
    send_file(peer.socket, object_file);
    send_file(peer.socket, syncobj_file);
    int fence = receive_file(peer.socket);
    struct batch own = batch_create(fd, bo_create(fd, 4096), NULL);
    own.fence_in = fence;
    ok(!batch_submit(fd, &own, NULL), "a batch waits for a stopped process");
    ok(syncobj_wait(fd, obj, 200) == -ETIME, "so does a syncobj");
    ok(bo_wait(fd, target, 200) == -ETIME, "and an object");
    ok(!bo_wait(fd, own.target, 20000), "the batch goes on");
    ok(!syncobj_wait(fd, obj, 20000), "the syncobj");
    ok(!bo_wait(fd, target, 20000), "the object");
    int64_t start = now_ms();
    own = batch_create(fd, target, NULL);
    ok(!batch_submit(fd, &own, NULL) && !bo_wait(fd, target, 20000) &&
           now_ms() - start < 1000,
       "the object's next use does not wait: %d ms", (int)(now_ms() - start));
    kill(peer.pid, SIGCONT);
    peer_kill(&peer);
    return done_testing();
}
