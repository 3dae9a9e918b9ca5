/* core.h: the bottom of drm-shim, which every other sub-room may use: the state
 * of the process's one device, an open file, handles, the client's memory, and
 * system calls that bypass the wrappers.
 *
 * Knows no object of the device: GEM, sync and KMS objects are pointers here.
 * Each header says which thread and lock its functions need. */
#ifndef DRM_SHIM_CORE_CORE_H
#define DRM_SHIM_CORE_CORE_H

#include "drm-shim/core/client_memory.h"
#include "drm-shim/core/device_state.h"
#include "drm-shim/core/drm_file.h"
#include "drm-shim/core/handle.h"
#include "drm-shim/core/leftover.h"
#include "drm-shim/core/platform.h"
#include "drm-shim/core/syscall.h"

#endif
