/* submit_stall.c: a submission that has to wait for an object holds up nobody
 * else: other contexts, fork(), exports. */
#include "raw.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd;
static struct batch busy; /* uses its target until *go is 1 */
static uint32_t *go;

/* What waits for the target, on a thread of its own. */
struct waiter {
    int (*call)(void);
    pthread_t thread;
    atomic_bool over;
    int err;
};

static void *
run_waiter(void *data)
{
    struct waiter *w = data;
    w->err = w->call();
    atomic_store(&w->over, true);
    return NULL;
}

static int
exec(int file, struct drm_i915_gem_exec_object2 *objects, unsigned count,
     uint64_t ring)
{
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)objects,
                                          .buffer_count = count,
                                          .flags = ring};
    return call(file, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* Binds the target at another address. */
static int
move_target(void)
{
    struct batch b = batch_create(fd, 0, NULL);
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = busy.target,
         .offset = TARGET_VA * 2,
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS},
        {.handle = b.handle}};
    return exec(fd, o, 2, I915_EXEC_RENDER);
}

/* Writes an address into the target. */
static int
relocate_target(void)
{
    struct batch b = batch_create(fd, 0, NULL);
    struct drm_i915_gem_relocation_entry r = {
        .target_handle = b.handle, .offset = 8, .presumed_offset = UINT64_MAX};
    struct drm_i915_gem_exec_object2 o[2] = {{.handle = busy.target,
                                              .relocation_count = 1,
                                              .relocs_ptr = (uintptr_t)&r},
                                             {.handle = b.handle}};
    return exec(fd, o, 2, I915_EXEC_RENDER);
}

static int
export_target(void)
{
    struct drm_prime_handle p = {.handle = busy.target,
                                 .flags = DRM_CLOEXEC | DRM_RDWR};
    int err = call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);
    if (!err)
        close(p.fd);
    return err;
}

/* Returns at the end of the batch if there are no worker threads. */
static int
submit_busy(void)
{
    return batch_submit(fd, &busy, NULL);
}

static void
submit_empty(int other)
{
    struct batch b = batch_create(other, 0, NULL);
    struct drm_i915_gem_exec_object2 o = {.handle = b.handle};
    ok(!exec(other, &o, 1, I915_EXEC_BLT), "another file, VM and ring");
}

/* Calls that need nothing of the busy object. */
static int
use_vm(int file)
{
    struct drm_i915_gem_vm_control vm = {0};
    int err = call(file, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
    return err ? err : call(file, DRM_IOCTL_I915_GEM_VM_DESTROY, &vm);
}

static int
use_context(int file)
{
    struct drm_i915_gem_context_destroy d = {.ctx_id = context_create(file)};
    return call(file, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d);
}

static int
use_object(int file)
{
    uint32_t word = 5, handle = bo_create(file, 65536);
    struct drm_i915_gem_pwrite w = {
        .handle = handle, .size = 4, .data_ptr = (uintptr_t)&word};
    struct drm_i915_gem_set_domain d = {.handle = handle,
                                        .read_domains = I915_GEM_DOMAIN_CPU};
    uint32_t *p = bo_map(file, handle, 65536);
    int err = call(file, DRM_IOCTL_I915_GEM_PWRITE, &w);
    if (!err)
        err = call(file, DRM_IOCTL_I915_GEM_SET_DOMAIN, &d);
    if (!err && *p != word)
        err = -EIO;
    munmap(p, 65536);
    bo_close(file, handle);
    return err;
}

static int
use_userptr(int file)
{
    static _Alignas(4096) char page[4096];
    struct drm_i915_gem_userptr u = {.user_ptr = (uintptr_t)page,
                                     .user_size = sizeof page};
    int err = call(file, DRM_IOCTL_I915_GEM_USERPTR, &u);
    bo_close(file, u.handle);
    return err;
}

static int
use_syncobj(int file)
{
    uint32_t obj = syncobj_create(file);
    int shared = syncobj_export(file, obj);
    uint32_t again = syncobj_import(file, shared);
    close(shared);
    syncobj_destroy(file, obj);
    syncobj_destroy(file, again);
    return again ? 0 : -EIO;
}

static void
use_all(int file)
{
    static int (*const uses[])(int file) = {use_vm, use_context, use_object,
                                            use_userptr, use_syncobj};
    int err = 0;
    for (unsigned i = 0; i < sizeof uses / sizeof uses[0] && !err; i++)
        err = uses[i](file);
    ok(!err, "other calls: %d", err);
    close(open_render());
}

/* The file whose context is busy. */
static void
use_busy_file(int other)
{
    use_all(fd);
}

static void
fork_once(int other)
{
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    ok(waitpid(pid, NULL, 0) == pid, "fork()");
}

static void
test_stall(const char *name, int (*wait)(void), bool may_pass)
{
    static void (*const others[])(int other) = {submit_empty, use_all,
                                                use_busy_file, fork_once};
    struct waiter first = {.call = submit_busy}, w = {.call = wait};
    int other = open_render();
    busy = batch_create(fd, bo_create(fd, 4096), &go);
    pthread_create(&first.thread, NULL, run_waiter, &first);
    sleep_ms(100);
    ok(bo_busy(fd, busy.target), "%s", name);
    pthread_create(&w.thread, NULL, run_waiter, &w);
    sleep_ms(100);
    ok(may_pass || !atomic_load(&w.over), "it waits");
    for (unsigned i = 0; i < 4; i++) {
        int64_t start = now_ms();
        others[i](other);
        ok(now_ms() - start < 2000, "meanwhile: %d ms",
           (int)(now_ms() - start));
    }
    ok(may_pass || !atomic_load(&w.over), "it waits still");
    *go = 1;
    pthread_join(first.thread, NULL);
    pthread_join(w.thread, NULL);
    ok(!first.err && !w.err, "and goes on: %d", w.err);
    close(other);
}

int
main(void)
{
    struct rlimit few = {64, 64};
    fd = open_render();
    test_stall("an object that moves", move_target, false);
    test_stall("an object with relocations", relocate_target, false);
    setrlimit(RLIMIT_NOFILE, &few);
    for (unsigned i = 0; i < 64; i++)
        bo_create(fd, 4096);
    /* Without a file of its own it has to be idle first. */
    test_stall("an object that is exported", export_target, true);
    return done_testing();
}
