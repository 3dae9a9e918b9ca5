/* ioctl_kms.c: mode setting without properties. */
#include "drm-shim/gem/gem.h"
#include "drm-shim/core/core.h"
#include "drm-shim/sync/sync.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/kms/kms.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <stdlib.h>

#define GAMMA_SIZE 256

/* The kernel's two-call lists: the ids are copied only if all of them fit;
 * the count is always returned. */
static int
give_ids(uint64_t dst, uint32_t *count, const uint32_t *ids, uint32_t have)
{
    bool fits = *count >= have;
    *count = have;
    return fits && have ? client_write(dst, ids, have * sizeof *ids) : 0;
}

int
ioctl_mode_getresources(struct drm_file *file, void *arg)
{
    struct drm_mode_card_res *r = arg;
    static const uint32_t crtc = KMS_CRTC, connector = KMS_CONNECTOR,
                          encoder = KMS_ENCODER;
    uint32_t fbs[256], fb_count = 0;
    device_lock();
    struct kms *kms = kms_of_device();
    for (uint32_t id = 0;
         fb_count < ARRAY_SIZE(fbs) && (id = kms_next_fb(kms, id));)
        if (kms_find_fb(kms, id)->owner == file)
            fbs[fb_count++] = id;
    device_unlock();
    bool crtc_seen = lease_sees(file, crtc);
    bool connector_seen = lease_sees(file, connector);
    r->min_width = r->min_height = 0;
    r->max_width = r->max_height = 16384;
    int err = give_ids(r->fb_id_ptr, &r->count_fbs, fbs, fb_count);
    if (!err)
        err = give_ids(r->crtc_id_ptr, &r->count_crtcs, &crtc, crtc_seen);
    if (!err)
        err = give_ids(r->connector_id_ptr, &r->count_connectors, &connector,
                       connector_seen);
    if (!err)
        err = give_ids(r->encoder_id_ptr, &r->count_encoders, &encoder, 1);
    return err;
}

int
ioctl_mode_getencoder(struct drm_file *file, void *arg)
{
    struct drm_mode_get_encoder *e = arg;
    if (e->encoder_id != KMS_ENCODER)
        return -ENOENT;
    device_lock();
    bool seen = lease_sees(file, KMS_CRTC);
    e->crtc_id = seen ? kms_current(kms_of_device())->connector_crtc : 0;
    device_unlock();
    e->encoder_type = DRM_MODE_ENCODER_TMDS;
    e->possible_crtcs = seen;
    e->possible_clones = 1;
    return 0;
}

int
ioctl_mode_getconnector(struct drm_file *file, void *arg)
{
    struct drm_mode_get_connector *c = arg;
    static const uint32_t encoder = KMS_ENCODER;
    const struct drm_mode_modeinfo *modes;
    if (c->connector_id != KMS_CONNECTOR)
        return -ENOENT;
    device_lock();
    struct kms *kms = kms_of_device();
    unsigned mode_count = kms_modes(kms, &modes);
    c->encoder_id = kms_current(kms)->connector_crtc ? KMS_ENCODER : 0;
    int err = props_give(kms, file, KMS_CONNECTOR, &c->count_props,
                         c->props_ptr, c->prop_values_ptr);
    device_unlock();
    c->connector_type = DRM_MODE_CONNECTOR_HDMIA;
    c->connector_type_id = 1;
    c->connection = 1; /* connected */
    c->mm_width = 320;
    c->mm_height = 240;
    c->subpixel = 1; /* unknown */
    if (!err && c->count_modes >= mode_count)
        err = client_write(c->modes_ptr, modes, mode_count * sizeof *modes);
    c->count_modes = mode_count;
    if (!err)
        err = give_ids(c->encoders_ptr, &c->count_encoders, &encoder, 1);
    return err;
}

