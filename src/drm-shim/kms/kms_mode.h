/* kms_mode.h: limits of the modes that a client may set. Pure functions. */
#ifndef DRM_SHIM_KMS_KMS_MODE_H
#define DRM_SHIM_KMS_KMS_MODE_H

#include "base/base.h"

#include <drm.h>
#include <drm_mode.h>

/* 0, -ERANGE or -EINVAL, as the kernel on Gen9 with an HDMI connector. A mode
 * that the connector lists passes even if it is too small for the hardware. */
int kms_mode_check(const struct drm_mode_modeinfo *mode,
                   const struct drm_mode_modeinfo *listed, unsigned count);

#endif
