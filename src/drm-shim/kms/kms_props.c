#include "drm-shim/kms/kms_props.h"

#include "drm-shim/core/core.h"
#include "drm-shim/sync/sync.h"
#include "drm-shim/kms/kms_mode.h"

#include <errno.h>
#include <stdlib.h>

enum owner { PLANE, CRTC, CONNECTOR };

#define ATOMIC DRM_MODE_PROP_ATOMIC
#define IMMUTABLE DRM_MODE_PROP_IMMUTABLE
#define RANGE DRM_MODE_PROP_RANGE
#define SRANGE DRM_MODE_PROP_SIGNED_RANGE
#define OBJECT DRM_MODE_PROP_OBJECT
#define BLOB DRM_MODE_PROP_BLOB
#define ENUM DRM_MODE_PROP_ENUM

/* X(id, name, owner, flags, minimum, maximum or kind of object) */
#define PROPS(X)                                                              \
    X(TYPE, "type", PLANE, ENUM | IMMUTABLE, 0, 2)                            \
    X(FB_ID, "FB_ID", PLANE, OBJECT | ATOMIC, DRM_MODE_OBJECT_FB, 0)          \
    X(PLANE_CRTC, "CRTC_ID", PLANE, OBJECT | ATOMIC, DRM_MODE_OBJECT_CRTC, 0) \
    X(SRC_X, "SRC_X", PLANE, RANGE | ATOMIC, 0, UINT32_MAX)                   \
    X(SRC_Y, "SRC_Y", PLANE, RANGE | ATOMIC, 0, UINT32_MAX)                   \
    X(SRC_W, "SRC_W", PLANE, RANGE | ATOMIC, 0, UINT32_MAX)                   \
    X(SRC_H, "SRC_H", PLANE, RANGE | ATOMIC, 0, UINT32_MAX)                   \
    X(CRTC_X, "CRTC_X", PLANE, SRANGE | ATOMIC, INT32_MIN, INT32_MAX)         \
    X(CRTC_Y, "CRTC_Y", PLANE, SRANGE | ATOMIC, INT32_MIN, INT32_MAX)         \
    X(CRTC_W, "CRTC_W", PLANE, RANGE | ATOMIC, 0, INT32_MAX)                  \
    X(CRTC_H, "CRTC_H", PLANE, RANGE | ATOMIC, 0, INT32_MAX)                  \
    X(IN_FENCE_FD, "IN_FENCE_FD", PLANE, SRANGE | ATOMIC, -1, INT32_MAX)      \
    X(IN_FORMATS, "IN_FORMATS", PLANE, BLOB | IMMUTABLE, 0, 0)                \
    X(ACTIVE, "ACTIVE", CRTC, RANGE | ATOMIC, 0, 1)                           \
    X(MODE_ID, "MODE_ID", CRTC, BLOB | ATOMIC, 0, 0)                          \
    X(OUT_FENCE_PTR, "OUT_FENCE_PTR", CRTC, RANGE | ATOMIC, 0, UINT64_MAX)    \
    X(VRR_ENABLED, "VRR_ENABLED", CRTC, RANGE, 0, 1)                          \
    X(GAMMA_LUT, "GAMMA_LUT", CRTC, BLOB, 0, 0)                               \
    X(GAMMA_LUT_SIZE, "GAMMA_LUT_SIZE", CRTC, RANGE | IMMUTABLE, 0,           \
      UINT32_MAX)                                                             \
    X(CONN_CRTC, "CRTC_ID", CONNECTOR, OBJECT | ATOMIC, DRM_MODE_OBJECT_CRTC, \
      0)                                                                      \
    X(EDID, "EDID", CONNECTOR, BLOB | IMMUTABLE, 0, 0)                        \
    X(DPMS, "DPMS", CONNECTOR, ENUM, 0, 3)                                    \
    X(LINK_STATUS, "link-status", CONNECTOR, ENUM, 0, 1)                      \
    X(NON_DESKTOP, "non-desktop", CONNECTOR, RANGE | IMMUTABLE, 0, 1)

