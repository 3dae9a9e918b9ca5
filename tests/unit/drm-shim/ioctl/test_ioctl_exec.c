#include "shim_rig.h"

#include "drm-shim/gem/bo.h"
#include "drm-shim/gem/ppgtt.h"
#include "drm-shim/sync/fence.h"
#include "engine/engine.h"

#include <poll.h>

#define VA UINT64_C(0x10000000)

static struct drm_i915_gem_execbuffer2 none;

Test(exec, batch_writes_memory)
{
    struct rig rig = rig_open(128);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, VA + 64, 0xabcd);
    struct drm_i915_gem_execbuffer2 eb = none;
    cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb), 0);
    struct drm_i915_gem_wait w = {.bo_handle = target, .timeout_ns = -1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_WAIT, &w), 0);
    const uint32_t *p = rig_map(&rig, target, 4096);
    cr_assert_eq(p[16], 0xabcdu);
}

Test(exec, lists_that_cannot_be_read_are_refused)
{
    struct rig rig = rig_open(128);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, VA, 1);
    struct drm_i915_gem_execbuffer2 eb = none;
    /* From now on the engine's signal handler is there. */
    cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb), 0);
    uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(mprotect(pages + 4096, 4096, PROT_NONE), 0);
    const uint64_t bad[] = {8, (uintptr_t)pages + 4096,
                            (uintptr_t)pages + 4096 - 16, UINT64_C(1) << 63,
                            UINT64_MAX - 8};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        eb = none;
        eb.buffers_ptr = bad[i];
        eb.buffer_count = 1;
        cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb),
                     -EFAULT, "case %u", i);
    }
    struct drm_i915_gem_exec_object2 *last = (void *)(pages + 4096);
    last[-1] = (struct drm_i915_gem_exec_object2){.handle = batch};
    eb.buffers_ptr = (uintptr_t)&last[-1];
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb), 0);
}

Test(exec, canonical_addresses_lose_their_sign)
{
    struct rig rig = rig_open(128);
    const uint64_t va = UINT64_C(0xfffffffff0000000);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, va & 0xffffffffffff, 7);
    struct drm_i915_gem_execbuffer2 eb = none;
    cr_assert_eq(rig_exec(&rig, batch, target, va, &eb), 0);
    const uint32_t *p = rig_map(&rig, target, 4096);
    cr_assert_eq(p[0], 7u);
}

Test(exec, rebinding_moves_the_old_object_out)
{
    struct rig rig = rig_open(128);
    uint32_t a = rig_create(&rig, 4096), b = rig_create(&rig, 4096);
    uint32_t one = rig_store_batch(&rig, VA, 1);
    uint32_t two = rig_store_batch(&rig, VA, 2);
    struct drm_i915_gem_execbuffer2 eb = none;
    cr_assert_eq(rig_exec(&rig, one, a, VA, &eb), 0);
    eb = none;
    cr_assert_eq(rig_exec(&rig, two, b, VA, &eb), 0);
    const uint32_t *pa = rig_map(&rig, a, 4096), *pb = rig_map(&rig, b, 4096);
    cr_assert_eq(pa[0], 1u);
    cr_assert_eq(pb[0], 2u);
}

/* The address space is as large as Kaby Lake's. */
Test(exec, addresses_have_48_bits)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_context_param p = {
        .param = I915_CONTEXT_PARAM_GTT_SIZE};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &p), 0);
    cr_assert_eq(p.value, UINT64_C(1) << 48);
    const uint64_t far = UINT64_C(0x7f0000000000);
    uint32_t a = rig_create(&rig, 4096), b = rig_create(&rig, 4096);
    uint32_t one = rig_store_batch(&rig, VA, 1);
    uint32_t two = rig_store_batch(&rig, far + VA, 2);
    struct drm_i915_gem_execbuffer2 eb = none;
    cr_assert_eq(rig_exec(&rig, one, a, VA, &eb), 0);
    eb = none;
    cr_assert_eq(rig_exec(&rig, two, b, far + VA, &eb), 0);
    const uint32_t *pa = rig_map(&rig, a, 4096), *pb = rig_map(&rig, b, 4096);
    cr_assert_eq(pa[0], 1u);
    cr_assert_eq(pb[0], 2u);
    /* In one batch, too. */
    uint32_t three = rig_store_batch(&rig, far + RIG_BATCH_VA, 3);
    eb = none;
    cr_assert_eq(rig_exec(&rig, three, a, far + RIG_BATCH_VA, &eb), 0);
    cr_assert_eq(pa[0], 3u);
}

