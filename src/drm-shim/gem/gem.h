/* gem.h: GEM: memory objects, the address spaces that map them for the GPU,
 * contexts, and the requests (batches) that use them.
 *
 * Called by the ioctl handlers and by kms, which displays objects. With the
 * device lock held unless a function says otherwise. Everything is reference
 * counted; a request holds all that its batch needs until the engine has run
 * it. */
#ifndef DRM_SHIM_GEM_GEM_H
#define DRM_SHIM_GEM_GEM_H

#include "drm-shim/gem/bo.h"
#include "drm-shim/gem/bo_share.h"
#include "drm-shim/gem/bo_slab.h"
#include "drm-shim/gem/gem_context.h"
#include "drm-shim/gem/gtt_map.h"
#include "drm-shim/gem/ppgtt.h"
#include "drm-shim/gem/reloc.h"
#include "drm-shim/gem/request.h"

#endif