enum prop {
#define X(id, name, owner, flags, lo, hi) PROP_##id,
    PROPS(X)
#undef X
        PROP_COUNT
};

static const struct {
    const char *name;
    enum owner owner;
    uint32_t flags;
    uint64_t lo, hi;
} props[PROP_COUNT] = {
#define X(id, name, owner, flags, lo, hi) \
    {name, owner, flags, (uint64_t)(lo), (uint64_t)(hi)},
    PROPS(X)
#undef X
};

static const struct {
    enum prop prop;
    uint32_t value;
    const char *name;
} enums[] = {
    {PROP_TYPE, 0, "Overlay"},    {PROP_TYPE, 1, "Primary"},
    {PROP_TYPE, 2, "Cursor"},     {PROP_DPMS, 0, "On"},
    {PROP_DPMS, 1, "Standby"},    {PROP_DPMS, 2, "Suspend"},
    {PROP_DPMS, 3, "Off"},        {PROP_LINK_STATUS, 0, "Good"},
    {PROP_LINK_STATUS, 1, "Bad"},
};

static bool
owner_of(uint32_t object, enum owner *owner, unsigned *plane)
{
    *plane = object - KMS_PLANE_FIRST;
    if (*plane < KMS_PLANE_COUNT)
        *owner = PLANE;
    else if (object == KMS_CRTC)
        *owner = CRTC;
    else if (object == KMS_CONNECTOR)
        *owner = CONNECTOR;
    else
        return false;
    return true;
}

uint32_t
props_object_type(struct kms *kms, uint32_t object)
{
    enum owner owner;
    unsigned plane;
    static const uint32_t types[] = {
        DRM_MODE_OBJECT_PLANE, DRM_MODE_OBJECT_CRTC, DRM_MODE_OBJECT_CONNECTOR};
    if (owner_of(object, &owner, &plane))
        return types[owner];
    if (object == KMS_ENCODER)
        return DRM_MODE_OBJECT_ENCODER;
    if (kms_find_fb(kms, object))
        return DRM_MODE_OBJECT_FB;
    return 0;
}

static uint32_t
blob_id(const struct kms_blob *blob)
{
    return blob ? blob->id : 0;
}

static uint64_t
plane_value(struct kms *kms, unsigned i, enum prop prop)
{
    const struct kms_plane_state *p = &kms_current(kms)->plane[i];
    switch (prop) {
    case PROP_TYPE: return i == KMS_PRIMARY ? 1 : 2;
    case PROP_FB_ID: return p->fb ? p->fb->id : 0;
    case PROP_PLANE_CRTC: return p->crtc_id;
    case PROP_SRC_X: return p->src_x;
    case PROP_SRC_Y: return p->src_y;
    case PROP_SRC_W: return p->src_w;
    case PROP_SRC_H: return p->src_h;
    case PROP_CRTC_X: return (uint64_t)(int64_t)p->crtc_x;
    case PROP_CRTC_Y: return (uint64_t)(int64_t)p->crtc_y;
    case PROP_CRTC_W: return p->crtc_w;
    case PROP_CRTC_H: return p->crtc_h;
    case PROP_IN_FENCE_FD: return (uint64_t)(int64_t)-1;
    case PROP_IN_FORMATS: return blob_id(kms_in_formats(kms, i));
    default: return 0;
    }
}