int
ioctl_mode_getcrtc(struct drm_file *file, void *arg)
{
    struct drm_mode_crtc *c = arg;
    if (c->crtc_id != KMS_CRTC)
        return -ENOENT;
    device_lock();
    const struct kms_state *s = kms_current(kms_of_device());
    const struct kms_plane_state *p = &s->plane[KMS_PRIMARY];
    c->gamma_size = GAMMA_SIZE;
    c->fb_id = p->fb ? p->fb->id : 0;
    c->x = p->src_x >> 16;
    c->y = p->src_y >> 16;
    c->mode_valid = s->mode != NULL;
    if (s->mode)
        memcpy(&c->mode, s->mode->data, sizeof c->mode);
    device_unlock();
    return 0;
}

int
ioctl_mode_getplaneresources(struct drm_file *file, void *arg)
{
    struct drm_mode_get_plane_res *r = arg;
    uint32_t ids[KMS_PLANE_COUNT], n = 0;
    for (unsigned i = 0; i < KMS_PLANE_COUNT && file->cap_universal_planes; i++)
        if (lease_sees(file, KMS_PLANE_FIRST + i))
            ids[n++] = KMS_PLANE_FIRST + i;
    return give_ids(r->plane_id_ptr, &r->count_planes, ids, n);
}

int
ioctl_mode_getplane(struct drm_file *file, void *arg)
{
    struct drm_mode_get_plane *g = arg;
    const uint32_t *formats;
    uint32_t i = g->plane_id - KMS_PLANE_FIRST;
    if (i >= KMS_PLANE_COUNT)
        return -ENOENT;
    device_lock();
    struct kms *kms = kms_of_device();
    const struct kms_plane_state *p = &kms_current(kms)->plane[i];
    struct screen other;
    g->crtc_id = p->crtc_id;
    g->fb_id = p->fb ? p->fb->id : 0;
    /* A process without a screen of its own sees another process's screen. */
    if (i == KMS_PRIMARY && !kms_has_shown(kms) && screen_find(&other)) {
        g->crtc_id = KMS_CRTC;
        g->fb_id = other.fb_id;
    }
    device_unlock();
    g->possible_crtcs = lease_sees(file, KMS_CRTC);
    g->gamma_size = 0;
    unsigned count = kms_formats(i, &formats);
    return give_ids(g->format_type_ptr, &g->count_format_types, formats, count);
}

/* ------------------------------------------------------------------------
 * Commits */

/* Waits until the last commit is shown, then makes this one. Takes the lock;
 * edit() changes a copy of the state under it. */
static int
blocking_commit(struct drm_file *file,
                int (*edit)(struct kms *kms, struct kms_state *state,
                            const void *data),
                const void *data)
{
    for (;;) {
        struct kms_commit commit = {0};
        struct fence *shown = NULL;
        device_lock();
        struct kms *kms = kms_of_device();
        struct fence *before = kms_pending(kms);
        int err = 0;
        if (!before) {
            kms_state_copy(&commit.state, kms_current(kms));
            err = edit(kms, &commit.state, data);
            if (!err)
                err = kms_state_check(&commit.state);
            if (!err)
                err = kms_commit(kms, &commit, &shown);
            kms_state_finish(&commit.state);
        }
        device_unlock();
        struct fence *fence = before ? before : shown;
        if (fence)
            fence_wait(fence, FENCE_FOREVER);
        fence_unref(fence);
        if (!before)
            return err;
    }
}

static void
full_screen(struct kms_plane_state *p, struct kms_fb *fb, uint32_t x,
            uint32_t y, const struct drm_mode_modeinfo *mode)
{
    kms_state_set_fb(p, fb);
    p->crtc_id = KMS_CRTC;
    p->src_x = x << 16;
    p->src_y = y << 16;
    p->src_w = (uint32_t)mode->hdisplay << 16;
    p->src_h = (uint32_t)mode->vdisplay << 16;
    p->crtc_x = p->crtc_y = 0;
    p->crtc_w = mode->hdisplay;
    p->crtc_h = mode->vdisplay;
}

static int
edit_off(struct kms_state *state)
{
    for (unsigned i = 0; i < KMS_PLANE_COUNT; i++) {
        kms_state_set_fb(&state->plane[i], NULL);
        state->plane[i].crtc_id = 0;
    }
    kms_state_set_blob(&state->mode, NULL);
    state->active = false;
    state->connector_crtc = 0;
    return 0;
}

