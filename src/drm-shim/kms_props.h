/* kms_props.h: the properties of the display's objects, as a table.
 * Called with the shim's lock held. */
#ifndef SHIM_KMS_PROPS_H
#define SHIM_KMS_PROPS_H

#include "drm-shim/kms.h"

/* What else a set of properties may ask for in one atomic commit. */
struct props_request {
    struct fence *in_fence; /* owned */
    uint64_t out_fence_ptr; /* where a sync_file goes, or 0 */
};

/* The two-call list of an object's properties and values. -ENOENT: no such
 * object. */
int props_give(struct kms *kms, struct drm_file *file, uint32_t object,
               uint32_t *count, uint64_t ids_ptr, uint64_t values_ptr);
/* Sets one property in a state. */
int props_set(struct kms *kms, struct kms_state *state,
              struct props_request *request, uint32_t object, uint32_t prop,
              uint64_t value);
/* DRM_MODE_OBJECT_* of an id, 0 if there is none. */
uint32_t props_object_type(struct kms *kms, uint32_t object);

#endif
