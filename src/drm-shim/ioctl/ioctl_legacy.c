/* ioctl_legacy.c: ioctls of old X drivers (xf86-video-intel). The kernel keeps
 * their numbers and implements few. */
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/kms/kms.h"

#include <errno.h>
#include <i915_drm.h>

/* Calls from before GEM and KMS. */
int
ioctl_no_op(struct drm_file *file, void *arg)
{
    return 0;
}

int
ioctl_invalid(struct drm_file *file, void *arg)
{
    return -EINVAL;
}

/* No overlay since Gen4, no pinning since objects can move. */
int
ioctl_no_device(struct drm_file *file, void *arg)
{
    return -ENODEV;
}

int
ioctl_get_pipe_from_crtc(struct drm_file *file, void *arg)
{
    struct drm_i915_get_pipe_from_crtc_id *g = arg;
    if (g->crtc_id != KMS_CRTC || !lease_sees(file, KMS_CRTC))
        return -ENOENT;
    g->pipe = 0;
    return 0;
}

/* There are no overlay planes. */
int
ioctl_set_sprite_colorkey(struct drm_file *file, void *arg)
{
    const struct drm_intel_sprite_colorkey *k = arg;
    const uint32_t both = I915_SET_COLORKEY_DESTINATION |
                          I915_SET_COLORKEY_SOURCE;
    uint32_t flags = k->flags & ~(uint32_t)I915_SET_COLORKEY_NONE;
    if (flags & ~both || flags == both)
        return -EINVAL;
    return -ENOENT;
}
