/* raw.h: the kernel interface as a plain client uses it, for programs that the
 * launcher runs. Prints TAP. */
#ifndef TESTS_LIMITS_RAW_H
#define TESTS_LIMITS_RAW_H

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define RAW_BATCH_VA UINT64_C(0x10000000)
#define RAW_END 0x05000000u /* MI_BATCH_BUFFER_END */

struct raw_object {
    uint32_t handle;
    uint64_t va;
};

static int raw_tests, raw_failures;

static inline void
raw_ok(int good, const char *what)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++raw_tests, what);
    fflush(stdout);
    raw_failures += !good;
}

static inline int
raw_end(void)
{
    printf("1..%d\n", raw_tests);
    return raw_failures != 0;
}

static inline int
raw_open(void)
{
    return open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
}

/* 0 with errno set on errors. */
static inline uint32_t
raw_create(int fd, uint64_t size_B)
{
    struct drm_i915_gem_create c = {.size = size_B};
    return ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &c) ? 0 : c.handle;
}

/* NULL with errno set on errors. */
static inline void *
raw_map(int fd, uint32_t handle, uint64_t size_B)
{
    struct drm_i915_gem_mmap_offset m = {.handle = handle,
                                         .flags = I915_MMAP_OFFSET_WB};
    if (ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m))
        return NULL;
    void *p = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   (off_t)m.offset);
    return p == MAP_FAILED ? NULL : p;
}

static inline void
raw_close(int fd, uint32_t handle)
{
    struct drm_gem_close c = {.handle = handle};
    ioctl(fd, DRM_IOCTL_GEM_CLOSE, &c);
}

/* 0: error. */
static inline uint32_t
raw_context(int fd)
{
    struct drm_i915_gem_context_create c = {0};
    return ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c) ? 0 : c.ctx_id;
}

static inline void
raw_context_end(int fd, uint32_t id)
{
    struct drm_i915_gem_context_destroy d = {.ctx_id = id};
    ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &d);
}

/* Executes pinned objects, the batch last. 0 or -errno. */
static inline int
raw_exec(int fd, uint32_t context, const struct raw_object *o, unsigned count)
{
    struct drm_i915_gem_exec_object2 e[16];
    memset(e, 0, sizeof e);
    for (unsigned i = 0; i < count; i++) {
        e[i].handle = o[i].handle;
        e[i].offset = o[i].va;
        e[i].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
    }
    struct drm_i915_gem_execbuffer2 x = {.buffers_ptr = (uintptr_t)e,
                                         .buffer_count = count,
                                         .rsvd1 = context,
                                         .flags = I915_EXEC_RENDER};
    return ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &x) ? -errno : 0;
}

static inline int
raw_wait(int fd, uint32_t handle)
{
    struct drm_i915_gem_wait w = {.bo_handle = handle, .timeout_ns = -1};
    return ioctl(fd, DRM_IOCTL_I915_GEM_WAIT, &w) ? -errno : 0;
}

/* Stores the value at va, in an object that is bound there: writes 5 dwords. */
static inline void
raw_store(uint32_t *batch, uint64_t va, uint32_t value)
{
    batch[0] = 0x10000002u; /* MI_STORE_DATA_IMM */
    batch[1] = (uint32_t)va;
    batch[2] = (uint32_t)(va >> 32);
    batch[3] = value;
    batch[4] = RAW_END;
}

/* Creates objects and a context, stores a value with a batch and reads it.
 * context 0: makes one of its own. 0 or -errno. */
static inline int
raw_use(int fd, uint32_t context, uint32_t value)
{
    const uint64_t va = UINT64_C(0x20000000);
    uint32_t own = context ? context : raw_context(fd);
    struct raw_object o[2] = {{raw_create(fd, 4096), va},
                              {raw_create(fd, 4096), RAW_BATCH_VA}};
    uint32_t *data = own && o[0].handle ? raw_map(fd, o[0].handle, 4096) : NULL;
    uint32_t *batch = data && o[1].handle ? raw_map(fd, o[1].handle, 4096)
                                          : NULL;
    int err = batch ? 0 : -errno;
    if (batch) {
        raw_store(batch, va, value);
        err = raw_exec(fd, own, o, 2);
        err = err ? err : raw_wait(fd, o[1].handle);
        if (!err && *data != value)
            err = -EIO;
        munmap(batch, 4096);
    }
    if (data)
        munmap(data, 4096);
    for (unsigned i = 0; i < 2; i++)
        if (o[i].handle)
            raw_close(fd, o[i].handle);
    if (own && !context)
        raw_context_end(fd, own);
    return err;
}

#endif
