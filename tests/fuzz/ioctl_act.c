/* ioctl_act.c: one act of a client; see ioctl_run.h. */
#include "ioctl_run.h"

#include "ioctl_fields.h"

#include "drm-shim/device/device.h"
#include "drm-shim/ioctl/ioctl.h"
#include "drm-shim/kms/display.h"
#include "drm-shim/sync/sync.h"

#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* What clients call most, and each row of the table. */
static const uint32_t usual[] = {
    DRM_IOCTL_I915_GEM_CREATE,
    DRM_IOCTL_I915_GEM_USERPTR,
    DRM_IOCTL_I915_GEM_WAIT,
    DRM_IOCTL_I915_GEM_BUSY,
    DRM_IOCTL_I915_GEM_SET_DOMAIN,
    DRM_IOCTL_I915_GEM_SET_TILING,
    DRM_IOCTL_I915_GEM_MADVISE,
    DRM_IOCTL_GEM_CLOSE,
    DRM_IOCTL_GEM_FLINK,
    DRM_IOCTL_GEM_OPEN,
    DRM_IOCTL_PRIME_HANDLE_TO_FD,
    DRM_IOCTL_PRIME_FD_TO_HANDLE,
    DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT,
    DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM,
    DRM_IOCTL_I915_GEM_CONTEXT_DESTROY,
    DRM_IOCTL_I915_GEM_VM_CREATE,
    DRM_IOCTL_SYNCOBJ_CREATE,
    DRM_IOCTL_SYNCOBJ_WAIT,
    DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
    DRM_IOCTL_SYNCOBJ_SIGNAL,
    DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
    DRM_IOCTL_SYNCOBJ_QUERY,
    DRM_IOCTL_SYNCOBJ_RESET,
    DRM_IOCTL_SYNCOBJ_TRANSFER,
    DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD,
    DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE,
    SHIM_IOCTL_SYNCOBJ_EVENTFD,
    DRM_IOCTL_MODE_ADDFB2,
    DRM_IOCTL_MODE_PAGE_FLIP,
    DRM_IOCTL_MODE_ATOMIC,
    DRM_IOCTL_MODE_CREATE_LEASE,
};
static const uint32_t all[] = {
#define X(access, request, handler) (uint32_t) request,
    IOCTL_TABLE(X)
#undef X
};

/* Sizes between them are refused only where the machine is small, and a batch
 * of that many zeros takes seconds. */
#define BO_MAX_B (1u << 20)
#define BO_HUGE_B (UINT64_C(1) << 44)