static int
edit_crtc(struct kms *kms, struct kms_state *state, const void *data)
{
    const struct drm_mode_crtc *c = data;
    uint32_t connector;
    if (!c->mode_valid)
        return c->count_connectors ? -EINVAL : edit_off(state);
    if (c->count_connectors != 1)
        return -EINVAL;
    int err = client_read(&connector, c->set_connectors_ptr, sizeof connector);
    if (err)
        return err;
    if (connector != KMS_CONNECTOR)
        return -ENOENT;
    struct kms_fb *fb = c->fb_id == UINT32_MAX ? state->plane[KMS_PRIMARY].fb
                                               : kms_find_fb(kms, c->fb_id);
    if (!fb)
        return c->fb_id == UINT32_MAX ? -EINVAL : -ENOENT;
    const struct drm_mode_modeinfo *listed;
    unsigned count = kms_modes(kms, &listed);
    if (kms_mode_check(&c->mode, listed, count))
        return -EINVAL;
    struct kms_blob *mode = kms_add_blob(kms, NULL, &c->mode, sizeof c->mode);
    if (!mode)
        return -ENOMEM;
    kms_state_set_blob(&state->mode, mode);
    kms_blob_unref(mode); /* the state keeps it */
    full_screen(&state->plane[KMS_PRIMARY], fb, c->x, c->y, &c->mode);
    state->active = true;
    state->dpms = DRM_MODE_DPMS_ON;
    state->connector_crtc = KMS_CRTC;
    return 0;
}

