/* ioctl_fb.c: framebuffers and dumb buffers. */
#include "drm-shim/gem/gem.h"
#include "drm-shim/core/core.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/kms/kms.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE_MAX_PX 16384

/* Formats that framebuffers may have; depth is the legacy ADDFB's. */
static const struct {
    uint32_t fourcc;
    uint8_t bpp, depth;
} formats[] = {
    {DRM_FORMAT_XRGB8888, 32, 24},   {DRM_FORMAT_ARGB8888, 32, 32},
    {DRM_FORMAT_XBGR8888, 32, 0},    {DRM_FORMAT_ABGR8888, 32, 0},
    {DRM_FORMAT_RGB565, 16, 16},     {DRM_FORMAT_XRGB2101010, 32, 30},
    {DRM_FORMAT_XBGR2101010, 32, 0},
};

static int
format_row(uint32_t fourcc)
{
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++)
        if (formats[i].fourcc == fourcc)
            return (int)i;
    return -1;
}

static uint64_t
modifier_of(const struct bo *bo)
{
    uint32_t tiling, stride_B;
    bo_get_tiling(bo, &tiling, &stride_B);
    switch (tiling) {
    case I915_TILING_X: return I915_FORMAT_MOD_X_TILED;
    case I915_TILING_Y: return I915_FORMAT_MOD_Y_TILED;
    default: return DRM_FORMAT_MOD_LINEAR;
    }
}

/* Whether the plane lies within its object. */
static bool
plane_fits(const struct kms_fb *fb, unsigned row)
{
    uint32_t tile_h = fb->modifier == I915_FORMAT_MOD_Y_TILED   ? 32
                      : fb->modifier == I915_FORMAT_MOD_X_TILED ? 8
                                                                : 1;
    uint64_t min_pitch_B = (uint64_t)fb->width_px * formats[row].bpp / 8;
    uint64_t rows = ALIGN_POT(fb->height_px, tile_h);
    uint64_t end_B = fb->offset_B[0] + rows * fb->pitch_B[0];
    if (tile_h == 1) /* the last row may be short */
        end_B = fb->offset_B[0] + (rows - 1) * fb->pitch_B[0] + min_pitch_B;
    return fb->pitch_B[0] >= min_pitch_B && end_B <= fb->bo[0]->size_B;
}

/* Lock held. */
static int
add_fb(struct drm_file *file, const struct drm_mode_fb_cmd2 *c, uint32_t *id)
{
    int row = format_row(c->pixel_format);
    if (c->flags & ~(uint32_t)DRM_MODE_FB_MODIFIERS || row < 0)
        return -EINVAL;
    if (!c->width || !c->height || c->width > SIZE_MAX_PX ||
        c->height > SIZE_MAX_PX)
        return -EINVAL;
    for (unsigned i = 1; i < 4; i++)
        if (c->handles[i] || c->pitches[i] || c->offsets[i])
            return -EINVAL;
    if (c->flags & DRM_MODE_FB_MODIFIERS && !kms_modifier_known(c->modifier[0]))
        return -EINVAL;
    struct bo *bo = handle_get(&file->bos, c->handles[0]);
    struct kms *kms = kms_of_device();
    if (!bo)
        return -ENOENT;
    struct kms_fb *fb = kms ? calloc(1, sizeof *fb) : NULL;
    if (!fb)
        return -ENOMEM;
    atomic_init(&fb->refs, 1);
    fb->owner = file;
    fb->width_px = c->width;
    fb->height_px = c->height;
    fb->fourcc = c->pixel_format;
    fb->bpp = formats[row].bpp;
    fb->depth = formats[row].depth;
    fb->flags = c->flags;
    fb->pitch_B[0] = c->pitches[0];
    fb->offset_B[0] = c->offsets[0];
    fb->modifier = c->flags & DRM_MODE_FB_MODIFIERS ? c->modifier[0]
                                                    : modifier_of(bo);
    fb->bo[0] = bo_ref(bo);
    if (!plane_fits(fb, (unsigned)row)) {
        kms_fb_unref(fb);
        return -EINVAL;
    }
    *id = kms_add_fb(kms, fb);
    return *id ? 0 : -ENOMEM;
}

int
ioctl_mode_addfb2(struct drm_file *file, void *arg)
{
    struct drm_mode_fb_cmd2 *c = arg;
    device_lock();
    int err = add_fb(file, c, &c->fb_id);
    device_unlock();
    trace(kms, "fb %u: %ux%u modifier %#llx: %d", c->fb_id, c->width, c->height,
          (unsigned long long)c->modifier[0], err);
    return err;
}

int
ioctl_mode_addfb(struct drm_file *file, void *arg)
{
    struct drm_mode_fb_cmd *c = arg;
    struct drm_mode_fb_cmd2 c2 = {
        .width = c->width,
        .height = c->height,
        .handles = {c->handle},
        .pitches = {c->pitch},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++)
        if (c->depth && formats[i].depth == c->depth &&
            formats[i].bpp == c->bpp)
            c2.pixel_format = formats[i].fourcc;
    device_lock();
    int err = add_fb(file, &c2, &c->fb_id);
    device_unlock();
    return err;
}

