/* bo_share.h: objects shared between processes.
 *
 * The page after the end of a shared object holds its tiling. GPU work on the
 * object is marked in its file, in one region for reads and one for writes
 * (foreign.h). Marks of other processes become a fence when a thread looks at
 * the object. With the device lock held. */
#ifndef DRM_SHIM_GEM_BO_SHARE_H
#define DRM_SHIM_GEM_BO_SHARE_H

#include "drm-shim/gem/bo.h"

/* A new descriptor for other devices and processes, or -errno. */
int bo_export(struct bo *bo, int flags);
/* Imports the object of a descriptor, referenced; NULL with *err set. */
struct bo *bo_import(int fd, int *err);
/* The object of a shared descriptor if this process knows it. */
struct bo *bo_find_shared(dev_t dev, ino_t ino);

/* As SET_TILING has them. */
bool bo_tiling_is_valid(uint32_t tiling, uint32_t stride_B);
void bo_set_tiling(struct bo *bo, uint32_t tiling, uint32_t stride_B);
void bo_get_tiling(const struct bo *bo, uint32_t *tiling, uint32_t *stride_B);

/* Tells other processes about a use by this process. False: out of memory. */
bool bo_share_use(struct bo *bo, const struct bo_use *use);
/* Adds the work of other processes as uses of the object. */
void bo_share_look(struct bo *bo);
/* In the child of fork(): the parent's pending work counts as foreign. */
void bo_share_after_fork(struct bo *first);
/* Releases the page; the object is being destroyed. */
void bo_share_forget(struct bo *bo);

#endif