static uint64_t
value_of(struct kms *kms, unsigned plane, enum prop prop)
{
    const struct kms_state *s = kms_current(kms);
    switch (prop) {
    case PROP_ACTIVE: return s->active;
    case PROP_MODE_ID: return blob_id(s->mode);
    case PROP_VRR_ENABLED: return s->vrr;
    case PROP_GAMMA_LUT: return blob_id(s->gamma);
    case PROP_GAMMA_LUT_SIZE: return 256;
    case PROP_CONN_CRTC: return s->connector_crtc;
    case PROP_EDID: return blob_id(kms_edid(kms));
    case PROP_DPMS: return s->dpms;
    case PROP_LINK_STATUS: return s->link_status;
    case PROP_OUT_FENCE_PTR:
    case PROP_NON_DESKTOP: return 0;
    default: return plane_value(kms, plane, prop);
    }
}

int
props_give(struct kms *kms, struct drm_file *file, uint32_t object,
           uint32_t *count, uint64_t ids_ptr, uint64_t values_ptr)
{
    uint32_t ids[PROP_COUNT], n = 0;
    uint64_t values[PROP_COUNT];
    enum owner owner;
    unsigned plane;
    if (!owner_of(object, &owner, &plane))
        return -ENOENT;
    for (unsigned i = 0; i < PROP_COUNT; i++) {
        if (props[i].owner != owner)
            continue;
        if (props[i].flags & ATOMIC && !file->cap_atomic)
            continue;
        ids[n] = KMS_PROP_FIRST + i;
        values[n++] = value_of(kms, plane, i);
    }
    bool fits = *count >= n;
    *count = n;
    if (!fits)
        return 0;
    int err = client_write(ids_ptr, ids, n * sizeof *ids);
    return err ? err : client_write(values_ptr, values, n * sizeof *values);
}

/* ------------------------------------------------------------------------
 * Setting */

static bool
in_range(unsigned i, uint64_t value)
{
    if (props[i].flags & RANGE || props[i].flags & ENUM)
        return value >= props[i].lo && value <= props[i].hi;
    if ((props[i].flags & DRM_MODE_PROP_EXTENDED_TYPE) == SRANGE)
        return (int64_t)value >= (int64_t)props[i].lo &&
               (int64_t)value <= (int64_t)props[i].hi;
    return value <= UINT32_MAX;
}

static int
set_fb(struct kms *kms, struct kms_plane_state *p, uint64_t id)
{
    struct kms_fb *fb = id ? kms_find_fb(kms, (uint32_t)id) : NULL;
    if (id && !fb)
        return -EINVAL;
    kms_state_set_fb(p, fb);
    return 0;
}

static int
set_crtc(uint32_t *slot, uint64_t id)
{
    if (id && id != KMS_CRTC)
        return -EINVAL;
    *slot = (uint32_t)id;
    return 0;
}

static int
set_in_fence(struct props_request *request, int fd)
{
    int err = 0;
    if (fd == -1)
        return 0;
    if (request->in_fence)
        return -EINVAL;
    request->in_fence = fence_import(fd, &err);
    return request->in_fence ? 0 : err;
}

static int
set_plane(struct kms *kms, struct kms_plane_state *p,
          struct props_request *request, enum prop prop, uint64_t value)
{
    switch (prop) {
    case PROP_FB_ID: return set_fb(kms, p, value);
    case PROP_PLANE_CRTC: return set_crtc(&p->crtc_id, value);
    case PROP_SRC_X: p->src_x = (uint32_t)value; return 0;
    case PROP_SRC_Y: p->src_y = (uint32_t)value; return 0;
    case PROP_SRC_W: p->src_w = (uint32_t)value; return 0;
    case PROP_SRC_H: p->src_h = (uint32_t)value; return 0;
    case PROP_CRTC_X: p->crtc_x = (int32_t)value; return 0;
    case PROP_CRTC_Y: p->crtc_y = (int32_t)value; return 0;
    case PROP_CRTC_W: p->crtc_w = (uint32_t)value; return 0;
    case PROP_CRTC_H: p->crtc_h = (uint32_t)value; return 0;
    case PROP_IN_FENCE_FD: return set_in_fence(request, (int)value);
    default: return -EINVAL;
    }
}

