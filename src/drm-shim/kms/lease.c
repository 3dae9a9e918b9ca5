#include "drm-shim/kms/lease.h"

#include "drm-shim/core/core.h"
#include "drm-shim/kms/display.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ioctl.h>

static const uint32_t leasable[LEASE_OBJECTS] = {KMS_CRTC, KMS_CONNECTOR,
                                                 KMS_PLANE_FIRST + KMS_PRIMARY,
                                                 KMS_PLANE_FIRST + KMS_CURSOR};

unsigned
lease_bit(uint32_t object)
{
    for (unsigned i = 0; i < ARRAY_SIZE(leasable); i++)
        if (leasable[i] == object)
            return 1u << i;
    return 0;
}

unsigned
lease_visible(const struct drm_file *file, uint32_t ids[LEASE_OBJECTS])
{
    unsigned n = 0;
    for (unsigned i = 0; i < LEASE_OBJECTS; i++)
        if (lease_sees(file, leasable[i]))
            ids[n++] = leasable[i];
    return n;
}

bool
lease_is_master(const struct drm_file *file)
{
    const struct drm_file *lessor = file->lease.lessor;
    return file->master && (!lessor || lessor->master);
}

bool
lease_sees(const struct drm_file *file, uint32_t object)
{
    unsigned bit = lease_bit(object);
    return !file->lease.lessee || !bit || file->lease.objects & bit;
}

/* The object that a request names, and the plane that the request also changes.
 */
#define NAMES(request, type, field, plane)                                \
    {                                                                     \
        _IOC_NR(DRM_IOCTL_##request), offsetof(struct type, field), plane \
    }
static const struct {
    unsigned nr, at_B, plane;
} named[] = {
    NAMES(MODE_GETCRTC, drm_mode_crtc, crtc_id, 0),
    NAMES(MODE_SETCRTC, drm_mode_crtc, crtc_id, LEASE_PRIMARY),
    NAMES(MODE_GETCONNECTOR, drm_mode_get_connector, connector_id, 0),
    NAMES(MODE_GETPLANE, drm_mode_get_plane, plane_id, 0),
    NAMES(MODE_SETPLANE, drm_mode_set_plane, plane_id, 0),
    NAMES(MODE_PAGE_FLIP, drm_mode_crtc_page_flip, crtc_id, LEASE_PRIMARY),
    NAMES(MODE_CURSOR, drm_mode_cursor, crtc_id, LEASE_CURSOR),
    NAMES(MODE_CURSOR2, drm_mode_cursor2, crtc_id, LEASE_CURSOR),
    NAMES(MODE_GETGAMMA, drm_mode_crtc_lut, crtc_id, 0),
    NAMES(MODE_SETGAMMA, drm_mode_crtc_lut, crtc_id, 0),
    NAMES(MODE_SETPROPERTY, drm_mode_connector_set_property, connector_id, 0),
    NAMES(MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties, obj_id, 0),
    NAMES(MODE_OBJ_SETPROPERTY, drm_mode_obj_set_property, obj_id, 0),
    NAMES(CRTC_GET_SEQUENCE, drm_crtc_get_sequence, crtc_id, 0),
    NAMES(CRTC_QUEUE_SEQUENCE, drm_crtc_queue_sequence, crtc_id, 0),
};

int
lease_check(const struct drm_file *file, unsigned nr, const void *arg)
{
    if (!file->lease.lessee)
        return 0;
    for (unsigned i = 0; i < ARRAY_SIZE(named); i++) {
        uint32_t object;
        if (named[i].nr != nr)
            continue;
        memcpy(&object, (const char *)arg + named[i].at_B, sizeof object);
        if (!lease_sees(file, object))
            return -ENOENT;
        return named[i].plane & ~file->lease.objects ? -EACCES : 0;
    }
    return 0;
}

void
lease_drop_file(struct drm_file *file)
{
    for (struct drm_file *f = device_first_file(); f; f = f->next) {
        if (f->lease.lessor != file)
            continue;
        f->lease.objects = 0;
        f->lease.lessor = NULL;
        f->master = false;
    }
}
