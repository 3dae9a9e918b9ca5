#include "shim_rig.h"

#include "drm-shim/gem/bo.h"
#include "drm-shim/gem/ppgtt.h"
#include "engine/vm/vm.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

Test(gem, create_rounds_up_and_is_zeroed)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_create c = {.size = 5000};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CREATE, &c), 0);
    cr_assert_eq(c.size, 8192u);
    cr_assert_eq(c.handle, 1u);
    const uint8_t *p = rig_map(&rig, c.handle, 8192);
    for (int i = 0; i < 8192; i++)
        cr_assert_eq(p[i], 0);
}

Test(gem, absurd_sizes_are_refused)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_create c = {.size = 0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CREATE, &c), -EINVAL);
    c.size = UINT64_MAX;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CREATE, &c), -E2BIG);
}

Test(gem, close_frees_the_handle_for_the_next)
{
    struct rig rig = rig_open(128);
    uint32_t a = rig_create(&rig, 4096);
    rig_create(&rig, 4096);
    struct drm_gem_close c = {.handle = a};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_GEM_CLOSE, &c), 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_GEM_CLOSE, &c), -EINVAL);
    cr_assert_eq(rig_create(&rig, 4096), a);
}

Test(gem, mappings_of_one_object_share_memory)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_create(&rig, 65536);
    uint32_t *a = rig_map(&rig, h, 65536), *b = rig_map(&rig, h, 4096);
    a[5] = 0x1234;
    cr_assert_eq(b[5], 0x1234u);
}

Test(gem, mapping_beyond_the_object_is_refused)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_mmap_offset m = {.handle = rig_create(&rig, 4096),
                                         .flags = I915_MMAP_OFFSET_WB};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m), 0);
    cr_assert_eq(
        ioctl_mmap(rig.file, NULL, 8192, PROT_READ, MAP_SHARED, m.offset),
        MAP_FAILED);
    cr_assert_eq(errno, EINVAL);
    cr_assert_eq(ioctl_mmap(rig.file, NULL, 4096, PROT_READ, MAP_SHARED,
                            m.offset + 4096),
                 MAP_FAILED);
    m.flags = I915_MMAP_OFFSET_FIXED;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m), -ENODEV);
    m.flags = 9;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m), -EINVAL);
}

Test(gem, pwrite_then_pread)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_create(&rig, 4096), in = 0xcafe, out = 0;
    struct drm_i915_gem_pwrite w = {
        .handle = h, .offset = 4092, .size = 4, .data_ptr = (uintptr_t)&in};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PWRITE, &w), 0);
    struct drm_i915_gem_pread r = {
        .handle = h, .offset = 4092, .size = 4, .data_ptr = (uintptr_t)&out};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PREAD, &r), 0);
    cr_assert_eq(out, in);
    r.offset = UINT64_MAX - 1;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PREAD, &r), -EINVAL);
    r.offset = 0;
    r.data_ptr = 16;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PREAD, &r), -EFAULT);
}

Test(gem, pwrite_checks_every_page)
{
    struct rig rig = rig_open(128);
    uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(mprotect(pages + 2 * 4096, 4096, PROT_NONE), 0);
    struct drm_i915_gem_pwrite w = {.handle = rig_create(&rig, 3 * 4096)};
    const struct {
        uint64_t at, size_B;
        int result;
    } cases[] = {
        {(uintptr_t)pages + 4090, 4102, 0},
        {(uintptr_t)pages + 4090, 4103, -EFAULT},
        {(uintptr_t)pages + 8191, 1, 0},
        {(uintptr_t)pages + 8192, 1, -EFAULT},
        {0, 1, -EFAULT},
        {7, 1, -EFAULT},
        {UINT64_MAX - 10, 12, -EFAULT},
        {UINT64_C(1) << 63, 8, -EFAULT},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        w.data_ptr = cases[i].at;
        w.size = cases[i].size_B;
        cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PWRITE, &w),
                     cases[i].result, "case %u", i);
    }
}

static unsigned
madvise_retained(struct rig *rig, uint32_t handle, uint32_t advice)
{
    struct drm_i915_gem_madvise m = {.handle = handle, .madv = advice};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_MADVISE, &m), 0);
    return m.retained;
}

Test(gem, given_up_memory_can_be_taken_up_again)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_create(&rig, 4096), in = 0xabcdef01, out = 0;
    struct drm_i915_gem_pwrite w = {
        .handle = h, .size = 4, .data_ptr = (uintptr_t)&in};
    struct drm_i915_gem_pread r = {
        .handle = h, .size = 4, .data_ptr = (uintptr_t)&out};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PWRITE, &w), 0);
    cr_assert_eq(madvise_retained(&rig, h, I915_MADV_WILLNEED), 1u);
    cr_assert_eq(madvise_retained(&rig, h, I915_MADV_DONTNEED), 1u);
    cr_assert_eq(madvise_retained(&rig, h, I915_MADV_DONTNEED), 1u);
    cr_assert_eq(madvise_retained(&rig, h, I915_MADV_WILLNEED), 1u);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PREAD, &r), 0);
    cr_assert_eq(out, in);
    struct drm_i915_gem_madvise m = {.handle = h, .madv = 7};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_MADVISE, &m), -EINVAL);
}

