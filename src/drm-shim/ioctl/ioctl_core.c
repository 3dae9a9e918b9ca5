/* ioctl_core.c: ioctls that every DRM driver has. */
#include "drm-shim/core/core.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/kms/kms.h"
#include "drm-shim/device/device.h"

#include <drm.h>
#include <errno.h>

/* Two-call strings: copies at most the requested length and returns the full
 * one. */
static int
give_string(char *dst, __kernel_size_t *len, const char *text)
{
    size_t n = MIN2(strlen(text), *len);
    *len = strlen(text);
    return dst && n ? client_write((uintptr_t)dst, text, n) : 0;
}

int
ioctl_version(struct drm_file *file, void *arg)
{
    struct drm_version *v = arg;
    v->version_major = 1;
    v->version_minor = 6;
    v->version_patchlevel = 0;
    int err = give_string(v->name, &v->name_len, "i915");
    if (!err)
        err = give_string(v->date, &v->date_len, "20201103");
    if (!err)
        err = give_string(v->desc, &v->desc_len, "Intel Graphics");
    return err;
}

/* Bus id of the master, which has one only after SET_VERSION: libdrm's
 * drmOpen() treats a card with a bus id as taken. Lock held. */
static bool
has_bus_id(const struct drm_file *file)
{
    for (const struct drm_file *f = device_first_file(); f; f = f->next) {
        if (f->master && !f->lease.lessee)
            return f->has_bus_id;
    }
    return file->has_bus_id;
}

/* Copies nothing if the whole string does not fit. */
int
ioctl_get_unique(struct drm_file *file, void *arg)
{
    struct drm_unique *u = arg;
    const char *id = "pci:" DEVTREE_PCI_SLOT;
    device_lock();
    bool known = has_bus_id(file);
    device_unlock();
    if (known && u->unique_len >= strlen(id))
        return give_string(u->unique, &u->unique_len, id);
    u->unique_len = known ? strlen(id) : 0;
    return 0;
}

int
ioctl_get_magic(struct drm_file *file, void *arg)
{
    struct drm_auth *auth = arg;
    device_lock();
    if (!file->magic)
        file->magic = device_new_magic();
    auth->magic = file->magic;
    device_unlock();
    return 0;
}

int
ioctl_auth_magic(struct drm_file *file, void *arg)
{
    const struct drm_auth *auth = arg;
    int err = -EINVAL;
    device_lock();
    for (struct drm_file *f = device_first_file(); f; f = f->next) {
        if (auth->magic && f->magic == auth->magic) {
            f->authenticated = true;
            f->magic = 0;
            err = 0;
        }
    }
    device_unlock();
    return err;
}

int
ioctl_get_client(struct drm_file *file, void *arg)
{
    struct drm_client *c = arg;
    if (c->idx)
        return -EINVAL;
    c->auth = file->authenticated;
    c->pid = 0;
    c->uid = 0;
    c->magic = 0;
    c->iocs = 0;
    return 0;
}

/* -1: the client does not ask for this version. */
static bool
has_version(int major, int minor, int last_minor)
{
    return major == -1 || (major == 1 && minor >= 0 && minor <= last_minor);
}

int
ioctl_set_version(struct drm_file *file, void *arg)
{
    enum { DI_MINOR = 4, DD_MINOR = 6 };
    struct drm_set_version *v = arg;
    bool good = has_version(v->drm_di_major, v->drm_di_minor, DI_MINOR);
    device_lock();
    if (good && v->drm_di_major == 1 && v->drm_di_minor >= 1)
        file->has_bus_id = true;
    device_unlock();
    good = good && has_version(v->drm_dd_major, v->drm_dd_minor, DD_MINOR);
    v->drm_di_major = 1;
    v->drm_di_minor = DI_MINOR;
    v->drm_dd_major = 1;
    v->drm_dd_minor = DD_MINOR;
    return good ? 0 : -EINVAL;
}

static const struct {
    uint64_t capability, value;
} caps[] = {
    {DRM_CAP_DUMB_BUFFER, 1},
    {DRM_CAP_VBLANK_HIGH_CRTC, 1},
    {DRM_CAP_DUMB_PREFERRED_DEPTH, 24},
    {DRM_CAP_DUMB_PREFER_SHADOW, 1},
    {DRM_CAP_PRIME, DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT},
    {DRM_CAP_TIMESTAMP_MONOTONIC, 1},
    {DRM_CAP_ASYNC_PAGE_FLIP, 1},
    {DRM_CAP_CURSOR_WIDTH, 256},
    {DRM_CAP_CURSOR_HEIGHT, 256},
    {DRM_CAP_ADDFB2_MODIFIERS, 1},
    {DRM_CAP_PAGE_FLIP_TARGET, 0},
    {DRM_CAP_CRTC_IN_VBLANK_EVENT, 1},
    {DRM_CAP_SYNCOBJ, 1},
    {DRM_CAP_SYNCOBJ_TIMELINE, 1},
};

int
ioctl_get_cap(struct drm_file *file, void *arg)
{
    struct drm_get_cap *cap = arg;
    for (unsigned i = 0; i < ARRAY_SIZE(caps); i++) {
        if (caps[i].capability == cap->capability) {
            cap->value = caps[i].value;
            return 0;
        }
    }
    return -EINVAL;
}

int
ioctl_set_client_cap(struct drm_file *file, void *arg)
{
    const struct drm_set_client_cap *cap = arg;
    /* 2 is the value that Xorg's old modesetting driver passes; it lets the
     * kernel recognise that driver. */
    uint64_t most = cap->capability == DRM_CLIENT_CAP_ATOMIC ? 2 : 1;
    if (cap->value > most)
        return -EINVAL;
    switch (cap->capability) {
    case DRM_CLIENT_CAP_STEREO_3D: return 0;
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES:
        file->cap_universal_planes = cap->value;
        return 0;
    case DRM_CLIENT_CAP_ATOMIC:
        file->cap_atomic = cap->value;
        file->cap_universal_planes = cap->value;
        file->cap_aspect_ratio = cap->value;
        return 0;
    case DRM_CLIENT_CAP_ASPECT_RATIO:
        file->cap_aspect_ratio = cap->value;
        return 0;
    case DRM_CLIENT_CAP_WRITEBACK_CONNECTORS:
        if (!file->cap_atomic)
            return -EINVAL;
        file->cap_writeback = cap->value;
        return 0;
    default: return -EINVAL;
    }
}

int
ioctl_set_master(struct drm_file *file, void *arg)
{
    int err = 0;
    if (file->lease.lessee)
        return lease_is_master(file) ? 0 : -EINVAL;
    device_lock();
    for (struct drm_file *f = device_first_file(); f; f = f->next)
        if (f->master && f != file && !f->lease.lessee)
            err = -EBUSY;
    if (!err)
        file->master = file->authenticated = true;
    device_unlock();
    return err;
}

int
ioctl_drop_master(struct drm_file *file, void *arg)
{
    device_lock();
    int err = file->master && !file->lease.lessee ? 0 : -EINVAL;
    if (!err)
        file->master = false;
    device_unlock();
    return err;
}