int
ioctl_mode_rmfb(struct drm_file *file, void *arg)
{
    const uint32_t *id = arg;
    device_lock();
    int err = kms_remove_fb(kms_of_device(), file, *id);
    device_unlock();
    return err;
}

/* ---- queries of framebuffers ------------------------------------------- */

/* A framebuffer of this process, or else the one that another process shows. */
struct found {
    struct kms_fb *fb;
    struct screen other;
};

static bool
find_fb(uint32_t id, struct found *f)
{
    struct kms *kms = kms_of_device();
    memset(f, 0, sizeof *f);
    f->fb = kms_find_fb(kms, id);
    if (f->fb)
        return true;
    return !kms_has_shown(kms) && screen_find(&f->other) &&
           f->other.fb_id == id;
}

/* A new handle for a caller that is master or root, else 0. The master of
 * another process's screen is that process. */
static uint32_t
handle_for(struct drm_file *file, const struct found *f)
{
    bool root = geteuid() == 0;
    if (!root && !(f->fb && file->master))
        return 0;
    struct bo *bo = f->fb ? bo_ref(f->fb->bo[0]) : screen_open(&f->other);
    uint32_t handle = bo ? handle_find(&file->bos, bo) : 0;
    if (!handle)
        return bo ? ioctl_bo_handle(file, bo) : 0;
    bo_unref(bo);
    return handle;
}

int
ioctl_mode_getfb(struct drm_file *file, void *arg)
{
    struct drm_mode_fb_cmd *c = arg;
    struct found f;
    device_lock();
    bool found = find_fb(c->fb_id, &f);
    if (found) {
        c->width = f.fb ? f.fb->width_px : f.other.width_px;
        c->height = f.fb ? f.fb->height_px : f.other.height_px;
        c->pitch = f.fb ? f.fb->pitch_B[0] : f.other.pitch_B;
        c->bpp = f.fb ? f.fb->bpp : f.other.bpp;
        c->depth = f.fb ? f.fb->depth : f.other.depth;
        c->handle = handle_for(file, &f);
    }
    device_unlock();
    return found ? 0 : -ENOENT;
}

int
ioctl_mode_getfb2(struct drm_file *file, void *arg)
{
    struct drm_mode_fb_cmd2 *c = arg;
    struct found f;
    device_lock();
    bool found = find_fb(c->fb_id, &f);
    if (found) {
        c->width = f.fb ? f.fb->width_px : f.other.width_px;
        c->height = f.fb ? f.fb->height_px : f.other.height_px;
        c->pixel_format = f.fb ? f.fb->fourcc : f.other.fourcc;
        c->flags = DRM_MODE_FB_MODIFIERS;
        c->pitches[0] = f.fb ? f.fb->pitch_B[0] : f.other.pitch_B;
        c->offsets[0] = f.fb ? f.fb->offset_B[0] : f.other.offset_B;
        c->modifier[0] = f.fb ? f.fb->modifier : f.other.modifier;
        c->handles[0] = handle_for(file, &f);
    }
    device_unlock();
    return found ? 0 : -ENOENT;
}

/* The display reads memory: nothing to copy. */
int
ioctl_mode_dirtyfb(struct drm_file *file, void *arg)
{
    const struct drm_mode_fb_dirty_cmd *c = arg;
    device_lock();
    struct kms_fb *fb = kms_find_fb(kms_of_device(), c->fb_id);
    if (fb)
        gtt_sync(fb->bo[0]);
    device_unlock();
    return fb ? 0 : -ENOENT;
}

int
ioctl_mode_create_dumb(struct drm_file *file, void *arg)
{
    struct drm_mode_create_dumb *d = arg;
    if (!d->width || !d->height || !d->bpp || d->bpp > 64 || d->flags ||
        d->width > 65536 || d->height > 65536)
        return -EINVAL;
    uint64_t pitch_B = ALIGN_POT((uint64_t)d->width * DIV_ROUND_UP(d->bpp, 8),
                                 UINT64_C(64));
    d->pitch = (uint32_t)pitch_B;
    d->size = ALIGN_POT(pitch_B * d->height, BO_PAGE_B);
    struct bo *bo = bo_create(d->size);
    if (!bo)
        return -ENOMEM;
    d->handle = ioctl_bo_handle(file, bo);
    return d->handle ? 0 : -ENOMEM;
}

int
ioctl_mode_map_dumb(struct drm_file *file, void *arg)
{
    struct drm_mode_map_dumb *d = arg;
    struct bo *bo = ioctl_bo(file, d->handle);
    bo_unref(bo);
    d->offset = ioctl_mmap_token(d->handle);
    return bo ? 0 : -ENOENT;
}

int
ioctl_mode_destroy_dumb(struct drm_file *file, void *arg)
{
    const struct drm_mode_destroy_dumb *d = arg;
    struct drm_gem_close c = {.handle = d->handle};
    return ioctl_gem_close(file, &c);
}