static int
set_mode(struct kms *kms, struct kms_state *state, uint64_t id)
{
    struct drm_mode_modeinfo mode;
    struct kms_blob *blob = id ? kms_find_blob(kms, (uint32_t)id) : NULL;
    if (id && (!blob || blob->size_B != sizeof mode))
        return -EINVAL;
    if (blob) {
        const struct drm_mode_modeinfo *listed;
        unsigned count = kms_modes(kms, &listed);
        memcpy(&mode, blob->data, sizeof mode);
        if (kms_mode_check(&mode, listed, count))
            return -EINVAL;
    }
    kms_state_set_blob(&state->mode, blob);
    return 0;
}

static int
set_gamma(struct kms *kms, struct kms_state *state, uint64_t id)
{
    struct kms_blob *blob = id ? kms_find_blob(kms, (uint32_t)id) : NULL;
    if (id && (!blob || blob->size_B % sizeof(struct drm_color_lut)))
        return -EINVAL;
    kms_state_set_blob(&state->gamma, blob);
    return 0;
}

int
props_set(struct kms *kms, struct kms_state *state,
          struct props_request *request, uint32_t object, uint32_t prop,
          uint64_t value)
{
    enum owner owner;
    unsigned plane, i = prop - KMS_PROP_FIRST;
    if (!owner_of(object, &owner, &plane) || i >= PROP_COUNT ||
        props[i].owner != owner)
        return -ENOENT;
    if (props[i].flags & IMMUTABLE || !in_range(i, value))
        return -EINVAL;
    if (owner == PLANE)
        return set_plane(kms, &state->plane[plane], request, i, value);
    switch ((enum prop)i) {
    case PROP_ACTIVE: state->active = value; return 0;
    case PROP_MODE_ID: return set_mode(kms, state, value);
    case PROP_OUT_FENCE_PTR: request->out_fence_ptr = value; return 0;
    case PROP_VRR_ENABLED: state->vrr = value; return 0;
    case PROP_GAMMA_LUT: return set_gamma(kms, state, value);
    case PROP_CONN_CRTC: return set_crtc(&state->connector_crtc, value);
    case PROP_DPMS: state->dpms = value; return 0;
    case PROP_LINK_STATUS: state->link_status = value; return 0;
    default: return -EINVAL;
    }
}

/* ------------------------------------------------------------------------
 * Description */

static int
give_enums(struct drm_mode_get_property *g, unsigned i)
{
    uint64_t values[8];
    struct drm_mode_property_enum names[8] = {0};
    uint32_t n = 0;
    for (unsigned e = 0; e < ARRAY_SIZE(enums); e++) {
        if (enums[e].prop != i)
            continue;
        values[n] = enums[e].value;
        names[n].value = enums[e].value;
        strcpy(names[n++].name, enums[e].name);
    }
    int err = 0;
    if (g->count_values >= n)
        err = client_write(g->values_ptr, values, n * sizeof *values);
    if (!err && g->count_enum_blobs >= n)
        err = client_write(g->enum_blob_ptr, names, n * sizeof *names);
    g->count_values = g->count_enum_blobs = n;
    return err;
}

int
props_describe(struct drm_mode_get_property *g)
{
    unsigned i = g->prop_id - KMS_PROP_FIRST;
    if (i >= PROP_COUNT)
        return -ENOENT;
    memset(g->name, 0, sizeof g->name);
    strcpy(g->name, props[i].name);
    g->flags = props[i].flags;
    if (g->flags & ENUM)
        return give_enums(g, i);
    bool is_object = (g->flags & DRM_MODE_PROP_EXTENDED_TYPE) == OBJECT;
    uint64_t values[2] = {props[i].lo, props[i].hi};
    uint32_t n = g->flags & BLOB ? 0 : is_object ? 1 : 2;
    bool fits = g->count_values >= n;
    g->count_values = n;
    g->count_enum_blobs = 0;
    return fits ? client_write(g->values_ptr, values, n * sizeof *values) : 0;
}
