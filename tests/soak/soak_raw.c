/* soak_raw.c: contexts, forks and kills by the thousand, through raw ioctls.
 *
 * usage: soak_raw kills|contexts|forks|start COUNT; run by scripts/soak */
#include "raw.h"
#include "soak.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int fd;
static struct batch empty;

static bool
run_once(int file, const struct batch *b)
{
    return !batch_submit(file, b, NULL) && !bo_wait(file, b->handle, 10000);
}

/* ------------------------------------------------------------------------
 * Contexts */

/* Threads of contexts end by and by. Without a pause a varying number of them
 * is alive, each with memory of its own. */
static void
let_some_threads_end(void)
{
    for (unsigned ms = 0; ms < 1000 && count_threads() > 8; ms++)
        sleep_ms(1);
}

static bool
use_context(unsigned i)
{
    struct batch b = empty;
    if (i % 16 == 0)
        let_some_threads_end();
    b.context = context_create(fd);
    bool good = run_once(fd, &b);
    struct drm_i915_gem_context_destroy d = {.ctx_id = b.context};
    return good && !call(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d);
}

/* The last threads end. */
static void
let_threads_end(void)
{
    sleep_ms(500);
}

/* ------------------------------------------------------------------------
 * Forks: the child uses the device of its parent, and one of its own. */

static bool
fork_once(unsigned i)
{
    int status = -1;
    if (batch_submit(fd, &empty, NULL))
        return false;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        int own = open_render();
        struct batch mine = batch_create(own, 0, NULL);
        _exit(!run_once(own, &mine) || !run_once(fd, &empty));
    }
    waitpid(pid, &status, 0);
    return !status;
}

/* ------------------------------------------------------------------------
 * Kills: a process shares what it can and works on it until it is killed. */

/* What the process sends: an object, a syncobj, then fences for ever. */
static _Noreturn void
share_until_killed(int socket)
{
    int file = receive_file(socket);
    fd = open_render();
    uint32_t target = bo_create(fd, 65536), obj = syncobj_create(fd);
    send_file(socket, bo_export(fd, target));
    send_file(socket, syncobj_export(fd, obj));
    uint32_t targets[2] = {target, bo_import(fd, file)}, *go;
    for (unsigned i = 0;; i++) {
        int fence;
        struct batch b = batch_create(fd, targets[i % 2], &go);
        batch_submit(fd, &b, &fence);
        syncobj_set_file(fd, obj, fence);
        send_file(socket, fence);
        close(fence);
        if (i % 3)
            usleep(1000);
        *go = 1;
        bo_wait(fd, b.handle, 10000);
    }
}

/* The object that all processes work on, and the longest wait so far. */
static uint32_t common;
static int common_file;
static int64_t worst_ms;

#define FENCES 8

/* What has arrived of one process. */
struct received {
    uint32_t target, obj;
    unsigned files;
    int fence[FENCES]; /* the last ones */
};

static bool
has_message(int socket, int timeout_ms)
{
    struct pollfd p = {.fd = socket, .events = POLLIN};
    char byte;
    return poll(&p, 1, timeout_ms) == 1 &&
           recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

/* A batch of this process that waits for the fence and uses the object. */
static void
follow_fence(const struct received *r, int fence)
{
    struct batch b = batch_create(fd, r->target, NULL);
    b.fence_in = fence;
    batch_submit(fd, &b, NULL);
    bo_close(fd, b.handle);
}

static void
receive_one(int socket, struct received *r)
{
    int file = receive_file(socket);
    unsigned n = r->files++;
    if (n < 2) {
        *(n ? &r->obj : &r->target) = n ? syncobj_import(fd, file)
                                        : bo_import(fd, file);
        close(file);
        return;
    }
    int *slot = &r->fence[n % FENCES];
    if (*slot)
        close(*slot);
    *slot = file;
    if (n % 4 == 0)
        follow_fence(r, file);
}

/* 0, or the first error. */
static int
wait_for_dead(const struct received *r)
{
    int err = bo_wait(fd, common, 10000);
    if (!err && r->target)
        err = bo_wait(fd, r->target, 10000);
    if (!err && r->files > 2)
        err = syncobj_wait(fd, r->obj, 10000);
    for (unsigned i = 0; i < FENCES && !err; i++)
        if (r->fence[i] && !is_signalled(r->fence[i], 10000))
            err = -ETIME;
    return err;
}

static void
forget(const struct received *r)
{
    for (unsigned i = 0; i < FENCES; i++)
        if (r->fence[i])
            close(r->fence[i]);
    if (r->target)
        bo_close(fd, r->target);
    if (r->obj)
        syncobj_destroy(fd, r->obj);
}

static void
exec_sharer(int socket)
{
    char number[16];
    snprintf(number, sizeof number, "%d", dup(socket)); /* not closed by exec */
    execl("/proc/self/exe", "soak_raw", "sharer", number, NULL);
}

static bool
kill_one(unsigned i)
{
    struct received r = {0};
    struct peer peer = peer_start(exec_sharer);
    send_file(peer.socket, common_file);
    for (int64_t end = now_ms() + rand() % 20; now_ms() < end;)
        if (has_message(peer.socket, (int)(end - now_ms())))
            receive_one(peer.socket, &r);
    int socket = dup(peer.socket);
    peer_kill(&peer);
    while (has_message(socket, 0))
        receive_one(socket, &r);
    int64_t start = now_ms();
    int err = wait_for_dead(&r);
    if (now_ms() - start > worst_ms)
        worst_ms = now_ms() - start;
    forget(&r);
    close(socket);
    return !err;
}

/* Threads that watch other processes end when there is nothing to watch. */
static void
let_watches_end(void)
{
    sleep_ms(5000);
}

static const struct {
    const char *name;
    bool (*step)(unsigned i);
    void (*end)(void);
} parts[] = {
    {"contexts", use_context, let_threads_end},
    {"forks", fork_once, let_threads_end},
    {"kills", kill_one, let_watches_end},
};

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    unsigned count = (unsigned)atoi(argv[2]);
    if (!strcmp(argv[1], "sharer"))
        share_until_killed(atoi(argv[2]));
    fd = open_render();
    if (!strcmp(argv[1], "start"))
        return 0;
    srand((unsigned)time(NULL));
    empty = batch_create(fd, 0, NULL);
    common = bo_create(fd, 65536);
    common_file = bo_export(fd, common);
    /* The first batch starts a thread that stays. A part whose warm-up has no
     * batch of this process would take it for one that is left over. */
    if (!run_once(fd, &empty))
        return 1;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(argv[1], parts[i].name))
            continue;
        bool good = soak_run(count, parts[i].step, parts[i].end);
        printf("worst_wait_ms %d\n", (int)worst_ms);
        return !good;
    }
    return 2;
}
