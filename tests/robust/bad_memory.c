/* bad_memory.c: arguments of ioctls, and memory that they point to, which is
 * not there, not writable, or gone since. EFAULT is the answer, even in a
 * thread that blocks all signals. */
#include "commands.h"

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_B 4096
#define USER_B (1 << 20)
#define WAIT_MS 60000

static int fd;
static uint32_t batch;

static uint8_t *
new_pages(size_t size_B, int prot)
{
    return mmap(NULL, size_B, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* ---- arguments ---- */

static void
test_argument(const char *what, void *arg)
{
    int sync_file = -1;
    struct batch b = batch_create(fd, 0, NULL);
    int dmabuf = bo_export(fd, bo_create(fd, PAGE_B));
    batch_submit(fd, &b, &sync_file);
    const struct {
        int fd;
        unsigned long request;
        const char *name;
    } calls[] = {
        {fd, DRM_IOCTL_I915_GETPARAM, "GETPARAM"},
        {fd, DRM_IOCTL_I915_GEM_CREATE, "GEM_CREATE"},
        {fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, "EXECBUFFER2"},
        {fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, "CONTEXT_CREATE"},
        {dmabuf, DMA_BUF_IOCTL_SYNC, "DMA_BUF_IOCTL_SYNC"},
        {sync_file, SYNC_IOC_FILE_INFO, "SYNC_IOC_FILE_INFO"},
        {sync_file, SYNC_IOC_MERGE, "SYNC_IOC_MERGE"},
    };
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
        ok(call(calls[i].fd, calls[i].request, arg) == -EFAULT, "%s: %s",
           calls[i].name, what);
    close(sync_file);
    close(dmabuf);
}

static void
test_arguments(void)
{
    uint8_t *two = new_pages(2 * PAGE_B, PROT_READ | PROT_WRITE);
    mprotect(two + PAGE_B, PAGE_B, PROT_NONE);
    test_argument("no pointer", NULL);
    test_argument("nothing is mapped", (void *)0x100000);
    test_argument("no user address", (void *)~(uintptr_t)0xfff);
    test_argument("on the last bytes of memory", two + PAGE_B - 4);
    uint8_t *fixed = new_pages(PAGE_B, PROT_READ);
    ok(call(fd, DRM_IOCTL_GET_CAP, fixed) < 0, "an unknown capability");
    fixed = new_pages(PAGE_B, PROT_READ | PROT_WRITE);
    struct drm_get_cap cap = {.capability = DRM_CAP_PRIME};
    memcpy(fixed, &cap, sizeof cap);
    mprotect(fixed, PAGE_B, PROT_READ);
    ok(call(fd, DRM_IOCTL_GET_CAP, fixed) == -EFAULT, "a result, read-only");
}

/* All numbers, with arguments in which everything points nowhere. */
static void
test_nested(void)
{
    uint64_t words[32];
    for (unsigned nr = 0; nr < 256; nr++) {
        for (unsigned count = 0; count < 3; count++) {
            for (unsigned i = 0; i < 32; i++)
                words[i] = 0x100000 + (uint64_t)count * (i % 3 == 1);
            call(fd, _IOC(_IOC_READ | _IOC_WRITE, 'd', nr, sizeof words - 8),
                 words);
        }
    }
    ok(true, "no ioctl minds bad pointers in its argument");
    struct drm_i915_gem_context_create_ext x = {
        .flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS,
        .extensions = 0xdead0000};
    ok(call(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &x) == -EFAULT,
       "extensions that are not there");
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = 0xdead0000,
                                          .buffer_count = 300};
    ok(call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb) == -EFAULT,
       "a list of objects that is not there");
}

/* Wrappers of libc look at paths. */
static void
test_paths(const char *what, const char *path)
{
    struct stat st;
    char buf[8];
    ok(open(path, O_RDONLY) < 0 && errno == EFAULT, "open(): %s", what);
    ok(openat(fd, path, O_RDONLY) < 0 && errno == EFAULT, "openat(): %s", what);
    ok(stat(path, &st) < 0 && errno == EFAULT, "stat(): %s", what);
    ok(fstatat(fd, path, &st, AT_EMPTY_PATH) < 0 && errno == EFAULT,
       "fstatat(): %s", what);
    ok(access(path, R_OK) < 0 && errno == EFAULT, "access(): %s", what);
    ok(readlink(path, buf, sizeof buf) < 0 && errno == EFAULT, "readlink(): %s",
       what);
    ok(!fopen(path, "r") && errno == EFAULT, "fopen(): %s", what);
}