Test(exec, addresses_that_do_not_exist_are_refused)
{
    struct rig rig = rig_open(128);
    uint32_t batch = rig_store_batch(&rig, VA, 1);
    uint32_t two_pages = rig_create(&rig, 8192);
    const uint64_t bad[] = {VA + 8, UINT64_C(1) << 47, UINT64_C(1) << 48,
                            UINT64_C(0xffff000000000000), UINT64_MAX - 4095};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct drm_i915_gem_execbuffer2 eb = none;
        cr_assert_eq(rig_exec(&rig, batch, two_pages, bad[i], &eb), -EINVAL,
                     "case %u", i);
    }
    struct drm_i915_gem_execbuffer2 eb = none;
    cr_assert_eq(rig_exec(&rig, batch, two_pages, UINT64_MAX - 8191, &eb), 0);
    eb = none;
    cr_assert_eq(rig_exec(&rig, batch, two_pages, RIG_BATCH_VA, &eb), -EINVAL);
}

/* Of three objects side by side, the middle one has the address of a fourth in
 * the engine's window. */
Test(exec, memory_side_by_side_stays_so)
{
    struct rig rig = rig_open(128);
    const uint64_t high = UINT64_C(1) << 45;
    uint8_t *user = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t batch = rig_store_batch(&rig, high + VA + 8192, 9);
    struct drm_i915_gem_exec_object2 o[5] = {
        {.handle = batch, .offset = RIG_BATCH_VA},
        {.handle = rig_create(&rig, 4096), .offset = VA + 4096}};
    for (unsigned i = 0; i < 3; i++) {
        struct drm_i915_gem_userptr u = {.user_ptr = (uintptr_t)user + 4096 * i,
                                         .user_size = 4096};
        cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_USERPTR, &u), 0);
        o[2 + i] = (struct drm_i915_gem_exec_object2){
            .handle = u.handle, .offset = high + VA + 4096 * i};
    }
    for (unsigned i = 0; i < 5; i++)
        o[i].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS |
                     EXEC_OBJECT_WRITE;
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 5,
                                          .batch_len = 24,
                                          .flags = I915_EXEC_BATCH_FIRST |
                                                   I915_EXEC_NO_RELOC};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb), 0);
    cr_assert_eq(*(uint32_t *)(user + 8192), 9u);
    struct bo *bo = handle_get(&rig.file->bos, o[2].handle);
    struct engine_vm *vm = bo->bindings->ppgtt->vm;
    cr_assert(engine_vm_has_moved(vm));
    cr_assert(engine_vm_is_straight(vm, high + VA, 3 * 4096));
}

Test(exec, syncobjs_of_the_fence_array_signal)
{
    struct rig rig = rig_open(128);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, VA, 3);
    struct drm_i915_gem_exec_fence f = {.handle = rig_syncobj(&rig, 0),
                                        .flags = I915_EXEC_FENCE_SIGNAL};
    struct drm_i915_gem_execbuffer2 eb = {.flags = I915_EXEC_FENCE_ARRAY,
                                          .num_cliprects = 1,
                                          .cliprects_ptr = (uintptr_t)&f};
    cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb), 0);
    struct drm_syncobj_wait w = {.handles = (uintptr_t)&f.handle,
                                 .count_handles = 1,
                                 .timeout_nsec = INT64_MAX};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), 0);
}

Test(exec, wait_on_an_empty_syncobj_is_refused)
{
    struct rig rig = rig_open(128);
    uint32_t batch = rig_store_batch(&rig, VA, 3);
    struct drm_i915_gem_exec_fence f = {.handle = rig_syncobj(&rig, 0),
                                        .flags = I915_EXEC_FENCE_WAIT};
    struct drm_i915_gem_execbuffer2 eb = {.flags = I915_EXEC_FENCE_ARRAY,
                                          .num_cliprects = 1,
                                          .cliprects_ptr = (uintptr_t)&f};
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -EINVAL);
    f.handle = 1234;
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -ENOENT);
}

