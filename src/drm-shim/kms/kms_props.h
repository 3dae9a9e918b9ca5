/* kms_props.h: properties of the objects of the display, as a table. With the
 * device lock held. */
#ifndef DRM_SHIM_KMS_KMS_PROPS_H
#define DRM_SHIM_KMS_KMS_PROPS_H

#include "drm-shim/kms/display.h"

/* Parameters of an atomic commit besides the state. */
struct props_request {
    struct fence *in_fence; /* owned */
    uint64_t out_fence_ptr; /* address for a sync_file, or 0 */
};

/* The two-call list of an object's properties and values. -ENOENT: no such
 * object. */
int props_give(struct kms *kms, struct drm_file *file, uint32_t object,
               uint32_t *count, uint64_t ids_ptr, uint64_t values_ptr);
/* Sets one property in a state. */
int props_set(struct kms *kms, struct kms_state *state,
              struct props_request *request, uint32_t object, uint32_t prop,
              uint64_t value);
/* Answers MODE_GETPROPERTY: name, flags, range, enumerators. 0, -ENOENT or
 * -EFAULT. */
int props_describe(struct drm_mode_get_property *g);
/* DRM_MODE_OBJECT_* of an id, 0 if there is none. */
uint32_t props_object_type(struct kms *kms, uint32_t object);

#endif
