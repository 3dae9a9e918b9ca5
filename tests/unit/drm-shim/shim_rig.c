#include "shim_rig.h"

struct rig
rig_open(int minor)
{
    setenv("SOFTLAKE_THREADS", "0", 0);
    struct rig rig = {device_open(minor, O_CLOEXEC), NULL};
    cr_assert_geq(rig.fd, 0);
    rig.file = device_file(rig.fd);
    cr_assert_not_null(rig.file);
    return rig;
}

int
rig_ioctl(const struct rig *rig, unsigned long request, void *arg)
{
    int ret = ioctl_run(rig->file, (uint32_t)request, arg);
    return ret < 0 ? -errno : ret;
}

uint32_t
rig_create(const struct rig *rig, uint64_t size_B)
{
    struct drm_i915_gem_create c = {.size = size_B};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_CREATE, &c), 0);
    return c.handle;
}

void *
rig_map(const struct rig *rig, uint32_t handle, uint64_t size_B)
{
    struct drm_i915_gem_mmap_offset m = {.handle = handle,
                                         .flags = I915_MMAP_OFFSET_WB};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m), 0);
    void *p = ioctl_mmap(rig->file, NULL, size_B, PROT_READ | PROT_WRITE,
                         MAP_SHARED, m.offset);
    cr_assert_neq(p, MAP_FAILED);
    return p;
}

uint32_t
rig_syncobj(const struct rig *rig, uint32_t flags)
{
    struct drm_syncobj_create c = {.flags = flags};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_SYNCOBJ_CREATE, &c), 0);
    return c.handle;
}

uint32_t
rig_store_batch(const struct rig *rig, uint64_t va, uint32_t value)
{
    uint32_t batch = rig_create(rig, 4096);
    uint32_t *dw = rig_map(rig, batch, 4096);
    dw[0] = 0x10000002; /* MI_STORE_DATA_IMM, one dword */
    dw[1] = (uint32_t)va;
    dw[2] = (uint32_t)(va >> 32);
    dw[3] = value;
    dw[4] = 0x05000000; /* MI_BATCH_BUFFER_END */
    dw[5] = 0;
    munmap(dw, 4096);
    return batch;
}

int
rig_exec(const struct rig *rig, uint32_t batch, uint32_t target,
         uint64_t target_va, struct drm_i915_gem_execbuffer2 *eb)
{
    struct drm_i915_gem_exec_object2 objects[2] = {
        {.handle = batch,
         .offset = RIG_BATCH_VA,
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS},
        {.handle = target,
         .offset = target_va,
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS |
                  EXEC_OBJECT_WRITE},
    };
    eb->buffers_ptr = (uintptr_t)objects;
    eb->buffer_count = target ? 2 : 1;
    eb->batch_len = 24;
    eb->flags |= I915_EXEC_NO_RELOC | I915_EXEC_HANDLE_LUT |
                 I915_EXEC_BATCH_FIRST;
    return rig_ioctl(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, eb);
}
