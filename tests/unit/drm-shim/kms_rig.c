#include "kms_rig.h"

#include <drm_fourcc.h>
#include <string.h>

uint32_t
rig_add_fb(const struct rig *rig, uint32_t w, uint32_t h)
{
    struct drm_mode_create_dumb d = {.width = w, .height = h, .bpp = 32};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_CREATE_DUMB, &d), 0);
    struct drm_mode_fb_cmd2 f = {.width = w,
                                 .height = h,
                                 .pixel_format = DRM_FORMAT_XRGB8888,
                                 .handles = {d.handle},
                                 .pitches = {d.pitch}};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_ADDFB2, &f), 0);
    return f.fb_id;
}

struct drm_mode_modeinfo
rig_first_mode(const struct rig *rig)
{
    struct drm_mode_modeinfo modes[16];
    struct drm_mode_get_connector c = {.connector_id = CONNECTOR,
                                       .count_modes = 16,
                                       .modes_ptr = (uintptr_t)modes};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_GETCONNECTOR, &c), 0);
    cr_assert_geq(c.count_modes, 1u);
    cr_assert_eq(c.connection, 1u);
    return modes[0];
}

void
rig_set_crtc(const struct rig *rig, uint32_t fb)
{
    uint32_t connector = CONNECTOR;
    struct drm_mode_crtc c = {.set_connectors_ptr = (uintptr_t)&connector,
                              .count_connectors = 1,
                              .crtc_id = CRTC,
                              .fb_id = fb,
                              .mode_valid = 1,
                              .mode = rig_first_mode(rig)};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_SETCRTC, &c), 0);
}

uint32_t
rig_find_prop(const struct rig *rig, uint32_t object, uint32_t type,
              const char *name, uint64_t *value)
{
    uint32_t ids[64];
    uint64_t values[64];
    struct drm_mode_obj_get_properties g = {
        .props_ptr = (uintptr_t)ids,
        .prop_values_ptr = (uintptr_t)values,
        .count_props = 64,
        .obj_id = object,
        .obj_type = type};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_OBJ_GETPROPERTIES, &g), 0);
    for (uint32_t i = 0; i < g.count_props; i++) {
        struct drm_mode_get_property p = {.prop_id = ids[i]};
        cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_MODE_GETPROPERTY, &p), 0);
        if (!strcmp(p.name, name)) {
            if (value)
                *value = values[i];
            return ids[i];
        }
    }
    return 0;
}

int
rig_commit(const struct rig *rig, const struct change *c, unsigned count,
           uint32_t flags)
{
    uint32_t objects[32], counts[32], props[32];
    uint64_t values[32];
    for (unsigned i = 0; i < count; i++) {
        objects[i] = c[i].object;
        counts[i] = 1;
        props[i] = rig_find_prop(rig, c[i].object, c[i].type, c[i].name, NULL);
        cr_assert_neq(props[i], 0u, "%s", c[i].name);
        values[i] = c[i].value;
    }
    struct drm_mode_atomic a = {.flags = flags,
                                .count_objs = count,
                                .objs_ptr = (uintptr_t)objects,
                                .count_props_ptr = (uintptr_t)counts,
                                .props_ptr = (uintptr_t)props,
                                .prop_values_ptr = (uintptr_t)values,
                                .user_data = 5};
    return rig_ioctl(rig, DRM_IOCTL_MODE_ATOMIC, &a);
}

struct rig
rig_open_atomic(void)
{
    struct rig rig = rig_open(0);
    struct drm_set_client_cap c = {DRM_CLIENT_CAP_ATOMIC, 1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SET_CLIENT_CAP, &c), 0);
    return rig;
}
