/* ioctl_exec.c: submissions; see ioctl_run.h. */
#include "ioctl_run.h"

#include <i915_drm.h>
#include <string.h>

static void *
scratch(struct caller *c, size_t size_B)
{
    if (c->used_B + size_B + 8 > SCRATCH_B)
        c->used_B = 0;
    void *p = c->scratch + c->used_B;
    c->used_B += (size_B + 7) & ~(size_t)7;
    memset(p, 0, size_B);
    return p;
}

/* Of object i, mostly apart from the others'. */
static uint64_t
pick_va(struct caller *c, unsigned i)
{
    uint8_t b = take(c);
    if (b < 192)
        return UINT64_C(0x100000) * (i + 1);
    if (b < 240)
        return UINT64_C(0x100000) + (uint64_t)(b % 32) * 4096;
    switch (b % 6) {
    case 0: return 0;
    case 1: return 0xffffe000;               /* up to 4 GiB */
    case 2: return UINT64_C(1) << 40;        /* meets 0 in a small window */
    case 3: return UINT64_C(0x7ffffffff000); /* the last below 2^47 */
    case 4: return UINT64_C(0xffffffffffffe000);
    default: return (uint64_t)take(c) << 39 | 0x100000;
    }
}

static uint64_t
make_relocs(struct caller *c, uint32_t *count)
{
    uint8_t b = take(c);
    *count = b < 192 ? 0 : b % 4;
    if (!*count)
        return 0;
    struct drm_i915_gem_relocation_entry *r = scratch(c, *count * sizeof *r);
    for (unsigned i = 0; i < *count; i++) {
        r[i].target_handle = take(c) % 6;
        r[i].delta = take(c);
        r[i].offset = take(c) * UINT64_C(4);
        if (take(c) >= 240)
            r[i].offset = (uint64_t)take(c) << take(c) % 56;
        r[i].presumed_offset = pick_va(c, r[i].target_handle);
    }
    return (uintptr_t)r;
}

static uint64_t
make_objects(struct caller *c, uint32_t count)
{
    static const uint64_t sets[] = {
        EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS,
        EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS |
            EXEC_OBJECT_WRITE,
        EXEC_OBJECT_SUPPORTS_48B_ADDRESS,
        EXEC_OBJECT_WRITE,
        EXEC_OBJECT_PINNED | EXEC_OBJECT_ASYNC,
        EXEC_OBJECT_NEEDS_GTT | EXEC_OBJECT_CAPTURE,
    };
    struct drm_i915_gem_exec_object2 *o = scratch(c, count * sizeof *o);
    for (unsigned i = 0; i < count; i++) {
        uint8_t b = take(c);
        o[i].handle = b >= 252 ? UINT32_MAX : 1u + (b + (b < 200) * i) % 4;
        b = take(c);
        o[i].flags = sets[b < 160 ? b % 2 : b % ARRAY_SIZE(sets)];
        if (b >= 250)
            o[i].flags = UINT64_C(1) << take(c) % 64;
        o[i].offset = pick_va(c, i);
        o[i].relocs_ptr = make_relocs(c, &o[i].relocation_count);
        if (take(c) >= 240)
            o[i].alignment = UINT64_C(1) << take(c) % 64;
    }
    return (uintptr_t)o;
}

static uint64_t
make_fences(struct caller *c, uint32_t count)
{
    struct drm_i915_gem_exec_fence *f = scratch(c, count * sizeof *f);
    for (unsigned i = 0; i < count; i++) {
        f[i].handle = 1 + take(c) % 4;
        f[i].flags = take(c) % 4;
    }
    return (uintptr_t)f;
}

static uint64_t
make_timeline(struct caller *c)
{
    struct drm_i915_gem_execbuffer_ext_timeline_fences *e = scratch(c,
                                                                    sizeof *e);
    e->fence_count = take(c) % 5;
    uint64_t *points = scratch(c, 8 * sizeof *points);
    for (unsigned i = 0; i < 8; i++)
        points[i] = take(c) % 6;
    e->values_ptr = (uintptr_t)points;
    e->handles_ptr = make_fences(c, 8);
    if (take(c) >= 250)
        e->base.next_extension = (uintptr_t)e;
    return (uintptr_t)e;
}

void
args_exec(struct caller *c, void *arg)
{
    struct drm_i915_gem_execbuffer2 *eb = arg;
    uint8_t b = take(c), flags = take(c);
    eb->buffer_count = 1 + b % 3;
    eb->buffers_ptr = make_objects(c, eb->buffer_count);
    eb->flags = b < 200 ? I915_EXEC_RENDER : b % 6;
    eb->rsvd1 = b >= 192 ? b % 4 : 0;
    if (flags & 1)
        eb->flags |= I915_EXEC_NO_RELOC;
    if (flags & 2)
        eb->flags |= I915_EXEC_HANDLE_LUT;
    if (flags & 4)
        eb->flags |= I915_EXEC_BATCH_FIRST;
    if (flags & 8)
        eb->flags |= I915_EXEC_FENCE_OUT;
    if (flags & 16 && atomic_load(&c->device->fds.count)) {
        eb->flags |= I915_EXEC_FENCE_IN;
        eb->rsvd2 = pool_pick(&c->device->fds, take(c));
    }
    if (flags >> 6 == 1) {
        eb->flags |= I915_EXEC_FENCE_ARRAY;
        eb->num_cliprects = take(c) % 5;
        eb->cliprects_ptr = make_fences(c, eb->num_cliprects);
    } else if (flags >> 6 == 2) {
        eb->flags |= I915_EXEC_USE_EXTENSIONS;
        eb->cliprects_ptr = make_timeline(c);
    }
    /* The zeros of a whole object would be most of the time. */
    b = take(c);
    eb->batch_len = b < 255 ? 64u + b % 4 * 64u : 0;
    if (flags & 32)
        eb->batch_start_offset = take(c) * 8u;
}
