/* kms.h: mode setting: the virtual display, its properties, leases of it, and
 * its picture.
 *
 * Called by the handlers of the mode setting ioctls and at the end of the
 * process. With the device lock held unless a function says otherwise. */
#ifndef DRM_SHIM_KMS_KMS_H
#define DRM_SHIM_KMS_KMS_H

#include "drm-shim/kms/display.h"
#include "drm-shim/kms/kms_mode.h"
#include "drm-shim/kms/kms_props.h"
#include "drm-shim/kms/kms_scanout.h"
#include "drm-shim/kms/lease.h"
#include "drm-shim/kms/screen.h"

#endif
