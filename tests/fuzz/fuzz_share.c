/* fuzz_share.c: descriptors of another process, which may be hostile and may
 * die.
 *
 * Any bytes: first what the other process does (share_peer.h), then what this
 * one does with the descriptors that came. Both may write the pages that the
 * library keeps behind shared objects. Whatever they hold, a wait ends, and
 * nothing is read beyond a file's end. */
#include "fuzz.h"
#include "share_peer.h"

#include "base/base.h"
#include "drm-shim/device/device.h"
#include "drm-shim/ioctl/ioctl.h"
#include "drm-shim/sync/sync.h"

#include <drm.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ACTS_MAX 32
/* For anything of a dead process. */
#define PATIENCE_NS INT64_C(2000000000)

struct survivor {
    const uint8_t *at, *end;
    struct drm_file *file;
    int fds[PEER_FDS_MAX];
    unsigned fd_count;
    uint32_t bo, syncobj; /* the last that were imported */
    uint64_t acts;
};

static uint8_t
next(struct survivor *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

static int
pick_fd(struct survivor *s)
{
    return s->fd_count ? s->fds[next(s) % s->fd_count] : -1;
}

static void
import_object(struct survivor *s)
{
    struct drm_prime_handle p = {.fd = pick_fd(s)};
    if (!ioctl_run(s->file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p))
        s->bo = p.handle;
}

static void
import_syncobj(struct survivor *s)
{
    struct drm_syncobj_handle h = {
        .fd = pick_fd(s), .flags = next(s) & 1, .handle = s->syncobj};
    if (!ioctl_run(s->file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h))
        s->syncobj = h.handle;
}

/* With a deadline; a wait that goes on much longer is a fault. */
static void
wait_syncobj(struct survivor *s)
{
    int64_t now_ns = fence_now_ns();
    uint64_t point = next(s) % 8;
    struct drm_syncobj_timeline_wait w = {.handles = (uintptr_t)&s->syncobj,
                                          .points = (uintptr_t)&point,
                                          .count_handles = 1,
                                          .timeout_nsec = now_ns +
                                                          next(s) % 4 * 500000,
                                          .flags = next(s) % 8};
    ioctl_run(s->file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
    if (fence_now_ns() - now_ns > PATIENCE_NS)
        abort();
}

static void
wait_object(struct survivor *s)
{
    int64_t now_ns = fence_now_ns();
    struct drm_i915_gem_wait w = {.bo_handle = s->bo,
                                  .timeout_ns = next(s) % 4 * 500000};
    ioctl_run(s->file, DRM_IOCTL_I915_GEM_WAIT, &w);
    if (fence_now_ns() - now_ns > PATIENCE_NS)
        abort();
}

static void
use_object(struct survivor *s)
{
    struct drm_i915_gem_create c = {.size = 4096};
    static const uint32_t batch[] = {0x10000002, 0x200000, 0, 7, 0x05000000, 0};
    ioctl_run(s->file, DRM_IOCTL_I915_GEM_CREATE, &c);
    struct drm_i915_gem_pwrite w = {
        .handle = c.handle, .size = sizeof batch, .data_ptr = (uintptr_t)batch};
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = s->bo,
         .offset = 0x200000,
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE | EXEC_OBJECT_ASYNC},
        {.handle = c.handle, .offset = 0x100000, .flags = EXEC_OBJECT_PINNED}};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 2,
                                          .flags = I915_EXEC_RENDER};
    ioctl_run(s->file, DRM_IOCTL_I915_GEM_PWRITE, &w);
    ioctl_run(s->file, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
}

static void
map_object(struct survivor *s)
{
    struct drm_i915_gem_mmap_offset m = {.handle = s->bo,
                                         .flags = I915_MMAP_OFFSET_WB};
    if (ioctl_run(s->file, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m))
        return;
    volatile uint8_t *p = ioctl_mmap(
        s->file, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, m.offset);
    if (p == MAP_FAILED)
        return;
    p[0] = 1;
    munmap((void *)(uintptr_t)p, 4096);
}

static void
ask_descriptor(struct survivor *s)
{
    int fd = pick_fd(s), ret;
    struct sync_merge_data merge = {.fd2 = pick_fd(s)};
    struct sync_file_info info = {.num_fences = next(s) % 3};
    struct sync_fence_info fences[4];
    struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT};
    info.sync_fence_info = (uintptr_t)fences;
    poll(&p, 1, 0);
    exported_fd_ioctl(fd, SYNC_IOC_FILE_INFO, &info, &ret);
    if (exported_fd_ioctl(fd, SYNC_IOC_MERGE, &merge, &ret) && !ret)
        close(merge.fence);
}

static void
set_tiling(struct survivor *s)
{
    struct drm_i915_gem_set_tiling set = {.handle = s->bo,
                                          .tiling_mode = next(s) % 3,
                                          .stride = next(s) % 4 * 512u};
    struct drm_i915_gem_get_tiling get = {.handle = s->bo};
    struct drm_i915_gem_busy busy = {.handle = s->bo};
    ioctl_run(s->file, DRM_IOCTL_I915_GEM_GET_TILING, &get);
    ioctl_run(s->file, DRM_IOCTL_I915_GEM_SET_TILING, &set);
    ioctl_run(s->file, DRM_IOCTL_I915_GEM_BUSY, &busy);
}

static void
signal_syncobj(struct survivor *s)
{
    uint64_t point = next(s) % 8;
    struct drm_syncobj_timeline_array a = {.handles = (uintptr_t)&s->syncobj,
                                           .points = (uintptr_t)&point,
                                           .count_handles = 1};
    ioctl_run(s->file, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
    ioctl_run(s->file, DRM_IOCTL_SYNCOBJ_QUERY, &a);
}

static void
act(struct survivor *s)
{
    uint8_t b = next(s);
    s->acts++;
    switch (b % 12) {
    case 0:
    case 1: import_object(s); break;
    case 2:
    case 3: import_syncobj(s); break;
    case 4: wait_syncobj(s); break;
    case 5: wait_object(s); break;
    case 6: use_object(s); break;
    case 7: map_object(s); break;
    case 8: ask_descriptor(s); break;
    case 9: set_tiling(s); break;
    case 10: signal_syncobj(s); break;
    default:
        if (b >= 224)
            share_kill();
        break;
    }
}

static void
set_up(void)
{
    setenv("SOFTLAKE_THREADS", "1", 0);
    setenv("SOFTLAKE_HANG_S", "0.05", 0);
    share_begin();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    if (size_B < 4)
        return 0;
    size_t half_B = MIN2(1 + data[0] % (size_B - 1), (size_t)PEER_BYTES_MAX);
    int device_fd = device_open(128, O_CLOEXEC);
    struct survivor s = {.at = data + half_B,
                         .end = data + size_B,
                         .file = device_file(device_fd)};
    if (!s.file)
        abort();
    s.fd_count = share_ask(data + 1, half_B - 1, s.fds);
    for (unsigned n = 0; n < ACTS_MAX && s.at < s.end; n++)
        act(&s);
    for (unsigned i = 0; i < s.fd_count; i++)
        close(s.fds[i]);
    device_file_unref(s.file);
    close(device_fd);
    device_collect();
    fuzz_count("acts", s.acts);
    return 0;
}