/* ---- userptr ---- */

static uint32_t
make_user(void *memory)
{
    struct drm_i915_gem_userptr u = {.user_ptr = (uintptr_t)memory,
                                     .user_size = USER_B};
    call(fd, DRM_IOCTL_I915_GEM_USERPTR, &u);
    return u.handle;
}

static int
transfer(uint32_t handle, bool write, size_t size_B)
{
    static uint8_t data[65536];
    struct drm_i915_gem_pwrite w = {
        .handle = handle, .size = size_B, .data_ptr = (uintptr_t)data};
    struct drm_i915_gem_pread r = {
        .handle = handle, .size = size_B, .data_ptr = (uintptr_t)data};
    return write ? call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w)
                 : call(fd, DRM_IOCTL_I915_GEM_PREAD, &r);
}

static int
relocate(uint32_t handle)
{
    struct drm_i915_gem_relocation_entry r = {.target_handle = batch,
                                              .presumed_offset = UINT64_MAX};
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = handle, .relocation_count = 1, .relocs_ptr = (uintptr_t)&r},
        {.handle = batch}};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 2};
    return call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

static void
test_gone(bool used)
{
    uint8_t *memory = new_pages(USER_B, PROT_READ | PROT_WRITE);
    uint32_t user = make_user(memory);
    if (used) {
        ok(!submit_commands(fd, 0, batch, user) &&
               !bo_wait(fd, batch, WAIT_MS) && !transfer(user, true, 65536) &&
               !transfer(user, false, 65536) && !relocate(user) &&
               !bo_wait(fd, batch, WAIT_MS),
           "memory of the client");
    }
    munmap(memory, USER_B);
    const char *when = used ? "gone after use" : "gone before use";
    ok(submit_commands(fd, 0, batch, user) == -EFAULT, "execution: %s", when);
    ok(relocate(user) == -EFAULT, "relocation: %s", when);
    ok(transfer(user, true, 64) == -EFAULT, "short write: %s", when);
    ok(transfer(user, true, 65536) == -EFAULT, "long write: %s", when);
    ok(transfer(user, false, 64) == -EFAULT, "short read: %s", when);
    ok(transfer(user, false, 65536) == -EFAULT, "long read: %s", when);
    bo_close(fd, user);
}

static void
test_transfers(void)
{
    static const size_t sizes_B[] = {1, 7, 8, 4095, 4097, 40000, 65536};
    uint8_t *from = new_pages(USER_B, PROT_READ | PROT_WRITE);
    uint8_t *to = new_pages(USER_B, PROT_READ | PROT_WRITE);
    uint32_t handle = bo_create(fd, USER_B);
    bool same = true;
    for (unsigned i = 0; i < USER_B; i++)
        from[i] = (uint8_t)(i * 7 + i / 251);
    for (unsigned i = 0; i < sizeof sizes_B / sizeof sizes_B[0]; i++) {
        struct drm_i915_gem_pwrite w = {.handle = handle,
                                        .offset = 4093,
                                        .size = sizes_B[i],
                                        .data_ptr = (uintptr_t)from + 5};
        struct drm_i915_gem_pread r = {.handle = handle,
                                       .offset = 4093,
                                       .size = sizes_B[i],
                                       .data_ptr = (uintptr_t)to + 4090};
        memset(to, 0, USER_B);
        same &= !call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w) &&
                !call(fd, DRM_IOCTL_I915_GEM_PREAD, &r) &&
                !memcmp(to + 4090, from + 5, sizes_B[i]) &&
                !to[4090 + sizes_B[i]] && !to[4089];
    }
    ok(same, "good memory of any length is copied, and nothing beside it");
}

static void *
run(void *arg)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    fd = open_render();
    batch = bo_create(fd, PAGE_B);
    put_end(bo_map(fd, batch, PAGE_B));
    test_gone(false);
    test_arguments();
    /* Through a variable: compilers know that these are no paths. */
    const char *volatile low = (const char *)8;
    const char *volatile high = (const char *)~(uintptr_t)0xfff;
    test_paths("no address", low);
    test_paths("no user address", high);
    ok(stat("/dev/dri/card0", (struct stat *)(uintptr_t)high) < 0 &&
           errno == EFAULT,
       "stat() to no user address");
    test_nested();
    close(fd);
    fd = open_render();
    batch = bo_create(fd, PAGE_B);
    put_end(bo_map(fd, batch, PAGE_B));
    test_gone(true);
    test_transfers();
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return done_testing();
}