Test(exec, timeline_points_signal)
{
    struct rig rig = rig_open(128);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, VA, 3);
    struct drm_i915_gem_exec_fence f = {.handle = rig_syncobj(&rig, 0),
                                        .flags = I915_EXEC_FENCE_SIGNAL};
    uint64_t point = 5, value = 0;
    struct drm_i915_gem_execbuffer_ext_timeline_fences ext = {
        .fence_count = 1,
        .handles_ptr = (uintptr_t)&f,
        .values_ptr = (uintptr_t)&point,
    };
    struct drm_i915_gem_execbuffer2 eb = {.flags = I915_EXEC_USE_EXTENSIONS,
                                          .cliprects_ptr = (uintptr_t)&ext};
    cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb), 0);
    struct drm_i915_gem_wait w = {.bo_handle = batch, .timeout_ns = -1};
    rig_ioctl(&rig, DRM_IOCTL_I915_GEM_WAIT, &w);
    struct drm_syncobj_timeline_array q = {.handles = (uintptr_t)&f.handle,
                                           .points = (uintptr_t)&value,
                                           .count_handles = 1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_QUERY, &q), 0);
    cr_assert_eq(value, 5u);
}

Test(exec, out_fence_is_a_readable_file)
{
    struct rig rig = rig_open(128);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, VA, 3);
    struct drm_i915_gem_execbuffer2 eb = {.flags = I915_EXEC_FENCE_OUT};
    cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb), 0);
    int fd = (int)(eb.rsvd2 >> 32);
    struct drm_i915_gem_wait w = {.bo_handle = batch, .timeout_ns = -1};
    rig_ioctl(&rig, DRM_IOCTL_I915_GEM_WAIT, &w);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 0), 1);
    cr_assert(p.revents & POLLIN);
}

/* A batch that waits for a sync_file keeps its objects busy. */
Test(exec, objects_are_busy_while_the_batch_waits)
{
    setenv("SOFTLAKE_THREADS", "1", 1);
    struct rig rig = rig_open(128);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, VA, 3);
    struct fence *go = fence_create(false);
    int fd = fence_export(go);
    struct drm_i915_gem_execbuffer2 eb = {.flags = I915_EXEC_FENCE_IN,
                                          .rsvd2 = (uint32_t)fd};
    cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb), 0);
    struct drm_i915_gem_busy b = {.handle = target};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_BUSY, &b), 0);
    cr_assert_eq(b.busy, 0x10001u); /* written and read by the render class */
    struct drm_i915_gem_wait w = {.bo_handle = target, .timeout_ns = 1000000};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_WAIT, &w), -ETIME);
    cr_assert_eq(w.timeout_ns, 0);
    fence_signal(go);
    w.timeout_ns = -1;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_WAIT, &w), 0);
    rig_ioctl(&rig, DRM_IOCTL_I915_GEM_BUSY, &b);
    cr_assert_eq(b.busy, 0u);
    const uint32_t *p = rig_map(&rig, target, 4096);
    cr_assert_eq(p[0], 3u);
}

/* Work of another context on a written object comes after it. */
Test(exec, writers_of_one_object_run_in_order)
{
    setenv("SOFTLAKE_THREADS", "1", 1);
    struct rig rig = rig_open(128);
    struct drm_i915_gem_context_create c = {0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c), 0);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t first = rig_store_batch(&rig, VA, 1);
    uint32_t second = rig_create(&rig, 4096);
    uint32_t *dw = rig_map(&rig, second, 4096);
    dw[0] = 0x10000002;
    dw[1] = (uint32_t)VA;
    dw[3] = 2;
    dw[4] = 0x05000000;
    struct fence *go = fence_create(false);
    int fd = fence_export(go);
    struct drm_i915_gem_execbuffer2 eb = {.flags = I915_EXEC_FENCE_IN,
                                          .rsvd2 = (uint32_t)fd};
    cr_assert_eq(rig_exec(&rig, first, target, VA, &eb), 0);
    /* The same space, another engine context; the batch sits elsewhere. */
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = second,
         .offset = 0x200000,
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS},
        {.handle = target,
         .offset = VA,
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS |
                  EXEC_OBJECT_WRITE}};
    eb = (struct drm_i915_gem_execbuffer2){.buffers_ptr = (uintptr_t)o,
                                           .buffer_count = 2,
                                           .batch_len = 24,
                                           .flags = I915_EXEC_BATCH_FIRST |
                                                    I915_EXEC_NO_RELOC,
                                           .rsvd1 = c.ctx_id};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb), 0);
    usleep(20000);
    const uint32_t *p = rig_map(&rig, target, 4096);
    cr_assert_eq(p[0], 0u);
    fence_signal(go);
    struct drm_i915_gem_wait w = {.bo_handle = target, .timeout_ns = -1};
    rig_ioctl(&rig, DRM_IOCTL_I915_GEM_WAIT, &w);
    cr_assert_eq(p[0], 2u);
}

