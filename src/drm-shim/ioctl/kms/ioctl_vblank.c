/* ioctl_vblank.c: vblanks: waits for one, returns its number and time. */
#include "drm-shim/sync/sync.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/kms/kms.h"

#include <errno.h>

#define WAIT_LIMIT_NS INT64_C(3000000000)

static void
fill_reply(struct drm_wait_vblank_reply *r, uint64_t sequence, int64_t time_ns)
{
    r->sequence = (uint32_t)sequence;
    r->tval_sec = time_ns / INT64_C(1000000000);
    r->tval_usec = time_ns % INT64_C(1000000000) / 1000;
}

/* Widens the client's 32-bit number to the nearest 64-bit one. */
static uint64_t
widen_sequence(uint64_t now, uint32_t sequence)
{
    return now + (uint64_t)(int64_t)(int32_t)(sequence - (uint32_t)now);
}

int
ioctl_wait_vblank(struct drm_file *file, void *arg)
{
    union drm_wait_vblank *v = arg;
    const uint32_t known = _DRM_VBLANK_TYPES_MASK | _DRM_VBLANK_FLAGS_MASK |
                           _DRM_VBLANK_HIGH_CRTC_MASK;
    struct drm_wait_vblank_request q = v->request;
    if (q.type & ~known || q.type & _DRM_VBLANK_SIGNAL)
        return -EINVAL;
    if (q.type & (_DRM_VBLANK_SECONDARY | _DRM_VBLANK_HIGH_CRTC_MASK))
        return -EINVAL; /* there is one CRTC */
    int64_t time_ns;
    device_lock();
    struct kms *kms = kms_of_device();
    uint64_t now = kms_vblank(kms, &time_ns);
    uint64_t target = q.type & _DRM_VBLANK_RELATIVE
                          ? now + q.sequence
                          : widen_sequence(now, q.sequence);
    if (q.type & _DRM_VBLANK_NEXTONMISS && target <= now)
        target = now + 1;
    struct kms_wait wait = {.sequence = target};
    bool seen = lease_sees(file, KMS_CRTC);
    int err = kms_is_on(kms) && seen ? 0 : -EINVAL;
    if (err) {
        /* A dark display has no vblanks. */
    } else if (q.type & _DRM_VBLANK_EVENT) {
        wait.file = file;
        wait.type = DRM_EVENT_VBLANK;
        wait.user_data = q.signal;
        err = kms_queue_wait(kms, &wait);
        now = target;
    } else if (target > now) {
        wait.fence = fence_create(false);
        err = wait.fence ? kms_queue_wait(kms, &wait) : -ENOMEM;
    }
    device_unlock();
    if (wait.fence && !err) {
        /* Like the kernel, ends a longer wait with EBUSY. */
        if (fence_wait(wait.fence, fence_now_ns() + WAIT_LIMIT_NS))
            err = -EBUSY;
        device_lock();
        now = kms_vblank(kms, &time_ns);
        device_unlock();
    }
    fence_unref(wait.fence);
    if (!err)
        fill_reply(&v->reply, now, time_ns);
    return err;
}

int
ioctl_crtc_get_sequence(struct drm_file *file, void *arg)
{
    struct drm_crtc_get_sequence *s = arg;
    int64_t time_ns;
    if (s->crtc_id != KMS_CRTC)
        return -ENOENT;
    device_lock();
    struct kms *kms = kms_of_device();
    s->sequence = kms_vblank(kms, &time_ns);
    s->sequence_ns = time_ns;
    s->active = kms_current(kms)->active;
    int err = kms_is_on(kms) ? 0 : -EINVAL;
    device_unlock();
    return err;
}

int
ioctl_crtc_queue_sequence(struct drm_file *file, void *arg)
{
    struct drm_crtc_queue_sequence *s = arg;
    if (s->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (s->flags & ~(uint32_t)(DRM_CRTC_SEQUENCE_RELATIVE |
                               DRM_CRTC_SEQUENCE_NEXT_ON_MISS))
        return -EINVAL;
    device_lock();
    struct kms *kms = kms_of_device();
    uint64_t now = kms_vblank(kms, NULL);
    if (s->flags & DRM_CRTC_SEQUENCE_RELATIVE)
        s->sequence += now;
    if (s->flags & DRM_CRTC_SEQUENCE_NEXT_ON_MISS && s->sequence <= now)
        s->sequence = now + 1;
    struct kms_wait wait = {
        .sequence = s->sequence,
        .file = file,
        .type = DRM_EVENT_CRTC_SEQUENCE,
        .user_data = s->user_data,
    };
    int err = kms_is_on(kms) ? kms_queue_wait(kms, &wait) : -EINVAL;
    device_unlock();
    return err;
}