int
ioctl_mode_setcrtc(struct drm_file *file, void *arg)
{
    const struct drm_mode_crtc *c = arg;
    if (c->x > UINT16_MAX || c->y > UINT16_MAX)
        return -ERANGE;
    if (c->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (c->count_connectors && !lease_sees(file, KMS_CONNECTOR))
        return -ENOENT;
    return blocking_commit(file, edit_crtc, c);
}

static int
edit_plane(struct kms *kms, struct kms_state *state, const void *data)
{
    const struct drm_mode_set_plane *s = data;
    struct kms_plane_state *p = &state->plane[s->plane_id - KMS_PLANE_FIRST];
    struct kms_fb *fb = s->fb_id ? kms_find_fb(kms, s->fb_id) : NULL;
    if (s->fb_id && (!fb || s->crtc_id != KMS_CRTC))
        return -ENOENT;
    kms_state_set_fb(p, fb);
    p->crtc_id = fb ? KMS_CRTC : 0;
    p->crtc_x = s->crtc_x;
    p->crtc_y = s->crtc_y;
    p->crtc_w = s->crtc_w;
    p->crtc_h = s->crtc_h;
    p->src_x = s->src_x;
    p->src_y = s->src_y;
    p->src_w = s->src_w;
    p->src_h = s->src_h;
    return 0;
}

int
ioctl_mode_setplane(struct drm_file *file, void *arg)
{
    const struct drm_mode_set_plane *s = arg;
    if (s->plane_id - KMS_PLANE_FIRST >= KMS_PLANE_COUNT)
        return -ENOENT;
    if (s->fb_id && !lease_sees(file, s->crtc_id))
        return -ENOENT;
    return blocking_commit(file, edit_plane, s);
}

int
ioctl_mode_page_flip(struct drm_file *file, void *arg)
{
    const struct drm_mode_crtc_page_flip *f = arg;
    if (f->flags & ~(uint32_t)DRM_MODE_PAGE_FLIP_FLAGS || f->reserved ||
        f->flags & DRM_MODE_PAGE_FLIP_TARGET)
        return -EINVAL;
    if (f->crtc_id != KMS_CRTC)
        return -ENOENT;
    struct kms_commit commit = {.user_data = f->user_data};
    struct fence *shown = NULL;
    device_lock();
    struct kms *kms = kms_of_device();
    struct kms_fb *fb = kms_find_fb(kms, f->fb_id);
    const struct kms_state *now = kms_current(kms);
    const struct kms_fb *old = now->plane[KMS_PRIMARY].fb;
    int err = !fb ? -ENOENT : !old ? -EBUSY : 0;
    if (!err && (fb->fourcc != old->fourcc || !kms_is_on(kms)))
        err = -EINVAL;
    if (!err) {
        kms_state_copy(&commit.state, now);
        kms_state_set_fb(&commit.state.plane[KMS_PRIMARY], fb);
        if (f->flags & DRM_MODE_PAGE_FLIP_EVENT)
            commit.event_file = file;
        err = kms_state_check(&commit.state);
        if (!err)
            err = kms_commit(kms, &commit, &shown);
        kms_state_finish(&commit.state);
    }
    device_unlock();
    fence_unref(shown);
    return err;
}

/* ------------------------------------------------------------------------
 * The legacy cursor calls. They change the state at once, without a vblank. */

static struct kms_fb *
cursor_fb(struct drm_file *file, struct bo *bo, uint32_t w, uint32_t h)
{
    struct kms_fb *fb = calloc(1, sizeof *fb);
    if (!fb)
        return NULL;
    atomic_init(&fb->refs, 1);
    fb->owner = file;
    fb->width_px = w;
    fb->height_px = h;
    fb->fourcc = DRM_FORMAT_ARGB8888;
    fb->bpp = fb->depth = 32;
    fb->pitch_B[0] = w * 4;
    fb->bo[0] = bo_ref(bo);
    return fb;
}

static int
set_cursor(struct drm_file *file, const struct drm_mode_cursor2 *c,
           struct kms_plane_state *p)
{
    if (c->flags & DRM_MODE_CURSOR_BO) {
        struct bo *bo = c->handle ? handle_get(&file->bos, c->handle) : NULL;
        if (c->handle && !bo)
            return -ENOENT;
        if (bo &&
            (!c->width || !c->height || c->width > 256 || c->height > 256 ||
             (uint64_t)c->width * c->height * 4 > bo->size_B))
            return -EINVAL;
        struct kms_fb *fb = bo ? cursor_fb(file, bo, c->width, c->height)
                               : NULL;
        if (bo && !fb)
            return -ENOMEM;
        kms_state_set_fb(p, fb);
        kms_fb_unref(fb);
        p->crtc_id = fb ? KMS_CRTC : 0;
        p->src_x = p->src_y = 0;
        p->src_w = c->width << 16;
        p->src_h = c->height << 16;
        p->crtc_w = c->width;
        p->crtc_h = c->height;
    }
    if (c->flags & DRM_MODE_CURSOR_MOVE) {
        p->crtc_x = c->x;
        p->crtc_y = c->y;
    }
    return 0;
}

int
ioctl_mode_cursor2(struct drm_file *file, void *arg)
{
    const struct drm_mode_cursor2 *c = arg;
    if (!c->flags || c->flags & ~(uint32_t)DRM_MODE_CURSOR_FLAGS)
        return -EINVAL;
    if (c->crtc_id != KMS_CRTC)
        return -ENOENT;
    device_lock();
    int err = set_cursor(file, c, kms_cursor(kms_of_device()));
    device_unlock();
    return err;
}

int
ioctl_mode_cursor(struct drm_file *file, void *arg)
{
    struct drm_mode_cursor2 c2 = {0};
    memcpy(&c2, arg, sizeof(struct drm_mode_cursor));
    return ioctl_mode_cursor2(file, &c2);
}

/* Accepts gamma ramps without applying them. */
int
ioctl_mode_getgamma(struct drm_file *file, void *arg)
{
    const struct drm_mode_crtc_lut *l = arg;
    uint16_t ramp[GAMMA_SIZE];
    if (l->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (l->gamma_size != GAMMA_SIZE)
        return -EINVAL;
    for (unsigned i = 0; i < GAMMA_SIZE; i++)
        ramp[i] = (uint16_t)(i * 257);
    int err = client_write(l->red, ramp, sizeof ramp);
    if (!err)
        err = client_write(l->green, ramp, sizeof ramp);
    if (!err)
        err = client_write(l->blue, ramp, sizeof ramp);
    return err;
}

int
ioctl_mode_setgamma(struct drm_file *file, void *arg)
{
    const struct drm_mode_crtc_lut *l = arg;
    if (l->crtc_id != KMS_CRTC)
        return -ENOENT;
    return l->gamma_size == GAMMA_SIZE ? 0 : -EINVAL;
}