Test(gem, not_all_of_what_is_given_up_is_kept)
{
    const uint64_t size_B = 160 << 20;
    struct rig rig = rig_open(128);
    uint32_t a = rig_create(&rig, size_B), b = rig_create(&rig, size_B);
    cr_assert_eq(madvise_retained(&rig, a, I915_MADV_DONTNEED), 1u);
    cr_assert_eq(madvise_retained(&rig, b, I915_MADV_DONTNEED), 0u);
    cr_assert_eq(madvise_retained(&rig, b, I915_MADV_WILLNEED), 0u);
    /* What is closed makes room, and so does what is taken up. */
    struct drm_gem_close c = {.handle = a};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_GEM_CLOSE, &c), 0);
    for (unsigned i = 0; i < 3; i++) {
        a = rig_create(&rig, size_B);
        cr_assert_eq(madvise_retained(&rig, a, I915_MADV_DONTNEED), 1u);
        cr_assert_eq(madvise_retained(&rig, a, I915_MADV_WILLNEED), 1u);
    }
}

Test(gem, tiling_rules)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_set_tiling s = {.handle = rig_create(&rig, 65536),
                                        .tiling_mode = I915_TILING_X,
                                        .stride = 1024};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_SET_TILING, &s), 0);
    struct drm_i915_gem_get_tiling g = {.handle = s.handle};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_GET_TILING, &g), 0);
    cr_assert_eq(g.tiling_mode, (uint32_t)I915_TILING_X);
    s.stride = 1000;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_SET_TILING, &s), -EINVAL);
    s.tiling_mode = 3;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_SET_TILING, &s), -EINVAL);
}

static int export(const struct rig *rig, uint32_t handle)
{
    struct drm_prime_handle p = {.handle = handle,
                                 .flags = DRM_CLOEXEC | DRM_RDWR};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    return p.fd;
}

/* Whether the engine takes it that only batches write the object. */
static bool
is_ours(const struct rig *rig, uint32_t handle)
{
    uint64_t epoch;
    const struct bo *bo = handle_get(&rig->file->bos, handle);
    const struct engine_vm *vm = bo->bindings->ppgtt->vm;
    return vm_is_ours(vm, vm_ptr(vm, bo->bindings->va), bo->size_B, &epoch);
}

Test(gem, objects_that_others_may_write_are_exposed)
{
    struct rig rig = rig_open(128);
    uint32_t h[5], value = 1;
    for (unsigned i = 0; i < 5; i++)
        h[i] = rig_create(&rig, 4096);
    rig_map(&rig, h[4], 4096);
    for (unsigned i = 0; i < 5; i++) {
        const uint64_t va = 0x200000 + i * 0x10000;
        struct drm_i915_gem_execbuffer2 eb = {0};
        uint32_t batch = rig_store_batch(&rig, va, 1);
        cr_assert_eq(rig_exec(&rig, batch, h[i], va, &eb), 0);
        cr_assert_eq(is_ours(&rig, h[i]), i < 4);
    }
    rig_map(&rig, h[1], 4096);
    struct drm_i915_gem_pwrite w = {
        .handle = h[2], .size = 4, .data_ptr = (uintptr_t)&value};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PWRITE, &w), 0);
    close(export(&rig, h[3]));
    for (unsigned i = 0; i < 5; i++)
        cr_assert_eq(is_ours(&rig, h[i]), i == 0, "object %u", i);
}

Test(gem, prime_import_in_one_file_gives_the_same_handle)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_create(&rig, 65536);
    int fd = export(&rig, h);
    struct drm_prime_handle p = {.fd = fd};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p), 0);
    cr_assert_eq(p.handle, h);
}

Test(gem, prime_carries_memory_and_tiling_to_another_file)
{
    struct rig a = rig_open(128), b = rig_open(128);
    uint32_t h = rig_create(&a, 65536);
    uint32_t *pa = rig_map(&a, h, 65536);
    int fd = export(&a, h);
    struct drm_i915_gem_set_tiling s = {
        .handle = h, .tiling_mode = I915_TILING_Y, .stride = 256};
    cr_assert_eq(rig_ioctl(&a, DRM_IOCTL_I915_GEM_SET_TILING, &s), 0);
    struct drm_prime_handle p = {.fd = fd};
    cr_assert_eq(rig_ioctl(&b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p), 0);
    uint32_t *pb = rig_map(&b, p.handle, 65536);
    pa[9] = 99;
    cr_assert_eq(pb[9], 99u);
    struct drm_i915_gem_get_tiling g = {.handle = p.handle};
    rig_ioctl(&b, DRM_IOCTL_I915_GEM_GET_TILING, &g);
    cr_assert_eq(g.tiling_mode, (uint32_t)I915_TILING_Y);
}

Test(gem, prime_import_of_any_file_is_refused)
{
    struct rig rig = rig_open(128);
    int fd = memfd_create("other", 0);
    cr_assert_eq(ftruncate(fd, 16384), 0);
    struct drm_prime_handle p = {.fd = fd};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p), -EINVAL);
    p.fd = -1;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p), -EBADF);
}