/* Only calls that end soon: nothing here waits for ever by right. */
static bool
make_short(struct caller *c, uint32_t request, void *arg)
{
    const int64_t soon_ns = fence_now_ns() + 500000;
    switch (request) {
    case DRM_IOCTL_I915_GEM_CREATE: {
        struct drm_i915_gem_create *create = arg;
        return create->size < BO_MAX_B || create->size > BO_HUGE_B;
    }
    case DRM_IOCTL_I915_GEM_CREATE_EXT: {
        struct drm_i915_gem_create_ext *create = arg;
        return create->size < BO_MAX_B || create->size > BO_HUGE_B;
    }
    case DRM_IOCTL_I915_GEM_WAIT: {
        struct drm_i915_gem_wait *w = arg;
        w->timeout_ns = MIN2((uint64_t)w->timeout_ns, 500000u);
        return true;
    }
    case DRM_IOCTL_SYNCOBJ_WAIT: {
        struct drm_syncobj_wait *w = arg;
        w->timeout_nsec = MIN2(w->timeout_nsec, soon_ns);
        return true;
    }
    case DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT: {
        struct drm_syncobj_timeline_wait *w = arg;
        w->timeout_nsec = MIN2(w->timeout_nsec, soon_ns);
        return true;
    }
    case DRM_IOCTL_SYNCOBJ_TRANSFER: {
        struct drm_syncobj_transfer *t = arg;
        t->flags &= ~(uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
        return true;
    }
    case DRM_IOCTL_WAIT_VBLANK: {
        union drm_wait_vblank *v = arg;
        v->request.type |= _DRM_VBLANK_EVENT;
        return true;
    }
    case DRM_IOCTL_MODE_ATOMIC: {
        struct drm_mode_atomic *a = arg;
        if (!(a->flags &
              (DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_ATOMIC_TEST_ONLY)) &&
            !c->slow_left)
            a->flags |= DRM_MODE_ATOMIC_NONBLOCK;
        c->slow_left -= c->slow_left != 0;
        return true;
    }
    case DRM_IOCTL_MODE_SETCRTC:
    case DRM_IOCTL_MODE_SETPLANE:
    case DRM_IOCTL_MODE_SETPROPERTY:
    case DRM_IOCTL_MODE_OBJ_SETPROPERTY:
    case DRM_IOCTL_MODE_DIRTYFB:
    case DRM_IOCTL_MODE_RMFB: return c->slow_left && c->slow_left--;
    default: return true;
    }
}

static int
call(struct caller *c, unsigned file, uint32_t request, void *arg)
{
    if (!c->device->file[file] || !make_short(c, request, arg))
        return -1;
    c->ioctls++;
    return ioctl_run(c->device->file[file], request, arg);
}

/* A page of MI_BATCH_BUFFER_END at the begin of a new object: zeros are
 * MI_NOOP, and a batch that nothing ends takes the time of 64 million. */
static void
end_batches(struct caller *c, unsigned file, uint32_t handle)
{
    static uint32_t page[1024];
    for (unsigned i = 0; !page[ARRAY_SIZE(page) - 1] && i < ARRAY_SIZE(page);
         i++)
        page[i] = 0x05000000;
    struct drm_i915_gem_pwrite w = {
        .handle = handle, .size = sizeof page, .data_ptr = (uintptr_t)page};
    ioctl_run(c->device->file[file], DRM_IOCTL_I915_GEM_PWRITE, &w);
}

static void
learn(struct caller *c, unsigned file, uint32_t request, const void *arg)
{
    args_learn(c, request, arg);
    switch (request) {
    case DRM_IOCTL_I915_GEM_CREATE:
    case DRM_IOCTL_I915_GEM_CREATE_EXT:
        end_batches(c, file, ((const struct drm_i915_gem_create *)arg)->handle);
        break;
    case DRM_IOCTL_MODE_CREATE_DUMB:
        end_batches(c, file,
                    ((const struct drm_mode_create_dumb *)arg)->handle);
        break;
    case DRM_IOCTL_I915_GEM_MMAP: {
        const struct drm_i915_gem_mmap *m = arg;
        munmap((void *)(uintptr_t)m->addr_ptr, m->size);
        break;
    }
    default: break;
    }
}

void
act_prepare(struct caller *c, unsigned file)
{
    for (unsigned i = 0; i < 4; i++) {
        struct drm_i915_gem_create bo = {.size = 16384};
        struct drm_syncobj_create syncobj = {.flags = i & 1};
        call(c, file, DRM_IOCTL_I915_GEM_CREATE, &bo);
        end_batches(c, file, bo.handle);
        call(c, file, DRM_IOCTL_SYNCOBJ_CREATE, &syncobj);
    }
}

static void
call_any(struct caller *c, unsigned file, uint32_t request)
{
    _Alignas(16) uint8_t arg[512] = {0};
    args_fill(c, request, arg);
    if (call(c, file, request, arg))
        return;
    learn(c, file, request, arg);
}

static void
keep_fd(struct caller *c, int fd)
{
    pool_add(&c->device->fds, (uint32_t)fd);
}

static void
submit(struct caller *c, unsigned file)
{
    struct drm_i915_gem_execbuffer2 eb = {0};
    args_exec(c, &eb);
    if (!call(c, file, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb) &&
        eb.flags & I915_EXEC_FENCE_OUT)
        keep_fd(c, (int)(eb.rsvd2 >> 32));
}

/* Writes commands into an object. */
static void
write_batch(struct caller *c, unsigned file)
{
    static const uint32_t store[] = {0x10000002, 0x101000, 0, 7, 0x05000000, 0},
                          jump_to_itself[] = {0x18800101, 0x100000, 0, 0},
                          wait_for_ever[] = {0x0e00c002, 1,          0x100000,
                                             0,          0x05000000, 0},
                          copy[] = {0x2e800005, 0, 0x100000,   0,
                                    0x101000,   0, 0x05000000, 0};
    uint32_t noise[32] = {0};
    uint8_t b = take(c);
    struct drm_i915_gem_pwrite w = {.handle = 1 + b % 4,
                                    .offset = (uint64_t)take(c) % 4 * 4096};
    const void *data = store;
    w.size = sizeof store;
    if (b >= 250) {
        data = jump_to_itself;
        w.size = sizeof jump_to_itself;
    } else if (b >= 244) {
        data = wait_for_ever;
        w.size = sizeof wait_for_ever;
    } else if (b >= 224) {
        data = copy;
        w.size = sizeof copy;
    } else if (b >= 128) {
        for (unsigned i = 0; i < ARRAY_SIZE(noise); i++)
            noise[i] = (uint32_t)take(c) << 24 | (uint32_t)take(c) << 16 |
                       take(c);
        data = noise;
        w.size = sizeof noise;
    }
    w.data_ptr = (uintptr_t)data;
    call(c, file, DRM_IOCTL_I915_GEM_PWRITE, &w);
}

static void
map_object(struct caller *c, unsigned file)
{
    uint8_t b = take(c);
    struct drm_i915_gem_mmap_offset m = {.handle = 1 + b % 4,
                                         .flags = I915_MMAP_OFFSET_WB};
    size_t size_B = 4096u << take(c) % 4;
    if (call(c, file, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m))
        return;
    volatile uint8_t *p = ioctl_mmap(
        c->device->file[file], NULL, size_B, PROT_READ | PROT_WRITE,
        b >= 224 ? MAP_PRIVATE : MAP_SHARED, m.offset + (b >= 240 ? 4096u : 0));
    if (p == MAP_FAILED)
        return;
    /* Within the object: what is beyond may not be there. */
    if (b < 128)
        p[b] = b;
    munmap((void *)(uintptr_t)p, size_B);
}

static void
read_events(struct caller *c, unsigned file)
{
    char events[256];
    while (recv(c->device->fd[file], events, sizeof events, MSG_DONTWAIT) > 0)
        continue;
}

/* Shows a picture, as a client that knows what it does. */
static void
show(struct caller *c, unsigned file)
{
    struct drm_mode_create_dumb dumb = {
        .width = 1024, .height = 768, .bpp = 32};
    struct drm_mode_get_connector list = {.connector_id = KMS_CONNECTOR};
    struct drm_mode_modeinfo modes[16];
    uint32_t connector = KMS_CONNECTOR;
    if (call(c, file, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
        return;
    struct drm_mode_fb_cmd fb = {.width = 1024,
                                 .height = 768,
                                 .bpp = 32,
                                 .depth = 24,
                                 .pitch = dumb.pitch,
                                 .handle = dumb.handle};
    list.modes_ptr = (uintptr_t)modes;
    list.count_modes = ARRAY_SIZE(modes);
    if (call(c, file, DRM_IOCTL_MODE_ADDFB, &fb) ||
        call(c, file, DRM_IOCTL_MODE_GETCONNECTOR, &list))
        return;
    pool_add(&c->device->ids, fb.fb_id);
    struct drm_mode_crtc crtc = {.set_connectors_ptr = (uintptr_t)&connector,
                                 .count_connectors = 1,
                                 .crtc_id = KMS_CRTC,
                                 .fb_id = fb.fb_id,
                                 .mode_valid = 1,
                                 .mode = modes[0]};
    call(c, file, DRM_IOCTL_MODE_SETCRTC, &crtc);
    for (unsigned i = 0; i < 4; i++)
        call_any(c, file,
                 i & 1 ? DRM_IOCTL_MODE_ATOMIC : DRM_IOCTL_MODE_PAGE_FLIP);
}

void
act_run(struct caller *c)
{
    static const uint8_t files[] = {1, 0, 1, 0, 1, 0, 2, 3};
    uint8_t act = take(c), b = take(c);
    unsigned file = files[b % 8];
    if (act < 110)
        call_any(c, file, usual[act % ARRAY_SIZE(usual)]);
    else if (act < 160)
        call_any(c, file, all[take(c) % ARRAY_SIZE(all)]);
    else if (act < 204)
        submit(c, file);
    else if (act < 220)
        write_batch(c, file);
    else if (act < 230)
        map_object(c, file);
    else if (act < 236)
        show(c, b & 16 ? 0 : file);
    else if (act < 240)
        read_events(c, file);
    else if (act < 246)
        keep_fd(c, eventfd(0, EFD_CLOEXEC));
    else if (act < 250)
        device_collect();
    else
        keep_fd(c, fcntl(c->device->fd[file], F_DUPFD_CLOEXEC, 3));
}
