/* adopted_file.h: files of the device that another process has opened and
 * passed to this one.
 *
 * The other process has the far end of the file's socket, so no hang-up tells
 * that this process has closed its last descriptor. A look at the list of open
 * descriptors does. Any thread, without locks. */
#ifndef DRM_SHIM_DEVICE_ADOPTED_FILE_H
#define DRM_SHIM_DEVICE_ADOPTED_FILE_H

#include "drm-shim/core/core.h"

/* Counts for each adopted file how often in a row no descriptor was found. */
void adopted_file_scan(void);
/* Once is not enough: a descriptor that moves to another number during the look
 * may be missed. */
bool adopted_file_is_closed(const struct drm_file *file);

#endif