Test(gem, object_outlives_its_handle_through_its_descriptor)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_create(&rig, 4096);
    uint32_t *p = rig_map(&rig, h, 4096);
    p[0] = 42;
    int fd = export(&rig, h);
    struct drm_gem_close c = {.handle = h};
    rig_ioctl(&rig, DRM_IOCTL_GEM_CLOSE, &c);
    struct drm_prime_handle i = {.fd = fd};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &i), 0);
    uint32_t *q = rig_map(&rig, i.handle, 4096);
    cr_assert_eq(q[0], 42u);
}

Test(gem, userptr_wants_whole_pages)
{
    struct rig rig = rig_open(128);
    void *mem = aligned_alloc(4096, 8192);
    struct drm_i915_gem_userptr u = {.user_ptr = (uintptr_t)mem,
                                     .user_size = 8192,
                                     .flags = I915_USERPTR_PROBE};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_USERPTR, &u), 0);
    u.user_size = 100;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_USERPTR, &u), -EINVAL);
    u.user_size = 4096;
    u.user_ptr = 0x10000; /* nothing there */
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_USERPTR, &u), -EFAULT);
}

Test(gem, flink_is_for_the_card_only)
{
    struct rig card = rig_open(0), render = rig_open(128);
    uint32_t h = rig_create(&card, 4096);
    struct drm_gem_flink f = {.handle = h};
    cr_assert_eq(rig_ioctl(&render, DRM_IOCTL_GEM_FLINK, &f), -EACCES);
    cr_assert_eq(rig_ioctl(&card, DRM_IOCTL_GEM_FLINK, &f), 0);
    struct drm_gem_open o = {.name = f.name};
    cr_assert_eq(rig_ioctl(&card, DRM_IOCTL_GEM_OPEN, &o), 0);
    cr_assert_eq(o.handle, h);
    cr_assert_eq(o.size, 4096u);
}

/* ---- few descriptors -------------------------------------------------- */

#define FEW 64
#define OBJECTS 500
#define OBJECT_B 8192

static unsigned
open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < FEW; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void
create_many(struct rig *rig, uint32_t handles[OBJECTS])
{
    struct rlimit limit = {FEW, FEW};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    *rig = rig_open(128);
    for (unsigned i = 0; i < OBJECTS; i++)
        handles[i] = rig_create(rig, OBJECT_B);
    cr_assert(open_descriptors() < FEW - 8);
}

Test(gem, more_objects_than_descriptors)
{
    struct rig rig;
    uint32_t handles[OBJECTS], *maps[OBJECTS];
    create_many(&rig, handles);
    for (unsigned i = 0; i < OBJECTS; i++) {
        maps[i] = rig_map(&rig, handles[i], OBJECT_B);
        for (unsigned k = 0; k < OBJECT_B / 4; k++)
            cr_assert_eq(maps[i][k], 0);
        maps[i][0] = maps[i][OBJECT_B / 4 - 1] = i + 1;
    }
    for (unsigned i = 0; i < OBJECTS; i++)
        cr_assert(maps[i][0] == i + 1 && maps[i][OBJECT_B / 4 - 1] == i + 1);
    /* What the client has mapped stays when the object goes, and what was an
     * object's is zero for the next. */
    for (unsigned i = 0; i < OBJECTS; i++) {
        struct drm_gem_close c = {.handle = handles[i]};
        if (i % 2)
            munmap(maps[i], OBJECT_B);
        cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_GEM_CLOSE, &c), 0);
    }
    for (unsigned i = 0; i < OBJECTS; i++) {
        const uint32_t *p = rig_map(&rig, rig_create(&rig, OBJECT_B), OBJECT_B);
        cr_assert(p[0] == 0 && p[OBJECT_B / 4 - 1] == 0);
    }
    for (unsigned i = 0; i < OBJECTS; i += 2)
        cr_assert(maps[i][0] == i + 1 && maps[i][OBJECT_B / 4 - 1] == i + 1);
}

Test(gem, object_without_a_descriptor_can_be_shared)
{
    struct rig rig;
    uint32_t handles[OBJECTS], value = 0x1234, seen = 0;
    create_many(&rig, handles);
    struct drm_i915_gem_pwrite w = {.handle = handles[OBJECTS - 1],
                                    .offset = 4096,
                                    .size = sizeof value,
                                    .data_ptr = (uintptr_t)&value};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PWRITE, &w), 0);
    struct drm_prime_handle p = {.handle = handles[OBJECTS - 1],
                                 .flags = DRM_CLOEXEC | DRM_RDWR};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    cr_assert_eq(pread(p.fd, &seen, sizeof seen, 4096), 4);
    cr_assert_eq(seen, value);
    seen = 0;
    struct drm_i915_gem_pread r = {.handle = handles[OBJECTS - 1],
                                   .offset = 4096,
                                   .size = sizeof seen,
                                   .data_ptr = (uintptr_t)&seen};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_PREAD, &r), 0);
    cr_assert_eq(seen, value);
    close(p.fd);
}