Test(exec, relocations_write_the_addresses_that_were_chosen)
{
    struct rig rig = rig_open(128);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, 0, 0x55);
    struct drm_i915_gem_relocation_entry r = {
        .target_handle = 0, /* index with HANDLE_LUT */
        .delta = 128,
        .offset = 4,
        .presumed_offset = UINT64_MAX,
        .write_domain = I915_GEM_DOMAIN_RENDER,
        .read_domains = I915_GEM_DOMAIN_RENDER,
    };
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = target},
        {.handle = batch, .relocation_count = 1, .relocs_ptr = (uintptr_t)&r}};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 2,
                                          .batch_len = 24,
                                          .flags = I915_EXEC_HANDLE_LUT};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb), 0);
    const uint32_t *p = rig_map(&rig, target, 4096);
    cr_assert_eq(p[32], 0x55u);
    cr_assert_eq(r.presumed_offset, o[0].offset);
    cr_assert_lt(o[0].offset, UINT64_C(1) << 32);
    cr_assert_neq(o[0].offset, 0u);
}

/* xf86-video-intel puts the surface base below its batch. */
Test(exec, the_delta_of_a_relocation_has_a_sign)
{
    const uint64_t target_va = 0x200000, batch_va = 0x300000;
    struct rig rig = rig_open(128);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, 0, 0x66);
    struct drm_i915_gem_relocation_entry r = {
        .target_handle = 1,
        .delta = (uint32_t)(target_va + 128 - batch_va),
        .offset = 4,
        .presumed_offset = UINT64_MAX,
    };
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = target,
         .offset = target_va,
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
        {.handle = batch,
         .offset = batch_va,
         .flags = EXEC_OBJECT_PINNED,
         .relocation_count = 1,
         .relocs_ptr = (uintptr_t)&r}};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 2,
                                          .batch_len = 24,
                                          .flags = I915_EXEC_HANDLE_LUT};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb), 0);
    const uint32_t *p = rig_map(&rig, target, 4096);
    cr_assert_eq(p[32], 0x66u);
}

Test(exec, hostile_relocations_are_refused)
{
    struct rig rig = rig_open(128);
    uint32_t batch = rig_store_batch(&rig, 0, 1);
    struct drm_i915_gem_relocation_entry r = {
        .target_handle = batch, .offset = 4094, .presumed_offset = 1};
    struct drm_i915_gem_exec_object2 o = {
        .handle = batch, .relocation_count = 1, .relocs_ptr = (uintptr_t)&r};
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)&o,
                                          .buffer_count = 1};
    const unsigned long request = DRM_IOCTL_I915_GEM_EXECBUFFER2;
    cr_assert_eq(rig_ioctl(&rig, request, &eb), -EINVAL);
    r.offset = UINT64_MAX - 3;
    cr_assert_eq(rig_ioctl(&rig, request, &eb), -EINVAL);
    r.offset = 0;
    r.target_handle = 99;
    cr_assert_eq(rig_ioctl(&rig, request, &eb), -ENOENT);
    o.relocs_ptr = 8;
    cr_assert_eq(rig_ioctl(&rig, request, &eb), -EFAULT);
    o.relocation_count = UINT32_MAX;
    cr_assert_eq(rig_ioctl(&rig, request, &eb), -EINVAL);
}

