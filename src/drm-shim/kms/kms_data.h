/* kms_data.h: constants of the virtual display: modes, formats, EDID.
 * Pure functions. */
#ifndef DRM_SHIM_KMS_KMS_DATA_H
#define DRM_SHIM_KMS_KMS_DATA_H

#include "drm-shim/kms/display.h"

#define KMS_MODES_MAX 12
#define KMS_BLOB_MAX_B 1024

/* Modes at 60 Hz, the preferred one (SOFTLAKE_MODE=WxH) first; the count. */
unsigned kms_data_modes(struct drm_mode_modeinfo modes[KMS_MODES_MAX]);
/* Write the blob; return its size. */
uint32_t kms_data_edid(uint8_t out[KMS_BLOB_MAX_B],
                       const struct drm_mode_modeinfo *preferred);
uint32_t kms_data_in_formats(uint8_t out[KMS_BLOB_MAX_B],
                             enum kms_plane_index plane);

#endif
