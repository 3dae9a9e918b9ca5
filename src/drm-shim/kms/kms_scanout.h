/* kms_scanout.h: composes the picture on the screen: the primary plane's part
 * of its framebuffer, scaled and placed, on black. */
#ifndef DRM_SHIM_KMS_KMS_SCANOUT_H
#define DRM_SHIM_KMS_KMS_SCANOUT_H

#include "base/base.h"

struct kms_plane_state;

/* Rows of RGBA8 for a screen of that size, for the caller to free. NULL: out of
 * memory, or the framebuffer cannot be read. plane->fb must be set. Lock held.
 */
uint8_t *kms_scanout_rgba(const struct kms_plane_state *plane,
                          uint32_t width_px, uint32_t height_px);

#endif