Test(exec, bad_arguments_are_refused)
{
    struct rig rig = rig_open(128);
    uint32_t batch = rig_store_batch(&rig, VA, 1);
    struct drm_i915_gem_execbuffer2 eb = none;
    eb.batch_start_offset = 4;
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -EINVAL);
    eb = none;
    eb.batch_start_offset = 8192;
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -EINVAL);
    eb = none;
    eb.flags = I915_EXEC_SECURE;
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -EPERM);
    eb = none;
    eb.flags = UINT64_C(1) << 40;
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -EINVAL);
    eb = none;
    eb.flags = 9; /* no such ring */
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -EINVAL);
    eb = none;
    eb.rsvd1 = 33; /* no such context */
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -ENOENT);
    eb = none;
    cr_assert_eq(rig_exec(&rig, 44, 0, 0, &eb), -ENOENT);
    eb = none;
    cr_assert_eq(rig_exec(&rig, batch, batch, VA, &eb), -EINVAL);
}

Test(exec, engine_map_selects_by_index)
{
    struct rig rig = rig_open(128);
    I915_DEFINE_CONTEXT_PARAM_ENGINES(map, 2) = {
        .engines = {{I915_ENGINE_CLASS_RENDER, 0},
                    {I915_ENGINE_CLASS_RENDER, 0}}};
    struct drm_i915_gem_context_create_ext_setparam set = {
        .base.name = I915_CONTEXT_CREATE_EXT_SETPARAM,
        .param = {.param = I915_CONTEXT_PARAM_ENGINES,
                  .size = sizeof map,
                  .value = (uintptr_t)&map}};
    struct drm_i915_gem_context_create_ext c = {
        .flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS,
        .extensions = (uintptr_t)&set};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &c), 0);
    uint32_t batch = rig_store_batch(&rig, VA, 1);
    uint32_t target = rig_create(&rig, 4096);
    for (unsigned ring = 0; ring < 3; ring++) {
        struct drm_i915_gem_execbuffer2 eb = {.flags = ring, .rsvd1 = c.ctx_id};
        cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb),
                     ring < 2 ? 0 : -EINVAL);
    }
}

Test(exec, protected_content_must_fail)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_context_create_ext_setparam set = {
        .base.name = I915_CONTEXT_CREATE_EXT_SETPARAM,
        .param = {.param = I915_CONTEXT_PARAM_PROTECTED_CONTENT, .value = 1}};
    struct drm_i915_gem_context_create_ext c = {
        .flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS,
        .extensions = (uintptr_t)&set};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &c),
                 -ENODEV);
    /* A chain that bites its own tail ends. */
    set.param = (struct drm_i915_gem_context_param){
        .param = I915_CONTEXT_PARAM_PRIORITY};
    set.base.next_extension = (uintptr_t)&set;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &c),
                 -E2BIG);
}

Test(exec, contexts_of_one_vm_share_addresses)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_vm_control vm = {0};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_VM_CREATE, &vm), 0);
    struct drm_i915_gem_context_create c = {0};
    rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c);
    struct drm_i915_gem_context_param p = {
        .ctx_id = c.ctx_id, .param = I915_CONTEXT_PARAM_VM, .value = vm.vm_id};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p), 0);
    p.value = 88;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p),
                 -ENOENT);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GEM_VM_DESTROY, &vm), 0);
    /* The context keeps it alive. */
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = rig_store_batch(&rig, VA, 9);
    struct drm_i915_gem_execbuffer2 eb = {.rsvd1 = c.ctx_id};
    cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb), 0);
    const uint32_t *m = rig_map(&rig, target, 4096);
    cr_assert_eq(m[0], 9u);
}

Test(exec, bad_batch_resets_its_context)
{
    struct rig rig = rig_open(128);
    struct drm_i915_gem_context_create c = {0};
    rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c);
    uint32_t batch = rig_create(&rig, 4096);
    uint32_t *dw = rig_map(&rig, batch, 4096);
    memset(dw, 0xff, 4096);
    struct drm_i915_gem_execbuffer2 eb = {.rsvd1 = c.ctx_id};
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), 0);
    struct drm_i915_reset_stats r = {.ctx_id = c.ctx_id};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_I915_GET_RESET_STATS, &r), 0);
    cr_assert_eq(r.batch_active, 1u);
    /* And without recovery it takes no more work. */
    struct drm_i915_gem_context_param p = {
        .ctx_id = c.ctx_id, .param = I915_CONTEXT_PARAM_RECOVERABLE};
    rig_ioctl(&rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
    eb = (struct drm_i915_gem_execbuffer2){.rsvd1 = c.ctx_id};
    cr_assert_eq(rig_exec(&rig, batch, 0, 0, &eb), -EIO);
}
