/* kms_state.c: display state as a value: copied, changed, checked, replaced. */
#include "drm-shim/gem/gem.h"
#include "drm-shim/core/core.h"
#include "drm-shim/kms/display.h"

#include <drm_fourcc.h>
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
    kms_forget_blob(kms_of_device(), blob);
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

/* Limits of a Skylake pipe's scaler, as in i915 (skl_scaler.c): size of source
 * and destination, and a downscale of less than 3. */
#define SCALER_MIN_PX 8
#define SCALER_MAX_PX 4096
#define SCALER_MAX_RATIO ((3u << 16) - 1)

static int
check_scale(uint32_t src, uint32_t screen_px, bool cursor)
{
    uint32_t src_px = src >> 16;
    if (src == screen_px << 16)
        return 0;
    if (cursor || src / screen_px > SCALER_MAX_RATIO)
        return -ERANGE;
    if (src_px == screen_px)
        return 0;
    return src_px < SCALER_MIN_PX || src_px > SCALER_MAX_PX ||
                   screen_px < SCALER_MIN_PX || screen_px > SCALER_MAX_PX
               ? -EINVAL
               : 0;
}

static bool
format_shown(enum kms_plane_index plane, const struct kms_fb *fb)
{
    const uint32_t *formats;
    unsigned count = kms_formats(plane, &formats);
    if (plane == KMS_CURSOR && fb->modifier != DRM_FORMAT_MOD_LINEAR)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (formats[i] == fb->fourcc)
            return true;
    return false;
}

static bool
beyond_int(int32_t at, uint32_t size)
{
    return size > INT32_MAX || at > INT32_MAX - (int32_t)size;
}

static int
check_plane(const struct kms_state *state, enum kms_plane_index index)
{
    const struct kms_plane_state *p = &state->plane[index];
    if (!p->fb != !p->crtc_id)
        return -EINVAL;
    if (!p->fb)
        return 0;
    if (!state->mode || !format_shown(index, p->fb))
        return -EINVAL;
    if (beyond_int(p->crtc_x, p->crtc_w) || beyond_int(p->crtc_y, p->crtc_h))
        return -ERANGE;
    uint64_t fb_w = (uint64_t)p->fb->width_px << 16;
    uint64_t fb_h = (uint64_t)p->fb->height_px << 16;
    if ((uint64_t)p->src_x + p->src_w > fb_w ||
        (uint64_t)p->src_y + p->src_h > fb_h)
        return -ENOSPC;
    /* An empty plane covers nothing of the screen. */
    if (!p->src_w || !p->src_h || !p->crtc_w || !p->crtc_h)
        return 0;
    int err = check_scale(p->src_w, p->crtc_w, index == KMS_CURSOR);
    return err ? err : check_scale(p->src_h, p->crtc_h, index == KMS_CURSOR);
}

int
kms_state_check(const struct kms_state *state)
{
    if (state->active && !state->mode)
        return -EINVAL;
    if (!state->mode != !state->connector_crtc)
        return -EINVAL;
    for (unsigned i = 0; i < KMS_PLANE_COUNT; i++) {
        int err = check_plane(state, i);
        if (err)
            return err;
    }
    return 0;
}
