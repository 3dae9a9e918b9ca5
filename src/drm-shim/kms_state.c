/* What the display shows, as a value: copied, changed, checked, replaced. */
#include "drm-shim/bo.h"
#include "drm-shim/device.h"
#include "drm-shim/kms.h"

#include <errno.h>
#include <stdlib.h>

struct kms_fb *
kms_fb_ref(struct kms_fb *fb)
{
    atomic_fetch_add(&fb->refs, 1);
    return fb;
}

void
kms_fb_unref(struct kms_fb *fb)
{
    if (!fb || atomic_fetch_sub(&fb->refs, 1) != 1)
        return;
    for (unsigned i = 0; i < ARRAY_SIZE(fb->bo); i++)
        bo_unref(fb->bo[i]);
    free(fb);
}

void
kms_blob_unref(struct kms_blob *blob)
{
    if (!blob || atomic_fetch_sub(&blob->refs, 1) != 1)
        return;
    kms_forget_blob(device_kms(), blob);
    free(blob);
}

void
kms_state_set_fb(struct kms_plane_state *plane, struct kms_fb *fb)
{
    struct kms_fb *old = plane->fb;
    plane->fb = fb ? kms_fb_ref(fb) : NULL;
    kms_fb_unref(old);
}

void
kms_state_set_blob(struct kms_blob **slot, struct kms_blob *blob)
{
    struct kms_blob *old = *slot;
    if (blob)
        atomic_fetch_add(&blob->refs, 1);
    *slot = blob;
    kms_blob_unref(old);
}

void
kms_state_copy(struct kms_state *to, const struct kms_state *from)
{
    *to = *from;
    for (unsigned i = 0; i < KMS_PLANE_COUNT; i++)
        if (to->plane[i].fb)
            kms_fb_ref(to->plane[i].fb);
    if (to->mode)
        atomic_fetch_add(&to->mode->refs, 1);
    if (to->gamma)
        atomic_fetch_add(&to->gamma->refs, 1);
}

void
kms_state_finish(struct kms_state *state)
{
    for (unsigned i = 0; i < KMS_PLANE_COUNT; i++)
        kms_state_set_fb(&state->plane[i], NULL);
    kms_state_set_blob(&state->mode, NULL);
    kms_state_set_blob(&state->gamma, NULL);
}

static int
check_plane(const struct kms_state *state, const struct kms_plane_state *p)
{
    if (!p->fb != !p->crtc_id)
        return -EINVAL;
    if (!p->fb)
        return 0;
    if (!state->mode)
        return -EINVAL;
    uint64_t fb_w = (uint64_t)p->fb->width_px << 16;
    uint64_t fb_h = (uint64_t)p->fb->height_px << 16;
    if ((uint64_t)p->src_x + p->src_w > fb_w ||
        (uint64_t)p->src_y + p->src_h > fb_h)
        return -ENOSPC;
    if (p->crtc_w > 16384 || p->crtc_h > 16384)
        return -ERANGE;
    return 0;
}

int
kms_state_check(const struct kms_state *state)
{
    if (state->active && !state->mode)
        return -EINVAL;
    if (!state->mode != !state->connector_crtc)
        return -EINVAL;
    for (unsigned i = 0; i < KMS_PLANE_COUNT; i++) {
        int err = check_plane(state, &state->plane[i]);
        if (err)
            return err;
    }
    return 0;
}
