/* gtt_merge.h: the linear view of a tiled object, and what makes the two agree.
 *
 * A fence register of the aperture detiles: the CPU sees an X or Y tiled object
 * as linear rows. No memory of this process does so at each access. The view is
 * memory of its own, and both sides may have been written since they last
 * agreed. A three-way merge with what
 * they agreed on (the base) tells whose byte is new; a byte that both wrote
 * becomes the view's. The caller locks; the GPU and the client may write
 * meanwhile, and only bytes that one side has changed are stored to the
 * other. */
#ifndef DRM_SHIM_GEM_GTT_MERGE_H
#define DRM_SHIM_GEM_GTT_MERGE_H

#include <stdint.h>

struct gtt_image {
    uint8_t *view, *base, *object;
    uint64_t size_B;   /* of each, whole pages */
    uint32_t tiling;   /* I915_TILING_X or _Y */
    uint32_t stride_B; /* valid for the tiling: bo_tiling_is_valid() */
};

/* Stores into the object what the client has written into the view. */
void gtt_merge_view(const struct gtt_image *image);
/* Merges as gtt_merge_view(), then stores the object's changes into the view.
 */
void gtt_merge_both(const struct gtt_image *image);

#endif
