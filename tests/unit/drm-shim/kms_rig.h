/* kms_rig.h: the virtual display, for tests that set modes. */
#ifndef TESTS_UNIT_DRM_SHIM_KMS_RIG_H
#define TESTS_UNIT_DRM_SHIM_KMS_RIG_H

#include "shim_rig.h"

#include <drm_mode.h>

#define CRTC 31
#define CONNECTOR 41
#define PRIMARY 61
#define CURSOR 62

/* A framebuffer of XRGB8888 on a dumb buffer. */
uint32_t rig_add_fb(const struct rig *rig, uint32_t w, uint32_t h);
struct drm_mode_modeinfo rig_first_mode(const struct rig *rig);
/* By SETCRTC, with the first mode. */
void rig_set_crtc(const struct rig *rig, uint32_t fb);

/* A property's id, 0 if the object has none of that name. value: NULL is
 * fine. */
uint32_t rig_find_prop(const struct rig *rig, uint32_t object, uint32_t type,
                       const char *name, uint64_t *value);

/* Atomic commits. */
struct change {
    uint32_t object, type;
    const char *name;
    uint64_t value;
};

#define PLANE_PROP(name, value)                \
    {                                          \
        61, DRM_MODE_OBJECT_PLANE, name, value \
    }

int rig_commit(const struct rig *rig, const struct change *c, unsigned count,
               uint32_t flags);
struct rig rig_open_atomic(void);

#endif
